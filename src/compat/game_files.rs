//! `-pgnout`, `-epdout` and `-crc32`: files that grow with every finished game.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::chess::{MoveStyle, Position};
use crate::compat::command::{FileArgs, MatchCommand};
use crate::compat::runner::Runner;
use crate::game::Variant;
use crate::journal::GameEntry;
use crate::report::pgn_text;
use crate::run::Plan;

/// The files of a command.
#[derive(Debug)]
pub(super) struct GameFiles {
    pgn: Option<(String, File)>,
    epd: Option<File>,
    crc: Option<crc32fast::Hasher>,
    runner: Runner,
}

impl GameFiles {
    /// Opens the files. A run that continues always appends.
    pub(super) fn open(command: &MatchCommand, resumed: bool) -> io::Result<Self> {
        let open = |args: &FileArgs| open_for_appending(args, resumed);
        let crc = match &command.pgn {
            Some(pgn) if pgn.crc => Some(checksum(&pgn.out.file, pgn.out.append || resumed)?),
            _ => None,
        };
        let pgn = command
            .pgn
            .as_ref()
            .map(|pgn| open(&pgn.out).map(|file| (pgn.out.file.display().to_string(), file)));
        let epd = command.epd.as_ref().map(open);
        Ok(Self { pgn: pgn.transpose()?, epd: epd.transpose()?, crc, runner: command.runner })
    }

    /// Writes a game, and returns the line with the checksum of the file.
    pub(super) fn write(&mut self, plan: &Plan, game: &GameEntry) -> io::Result<String> {
        let mut line = String::new();
        if let Some((name, file)) = &mut self.pgn {
            let text = pgn_text(plan, game).map_err(io::Error::other)?;
            file.write_all(text.as_bytes())?;
            if let Some(crc) = &mut self.crc {
                crc.update(text.as_bytes());
                line = format!("File {name} has CRC32: {:#x}\n", crc.clone().finalize());
            }
        }
        if let Some(file) = &mut self.epd {
            file.write_all(last_position(plan, game, self.runner).map_err(io::Error::other)?.as_bytes())?;
        }
        Ok(line)
    }
}

fn open_for_appending(args: &FileArgs, resumed: bool) -> io::Result<File> {
    let append = args.append || resumed;
    let file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(&args.file);
    file.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", args.file.display())))
}

fn checksum(path: &Path, append: bool) -> io::Result<crc32fast::Hasher> {
    let mut crc = crc32fast::Hasher::new();
    if append && path.exists() {
        let (mut file, mut part) = (File::open(path)?, vec![0; 1 << 16]);
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
fn last_position(plan: &Plan, game: &GameEntry, runner: Runner) -> Result<String, String> {
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
    Ok(match (runner, parts.next(), parts.next(), parts.next()) {
        (Runner::Fastchess, Some(full), Some(half), Some(board)) => {
            format!("{board} hmvc {half}; fmvn {full};\n")
        }
        _ => format!("{fen}\n"),
    })
}
