//! The parameters of a tuning run: names, ranges, starting values.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// Whether a parameter is an integer or a real number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The engine takes integers only.
    #[default]
    Integer,
    /// The engine takes any number in the range.
    Real,
    /// The engine takes one of several values without an order, which are numbered from 0.
    Choice,
}

/// A numeric parameter of an engine that a tuner may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name of the parameter in the engine.
    pub name: String,
    /// Lowest value tried.
    pub min: f64,
    /// Highest value tried.
    pub max: f64,
    /// Value before tuning.
    pub start: f64,
    /// Integer or real.
    pub kind: Kind,
    /// The smallest difference between two values that changes play, if known; the step size of a coordinate search.
    pub step: Option<f64>,
    /// What the engine is sent for each value of a choice, from 0 on; empty for numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl Parameter {
    /// Creates an integer parameter without a step.
    pub fn integer(name: impl Into<String>, min: f64, max: f64, start: f64) -> Self {
        Self { name: name.into(), min, max, start, kind: Kind::Integer, step: None, values: Vec::new() }
    }

    /// Creates a real parameter without a step.
    pub fn real(name: impl Into<String>, min: f64, max: f64, start: f64) -> Self {
        Self { kind: Kind::Real, ..Self::integer(name, min, max, start) }
    }

    /// Creates a parameter that is one of `values`, at first the one with the number `start`.
    pub fn choice(name: impl Into<String>, values: Vec<String>, start: usize) -> Self {
        let last = values.len().saturating_sub(1) as f64;
        Self { kind: Kind::Choice, values, ..Self::integer(name, 0.0, last, start as f64) }
    }

    /// Returns the text that the engine is sent for a value.
    pub fn text(&self, value: f64) -> String {
        self.values.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
    }

    /// Rounds to a value that the engine accepts: up with the probability of the part after the point, if `noise` is from 0
    /// to 1 at random.
    pub(super) fn rounded(&self, value: f64, noise: f64) -> f64 {
        match self.kind {
            Kind::Integer | Kind::Choice => self.clamp((self.clamp(value) + noise).floor()),
            Kind::Real => self.clamp(value),
        }
    }

    /// Returns the width of the range.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// Returns `value`, limited to the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }

    /// Returns the nearest value that the engine accepts.
    pub fn nearest(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Integer | Kind::Choice => self.clamp(value.round()),
            Kind::Real => self.clamp(value),
        }
    }

    fn error(&self) -> Option<SpaceError> {
        let name = self.name.clone();
        let &Self { min, max, start, .. } = self;
        if name.is_empty() {
            Some(SpaceError::Nameless)
        } else if ![min, max, start].iter().all(|value| value.is_finite()) {
            Some(SpaceError::NotFinite { name })
        } else if min >= max {
            Some(SpaceError::EmptyRange { name, min, max })
        } else if start < min || start > max {
            Some(SpaceError::StartOutside { name, min, max, start })
        } else if self.kind != Kind::Real && [min, max, start].iter().any(|value| value.fract() != 0.0) {
            Some(SpaceError::NotInteger { name })
        } else if self.kind == Kind::Choice && (min != 0.0 || !is_last(&self.values, max)) {
            Some(SpaceError::PartOfChoice { name })
        } else if self.step.is_some_and(|step| !step.is_finite() || step <= 0.0) {
            Some(SpaceError::InvalidStep { name })
        } else {
            None
        }
    }
}

/// Returns whether `number` is that of the last value; unnamed values may be any number.
fn is_last(values: &[String], number: f64) -> bool {
    values.is_empty() || number == (values.len() - 1) as f64
}

/// Why a list of parameters was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum SpaceError {
    #[error("there is no parameter to tune")]
    Empty,
    #[error("there are {count} parameters to tune, more than {}", Space::MAX_PARAMETERS)]
    TooMany { count: usize },
    #[error("a parameter has no name")]
    Nameless,
    #[error("parameter `{name}` is listed twice")]
    Duplicate { name: String },
    #[error("parameter `{name}` has a bound or start that is not a finite number")]
    NotFinite { name: String },
    #[error("parameter `{name}` has an empty range: min {min} is not below max {max}")]
    EmptyRange { name: String, min: f64, max: f64 },
    #[error("parameter `{name}` starts at {start}, outside its range {min} to {max}")]
    StartOutside { name: String, min: f64, max: f64, start: f64 },
    #[error("parameter `{name}` is an integer, but its min, max or start is not")]
    NotInteger { name: String },
    #[error(
        "parameter `{name}` is one of several values: it has no min or max, and start is the number of one, from 0"
    )]
    PartOfChoice { name: String },
    #[error("parameter `{name}` has a step that is not greater than 0")]
    InvalidStep { name: String },
}

/// A validated, non-empty list of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Space(Vec<Parameter>);

impl Space {
    /// Creates a space of one or more parameters with distinct names, each with its start inside its range.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        match Self::errors(&parameters).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(Self(parameters)),
        }
    }

    /// Largest number of parameters, far beyond what games can distinguish.
    pub const MAX_PARAMETERS: usize = 10_000;

    /// Returns all errors for which [`Space::new`] would refuse the list, in its order.
    pub fn errors(parameters: &[Parameter]) -> Vec<SpaceError> {
        let mut errors = Vec::new();
        if parameters.is_empty() {
            errors.push(SpaceError::Empty);
        }
        if parameters.len() > Self::MAX_PARAMETERS {
            return vec![SpaceError::TooMany { count: parameters.len() }];
        }
        let mut names = HashSet::with_capacity(parameters.len());
        for parameter in parameters {
            errors.extend(parameter.error());
            if !names.insert(&parameter.name) {
                errors.push(SpaceError::Duplicate { name: parameter.name.clone() });
            }
        }
        errors
    }

    /// Returns the parameters, in the order given.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// Returns the number of parameters; at least one.
    #[expect(clippy::len_without_is_empty, reason = "a space is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the values before tuning.
    pub fn start(&self) -> Settings {
        Settings(self.0.iter().map(|parameter| parameter.start).collect())
    }

    /// Returns the nearest settings that the engine accepts.
    pub fn nearest(&self, values: &[f64]) -> Settings {
        Settings(self.0.iter().zip(values).map(|(parameter, &value)| parameter.nearest(value)).collect())
    }

    /// Returns the name of each parameter with the text that the engine is sent for its value in `settings`.
    pub fn texts<'a>(&'a self, settings: &'a Settings) -> impl Iterator<Item = (&'a str, String)> {
        let text =
            |(parameter, &value): (&'a Parameter, &f64)| (parameter.name.as_str(), parameter.text(value));
        self.0.iter().zip(&settings.0).map(text)
    }

    /// Returns the name of each parameter with its value in `settings`.
    pub fn named<'a>(&'a self, settings: &'a Settings) -> impl Iterator<Item = (&'a str, f64)> {
        self.0.iter().zip(&settings.0).map(|(parameter, &value)| (parameter.name.as_str(), value))
    }
}

impl TryFrom<Vec<Parameter>> for Space {
    type Error = SpaceError;

    fn try_from(parameters: Vec<Parameter>) -> Result<Self, Self::Error> {
        Self::new(parameters)
    }
}

impl From<Space> for Vec<Parameter> {
    fn from(space: Space) -> Self {
        space.0
    }
}

/// One value per parameter of a [`Space`], in its order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(pub Vec<f64>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_of_a_list_is_reported() {
        let parameters = vec![
            Parameter::integer("a", 0.0, 10.0, 11.0),
            Parameter::integer("b", 3.0, 3.0, 3.0),
            Parameter::integer("a", 0.0, 10.0, 5.0),
            Parameter::integer("c", 0.0, 1.5, 1.0),
        ];
        let messages: Vec<_> = Space::errors(&parameters).iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "parameter `a` starts at 11, outside its range 0 to 10",
                "parameter `b` has an empty range: min 3 is not below max 3",
                "parameter `a` is listed twice",
                "parameter `c` is an integer, but its min, max or start is not",
            ]
        );
        assert_eq!(Space::new(Vec::new()), Err(SpaceError::Empty));
    }

    #[test]
    fn row_198_a_hundred_thousand_parameters_are_refused_at_once() {
        let many = vec![Parameter::integer("a", 0.0, 10.0, 11.0); 100_000];
        assert_eq!(Space::errors(&many), [SpaceError::TooMany { count: 100_000 }]);
    }

    #[test]
    fn the_nearest_settings_are_rounded_for_integers_and_inside_the_range() {
        let space =
            Space::new(vec![Parameter::integer("a", 0.0, 10.0, 5.0), Parameter::real("b", -1.0, 1.0, 0.0)])
                .unwrap();
        assert_eq!(space.nearest(&[4.6, 0.25]), Settings(vec![5.0, 0.25]));
        assert_eq!(space.nearest(&[99.0, -7.0]), Settings(vec![10.0, -1.0]));
    }

    #[test]
    fn an_engine_is_sent_the_words_of_a_choice_and_the_digits_of_a_number() {
        let switch = Parameter::choice("Ponder", vec!["false".to_owned(), "true".to_owned()], 1);
        assert_eq!(
            (switch.start, switch.text(0.0), switch.text(1.0)),
            (1.0, "false".to_owned(), "true".to_owned())
        );
        assert_eq!(Parameter::real("scale", 0.0, 2.0, 1.0).text(0.25), "0.25");
        assert_eq!(Parameter::integer("razor", 0.0, 200.0, 1.0).text(120.0), "120");
    }
}
