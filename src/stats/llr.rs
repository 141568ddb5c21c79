//! The generalised log-likelihood ratio of two Elo differences, by maximum likelihood under each.
//!
//! Among all distributions of scores that satisfy a hypothesis, the most likely one is the empirical distribution
//! divided by `1 + x f(score)`, where the hypothesis is written as "the mean of `f` is 0" and `x` is chosen such that
//! it holds. The ratio compares the two maximum-likelihood distributions (Michel Van den Bergh, 2020).

use super::elo::{DrawElo, Elo, EloModel, NormalizedElo};
use super::root::find_root;
use super::sample::Sample;

/// Maximum number of iterations for a normalized hypothesis. Undamped iterations need 2 to 50; each damped one halves
/// the remaining distance.
const MAX_ITERATIONS: usize = 400;
/// Number of iterations after which steps are halved, because full steps may cycle.
const UNDAMPED_ITERATIONS: usize = 40;

/// Number of Newton steps before the slower, guaranteed method is used. Steps that would leave the interval are bisections.
const NEWTON_STEPS: usize = 40;
/// Number of substitutions for a divisor near a pole. Each adds about three digits.
const SUBSTITUTIONS: usize = 20;
/// A divisor below this loses too many digits if it is computed as one plus a correction.
const NEAR_A_POLE: f64 = 1e-3;
/// Hypotheses closer to zero than this, in standard deviations, are near.
const NEAR_DEVIATIONS: f64 = 0.3;
/// For a near hypothesis, a local maximum that changes no probability by more than this factor is the only one: in that
/// region the likelihood has a single maximum. Samples of almost only draws leave it even for near hypotheses.
const UNIQUE_MAXIMUM_FACTOR: f64 = 1.5;
/// Largest possible standard deviation of a score, the first of the starting points.
const WIDEST_SPREAD: f64 = 0.5;
/// A dense set of starting points.
const DENSE_STARTS: Starts = Starts { count: 40, ratio: 0.8 };
/// A sparse set of starting points, sufficient for near hypotheses, whose local maxima are far apart.
const SPARSE_STARTS: Starts = Starts { count: 8, ratio: 0.5 };

/// The spreads from which local maxima of the likelihood are searched: a geometric sequence.
#[derive(Clone, Copy, Debug)]
struct Starts {
    count: i32,
    ratio: f64,
}

/// The log-likelihood ratio of the second hypothesis to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct LikelihoodRatio {
    /// The natural logarithm of the ratio, over the whole sample.
    pub(super) llr: f64,
    /// The first-order change of `llr` for one more observation of each score.
    pub(super) gradient: [f64; 5],
}

impl LikelihoodRatio {
    pub(super) fn of(sample: &Sample, model: EloModel, null: f64, alternative: f64) -> Self {
        let most_likely = |elo: f64| match model {
            EloModel::Logistic | EloModel::Bayesian => {
                MaxLikelihood::with_mean(sample, expected_score(sample, model, elo))
            }
            EloModel::Normalized => {
                let per_sample = NormalizedElo(elo).deviations() * sample.games_each().sqrt();
                MaxLikelihood::with_deviations(sample, per_sample)
            }
        };
        let (null, alternative) = (most_likely(null), most_likely(alternative));
        let gradient = std::array::from_fn(|at| null.logarithms[at] - alternative.logarithms[at]);
        let llr = sample.total() * (null.log_loss(sample) - alternative.log_loss(sample));
        Self { llr, gradient }
    }
}

/// Returns the expected score per game for an Elo difference, given the variance and draw rate of the sample.
pub(super) fn expected_score(sample: &Sample, model: EloModel, elo: f64) -> f64 {
    match model {
        EloModel::Logistic => Elo(elo).score(),
        EloModel::Bayesian => draw_elo(sample).score(elo),
        EloModel::Normalized => 0.5 + NormalizedElo(elo).deviations() * sample.game_variance().sqrt(),
    }
}

/// Returns the draw rate of the sample on BayesElo's scale.
///
/// A pair score of one point does not distinguish a win and a loss from two draws, so for pairs the
/// maximum-likelihood draw rate of independent games is used. A result without observations counts as half a game: a
/// probability of 0 would make the scale infinitely wide.
fn draw_elo(sample: &Sample) -> DrawElo {
    let (win, loss) = match sample.probabilities() {
        &[loss, _, win] => (win, loss),
        pairs => wins_and_losses(pairs),
    };
    let least = 0.5 / (sample.total() * sample.games_each() + 1.0);
    DrawElo::from_probabilities(win.clamp(least, 1.0 - least), loss.clamp(least, 1.0 - least))
}

/// Number of expectation-maximisation iterations; they converge geometrically.
const EM_ITERATIONS: usize = 200;

/// Returns the maximum-likelihood win and loss probabilities of independent games, given the distribution of pairs.
///
/// Uses expectation maximisation: each iteration divides the even pairs between two draws and a win with a loss
/// according to the current probabilities.
fn wins_and_losses(pairs: &[f64]) -> (f64, f64) {
    let at = |score: usize| pairs.get(score).copied().unwrap_or(0.0);
    let (mut win, mut loss) = (1.0 / 3.0, 1.0 / 3.0);
    for _ in 0..EM_ITERATIONS {
        let draw: f64 = 1.0 - win - loss;
        let decided = 2.0 * win * loss;
        let even_decided = at(2) * decided / (decided + draw * draw).max(f64::MIN_POSITIVE);
        let next = (at(4) + (at(3) + even_decided) / 2.0, at(0) + (at(1) + even_decided) / 2.0);
        let moved = (next.0 - win).abs() + (next.1 - loss).abs();
        (win, loss) = next;
        if moved <= 1e-15 {
            break;
        }
    }
    (win, loss)
}

/// The maximum-likelihood distribution under a hypothesis: the probabilities of the sample, each divided by a divisor.
#[derive(Clone, Copy, Debug)]
struct MaxLikelihood {
    divisors: [f64; 5],
    /// The logarithms of the divisors, stored because divisors near 1 do not have enough digits to compute them.
    logarithms: [f64; 5],
}

impl MaxLikelihood {
    /// The distribution of the sample itself.
    const UNCHANGED: Self = Self { divisors: [1.0; 5], logarithms: [0.0; 5] };

    /// Returns the most likely distribution with mean score `mean`, strictly between 0 and 1.
    fn with_mean(sample: &Sample, mean: f64) -> Self {
        let mut features = [0.0; 5];
        for (feature, score) in features.iter_mut().zip(sample.scores()) {
            *feature = score - mean;
        }
        Self::with_zero_mean(sample, features).unwrap_or(Self::UNCHANGED)
    }

    /// Returns the most likely distribution whose mean is `deviations` of its own standard deviations above one half.
    fn with_deviations(sample: &Sample, deviations: f64) -> Self {
        if deviations == 0.0 {
            return Self::with_mean(sample, 0.5);
        }
        if deviations.abs() >= NEAR_DEVIATIONS {
            return Self::global_maximum(sample, deviations, DENSE_STARTS);
        }
        let moments = sample.moments();
        let spread = moments.variance.sqrt();
        // In terms of mean and mean square, the distributions beyond a hypothesis form a convex set, and the
        // likelihood is concave. A sample outside that set has one nearest point in it; one inside may have several
        // on its border.
        let is_beyond = (moments.mean - 0.5 - deviations * spread) * deviations.signum() > 0.0;
        match Self::local_maximum(sample, deviations, spread) {
            Some(found) if is_beyond || found.is_unique_maximum(sample) => found,
            _ => Self::global_maximum(sample, deviations, SPARSE_STARTS),
        }
    }

    /// Like [`MaxLikelihood::with_deviations`], but keeps the best local maximum of several starting points, because
    /// the likelihood may have more than one.
    fn global_maximum(sample: &Sample, deviations: f64, starts: Starts) -> Self {
        let spread = sample.moments().variance.sqrt();
        let starts = (0..starts.count)
            .map(|step| WIDEST_SPREAD * starts.ratio.powi(step))
            .chain([spread, consistent_spread(sample, deviations)]);
        starts
            .filter_map(|spread| Self::local_maximum(sample, deviations, spread))
            .min_by(|one, other| one.log_loss(sample).total_cmp(&other.log_loss(sample)))
            // Not observed in practice: from a consistent start the features have both signs.
            .unwrap_or_else(|| Self::with_mean(sample, 0.5))
    }

    /// Alternates between linearising the hypothesis at the current distribution, which makes it a condition on a mean,
    /// and computing the most likely distribution with that mean.
    ///
    /// Returns `None` if this does not converge to a distribution that satisfies the hypothesis.
    fn local_maximum(sample: &Sample, deviations: f64, spread: f64) -> Option<Self> {
        let (mut mean, mut spread) = (0.5 + deviations * spread, spread);
        let mut last = None;
        for iteration in 0..MAX_ITERATIONS {
            let mut features = [0.0; 5];
            for (feature, score) in features.iter_mut().zip(sample.scores()) {
                let distance = (score - mean) / spread;
                *feature = score - 0.5 - deviations * spread / 2.0 * (1.0 + distance * distance);
            }
            let distribution = Self::with_zero_mean(sample, features)?;
            let (next_mean, next_spread) = distribution.mean_and_spread(sample);
            let change = (next_mean - mean).abs() + (next_spread - spread).abs();
            last = Some(distribution);
            if change <= 1e-15 {
                break;
            }
            let damping = if iteration < UNDAMPED_ITERATIONS { 1.0 } else { 0.5 };
            mean += damping * (next_mean - mean);
            spread += damping * (next_spread - spread);
        }
        last.filter(|_| (mean - 0.5 - deviations * spread).abs() <= 1e-9 * spread)
    }

    /// Returns the most likely distribution under which the mean of `features` is 0, or `None` unless the features have
    /// both signs.
    fn with_zero_mean(sample: &Sample, features: [f64; 5]) -> Option<Self> {
        let used = &features[..sample.scores().len()];
        let least = used.iter().copied().fold(f64::INFINITY, f64::min);
        let most = used.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let edge = |weight: f64| if weight > 0.0 { least } else { most };
        let is_near_a_pole = |weight: f64| 1.0 + weight * edge(weight) < NEAR_A_POLE;
        // Near a pole every step is small, whether or not a root is near, so convergence there proves nothing.
        let weight = newton_weight(used, sample.probabilities(), (-1.0 / most, -1.0 / least))
            .filter(|&weight| !is_near_a_pole(weight))
            .or_else(|| bracketed_weight(used, sample.probabilities(), least, most))?;
        let plain = Self {
            divisors: features.map(|feature| 1.0 + weight * feature),
            logarithms: features.map(|feature| (weight * feature).ln_1p()),
        };
        let finer = is_near_a_pole(weight)
            .then(|| Self::with_zero_mean_near_pole(sample, features, edge(weight)))
            .flatten();
        Some(finer.unwrap_or(plain))
    }

    /// Like [`MaxLikelihood::with_zero_mean`], if the score with the feature `edge` was hardly observed but must become
    /// likely.
    ///
    /// Its divisor is then a difference of nearly equal numbers. With the divisor itself, or its logarithm, as the unknown,
    /// all digits are kept.
    fn with_zero_mean_near_pole(sample: &Sample, features: [f64; 5], edge: f64) -> Option<Self> {
        let divisors =
            |divisor: f64| features.map(|feature| (edge - feature) / edge + divisor * feature / edge);
        let balance = |logarithm: f64| -> f64 {
            let terms = features.iter().zip(divisors(logarithm.exp())).zip(sample.probabilities());
            terms.map(|((feature, divisor), probability)| probability * feature / divisor).sum()
        };
        let logarithm = substituted_divisor(&features, sample.probabilities(), edge)
            .map(f64::ln)
            .or_else(|| find_root(balance, f64::MIN_POSITIVE.ln(), (2.0 * NEAR_A_POLE).ln(), 0.0).ok())?;
        let divisors = divisors(logarithm.exp());
        Some(Self { divisors, logarithms: divisors.map(f64::ln) })
    }

    /// Returns whether no probability differs from that of the sample by more than [`UNIQUE_MAXIMUM_FACTOR`].
    fn is_unique_maximum(&self, sample: &Sample) -> bool {
        let range = 1.0 / UNIQUE_MAXIMUM_FACTOR..=UNIQUE_MAXIMUM_FACTOR;
        self.divisors[..sample.scores().len()].iter().all(|divisor| range.contains(divisor))
    }

    fn mean_and_spread(&self, sample: &Sample) -> (f64, f64) {
        let probabilities = self.probabilities(sample);
        let over = |power: fn(f64) -> f64, centre: f64| -> f64 {
            sample
                .scores()
                .iter()
                .zip(probabilities)
                .map(|(score, probability)| probability * power(score - centre))
                .sum()
        };
        let mean = over(|score| score, 0.0);
        (mean, over(|score| score * score, mean).sqrt())
    }

    fn probabilities(&self, sample: &Sample) -> [f64; 5] {
        let mut probabilities = [0.0; 5];
        for ((probability, observed), divisor) in
            probabilities.iter_mut().zip(sample.probabilities()).zip(self.divisors)
        {
            *probability = observed / divisor;
        }
        probabilities
    }

    /// Returns the loss of log-likelihood per observation compared with the distribution of the sample.
    fn log_loss(&self, sample: &Sample) -> f64 {
        sample
            .probabilities()
            .iter()
            .zip(self.logarithms)
            .map(|(probability, logarithm)| probability * logarithm)
            .sum()
    }
}

/// Finds the weight for which the mean of the features is 0 by Newton's method, between the poles `low` and `high`.
///
/// The mean falls from one pole to the other, so its sign narrows the interval; a step that would leave the interval is
/// replaced by a bisection. Returns `None` if the method does not converge.
fn newton_weight(features: &[f64], probabilities: &[f64], (mut low, mut high): (f64, f64)) -> Option<f64> {
    let precision = 4.0 * f64::EPSILON * (high - low);
    let mut weight = 0.0;
    for _ in 0..NEWTON_STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (feature, probability) in features.iter().zip(probabilities) {
            let part = feature / (1.0 + weight * feature);
            value += probability * part;
            slope += probability * part * part;
        }
        if value > 0.0 {
            low = weight;
        } else {
            high = weight;
        }
        let newton = weight + value / slope;
        let next = if low <= newton && newton <= high { newton } else { f64::midpoint(low, high) };
        let step = next - weight;
        weight = next;
        if step.abs() <= precision {
            return Some(weight);
        }
    }
    None
}

/// Finds the small divisor of the scores with the feature `edge` by substitution: these scores balance the others, whose
/// divisors hardly depend on it.
///
/// Returns `None` if this does not converge, because the feature of another score is nearly the same.
fn substituted_divisor(features: &[f64], probabilities: &[f64], edge: f64) -> Option<f64> {
    let mut divisor = 0.0;
    for _ in 0..SUBSTITUTIONS {
        let (mut at_edge, mut others) = (0.0, 0.0);
        for (&feature, probability) in features.iter().zip(probabilities) {
            if feature == edge {
                at_edge += probability * feature;
            } else {
                others += probability * feature / ((edge - feature) / edge + divisor * feature / edge);
            }
        }
        let next = -at_edge / others;
        if !(f64::MIN_POSITIVE..2.0 * NEAR_A_POLE).contains(&next) {
            return None;
        }
        if (next - divisor).abs() <= 2.0 * f64::EPSILON * next {
            return Some(next);
        }
        divisor = next;
    }
    None
}

/// Finds the same weight by a bracketing method, which cannot fail if the features have both signs.
fn bracketed_weight(features: &[f64], probabilities: &[f64], least: f64, most: f64) -> Option<f64> {
    // The sum has poles where a probability becomes infinite. Multiplied by the factors of the two nearest poles, it is
    // finite up to the ends.
    let balance = |weight: f64| {
        let sum: f64 = features
            .iter()
            .zip(probabilities)
            .map(|(feature, probability)| probability * feature / (1.0 + weight * feature))
            .sum();
        sum * (1.0 + weight * least) * (1.0 + weight * most)
    };
    // Slightly inside the poles, at which the product would be 0 times infinity.
    let inside = 1.0 - 8.0 * f64::EPSILON;
    find_root(balance, -inside / most, -inside / least, 0.0).ok()
}

/// Returns the standard deviation of a distribution that satisfies the hypothesis and is the most likely one for its
/// mean.
fn consistent_spread(sample: &Sample, deviations: f64) -> f64 {
    let excess = |mean: f64| {
        mean - 0.5 - deviations * MaxLikelihood::with_mean(sample, mean).mean_and_spread(sample).1
    };
    let (low, high) = if deviations > 0.0 { (0.5, 1.0 - 1e-12) } else { (1e-12, 0.5) };
    // At one half the excess has the sign opposite to `deviations`; at the edge the spread vanishes.
    // A starting point needs few digits.
    let mean = find_root(excess, low, high, 1e-6).unwrap_or(0.5 + 0.4 * deviations.signum());
    (mean - 0.5) / deviations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::random::Random;
    use crate::stats::sample::Tally;
    use crate::stats::tally::Pentanomial;

    #[test]
    fn a_local_maximum_is_used_only_if_it_is_the_global_one() {
        let mut random = Random::new(11);
        for round in 0..400 {
            // From a few pairs to a million, with some scores rare and some without observations.
            let counts = std::array::from_fn(|score| {
                let rarity = if score == 2 { 0.0 } else { 4.0 * random.unit() };
                let most = 10f64.powf(6.0 * random.unit() - rarity);
                if random.unit() < 0.3 { 0 } else { most as u64 }
            });
            let sample = Pentanomial(counts).sample();
            let deviations = NormalizedElo(200.0 * (random.unit() - 0.5)).deviations() * 2f64.sqrt();
            let [found, best] = [
                MaxLikelihood::with_deviations(&sample, deviations),
                MaxLikelihood::global_maximum(&sample, deviations, DENSE_STARTS),
            ]
            .map(|distribution| sample.total() * distribution.log_loss(&sample));
            assert!(
                (found - best).abs() <= 1e-6 * best.abs() + 1e-9,
                "{round}: {counts:?}, {found} and {best}"
            );
        }
    }

    #[test]
    fn a_distribution_has_the_requested_mean() {
        let mut checked = 0;
        // These include all counts up to these limits for which the first Newton step ends exactly on a pole.
        for (lost, less, even, most) in (0..4).flat_map(|a| {
            (0..60)
                .flat_map(move |b| [1, 13, 165].map(|c| (a, b, c)))
                .flat_map(|(a, b, c)| (0..4).map(move |d| (a, b, c, d)))
        }) {
            for more in [3 * less + 8 * lost, less / 3, 2 * less + 1] {
                for counts in [[lost, less, even, more, most], [most, more, even, less, lost]] {
                    let sample = Pentanomial(counts).sample();
                    for mean in [0.5, Elo(2.0).score(), Elo(-3.0).score()] {
                        let distribution = MaxLikelihood::with_mean(&sample, mean);
                        let (found, _) = distribution.mean_and_spread(&sample);
                        assert!((found - mean).abs() < 1e-9, "{counts:?}: {found} for {mean}");
                        checked += 1;
                    }
                }
            }
        }
        assert_eq!(checked, 4 * 60 * 3 * 4 * 3 * 2 * 3);
    }

    #[test]
    fn win_and_loss_probabilities_are_recovered_from_pairs() {
        let (win, loss, draw) = (0.25, 0.15, 0.6);
        let pairs =
            [loss * loss, 2.0 * loss * draw, draw * draw + 2.0 * win * loss, 2.0 * win * draw, win * win];
        let found = wins_and_losses(&pairs);
        assert!((found.0 - win).abs() < 1e-9 && (found.1 - loss).abs() < 1e-9, "{found:?}");
    }
}
