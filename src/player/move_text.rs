//! Text of a move, stored without an allocation.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A move in UCI coordinates, at most seven characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveText {
    letters: [u8; 7],
    len: u8,
}

impl MoveText {
    /// Creates a move text from one to seven printable ASCII characters.
    pub fn new(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.is_empty() || bytes.len() > 7 || !bytes.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let mut letters = [0; 7];
        letters[..bytes.len()].copy_from_slice(bytes);
        Some(Self { letters, len: bytes.len() as u8 })
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..usize::from(self.len)]).expect("new() accepts only ASCII")
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MoveText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not the text of a move")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_text_is_one_to_seven_printable_ascii_characters() {
        for bad in ["", "abcdefgh", "e2 e4", "é2e4", "e2\0"] {
            assert!(MoveText::new(bad).is_none(), "{bad:?}");
        }
        assert_eq!(MoveText::new("e1g1Ch1").unwrap().as_str(), "e1g1Ch1");
    }
}
