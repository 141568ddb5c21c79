//! The last lines exchanged with an engine.

/// A ring buffer that keeps the end of a dialogue. Writing to it never allocates.
#[derive(Debug)]
pub(super) struct Transcript {
    ring: Box<[u8]>,
    at: usize,
    wrapped: bool,
}

/// Direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ToEngine,
    FromEngine,
}

impl Transcript {
    /// About a dozen long exchanges: enough to see what led to a fault, small enough for a thousand engines.
    const SIZE: usize = 16 << 10;
    /// Longest line kept in full.
    const LINE: usize = 4 << 10;

    pub(super) fn new() -> Self {
        Self { ring: vec![0; Self::SIZE].into_boxed_slice(), at: 0, wrapped: false }
    }

    /// Records one line, given without its end.
    pub(super) fn record(&mut self, direction: Direction, line: &[u8]) {
        self.push(if direction == Direction::ToEngine { b"> " } else { b"< " });
        if line.len() <= Self::LINE {
            self.push(line);
        } else {
            self.push(&line[..Self::LINE / 2]);
            self.push(b" [...] ");
            self.push(&line[line.len() - Self::LINE / 2..]);
        }
        self.push(b"\n");
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = self.ring.len() - self.at;
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.ring[self.at..self.at + first.len()].copy_from_slice(first);
        self.at += first.len();
        if self.at == self.ring.len() {
            self.at = 0;
            self.wrapped = true;
        }
        if !rest.is_empty() {
            self.push(rest);
        }
    }

    /// Returns the complete lines in the buffer, oldest first, escaped by [`escape`].
    pub(super) fn lines(&self) -> Vec<String> {
        let mut bytes = Vec::with_capacity(self.ring.len());
        if self.wrapped {
            bytes.extend_from_slice(&self.ring[self.at..]);
        }
        bytes.extend_from_slice(&self.ring[..self.at]);
        // The beginning of the oldest line has been overwritten by the newest.
        let whole = usize::from(self.wrapped);
        bytes.split(|&byte| byte == b'\n').skip(whole).filter(|line| !line.is_empty()).map(escape).collect()
    }
}

/// Describes what an engine printed, by the first lines of its [`Player::transcript`](crate::player::Player::transcript).
pub fn printed_lines(transcript: &[String]) -> String {
    let shown = |line: &String| -> Option<String> {
        let text = line.strip_prefix("< ")?.trim();
        (!text.is_empty()).then(|| format!("`{}`", text.chars().take(80).collect::<String>()))
    };
    let lines: Vec<String> = transcript.iter().filter_map(shown).take(3).collect();
    if lines.is_empty() {
        "it printed nothing".to_owned()
    } else {
        format!("it printed {}", lines.join(", "))
    }
}

/// Returns text that is safe for a terminal and for JSON: UTF-8 is kept, control characters and invalid bytes are
/// escaped.
pub(in crate::player) fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() && letter != '\n' && letter != '\t' {
                text.extend(letter.escape_default());
            } else {
                text.push(letter);
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_long_dialogue_are_complete() {
        let mut transcript = Transcript::new();
        for number in 0..5000 {
            transcript.record(Direction::ToEngine, format!("go {number}").as_bytes());
            transcript.record(Direction::FromEngine, b"bestmove e2e4");
        }
        let lines = transcript.lines();
        assert_eq!(&lines[lines.len() - 2..], ["> go 4999", "< bestmove e2e4"]);
        assert!(lines.len() > 500 && lines.iter().all(|line| line.starts_with(['<', '>'])));
    }

    #[test]
    fn the_first_lines_that_an_engine_printed_are_quoted() {
        assert_eq!(printed_lines(&["> uci".to_owned()]), "it printed nothing");
        let lines =
            ["> uci", "< ", "< White (1) : Invalid move: uci", "< a", "< b", "< c"].map(str::to_owned);
        assert_eq!(printed_lines(&lines), "it printed `White (1) : Invalid move: uci`, `a`, `b`");
    }

    #[test]
    fn bytes_that_are_not_text_are_escaped() {
        let mut transcript = Transcript::new();
        transcript.record(Direction::FromEngine, b"id name Caf\xe9 \x1b[31m\0");
        assert_eq!(transcript.lines(), ["< id name Caf\\xe9 \\u{1b}[31m\\u{0}"]);
        transcript.record(Direction::FromEngine, &[b'x'; 100_000]);
        assert!(transcript.lines()[1].len() < 5000);
    }
}
