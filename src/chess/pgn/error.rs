//! Errors in PGN files, with their lines.

use std::{fmt, io};

use crate::chess::{FenError, MoveTextError};

/// An error in a PGN file.
#[derive(Debug)]
pub struct PgnError {
    /// The line of the error, or the line on which an unclosed item begins; the first line is 1.
    pub line: u64,
    /// The kind of error.
    pub problem: PgnProblem,
}

/// A kind of error in a PGN file.
#[derive(Debug)]
pub enum PgnProblem {
    /// The source could not be read.
    Unreadable(io::Error),
    /// A tag is not of the form `[Name "value"]` on one line.
    Tag,
    /// A `{` has no matching `}`.
    UnclosedComment,
    /// A `(` has no matching `)`.
    UnclosedVariation,
    /// A `)` has no matching `(`.
    UnopenedVariation,
    /// A `$` is not followed by a number from 0 to 255.
    Nag,
    /// A word in the move text is neither a move nor an annotation nor a result.
    Unexpected(String),
    /// The value of a `FEN` tag is not a FEN.
    Fen(FenError),
    /// A move cannot be read or is not legal.
    Move {
        /// The number of half-moves before it.
        ply: usize,
        /// The error in the move text.
        error: MoveTextError,
    },
    /// A limit that no real game reaches is exceeded; the limits keep memory use bounded.
    TooMuch {
        /// The limited items.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

impl PgnError {
    pub(super) fn new(line: u64, problem: PgnProblem) -> Self {
        Self { line, problem }
    }
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            PgnProblem::Unreadable(error) => write!(f, "cannot read: {error}"),
            PgnProblem::Tag => f.write_str("a tag must look like [Name \"value\"], on one line"),
            PgnProblem::UnclosedComment => f.write_str("the comment that begins here has no closing }"),
            PgnProblem::UnclosedVariation => f.write_str("the variation that begins here has no closing )"),
            PgnProblem::UnopenedVariation => f.write_str("a ) has no matching ("),
            PgnProblem::Nag => f.write_str("a $ must be followed by a number from 0 to 255"),
            PgnProblem::Unexpected(text) => write!(f, "unexpected `{text}` among moves"),
            PgnProblem::Fen(error) => write!(f, "FEN tag: {error}"),
            PgnProblem::Move { ply, error } => write!(f, "after {ply} half-moves: {error}"),
            PgnProblem::TooMuch { what, limit } => write!(f, "a game may have at most {limit} {what}"),
        }
    }
}

impl std::error::Error for PgnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            PgnProblem::Unreadable(error) => Some(error),
            PgnProblem::Fen(error) => Some(error),
            PgnProblem::Move { error, .. } => Some(error),
            _ => None,
        }
    }
}
