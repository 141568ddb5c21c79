//! Engine options: their declarations, current values and validation.

use crate::player::EngineOption;
use crate::protocol::uci::{OptionDeclaration, OptionKind};
use crate::spelling::nearest;

/// Reason why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The engine does not declare the option.
    #[error("has no option `{name}`{}", hint(.nearest))]
    Unknown {
        /// Name that was given.
        name: String,
        /// The declared name most similar to it.
        nearest: Option<String>,
    },
    /// The value does not fit the declaration.
    #[error("does not accept `{value}` for its option `{name}`: expected {expected}")]
    Refused {
        /// Name of the option.
        name: String,
        /// Value that was given.
        value: String,
        /// Description of the accepted values.
        expected: String,
    },
    /// The text contains a line end, which would start a second command.
    #[error("cannot be sent option `{name}`: the name and the value must each be a single line")]
    NotOneLine {
        /// The name, with its control characters escaped.
        name: String,
    },
    /// The option was changed for an earlier pair and declares no default that could be restored.
    #[error(
        "declares no default for its option `{name}`, so it cannot be reset; set it in the engine's own options"
    )]
    NoDefault {
        /// Name of the option.
        name: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A spin option declared by an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberOption {
    /// Declared name.
    pub name: String,
    /// Smallest accepted value.
    pub min: i64,
    /// Largest accepted value.
    pub max: i64,
    /// Declared default.
    pub default: i64,
}

/// Options that an engine declared, and the values sent to it so far.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionState {
    declared: Vec<OptionDeclaration>,
    base: Vec<EngineOption>,
    sent: Vec<EngineOption>,
}

impl OptionState {
    /// Larger than the number of options of any engine; bounds the memory that a hostile one can use.
    const MOST: usize = 4096;

    pub(super) fn declare(&mut self, option: OptionDeclaration) {
        if self.declared.len() < Self::MOST {
            self.declared.push(option);
        }
    }

    /// Returns the kind of a declared option.
    pub(super) fn kind(&self, name: &str) -> Option<&OptionKind> {
        self.find(name).map(|option| &option.kind)
    }

    /// Sets the options that apply to every game.
    pub(super) fn set_base(&mut self, base: &[EngineOption]) {
        self.base = base.to_vec();
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns all declarations, in the order of the engine.
    pub(super) fn declared(&self) -> &[OptionDeclaration] {
        &self.declared
    }

    /// Returns the options that have been sent, with their latest values.
    pub(super) fn sent(&self) -> &[EngineOption] {
        &self.sent
    }

    /// Returns the current value of a declared option: the value sent last, or the declared default.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let sent = self.sent.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        match sent {
            Some(option) => Some(option.value.clone()),
            None => self.default_of(&self.find(name)?.name).ok().map(|option| option.value),
        }
    }

    /// Returns the current value of a declared option if it is a number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.value(name)?.parse().ok()
    }

    fn find(&self, name: &str) -> Option<&OptionDeclaration> {
        self.declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns the options that must be sent so that the engine has the base options with `overrides` applied over
    /// them.
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
        self.press_buttons(&mut wanted);
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

    /// A button has no value: `true` presses it, `false` does not.
    fn press_buttons(&self, wanted: &mut Vec<EngineOption>) {
        let is_button =
            |name: &str| self.find(name).is_some_and(|option| matches!(option.kind, OptionKind::Button));
        wanted.retain(|option| option.value != "false" || !is_button(&option.name));
        for option in wanted.iter_mut().filter(|option| option.value == "true" && is_button(&option.name)) {
            option.value.clear();
        }
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

    /// Checks whether the engine accepts this option.
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
            Some(expected) => {
                Err(OptionError::Refused { name: name.clone(), value: value.clone(), expected })
            }
        }
    }
}

/// Describes the values accepted by the declaration; returns `None` if `value` is one of them.
fn accepted_values(kind: &OptionKind, value: &str) -> Option<String> {
    match kind {
        OptionKind::Check { .. } => (!["true", "false"].contains(&value)).then(|| "true or false".to_owned()),
        OptionKind::Spin { min, max, .. } => {
            let (low, high) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            if low > high {
                return Some(format!("nothing, because it declares the empty range {low} to {high}"));
            }
            let fits = value.parse::<i64>().is_ok_and(|number| (low..=high).contains(&number));
            (!fits).then(|| format!("an integer from {low} to {high}"))
        }
        OptionKind::Combo { choices, .. } => {
            let known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
            (!known).then(|| format!("one of {}", choices.join(", ")))
        }
        OptionKind::Button => (!value.is_empty()).then(|| "no value, because it is a button".to_owned()),
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
    fn an_option_that_cannot_be_set_is_refused_with_its_name_and_the_accepted_values() {
        let state = state(&[
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Ponder type check default false",
            "option name Style type combo default Solid var Solid var Risky",
            "option name Clear Hash type button",
            "option name Broken type spin default 5 min 10 max 1",
            "option name Wide type spin default 1e30 min -1e30 max 1e30",
        ]);
        for (name, value, problem) in [
            ("hash", "64", None),
            ("Hash", "4096", Some("expected an integer from 1 to 1024")),
            ("Hash", "many", Some("an integer")),
            ("Hahs", "64", Some("did you mean `Hash`")),
            ("Contempt", "0", Some("has no option `Contempt`")),
            ("ponder", "yes", Some("true or false")),
            ("Style", "risky", None),
            ("Style", "wild", Some("one of Solid, Risky")),
            ("Clear Hash", "", None),
            ("Clear Hash", "1", Some("button")),
            ("Broken", "5", Some("empty range")),
            ("Hash", "16\nquit", Some("single line")),
        ] {
            let checked = state.check(&EngineOption::new(name, value));
            match problem {
                None => assert_eq!(checked, Ok(()), "{name}={value}"),
                Some(text) => {
                    let message = checked.unwrap_err().to_string();
                    assert!(message.contains(text), "{name}={value}: {message}");
                }
            }
        }
    }

    #[test]
    fn only_changes_are_sent_and_an_override_ends_with_its_pair() {
        let mut state = state(&[
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Pawn type spin default 100 min 0 max 500",
        ]);
        let [hash, pawn] = [EngineOption::new("Hash", "8"), EngineOption::new("Pawn", "120")];
        state.set_base(std::slice::from_ref(&hash));
        assert_eq!(state.changes(&[]).unwrap(), [hash]);
        assert_eq!(state.changes(std::slice::from_ref(&pawn)).unwrap(), std::slice::from_ref(&pawn));
        assert_eq!(state.changes(std::slice::from_ref(&pawn)).unwrap(), [], "nothing changed");
        assert_eq!(state.changes(&[]).unwrap(), [EngineOption::new("Pawn", "100")], "back to its default");
    }
}
