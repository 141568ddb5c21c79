//! Why a book cannot be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("book {}: cannot be read", path.display())]
    Unreadable {
        /// The book.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The compressed content is damaged or of an unknown kind.
    #[error("book {}: cannot be unpacked: {reason}", path.display())]
    Packing {
        /// The book.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It unpacks to more than is accepted.
    #[error("book {}: unpacks to more than {} MiB; unpack it yourself if that is meant", path.display(), limit >> 20)]
    TooBig {
        /// The book.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Nothing to start a game from.
    #[error("book {}: holds no opening", path.display())]
    Empty {
        /// The book.
        path: PathBuf,
    },
    /// Some of its openings cannot be used.
    #[error("book {}: {}", path.display(), Faults(*count, first))]
    BadEntries {
        /// The book.
        path: PathBuf,
        /// How many cannot be used.
        count: u64,
        /// The first of them.
        first: Vec<BadEntry>,
    },
    /// The first opening to use does not exist.
    #[error("book {}: starts at opening {start}, but holds openings 1 to {len}", path.display())]
    Start {
        /// The book.
        path: PathBuf,
        /// The opening asked for, from 1.
        start: u64,
        /// How many there are.
        len: u64,
    },
    /// An opening that was good when the book was opened no longer is.
    #[error("book {}: was changed while in use: opening {} no longer reads: {reason}", path.display(), index + 1)]
    Changed {
        /// The book.
        path: PathBuf,
        /// The opening, from 0.
        index: u64,
        /// What is wrong with it now.
        reason: String,
    },
}

/// An opening that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEntry {
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for BadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// How many faults, and the first of them.
struct Faults<'a>(u64, &'a [BadEntry]);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, first) = self;
        if *count > 1 {
            write!(f, "{count} openings cannot be used: ")?;
        }
        for (n, entry) in first.iter().enumerate() {
            write!(f, "{}{entry}", if n == 0 { "" } else { "; " })?;
        }
        if *count > first.len() as u64 { f.write_str("; …") } else { Ok(()) }
    }
}
