//! Names that engines give themselves.

/// Maximum length of an engine name.
const NAME_CHARS: usize = 128;

/// Returns the name without control characters, truncated to [`NAME_CHARS`].
pub(super) fn plain_name(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(NAME_CHARS).collect()
}
