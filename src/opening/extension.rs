//! Fresh openings from used ones: random legal moves that keep the balance of the position.

use crate::chess::{Move, MoveStyle, Position};
use crate::opening::entry::{Opening, Variant};
use crate::opening::order::mixed;

/// Centipawns by which the score of an extended opening may differ from that of the opening.
const TOLERANCE: u32 = 40;

/// Attempts at an extension within the tolerance; after them the closest one is used.
const ATTEMPTS: u64 = 48;

/// The random moves of a fresh opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The seed of the run.
    pub seed: u64,
    /// The turn at which the opening is used.
    pub turn: u64,
    /// How often all openings were used before.
    pub cycle: u64,
}

impl Extension {
    /// Returns the number of random plies. It is even, so that the side to move stays the same, and grows before the
    /// extensions of an opening are exhausted: four plies have about 70,000 in the initial position.
    fn plies(self) -> u32 {
        match self.cycle {
            0..=4_000 => 4,
            _ => 6,
        }
    }

    /// Returns random moves from `position` that change its score least. `score` returns centipawns for the side to move,
    /// or `None` for a mate. Returns `None` if every attempt ends the game.
    pub fn moves(
        self,
        position: &Position,
        mut score: impl FnMut(&Position) -> Option<i32>,
    ) -> Option<Vec<Move>> {
        let before = score(position).unwrap_or(0);
        let mut best: Option<(u32, Vec<Move>)> = None;
        for attempt in 0..ATTEMPTS {
            let Some((moves, end)) = self.candidate(position, attempt) else { continue };
            let Some(after) = score(&end) else { continue };
            let change = after.abs_diff(before);
            if best.as_ref().is_none_or(|(least, _)| change < *least) {
                best = Some((change, moves));
            }
            if change <= TOLERANCE {
                break;
            }
        }
        best.map(|(_, moves)| moves)
    }

    /// Returns the moves of one attempt and the position after them, which is not in check and not the end of the game.
    fn candidate(self, position: &Position, attempt: u64) -> Option<(Vec<Move>, Position)> {
        let mut state = mixed(self.seed ^ mixed(self.turn ^ mixed(attempt)));
        let mut end = *position;
        let mut moves = Vec::new();
        for _ in 0..self.plies() {
            state = mixed(state);
            let mv = end.pick_legal_move(|count| state % count)?;
            moves.push(mv);
            end = end.play(mv);
        }
        (!end.in_check() && end.has_legal_move()).then_some((moves, end))
    }
}

impl Opening {
    /// Returns the opening with more moves, played from its last position `end`.
    pub fn extended(mut self, end: &Position, moves: &[Move]) -> Self {
        let style = match self.variant {
            Variant::Standard => MoveStyle::Standard,
            Variant::Chess960 => MoveStyle::Chess960,
        };
        let mut position = *end;
        for mv in moves {
            self.moves.push(position.coordinate(*mv, style));
            position = position.play(*mv);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A score that every capture changes: the number of pieces of the side to move, times 100.
    fn count(position: &Position) -> Option<i32> {
        let board = position.to_fen().split(' ').next().unwrap().to_owned();
        let whites = board.chars().filter(char::is_ascii_uppercase).count() as i32;
        let blacks = board.chars().filter(char::is_ascii_lowercase).count() as i32;
        Some(100 * (whites - blacks))
    }

    #[test]
    fn extensions_follow_from_seed_and_turn_and_keep_the_balance() {
        let start = Position::startpos();
        let moves = |seed, turn| Extension { seed, turn, cycle: 50 }.moves(&start, count).unwrap();
        assert_eq!(moves(1, 7), moves(1, 7));
        let distinct: HashSet<Vec<String>> =
            (0..500).map(|turn| Opening::start().extended(&start, &moves(1, turn)).moves).collect();
        assert!(distinct.len() > 490, "{}", distinct.len());
        for turn in 0..100 {
            let end = moves(1, turn).iter().fold(start, |position, mv| position.play(*mv));
            assert_eq!(count(&end), Some(0), "an extension without a capture was available");
        }
    }

    #[test]
    fn extensions_have_an_even_number_of_plies_and_grow() {
        let start = Position::startpos();
        for (cycle, plies) in [(1, 4), (4_000, 4), (5_000, 6)] {
            assert_eq!(
                Extension { seed: 3, turn: 9, cycle }.moves(&start, |_| Some(0)).unwrap().len(),
                plies
            );
        }
    }

    #[test]
    fn a_position_in_which_every_move_ends_the_game_has_no_extension() {
        // White's only legal moves leave Black without a legal move or with bare kings in check.
        let mated = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(Extension { seed: 1, turn: 1, cycle: 1 }.moves(&mated, |_| Some(0)), None);
    }
}
