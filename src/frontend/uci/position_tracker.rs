//! The game of the last `position` command, updated incrementally.

use std::fmt;

use crate::chess::{FenError, GameLine, Move, MoveStyle, MoveTextError, Position};
use crate::protocol::Words;
use crate::protocol::uci::Start;

/// The current game, and the text of the command that set it.
///
/// GUIs send the whole game before every move. Only the moves that differ from the previous command are played, so the
/// four-hundredth move costs as much as the first.
#[derive(Clone, Debug)]
pub(super) struct PositionTracker {
    line: GameLine,
    /// The FEN as received, or `None` for the standard starting position.
    start: Option<String>,
    moves: Vec<String>,
}

/// Error returned when a `position` command is invalid.
#[derive(Debug)]
pub(super) enum PositionError {
    Fen(FenError),
    Move { number: usize, reason: MoveTextError },
}

impl PositionTracker {
    pub(super) fn new() -> Self {
        Self { line: GameLine::new(Position::startpos()), start: None, moves: Vec::new() }
    }

    pub(super) fn line(&self) -> &GameLine {
        &self.line
    }

    pub(super) fn position(&self) -> &Position {
        self.line.current()
    }

    /// Sets the game; keeps the previous one if the new one is invalid.
    pub(super) fn set(
        &mut self,
        start: Start<'_>,
        moves: Words<'_>,
        style: MoveStyle,
    ) -> Result<(), PositionError> {
        if self.starts_like(start) {
            return self.change_tail(moves, style);
        }
        let (position, start) = match start {
            Start::Standard => (Position::startpos(), None),
            Start::Fen(fen) => {
                let fen = fen.to_string();
                (Position::from_fen(&fen).map_err(PositionError::Fen)?, Some(fen))
            }
        };
        let mut fresh = Self { line: GameLine::new(position), start, moves: Vec::new() };
        fresh.change_tail(moves, style)?;
        *self = fresh;
        Ok(())
    }

    fn starts_like(&self, start: Start<'_>) -> bool {
        match (start, &self.start) {
            (Start::Standard, None) => true,
            (Start::Fen(received), Some(current)) => received == Words::new(current),
            _ => false,
        }
    }

    /// Keeps the common prefix of moves, takes back the others and plays the new ones.
    fn change_tail(&mut self, moves: Words<'_>, style: MoveStyle) -> Result<(), PositionError> {
        let shared =
            moves.iter().zip(&self.moves).take_while(|(received, current)| received == current).count();
        let old_moves: Vec<Move> = self.line.moves()[shared..].to_vec();
        let old_words = self.moves.split_off(shared);
        self.take_back_to(shared);
        let played = moves.iter().skip(shared).try_for_each(|word| self.play(word, style));
        if played.is_err() {
            self.take_back_to(shared);
            old_moves.into_iter().for_each(|mv| self.line.push(mv));
            self.moves.truncate(shared);
            self.moves.extend(old_words);
        }
        played
    }

    fn take_back_to(&mut self, ply: usize) {
        while self.line.moves().len() > ply {
            self.line.pop();
        }
    }

    fn play(&mut self, word: &str, style: MoveStyle) -> Result<(), PositionError> {
        let number = self.moves.len() + 1;
        let mv = read_move(self.position(), word, style)
            .map_err(|reason| PositionError::Move { number, reason })?;
        self.line.push(mv);
        self.moves.push(word.to_owned());
        Ok(())
    }
}

/// Parses a move in the given style or, failing that, in any other notation in use.
///
/// Some GUIs send `e1g1` for castling under `UCI_Chess960`, or `e1h1` without it, or an upper-case promotion letter.
pub(super) fn read_move(position: &Position, word: &str, style: MoveStyle) -> Result<Move, MoveTextError> {
    position.parse_coordinate(word, style).or_else(|error| {
        let other = match style {
            MoveStyle::Standard => MoveStyle::Chess960,
            MoveStyle::Chess960 => MoveStyle::Standard,
        };
        let lower = word.to_ascii_lowercase();
        let mut readings = [style, other].into_iter().map(|style| position.parse_coordinate(&lower, style));
        readings.find_map(Result::ok).ok_or(error)
    })
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fen(error) => write!(f, "position refused: {error}"),
            Self::Move { number, reason } => {
                write!(f, "position refused: move {number}: {reason}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tracker: &mut PositionTracker, moves: &str) -> Result<(), PositionError> {
        tracker.set(Start::Standard, Words::new(moves), MoveStyle::Standard)
    }

    #[test]
    fn a_changed_move_list_gives_the_same_game_as_a_new_one() {
        let mut tracker = PositionTracker::new();
        for moves in ["e2e4", "e2e4 e7e5 g1f3", "e2e4 c7c5", "", "d2d4 d7d5 c2c4", "d2d4"] {
            set(&mut tracker, moves).unwrap();
            let mut fresh = PositionTracker::new();
            moves.split_whitespace().for_each(|word| fresh.play(word, MoveStyle::Standard).unwrap());
            assert_eq!(tracker.line.moves(), fresh.line.moves(), "{moves}");
            assert_eq!(tracker.position().key(), fresh.position().key(), "{moves}");
        }
    }

    #[test]
    fn an_invalid_position_leaves_the_game_unchanged() {
        let mut tracker = PositionTracker::new();
        set(&mut tracker, "e2e4 e7e5 g1f3").unwrap();
        let before = tracker.clone();
        for moves in ["e2e4 e7e5 g1g3", "e2e4 e7e6 e1e3", "x", "e2e4 e7e5 g1f3 b8c6 zz"] {
            assert!(set(&mut tracker, moves).is_err());
            assert_eq!(tracker.line.moves(), before.line.moves());
            assert_eq!(tracker.moves, before.moves);
            assert_eq!(tracker.position().key(), before.position().key());
        }
        let bad_fen = Start::Fen(Words::new("8/8/8/8/8/8/8/8 w - - 0 1"));
        assert!(tracker.set(bad_fen, Words::new(""), MoveStyle::Standard).is_err());
        assert_eq!(tracker.line.moves(), before.line.moves());
    }
}
