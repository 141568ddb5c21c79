//! Text from elsewhere, made safe for a terminal.

use std::borrow::Cow;

/// Returns the text without control characters other than line ends and tabs. Names and lines of foreign files, paths and
/// output of engines could otherwise move the cursor, clear the screen or change the title of a terminal.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if text.contains(is_harmful) {
        text.chars().map(|letter| if is_harmful(letter) { '\u{fffd}' } else { letter }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_52_text_from_elsewhere_cannot_control_a_terminal() {
        assert_eq!(harmless("a\tb\n\u{e9}"), "a\tb\n\u{e9}");
        assert_eq!(harmless("\x1b[2Ja\x07\u{9b}\x7f"), "\u{fffd}[2Ja\u{fffd}\u{fffd}\u{fffd}");
    }
}
