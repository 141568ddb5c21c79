//! Files of training positions: 36 bytes per position, with the score of a search and the result of the game.

use std::fmt;
use std::io::{self, BufRead, Write};

use crate::chess::{PackedPosition, Position};
use crate::game::GameResult;

/// The first bytes of a file of samples; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"PSDATA1\n";
/// Size of a record: packed position 32 bytes, score 2, result 1, and 1 for the first position of a game (otherwise 0; always
/// 0 in older files).
const RECORD: usize = PackedPosition::BYTES + 4;

/// A training position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub position: PackedPosition,
    /// White's score of a search, in centipawns; `None` if the position was not searched.
    pub score: Option<i16>,
    /// Result of the game.
    pub result: GameResult,
    /// Number of the game among those that were read together.
    pub game: u32,
}

/// Results by their code, which is the number of White's half points.
const RESULTS: [GameResult; 3] = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];

/// The stored score of a sample without one; no search returns it.
const NO_SCORE: i16 = i16::MIN;

impl Sample {
    /// Creates a sample of `position` in game 0.
    pub fn new(position: &Position, score: Option<i16>, result: GameResult) -> Self {
        Self {
            position: PackedPosition::pack(position),
            score: score.filter(|&score| score != NO_SCORE),
            result,
            game: 0,
        }
    }

    /// Returns White's points: 0, 0.5 or 1.
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

    fn to_bytes(self, place: Place) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        let (position, rest) = bytes.split_at_mut(PackedPosition::BYTES);
        position.copy_from_slice(&self.position.to_bytes());
        rest[..2].copy_from_slice(&self.score.unwrap_or(NO_SCORE).to_le_bytes());
        rest[2] = self.code();
        rest[3] = u8::from(place == Place::First);
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD]) -> Option<(Self, Place)> {
        let (position, rest) = bytes.split_first_chunk()?;
        let score = i16::from_le_bytes([rest[0], rest[1]]);
        let sample = Self {
            position: PackedPosition::from_bytes(position),
            score: Some(score).filter(|&score| score != NO_SCORE),
            result: *RESULTS.get(usize::from(rest[2]))?,
            game: 0,
        };
        Some((sample, if rest[3] == 0 { Place::Later } else { Place::First }))
    }
}

/// Where in its game a position occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    First,
    Later,
}

/// Writes a file of samples.
pub struct SampleWriter<W>(W);

impl<W: Write> SampleWriter<W> {
    /// Starts a file: writes the header.
    pub fn new(mut sink: W) -> io::Result<Self> {
        sink.write_all(MAGIC)?;
        Ok(Self(sink))
    }

    /// Continues a file that already has a header.
    pub const fn resume(sink: W) -> Self {
        Self(sink)
    }

    /// Writes the samples of one game.
    pub fn write_game(&mut self, samples: &[Sample]) -> io::Result<()> {
        let places = std::iter::once(Place::First).chain(std::iter::repeat(Place::Later));
        samples.iter().zip(places).try_for_each(|(sample, place)| self.0.write_all(&sample.to_bytes(place)))
    }

    /// Flushes the underlying writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Why a file of samples could not be read.
#[derive(Debug)]
pub enum SampleError {
    /// The header is not that of a file of samples.
    Header,
    /// The record with this number, counted from 1, has an invalid result or is incomplete.
    Record(u64),
    /// Reading failed.
    Io(io::Error),
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("not a file of samples; create one with `playself data make`"),
            Self::Record(number) => {
                write!(f, "record {number} is damaged or incomplete; create the file again")
            }
            Self::Io(error) => write!(f, "cannot read: {error}"),
        }
    }
}

impl std::error::Error for SampleError {}

/// Reads samples one by one.
#[derive(Debug)]
pub struct SampleReader<R> {
    source: R,
    read: u64,
    games: GameCounter,
    is_marked: bool,
}

/// Numbers games of which only the positions are known, in order.
///
/// Pieces never come back in a game, and its result does not change. A list in random order thus becomes games of few
/// positions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameCounter {
    games: u32,
    last: Option<(u32, GameResult)>,
}

impl GameCounter {
    /// Returns the sample with the number of its game.
    pub(super) fn number(&mut self, sample: Sample) -> Sample {
        let men = sample.position.men();
        if self.last.is_some_and(|(last, result)| men > last || result != sample.result) {
            self.games += 1;
        }
        self.last = Some((men, sample.result));
        Sample { game: self.games, ..sample }
    }

    /// Returns the sample with the number of the game that was begun last.
    pub(super) fn of_this(&mut self, sample: Sample) -> Sample {
        self.last = Some((sample.position.men(), sample.result));
        Sample { game: self.games, ..sample }
    }

    /// Begins another game.
    pub(super) fn begin(&mut self) {
        self.games += u32::from(self.last.take().is_some());
    }
}

impl<R: BufRead> SampleReader<R> {
    /// Whether a file that starts with `header` is a file of samples.
    pub fn recognises(header: &[u8]) -> bool {
        header.starts_with(MAGIC)
    }

    /// Opens a file and checks its header.
    pub fn new(mut source: R) -> Result<Self, SampleError> {
        let mut header = [0; MAGIC.len()];
        match source.read_exact(&mut header) {
            Ok(()) if header == *MAGIC => {
                Ok(Self { source, read: 0, games: GameCounter::default(), is_marked: false })
            }
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(SampleError::Io(error)),
            _ => Err(SampleError::Header),
        }
    }

    fn next_sample(&mut self) -> Result<Option<Sample>, SampleError> {
        if self.source.fill_buf().map_err(SampleError::Io)?.is_empty() {
            return Ok(None);
        }
        self.read += 1;
        let mut bytes = [0; RECORD];
        match self.source.read_exact(&mut bytes) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(SampleError::Io(error)),
            Err(_) => Err(SampleError::Record(self.read)),
            Ok(()) => self.numbered(&bytes).map(Some).ok_or(SampleError::Record(self.read)),
        }
    }
}

impl<R> SampleReader<R> {
    fn numbered(&mut self, bytes: &[u8; RECORD]) -> Option<Sample> {
        let (sample, place) = Sample::from_bytes(bytes)?;
        self.is_marked |= place == Place::First;
        if !self.is_marked {
            return Some(self.games.number(sample));
        }
        if place == Place::First {
            self.games.begin();
        }
        Some(self.games.of_this(sample))
    }
}

impl<R: BufRead> Iterator for SampleReader<R> {
    type Item = Result<Sample, SampleError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_sample().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_samples_are_read_and_damaged_files_are_refused() {
        let samples = [
            Sample::new(&Position::startpos(), Some(-31), GameResult::Draw),
            Sample::new(&Position::startpos(), None, GameResult::BlackWins),
        ];
        let mut writer = SampleWriter::new(Vec::new()).unwrap();
        writer.write_game(&samples[..1]).unwrap();
        writer.write_game(&samples[1..]).unwrap();
        let bytes = writer.0;
        assert_eq!(bytes.len(), MAGIC.len() + 2 * RECORD);
        let read: Vec<_> = SampleReader::new(&bytes[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!(read, [samples[0], Sample { game: 1, ..samples[1] }]);
        let torn = SampleReader::new(&bytes[..bytes.len() - 1]).unwrap().nth(1).unwrap();
        assert!(matches!(torn, Err(SampleError::Record(2))));
        assert!(matches!(SampleReader::new(&b"PSDATA9\n"[..]), Err(SampleError::Header)));
    }

    #[test]
    fn games_are_separated_with_and_without_marks() {
        let fens = ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"];
        let [more, less] =
            fens.map(|fen| Sample::new(&Position::from_fen(fen).unwrap(), None, GameResult::Draw));
        let mut marked = SampleWriter::new(Vec::new()).unwrap();
        marked.write_game(&[more, more, less]).unwrap();
        marked.write_game(&[less, less]).unwrap();
        let games = |bytes: &[u8]| -> Vec<u32> {
            SampleReader::new(bytes).unwrap().map(|sample| sample.unwrap().game).collect()
        };
        assert_eq!(games(&marked.0), [0, 0, 0, 1, 1]);
        // A file without marks: a piece that comes back belongs to another game.
        let mut bytes = MAGIC.to_vec();
        [more, less, more, less].iter().for_each(|sample| bytes.extend(sample.to_bytes(Place::Later)));
        assert_eq!(games(&bytes), [0, 0, 1, 1]);
    }
}
