//! Errors of opening books.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Error returned when a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("book {}: cannot be read", path.display())]
    Unreadable {
        /// The book.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The compressed content is damaged or cannot be decompressed.
    #[error("book {}: cannot be decompressed: {reason}", path.display())]
    Packing {
        /// The book.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The decompressed content exceeds the limit.
    #[error(
        "book {}: decompresses to more than {} MiB; if that is intended, decompress the file first",
        path.display(),
        limit >> 20
    )]
    TooBig {
        /// The book.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The book contains no opening.
    #[error("book {}: contains no opening", path.display())]
    Empty {
        /// The book.
        path: PathBuf,
    },
    /// Some openings are invalid.
    #[error("book {}: {}", path.display(), EntryList(*count, first))]
    BadEntries {
        /// The book.
        path: PathBuf,
        /// The number of invalid openings.
        count: u64,
        /// The first invalid openings.
        first: Vec<BadEntry>,
    },
    /// The configured first opening does not exist.
    #[error("book {}: cannot start at opening {start}: the book has openings 1 to {len}", path.display())]
    Start {
        /// The book.
        path: PathBuf,
        /// The configured opening, starting from 1.
        start: u64,
        /// The number of openings.
        len: u64,
    },
    /// The book has changed since it was opened.
    #[error("book {}: was changed while in use: opening {}: {reason}", path.display(), index + 1)]
    Changed {
        /// The book.
        path: PathBuf,
        /// The index of the opening, starting from 0.
        index: u64,
        /// The reason.
        reason: String,
    },
}

/// An invalid opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEntry {
    /// The line, starting from 1.
    pub line: u64,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for BadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Formats the number of invalid openings and the first of them.
struct EntryList<'a>(u64, &'a [BadEntry]);

impl fmt::Display for EntryList<'_> {
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
