//! The result of a rating.

use statrs::distribution::{ContinuousCDF, Normal};

use super::matrix::Matrix;
use crate::stats::estimate::Z_95;

/// A measured number with the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The most likely value.
    pub value: f64,
    /// The error; `None` where the value was given or nothing is known about it.
    pub error: Option<f64>,
}

/// Ratings of all players of a tournament.
#[derive(Clone, Debug)]
pub struct Ratings {
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) elo: Vec<f64>,
    pub(super) anchored: Vec<bool>,
    /// `None` if the games do not determine all parameters.
    pub(super) covariance: Option<Matrix>,
    pub(super) white_advantage: Measured,
    pub(super) draw_share: Measured,
    pub(super) log_likelihood: f64,
}

impl Ratings {
    /// Returns the groups of players that can be compared with each other, the largest first. Ratings of different
    /// groups have no common scale. Players without games are in none.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// Returns the rating of a player; its error is relative to the mean of its group, or to the anchors in it.
    pub fn rating(&self, player: usize) -> Measured {
        let alone = self.groups.iter().any(|group| group[..] == [player]);
        let covariance = self.covariance.as_ref().filter(|_| !alone && !self.anchored[player]);
        let error = covariance.map(|known| Z_95 * known.get(player, player).max(0.0).sqrt());
        Measured { value: self.elo[player], error }
    }

    /// Returns the difference between two players of a group.
    pub fn difference(&self, player: usize, other: usize) -> Option<Measured> {
        let together = self.groups.iter().any(|group| group.contains(&player) && group.contains(&other));
        let error = self.deviation(player, other).map(|deviation| Z_95 * deviation);
        together.then(|| Measured { value: self.elo[player] - self.elo[other], error })
    }

    /// Returns the standard deviation of a difference, unless the games do not determine it.
    fn deviation(&self, player: usize, other: usize) -> Option<f64> {
        let known = self.covariance.as_ref()?;
        let variance = known.get(player, player) + known.get(other, other) - 2.0 * known.get(player, other);
        Some(variance.max(0.0).sqrt())
    }

    /// Returns the probability that a player is stronger than another one of its group.
    pub fn los(&self, player: usize, other: usize) -> Option<f64> {
        let difference = self.difference(player, other).filter(|_| player != other)?.value;
        let deviation = self.deviation(player, other)?;
        Some(if deviation > 0.0 {
            Normal::standard().cdf(difference / deviation)
        } else {
            0.5 + 0.5 * f64::from(i8::from(difference > 0.0) - i8::from(difference < 0.0))
        })
    }

    /// Returns the advantage of White in Elo.
    pub fn white_advantage(&self) -> Measured {
        self.white_advantage
    }

    /// Returns the share of draws between equal players without the advantage of White.
    pub fn draw_share(&self) -> Measured {
        self.draw_share
    }

    /// Returns the logarithm of the likelihood of the games within groups, prior included.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }
}
