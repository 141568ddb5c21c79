//! Names that others cannot predict.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Returns sixteen hexadecimal digits from the system's random numbers.
pub(super) fn random_name() -> String {
    // The keys of the first RandomState of a thread are random; each later one differs from those before.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
