//! Opening books: validated completely when opened, then read one opening at a time.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::chess::Position;
use crate::opening::entry::{Opening, Variant};
use crate::opening::error::{BadEntry, BookError};
use crate::opening::formats::{BookFormat, Draft, read_draft, scan};
use crate::opening::order::{Order, Shuffle};
use crate::opening::share::Share;
use crate::opening::text::{BookText, Text};

/// Options for the use of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookOptions {
    /// The order of the openings.
    pub order: Order,
    /// The part of the book that is used.
    pub share: Share,
    /// The seed of the random order.
    pub seed: u64,
    /// The first opening used, starting from 1.
    pub start: u64,
    /// The number of openings used before the first one is used again; all if `None`. With it, `start` may lie beyond the
    /// end of the book and counts from the beginning again.
    pub take: Option<u64>,
    /// The maximum number of moves played from an opening; all if `None`.
    pub plies: Option<u32>,
    /// The castling rules; if `None`, Chess960 if any opening requires it.
    pub variant: Option<Variant>,
    /// The maximum decompressed size in bytes.
    pub unpacked_limit: u64,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            order: Order::Random,
            share: Share::Whole,
            seed: 0,
            start: 1,
            take: None,
            plies: None,
            variant: None,
            unpacked_limit: 2 << 30,
        }
    }
}

/// The SHA-256 of the file of a book.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An opening book.
///
/// [`Book::open`] reads the whole book once and returns an error if an opening is illegal or ends the game. Only the
/// offset of each opening stays in memory. Several threads can share a book.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    text: Text,
    format: BookFormat,
    offsets: Offsets,
    fingerprint: Fingerprint,
    options: BookOptions,
    shuffle: Option<Shuffle>,
    variant: Variant,
}

impl Book {
    /// Opens a book, plain or compressed.
    pub fn open(path: &Path, format: BookFormat, options: BookOptions) -> Result<Self, BookError> {
        let BookText { text, name, sha256 } = BookText::open(path, options.unpacked_limit)?;
        let unreadable = |source| BookError::Unreadable { path: path.to_owned(), source };
        let format = format.resolved(&name, &text).map_err(unreadable)?;
        let mut offsets = Offsets::default();
        let mut bad_entries = BadEntries::default();
        let mut needs_960 = None;
        scan(&text, format, |place, draft| match draft.and_then(|draft| draft.checked(options.plies)) {
            Ok(draft) => {
                offsets.push(place.offset);
                if needs_960.is_none() && draft.needs_chess960() {
                    needs_960 = Some(place.line);
                }
            }
            Err(entry) => bad_entries.push(entry),
        })
        .map_err(unreadable)?;
        if let (Some(Variant::Standard), Some(line)) = (options.variant, needs_960) {
            let reason = "the opening requires Chess960, but standard chess was requested".to_owned();
            bad_entries.push(BadEntry { line, reason });
        }
        if bad_entries.count > 0 {
            let BadEntries { count, first } = bad_entries;
            return Err(BookError::BadEntries { path: path.to_owned(), count, first });
        }
        let len = options.share.len(offsets.len());
        if len == 0 {
            return Err(BookError::Empty { path: path.to_owned() });
        }
        if options.start == 0 || options.take.is_none() && options.start > len {
            return Err(BookError::Start { path: path.to_owned(), start: options.start, len });
        }
        let variant = options.variant.unwrap_or(match needs_960 {
            Some(_) => Variant::Chess960,
            None => Variant::Standard,
        });
        let fingerprint = Fingerprint(sha256);
        let shuffle = Shuffle::new(options.order, options.seed, len);
        Ok(Self { path: path.to_owned(), text, format, offsets, fingerprint, options, shuffle, variant })
    }

    /// Returns the opening of a pair, which depends only on the options and the index of the pair in the schedule.
    pub fn opening(&self, pair: u64) -> Result<Opening, BookError> {
        let share = self.options.share;
        let (turn, _) = self.turn_and_cycle(pair);
        let index = match &self.shuffle {
            Some(shuffle) => shuffle.index(turn),
            None => self.options.order.index(self.options.seed, turn, share.len(self.len())),
        };
        self.entry(share.book_index(index, self.len()))
    }

    /// Returns the turn of a pair, and how often all openings that are used were played before it.
    pub fn turn_and_cycle(&self, pair: u64) -> (u64, u64) {
        let first = self.options.start - 1;
        match self.options.take {
            Some(_) => ((pair % self.usable()).wrapping_add(first), pair / self.usable()),
            None => {
                let turn = pair.wrapping_add(first);
                (turn, turn / self.usable())
            }
        }
    }

    /// Returns the number of openings that are used.
    pub fn usable(&self) -> u64 {
        let len = self.options.share.len(self.len());
        self.options.take.map_or(len, |take| take.clamp(1, len))
    }

    /// Returns the opening at an index of the book, starting from 0; the index wraps around at the end.
    pub fn entry(&self, index: u64) -> Result<Opening, BookError> {
        let index = index % self.len();
        let draft = self.draft(index)?;
        let (start, moves) = draft.to_uci(self.variant);
        Ok(Opening { index, label: draft.label, fen: start, moves, variant: self.variant })
    }

    /// Returns the position after the moves of an opening, and their number.
    pub fn end_position(&self, index: u64) -> Result<(Position, u64), BookError> {
        let draft = self.draft(index % self.len())?;
        Ok((draft.end, draft.moves.len() as u64))
    }

    fn draft(&self, index: u64) -> Result<Draft, BookError> {
        let offset = self.offsets.get(index);
        let draft = read_draft(&self.text, self.format, offset)
            .and_then(|draft| draft.checked(self.options.plies))
            .map_err(|entry| entry.reason);
        // Looked at after the reading: what was read before it is what the file still holds.
        let reason = match (self.text.changed(), draft) {
            (None, Ok(draft)) => return Ok(draft),
            (Some(reason), _) | (None, Err(reason)) => reason,
        };
        Err(BookError::Changed { path: self.path.clone(), index, reason })
    }

    /// Returns the number of openings.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> u64 {
        self.offsets.len()
    }

    /// Returns the SHA-256 of the file.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns the format of the book.
    pub fn format(&self) -> BookFormat {
        self.format
    }

    /// Returns the castling rules of all games from this book.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The number of invalid openings, and the first few of them.
#[derive(Default)]
struct BadEntries {
    count: u64,
    first: Vec<BadEntry>,
}

impl BadEntries {
    fn push(&mut self, entry: BadEntry) {
        const KEPT: usize = 5;
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(entry);
        }
    }
}

/// The offsets of the openings, four bytes each up to 4 GiB of text.
#[derive(Debug, Default)]
struct Offsets {
    narrow: Vec<u32>,
    wide: Vec<u64>,
}

impl Offsets {
    fn push(&mut self, offset: u64) {
        match u32::try_from(offset) {
            Ok(offset) => self.narrow.push(offset),
            Err(_) => self.wide.push(offset),
        }
    }

    fn len(&self) -> u64 {
        (self.narrow.len() + self.wide.len()) as u64
    }

    fn get(&self, index: u64) -> u64 {
        let index = index as usize;
        self.narrow
            .get(index)
            .map_or_else(|| self.wide[index - self.narrow.len()], |offset| u64::from(*offset))
    }
}
