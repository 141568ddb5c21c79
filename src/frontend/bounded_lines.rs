//! Lines from an input that may hold anything.

use std::io::{BufRead, ErrorKind};

/// The longest line that is kept; a game of ten thousand plies fits several times.
const LONGEST: usize = 1 << 20;

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::frontend) enum Next {
    /// A line, without its end, now in the buffer.
    Line,
    /// A line too long to be meant seriously; it was skipped.
    TooLong,
    /// The end of the input, or its failure, which comes to the same.
    End,
}

/// Reads a line into `line`, whatever bytes it holds.
pub(in crate::frontend) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Next {
    line.clear();
    let mut too_long = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => {
                return match (line.is_empty(), too_long) {
                    (_, true) => Next::TooLong,
                    (true, false) => Next::End,
                    (false, false) => Next::Line,
                };
            }
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let content = &bytes[..end.unwrap_or(bytes.len())];
                if line.len() + content.len() > LONGEST {
                    too_long = true;
                    line.clear();
                } else if !too_long {
                    line.extend_from_slice(content);
                }
                (content.len() + usize::from(end.is_some()), end.is_some())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Next::End,
        };
        input.consume(used);
        if ended {
            return if too_long { Next::TooLong } else { Next::Line };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_whatever_they_hold() {
        let mut input: &[u8] = b"uci\n\xff\0\n\nlast";
        let mut line = Vec::new();
        for expected in [&b"uci"[..], b"\xff\0", b"", b"last"] {
            assert_eq!(read_line(&mut input, &mut line), Next::Line);
            assert_eq!(line, expected);
        }
        assert_eq!(read_line(&mut input, &mut line), Next::End);
    }

    #[test]
    fn an_endless_line_is_skipped_in_bounded_memory() {
        let mut text = vec![b'x'; 3 * LONGEST];
        text.extend_from_slice(b"\nuci\n");
        let mut input = std::io::BufReader::with_capacity(4096, &text[..]);
        let mut line = Vec::new();
        assert_eq!(read_line(&mut input, &mut line), Next::TooLong);
        assert!(line.capacity() <= 4 * LONGEST);
        assert_eq!((read_line(&mut input, &mut line), &line[..]), (Next::Line, &b"uci"[..]));
    }
}
