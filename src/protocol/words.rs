//! Words of a line, read without allocation.

use std::fmt;

/// A sequence of words separated by any amount of white space. Two sequences are equal if their words are equal.
///
/// Control characters are separators too: some engines end a line with a NUL byte or with CR LF.
#[derive(Clone, Copy, Default)]
pub struct Words<'a> {
    text: &'a str,
}

impl<'a> Words<'a> {
    /// Creates the sequence of the words of `text`.
    pub const fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// Creates the sequence of the words of a line, which may begin with byte-order marks.
    pub fn of_line(line: &'a str) -> Self {
        Self { text: line.trim_start_matches(|letter| letter == '\u{feff}' || is_separator(letter)) }
    }

    /// Returns an iterator over the words.
    pub const fn iter(self) -> Cursor<'a> {
        Cursor { rest: self.text }
    }

    /// Returns the original text without leading and trailing separators.
    pub fn as_str(self) -> &'a str {
        trim(self.text)
    }

    /// Returns whether there is no word.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns whether the words equal those of `other`, ignoring case, as UCI requires for option names.
    pub fn matches(self, other: &str) -> bool {
        let (mut left, mut right) = (self.iter(), Words::new(other).iter());
        loop {
            match (left.next(), right.next()) {
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

/// Formats the words with one space between them.
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

/// An iterator over the words of a line.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Returns the unread text without leading and trailing separators.
    pub fn rest(&self) -> &'a str {
        trim(self.rest)
    }

    /// Returns the next word without consuming it.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Consumes and returns the words before the first word for which `ends` returns `true`.
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

    /// Consumes the next word as an integer, clamped to the range of `T`. A word that is not an integer is not
    /// consumed.
    pub fn number<T: TryFrom<i64> + Bounded>(&mut self) -> Option<T> {
        let number = saturating_integer(self.peek()?)?;
        self.next();
        Some(T::try_from(number).unwrap_or(if number < 0 { T::MIN } else { T::MAX }))
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

/// An integer type with bounds, to which out-of-range numbers of the protocol are clamped.
pub trait Bounded {
    /// The smallest value.
    const MIN: Self;
    /// The largest value.
    const MAX: Self;
}

macro_rules! bounded {
    ($($number:ty)*) => {
        $(impl Bounded for $number {
            const MIN: Self = <$number>::MIN;
            const MAX: Self = <$number>::MAX;
        })*
    };
}

bounded!(u16 u32 u64 i32 i64);

/// Parses an integer, saturating at the bounds of `i64`.
fn saturating_integer(word: &str) -> Option<i64> {
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

/// Returns whether a byte separates words. Separators are ASCII, so splitting at them preserves valid UTF-8.
const fn separates(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

fn is_separator(letter: char) -> bool {
    letter.is_ascii() && separates(letter as u8)
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_and_number_of_separators_do_not_matter() {
        let words = Words::new("\0 a \t bc\r\n\0d\u{7f}");
        assert_eq!(words.iter().collect::<Vec<_>>(), ["a", "bc", "d"]);
        assert_eq!(words.to_string(), "a bc d");
        assert_eq!(words, Words::new("a bc d"));
        assert!(Words::new(" \0").is_empty());
        assert!(Words::new("Move  overhead").matches("move OVERHEAD"));
        assert!(!Words::new("Move").matches("Move Overhead"));
    }

    #[test]
    fn out_of_range_numbers_are_clamped() {
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
