//! What can be wrong with a PGN file, and on which line.

use std::{fmt, io};

use crate::chess::{FenError, MoveTextError};

/// A fault in a PGN file.
#[derive(Debug)]
pub struct PgnError {
    /// The line it is on, or on which the thing that lacks its end begins; the first line is 1.
    pub line: u64,
    /// What it is.
    pub problem: PgnProblem,
}

/// A kind of fault in a PGN file.
#[derive(Debug)]
pub enum PgnProblem {
    /// The source could not be read any further.
    Unreadable(io::Error),
    /// A tag that is not `[Name "value"]` on one line.
    Tag,
    /// A `{` without its `}`.
    UnclosedComment,
    /// A `(` without its `)`.
    UnclosedVariation,
    /// A `)` without its `(`.
    UnopenedVariation,
    /// A `$` without a number from 0 to 255.
    Nag,
    /// Something that has no place among moves.
    Unexpected(String),
    /// A `FEN` tag that is none.
    Fen(FenError),
    /// A move that cannot be read or is not legal.
    Move {
        /// Moves of the game before it.
        ply: usize,
        /// What is wrong with it.
        error: MoveTextError,
    },
    /// More of something than any game has; the limit keeps memory bounded.
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How much is accepted.
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
            PgnProblem::Unreadable(error) => write!(f, "cannot be read: {error}"),
            PgnProblem::Tag => f.write_str("a tag must look like [Name \"value\"], on one line"),
            PgnProblem::UnclosedComment => f.write_str("the comment that begins here has no closing }"),
            PgnProblem::UnclosedVariation => f.write_str("the variation that begins here has no closing )"),
            PgnProblem::UnopenedVariation => f.write_str("a ) closes no variation"),
            PgnProblem::Nag => f.write_str("a $ must be followed by a number from 0 to 255"),
            PgnProblem::Unexpected(text) => write!(f, "`{text}` has no place among moves"),
            PgnProblem::Fen(error) => write!(f, "FEN tag: {error}"),
            PgnProblem::Move { ply, error } => write!(f, "after {ply} half-moves: {error}"),
            PgnProblem::TooMuch { what, limit } => write!(f, "a game may have no more than {limit} {what}"),
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
