//! The bytes of a PGN file as tags, words and comments, with their places.

use std::io::{self, BufRead};

use crate::chess::fen::shortened;
use crate::chess::pgn::{PgnError, PgnProblem, PgnResult};

/// A place in a PGN file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Its line, from 1.
    pub line: u64,
}

impl Place {
    /// The first byte of a file.
    pub const START: Self = Self { offset: 0, line: 1 };
}

/// A piece of movetext.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word that should be a move, and the annotation of its `!` and `?` marks.
    Move(String, Option<u8>),
    Comment(String),
    Nag(u8),
    OpenVariation,
    CloseVariation,
    Result(PgnResult),
    /// A word that cannot be any of these; a fault in the main line, of no account in a variation.
    Other(String),
    /// `[` at the start of a line: the next game begins; not consumed.
    NextGame,
    EndOfInput,
}

/// The longest word that can be a move with its number and marks; longer ones are refused.
const LONGEST_WORD: usize = 64;
/// The longest tag name and value, and the part of a comment that is kept.
const LONGEST_NAME: usize = 255;
pub(super) const LONGEST_TEXT: usize = 64 * 1024;

/// Splits a source into tokens; holds no more than one of them.
pub(super) struct Lexer<R> {
    source: R,
    place: Place,
    /// Nothing of the line has been read yet.
    at_line_start: bool,
    /// Nothing but white space of the line has been read yet.
    only_blanks: bool,
    /// A word that was read to see what follows, and still is to be taken as a token.
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

    /// The next byte, not consumed.
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

    /// Skips a byte-order mark; a file that only looks like having one loses at most its first letters.
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

    /// Skips white space and lines that `%` in the first column hides; tells the byte that follows.
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

    /// A tag pair whose `[` is the next byte.
    pub(super) fn tag(&mut self) -> Result<(String, String), PgnError> {
        let line = self.place.line;
        let broken = || PgnError::new(line, PgnProblem::Tag);
        self.next_byte()?;
        self.skip_spaces()?;
        let mut name = String::new();
        while let Some(byte) = self.peek()?.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            if name.len() == LONGEST_NAME {
                return Err(broken());
            }
            name.push(byte as char);
            self.bump(byte);
        }
        if name.is_empty() || self.skip_spaces()? != Some(b'"') {
            return Err(broken());
        }
        self.bump(b'"');
        let value = self.quoted().and_then(|value| value.ok_or_else(broken))?;
        if self.skip_spaces()? != Some(b']') {
            return Err(broken());
        }
        self.bump(b']');
        Ok((name, value))
    }

    /// The rest of a quoted text, up to its quote; `None` if the line ends first.
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
            if value.len() > LONGEST_TEXT {
                return Err(self.error(PgnProblem::TooMuch { what: "bytes in a tag", limit: LONGEST_TEXT }));
            }
        }
    }

    /// The next token of movetext.
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

    /// The next token if its first byte tells what it is; `None` if a word is next.
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

    /// Whether the word that is next opens a game without tags: a move number. The word stays next if it does.
    pub(super) fn move_number_is_next(&mut self) -> Result<bool, PgnError> {
        let word = self.word()?;
        let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let opens = rest.len() < word.len() && rest.starts_with('.');
        self.pending_word = opens.then_some(word);
        Ok(opens)
    }

    /// A comment whose `{` is the next byte, its white space made single spaces.
    pub(super) fn comment(&mut self) -> Result<String, PgnError> {
        let line = self.place.line;
        self.next_byte()?;
        let mut text = Vec::new();
        loop {
            match self.next_byte()? {
                None => return Err(PgnError::new(line, PgnProblem::UnclosedComment)),
                Some(b'}') => return Ok(one_line(text)),
                Some(byte) if text.len() < LONGEST_TEXT => text.push(byte),
                Some(_) => {}
            }
        }
    }

    fn line_comment(&mut self) -> Result<String, PgnError> {
        self.next_byte()?;
        let mut text = Vec::new();
        while let Some(byte) = self.next_byte()?.filter(|byte| *byte != b'\n') {
            if text.len() < LONGEST_TEXT {
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

    /// A run of bytes up to white space or a byte that begins something else; consumes at least one byte. Of an
    /// overlong word only the start is kept, which is still too long to be a move.
    fn word(&mut self) -> Result<String, PgnError> {
        let mut word = Vec::new();
        while let Some(byte) = self.peek()? {
            let ends = byte.is_ascii_whitespace() || b"{}()[];$\"".contains(&byte);
            if ends && !word.is_empty() {
                break;
            }
            self.bump(byte);
            if word.len() <= LONGEST_WORD {
                word.push(byte);
            }
            if ends {
                break;
            }
        }
        Ok(decoded(word))
    }
}

/// What a word of movetext is; `None` for a move number, a row of dots or `e.p.`, of which nothing is kept.
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
        _ => return Some(Token::Other(shortened(word))),
    };
    let is_move = bare.len() <= LONGEST_WORD && bare.starts_with(|first: char| first.is_ascii_alphanumeric());
    Some(match (bare, nag) {
        ("", Some(nag)) => Token::Nag(nag),
        _ if is_move => Token::Move(bare.to_owned(), nag),
        _ => Token::Other(shortened(word)),
    })
}

/// Text in UTF-8 or, failing that, in PGN's old Latin-1.
fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

fn one_line(bytes: Vec<u8>) -> String {
    decoded(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}
