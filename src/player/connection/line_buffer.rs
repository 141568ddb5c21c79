//! Splitting of a byte stream into lines, in bounded memory.

/// Splits a stream into lines of bounded length.
///
/// A line longer than the limit is dropped and counted; reading continues after its end. Line ends are LF or CRLF;
/// trailing NULs and blanks are not part of a line.
#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    scanned: usize,
    limit: usize,
    state: LineState,
    overlong: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    Reading,
    SkippingToLineEnd,
}

impl LineBuffer {
    /// Most engines send less than this between two reads; the buffer grows for others.
    const FIRST_SIZE: usize = 4 << 10;

    pub(super) fn new(limit: usize) -> Self {
        let size = Self::FIRST_SIZE.min(limit.max(16));
        Self {
            bytes: vec![0; size],
            start: 0,
            end: 0,
            scanned: 0,
            limit: limit.max(16),
            state: LineState::Reading,
            overlong: 0,
        }
    }

    /// Returns free space for the next read; never empty.
    pub(super) fn spare(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end, self.scanned) = (0, 0, 0);
        }
        if self.end == self.bytes.len() {
            if self.start > 0 {
                self.bytes.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.scanned -= self.start;
                self.start = 0;
            } else if self.bytes.len() < self.limit {
                self.bytes.resize((self.bytes.len() * 4).min(self.limit), 0);
            } else {
                self.state = LineState::SkippingToLineEnd;
                (self.start, self.end, self.scanned) = (0, 0, 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Marks the first `count` bytes of [`LineBuffer::spare`] as filled.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// Returns the range of the next complete line, for [`LineBuffer::line`].
    pub(super) fn next_line(&mut self) -> Option<std::ops::Range<usize>> {
        loop {
            let unseen = &self.bytes[self.scanned..self.end];
            let Some(at) = unseen.iter().position(|&byte| byte == b'\n') else {
                self.scanned = self.end;
                if self.state == LineState::SkippingToLineEnd {
                    self.start = self.end;
                }
                return None;
            };
            let line_end = self.scanned + at;
            let line_start = std::mem::replace(&mut self.start, line_end + 1);
            self.scanned = self.start;
            if self.state == LineState::SkippingToLineEnd {
                self.state = LineState::Reading;
                self.overlong += 1;
                continue;
            }
            let kept = self.bytes[line_start..line_end]
                .iter()
                .rposition(|byte| !matches!(byte, b'\r' | b'\0' | b' ' | b'\t'))
                .map_or(0, |last| last + 1);
            return Some(line_start..line_start + kept);
        }
    }

    /// Returns the bytes of a line just found.
    pub(super) fn line(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Returns the number of lines dropped for their length since the last call.
    pub(super) fn take_overlong(&mut self) -> u64 {
        std::mem::take(&mut self.overlong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(buffer: &mut LineBuffer, mut bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while !bytes.is_empty() {
            let spare = buffer.spare();
            let count = spare.len().min(bytes.len());
            spare[..count].copy_from_slice(&bytes[..count]);
            buffer.filled(count);
            bytes = &bytes[count..];
            while let Some(range) = buffer.next_line() {
                lines.push(String::from_utf8_lossy(buffer.line(range)).into_owned());
            }
        }
        lines
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_are_split() {
        let text = b"uciok\r\n\nbestmove e2e4\0\n  info \xff\n";
        for step in 1..=text.len() {
            let mut buffer = LineBuffer::new(64);
            let lines: Vec<String> = text.chunks(step).flat_map(|chunk| feed(&mut buffer, chunk)).collect();
            assert_eq!(lines, ["uciok", "", "bestmove e2e4", "  info \u{fffd}"], "{step} bytes at a time");
        }
    }

    #[test]
    fn an_endless_line_is_dropped_without_using_memory() {
        let mut buffer = LineBuffer::new(64 << 10);
        for _ in 0..100 {
            assert!(feed(&mut buffer, &[b'x'; 50_000]).is_empty());
        }
        assert_eq!(feed(&mut buffer, b"x\nbestmove a2a3\n"), ["bestmove a2a3"]);
        assert_eq!(buffer.take_overlong(), 1);
        assert!(buffer.bytes.len() <= 64 << 10);
    }

    #[test]
    fn an_incomplete_line_is_not_returned() {
        let mut buffer = LineBuffer::new(1024);
        assert!(feed(&mut buffer, b"bestmove e2e4").is_empty());
    }
}
