//! What may be tuned: names, ranges, starting values.

use serde::{Deserialize, Serialize};

/// Whether a parameter takes whole numbers only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Engines are given whole numbers.
    #[default]
    Integer,
    /// Engines are given any number in the range.
    Real,
}

/// One number of an engine that a tuner may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The engine's name for it.
    pub name: String,
    /// The lowest value tried.
    pub min: f64,
    /// The highest value tried.
    pub max: f64,
    /// The value before tuning.
    pub start: f64,
    /// Whole numbers or not.
    pub kind: Kind,
    /// How far apart two values must be to play differently, if anybody knows; sweeps move by it.
    pub step: Option<f64>,
}

impl Parameter {
    /// A whole-number parameter without a known step.
    pub fn integer(name: impl Into<String>, min: f64, max: f64, start: f64) -> Self {
        Self { name: name.into(), min, max, start, kind: Kind::Integer, step: None }
    }

    /// A parameter that takes any number.
    pub fn real(name: impl Into<String>, min: f64, max: f64, start: f64) -> Self {
        Self { kind: Kind::Real, ..Self::integer(name, min, max, start) }
    }

    /// From the lowest value to the highest.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// `value` or the nearest end of the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }

    /// The nearest value an engine can be given.
    pub fn nearest(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Integer => self.clamp(value.round()),
            Kind::Real => self.clamp(value),
        }
    }

    fn error(&self) -> Option<SpaceError> {
        let name = self.name.clone();
        let &Self { min, max, start, .. } = self;
        if name.is_empty() {
            Some(SpaceError::Nameless)
        } else if ![min, max, start].iter().all(|value| value.is_finite()) {
            Some(SpaceError::NotANumber { name })
        } else if min >= max {
            Some(SpaceError::EmptyRange { name, min, max })
        } else if start < min || start > max {
            Some(SpaceError::StartOutside { name, min, max, start })
        } else if self.kind == Kind::Integer && [min, max, start].iter().any(|value| value.fract() != 0.0) {
            Some(SpaceError::NotWhole { name })
        } else if self.step.is_some_and(|step| !step.is_finite() || step <= 0.0) {
            Some(SpaceError::BadStep { name })
        } else {
            None
        }
    }
}

/// What is wrong with a set of parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SpaceError {
    #[error("there is no parameter to tune")]
    Empty,
    #[error("a parameter has no name")]
    Nameless,
    #[error("parameter `{name}` is named twice")]
    Twice { name: String },
    #[error("parameter `{name}` has a bound or start that is not a finite number")]
    NotANumber { name: String },
    #[error("parameter `{name}` has an empty range: min {min} is not below max {max}")]
    EmptyRange { name: String, min: f64, max: f64 },
    #[error("parameter `{name}` starts at {start}, outside its range {min} to {max}")]
    StartOutside { name: String, min: f64, max: f64, start: f64 },
    #[error("parameter `{name}` takes whole numbers, but its min, max or start is not one")]
    NotWhole { name: String },
    #[error("parameter `{name}` has a step that is not above 0")]
    BadStep { name: String },
}

/// A checked, non-empty list of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Space(Vec<Parameter>);

impl Space {
    /// Accepts one or more parameters with distinct names, each with its start inside its range.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        match Self::errors(&parameters).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(Self(parameters)),
        }
    }

    /// Everything that [`Space::new`] would refuse, in the order of the list.
    pub fn errors(parameters: &[Parameter]) -> Vec<SpaceError> {
        let mut errors = Vec::new();
        if parameters.is_empty() {
            errors.push(SpaceError::Empty);
        }
        for (index, parameter) in parameters.iter().enumerate() {
            errors.extend(parameter.error());
            if parameters[..index].iter().any(|earlier| earlier.name == parameter.name) {
                errors.push(SpaceError::Twice { name: parameter.name.clone() });
            }
        }
        errors
    }

    /// The parameters, in the order given.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// How many there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "a space is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The values before tuning.
    pub fn start(&self) -> Settings {
        Settings(self.0.iter().map(|parameter| parameter.start).collect())
    }

    /// The nearest settings an engine can be given.
    pub fn nearest(&self, values: &[f64]) -> Settings {
        Settings(self.0.iter().zip(values).map(|(parameter, &value)| parameter.nearest(value)).collect())
    }

    /// Each parameter's name with its value in `settings`.
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

/// One value for each parameter of a [`Space`], in its order.
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
                "parameter `a` is named twice",
                "parameter `c` takes whole numbers, but its min, max or start is not one",
            ]
        );
        assert_eq!(Space::new(Vec::new()), Err(SpaceError::Empty));
    }

    #[test]
    fn the_nearest_settings_are_whole_where_asked_and_inside_the_range() {
        let space =
            Space::new(vec![Parameter::integer("a", 0.0, 10.0, 5.0), Parameter::real("b", -1.0, 1.0, 0.0)])
                .unwrap();
        assert_eq!(space.nearest(&[4.6, 0.25]), Settings(vec![5.0, 0.25]));
        assert_eq!(space.nearest(&[99.0, -7.0]), Settings(vec![10.0, -1.0]));
    }
}
