//! `-pgnout`, `-epdout` and `-crc32`: files that grow with every finished game.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};

use crate::chess::{MoveStyle, Position};
use crate::compat::invocation::{FileArgs, Invocation};
use crate::compat::surface::Surface;
use crate::game::Variant;
use crate::journal::GameEntry;
use crate::report::pgn_text;
use crate::run::Plan;
use crate::store::{OutputStart, open_output};

/// The files of a command.
#[derive(Debug)]
pub(super) struct GameFiles {
    pgn: Option<GrowingFile>,
    epd: Option<GrowingFile>,
    crc: Option<crc32fast::Hasher>,
    surface: Surface,
    /// Games that have to wait for earlier ones: cutechess-cli writes them in the order of the schedule.
    early: BTreeMap<u64, String>,
    /// Number of the game that comes next in that order.
    next: u64,
}

impl GameFiles {
    /// Opens the files.
    pub(super) fn open(command: &Invocation) -> io::Result<Self> {
        let crc = match &command.pgn {
            Some(pgn) if pgn.crc => Some(checksum(&pgn.out)?),
            _ => None,
        };
        let pgn = command.pgn.as_ref().map(|pgn| GrowingFile::open(&pgn.out)).transpose()?;
        let epd = command.epd.as_ref().map(GrowingFile::open).transpose()?;
        Ok(Self { pgn, epd, crc, surface: command.surface, early: BTreeMap::new(), next: 1 })
    }

    /// Writes the game with this number, and returns the line with the checksum of the file. What cannot be written is
    /// tried again with the next game.
    pub(super) fn write(&mut self, plan: &Plan, number: u64, game: &GameEntry) -> io::Result<String> {
        if self.pgn.is_some() {
            let text = pgn_text(plan, game).map_err(io::Error::other)?;
            match self.surface {
                Surface::Fastchess => self.add(&text),
                Surface::Cutechess => {
                    self.early.insert(number, text);
                    while let Some(text) = self.early.remove(&self.next) {
                        self.add(&text);
                        self.next += 1;
                    }
                }
            }
        }
        if let Some(epd) = &mut self.epd {
            let position = last_position(plan, game, self.surface).map_err(io::Error::other)?;
            epd.add(&position);
        }
        self.flush()?;
        let line = |(file, crc): (&GrowingFile, &crc32fast::Hasher)| {
            format!("File {} has CRC32: {:#x}\n", file.name, crc.clone().finalize())
        };
        Ok(self.pgn.as_ref().zip(self.crc.as_ref()).map(line).unwrap_or_default())
    }

    /// Writes everything that still waits, also games whose predecessors were never finished.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for text in std::mem::take(&mut self.early).into_values() {
            self.add(&text);
        }
        self.flush()
    }

    fn add(&mut self, text: &str) {
        if let Some(pgn) = &mut self.pgn {
            pgn.add(text);
        }
        if let Some(crc) = &mut self.crc {
            crc.update(text.as_bytes());
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let [pgn, epd] =
            [&mut self.pgn, &mut self.epd].map(|file| file.as_mut().map_or(Ok(()), GrowingFile::flush));
        pgn.and(epd)
    }
}

/// A file to which texts are appended, with those that it did not take yet.
#[derive(Debug)]
struct GrowingFile {
    name: String,
    file: File,
    waiting: Vec<u8>,
}

impl GrowingFile {
    fn open(args: &FileArgs) -> io::Result<Self> {
        let FileArgs { file, append } = args;
        let name = file.display().to_string();
        let start = if *append { OutputStart::Append } else { OutputStart::Empty };
        let file = open_output(file, start).map_err(|error| named(&name, &error))?;
        Ok(Self { name, file, waiting: Vec::new() })
    }

    fn add(&mut self, text: &str) {
        self.waiting.extend_from_slice(text.as_bytes());
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            match self.file.write(&self.waiting) {
                Ok(0) => return Err(named(&self.name, &io::ErrorKind::WriteZero.into())),
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(named(&self.name, &error)),
            }
        }
        Ok(())
    }
}

fn named(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Returns the checksum of what a file already contains.
fn checksum(args: &FileArgs) -> io::Result<crc32fast::Hasher> {
    let mut crc = crc32fast::Hasher::new();
    if args.append && args.file.exists() {
        let (mut file, mut part) = (File::open(&args.file)?, vec![0; 1 << 16]);
        loop {
            match file.read(&mut part)? {
                0 => break,
                count => crc.update(&part[..count]),
            }
        }
    }
    Ok(crc)
}

/// Returns the position at the end of a game, as EPD with its counters or as FEN.
fn last_position(plan: &Plan, game: &GameEntry, surface: Surface) -> Result<String, String> {
    let record = game.unpack(plan.limits_of(game.white, game.black)).map_err(|error| error.to_string())?;
    let style = match record.variant {
        Variant::Standard => MoveStyle::Standard,
        Variant::Chess960 => MoveStyle::Chess960,
    };
    let mut position = Position::from_fen(&record.start_fen).map_err(|error| error.to_string())?;
    for ply in &record.moves {
        let mv = position.parse_coordinate(ply.mv.as_str(), style).map_err(|error| error.to_string())?;
        position = position.play(mv);
    }
    let fen = position.to_fen();
    let mut parts = fen.rsplitn(3, ' ');
    Ok(match (surface, parts.next(), parts.next(), parts.next()) {
        (Surface::Fastchess, Some(full), Some(half), Some(board)) => {
            format!("{board} hmvc {half}; fmvn {full};\n")
        }
        _ => format!("{fen}\n"),
    })
}
