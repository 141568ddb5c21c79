//! The last things said between us and an engine.

/// A ring of bytes that keeps the end of a conversation. Writing to it never allocates.
#[derive(Debug)]
pub(super) struct Transcript {
    ring: Box<[u8]>,
    at: usize,
    wrapped: bool,
}

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ToEngine,
    FromEngine,
}

impl Transcript {
    /// About a dozen long exchanges: enough to see what led to a fault, small enough for a thousand engines.
    const SIZE: usize = 16 << 10;
    /// The longest line kept whole.
    const LINE: usize = 4 << 10;

    pub(super) fn new() -> Self {
        Self { ring: vec![0; Self::SIZE].into_boxed_slice(), at: 0, wrapped: false }
    }

    /// Notes one line, without its end.
    pub(super) fn note(&mut self, direction: Direction, line: &[u8]) {
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

    /// The whole lines still held, oldest first, with whatever is not plain text escaped.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut bytes = Vec::with_capacity(self.ring.len());
        if self.wrapped {
            bytes.extend_from_slice(&self.ring[self.at..]);
        }
        bytes.extend_from_slice(&self.ring[..self.at]);
        // The oldest line has lost its beginning to the newest.
        let whole = usize::from(self.wrapped);
        bytes.split(|&byte| byte == b'\n').skip(whole).filter(|line| !line.is_empty()).map(escape).collect()
    }
}

/// Text that prints on any terminal and fits in any JSON: UTF-8 kept, control characters and stray bytes escaped.
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
    fn the_end_of_a_long_conversation_is_kept_whole() {
        let mut transcript = Transcript::new();
        for number in 0..5000 {
            transcript.note(Direction::ToEngine, format!("go {number}").as_bytes());
            transcript.note(Direction::FromEngine, b"bestmove e2e4");
        }
        let lines = transcript.lines();
        assert_eq!(&lines[lines.len() - 2..], ["> go 4999", "< bestmove e2e4"]);
        assert!(lines.len() > 500 && lines.iter().all(|line| line.starts_with(['<', '>'])));
    }

    #[test]
    fn bytes_that_are_not_text_are_shown_escaped() {
        let mut transcript = Transcript::new();
        transcript.note(Direction::FromEngine, b"id name Caf\xe9 \x1b[31m\0");
        assert_eq!(transcript.lines(), ["< id name Caf\\xe9 \\u{1b}[31m\\u{0}"]);
        transcript.note(Direction::FromEngine, &[b'x'; 100_000]);
        assert!(transcript.lines()[1].len() < 5000);
    }
}
