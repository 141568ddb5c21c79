//! Values that are chosen by name on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::commands::InitKind;
use crate::config::Preset;
use crate::fleet::Placement;
use crate::opening::{AfterBook, BookFormat, Order};
use crate::stats::{EloModel, TestKind};

/// A type whose values have names. The names are those of configuration files.
pub trait Choices: Copy + Send + Sync + 'static {
    /// Every value with its name and a line of help, which may be empty.
    const WORDS: &'static [(Self, &'static str, &'static str)];
}

/// Returns the value of `T` with this name.
pub fn named<T: Choices>(name: &str) -> Option<T> {
    T::WORDS.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
}

/// Parses one of the names of `T`.
pub fn choice<T: Choices>() -> impl TypedValueParser<Value = T> {
    let values = T::WORDS.iter().map(|(_, name, help)| {
        let value = PossibleValue::new(*name);
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values).map(|name| named(&name).expect("clap accepts only these names"))
}

impl Choices for Order {
    const WORDS: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Random, "random", ""), (Self::Sequential, "sequential", "")];
}

impl Choices for AfterBook {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Extend, "extend", "Extend used openings by random moves that keep their balance"),
        (Self::Stop, "stop", "End the run"),
        (
            Self::Repeat,
            "repeat",
            "Use the openings again; equal pairs are not counted at fixed nodes or depth",
        ),
        (Self::Count, "count", "Use the openings again and count equal pairs too"),
    ];
}

impl Choices for Placement {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "Pin each game to its own processors, if there are enough"),
        (Self::Off, "off", "Leave the placement to the kernel"),
    ];
}

impl Choices for EloModel {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Normalized,
            "normalized",
            "Elo in standard deviations of a game; only this scale fixes the length of a test",
        ),
        (Self::Logistic, "logistic", "Plain Elo"),
        (Self::Bayesian, "bayesian", "BayesElo, stretched by the draw rate"),
    ];
}

impl Choices for TestKind {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Sprt, "sprt", "At constant bounds; the shortest test at the two strengths"),
        (Self::Bounded, "bounded", "At bounds that meet; never longer than a known number of pairs"),
    ];
}

impl Choices for BookFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Guess, "guess", ""), (Self::Epd, "epd", ""), (Self::Pgn, "pgn", "")];
}

impl Choices for InitKind {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Match, "match", "A match of two engines"),
        (Self::Sprt, "sprt", "A sequential test: is one engine stronger than the other?"),
        (Self::Tune, "tune", "Tuning of an engine's numbers, with a test of the result"),
        (Self::Ci, "ci", "A workflow of GitHub Actions that tests every pull request"),
    ];
}

impl Choices for Preset {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &Self::ALL;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_command_line_are_those_of_configuration_files() {
        for (model, name, _) in EloModel::WORDS {
            assert_eq!(model.to_string(), *name);
        }
        for (kind, name, _) in TestKind::WORDS {
            assert_eq!(kind.to_string(), *name);
        }
        for (order, name, _) in Order::WORDS {
            assert_eq!(serde_json::to_string(order).unwrap(), format!("\"{name}\""));
        }
        for (placement, name, _) in Placement::WORDS {
            assert_eq!(serde_json::to_string(placement).unwrap(), format!("\"{name}\""));
        }
    }
}
