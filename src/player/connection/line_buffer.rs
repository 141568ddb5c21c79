//! Bytes in, lines out, in bounded memory.

/// Splits a stream into lines of bounded length.
///
/// A line longer than the limit is dropped whole and counted; what follows its end is read as usual. Line ends are
/// LF or CRLF; NULs and blanks at the end of a line are not part of it.
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
    /// Most engines queue_line less than this between two reads; busier ones make it grow.
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

    /// Room for the next read; never empty.
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

    /// Takes over the first `count` bytes of [`LineBuffer::spare`].
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// The place of the next whole line, for [`LineBuffer::line`].
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

    /// The bytes of a line just found.
    pub(super) fn line(&self, place: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[place]
    }

    /// Lines dropped for their length since the last call.
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
            while let Some(place) = buffer.next_line() {
                lines.push(String::from_utf8_lossy(buffer.line(place)).into_owned());
            }
        }
        lines
    }

    #[test]
    fn lines_come_out_however_the_bytes_are_cut() {
        let text = b"uciok\r\n\nbestmove e2e4\0\n  info \xff\n";
        for step in 1..=text.len() {
            let mut buffer = LineBuffer::new(64);
            let lines: Vec<String> = text.chunks(step).flat_map(|chunk| feed(&mut buffer, chunk)).collect();
            assert_eq!(lines, ["uciok", "", "bestmove e2e4", "  info \u{fffd}"], "cut every {step}");
        }
    }

    #[test]
    fn an_endless_line_costs_only_itself_and_no_memory() {
        let mut buffer = LineBuffer::new(64 << 10);
        for _ in 0..100 {
            assert!(feed(&mut buffer, &[b'x'; 50_000]).is_empty());
        }
        assert_eq!(feed(&mut buffer, b"x\nbestmove a2a3\n"), ["bestmove a2a3"]);
        assert_eq!(buffer.take_overlong(), 1);
        assert!(buffer.bytes.len() <= 64 << 10);
    }

    #[test]
    fn an_unfinished_line_is_not_a_line() {
        let mut buffer = LineBuffer::new(1024);
        assert!(feed(&mut buffer, b"bestmove e2e4").is_empty());
    }
}
