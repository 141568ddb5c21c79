//! Davidson's model of one game: wins, draws and losses have the odds e^(x/2) : ν : e^(-x/2).
//!
//! A draw counts exactly as half a win and half a loss, so at the maximum every player's expected score is the score it
//! made, and the likelihood has a single maximum. Rao and Kupper's model (BayesElo) lacks both properties and describes
//! games of engines less well. As in BayesElo, a difference in Elo is stretched so that small ones have the expected
//! score of the logistic curve whatever the share of draws: x = (2 + ν)/2 · d · ln 10 / 400.

/// Natural units per Elo without draws.
const PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// The weight of draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrawWeight(f64);

/// Probabilities of a game between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Odds {
    pub(super) win: f64,
    pub(super) draw: f64,
    pub(super) loss: f64,
    /// The difference in natural units.
    x: f64,
    weight: DrawWeight,
}

/// Derivatives of something by the difference in Elo and by the logarithm of the weight of draws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slope {
    pub(super) by_elo: f64,
    pub(super) by_weight: f64,
}

/// Expected information of one game about the difference in Elo and the logarithm of the weight of draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Information {
    pub(super) elo: f64,
    pub(super) both: f64,
    pub(super) weight: f64,
}

impl DrawWeight {
    /// No draws at all.
    pub(super) const NONE: Self = Self(0.0);

    /// Returns the weight with which equal players draw this share of their games, below 1.
    pub(super) fn of_equals(share: f64) -> Self {
        Self(2.0 * share / (1.0 - share))
    }

    /// Returns the share of draws between equal players.
    pub(super) fn share(self) -> f64 {
        self.0 / (2.0 + self.0)
    }

    /// Returns the weight whose logarithm is greater by `step`.
    pub(super) fn stepped(self, step: f64) -> Self {
        Self(self.0 * step.clamp(-3.0, 3.0).exp())
    }

    /// Returns the logarithm of its ratio to another weight above 0.
    pub(super) fn log_ratio(self, other: Self) -> f64 {
        (self.0 / other.0).ln()
    }

    /// Natural units per Elo.
    fn per_elo(self) -> f64 {
        PER_ELO * (2.0 + self.0) / 2.0
    }
}

impl Odds {
    /// Returns the odds of a player who is this much stronger, the advantage of its colour included.
    pub(super) fn new(elo: f64, weight: DrawWeight) -> Self {
        let x = elo * weight.per_elo();
        // Divided by the larger of the two, so that nothing overflows.
        let [win, draw, loss] = [(x - x.abs()) / 2.0, -x.abs() / 2.0, (-x - x.abs()) / 2.0].map(f64::exp);
        let draw = weight.0 * draw;
        let sum = win + draw + loss;
        Self { win: win / sum, draw: draw / sum, loss: loss / sum, x, weight }
    }

    /// Returns the expected score.
    pub(super) fn score(&self) -> f64 {
        self.win + self.draw / 2.0
    }

    /// Returns the logarithm of the likelihood of these results.
    pub(super) fn log_likelihood(&self, [wins, draws, losses]: [f64; 3]) -> f64 {
        [(wins, self.win), (draws, self.draw), (losses, self.loss)]
            .into_iter()
            .filter(|&(count, _)| count > 0.0)
            .map(|(count, probability)| count * probability.max(f64::MIN_POSITIVE).ln())
            .sum()
    }

    /// Returns the derivatives of the logarithm of the likelihood of these results.
    pub(super) fn slope(&self, [wins, draws, losses]: [f64; 3]) -> Slope {
        let games = wins + draws + losses;
        let by_x = wins + draws / 2.0 - games * self.score();
        let by_weight = draws - games * self.draw;
        Slope { by_elo: by_x * self.weight.per_elo(), by_weight: by_weight + by_x * self.x_by_weight() }
    }

    /// Returns the expected information of one game.
    pub(super) fn information(&self) -> Information {
        let mean = (self.win - self.loss) / 2.0;
        let xx = (self.win + self.loss) / 4.0 - mean * mean;
        let xw = -mean * self.draw;
        let ww = self.draw * (1.0 - self.draw);
        let (unit, turn) = (self.weight.per_elo(), self.x_by_weight());
        Information {
            elo: unit * unit * xx,
            both: unit * (xw + turn * xx),
            weight: ww + 2.0 * turn * xw + turn * turn * xx,
        }
    }

    /// Returns the variance of the derivative by the difference in Elo that a pair with this variance of its points has.
    pub(super) fn noise_of_pair(&self, variance: f64) -> f64 {
        self.weight.per_elo().powi(2) * variance
    }

    /// The derivative of the difference in natural units by the logarithm of the weight of draws.
    fn x_by_weight(&self) -> f64 {
        self.x * self.weight.share()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_have_the_logistic_score_whatever_the_draws() {
        for share in [0.0, 0.3, 0.9] {
            let odds = Odds::new(1.0, DrawWeight::of_equals(share));
            let logistic = 1.0 / (1.0 + 10f64.powf(-1.0 / 400.0));
            assert!((odds.score() - logistic).abs() < 1e-6, "{share}: {}", odds.score());
            assert!((odds.win + odds.draw + odds.loss - 1.0).abs() < 1e-12);
        }
        assert!((DrawWeight::of_equals(0.6).share() - 0.6).abs() < 1e-12);
    }

    #[test]
    fn slopes_are_the_derivatives_of_the_likelihood() {
        let counts = [13.0, 21.0, 8.0];
        let weight = DrawWeight::of_equals(0.4);
        let at = |elo: f64, step: f64| Odds::new(elo, weight.stepped(step)).log_likelihood(counts);
        let slope = Odds::new(70.0, weight).slope(counts);
        let (tiny, small) = (1e-3, 1e-5);
        let by_elo = (at(70.0 + tiny, 0.0) - at(70.0 - tiny, 0.0)) / (2.0 * tiny);
        let by_weight = (at(70.0, small) - at(70.0, -small)) / (2.0 * small);
        assert!((slope.by_elo - by_elo).abs() < 1e-6, "{slope:?} {by_elo}");
        assert!((slope.by_weight - by_weight).abs() < 1e-4, "{slope:?} {by_weight}");
    }
}
