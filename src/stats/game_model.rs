//! Games without engines: how often a pair ends how, given a true difference in strength.

use std::fmt;

use super::elo::{DrawElo, Elo, EloModel, NormalizedElo};
use super::random::Random;
use super::root::find_root;
use super::tally::PairScore;

/// Rao and Kupper's games from openings that favour White by a fixed amount.
///
/// Two games of a pair are independent, the one with the opening's advantage, the other against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameModel {
    draws: DrawElo,
    advantage: f64,
}

/// Draws that frequent do not go with an advantage that large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpossibleGames {
    /// The share of draws asked for.
    pub draw_ratio: f64,
    /// The advantage asked for.
    pub bias: Elo,
}

impl fmt::Display for ImpossibleGames {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { draw_ratio, bias } = self;
        write!(out, "no games have a draw ratio of {draw_ratio} and an opening bias of {bias} Elo: ")?;
        write!(
            out,
            "both must be at least 0, and the draw ratio below 1 minus twice what the bias adds to the score"
        )
    }
}

impl std::error::Error for ImpossibleGames {}

/// How often a pair scores 0 to 4 half points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOdds([f64; 5]);

impl GameModel {
    /// Games of equals with this share of draws when the opening is worth `bias` to White.
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

    /// An unbalanced book as engine tests use it: 49 % draws, openings worth 191 Elo.
    pub fn unbalanced() -> Self {
        Self::new(0.49, Elo(191.0)).expect("these games are possible")
    }

    /// A balanced book: 61 % draws.
    pub fn balanced() -> Self {
        Self::new(0.61, Elo(0.0)).expect("these games are possible")
    }

    /// How pairs end when the candidate is stronger by `difference`.
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

    /// The logistic difference that measures as `strength` on a model's scale in these games.
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
    /// One pair, by chance.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> PairScore {
        let mut rest = random.unit();
        for (odds, pair) in self.0.iter().zip(PairScore::ALL) {
            if rest < *odds {
                return pair;
            }
            rest -= odds;
        }
        // Only rounding leads here; the middle is the likeliest.
        PairScore::EVEN
    }

    /// The chance of each score, lowest first.
    pub fn chances(&self) -> [f64; 5] {
        self.0
    }

    /// Expected score per game.
    pub fn mean(&self) -> f64 {
        self.0.iter().zip(0u8..).map(|(odds, half_points)| odds * f64::from(half_points) / 4.0).sum()
    }

    /// Variance per game, pairs being what is independent.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_score_as_the_reference_tables_say() {
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
    fn the_expected_score_is_the_one_of_the_difference() {
        for difference in [-300.0, -7.5, 0.0, 2.0, 150.0] {
            let odds = GameModel::unbalanced().odds(Elo(difference));
            assert!((odds.mean() - Elo(difference).score()).abs() < 1e-9);
            assert!((odds.0.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_normalized_strength_is_found_again_in_the_games() {
        let model = GameModel::unbalanced();
        let odds = model.odds(model.difference(EloModel::Normalized, 5.0));
        let measured = NormalizedElo::from_deviations((odds.mean() - 0.5) / odds.game_variance().sqrt());
        assert!((measured.0 - 5.0).abs() < 1e-6, "{measured}");
    }

    #[test]
    fn games_that_cannot_be_are_refused() {
        assert!(GameModel::new(0.95, Elo(191.0)).is_err());
        assert!(GameModel::new(1.0, Elo(0.0)).is_err());
        assert!(GameModel::new(f64::NAN, Elo(0.0)).is_err());
        assert!(GameModel::new(0.5, Elo(-3.0)).is_err());
    }
}
