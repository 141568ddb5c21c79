//! A book of openings: checked whole when it is opened, then read one opening at a time.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::chess::Position;
use crate::opening::entry::{Opening, Variant};
use crate::opening::error::{BadEntry, BookError};
use crate::opening::formats::{BookFormat, Draft, read_draft, scan};
use crate::opening::order::Order;
use crate::opening::share::Share;
use crate::opening::text::{BookText, Text};

/// How a book is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookOptions {
    /// In which order.
    pub order: Order,
    /// Which of its openings.
    pub share: Share,
    /// What shuffles a random order.
    pub seed: u64,
    /// The first opening used, from 1.
    pub start: u64,
    /// The most moves of an opening that are played; all if `None`.
    pub plies: Option<u32>,
    /// The castling rules; if `None`, Chess960 as soon as one opening needs it.
    pub variant: Option<Variant>,
    /// The most bytes that a packed book may unpack to.
    pub unpacked_limit: u64,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            order: Order::Random,
            share: Share::Whole,
            seed: 0,
            start: 1,
            plies: None,
            variant: None,
            unpacked_limit: 2 << 30,
        }
    }
}

/// The SHA-256 of a book's file.
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

/// A book of openings.
///
/// [`Book::open`] reads it once from end to end and accepts it only if every opening is legal and can be played on.
/// What stays in memory is where each opening begins. Several threads may share a book.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    text: Text,
    format: BookFormat,
    offsets: Offsets,
    fingerprint: Fingerprint,
    options: BookOptions,
    variant: Variant,
}

impl Book {
    /// Opens a book, plain or packed; `format` may leave it to the file's name and content what it is.
    pub fn open(path: &Path, format: BookFormat, options: BookOptions) -> Result<Self, BookError> {
        let BookText { text, name, sha256 } = BookText::open(path, options.unpacked_limit)?;
        let unreadable = |source| BookError::Unreadable { path: path.to_owned(), source };
        let format = format.resolved(&name, &text).map_err(unreadable)?;
        let mut offsets = Offsets::default();
        let mut faults = Faults::default();
        let mut needs_960 = None;
        scan(&text, format, |place, draft| match draft.and_then(|draft| draft.checked(options.plies)) {
            Ok(draft) => {
                offsets.push(place.offset);
                if needs_960.is_none() && draft.needs_chess960() {
                    needs_960 = Some(place.line);
                }
            }
            Err(fault) => faults.note(fault),
        })
        .map_err(unreadable)?;
        if let (Some(Variant::Standard), Some(line)) = (options.variant, needs_960) {
            let reason = "castles as only Chess960 can, but standard chess was asked for".to_owned();
            faults.note(BadEntry { line, reason });
        }
        if faults.count > 0 {
            let Faults { count, first } = faults;
            return Err(BookError::BadEntries { path: path.to_owned(), count, first });
        }
        let len = options.share.len(offsets.len());
        if len == 0 {
            return Err(BookError::Empty { path: path.to_owned() });
        }
        if !(1..=len).contains(&options.start) {
            return Err(BookError::Start { path: path.to_owned(), start: options.start, len });
        }
        let variant = options.variant.unwrap_or(match needs_960 {
            Some(_) => Variant::Chess960,
            None => Variant::Standard,
        });
        let fingerprint = Fingerprint(sha256);
        Ok(Self { path: path.to_owned(), text, format, offsets, fingerprint, options, variant })
    }

    /// The opening of a pair: a function of the options' seed and of the pair's place in the schedule.
    pub fn opening(&self, pair: u64) -> Result<Opening, BookError> {
        let turn = pair.wrapping_add(self.options.start - 1);
        let share = self.options.share;
        let own = self.options.order.place(self.options.seed, turn, share.len(self.len()));
        self.entry(share.place(own, self.len()))
    }

    /// The opening at a place of the book, from 0; places past the end count from the first again.
    pub fn entry(&self, index: u64) -> Result<Opening, BookError> {
        let index = index % self.len();
        let draft = self.draft(index)?;
        let (start, moves) = draft.spelt(self.variant);
        Ok(Opening { index, label: draft.label, fen: start, moves, variant: self.variant })
    }

    /// The position in which the engines take over, and the moves made before it.
    pub fn taken_over(&self, index: u64) -> Result<(Position, u64), BookError> {
        let draft = self.draft(index % self.len())?;
        Ok((draft.end, draft.moves.len() as u64))
    }

    fn draft(&self, index: u64) -> Result<Draft, BookError> {
        let offset = self.offsets.get(index);
        read_draft(&self.text, self.format, offset)
            .and_then(|draft| draft.checked(self.options.plies))
            .map_err(|fault| BookError::Changed { path: self.path.clone(), index, reason: fault.reason })
    }

    /// How many openings.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> u64 {
        self.offsets.len()
    }

    /// The SHA-256 of the file.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// What the file is.
    pub fn format(&self) -> BookFormat {
        self.format
    }

    /// The castling rules of all its games.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Faulty openings: all counted, the first few kept.
#[derive(Default)]
struct Faults {
    count: u64,
    first: Vec<BadEntry>,
}

impl Faults {
    fn note(&mut self, fault: BadEntry) {
        const KEPT: usize = 5;
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(fault);
        }
    }
}

/// Where openings begin: four bytes each while the text is small enough, which all but the hugest are.
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
