//! Options, checked against what an engine declares.

use crate::player::EngineOption;
use crate::protocol::uci::{OptionDeclaration, OptionKind};
use crate::spelling::nearest;

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The engine does not declare it.
    #[error("has no option `{name}`{}", hint(.nearest))]
    Unknown {
        /// The name.
        name: String,
        /// A declared name that looks alike.
        nearest: Option<String>,
    },
    /// The value does not fit the declaration.
    #[error("does not take `{value}` for its option `{name}`: {wanted}")]
    Refused {
        /// The name.
        name: String,
        /// The value.
        value: String,
        /// What would be taken.
        wanted: String,
    },
    /// The text would smuggle a second command.
    #[error("option `{name}`: a name or value must be one line of text")]
    NotOneLine {
        /// The name, its line ends shown.
        name: String,
    },
    /// It was changed for an earlier pair and declares no default to return to.
    #[error(
        "option `{name}` cannot be set back: it declares no default; name it in the engine's own options"
    )]
    NoDefault {
        /// The name.
        name: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A number that an engine lets itself be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberOption {
    /// The name.
    pub name: String,
    /// The least it takes.
    pub min: i64,
    /// The most it takes.
    pub max: i64,
    /// What it stands at by itself.
    pub default: i64,
}

/// What an engine declared, and what it has been told so far.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionState {
    declared: Vec<OptionDeclaration>,
    base: Vec<EngineOption>,
    sent: Vec<EngineOption>,
}

impl OptionState {
    /// More options than any engine has; keeps a hostile one from filling our memory.
    const MOST: usize = 4096;

    pub(super) fn declare(&mut self, option: OptionDeclaration) {
        if self.declared.len() < Self::MOST {
            self.declared.push(option);
        }
    }

    /// Takes the options that hold for every game.
    pub(super) fn set_base(&mut self, base: &[EngineOption]) {
        self.base = base.to_vec();
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Every number with a range and a default.
    pub(super) fn numbers(&self) -> Vec<NumberOption> {
        let number = |option: &OptionDeclaration| match option.kind {
            OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) } => {
                Some(NumberOption { name: option.name.clone(), min, max, default })
            }
            _ => None,
        };
        self.declared.iter().filter_map(number).collect()
    }

    /// Everything the engine has been told and not been told otherwise since.
    pub(super) fn sent(&self) -> &[EngineOption] {
        &self.sent
    }

    /// What a declared option stands at now: what the engine was told, or else what it declares as its default.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let sent = self.sent.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        match sent {
            Some(option) => Some(option.value.clone()),
            None => self.default_of(&self.find(name)?.name).ok().map(|option| option.value),
        }
    }

    /// The number that a declared option stands at now.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.value(name)?.parse().ok()
    }

    fn find(&self, name: &str) -> Option<&OptionDeclaration> {
        self.declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The `setoption`s that bring the engine from what it was told to `base` with `overrides` on top.
    pub(super) fn changes(&mut self, overrides: &[EngineOption]) -> Result<Vec<EngineOption>, OptionError> {
        if overrides.is_empty() && self.sent == self.base {
            return Ok(Vec::new());
        }
        let mut wanted = self.base.clone();
        for option in overrides {
            match wanted.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&option.name)) {
                Some(known) => known.value.clone_from(&option.value),
                None => wanted.push(option.clone()),
            }
        }
        for sent in &self.sent {
            if !wanted.iter().any(|option| option.name.eq_ignore_ascii_case(&sent.name)) {
                wanted.push(self.default_of(&sent.name)?);
            }
        }
        wanted.iter().try_for_each(|option| self.check(option))?;
        let changed = wanted.iter().filter(|option| !self.sent.contains(option)).cloned().collect();
        self.sent = wanted;
        Ok(changed)
    }

    fn default_of(&self, name: &str) -> Result<EngineOption, OptionError> {
        let value = self.find(name).and_then(|option| match &option.kind {
            OptionKind::Check { default } => default.map(|value| value.to_string()),
            OptionKind::Spin { default, .. } => default.map(|value| value.to_string()),
            OptionKind::Combo { default, .. } => default.clone(),
            OptionKind::String { default } => Some(default.clone()),
            OptionKind::Button => Some(String::new()),
        });
        let value = value.ok_or_else(|| OptionError::NoDefault { name: name.to_owned() })?;
        Ok(EngineOption::new(name, value))
    }

    /// Whether the engine will take this option.
    pub(super) fn check(&self, option: &EngineOption) -> Result<(), OptionError> {
        let EngineOption { name, value } = option;
        if [name, value].iter().any(|text| text.chars().any(char::is_control)) {
            return Err(OptionError::NotOneLine { name: name.escape_debug().to_string() });
        }
        let Some(declared) = self.find(name) else {
            let known = self.declared.iter().map(|option| option.name.as_str());
            let nearest = nearest(name, known).map(str::to_owned);
            return Err(OptionError::Unknown { name: name.clone(), nearest });
        };
        match accepted_values(&declared.kind, value) {
            None => Ok(()),
            Some(wanted) => Err(OptionError::Refused { name: name.clone(), value: value.clone(), wanted }),
        }
    }
}

/// What the declaration would take instead of `value`; `None` if it takes it.
fn accepted_values(kind: &OptionKind, value: &str) -> Option<String> {
    match kind {
        OptionKind::Check { .. } => {
            (!["true", "false"].contains(&value)).then(|| "it takes true or false".to_owned())
        }
        OptionKind::Spin { min, max, .. } => {
            let (low, high) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            if low > high {
                return Some(format!("it declares the empty range {low} to {high}"));
            }
            let fits = value.parse::<i64>().is_ok_and(|number| (low..=high).contains(&number));
            (!fits).then(|| format!("it takes whole numbers from {low} to {high}"))
        }
        OptionKind::Combo { choices, .. } => {
            let known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
            (!known).then(|| format!("it takes one of {}", choices.join(", ")))
        }
        OptionKind::Button => (!value.is_empty()).then(|| "it is a button and takes no value".to_owned()),
        OptionKind::String { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::uci::Reply;

    fn state(lines: &[&str]) -> OptionState {
        let mut state = OptionState::default();
        for line in lines {
            if let Reply::Option(option) = Reply::parse(line) {
                state.declare(option);
            }
        }
        state
    }

    #[test]
    fn an_option_that_cannot_be_set_is_refused_with_its_name() {
        let state = state(&[
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Ponder type check default false",
            "option name Style type combo default Solid var Solid var Risky",
            "option name Clear Hash type button",
            "option name Broken type spin default 5 min 10 max 1",
            "option name Wide type spin default 1e30 min -1e30 max 1e30",
        ]);
        for (name, value, complaint) in [
            ("hash", "64", None),
            ("Hash", "4096", Some("whole numbers from 1 to 1024")),
            ("Hash", "many", Some("whole numbers")),
            ("Hahs", "64", Some("did you mean `Hash`")),
            ("Contempt", "0", Some("has no option `Contempt`")),
            ("ponder", "yes", Some("true or false")),
            ("Style", "risky", None),
            ("Style", "wild", Some("one of Solid, Risky")),
            ("Clear Hash", "", None),
            ("Clear Hash", "1", Some("button")),
            ("Broken", "5", Some("empty range")),
            ("Hash", "16\nquit", Some("one line")),
        ] {
            let verdict = state.check(&EngineOption::new(name, value));
            match complaint {
                None => assert_eq!(verdict, Ok(()), "{name}={value}"),
                Some(text) => {
                    let message = verdict.unwrap_err().to_string();
                    assert!(message.contains(text), "{name}={value}: {message}");
                }
            }
        }
    }

    #[test]
    fn only_changes_are_told_and_an_override_ends_with_its_pair() {
        let mut state = state(&[
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Pawn type spin default 100 min 0 max 500",
        ]);
        let [hash, pawn] = [EngineOption::new("Hash", "8"), EngineOption::new("Pawn", "120")];
        state.set_base(std::slice::from_ref(&hash));
        assert_eq!(state.changes(&[]).unwrap(), [hash]);
        assert_eq!(state.changes(std::slice::from_ref(&pawn)).unwrap(), std::slice::from_ref(&pawn));
        assert_eq!(state.changes(std::slice::from_ref(&pawn)).unwrap(), [], "nothing new");
        assert_eq!(state.changes(&[]).unwrap(), [EngineOption::new("Pawn", "100")], "back to its default");
    }
}
