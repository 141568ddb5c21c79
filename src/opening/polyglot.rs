//! Books of engines in the Polyglot format: moves with weights, by position.
//!
//! An entry has sixteen bytes, big-endian: the key of the position (8), the move (2), its weight (2) and four that no player
//! needs. Entries are sorted by key. A move is its target square (bits 0–5), its origin (6–11) and the promoted piece (12–14,
//! 1 for a knight to 4 for a queen); castling is the king's move to the square of its rook.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::chess::{Move, PieceKind, Position};
use crate::opening::order::mixed;
use crate::opening::polyglot_key::polyglot_key;
use crate::store::open_regular;

/// A book of moves for an engine, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolyglotBook {
    entries: Vec<Entry>,
}

type Entry = [u8; 16];

/// Reason why a book of an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolyglotError {
    /// The file cannot be read.
    #[error("book {}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The book.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The file is not a book of this format.
    #[error("book {}: {damage}", path.display())]
    Damaged {
        /// The book.
        path: PathBuf,
        /// What is wrong.
        damage: PolyglotDamage,
    },
}

/// What is wrong with the bytes of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolyglotDamage {
    /// No entry.
    #[error("it is empty")]
    Empty,
    /// More than is read into memory.
    #[error("it is larger than {} MiB", PolyglotBook::MAX_BYTES >> 20)]
    TooLarge,
    /// The last entry is incomplete.
    #[error("entries of a Polyglot book have 16 bytes, but the one at byte {offset} has only {len}")]
    Incomplete {
        /// Where the entry begins.
        offset: usize,
        /// The bytes that are left of it.
        len: usize,
    },
    /// An entry is out of order.
    #[error("it is not a Polyglot book: the key at byte {offset} is smaller than the one before")]
    Unsorted {
        /// Where the entry begins.
        offset: usize,
    },
}

impl PolyglotBook {
    /// The largest size of a book.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// Reads a book and checks its form.
    pub fn open(path: &Path) -> Result<Self, PolyglotError> {
        let mut bytes = Vec::new();
        open_regular(path)
            .and_then(|file| file.take(Self::MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|source| PolyglotError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&bytes).map_err(|damage| PolyglotError::Damaged { path: path.to_owned(), damage })
    }

    /// Reads the bytes of a book. Moves are checked when they are due: most are for positions that no game reaches.
    pub fn parse(bytes: &[u8]) -> Result<Self, PolyglotDamage> {
        let (entries, rest) = bytes.as_chunks();
        if bytes.len() as u64 > Self::MAX_BYTES {
            return Err(PolyglotDamage::TooLarge);
        }
        if !rest.is_empty() {
            return Err(PolyglotDamage::Incomplete { offset: bytes.len() - rest.len(), len: rest.len() });
        }
        if entries.is_empty() {
            return Err(PolyglotDamage::Empty);
        }
        match entries.windows(2).position(|pair| key_of(&pair[1]) < key_of(&pair[0])) {
            Some(at) => Err(PolyglotDamage::Unsorted { offset: (at + 1) * size_of::<Entry>() }),
            None => Ok(Self { entries: entries.to_vec() }),
        }
    }

    /// Returns the legal moves of the book in a position, with their weights. Entries that are no legal move are left out.
    pub fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let key = polyglot_key(position);
        let first = self.entries.partition_point(|entry| key_of(entry) < key);
        let found = self.entries[first..].iter().take_while(|entry| key_of(entry) == key);
        let legal = position.legal_moves();
        let read = |&[.., high, low, heavy, light, _, _, _, _]: &Entry| {
            let mv = legal_move(&legal, u16::from_be_bytes([high, low]))?;
            Some((mv, u16::from_be_bytes([heavy, light])))
        };
        found.filter_map(read).collect()
    }

    /// Chooses a move in a position, each with a probability proportional to its weight; `None` if the book has none. The
    /// choice follows from the seed and the number of half-moves played.
    pub fn choose(&self, position: &Position, seed: u64, plies: usize) -> Option<Move> {
        let moves = self.moves(position);
        let total: u64 = moves.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let random = mixed(seed ^ mixed(plies as u64));
        let mut left = ((u128::from(random) * u128::from(total)) >> 64) as u64;
        moves.into_iter().find_map(|(mv, weight)| match left.checked_sub(weight.into()) {
            None => Some(mv),
            Some(rest) => {
                left = rest;
                None
            }
        })
    }

    /// Returns the seed of the choices in all games from one opening, given its place in the schedule.
    pub fn choice_seed(run_seed: u64, place: u64) -> u64 {
        mixed(run_seed ^ mixed(place))
    }
}

fn key_of(entry: &Entry) -> u64 {
    let [key @ .., _, _, _, _, _, _, _, _] = *entry;
    u64::from_be_bytes(key)
}

/// Returns the legal move that the bits of an entry mean, if they mean one.
fn legal_move(legal: &[Move], bits: u16) -> Option<Move> {
    let square = |shift: u32| usize::from(bits >> shift & 63);
    let promotion = match bits >> 12 {
        0 => None,
        kind @ 1..=4 => Some(PieceKind::ALL[usize::from(kind)]),
        _ => return None,
    };
    let mut moves = legal.iter().copied();
    moves.find(|mv| (mv.from().index(), mv.to().index(), mv.promotion()) == (square(6), square(0), promotion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::MoveStyle;

    /// Returns an entry for a position; squares and promotion as in `e7e8q`, castling as king takes rook.
    fn entry(position: &Position, text: &str, weight: u16) -> Entry {
        let square = |at: usize| {
            let [file, rank] = [text.as_bytes()[at] - b'a', text.as_bytes()[at + 1] - b'1'];
            u16::from(file) | u16::from(rank) << 3
        };
        let promotion = text.chars().nth(4).map_or(0, |kind| " nbrq".find(kind).unwrap() as u16);
        raw(polyglot_key(position), square(2) | square(0) << 6 | promotion << 12, weight)
    }

    fn raw(key: u64, bits: u16, weight: u16) -> Entry {
        let mut entry = [0; 16];
        entry[..8].copy_from_slice(&key.to_be_bytes());
        entry[8..10].copy_from_slice(&bits.to_be_bytes());
        entry[10..12].copy_from_slice(&weight.to_be_bytes());
        entry
    }

    fn book(mut entries: Vec<Entry>) -> PolyglotBook {
        entries.sort_by_key(key_of);
        PolyglotBook::parse(&entries.concat()).unwrap()
    }

    fn texts(book: &PolyglotBook, position: &Position, style: MoveStyle) -> Vec<String> {
        book.moves(position).iter().map(|(mv, _)| position.coordinate(*mv, style)).collect()
    }

    #[test]
    fn castling_promotion_and_chess960_are_read_as_the_format_writes_them() {
        for (fen, written, style, read) in [
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", MoveStyle::Standard, "e1g1"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", MoveStyle::Standard, "e1c1"),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", MoveStyle::Standard, "a7a8n"),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", MoveStyle::Standard, "a7a8q"),
            ("4k3/8/8/8/8/8/8/1RK3R1 w GB - 0 1", "c1g1", MoveStyle::Chess960, "c1g1"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let book = book(vec![entry(&position, written, 1)]);
            assert_eq!(texts(&book, &position, style), [read], "{fen} {written}");
        }
    }

    #[test]
    fn entries_that_are_no_legal_move_are_left_out() {
        let start = Position::startpos();
        let key = polyglot_key(&start);
        let garbage = [0x0000, 0xffff, 0x7fff, 0x5000 | 12 << 6 | 28, 0x1000 | 12 << 6 | 28, 8 << 6 | 32];
        let mut entries: Vec<Entry> = garbage.into_iter().map(|bits| raw(key, bits, 50_000)).collect();
        let useless = book(entries.clone());
        assert!(useless.moves(&start).is_empty() && useless.choose(&start, 1, 0).is_none());
        entries.push(entry(&start, "e2e4", 1));
        let book = book(entries);
        for seed in 0..50 {
            let chosen = book.choose(&start, seed, 0).unwrap();
            assert_eq!(start.coordinate(chosen, MoveStyle::Standard), "e2e4");
        }
    }

    #[test]
    fn moves_are_chosen_by_weight_and_the_same_way_every_time() {
        let start = Position::startpos();
        let weights = [("e2e4", 6), ("d2d4", 3), ("c2c4", 1), ("a2a4", 0)];
        let book = book(weights.iter().map(|(mv, weight)| entry(&start, mv, *weight)).collect());
        let choice = |seed: u64, plies| {
            start.coordinate(book.choose(&start, seed, plies).unwrap(), MoveStyle::Standard)
        };
        for (by_seed, plies) in [(true, 0), (true, 7), (false, 0)] {
            let chosen: Vec<String> =
                (0..10_000).map(|n| if by_seed { choice(n, plies) } else { choice(9, n as usize) }).collect();
            for (mv, weight) in weights {
                let share = chosen.iter().filter(|chosen| *chosen == mv).count() as f64 / 1000.0;
                assert!((share - f64::from(weight)).abs() < 0.2, "{mv}: {share} of 10");
            }
        }
        assert_eq!(choice(77, 3), choice(77, 3));
        let unweighted = super::PolyglotBook::parse(&entry(&start, "e2e4", 0)).unwrap();
        assert_eq!(unweighted.choose(&start, 1, 0), None);
    }

    #[test]
    fn damaged_files_are_refused_with_their_place() {
        let start = Position::startpos();
        let good = [raw(1, 0, 1), raw(2, 0, 1), entry(&start, "e2e4", 1)].concat();
        let damage = |bytes: &[u8]| PolyglotBook::parse(bytes).unwrap_err();
        assert_eq!(damage(&[]), PolyglotDamage::Empty);
        assert_eq!(damage(&good[..37]), PolyglotDamage::Incomplete { offset: 32, len: 5 });
        let unsorted = [&good[16..], &good[..16]].concat();
        assert_eq!(damage(&unsorted), PolyglotDamage::Unsorted { offset: 32 });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        std::fs::write(&path, &good[..37]).unwrap();
        for (path, part) in [
            (path.as_path(), "book.bin: entries of a Polyglot book have 16 bytes, but the one at byte 32"),
            (folder.path(), "it is a directory"),
            (Path::new("/dev/zero"), "not a regular file"),
        ] {
            let error = PolyglotBook::open(path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
