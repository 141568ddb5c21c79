//! How an engine declares an option.

use std::fmt;

use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// An option an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDeclaration {
    /// Its name, one space between words; upper and lower case are one when it is set.
    pub name: String,
    /// What it can be set to.
    pub kind: OptionKind,
}

/// What an option can be set to. Engines leave parts out; an absent part is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// True or false.
    Check {
        /// Its value until set.
        default: Option<bool>,
    },
    /// A whole number in a range.
    Spin {
        /// Its value until set.
        default: Option<i64>,
        /// The least.
        min: Option<i64>,
        /// The greatest.
        max: Option<i64>,
    },
    /// One of several words.
    Combo {
        /// Its value until set.
        default: Option<String>,
        /// What may be chosen.
        choices: Vec<String>,
    },
    /// An action.
    Button,
    /// Text, perhaps empty.
    String {
        /// Its value until set.
        default: String,
    },
}

/// How UCI writes an empty text.
const EMPTY: &str = "<empty>";

impl OptionDeclaration {
    /// Reads the words after `option`; `None` if they declare nothing.
    pub(super) fn parse(mut words: Cursor<'_>) -> Option<Self> {
        words.find(|&word| word == "name")?;
        // A name may hold the word `type`; the one that counts is followed by a type.
        let name = words.take_until(|after, word| word == "type" && after.peek().is_some_and(is_kind));
        words.next();
        let kind = OptionKind::parse(words.next()?, words)?;
        (!name.is_empty()).then(|| Self { name: name.to_string(), kind })
    }
}

fn is_kind(word: &str) -> bool {
    ["check", "spin", "combo", "button", "string"].contains(&word)
}

impl OptionKind {
    fn parse(kind: &str, mut words: Cursor<'_>) -> Option<Self> {
        if kind == "string" {
            let default = words.next().map_or("", |_default| words.rest());
            return Some(Self::String { default: if default == EMPTY { "" } else { default }.to_owned() });
        }
        let (mut default, mut min, mut max, mut choices) = (None, None, None, Vec::new());
        while let Some(word) = words.next() {
            match word {
                "default" => default = Some(part(&mut words)),
                "min" => min = words.number(),
                "max" => max = words.number(),
                "var" => choices.push(part(&mut words).to_string()),
                _ => {}
            }
        }
        Some(match kind {
            "check" => Self::Check { default: default.and_then(|text| text.as_str().parse().ok()) },
            "spin" => Self::Spin { default: default.and_then(|text| text.iter().number()), min, max },
            "combo" => Self::Combo { default: default.map(|text| text.to_string()), choices },
            "button" => Self::Button,
            _ => return None,
        })
    }
}

/// The words up to the next part of a declaration.
fn part<'a>(words: &mut Cursor<'a>) -> Words<'a> {
    words.take_until(|_, word| ["default", "min", "max", "var"].contains(&word))
}

/// The whole line, `option` included.
impl fmt::Display for OptionDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type {}", self.name, self.kind)
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check { default } => {
                f.write_str("check")?;
                field(f, "default", default.as_ref())
            }
            Self::Spin { default, min, max } => {
                f.write_str("spin")?;
                field(f, "default", default.as_ref())?;
                field(f, "min", min.as_ref())?;
                field(f, "max", max.as_ref())
            }
            Self::Combo { default, choices } => {
                f.write_str("combo")?;
                field(f, "default", default.as_ref())?;
                choices.iter().try_for_each(|choice| field(f, "var", Some(choice)))
            }
            Self::Button => f.write_str("button"),
            Self::String { default } => {
                write!(f, "string default {}", if default.is_empty() { EMPTY } else { default })
            }
        }
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<OptionDeclaration> {
        OptionDeclaration::parse(Words::new(text).iter())
    }

    #[test]
    fn the_usual_declarations_are_read() {
        let cases = [
            (
                "name Hash type spin default 16 min 1 max 4096",
                "Hash",
                OptionKind::Spin { default: Some(16), min: Some(1), max: Some(4096) },
            ),
            ("name Clear  Hash type button", "Clear Hash", OptionKind::Button),
            ("name Ponder type check default false", "Ponder", OptionKind::Check { default: Some(false) }),
            (
                "name Style type combo default Very Solid var Very Solid var Risky",
                "Style",
                OptionKind::Combo {
                    default: Some("Very Solid".into()),
                    choices: vec!["Very Solid".into(), "Risky".into()],
                },
            ),
            (
                "name NalimovPath type string default <empty>",
                "NalimovPath",
                OptionKind::String { default: String::new() },
            ),
            ("name Log File type string default", "Log File", OptionKind::String { default: String::new() }),
            (
                "name Piece type weight type spin",
                "Piece type weight",
                OptionKind::Spin { default: None, min: None, max: None },
            ),
        ];
        for (text, name, kind) in cases {
            assert_eq!(read(text), Some(OptionDeclaration { name: name.into(), kind }), "{text}");
        }
        for broken in ["", "name", "name Hash", "name Hash type", "name Hash type table", "type spin"] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }
}
