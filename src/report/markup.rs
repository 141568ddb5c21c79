//! Escaping of text in HTML and SVG, and rendering of page templates.

use std::fmt::{self, Write};

use askama::Template;
use askama::filters::Escaper;

/// Escapes text for element content and attribute values. `askama.toml` sets it for all templates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkupEscaper;

impl Escaper for MarkupEscaper {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match letter {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                control if control.is_control() && control != '\n' => out.write_char('\u{fffd}')?,
                plain => out.write_char(plain)?,
            }
        }
        Ok(())
    }
}

/// Returns `text` escaped for element content and attribute values.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    MarkupEscaper.write_escaped_str(&mut escaped, text).expect("writing to a string does not fail");
    escaped
}

/// Renders a template to a string.
pub(crate) fn render(template: &impl Template) -> String {
    template.render().expect("writing to a string does not fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape("<b a='1'>&\"\u{1b}"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;\u{fffd}");
    }
}
