//! Bounded line reader for untrusted input.

use std::io::{BufRead, ErrorKind};

/// Maximum length of a line; several times that of a `position` command with ten thousand plies.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The outcome of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::frontend) enum ReadOutcome {
    /// The buffer holds a line without its line ending.
    Line,
    /// A line that exceeds the maximum length was skipped.
    TooLong,
    /// The input ended or failed.
    End,
}

/// Reads a line of arbitrary bytes into `line`.
pub(in crate::frontend) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> ReadOutcome {
    line.clear();
    let mut too_long = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => {
                return match (line.is_empty(), too_long) {
                    (_, true) => ReadOutcome::TooLong,
                    (true, false) => ReadOutcome::End,
                    (false, false) => ReadOutcome::Line,
                };
            }
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let content = &bytes[..end.unwrap_or(bytes.len())];
                if line.len() + content.len() > MAX_LINE_BYTES {
                    too_long = true;
                    line.clear();
                } else if !too_long {
                    line.extend_from_slice(content);
                }
                (content.len() + usize::from(end.is_some()), end.is_some())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return ReadOutcome::End,
        };
        input.consume(used);
        if ended {
            return if too_long { ReadOutcome::TooLong } else { ReadOutcome::Line };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_whole_whatever_bytes_they_contain() {
        let mut input: &[u8] = b"uci\n\xff\0\n\nlast";
        let mut line = Vec::new();
        for expected in [&b"uci"[..], b"\xff\0", b"", b"last"] {
            assert_eq!(read_line(&mut input, &mut line), ReadOutcome::Line);
            assert_eq!(line, expected);
        }
        assert_eq!(read_line(&mut input, &mut line), ReadOutcome::End);
    }

    #[test]
    fn an_overlong_line_is_skipped_in_bounded_memory() {
        let mut text = vec![b'x'; 3 * MAX_LINE_BYTES];
        text.extend_from_slice(b"\nuci\n");
        let mut input = std::io::BufReader::with_capacity(4096, &text[..]);
        let mut line = Vec::new();
        assert_eq!(read_line(&mut input, &mut line), ReadOutcome::TooLong);
        assert!(line.capacity() <= 4 * MAX_LINE_BYTES);
        assert_eq!((read_line(&mut input, &mut line), &line[..]), (ReadOutcome::Line, &b"uci"[..]));
    }
}
