//! Elo differences and the expected scores they imply.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A difference in playing strength on the logistic scale: 400 points are odds of ten to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Elo(pub f64);

/// A difference in playing strength on the normalized scale: 347.4 points are one standard deviation of a game.
///
/// Unlike [`Elo`], it hardly depends on the book and the draw rate, and it alone determines the length of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NormalizedElo(pub f64);

/// The scale of the two hypotheses of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// [`Elo`]: a hypothesis is an expected score.
    Logistic,
    /// [`NormalizedElo`]: a hypothesis is a score in standard deviations of a game.
    #[default]
    Normalized,
    /// BayesElo's scale: a logistic difference stretched by the observed draw rate.
    Bayesian,
}

/// Scores are clamped to this distance from 0 and 1; closer scores carry no information about strength.
const SCORE_MARGIN: f64 = 1e-3;

impl Elo {
    /// Returns the expected score per game, between 0 and 1.
    pub fn score(self) -> f64 {
        1.0 / (1.0 + 10f64.powf(-self.0 / 400.0))
    }

    /// Returns the difference with expected score `score`; its absolute value is at most 1199.83.
    pub fn from_score(score: f64) -> Self {
        let score = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
        Self(-400.0 * (1.0 / score - 1.0).log10())
    }
}

impl NormalizedElo {
    /// Points per standard deviation of one game: 800 / ln 10. Small logistic differences are twice the standard
    /// deviation of a game times the normalized ones.
    pub const PER_DEVIATION: f64 = 347.435_585_522_601_46;

    /// Returns the difference whose expected score is `deviations` standard deviations of one game above one half.
    pub fn from_deviations(deviations: f64) -> Self {
        Self(deviations * Self::PER_DEVIATION)
    }

    /// Returns the distance of the expected score from one half in standard deviations of one game.
    pub fn deviations(self) -> f64 {
        self.0 / Self::PER_DEVIATION
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for NormalizedElo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
            Self::Bayesian => "bayesian",
        })
    }
}

/// Rao and Kupper's model of one game with draws, as BayesElo uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrawElo(pub(super) f64);

impl DrawElo {
    /// Returns the value for two equal players with this draw ratio.
    pub(super) fn of_equals(draw_ratio: f64) -> Self {
        Self(400.0 * (2.0 / (1.0 - draw_ratio) - 1.0).log10())
    }

    /// Returns the value for these probabilities of a win and a loss, both above 0.
    pub(super) fn from_probabilities(win: f64, loss: f64) -> Self {
        Self(200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10())
    }

    /// Returns the probabilities of a win and a loss at a BayesElo difference.
    pub(super) fn win_and_loss(self, difference: f64) -> (f64, f64) {
        (Elo(difference - self.0).score(), Elo(-difference - self.0).score())
    }

    /// Returns the expected score at a BayesElo difference.
    pub(super) fn score(self, difference: f64) -> f64 {
        let (win, loss) = self.win_and_loss(difference);
        0.5 + (win - loss) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elo_round_trips_through_its_score() {
        for elo in [-600.0, -5.0, 0.0, 0.3, 191.0] {
            assert!((Elo::from_score(Elo(elo).score()).0 - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn a_perfect_score_is_a_finite_difference() {
        assert!((Elo::from_score(1.0).0 - 1199.83).abs() < 0.01);
        assert!((Elo::from_score(0.0).0 + 1199.83).abs() < 0.01);
    }

    #[test]
    fn draw_elo_is_the_inverse_of_its_probabilities() {
        let draw_elo = DrawElo::of_equals(0.61);
        let (win, loss) = draw_elo.win_and_loss(0.0);
        assert!((1.0 - win - loss - 0.61).abs() < 1e-12);
        let (win, loss) = draw_elo.win_and_loss(35.0);
        assert!((DrawElo::from_probabilities(win, loss).0 - draw_elo.0).abs() < 1e-9);
        // The draw rate of a balanced book in the reference game model: 246.30.
        assert!((draw_elo.0 - 246.30).abs() < 0.005);
    }
}
