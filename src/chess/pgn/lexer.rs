//! Lexer for PGN: splits the bytes of a file into tags, words and comments, with their places.

use std::io::{self, BufRead};

use crate::chess::fen::truncated;
use crate::chess::pgn::{PgnError, PgnProblem, PgnResult};

/// A location in a PGN file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The byte offset.
    pub offset: u64,
    /// The line, starting from 1.
    pub line: u64,
}

impl Place {
    /// The start of a file.
    pub const START: Self = Self { offset: 0, line: 1 };
}

/// A token of move text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word that may be a move, and the annotation glyph of its `!` and `?` marks.
    Move(String, Option<u8>),
    Comment(String),
    Nag(u8),
    OpenVariation,
    CloseVariation,
    Result(PgnResult),
    /// Any other word; an error in the main line, ignored in a variation.
    Other(String),
    /// `[` at the start of a line: the next game begins; not consumed.
    NextGame,
    EndOfInput,
}

/// Maximum length of a move with its number and marks; longer words are not moves.
const MAX_WORD_BYTES: usize = 64;
/// Maximum length of a tag name.
const MAX_NAME_BYTES: usize = 255;
/// Maximum length of a tag value; longer comments are truncated to this length.
pub(super) const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Splits a source into tokens; holds at most one token in memory.
pub(super) struct Lexer<R> {
    source: R,
    place: Place,
    /// No byte of the line has been read yet.
    at_line_start: bool,
    /// Only white space of the line has been read yet.
    only_blanks: bool,
    /// A word that was read ahead and not yet returned as a token.
    pending_word: Option<String>,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(source: R, place: Place) -> Self {
        Self { source, place, at_line_start: true, only_blanks: true, pending_word: None }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    fn error(&self, problem: PgnProblem) -> PgnError {
        PgnError::new(self.place.line, problem)
    }

    /// Returns the next byte without consuming it.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, PgnError> {
        loop {
            match self.source.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(PgnError::new(self.place.line, PgnProblem::Unreadable(error))),
            }
        }
    }

    fn bump(&mut self, byte: u8) {
        self.source.consume(1);
        self.place.offset += 1;
        self.at_line_start = byte == b'\n';
        if byte == b'\n' {
            self.place.line += 1;
            self.only_blanks = true;
        } else if !byte.is_ascii_whitespace() {
            self.only_blanks = false;
        }
    }

    fn next_byte(&mut self) -> Result<Option<u8>, PgnError> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.bump(byte);
        }
        Ok(byte)
    }

    /// Skips a byte-order mark. An incomplete mark is skipped as well.
    pub(super) fn skip_byte_order_mark(&mut self) -> Result<(), PgnError> {
        for byte in [0xef, 0xbb, 0xbf] {
            if self.peek()? != Some(byte) {
                break;
            }
            self.source.consume(1);
            self.place.offset += 1;
        }
        Ok(())
    }

    pub(super) fn skip_line(&mut self) -> Result<(), PgnError> {
        while let Some(byte) = self.next_byte()? {
            if byte == b'\n' {
                break;
            }
        }
        Ok(())
    }

    /// Skips white space and lines escaped by `%` in the first column. Returns the next byte without consuming it.
    pub(super) fn skip_blanks(&mut self) -> Result<Option<u8>, PgnError> {
        loop {
            match self.peek()? {
                Some(b'%') if self.at_line_start => self.skip_line()?,
                Some(byte) if byte.is_ascii_whitespace() || byte == 0 => self.bump(byte),
                other => return Ok(other),
            }
        }
    }

    fn skip_spaces(&mut self) -> Result<Option<u8>, PgnError> {
        while let Some(byte @ (b' ' | b'\t')) = self.peek()? {
            self.bump(byte);
        }
        self.peek()
    }

    /// Reads a tag pair whose `[` is the next byte.
    pub(super) fn tag(&mut self) -> Result<(String, String), PgnError> {
        let line = self.place.line;
        let malformed = || PgnError::new(line, PgnProblem::Tag);
        self.next_byte()?;
        self.skip_spaces()?;
        let mut name = String::new();
        while let Some(byte) = self.peek()?.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            if name.len() == MAX_NAME_BYTES {
                return Err(malformed());
            }
            name.push(byte as char);
            self.bump(byte);
        }
        if name.is_empty() || self.skip_spaces()? != Some(b'"') {
            return Err(malformed());
        }
        self.bump(b'"');
        let value = self.quoted().and_then(|value| value.ok_or_else(malformed))?;
        if self.skip_spaces()? != Some(b']') {
            return Err(malformed());
        }
        self.bump(b']');
        Ok((name, value))
    }

    /// Reads the rest of a quoted string up to its closing quote. Returns `None` if the line ends first.
    fn quoted(&mut self) -> Result<Option<String>, PgnError> {
        let mut value = Vec::new();
        loop {
            let byte = match self.peek()? {
                None | Some(b'\n' | b'\r') => return Ok(None),
                Some(byte) => byte,
            };
            self.bump(byte);
            match byte {
                b'"' => return Ok(Some(decoded(value))),
                b'\\' => match self.peek()? {
                    Some(escaped @ (b'"' | b'\\')) => {
                        self.bump(escaped);
                        value.push(escaped);
                    }
                    _ => value.push(byte),
                },
                _ => value.push(byte),
            }
            if value.len() > MAX_TEXT_BYTES {
                return Err(self.error(PgnProblem::TooMuch { what: "bytes in a tag", limit: MAX_TEXT_BYTES }));
            }
        }
    }

    /// Reads the next token of move text.
    pub(super) fn token(&mut self) -> Result<Token, PgnError> {
        loop {
            let word = match self.pending_word.take() {
                Some(word) => word,
                None => match self.marked_token()? {
                    Some(token) => return Ok(token),
                    None => self.word()?,
                },
            };
            if let Some(token) = classify(&word) {
                return Ok(token);
            }
        }
    }

    /// Reads the next token if its first byte determines its kind. Returns `None` if the next token is a word.
    fn marked_token(&mut self) -> Result<Option<Token>, PgnError> {
        let Some(byte) = self.skip_blanks()? else { return Ok(Some(Token::EndOfInput)) };
        let token = match byte {
            b'[' if self.only_blanks => Token::NextGame,
            b'{' => Token::Comment(self.comment()?),
            b';' => Token::Comment(self.line_comment()?),
            b'$' => self.nag()?,
            b'(' => {
                self.bump(byte);
                Token::OpenVariation
            }
            b')' => {
                self.bump(byte);
                Token::CloseVariation
            }
            _ => return Ok(None),
        };
        Ok(Some(token))
    }

    /// Reads a word and returns whether it is a move number, which starts a game without tags. If it is, the word is
    /// kept as the next token.
    pub(super) fn move_number_is_next(&mut self) -> Result<bool, PgnError> {
        let word = self.word()?;
        let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_number = rest.len() < word.len() && rest.starts_with('.');
        self.pending_word = is_number.then_some(word);
        Ok(is_number)
    }

    /// Reads a comment whose `{` is the next byte, with white space collapsed to single spaces.
    pub(super) fn comment(&mut self) -> Result<String, PgnError> {
        let line = self.place.line;
        self.next_byte()?;
        let mut text = Vec::new();
        loop {
            match self.next_byte()? {
                None => return Err(PgnError::new(line, PgnProblem::UnclosedComment)),
                Some(b'}') => return Ok(one_line(text)),
                Some(byte) if text.len() < MAX_TEXT_BYTES => text.push(byte),
                Some(_) => {}
            }
        }
    }

    fn line_comment(&mut self) -> Result<String, PgnError> {
        self.next_byte()?;
        let mut text = Vec::new();
        while let Some(byte) = self.next_byte()?.filter(|byte| *byte != b'\n') {
            if text.len() < MAX_TEXT_BYTES {
                text.push(byte);
            }
        }
        Ok(one_line(text))
    }

    fn nag(&mut self) -> Result<Token, PgnError> {
        self.next_byte()?;
        let mut number = None;
        while let Some(byte) = self.peek()?.filter(u8::is_ascii_digit) {
            self.bump(byte);
            number = Some((number.unwrap_or(0) * 10 + u32::from(byte - b'0')).min(1000));
        }
        match number.and_then(|number| u8::try_from(number).ok()) {
            Some(number) => Ok(Token::Nag(number)),
            None => Err(self.error(PgnProblem::Nag)),
        }
    }

    /// Reads a run of bytes up to white space or a byte that starts another token; consumes at least one byte. Only the
    /// start of an overlong word is kept, which is still too long to be a move.
    fn word(&mut self) -> Result<String, PgnError> {
        let mut word = Vec::new();
        while let Some(byte) = self.peek()? {
            let ends = byte.is_ascii_whitespace() || b"{}()[];$\"".contains(&byte);
            if ends && !word.is_empty() {
                break;
            }
            self.bump(byte);
            if word.len() <= MAX_WORD_BYTES {
                word.push(byte);
            }
            if ends {
                break;
            }
        }
        Ok(decoded(word))
    }
}

/// Classifies a word of move text. Returns `None` for a move number, dots or `e.p.`, which are ignored.
fn classify(word: &str) -> Option<Token> {
    if let Some(result) = PgnResult::from_text(word) {
        return Some(Token::Result(result));
    }
    let after_digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = if after_digits.is_empty() || after_digits.starts_with('.') {
        after_digits.trim_start_matches('.')
    } else {
        word
    };
    if rest.is_empty() || rest == "e.p." {
        return None;
    }
    let bare = rest.trim_end_matches(['!', '?']);
    let nag = match &rest[bare.len()..] {
        "" => None,
        "!" => Some(1),
        "?" => Some(2),
        "!!" => Some(3),
        "??" => Some(4),
        "!?" => Some(5),
        "?!" => Some(6),
        _ => return Some(Token::Other(truncated(word))),
    };
    let is_move =
        bare.len() <= MAX_WORD_BYTES && bare.starts_with(|first: char| first.is_ascii_alphanumeric());
    Some(match (bare, nag) {
        ("", Some(nag)) => Token::Nag(nag),
        _ if is_move => Token::Move(bare.to_owned(), nag),
        _ => Token::Other(truncated(word)),
    })
}

/// Decodes text as UTF-8 or, if it is invalid, as Latin-1, the encoding of older PGN files.
fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

fn one_line(bytes: Vec<u8>) -> String {
    decoded(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}
