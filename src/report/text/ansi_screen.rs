//! Lines at the bottom of a terminal that are redrawn in place without flicker.

use std::io::{self, Write};

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Escape sequences for colours.
    Colour,
    /// No escape sequences.
    Plain,
}

impl Ink {
    /// Returns `Colour` unless `NO_COLOR` is set or the terminal is dumb.
    pub fn for_terminal() -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color || is_dumb_terminal() { Self::Plain } else { Self::Colour }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Plain => text.to_owned(),
        }
    }

    /// Returns the text in bold.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Returns the text dimmed.
    pub fn soft(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Returns the text in green: good for the candidate.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Returns the text in red: bad for the candidate, or a fault.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }
}

/// Returns whether the terminal cannot move its cursor, as far as `TERM` states that.
pub fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_none_or(|value| value.is_empty() || value == "dumb")
}

/// The lines drawn on a terminal.
pub struct AnsiScreen<W> {
    out: W,
    drawn: Vec<String>,
    columns: usize,
}

impl<W: Write> AnsiScreen<W> {
    /// Returns a screen with no lines drawn.
    pub fn new(out: W) -> Self {
        Self { out, drawn: Vec::new(), columns: usize::MAX }
    }

    /// Replaces the drawn lines on a terminal with `columns` columns. Unchanged lines are skipped, and everything is sent in
    /// one write, so that no partial state is visible.
    pub fn draw(&mut self, lines: &[String], columns: usize) -> io::Result<()> {
        let mut text = String::new();
        if columns < self.columns && !self.drawn.is_empty() {
            // The terminal has become narrower and has wrapped the lines that were too long for it.
            let rows =
                self.drawn.iter().map(|line| visible_columns(line).div_ceil(columns.max(1)).max(1)).sum();
            self.drawn.clear();
            text.push_str(&format!("\r{}\x1b[J", up(rows)));
        }
        // A line that was cut at the edge of a narrower terminal has to be written again.
        let is_wider = columns > self.columns;
        self.columns = columns;
        if self.drawn == lines && !is_wider {
            return Ok(());
        }
        // With wrapping, a narrow terminal would have more rows than there are lines.
        text.push_str(&format!("\x1b[?7l\r{}", up(self.drawn.len())));
        for (place, line) in lines.iter().enumerate() {
            if is_wider || self.drawn.get(place) != Some(line) {
                text.push_str(line);
                text.push_str("\x1b[K");
            }
            text.push_str("\r\n");
        }
        text.push_str("\x1b[J\x1b[?7h");
        self.drawn = lines.to_vec();
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Prints a permanent line above the drawn ones.
    pub fn print_above(&mut self, line: &str) -> io::Result<()> {
        let drawn = std::mem::take(&mut self.drawn);
        let text = format!("\r{}\x1b[J{line}\r\n", up(drawn.len()));
        self.out.write_all(text.as_bytes())?;
        self.draw(&drawn, self.columns)
    }

    /// Removes the drawn lines.
    pub fn clear(&mut self) -> io::Result<()> {
        let drawn = std::mem::take(&mut self.drawn);
        self.out.write_all(format!("\r{}\x1b[J", up(drawn.len())).as_bytes())?;
        self.out.flush()
    }
}

impl AnsiScreen<Vec<u8>> {
    /// Removes and returns what was written so far.
    pub(super) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

/// Returns the number of columns of a line without its escape sequences.
fn visible_columns(line: &str) -> usize {
    let mut columns = 0;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\x1b' {
            // A control sequence ends with its first letter.
            letters.find(char::is_ascii_alphabetic);
        } else {
            columns += 1;
        }
    }
    columns
}

fn up(lines: usize) -> String {
    if lines == 0 { String::new() } else { format!("\x1b[{lines}A") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_are_written_again() {
        let mut screen = AnsiScreen::new(Vec::new());
        screen.draw(&["one".into(), "two".into()], 80).unwrap();
        let before = screen.out.len();
        screen.draw(&["one".into(), "2".into()], 80).unwrap();
        let second = String::from_utf8(screen.out[before..].to_vec()).unwrap();
        assert!(second.contains("\x1b[2A") && second.contains('2') && !second.contains("one"), "{second:?}");
        let before = screen.out.len();
        screen.draw(&["one".into(), "2".into()], 80).unwrap();
        assert_eq!(screen.out.len(), before, "nothing changed");
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_wrapped_are_all_removed() {
        let mut screen = AnsiScreen::new(Vec::new());
        screen.draw(&[Ink::Colour.strong("0123456789"), "two".into()], 80).unwrap();
        let before = screen.out.len();
        screen.draw(&["0123".into(), "two".into()], 5).unwrap();
        let second = String::from_utf8(screen.out[before..].to_vec()).unwrap();
        assert!(second.starts_with("\r\x1b[3A\x1b[J"), "{second:?}");
        assert!(second.contains("0123") && second.contains("two"), "{second:?}");
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_cut_are_written_again_when_it_widens() {
        let mut screen = AnsiScreen::new(Vec::new());
        screen.draw(&["0123456789".into()], 5).unwrap();
        let before = screen.out.len();
        screen.draw(&["0123456789".into()], 80).unwrap();
        let second = String::from_utf8(screen.out[before..].to_vec()).unwrap();
        assert!(second.contains("0123456789"), "{second:?}");
    }

    #[test]
    fn plain_ink_has_no_escape_sequences() {
        assert_eq!(Ink::Plain.strong("x"), "x");
        assert_eq!(Ink::Colour.good("x"), "\x1b[32mx\x1b[0m");
    }
}
