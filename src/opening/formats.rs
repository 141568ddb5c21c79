//! Book formats, EPD and PGN, and the reading of openings from them.

use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize};

use crate::chess::{Epd, Move, MoveStyle, PgnGame, PgnProblem, PgnReader, Place, Position};
use crate::opening::entry::Variant;
use crate::opening::error::BadEntry;
use crate::opening::text::Text;

/// Maximum length of a line of an EPD book.
const MAX_LINE_BYTES: u64 = 16 * 1024;
const SCAN_BUFFER: usize = 1 << 16;
const ENTRY_BUFFER: usize = 1 << 12;

/// The format of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookFormat {
    /// Determined by the file name or, failing that, by the first characters.
    #[default]
    Guess,
    /// One position per line, in four or six fields, with operations; `#` starts a comment line.
    Epd,
    /// Games, whose moves are played before the first move of an engine.
    Pgn,
}

impl BookFormat {
    /// Replaces [`BookFormat::Guess`] by the format of this text.
    pub(super) fn resolved(self, name: &str, text: &Text) -> io::Result<Self> {
        let name = name.to_ascii_lowercase();
        let start = beginning(text)?;
        if start.contains(&0) {
            let reason = "it is not a text, so it is neither EPD nor PGN";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(match self {
            Self::Guess if name.ends_with(".pgn") => Self::Pgn,
            Self::Guess if name.ends_with(".epd") || name.ends_with(".fen") => Self::Epd,
            Self::Guess => Self::of_content(&start),
            known => known,
        })
    }

    /// Determines the format from the content: PGN starts with a tag, a comment or `1.`; a position does not.
    fn of_content(start: &[u8]) -> Self {
        let start = String::from_utf8_lossy(start);
        let start = start.trim_start_matches('\u{feff}').trim_start();
        let is_pgn = start.starts_with(['[', '{', ';', '%']) || start.starts_with("1.");
        if is_pgn { Self::Pgn } else { Self::Epd }
    }
}

/// Returns the first bytes of a text.
fn beginning(text: &Text) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    text.from(0, ENTRY_BUFFER).take(ENTRY_BUFFER as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// A parsed opening: legal, but possibly one that ends the game.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    line: u64,
    pub(super) label: String,
    start: Position,
    pub(super) moves: Vec<Move>,
    /// The position after the moves.
    pub(super) end: Position,
}

impl Draft {
    fn of_epd(line: u64, text: &str) -> Result<Self, BadEntry> {
        let epd = Epd::parse(text).map_err(|error| BadEntry { line, reason: error.to_string() })?;
        let label = epd.operands("id").map_or_else(String::new, |operands| clean_label(&operands.join(" ")));
        let start = epd.position;
        Ok(Self { line, label, start, moves: Vec::new(), end: start })
    }

    fn of_pgn(line: u64, game: &PgnGame) -> Self {
        let names: Vec<&str> = ["ECO", "Opening", "Variation"]
            .iter()
            .filter_map(|tag| game.tag(tag))
            .filter(|tag| *tag != "?")
            .collect();
        let moves = game.moves.iter().map(|played| played.mv).collect();
        Self { line, label: clean_label(&names.join(" ")), start: game.start, moves, end: game.start }
    }

    /// Truncates and plays the moves. Returns an error if the game is over after them.
    pub(super) fn checked(mut self, plies: Option<u32>) -> Result<Self, BadEntry> {
        self.moves.truncate(plies.map_or(usize::MAX, |plies| plies as usize));
        self.end = self.moves.iter().fold(self.start, |position, mv| position.play(*mv));
        let how = match () {
            () if !self.end.has_legal_move() && self.end.in_check() => "checkmate",
            () if !self.end.has_legal_move() => "stalemate",
            () if self.end.has_insufficient_material() => "a draw by insufficient material",
            () => return Ok(self),
        };
        Err(BadEntry { line: self.line, reason: format!("the opening ends in {how}") })
    }

    pub(super) fn needs_chess960(&self) -> bool {
        self.start.is_chess960()
    }

    /// Returns the FEN and the moves in UCI notation.
    pub(super) fn to_uci(&self, variant: Variant) -> (String, Vec<String>) {
        let style = match variant {
            Variant::Standard => MoveStyle::Standard,
            Variant::Chess960 => MoveStyle::Chess960,
        };
        let mut position = self.start;
        let write_move = |mv: &Move| {
            let text = position.coordinate(*mv, style);
            position = position.play(*mv);
            text
        };
        (self.start.to_fen(), self.moves.iter().map(write_move).collect())
    }
}

/// Returns a label without control characters, of at most 128 characters.
fn clean_label(label: &str) -> String {
    label.chars().filter(|letter| !letter.is_control()).take(128).collect::<String>().trim().to_owned()
}

/// Calls `visit` with every opening of a text and its place, invalid ones included.
pub(super) fn scan(
    text: &Text,
    format: BookFormat,
    mut visit: impl FnMut(Place, Result<Draft, BadEntry>),
) -> io::Result<()> {
    match format {
        BookFormat::Pgn => {
            let mut reader = PgnReader::new(text.from(0, SCAN_BUFFER));
            while let Some(game) = reader.next() {
                let place = reader.game_place();
                match game {
                    Ok(game) => visit(place, Ok(Draft::of_pgn(place.line, &game))),
                    Err(error) => match error.problem {
                        PgnProblem::Unreadable(error) => return Err(error),
                        _ => visit(place, Err(bad_game(&error))),
                    },
                }
            }
            Ok(())
        }
        BookFormat::Epd | BookFormat::Guess => {
            let mut lines =
                EpdLines { source: text.from(0, SCAN_BUFFER), place: Place::START, line: Vec::new() };
            while let Some((place, line)) = lines.next_line()? {
                visit(place, line.and_then(|line| Draft::of_epd(place.line, &line)));
            }
            Ok(())
        }
    }
}

/// Reads the opening at an offset that [`scan`] reported.
pub(super) fn read_draft(text: &Text, format: BookFormat, offset: u64) -> Result<Draft, BadEntry> {
    let place = Place { offset, line: 1 };
    let bad_entry = |reason: String| BadEntry { line: 1, reason };
    let source = text.from(offset, ENTRY_BUFFER);
    match format {
        BookFormat::Pgn => match PgnReader::starting_at(source, place).next() {
            Some(Ok(game)) => Ok(Draft::of_pgn(1, &game)),
            Some(Err(error)) => Err(bad_game(&error)),
            None => Err(bad_entry("the file ends before it".to_owned())),
        },
        BookFormat::Epd | BookFormat::Guess => {
            let mut lines = EpdLines { source, place, line: Vec::new() };
            match lines.next_line().map_err(|error| bad_entry(error.to_string()))? {
                Some((_, line)) => line.and_then(|line| Draft::of_epd(1, &line)),
                None => Err(bad_entry("the file ends before it".to_owned())),
            }
        }
    }
}

fn bad_game(error: &crate::chess::PgnError) -> BadEntry {
    let message = error.to_string();
    let prefix = format!("line {}: ", error.line);
    BadEntry { line: error.line, reason: message.strip_prefix(&prefix).unwrap_or(&message).to_owned() }
}

/// Reads the lines of an EPD text that contain a position.
struct EpdLines<R> {
    source: R,
    place: Place,
    line: Vec<u8>,
}

impl<R: BufRead> EpdLines<R> {
    fn next_line(&mut self) -> io::Result<Option<(Place, Result<String, BadEntry>)>> {
        loop {
            let place = self.place;
            self.line.clear();
            let mut read = (&mut self.source).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line)? as u64;
            if read == 0 {
                return Ok(None);
            }
            let whole = self.line.ends_with(b"\n") || read < MAX_LINE_BYTES;
            if !whole {
                read += self.source.skip_until(b'\n')? as u64;
            }
            self.place = Place { offset: place.offset + read, line: place.line + 1 };
            if !whole {
                let reason = format!("the line is longer than {MAX_LINE_BYTES} bytes");
                return Ok(Some((place, Err(BadEntry { line: place.line, reason }))));
            }
            let text = String::from_utf8_lossy(&self.line);
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.contains('\r') {
                let reason = "a carriage return inside the line; lines end with a line feed".to_owned();
                return Ok(Some((place, Err(BadEntry { line: place.line, reason }))));
            }
            if !text.is_empty() && !text.starts_with('#') {
                return Ok(Some((place, Ok(text.to_owned()))));
            }
        }
    }
}
