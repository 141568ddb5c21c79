//! What a watcher sees: parts of a page, each with a version, of which only the changed ones are sent.

use std::collections::HashMap;
use std::sync::Arc;

/// A part of the page.
#[derive(Clone, Debug)]
struct Part {
    id: &'static str,
    version: u64,
    /// JSON: markup as a string, or data.
    body: Arc<str>,
}

/// All parts as they stand. Cloning one is cheap, so every watcher gets the same.
#[derive(Clone, Debug, Default)]
pub(super) struct PageParts {
    parts: Vec<Part>,
    changes: u64,
}

impl PageParts {
    /// Puts markup in its place.
    pub(super) fn put_markup(&mut self, id: &'static str, html: &str) {
        self.put(id, &serde_json::Value::from(html));
    }

    /// Puts data in its place.
    pub(super) fn put(&mut self, id: &'static str, value: &serde_json::Value) {
        let body = value.to_string();
        match self.parts.iter_mut().find(|part| part.id == id) {
            Some(part) if *part.body == *body => {}
            Some(part) => {
                part.version += 1;
                part.body = body.into();
                self.changes += 1;
            }
            None => {
                self.parts.push(Part { id, version: 0, body: body.into() });
                self.changes += 1;
            }
        }
    }

    /// How often anything changed.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }
}

/// What one watcher has been sent.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<&'static str, u64>);

impl Seen {
    /// The parts of `frame` that this watcher does not have yet, as one JSON object; `None` if it has them all.
    pub(super) fn news(&mut self, frame: &PageParts) -> Option<String> {
        let mut text = String::new();
        for part in &frame.parts {
            if self.0.insert(part.id, part.version) != Some(part.version) {
                text.push(if text.is_empty() { '{' } else { ',' });
                text.push_str(&format!("\"{}\":{}", part.id, part.body));
            }
        }
        (!text.is_empty()).then(|| text + "}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_is_sent_what_changed_since_it_last_looked_and_nothing_else() {
        let (mut frame, mut seen, mut late) = (PageParts::default(), Seen::default(), Seen::default());
        frame.put_markup("head", "<p>\n\"1\"</p>");
        frame.put("boards", &serde_json::json!([1]));
        assert_eq!(seen.news(&frame).unwrap(), r#"{"head":"<p>\n\"1\"</p>","boards":[1]}"#);
        assert_eq!(seen.news(&frame), None);
        frame.put("boards", &serde_json::json!([2]));
        frame.put("boards", &serde_json::json!([3]));
        frame.put_markup("head", "<p>\n\"1\"</p>");
        assert_eq!(seen.news(&frame).unwrap(), r#"{"boards":[3]}"#);
        assert_eq!(late.news(&frame).unwrap(), r#"{"head":"<p>\n\"1\"</p>","boards":[3]}"#);
    }
}
