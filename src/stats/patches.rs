//! Which test gains the most Elo per game, for patches whose strengths have a known distribution.

use super::elo::Elo;
use super::operating::{GameVariance, OperatingCurve};
use super::quadrature::integrate;
use super::sprt::{ErrorRate, Hypotheses, SprtConfig};

/// Distribution of the strengths of patches: normal, in logistic Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPrior {
    mean: f64,
    deviation: f64,
}

/// What a test makes of patches, on average for each patch tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestYield {
    /// Share of patches that pass.
    pub passes: f64,
    /// Share of patches that pass although they are weaker than the baseline.
    pub regressions: f64,
    /// Elo gained.
    pub elo: f64,
    /// Pairs played.
    pub pairs: f64,
}

impl TestYield {
    /// Returns the Elo gained for each pair.
    pub fn elo_per_pair(&self) -> f64 {
        self.elo / self.pairs
    }
}

/// Standard deviations of the prior that are considered.
const REACH: f64 = 6.0;

/// Tests that are compared: H0, the distance of H1 from it, and the error rates.
const NULLS: [f64; 9] = [-4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
const GAPS: [f64; 11] = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0];
const ALPHAS: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];
const BETAS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.45];

impl PatchPrior {
    /// Creates a prior. Returns `None` unless the numbers are finite and the deviation is from 0.1 to 100.
    pub fn new(mean: f64, deviation: f64) -> Option<Self> {
        let plausible = mean.abs() <= 100.0 && (0.1..=100.0).contains(&deviation);
        plausible.then_some(Self { mean, deviation })
    }

    /// Returns mean and standard deviation.
    pub fn moments(self) -> (f64, f64) {
        (self.mean, self.deviation)
    }

    /// Returns what a test makes of these patches.
    pub fn test_yield(self, curve: &OperatingCurve) -> TestYield {
        let over = |function: &dyn Fn(f64) -> f64, low: f64, high: f64| {
            integrate(|elo| self.density(elo) * function(elo), low, high)
        };
        let (low, high) = (self.mean - REACH * self.deviation, self.mean + REACH * self.deviation);
        // The two sides of 0 on their own: regressions end there.
        let middle = 0.0f64.clamp(low, high);
        let whole =
            |function: &dyn Fn(f64) -> f64| over(function, low, middle) + over(function, middle, high);
        let passes = |elo: f64| curve.pass_probability(Elo(elo));
        TestYield {
            passes: whole(&passes),
            regressions: over(&passes, low, middle),
            elo: whole(&|elo| elo * passes(elo)),
            pairs: whole(&|elo| curve.expected_pairs(Elo(elo))),
        }
    }

    /// Returns the test with the greatest gain per pair among usual ones, in the model and kind of `like`, which passes
    /// regressions for at most this share of all patches; `None` if no test gains anything.
    pub fn best_test(
        self,
        like: &SprtConfig,
        variance: GameVariance,
        most_regressions: f64,
    ) -> Option<SprtConfig> {
        let yields = candidates(like).filter_map(|config| {
            let found = self.test_yield(&OperatingCurve::new(&config, variance));
            (found.regressions <= most_regressions && found.elo > 0.0).then(|| (config, found.elo_per_pair()))
        });
        yields.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(config, _)| config)
    }

    fn density(self, elo: f64) -> f64 {
        let distance = (elo - self.mean) / self.deviation;
        (-distance * distance / 2.0).exp() / (self.deviation * (2.0 * std::f64::consts::PI).sqrt())
    }
}

fn candidates(like: &SprtConfig) -> impl Iterator<Item = SprtConfig> {
    let rate = |rate: f64| ErrorRate::new(rate).expect("the rates of the table are valid");
    let like = *like;
    NULLS.into_iter().flat_map(move |null| {
        GAPS.into_iter().flat_map(move |gap| {
            ALPHAS.into_iter().flat_map(move |alpha| {
                BETAS.into_iter().map(move |beta| SprtConfig {
                    hypotheses: Hypotheses::new(null, null + gap)
                        .expect("the gaps of the table are positive"),
                    alpha: rate(alpha),
                    beta: rate(beta),
                    ..like
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unbalanced() -> GameVariance {
        GameVariance::of_games(0.49, Elo(191.0)).unwrap()
    }

    #[test]
    fn wide_bounds_and_a_low_alpha_gain_more_than_narrow_ones() {
        let prior = PatchPrior::new(-1.0, 2.0).unwrap();
        let usual = SprtConfig::usual(Hypotheses::new(0.0, 5.0).unwrap());
        let wide = SprtConfig::usual(Hypotheses::new(0.0, 10.0).unwrap());
        let per_pair =
            |config: &SprtConfig| prior.test_yield(&OperatingCurve::new(config, unbalanced())).elo_per_pair();
        // Elo for 100,000 games; the figures of [0, 5] and [0, 10] were also found by another program: 1.5 and 2.7.
        assert!((per_pair(&usual) * 50_000.0 - 1.5).abs() < 0.1, "{}", per_pair(&usual) * 50_000.0);
        assert!((per_pair(&wide) * 50_000.0 - 2.7).abs() < 0.15, "{}", per_pair(&wide) * 50_000.0);
        let best = prior.best_test(&usual, unbalanced(), 0.01).unwrap();
        let found = prior.test_yield(&OperatingCurve::new(&best, unbalanced()));
        assert!(
            found.regressions <= 0.01 && found.elo_per_pair() > 1.8 * per_pair(&wide),
            "{best:?} {found:?}"
        );
    }

    #[test]
    fn a_yield_is_consistent() {
        let prior = PatchPrior::new(0.0, 3.0).unwrap();
        let config = SprtConfig::usual(Hypotheses::new(0.0, 6.0).unwrap());
        let found = prior.test_yield(&OperatingCurve::new(&config, unbalanced()));
        assert!(found.regressions < found.passes && found.passes < 0.5 && found.elo > 0.0, "{found:?}");
        assert_eq!(PatchPrior::new(0.0, 0.0), None);
        assert_eq!(PatchPrior::new(f64::NAN, 1.0), None);
    }
}
