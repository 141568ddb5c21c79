//! Reads a TOML file key by key, so that all its mistakes can be reported at once, each with its line.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::spelling::nearest;

/// Everything wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    file: PathBuf,
    list: Vec<(usize, String)>,
}

impl Mistakes {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Mistakes that are found only after the engines were started, each with its line.
    pub fn found_later(file: &Path, mut list: Vec<(usize, String)>) -> Self {
        list.sort();
        list.dedup();
        Self { file: file.to_owned(), list }
    }

    /// A file that cannot be opened.
    pub fn unreadable(file: &Path, why: &std::io::Error) -> Self {
        Self { file: file.to_owned(), list: vec![(0, format!("cannot be read: {why}"))] }
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (line, message)) in self.list.iter().enumerate() {
            let newline = if at == 0 { "" } else { "\n" };
            match line {
                0 => write!(f, "{newline}{}: {message}", self.file.display())?,
                line => write!(f, "{newline}{}:{line}: {message}", self.file.display())?,
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
enum Value {
    Text(String),
    Integer(i64),
    Number(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(Vec<(String, usize, Node)>),
    UtcDate,
}

#[derive(Debug)]
struct Node {
    line: usize,
    value: Value,
}

impl Node {
    fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("\"{text}\""),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            Value::UtcDate => "a date".to_owned(),
        }
    }
}

/// One table of a file, read key by key. [`finish`](Self::finish) reports the keys that were not read.
#[derive(Debug)]
pub(super) struct Fields {
    path: String,
    line: usize,
    entries: Vec<(String, usize, Node)>,
    known: Vec<String>,
    mistakes: Rc<RefCell<Vec<(usize, String)>>>,
}

/// Parses `text` as TOML, passes its top table to `read`, and returns the result of `read` or all mistakes.
pub(super) fn read_document<T>(
    file: &Path,
    text: &str,
    read: impl FnOnce(&mut Fields) -> T,
) -> Result<T, Mistakes> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let mistakes = Rc::new(RefCell::new(Vec::new()));
    for error in &errors {
        let line = error.span().map_or(0, |span| lines.number(span.start));
        mistakes.borrow_mut().push((line, error.message().to_owned()));
    }
    let mut fields = Fields {
        path: String::new(),
        line: 0,
        entries: entries_of(&lines, document.get_ref()),
        known: Vec::new(),
        mistakes: Rc::clone(&mistakes),
    };
    let made = read(&mut fields);
    fields.finish();
    let mut list = mistakes.take();
    if list.is_empty() {
        return Ok(made);
    }
    list.sort();
    list.dedup();
    Err(Mistakes { file: file.to_owned(), list })
}

/// The ends of the lines of a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The number of the line that holds this byte, from 1.
    fn number(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|&end| end < offset)
    }
}

fn entries_of(lines: &Lines, table: &DeTable<'_>) -> Vec<(String, usize, Node)> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        (key.get_ref().to_string(), lines.number(key.span().start), node_of(lines, value))
    };
    table.iter().map(entry).collect()
}

fn node_of(lines: &Lines, value: &Spanned<DeValue<'_>>) -> Node {
    let parsed = match value.get_ref() {
        DeValue::String(string) => Value::Text(string.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| Value::Number(f64::INFINITY), Value::Integer),
        DeValue::Float(float) => Value::Number(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::UtcDate,
        DeValue::Array(list) => Value::List(list.iter().map(|item| node_of(lines, item)).collect()),
        DeValue::Table(table) => Value::Table(entries_of(lines, table)),
    };
    Node { line: lines.number(value.span().start), value: parsed }
}

impl Fields {
    /// Whether the table has this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, ..)| name == key)
    }

    /// A text.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.take(key, "a text in quotes", |value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    /// A text, or a number or flag written without quotes, as its text.
    fn plain(value: Value) -> Option<String> {
        match value {
            Value::Text(text) => Some(text),
            Value::Integer(number) => Some(number.to_string()),
            Value::Number(number) => Some(number.to_string()),
            Value::Flag(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// A text that parses as `T`.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, key: &str) -> Option<T> {
        let line = self.line_of(key);
        let text = self.text(key)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(why) => {
                self.report(line, format!("{}: {why}", self.full(key)));
                None
            }
        }
    }

    /// A whole number within a range that its type can hold.
    pub(super) fn whole<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        least: i64,
        most: impl TryInto<i64>,
    ) -> Option<T> {
        let most = most.try_into().unwrap_or(i64::MAX);
        let range = if most == i64::MAX { String::new() } else { format!(" to {most}") };
        self.take(key, &format!("a whole number from {least}{range}"), |value| match value {
            Value::Integer(number) if (least..=most).contains(&number) => T::try_from(number).ok(),
            _ => None,
        })
    }

    /// A number within a range.
    pub(super) fn number_within(&mut self, key: &str, least: f64, most: f64) -> Option<f64> {
        self.take(key, &format!("a number from {least} to {most}"), |value| {
            number_of(&value).filter(|number| (least..=most).contains(number))
        })
    }

    /// A finite number.
    pub(super) fn number(&mut self, key: &str) -> Option<f64> {
        self.take(key, "a number", |value| number_of(&value))
    }

    /// Exactly two numbers.
    pub(super) fn two_numbers(&mut self, key: &str) -> Option<[f64; 2]> {
        self.take(key, "two numbers, as [0.0, 5.0]", |value| match value {
            Value::List(list) => {
                let numbers: Option<Vec<f64>> = list.iter().map(|node| number_of(&node.value)).collect();
                numbers?.try_into().ok()
            }
            _ => None,
        })
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.take(key, "true or false", |value| match value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        })
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        self.take(key, &words.join(" or "), |value| match value {
            Value::Text(text) => choices.iter().find(|(word, _)| *word == text).map(|&(_, choice)| choice),
            _ => None,
        })
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.take(key, "a list of texts", |value| match value {
            Value::List(list) => list.into_iter().map(|node| Self::plain(node.value)).collect(),
            _ => None,
        })
    }

    /// A table of free keys, each with a text, number or flag.
    pub(super) fn pairs(&mut self, key: &str) -> Option<Vec<(String, String)>> {
        self.take(key, "a table of names and values", |value| match value {
            Value::Table(entries) => entries
                .into_iter()
                .map(|(name, _, node)| Self::plain(node.value).map(|value| (name, value)))
                .collect(),
            _ => None,
        })
    }

    /// A table, read by `read`.
    pub(super) fn table<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let path = format!("{}.", self.full(key));
        let line = self.line_of(key);
        let entries = self.take(key, "a table", |value| match value {
            Value::Table(entries) => Some(entries),
            _ => None,
        })?;
        Some(self.below(path, line, entries, read))
    }

    /// A table of free keys, each a table read by `read`.
    pub(super) fn tables_by_name<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Self) -> T,
    ) -> Vec<(String, T)> {
        let path = self.full(key);
        let entries = self.take(key, "a table of tables", |value| match value {
            Value::Table(entries) => Some(entries),
            _ => None,
        });
        let mut made = Vec::new();
        for (name, line, node) in entries.unwrap_or_default() {
            match node.value {
                Value::Table(entries) => {
                    let table = self.below(format!("{path}.{name}."), line, entries, &mut read);
                    made.push((name, table));
                }
                _ => self.report(line, format!("{path}.{name} must be a table, not {}", node.describe())),
            }
        }
        made
    }

    /// A list of tables, each read by `read`.
    pub(super) fn tables<T>(&mut self, key: &str, mut read: impl FnMut(&mut Self) -> T) -> Option<Vec<T>> {
        let path = format!("{}.", self.full(key));
        let nodes = self.take(key, "a list of tables", |value| match value {
            Value::List(list) if list.iter().all(|node| matches!(node.value, Value::Table(_))) => Some(list),
            _ => None,
        })?;
        let mut made = Vec::new();
        for node in nodes {
            if let Value::Table(entries) = node.value {
                made.push(self.below(path.clone(), node.line, entries, &mut read));
            }
        }
        Some(made)
    }

    /// Reads a key that must be present; `what` describes its value in the message.
    pub(super) fn required<T>(
        &mut self,
        key: &str,
        what: &str,
        read: impl FnOnce(&mut Self, &str) -> Option<T>,
    ) -> Option<T> {
        if !self.has(key) {
            self.missing(key, what);
        }
        read(self, key)
    }

    /// Reports that `key` is missing.
    pub(super) fn missing(&mut self, key: &str, what: &str) {
        self.report(self.line, format!("{} is missing: {what}", self.full(key)));
    }

    /// Reports a mistake of the table as a whole.
    pub(super) fn wrong(&mut self, message: impl fmt::Display) {
        let place = self.path.trim_end_matches('.');
        let message = if place.is_empty() { message.to_string() } else { format!("[{place}] {message}") };
        self.report(self.line, message);
    }

    fn below<T>(
        &self,
        path: String,
        line: usize,
        entries: Vec<(String, usize, Node)>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut fields = Self { path, line, entries, known: Vec::new(), mistakes: Rc::clone(&self.mistakes) };
        let made = read(&mut fields);
        fields.finish();
        made
    }

    fn take<T>(&mut self, key: &str, expected: &str, convert: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        self.known.push(key.to_owned());
        let at = self.entries.iter().position(|(name, ..)| name == key)?;
        let (_, line, node) = self.entries.remove(at);
        let described = node.describe();
        let converted = convert(node.value);
        if converted.is_none() {
            self.report(line, format!("{} must be {expected}, not {described}", self.full(key)));
        }
        converted
    }

    /// The line that begins the table.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The line of a key that has not been taken yet, or else the table's.
    pub(super) fn line_of(&self, key: &str) -> usize {
        self.entries.iter().find(|(name, ..)| name == key).map_or(self.line, |&(_, line, _)| line)
    }

    fn full(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }

    fn report(&self, line: usize, message: String) {
        self.mistakes.borrow_mut().push((line, message));
    }

    fn finish(&mut self) {
        for (name, line, _) in std::mem::take(&mut self.entries) {
            let hint = match nearest(&name, self.known.iter().map(String::as_str)) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known here: {}", self.known.join(", ")),
            };
            self.report(line, format!("unknown key `{}`; {hint}", self.full(&name)));
        }
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match *value {
        Value::Integer(number) => Some(number as f64),
        Value::Number(number) if number.is_finite() => Some(number),
        _ => None,
    }
}

/// Returns `text` as a TOML string, with its quotation marks.
pub fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
