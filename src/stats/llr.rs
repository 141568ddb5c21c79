//! The generalised log-likelihood ratio of two strengths, by maximum likelihood under each.
//!
//! Among all distributions of scores that agree with a hypothesis, the one that explains the counts best is the
//! counts' own distribution divided by `1 + x f(score)`, where `f` is the hypothesis written as "the mean of `f` is 0"
//! and `x` makes it so. The ratio compares the two best explanations (Michel Van den Bergh, 2020).

use super::elo::{DrawElo, Elo, EloModel, NormalizedElo};
use super::root::find_root;
use super::sample::Sample;

/// Rounds of refining a normalized hypothesis; plain ones need 2 to 50, and each halves what damping leaves.
const MOST_ROUNDS: usize = 400;
/// Rounds after which steps are halved, because whole ones may circle.
const UNDAMPED_ROUNDS: usize = 40;

/// How much better the second hypothesis explains the sample than the first, in natural logarithms.
pub(super) fn log_likelihood_ratio(sample: &Sample, model: EloModel, null: f64, alternative: f64) -> f64 {
    let explain = |strength: f64| match model {
        EloModel::Logistic => Explanation::with_mean(sample, Elo(strength).score()),
        EloModel::Bayesian => Explanation::with_mean(sample, draw_elo(sample).score(strength)),
        EloModel::Normalized => {
            let per_sample = NormalizedElo(strength).deviations() * sample.games_each().sqrt();
            Explanation::with_deviations(sample, per_sample)
        }
    };
    sample.total() * (explain(null).surprise(sample) - explain(alternative).surprise(sample))
}

/// The draw rate of the sample on BayesElo's scale.
///
/// Pairs do not tell a win and a loss from two draws, so theirs is the draw rate at which independent games would vary
/// as much as the games of these pairs did.
pub(super) fn draw_elo(sample: &Sample) -> DrawElo {
    let moments = sample.moments();
    let (win, loss) = if sample.games_each() == 1.0 {
        (sample.shares()[2], sample.shares()[0])
    } else {
        let off_centre = moments.mean - 0.5;
        let decided = 4.0 * (sample.game_variance() + off_centre * off_centre);
        let least = 2.0 * off_centre.abs() + 1e-9;
        let decided = decided.clamp(least.min(1.0 - 1e-9), 1.0 - 1e-9);
        (decided / 2.0 + off_centre, decided / 2.0 - off_centre)
    };
    DrawElo::from_probabilities(win.clamp(1e-12, 1.0 - 1e-12), loss.clamp(1e-12, 1.0 - 1e-12))
}

/// The most likely distribution under a hypothesis: the sample's shares, each divided by `1 + weight * feature`.
#[derive(Clone, Copy, Debug)]
struct Explanation {
    features: [f64; 5],
    weight: f64,
}

impl Explanation {
    /// The best explanation whose mean score is `mean`, strictly between 0 and 1.
    fn with_mean(sample: &Sample, mean: f64) -> Self {
        let mut features = [0.0; 5];
        for (feature, score) in features.iter_mut().zip(sample.scores()) {
            *feature = score - mean;
        }
        Self::centred(sample, features).unwrap_or(Self { features, weight: 0.0 })
    }

    /// The best explanation whose mean lies `deviations` of its own standard deviations above one half.
    fn with_deviations(sample: &Sample, deviations: f64) -> Self {
        if deviations == 0.0 {
            return Self::with_mean(sample, 0.5);
        }
        let moments = sample.moments();
        let spread = moments.variance.sqrt();
        let near = (0.5 + deviations * spread, spread);
        Self::refined(sample, deviations, near).unwrap_or_else(|| {
            Self::refined(sample, deviations, consistent_start(sample, deviations)).unwrap_or(
                // Unreachable in exact arithmetic: a consistent start always straddles the hypothesis.
                Self::with_mean(sample, 0.5),
            )
        })
    }

    /// Alternates between writing the hypothesis as a mean at the current distribution, and meeting that mean.
    fn refined(sample: &Sample, deviations: f64, start: (f64, f64)) -> Option<Self> {
        let (mut mean, mut spread) = start;
        let mut best = None;
        for round in 0..MOST_ROUNDS {
            let mut features = [0.0; 5];
            for (feature, score) in features.iter_mut().zip(sample.scores()) {
                let distance = (score - mean) / spread;
                *feature = score - 0.5 - deviations * spread / 2.0 * (1.0 + distance * distance);
            }
            let explanation = Self::centred(sample, features)?;
            let (next_mean, next_spread) = explanation.mean_and_spread(sample);
            let moved = (next_mean - mean).abs() + (next_spread - spread).abs();
            best = Some(explanation);
            if moved <= 1e-15 {
                break;
            }
            let pace = if round < UNDAMPED_ROUNDS { 1.0 } else { 0.5 };
            mean += pace * (next_mean - mean);
            spread += pace * (next_spread - spread);
        }
        best
    }

    /// The weight under which `features` average to 0; `None` unless they lie on both sides of it.
    fn centred(sample: &Sample, features: [f64; 5]) -> Option<Self> {
        let used = &features[..sample.scores().len()];
        let least = used.iter().copied().fold(f64::INFINITY, f64::min);
        let most = used.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        // The sum has poles where a share would turn infinite; times the two nearest ones it is finite to the ends.
        let balance = |weight: f64| {
            let sum: f64 =
                used.iter().zip(sample.shares()).map(|(f, share)| share * f / (1.0 + weight * f)).sum();
            sum * (1.0 + weight * least) * (1.0 + weight * most)
        };
        let (low, high) = (-1.0 / most, -1.0 / least);
        let inside = (high - low) * 1e-16;
        let weight = find_root(balance, low + inside, high - inside, 0.0).ok()?;
        Some(Self { features, weight })
    }

    fn mean_and_spread(&self, sample: &Sample) -> (f64, f64) {
        let shares = self.shares(sample);
        let over = |power: fn(f64) -> f64, centre: f64| -> f64 {
            sample.scores().iter().zip(shares).map(|(score, share)| share * power(score - centre)).sum()
        };
        let mean = over(|score| score, 0.0);
        (mean, over(|score| score * score, mean).sqrt())
    }

    fn shares(&self, sample: &Sample) -> [f64; 5] {
        let mut shares = [0.0; 5];
        for ((share, seen), feature) in shares.iter_mut().zip(sample.shares()).zip(self.features) {
            *share = seen / (1.0 + self.weight * feature);
        }
        shares
    }

    /// How much less likely a sample is under this explanation than under its own distribution; per sample.
    fn surprise(&self, sample: &Sample) -> f64 {
        sample.shares().iter().zip(self.features).map(|(share, f)| share * (self.weight * f).ln_1p()).sum()
    }
}

/// Mean and spread of a distribution that has one mean among its likeliest and agrees with the hypothesis.
fn consistent_start(sample: &Sample, deviations: f64) -> (f64, f64) {
    let at = |mean: f64| Explanation::with_mean(sample, mean).mean_and_spread(sample).1;
    let excess = |mean: f64| mean - 0.5 - deviations * at(mean);
    let (low, high) = if deviations > 0.0 { (0.5, 1.0 - 1e-12) } else { (1e-12, 0.5) };
    // At one half the excess has the sign of minus the hypothesis; at the edge the spread is gone.
    let mean = find_root(excess, low, high, 0.0).unwrap_or(0.5 + 0.4 * deviations.signum());
    (mean, (mean - 0.5) / deviations)
}
