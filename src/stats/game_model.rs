//! A model of games: the distribution of pair scores for a true Elo difference.

use std::fmt;

use super::elo::{DrawElo, Elo, EloModel, NormalizedElo};
use super::random::Random;
use super::root::find_root;
use super::tally::PairScore;

/// Rao and Kupper's model of games from openings that favour White by a fixed amount.
///
/// The two games of a pair are independent: one with the advantage of the opening, the other against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameModel {
    draws: DrawElo,
    advantage: f64,
}

/// Error returned when a draw ratio and an opening bias are inconsistent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpossibleGames {
    /// The requested draw ratio.
    pub draw_ratio: f64,
    /// The requested opening bias.
    pub bias: Elo,
}

impl fmt::Display for ImpossibleGames {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { draw_ratio, bias } = self;
        write!(out, "a draw ratio of {draw_ratio} is impossible with an opening bias of {bias} Elo: ")?;
        write!(
            out,
            "both must be at least 0, and the draw ratio below 1 minus twice the score that the bias adds"
        )
    }
}

impl std::error::Error for ImpossibleGames {}

/// The probabilities of the pair scores, 0 to 4 half points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOdds([f64; 5]);

impl GameModel {
    /// Creates a model in which equal players have this draw ratio and the opening is worth `bias` to White.
    pub fn new(draw_ratio: f64, bias: Elo) -> Result<Self, ImpossibleGames> {
        let (decided, lean) = ((1.0 - draw_ratio) / 2.0, bias.score() - 0.5);
        let (win, loss) = (decided + lean, decided - lean);
        let possible = (0.0..1.0).contains(&draw_ratio) && bias.0 >= 0.0 && loss > 0.0;
        if !possible {
            return Err(ImpossibleGames { draw_ratio, bias });
        }
        let advantage = 200.0 * (win / loss * (1.0 - loss) / (1.0 - win)).log10();
        Ok(Self { draws: DrawElo::from_probabilities(win, loss), advantage })
    }

    /// Returns the model of an unbalanced book as used in engine tests: 49 % draws, openings worth 191 Elo.
    pub fn unbalanced() -> Self {
        Self::new(0.49, Elo(191.0)).expect("the parameters are consistent")
    }

    /// Returns the model of a balanced book: 61 % draws.
    pub fn balanced() -> Self {
        Self::new(0.61, Elo(0.0)).expect("the parameters are consistent")
    }

    /// Returns the pair probabilities if the candidate is stronger by `difference`.
    pub fn odds(&self, difference: Elo) -> PairOdds {
        let target = difference.score();
        let mean = |strength: f64| {
            (self.draws.score(strength + self.advantage) + self.draws.score(strength - self.advantage)) / 2.0
        };
        let reach = 4000.0;
        let strength = find_root(|strength| mean(strength) - target, -reach, reach, 1e-9)
            .unwrap_or(reach.copysign(difference.0));
        let game = |strength: f64| {
            let (win, loss) = self.draws.win_and_loss(strength);
            [loss, 1.0 - win - loss, win]
        };
        let (first, second) = (game(strength + self.advantage), game(strength - self.advantage));
        let mut odds = [0.0; 5];
        for (one, first) in first.iter().enumerate() {
            for (other, second) in second.iter().enumerate() {
                odds[one + other] += first * second;
            }
        }
        PairOdds(odds)
    }

    /// Returns the logistic difference that corresponds to `strength` on the scale of a model in these games.
    pub fn difference(&self, model: EloModel, strength: f64) -> Elo {
        let measured = |difference: f64| {
            let odds = self.odds(Elo(difference));
            let predicted = match model {
                EloModel::Logistic => Elo(strength).score(),
                EloModel::Normalized => {
                    0.5 + NormalizedElo(strength).deviations() * odds.game_variance().sqrt()
                }
                EloModel::Bayesian => {
                    let off_centre = odds.mean() - 0.5;
                    let decided = 4.0 * (odds.game_variance() + off_centre * off_centre);
                    let (win, loss) = (decided / 2.0 + off_centre, decided / 2.0 - off_centre);
                    DrawElo::from_probabilities(win, loss.max(1e-12)).score(strength)
                }
            };
            Elo(difference).score() - predicted
        };
        Elo(find_root(measured, -800.0, 800.0, 1e-9).unwrap_or(strength))
    }
}

impl PairOdds {
    /// Draws a random pair score.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> PairScore {
        let mut rest = random.unit();
        for (odds, pair) in self.0.iter().zip(PairScore::ALL) {
            if rest < *odds {
                return pair;
            }
            rest -= odds;
        }
        // Reached only through rounding; the middle score is the most likely one.
        PairScore::EVEN
    }

    /// Returns the probability of each score, lowest first.
    pub fn probabilities(&self) -> [f64; 5] {
        self.0
    }

    /// Returns the expected score per game.
    pub fn mean(&self) -> f64 {
        self.0.iter().zip(0u8..).map(|(odds, half_points)| odds * f64::from(half_points) / 4.0).sum()
    }

    /// Returns the variance per game, computed from pairs, which are independent.
    pub fn game_variance(&self) -> f64 {
        let mean = self.mean();
        let pair: f64 = self
            .0
            .iter()
            .zip(0u8..)
            .map(|(odds, half_points)| odds * (f64::from(half_points) / 4.0 - mean).powi(2))
            .sum();
        2.0 * pair
    }
}

/// Returns how many pairs a test needs with openings that one side wins every second time, relative to balanced openings with
/// this share of draws between equal engines. Below 1, unbalanced openings decide sooner.
pub fn unbalanced_length(draw_ratio: f64) -> f64 {
    let draws = DrawElo::of_equals(draw_ratio.clamp(0.0, 0.999));
    // The information of a game about a small difference: squared slope of the expected score over its variance.
    let information = |advantage: f64| {
        let (win, loss) = draws.win_and_loss(advantage);
        let slope = (win * (1.0 - win) + loss * (1.0 - loss)) / 2.0;
        let score = (1.0 + win - loss) / 2.0;
        let variance = win + (1.0 - win - loss) / 4.0 - score * score;
        slope * slope / variance
    };
    information(0.0) / information(draws.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_equal_players_match_the_reference_tables() {
        for (name, model, odds, variance) in [
            ("unbalanced", GameModel::unbalanced(), [0.00244, 0.24990, 0.49531, 0.24990, 0.00244], 0.06492),
            ("balanced", GameModel::balanced(), [0.03803, 0.23790, 0.44815, 0.23790, 0.03803], 0.0975),
        ] {
            let found = model.odds(Elo(0.0));
            for (found, expected) in found.0.iter().zip(odds) {
                assert!((found - expected).abs() < 1e-5, "{name}: {found} for {expected}");
            }
            assert!((found.game_variance() - variance).abs() < 1e-5, "{name}: {}", found.game_variance());
        }
    }

    #[test]
    fn the_expected_score_is_that_of_the_difference() {
        for difference in [-300.0, -7.5, 0.0, 2.0, 150.0] {
            let odds = GameModel::unbalanced().odds(Elo(difference));
            assert!((odds.mean() - Elo(difference).score()).abs() < 1e-9);
            assert!((odds.0.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_normalized_difference_is_recovered_from_the_games() {
        let model = GameModel::unbalanced();
        let odds = model.odds(model.difference(EloModel::Normalized, 5.0));
        let measured = NormalizedElo::from_deviations((odds.mean() - 0.5) / odds.game_variance().sqrt());
        assert!((measured.0 - 5.0).abs() < 1e-6, "{measured}");
    }

    #[test]
    fn unbalanced_openings_pay_where_draws_are_many() {
        let lengths = [0.3, 0.61, 0.8, 0.95].map(unbalanced_length);
        assert!(lengths.is_sorted_by(|one, other| one > other), "{lengths:?}");
        assert!((lengths[1] - 0.99).abs() < 0.02 && (lengths[2] - 0.65).abs() < 0.02, "{lengths:?}");
    }

    #[test]
    fn inconsistent_parameters_are_rejected() {
        assert!(GameModel::new(0.95, Elo(191.0)).is_err());
        assert!(GameModel::new(1.0, Elo(0.0)).is_err());
        assert!(GameModel::new(f64::NAN, Elo(0.0)).is_err());
        assert!(GameModel::new(0.5, Elo(-3.0)).is_err());
    }
}
