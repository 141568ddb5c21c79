//! Training positions on disk: 36 bytes each, a packed position, what a search said, and how the game ended.

use std::fmt;
use std::io::{self, BufRead, Write};

use crate::chess::{PackedPosition, Position};
use crate::game::GameResult;

/// The first bytes of a file of samples; the digit is the layout's version.
const MAGIC: &[u8; 8] = b"PSDATA1\n";
/// Packed position 32, score 2, result 1, one byte kept 0.
const RECORD: usize = PackedPosition::BYTES + 4;

/// A position to learn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub position: PackedPosition,
    /// White's score in centipawns by a search; `None` if nobody searched.
    pub score: Option<i16>,
    /// How its game ended.
    pub result: GameResult,
}

/// Results by their code, which is also White's half points.
const RESULTS: [GameResult; 3] = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];

/// The score that stands for none; no search reports it.
const NO_SCORE: i16 = i16::MIN;

impl Sample {
    /// A sample of `position`.
    pub fn new(position: &Position, score: Option<i16>, result: GameResult) -> Self {
        Self {
            position: PackedPosition::pack(position),
            score: score.filter(|&score| score != NO_SCORE),
            result,
        }
    }

    /// What White scored: 0, one half, 1.
    pub fn points(&self) -> f64 {
        f64::from(self.code()) / 2.0
    }

    fn code(&self) -> u8 {
        match self.result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
        }
    }

    fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        let (position, rest) = bytes.split_at_mut(PackedPosition::BYTES);
        position.copy_from_slice(&self.position.to_bytes());
        rest[..2].copy_from_slice(&self.score.unwrap_or(NO_SCORE).to_le_bytes());
        rest[2] = self.code();
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD]) -> Option<Self> {
        let (position, rest) = bytes.split_first_chunk()?;
        let score = i16::from_le_bytes([rest[0], rest[1]]);
        Some(Self {
            position: PackedPosition::from_bytes(position),
            score: Some(score).filter(|&score| score != NO_SCORE),
            result: *RESULTS.get(usize::from(rest[2]))?,
        })
    }
}

/// Writes samples behind each other.
pub struct SampleWriter<W>(W);

impl<W: Write> SampleWriter<W> {
    /// Starts a file.
    pub fn new(mut sink: W) -> io::Result<Self> {
        sink.write_all(MAGIC)?;
        Ok(Self(sink))
    }

    /// Goes on with a file that has its head already.
    pub const fn resume(sink: W) -> Self {
        Self(sink)
    }

    /// Writes one sample.
    pub fn write(&mut self, sample: Sample) -> io::Result<()> {
        self.0.write_all(&sample.to_bytes())
    }

    /// Hands everything to the sink's own sink.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Why bytes are no samples.
#[derive(Debug)]
pub enum NotSamples {
    /// The head is another one.
    Head,
    /// The record with this number, counted from 1, has no known result or is cut short.
    Record(u64),
    /// The bytes could not be read.
    Io(io::Error),
}

impl fmt::Display for NotSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => f.write_str("is no file of samples; `playself data make` writes them"),
            Self::Record(number) => write!(f, "record {number} is damaged or cut short; make the file again"),
            Self::Io(error) => write!(f, "could not be read: {error}"),
        }
    }
}

impl std::error::Error for NotSamples {}

/// Reads samples one by one; stops at the first that is none.
#[derive(Debug)]
pub struct SampleReader<R> {
    source: R,
    read: u64,
}

impl<R: BufRead> SampleReader<R> {
    /// Whether bytes that start like this are samples.
    pub fn recognises(head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    /// Opens a file, its head checked.
    pub fn new(mut source: R) -> Result<Self, NotSamples> {
        let mut head = [0; MAGIC.len()];
        match source.read_exact(&mut head) {
            Ok(()) if head == *MAGIC => Ok(Self { source, read: 0 }),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(NotSamples::Io(error)),
            _ => Err(NotSamples::Head),
        }
    }

    fn next_sample(&mut self) -> Result<Option<Sample>, NotSamples> {
        if self.source.fill_buf().map_err(NotSamples::Io)?.is_empty() {
            return Ok(None);
        }
        self.read += 1;
        let mut bytes = [0; RECORD];
        match self.source.read_exact(&mut bytes) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(NotSamples::Io(error)),
            Err(_) => Err(NotSamples::Record(self.read)),
            Ok(()) => Sample::from_bytes(&bytes).map(Some).ok_or(NotSamples::Record(self.read)),
        }
    }
}

impl<R: BufRead> Iterator for SampleReader<R> {
    type Item = Result<Sample, NotSamples>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_sample().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_back_as_they_were_written() {
        let samples = [
            Sample::new(&Position::startpos(), Some(-31), GameResult::Draw),
            Sample::new(&Position::startpos(), None, GameResult::BlackWins),
        ];
        let mut writer = SampleWriter::new(Vec::new()).unwrap();
        samples.iter().for_each(|sample| writer.write(*sample).unwrap());
        let bytes = writer.0;
        assert_eq!(bytes.len(), MAGIC.len() + 2 * RECORD);
        let read: Vec<_> = SampleReader::new(&bytes[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!(read, samples);
        let torn = SampleReader::new(&bytes[..bytes.len() - 1]).unwrap().nth(1).unwrap();
        assert!(matches!(torn, Err(NotSamples::Record(2))));
        assert!(matches!(SampleReader::new(&b"PSDATA9\n"[..]), Err(NotSamples::Head)));
    }
}
