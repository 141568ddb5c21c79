//! Reads the tags of PGN games without their moves: a million games in seconds.

use std::io::{self, BufRead};

use crate::chess::pgn::PgnResult;

/// Longest tag line that is read; of longer ones the start is.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The tags of one game that decide about its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTags {
    /// `White`.
    pub white: String,
    /// `Black`.
    pub black: String,
    /// `Round`.
    pub round: String,
    /// `Result`; `None` if there is no such tag, or its value is no result.
    pub result: Option<PgnResult>,
}

/// Reads games from a source, in memory that does not depend on its size.
///
/// Everything but tags is skipped without being understood, so that a file with unreadable moves still has its results.
/// Lines within comments are never taken for tags.
pub struct PgnTags<R> {
    source: R,
    line: Vec<u8>,
    in_comment: bool,
    /// A game has begun, and whether its moves have.
    current: GameTags,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Outside,
    Tags,
    Moves,
}

impl<R: BufRead> PgnTags<R> {
    /// Creates a reader at the start of a source.
    pub fn new(source: R) -> Self {
        let (line, current) = (Vec::new(), GameTags::default());
        Self { source, line, in_comment: false, current, stage: Stage::Outside }
    }

    /// Returns the tags of the next game, or `None` at the end.
    pub fn next_game(&mut self) -> io::Result<Option<GameTags>> {
        loop {
            let Some(first) = self.first_byte()? else {
                let ended = std::mem::replace(&mut self.stage, Stage::Outside);
                return Ok((ended != Stage::Outside).then(|| std::mem::take(&mut self.current)));
            };
            if first != b'[' || self.in_comment {
                self.skip_line()?;
                if self.stage == Stage::Tags && !first.is_ascii_whitespace() {
                    self.stage = Stage::Moves;
                }
                continue;
            }
            self.read_line()?;
            let Some((name, value)) = tag(&self.line) else { continue };
            let again = name == b"White" && !self.current.white.is_empty();
            let ended = (self.stage == Stage::Moves || again).then(|| std::mem::take(&mut self.current));
            self.stage = Stage::Tags;
            self.current.set(name, value);
            if ended.is_some() {
                return Ok(ended);
            }
        }
    }

    fn fill(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.source.fill_buf() {
                // Asked again below, because the borrow of a returned buffer would last beyond the loop.
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.source.fill_buf()
    }

    /// Returns the first byte of a line without consuming it.
    fn first_byte(&mut self) -> io::Result<Option<u8>> {
        Ok(self.fill()?.first().copied())
    }

    /// Skips the rest of a line and notes whether a comment is open at its end.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.fill()?;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let after_close = part.iter().rposition(|&byte| byte == b'}').map(|place| place + 1);
            let opens = part[after_close.unwrap_or(0)..].contains(&b'{');
            let (used, done) = (part.len() + usize::from(end.is_some()), end.is_some() || bytes.is_empty());
            self.in_comment = opens || self.in_comment && after_close.is_none();
            self.source.consume(used);
            if done {
                return Ok(());
            }
        }
    }

    /// Reads the rest of a line; of a very long one only the start is kept.
    fn read_line(&mut self) -> io::Result<()> {
        self.line.clear();
        loop {
            let room = MAX_LINE_BYTES - self.line.len();
            let bytes = match self.source.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let (used, done) = (part.len() + usize::from(end.is_some()), end.is_some() || bytes.is_empty());
            self.source.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}

impl GameTags {
    fn set(&mut self, name: &[u8], value: &[u8]) {
        let field = match name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            b"Round" => &mut self.round,
            b"Result" => {
                self.result = match value {
                    b"1-0" => Some(PgnResult::WhiteWins),
                    b"0-1" => Some(PgnResult::BlackWins),
                    b"1/2-1/2" => Some(PgnResult::Draw),
                    b"*" => Some(PgnResult::Unknown),
                    _ => None,
                };
                return;
            }
            _ => return,
        };
        // A backslash escapes a quotation mark or another backslash.
        let mut escaped = false;
        let plain: Vec<u8> = value
            .iter()
            .copied()
            .filter(|&byte| {
                escaped = byte == b'\\' && !escaped;
                !escaped
            })
            .collect();
        *field = String::from_utf8_lossy(&plain).into_owned();
    }
}

/// Splits `[Name "Value"]`.
fn tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = line.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii();
    let name_end = inner.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    let (name, value) = inner.split_at(name_end);
    let value = value.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    (!name.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<GameTags> {
        // A small buffer, so that lines cross its end.
        let mut reader = PgnTags::new(io::BufReader::with_capacity(7, text.as_bytes()));
        std::iter::from_fn(|| reader.next_game().unwrap()).collect()
    }

    fn game(white: &str, black: &str, result: Option<PgnResult>) -> GameTags {
        GameTags { white: white.to_owned(), black: black.to_owned(), round: String::new(), result }
    }

    #[test]
    fn tags_are_read_and_everything_else_is_skipped() {
        let won = Some(PgnResult::WhiteWins);
        for (name, text, expected) in [
            ("empty", "", vec![]),
            ("no tags", "1. e4 e5 *\n", vec![]),
            (
                "one game",
                "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n",
                vec![game("A", "B", won)],
            ),
            ("no moves", "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]", vec![game("A", "B", won)]),
            (
                "two games, line ends of DOS",
                "[White \"A\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 *\r\n\r\n[White \"B\"]\r\n\r\n*\r\n",
                vec![game("A", "", won), game("B", "", None)],
            ),
            (
                "tags one after the other",
                "[White \"A\"]\n[Result \"1-0\"]\n\n[White \"B\"]\n",
                vec![game("A", "", won), game("B", "", None)],
            ),
            (
                "a tag within a comment",
                "[White \"A\"]\n\n1. e4 {a } b {long\n[White \"X\"]\nstill}\n{x} e5 *\n[White \"B\"]\n",
                vec![game("A", "", None), game("B", "", None)],
            ),
            ("escapes", "[White \"A \\\"x\\\\\"]\n", vec![game("A \"x\\", "", None)]),
            ("not tags", "[White A]\n[]\n[\n[White \"A\"]\n[% x]\n", vec![game("A", "", None)]),
        ] {
            assert_eq!(games(text), expected, "{name}");
        }
    }

    #[test]
    fn a_very_long_line_costs_no_memory() {
        let text =
            format!("[White \"{}\"]\n[White \"A\"]\n1. e4 {}\n", "x".repeat(100_000), "e5 ".repeat(100_000));
        let mut reader = PgnTags::new(text.as_bytes());
        assert_eq!(reader.next_game().unwrap().unwrap().white, "A");
        assert!(reader.line.capacity() <= 2 * MAX_LINE_BYTES);
    }
}
