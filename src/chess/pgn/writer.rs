//! PGN export format: the seven tag roster first, lines of fewer than 80 characters, text escaped for readers.

use std::fmt::{self, Write as _};

use crate::chess::pgn::PgnGame;
use crate::chess::{Color, Position};

/// The mandatory tags in order, with their values for "unknown".
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];
/// Tags derived from the game; given values are not written.
const DERIVED: [&str; 3] = ["Result", "SetUp", "FEN"];
/// Number of characters of a tag value that are kept.
const MAX_VALUE_CHARS: usize = 128;
const LINE_WIDTH: usize = 79;

/// Formats the game in export format, followed by an empty line.
///
/// Text is not trusted: control characters and terminal escape sequences are removed, quotes and backslashes escaped,
/// braces in comments replaced, and tag values truncated to 128 characters. A game without a result is written with
/// `*`.
impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.map_or("*", |result| result.text());
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", result)?;
        if self.start != Position::startpos() {
            write_tag(f, "SetUp", "1")?;
            write_tag(f, "FEN", &self.start.to_fen())?;
        }
        for (name, value) in &self.tags {
            let written = ROSTER.iter().any(|(known, _)| known == name) || DERIVED.contains(&name.as_str());
            let is_name = !name.is_empty()
                && name.len() <= MAX_VALUE_CHARS
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !written && is_name {
                write_tag(f, name, value)?;
            }
        }
        f.write_char('\n')?;
        let mut lines = Lines { out: f, column: 0 };
        self.write_moves(&mut lines)?;
        lines.word(result)?;
        f.write_str("\n\n")
    }
}

impl PgnGame {
    fn write_moves(&self, lines: &mut Lines<'_, '_>) -> fmt::Result {
        let mut position = self.start;
        lines.comment(&self.comment)?;
        // A move of Black is numbered only at the start and after a comment.
        let mut number_due = true;
        for played in &self.moves {
            match position.turn() {
                Color::White => lines.word(&format!("{}.", position.fullmove_number()))?,
                Color::Black if number_due => lines.word(&format!("{}...", position.fullmove_number()))?,
                Color::Black => {}
            }
            lines.word(&position.san(played.mv))?;
            for nag in &played.nags {
                lines.word(&format!("${nag}"))?;
            }
            lines.comment(&played.comment)?;
            number_due = !played.comment.is_empty();
            position = position.play(played.mv);
        }
        Ok(())
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{name} \"")?;
    for letter in printable(value).chars().take(MAX_VALUE_CHARS) {
        if matches!(letter, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    f.write_str("\"]\n")
}

/// Returns a text on one line, without terminal escape sequences and control characters.
fn printable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len().min(4 * MAX_VALUE_CHARS));
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next_if_eq(&'[').is_some() {
                // Parameters, followed by one final byte.
                while letters.next_if(|next| matches!(next, '0'..='?' | ' '..='/')).is_some() {}
                letters.next_if(|next| matches!(next, '@'..='~'));
            }
        } else {
            kept.push(if letter.is_control() { ' ' } else { letter });
        }
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes words in lines of limited width.
struct Lines<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    column: usize,
}

impl Lines<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        let width = word.chars().count();
        // A line that begins with % is ignored by readers, so such a word stays on the current line.
        if self.column > 0 && self.column + 1 + width > LINE_WIDTH && !word.starts_with('%') {
            self.out.write_char('\n')?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.column += width;
        self.out.write_str(word)
    }

    fn comment(&mut self, text: &str) -> fmt::Result {
        let text = printable(text).replace('{', "(").replace('}', ")");
        if text.is_empty() {
            return Ok(());
        }
        let mut words = text.split(' ').peekable();
        let mut opening = "{";
        while let Some(word) = words.next() {
            let closing = if words.peek().is_none() { "}" } else { "" };
            self.word(&format!("{opening}{word}{closing}"))?;
            opening = "";
        }
        Ok(())
    }
}
