//! ECO codes and opening names, recognised by position, so that a transposition gets the name of the position it
//! reaches.
//!
//! `eco_names.txt` has one opening per line, in the order of its moves: `PLIES MOVES|CODE|CHARACTERS NAME`. The first
//! PLIES half-moves and the first CHARACTERS of the name are those of the line before; an empty code is the code before.
//! Frequent words are one character (see [`WORDS`]). The facts are those of the public-domain collection
//! lichess-org/chess-openings.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::chess::{Move, Position};

const TABLE: &str = include_str!("eco_names.txt");

/// The words that `eco_names.txt` abbreviates.
const WORDS: [(char, &str); 4] = [('*', "Variation"), ('^', "Attack"), ('~', "Gambit"), ('_', "Defense")];

/// A named opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EcoName {
    /// The code, `A00` to `E99`.
    pub code: String,
    /// The name, `Family: Variation, Subvariation`.
    pub name: String,
}

/// Returns the opening of the last named position of a game, or `None` if no position of it has a name.
///
/// The table has positions of the standard game only, so a game from an unusual start stays without a name until it
/// reaches one of them.
pub fn classify(start: &Position, moves: &[Move]) -> Option<&'static EcoName> {
    let names = names();
    let mut position = *start;
    let mut found = names.get(&position.key());
    for &mv in moves {
        position = position.play(mv);
        found = names.get(&position.key()).or(found);
    }
    found
}

/// Returns the openings by the key of their position.
fn names() -> &'static HashMap<u64, EcoName> {
    static NAMES: OnceLock<HashMap<u64, EcoName>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut reader = TableReader::default();
        TABLE.lines().filter_map(|line| reader.read(line)).collect()
    })
}

/// What the next line of the table may repeat: positions and name of the line before.
#[derive(Default)]
struct TableReader {
    positions: Vec<Position>,
    code: String,
    /// The name before its words are written out.
    short_name: String,
}

impl TableReader {
    /// Reads one line; `None` if it is not in the form of the table.
    fn read(&mut self, line: &str) -> Option<(u64, EcoName)> {
        let mut fields = line.split('|');
        let (moves, code, name) = (fields.next()?, fields.next()?, fields.next()?);
        let (plies, moves) = counted(moves)?;
        self.positions.truncate(plies);
        for san in moves.split_ascii_whitespace() {
            let before = self.positions.last().copied().unwrap_or_else(Position::startpos);
            self.positions.push(before.play(before.parse_san(san).ok()?));
        }
        if !code.is_empty() {
            code.clone_into(&mut self.code);
        }
        let (kept, rest) = counted(name)?;
        self.short_name = self.short_name.chars().take(kept).chain(rest.chars()).collect();
        let name =
            WORDS.iter().fold(self.short_name.clone(), |name, (short, word)| name.replace(*short, word));
        Some((self.positions.last()?.key(), EcoName { code: self.code.clone(), name }))
    }
}

/// Splits a number from the text behind it.
fn counted(text: &str) -> Option<(usize, &str)> {
    let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(start: &Position, line: &str) -> Option<(&'static str, &'static str)> {
        let (mut position, mut moves) = (*start, Vec::new());
        for san in line.split_ascii_whitespace() {
            let mv = position.parse_san(san).unwrap_or_else(|error| panic!("{line}: {error}"));
            moves.push(mv);
            position = position.play(mv);
        }
        classify(start, &moves).map(|found| (found.code.as_str(), found.name.as_str()))
    }

    #[test]
    fn every_line_of_the_table_names_a_position_of_its_own() {
        assert_eq!(names().len(), TABLE.lines().count());
        for opening in names().values() {
            let valid = matches!(opening.code.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']);
            assert!(valid && !opening.name.is_empty(), "{opening:?}");
        }
        assert!(TABLE.len() < 120_000, "the table is part of every program");
    }

    #[test]
    fn a_game_has_the_name_of_its_last_named_position() {
        let start = Position::startpos();
        let najdorf = Some(("B90", "Sicilian Defense: Najdorf Variation"));
        for (name, line, expected) in [
            ("no move", "", None),
            ("one move", "e4", Some(("B00", "King's Pawn Game"))),
            ("main line", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", najdorf),
            ("transposition", "Nf3 c5 Nc3 a6 e4 d6 d4 cxd4 Nxd4 Nf6", najdorf),
            ("beyond the table", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 Nc6 a4 Ra7", najdorf),
            ("accents", "Nc3 Nf6 g4", Some(("A00", "Van Geet Opening: Tübingen Gambit"))),
        ] {
            assert_eq!(named(&start, line), expected, "{name}");
        }
    }

    #[test]
    fn a_game_from_a_position_has_a_name_only_if_it_reaches_a_known_one() {
        let known = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(named(&Position::from_fen(known).unwrap(), ""), Some(("B20", "Sicilian Defense")));
        let unknown = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert_eq!(named(&unknown, "e4 Kd7"), None);
    }
}
