//! What a book is, in numbers.

use std::collections::HashSet;

use serde::Serialize;

use crate::chess::Color;
use crate::opening::{Book, BookError, BookFormat, Variant};

/// A book looked through from the first opening to the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// What the file is.
    pub format: BookFormat,
    /// The castling rules of its games.
    pub variant: Variant,
    /// How many openings it has.
    pub openings: u64,
    /// How many different positions they lead to.
    pub different: u64,
    /// In how many of them White is to move.
    pub white_to_move: u64,
    /// In how many of them Black is to move.
    pub black_to_move: u64,
    /// The fewest moves that are made before the engines take over.
    pub fewest_plies: u64,
    /// The most moves that are made before the engines take over.
    pub most_plies: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

impl Description {
    /// Looks through a book.
    pub fn of(book: &Book) -> Result<Self, BookError> {
        let mut keys = HashSet::new();
        let (mut white_to_move, mut fewest, mut most) = (0, u64::MAX, 0);
        for index in 0..book.len() {
            let (position, plies) = book.taken_over(index)?;
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
