//! The opening book of the ACE console game.

use std::collections::HashMap;

use crate::chess::{Move, Position};
use crate::frontend::ace::book_lines::LINES;

/// An opening book that maps each known position to the moves of its lines.
#[derive(Clone, Debug)]
pub struct AceBook {
    moves: HashMap<u64, Vec<Move>>,
    seed: u64,
}

impl AceBook {
    /// Creates the book. `seed` determines the choice among several moves.
    pub fn new(seed: u64) -> Self {
        let mut moves: HashMap<u64, Vec<Move>> = HashMap::new();
        for line in LINES {
            let mut position = Position::startpos();
            for word in line.split_whitespace() {
                let mv = position.parse_san(word).expect("a test checks that every line is legal");
                moves.entry(position.key()).or_default().push(mv);
                position = position.play(mv);
            }
        }
        Self { moves, seed }
    }

    /// Returns a move for a position. The probability of a move is proportional to the number of its lines.
    pub fn choose(&self, position: &Position) -> Option<Move> {
        let moves = self.moves.get(&position.key())?;
        let pick = mix(self.seed ^ position.key()) % moves.len() as u64;
        // Guards against another position with the same key.
        Some(moves[pick as usize]).filter(|&mv| position.is_legal(mv))
    }
}

/// Hashes a number with the finaliser of SplitMix64.
const fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_line_is_legal_and_in_canonical_san() {
        for line in LINES {
            let mut position = Position::startpos();
            for word in line.split_whitespace() {
                let mv = position.parse_san(word).unwrap_or_else(|error| panic!("{error} in `{line}`"));
                assert_eq!(position.san(mv), word, "in `{line}`");
                position = position.play(mv);
            }
        }
        assert_eq!(LINES.iter().collect::<HashSet<_>>().len(), LINES.len(), "duplicate line");
    }

    #[test]
    fn the_choice_depends_only_on_the_seed() {
        let start = Position::startpos();
        let firsts: HashSet<u32> =
            (0..50).filter_map(|seed| AceBook::new(seed).choose(&start)).map(Move::bits).collect();
        assert!(firsts.len() >= 3, "{firsts:?}");
        assert_eq!(AceBook::new(7).choose(&start), AceBook::new(7).choose(&start));
    }

    #[test]
    fn the_book_contains_replies_to_its_own_moves() {
        let book = AceBook::new(1);
        let mut position = Position::startpos();
        let mut plies = 0;
        while let Some(mv) = book.choose(&position) {
            position = position.play(mv);
            plies += 1;
        }
        assert!(plies >= 8, "{plies}");
        assert_eq!(book.choose(&Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap()), None);
    }
}
