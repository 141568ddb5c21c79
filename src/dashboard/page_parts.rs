//! The parts of a live page, each with a version; a client receives only the parts that changed.

use std::collections::HashMap;
use std::sync::Arc;

/// A part of the page.
#[derive(Clone, Debug)]
struct Part {
    id: &'static str,
    version: u64,
    /// JSON text: markup as a string, or data.
    body: Arc<str>,
}

/// The current parts of a page. Clones share their text.
#[derive(Clone, Debug, Default)]
pub(super) struct PageParts {
    parts: Vec<Part>,
    changes: u64,
}

impl PageParts {
    /// Sets the markup of the part `id`.
    pub(super) fn put_markup(&mut self, id: &'static str, html: &str) {
        self.put(id, &serde_json::Value::from(html));
    }

    /// Sets the data of the part `id`.
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

    /// Returns the number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }
}

/// The versions of the parts that one client has received.
#[derive(Debug, Default)]
pub(super) struct SentParts(HashMap<&'static str, u64>);

impl SentParts {
    /// Returns the parts that this client has not received yet as one JSON object, or `None` if there are none.
    pub(super) fn changed(&mut self, page: &PageParts) -> Option<String> {
        let mut text = String::new();
        for part in &page.parts {
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
    fn a_client_receives_only_the_parts_that_changed_since_its_last_update() {
        let (mut page, mut early, mut late) =
            (PageParts::default(), SentParts::default(), SentParts::default());
        page.put_markup("head", "<p>\n\"1\"</p>");
        page.put("boards", &serde_json::json!([1]));
        assert_eq!(early.changed(&page).unwrap(), r#"{"head":"<p>\n\"1\"</p>","boards":[1]}"#);
        assert_eq!(early.changed(&page), None);
        page.put("boards", &serde_json::json!([2]));
        page.put("boards", &serde_json::json!([3]));
        page.put_markup("head", "<p>\n\"1\"</p>");
        assert_eq!(early.changed(&page).unwrap(), r#"{"boards":[3]}"#);
        assert_eq!(late.changed(&page).unwrap(), r#"{"head":"<p>\n\"1\"</p>","boards":[3]}"#);
    }
}
