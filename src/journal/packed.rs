//! Columns of small numbers as short text, used for the data of a game's moves: two or three characters per number.
//!
//! A number is written in groups of five bits, lowest first, one character each; all characters but the last come
//! from the upper half of the alphabet. `-` stands for a missing number.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ABSENT: char = '-';

/// Appends one number.
pub(super) fn push(column: &mut String, number: Option<u64>) {
    let Some(mut left) = number else { return column.push(ABSENT) };
    loop {
        let group = (left & 31) as usize;
        left >>= 5;
        let more = if left > 0 { 32 } else { 0 };
        column.push(char::from(LETTERS[group + more]));
        if left == 0 {
            return;
        }
    }
}

/// Removes the first number; `None` if the column is empty or invalid.
pub(super) fn pop(column: &mut &str) -> Option<Option<u64>> {
    if let Some(rest) = column.strip_prefix(ABSENT) {
        *column = rest;
        return Some(None);
    }
    let mut number = 0_u64;
    for (place, letter) in column.bytes().enumerate() {
        let group = value_of(letter)?;
        number |= u64::from(group & 31).checked_shl(5 * u32::try_from(place).ok()?)?;
        if group < 32 {
            *column = &column[place + 1..];
            return Some(Some(number));
        }
    }
    None
}

fn value_of(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Encodes a signed number as an unsigned one; numbers of small magnitude stay small.
pub(super) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Decodes a number encoded by [`zigzag`].
pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoded_columns_equal_the_encoded_ones(numbers in proptest::collection::vec(any::<Option<u64>>(), 0..50)) {
            let mut column = String::new();
            for &number in &numbers {
                push(&mut column, number);
            }
            let mut rest = column.as_str();
            for &number in &numbers {
                prop_assert_eq!(pop(&mut rest), Some(number));
            }
            prop_assert_eq!((pop(&mut rest), rest), (None, ""));
        }

        #[test]
        fn signed_numbers_survive_zigzag(number in any::<i64>()) {
            prop_assert_eq!(unzigzag(zigzag(number)), number);
        }

        #[test]
        fn invalid_text_is_refused_without_a_panic(text in ".{0,40}") {
            let mut rest = text.as_str();
            while pop(&mut rest).is_some() {}
        }
    }

    #[test]
    fn common_numbers_take_two_or_three_characters() {
        for (number, letters) in [(0, 1), (31, 1), (32, 2), (1023, 2), (20_000, 3), (80_000, 4)] {
            let mut column = String::new();
            push(&mut column, Some(number));
            assert_eq!(column.len(), letters, "{number}");
        }
    }
}
