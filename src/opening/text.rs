//! The decompressed text of a book, readable at any offset without loading the whole file.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::opening::BookError;
use crate::store::{FileStamp, OutputStart, open_output, open_regular, write_output};

/// Text up to this size stays in memory. Longer text is written to an unlinked temporary file when it is decompressed, and
/// read from its own file otherwise.
const MEMORY_LIMIT: usize = 64 << 20;

/// The storage of the text.
#[derive(Debug)]
pub(super) enum Text {
    Memory(Vec<u8>),
    /// A temporary file that no other process can open.
    Private(File),
    /// The file of the book, which others may write to, and its stamp when it was opened.
    Shared(File, FileStamp),
}

/// The text of a book with the properties of its file.
#[derive(Debug)]
pub(super) struct BookText {
    pub(super) text: Text,
    /// The name of the file, or of the archive member, without the extension of the compression.
    pub(super) name: String,
    /// The SHA-256 of the file on disk.
    pub(super) sha256: [u8; 32],
}

impl BookText {
    /// Opens a plain, gzip, zstd or zip file, distinguished by its first bytes. Decompresses at most `limit` bytes.
    pub(super) fn open(path: &Path, limit: u64) -> Result<Self, BookError> {
        let unreadable = |source| BookError::Unreadable { path: path.to_owned(), source };
        let mut file = open_regular(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(unreadable(io::Error::other("not a regular file")));
        }
        let mut magic = [0; 4];
        let magic_len = FileExt::read_at(&file, &mut magic, 0).map_err(unreadable)?;
        let mut name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let is_plain =
            !matches!(&magic[..magic_len], [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] | [b'P', b'K', 3, 4]);
        if is_plain && metadata.len() <= MEMORY_LIMIT as u64 {
            return Self::in_memory(file, name).map_err(unreadable);
        }
        let stamp = FileStamp::of_open(&file).map_err(unreadable)?;
        let sha256 = digest(&mut file).map_err(unreadable)?;
        let from_start = || BufReader::new(Slice { text: &file, offset: 0 });
        let packing =
            |error: io::Error| BookError::Packing { path: path.to_owned(), reason: error.to_string() };
        let unpacked = match &magic[..magic_len] {
            [0x1f, 0x8b, ..] => unpack(MultiGzDecoder::new(from_start()), limit).map_err(packing)?,
            [0x28, 0xb5, 0x2f, 0xfd] => unpack(Frames::new(from_start()), limit).map_err(packing)?,
            [b'P', b'K', 3, 4] => {
                let (inner, text) = unpack_zip(&file, limit).map_err(packing)?;
                name = inner;
                text
            }
            _ => return Ok(Self { text: Text::Shared(file, stamp), name, sha256 }),
        };
        let text = unpacked.ok_or_else(|| BookError::TooBig { path: path.to_owned(), limit })?;
        for extension in [".gz", ".zst"] {
            name = name.strip_suffix(extension).unwrap_or(&name).to_owned();
        }
        Ok(Self { text, name, sha256 })
    }

    /// Reads a plain book into memory, where no program can write to it while it is used.
    fn in_memory(file: File, name: String) -> io::Result<Self> {
        let mut bytes = Vec::new();
        // A file that grows meanwhile is not read for ever.
        file.take(2 * MEMORY_LIMIT as u64).read_to_end(&mut bytes)?;
        Ok(Self { sha256: Sha256::digest(&bytes).into(), text: Text::Memory(bytes), name })
    }
}

impl Text {
    /// Returns why the text may no longer be the one that was opened, if so.
    pub(super) fn changed(&self) -> Option<String> {
        let Self::Shared(file, opened) = self else { return None };
        match FileStamp::of_open(file) {
            Ok(now) if now == *opened => None,
            Ok(_) => Some("the file was written to".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Returns a reader that starts at `offset`.
    pub(super) fn from(&self, offset: u64, buffer: usize) -> impl BufRead {
        BufReader::with_capacity(buffer, Slice { text: self, offset })
    }
}

/// A source that can be read at any offset without a shared position, so that threads can share it.
trait ReadAt {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }
}

impl ReadAt for Text {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Private(file) | Self::Shared(file, _) => FileExt::read_at(file, buffer, offset),
            Self::Memory(bytes) => {
                let start = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
                (&bytes[start..]).read(buffer)
            }
        }
    }
}

struct Slice<'a, T> {
    text: &'a T,
    offset: u64,
}

impl<T: ReadAt> Read for Slice<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

fn digest(file: &mut File) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes the text of a book to a file, compressed if its name ends in `.gz`. The same text gives the same bytes.
pub fn write_book(path: &Path, text: &str) -> io::Result<()> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return write_output(path, text.as_bytes());
    }
    let mut encoder = GzEncoder::new(open_output(path, OutputStart::Empty)?, Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()?.sync_all()
}

/// Reads all of `source`. Returns `None` if it is longer than `limit` bytes.
fn unpack(mut source: impl Read, limit: u64) -> io::Result<Option<Text>> {
    let mut memory = Vec::new();
    let mut spilled: Option<File> = None;
    let mut buffer = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        total += read as u64;
        if total > limit {
            return Ok(None);
        }
        match &mut spilled {
            Some(file) => file.write_all(&buffer[..read])?,
            None => memory.extend_from_slice(&buffer[..read]),
        }
        if memory.len() > MEMORY_LIMIT {
            let mut file = unlinked_file()?;
            file.write_all(&memory)?;
            memory = Vec::new();
            spilled = Some(file);
        }
    }
    Ok(Some(spilled.map_or(Text::Memory(memory), Text::Private)))
}

/// Creates a temporary file and unlinks it, so that no other process can open it and it disappears when it is closed.
fn unlinked_file() -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("playself-book-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Decompresses the only book of an archive and returns it with its name in the archive.
fn unpack_zip(file: &File, limit: u64) -> io::Result<(String, Option<Text>)> {
    let mut archive = ZipArchive::new(file).map_err(io::Error::other)?;
    let names: Vec<String> = archive.file_names().flatten().map(Cow::into_owned).collect();
    let has_book_extension = |name: &&String| {
        let lower = name.to_ascii_lowercase();
        [".epd", ".pgn", ".fen"].iter().any(|extension| lower.ends_with(extension))
    };
    let mut books = names.iter().filter(has_book_extension);
    let (Some(book), None) = (books.next(), books.next()) else {
        return Err(io::Error::other("an archive must contain exactly one .epd, .fen or .pgn file"));
    };
    let entry = archive.by_name(book).map_err(io::Error::other)?;
    Ok((book.clone(), unpack(entry, limit)?))
}

/// A reader over all frames of a zstd file; the decoder handles only a single frame.
struct Frames<R: BufRead> {
    source: Option<R>,
    frame: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        Self { source: Some(source), frame: None }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.source = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut source) = self.source.take() else { return Ok(0) };
            if source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.frame = Some(StreamingDecoder::new(source).map_err(io::Error::other)?);
        }
    }
}
