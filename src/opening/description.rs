//! Summary of an opening book.

use std::collections::HashSet;

use serde::Serialize;

use crate::chess::Color;
use crate::opening::{Book, BookError, BookFormat, Variant};

/// Properties and counts of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The format of the book.
    pub format: BookFormat,
    /// The castling rules.
    pub variant: Variant,
    /// The number of openings.
    pub openings: u64,
    /// The number of distinct positions at the end of the openings.
    pub different: u64,
    /// The number of openings after which White is to move.
    pub white_to_move: u64,
    /// The number of openings after which Black is to move.
    pub black_to_move: u64,
    /// The smallest number of moves of an opening.
    pub fewest_plies: u64,
    /// The largest number of moves of an opening.
    pub most_plies: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

impl Description {
    /// Reads all openings of a book.
    pub fn of(book: &Book) -> Result<Self, BookError> {
        let mut keys = HashSet::new();
        let (mut white_to_move, mut fewest, mut most) = (0, u64::MAX, 0);
        for index in 0..book.len() {
            let (position, plies) = book.end_position(index)?;
            keys.insert(position.key());
            white_to_move += u64::from(position.turn() == Color::White);
            fewest = fewest.min(plies);
            most = most.max(plies);
        }
        Ok(Self {
            format: book.format(),
            variant: book.variant(),
            openings: book.len(),
            different: keys.len() as u64,
            white_to_move,
            black_to_move: book.len() - white_to_move,
            fewest_plies: fewest,
            most_plies: most,
            sha256: book.fingerprint().to_string(),
        })
    }
}
