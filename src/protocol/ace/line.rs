//! Lines of the input and output of an ACE program.

use super::EXIT_WORD;
use crate::protocol::Words;

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A single word that has the form of a move.
    Move(&'a str),
    /// The word that ends the game early.
    Exit,
    /// No word.
    Blank,
    /// Any other text, which belongs on stderr.
    Noise(&'a str),
}

impl<'a> Line<'a> {
    /// Parses a line, ignoring the line ending and stray control characters.
    pub fn parse(line: &'a str) -> Self {
        let words = Words::new(line);
        let mut iter = words.iter();
        match (iter.next(), iter.next()) {
            (None, _) => Self::Blank,
            (Some(EXIT_WORD), None) => Self::Exit,
            (Some(word), None) if looks_like_a_move(word) => Self::Move(word),
            _ => Self::Noise(words.as_str()),
        }
    }
}

/// Returns whether a word has the form of an ACE move: `e2e4`, `e7e8Q`, `e1g1Ch1` (letters in either case) or `O-O`.
pub fn looks_like_a_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let square = |at: usize| matches!(bytes.get(at..at + 2), Some([b'a'..=b'h', b'1'..=b'8']));
    match bytes.len() {
        4 => square(0) && square(2),
        5 if square(0) => square(2) && b"QRBN".contains(&bytes[4].to_ascii_uppercase()),
        7 if square(0) => square(2) && bytes[4].eq_ignore_ascii_case(&b'C') && square(5),
        3 | 5 => bytes
            .iter()
            .zip(b"O-O-O")
            .all(|(&byte, &shape)| byte == shape || shape == b'O' && matches!(byte, b'o' | b'0')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_move_only_if_it_contains_nothing_else() {
        for word in ["e2e4", "e7e8Q", "e7e8n", "e1g1Ch1", "e1c1ca1", "O-O", "O-O-O", "0-0", "o-o-o"] {
            assert_eq!(Line::parse(&format!(" {word}\r\n")), Line::Move(word));
        }
        for noise in ["e2e9", "e2-e4", "e7e8K", "e1g1Ch9", "e2e4 e7e5", "Check!", "O-", "O-O-", "é2e4", "e2é"]
        {
            assert_eq!(Line::parse(noise), Line::Noise(noise));
        }
        assert_eq!(Line::parse("exit\n"), Line::Exit);
        assert_eq!(Line::parse("\0\n"), Line::Blank);
    }
}
