//! Percent-encoding of names in URLs.

use std::fmt::Write;

/// Returns `name` as one segment of a URL path: every byte but the unreserved ones of RFC 3986 is percent-encoded.
pub(super) fn url_segment(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_bytes_and_other_than_ascii_are_encoded() {
        assert_eq!(url_segment("20260102-b~accept"), "20260102-b~accept");
        assert_eq!(url_segment("a b/ü"), "a%20b%2F%C3%BC");
    }
}
