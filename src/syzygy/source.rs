//! The bytes of a table file, in memory or on disk.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::syzygy::Damage;
use crate::syzygy::checksum::{CHECKSUM_BYTES, MAX_PIECES, PIECE_BYTES, combine, hash_piece};

/// Files up to this size are compared with their checksum when they are opened, a tenth of a second at most; larger
/// ones have six men or more, and only their structure is checked. All tables of five men are smaller.
pub const CHECKED_BYTES: u64 = (MAX_PIECES * PIECE_BYTES + CHECKSUM_BYTES) as u64;

/// Files up to this size are kept in memory. All tables of three and four men, together 4.3 MB, are smaller.
const MEMORY_BYTES: u64 = 1 << 19;

/// The smallest table: one unit of 64 bytes and the checksum.
const MIN_BYTES: u64 = 64 + CHECKSUM_BYTES as u64;

/// A table file without the checksum at its end.
#[derive(Debug)]
pub(super) struct Source {
    contents: Contents,
    len: u64,
}

#[derive(Debug)]
enum Contents {
    Memory(Vec<u8>),
    File(File),
}

/// Checks the length of a table file.
pub(super) fn check_length(length: u64) -> Result<(), Damage> {
    let valid = length >= MIN_BYTES && length % 64 == CHECKSUM_BYTES as u64;
    if valid { Ok(()) } else { Err(Damage::Length(length)) }
}

impl Source {
    /// Opens a table file and compares it with its checksum, if it is small enough.
    pub(super) fn open(path: &Path) -> Result<Self, Damage> {
        let unreadable = |error: std::io::Error| Damage::Unreadable(error.to_string());
        // A pipe would make the opening wait for its writer.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Err(Damage::Unreadable("not a regular file".to_owned()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        check_length(length)?;
        let len = length - CHECKSUM_BYTES as u64;
        let source = Self { contents: Contents::File(file), len };
        if length > CHECKED_BYTES {
            return Ok(source);
        }
        let whole = source.checked_piece()?;
        let contents = if length <= MEMORY_BYTES { Contents::Memory(whole) } else { source.contents };
        Ok(Self { contents, len })
    }

    /// Compares the contents with the checksum and returns their last piece.
    fn checked_piece(&self) -> Result<Vec<u8>, Damage> {
        let (mut piece, mut hashes, mut at) = (Vec::new(), Vec::new(), 0);
        while at < self.len {
            let size = (self.len - at).min(PIECE_BYTES as u64);
            piece.resize(size as usize, 0);
            self.fill(at, &mut piece)?;
            hashes.extend(hash_piece(&piece));
            at += size;
        }
        let mut expected = [0; CHECKSUM_BYTES];
        self.fill(self.len, &mut expected)?;
        if combine(&hashes) == Some(expected) { Ok(piece) } else { Err(Damage::Checksum) }
    }

    fn fill(&self, at: u64, buffer: &mut [u8]) -> Result<(), Damage> {
        match &self.contents {
            Contents::File(file) => {
                file.read_exact_at(buffer, at).map_err(|error| Damage::Unreadable(error.to_string()))
            }
            Contents::Memory(bytes) => {
                let found = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..buffer.len()));
                buffer.copy_from_slice(found.ok_or(PAST_END)?);
                Ok(())
            }
        }
    }

    /// Returns the length of the contents.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Reads `buffer.len()` bytes; an error if they are not all within the contents.
    pub(super) fn read(&self, at: u64, buffer: &mut [u8]) -> Result<(), Damage> {
        let end = at.checked_add(buffer.len() as u64).ok_or(PAST_END)?;
        if end > self.len { Err(PAST_END) } else { self.fill(at, buffer) }
    }

    pub(super) fn u16(&self, at: u64) -> Result<u16, Damage> {
        let mut bytes = [0; 2];
        self.read(at, &mut bytes)?;
        Ok(u16::from_le_bytes(bytes))
    }

    pub(super) fn u32(&self, at: u64) -> Result<u32, Damage> {
        let mut bytes = [0; 4];
        self.read(at, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

const PAST_END: Damage = Damage::Structure("an offset is past the end of the file");

/// Reads the header of a table field by field.
pub(super) struct Cursor<'a> {
    source: &'a Source,
    at: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, at: 0 }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut bytes = [0; N];
        self.source.read(self.at, &mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn vec(&mut self, len: usize) -> Result<Vec<u8>, Damage> {
        let mut bytes = vec![0; len];
        self.source.read(self.at, &mut bytes)?;
        self.at += len as u64;
        Ok(bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Damage> {
        self.bytes().map(u32::from_le_bytes)
    }

    /// Moves on to a multiple of `unit`.
    pub(super) fn align(&mut self, unit: u64) {
        self.at = self.at.next_multiple_of(unit);
    }

    /// Moves on over `len` bytes and returns their place; an error if they are not all within the file.
    pub(super) fn skip(&mut self, len: u64) -> Result<u64, Damage> {
        let start = self.at;
        self.at = start.checked_add(len).filter(|&end| end <= self.source.len()).ok_or(PAST_END)?;
        Ok(start)
    }
}
