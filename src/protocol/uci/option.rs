//! Option declarations of an engine.

use std::fmt;

use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// The declaration of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDeclaration {
    /// The name, with one space between words. Case is ignored when the option is set.
    pub name: String,
    /// The type and the values of the option.
    pub kind: OptionKind,
}

/// The type and the values of an option. Parts that the engine omits are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A boolean.
    Check {
        /// The default value.
        default: Option<bool>,
    },
    /// An integer in a range.
    Spin {
        /// The default value.
        default: Option<i64>,
        /// The minimum.
        min: Option<i64>,
        /// The maximum.
        max: Option<i64>,
    },
    /// One of several predefined strings.
    Combo {
        /// The default value.
        default: Option<String>,
        /// The predefined strings.
        choices: Vec<String>,
    },
    /// An action.
    Button,
    /// A string, possibly empty.
    String {
        /// The default value.
        default: String,
    },
}

/// The most choices of a combo that are kept, and the most bytes of them. A combo with more is read as a string, which
/// accepts any value, so that declarations of many megabytes do not become many more megabytes of small allocations.
const MAX_CHOICES: usize = 256;
const MAX_CHOICE_BYTES: usize = 16 << 10;

/// The representation of an empty string in UCI.
const EMPTY: &str = "<empty>";

impl OptionDeclaration {
    /// Parses the words after `option`. Returns `None` if they are not a declaration.
    pub(super) fn parse(mut words: Cursor<'_>) -> Option<Self> {
        words.find(|&word| word == "name")?;
        // A name may contain the word `type`; only a `type` followed by a valid type ends the name.
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
        let (mut default, mut min, mut max, mut choices) = (None, None, None, Choices::default());
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
            "combo" => choices.into_combo(default.map(|text| text.to_string())),
            "button" => Self::Button,
            _ => return None,
        })
    }
}

/// The choices of a combo, as far as they are kept.
#[derive(Default)]
pub(in crate::protocol) struct Choices {
    kept: Vec<String>,
    bytes: usize,
    too_many: bool,
}

impl Choices {
    /// Adds a choice.
    pub(in crate::protocol) fn push(&mut self, choice: String) {
        self.bytes += choice.len();
        self.too_many |= self.kept.len() == MAX_CHOICES || self.bytes > MAX_CHOICE_BYTES;
        if !self.too_many {
            self.kept.push(choice);
        }
    }

    /// Returns the kind of an option with these choices.
    pub(in crate::protocol) fn into_combo(self, default: Option<String>) -> OptionKind {
        if self.too_many {
            return OptionKind::String { default: default.unwrap_or_default() };
        }
        OptionKind::Combo { default, choices: self.kept }
    }
}

/// Consumes the words up to the next part of a declaration.
fn part<'a>(words: &mut Cursor<'a>) -> Words<'a> {
    words.take_until(|_, word| ["default", "min", "max", "var"].contains(&word))
}

/// Formats the whole line, including `option`.
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
    fn a_combo_with_more_choices_than_are_kept_accepts_any_value() {
        let combo = |count: usize, choice: &str| {
            let choices = format!(" var {choice}").repeat(count);
            read(&format!("name Book type combo default {choice}{choices}")).unwrap().kind
        };
        assert!(
            matches!(combo(MAX_CHOICES, "a"), OptionKind::Combo { choices, .. } if choices.len() == MAX_CHOICES)
        );
        assert_eq!(combo(MAX_CHOICES + 1, "a"), OptionKind::String { default: "a".into() });
        let long = "x".repeat(MAX_CHOICE_BYTES / 2);
        assert!(matches!(combo(2, &long), OptionKind::Combo { .. }));
        assert_eq!(combo(3, &long), OptionKind::String { default: long });
    }

    #[test]
    fn typical_declarations_are_read() {
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
