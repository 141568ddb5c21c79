//! A run of words in a line, read without allocating.

use std::fmt;

/// Words of a line, separated by any amount of white space; two runs are equal when their words are.
///
/// Control characters separate words too: some engines end a line with a NUL byte, or with CR LF.
#[derive(Clone, Copy, Default)]
pub struct Words<'a> {
    text: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `text`.
    pub const fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// The words one by one.
    pub const fn iter(self) -> Cursor<'a> {
        Cursor { rest: self.text }
    }

    /// The text as it came, without the separators around it.
    pub fn as_str(self) -> &'a str {
        trim(self.text)
    }

    /// Whether there is no word.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Whether these are the words of `other`, upper and lower case being one, as UCI asks of option names.
    pub fn matches(self, other: &str) -> bool {
        let (mut mine, mut theirs) = (self.iter(), Words::new(other).iter());
        loop {
            match (mine.next(), theirs.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a.eq_ignore_ascii_case(b) => {}
                _ => return false,
            }
        }
    }
}

impl PartialEq for Words<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Words<'_> {}

impl<'a> IntoIterator for Words<'a> {
    type Item = &'a str;
    type IntoIter = Cursor<'a>;

    fn into_iter(self) -> Cursor<'a> {
        self.iter()
    }
}

/// The words with one space between them.
impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.iter();
        words.next().map_or(Ok(()), |first| f.write_str(first))?;
        words.try_for_each(|word| {
            f.write_str(" ")?;
            f.write_str(word)
        })
    }
}

impl fmt::Debug for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

/// A place in a line, between two words.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Everything not read yet, without the separators around it.
    pub fn rest(&self) -> &'a str {
        trim(self.rest)
    }

    /// The next word, which stays unread.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The words up to the first that `ends` the run; that one stays unread.
    pub fn take_until(&mut self, mut ends: impl FnMut(&Self, &'a str) -> bool) -> Words<'a> {
        let start = self.rest;
        loop {
            let before = self.clone();
            let Some(word) = self.next() else { return Words::new(start) };
            if ends(self, word) {
                let run = &start[..start.len() - before.rest.len()];
                *self = before;
                return Words::new(run);
            }
        }
    }

    /// The next word as a number, held to what `T` can say; a word that is no number stays unread.
    pub fn number<T: TryFrom<i64> + Bounded>(&mut self) -> Option<T> {
        let number = whole_number(self.peek()?)?;
        self.next();
        Some(T::try_from(number).unwrap_or(if number < 0 { T::LEAST } else { T::GREATEST }))
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.rest.as_bytes();
        let start = bytes.iter().position(|&byte| !separates(byte))?;
        let length = bytes[start..].iter().position(|&byte| separates(byte)).unwrap_or(bytes.len() - start);
        let word = &self.rest[start..start + length];
        self.rest = &self.rest[start + length..];
        Some(word)
    }
}

/// A number type with ends, so that an absurd number on the wire becomes an end instead of an error.
pub trait Bounded {
    /// The smallest value.
    const LEAST: Self;
    /// The largest value.
    const GREATEST: Self;
}

macro_rules! bounded {
    ($($number:ty)*) => {
        $(impl Bounded for $number {
            const LEAST: Self = Self::MIN;
            const GREATEST: Self = Self::MAX;
        })*
    };
}

bounded!(u16 u32 u64 i32 i64);

/// A whole number, with its digits past the end of `i64` held to that end.
fn whole_number(word: &str) -> Option<i64> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1i64, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0i64, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number.saturating_mul(10).saturating_add(sign * i64::from(digit - b'0')))
    })
}

/// Every separator is a single byte of its own in UTF-8, so cutting there keeps text valid.
const fn separates(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii() && separates(letter as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ignore_how_they_are_separated() {
        let words = Words::new("\0 a \t bc\r\n\0d\u{7f}");
        assert_eq!(words.iter().collect::<Vec<_>>(), ["a", "bc", "d"]);
        assert_eq!(words.to_string(), "a bc d");
        assert_eq!(words, Words::new("a bc d"));
        assert!(Words::new(" \0").is_empty());
        assert!(Words::new("Move  overhead").matches("move OVERHEAD"));
        assert!(!Words::new("Move").matches("Move Overhead"));
    }

    #[test]
    fn numbers_out_of_range_are_held_to_the_range() {
        let cases: [(&str, Option<i32>); 8] = [
            ("12", Some(12)),
            ("+12", Some(12)),
            ("-0", Some(0)),
            ("99999999999999999999", Some(i32::MAX)),
            ("-99999999999999999999", Some(i32::MIN)),
            ("1.5", None),
            ("-", None),
            ("x", None),
        ];
        for (text, number) in cases {
            assert_eq!(Words::new(text).iter().number::<i32>(), number, "{text}");
        }
        assert_eq!(Words::new("-5").iter().number::<u64>(), Some(0));
    }
}
