//! Books of engines in the Polyglot format.

use std::fs;
use std::path::Path;

use playself::chess::{MoveStyle, Position};
use playself::opening::polyglot_key;

/// Writes a book with the moves of these lines from the starting position, all with the same weight.
pub(crate) fn write_book(path: &Path, lines: &[&str]) {
    let mut entries: Vec<[u8; 16]> = Vec::new();
    for line in lines {
        let mut position = Position::startpos();
        for text in line.split_whitespace() {
            let mv = position.parse_coordinate(text, MoveStyle::Standard).unwrap();
            let bits = (mv.to().index() | mv.from().index() << 6) as u16;
            let mut entry = [0; 16];
            entry[..8].copy_from_slice(&polyglot_key(&position).to_be_bytes());
            entry[8..10].copy_from_slice(&bits.to_be_bytes());
            entry[11] = 1;
            entries.push(entry);
            position = position.play(mv);
        }
    }
    entries.sort_unstable();
    entries.dedup();
    fs::write(path, entries.concat()).unwrap();
}
