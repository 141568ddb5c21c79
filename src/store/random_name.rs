//! Names that others cannot predict.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Returns sixteen hexadecimal digits from the system's random numbers.
pub(super) fn random_name() -> String {
    // The keys of the first RandomState of a thread are random; each later one differs from those before.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Returns whether `text` can be a name of [`random_name`].
pub(super) fn is_random_name(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}
