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

/// Newton's steps before the slower, surer method takes over.
const NEWTON_STEPS: usize = 12;
/// A divisor below this has lost too many digits to be computed as one plus something.
const NEAR_A_POLE: f64 = 1e-3;
/// A best distribution of a near hypothesis is the only one if it changes no share by more than this factor: it then
/// lies where the likelihood is round. Samples of little but draws leave that place even for near hypotheses.
const NEAR: f64 = 0.3;
const ROUND: f64 = 1.5;
/// Spreads from which summits are climbed: the widest there is, and so many more, each narrower by a factor.
const WIDEST: f64 = 0.5;
const EVERYWHERE: Starts = Starts { count: 40, ratio: 0.8 };
/// Enough for near hypotheses, whose summits lie far apart.
const HERE_AND_THERE: Starts = Starts { count: 8, ratio: 0.5 };

/// How densely the likelihood is searched for its highest summit.
#[derive(Clone, Copy, Debug)]
struct Starts {
    count: i32,
    ratio: f64,
}

/// How much better the second hypothesis explains a sample than the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    /// In natural logarithms, over the whole sample.
    pub(super) llr: f64,
    /// What one more sample of each score would add, to first order.
    pub(super) gradient: [f64; 5],
}

impl Ratio {
    pub(super) fn of(sample: &Sample, model: EloModel, null: f64, alternative: f64) -> Self {
        let explain = |strength: f64| match model {
            EloModel::Logistic | EloModel::Bayesian => {
                Explanation::with_mean(sample, expected_score(sample, model, strength))
            }
            EloModel::Normalized => {
                let per_sample = NormalizedElo(strength).deviations() * sample.games_each().sqrt();
                Explanation::with_deviations(sample, per_sample)
            }
        };
        let (null, alternative) = (explain(null), explain(alternative));
        let gradient = std::array::from_fn(|at| null.logarithms[at] - alternative.logarithms[at]);
        let llr = sample.total() * (null.surprise(sample) - alternative.surprise(sample));
        Self { llr, gradient }
    }
}

/// The score per game that a strength predicts for games that vary as the sample's do.
pub(super) fn expected_score(sample: &Sample, model: EloModel, strength: f64) -> f64 {
    match model {
        EloModel::Logistic => Elo(strength).score(),
        EloModel::Bayesian => draw_elo(sample).score(strength),
        EloModel::Normalized => 0.5 + NormalizedElo(strength).deviations() * sample.game_variance().sqrt(),
    }
}

/// The draw rate of the sample on BayesElo's scale.
///
/// Pairs do not tell a win and a loss from two draws, so theirs is the likeliest draw rate of independent games. A result
/// that was never seen counts as half a game: taken for impossible, it would make the scale infinitely wide.
fn draw_elo(sample: &Sample) -> DrawElo {
    let (win, loss) = match sample.shares() {
        &[loss, _, win] => (win, loss),
        pairs => wins_and_losses(pairs),
    };
    let least = 0.5 / (sample.total() * sample.games_each() + 1.0);
    DrawElo::from_probabilities(win.clamp(least, 1.0 - least), loss.clamp(least, 1.0 - least))
}

/// Rounds of sharing out even pairs; the shares settle geometrically.
const SHARING_ROUNDS: usize = 200;

/// The likeliest shares of won and lost games behind pairs of independent games: even pairs are shared out between two
/// draws and a win with a loss by what the shares so far say, again and again.
fn wins_and_losses(pairs: &[f64]) -> (f64, f64) {
    let at = |score: usize| pairs.get(score).copied().unwrap_or(0.0);
    let (mut win, mut loss) = (1.0 / 3.0, 1.0 / 3.0);
    for _ in 0..SHARING_ROUNDS {
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

/// The most likely distribution under a hypothesis: the sample's shares, each divided by a divisor.
#[derive(Clone, Copy, Debug)]
struct Explanation {
    divisors: [f64; 5],
    /// The divisors' logarithms, which need more digits than the divisors near 1 have.
    logarithms: [f64; 5],
}

impl Explanation {
    /// The sample itself.
    const UNCHANGED: Self = Self { divisors: [1.0; 5], logarithms: [0.0; 5] };

    /// The best explanation whose mean score is `mean`, strictly between 0 and 1.
    fn with_mean(sample: &Sample, mean: f64) -> Self {
        let mut features = [0.0; 5];
        for (feature, score) in features.iter_mut().zip(sample.scores()) {
            *feature = score - mean;
        }
        Self::centred(sample, features).unwrap_or(Self::UNCHANGED)
    }

    /// The best explanation whose mean lies `deviations` of its own standard deviations above one half.
    fn with_deviations(sample: &Sample, deviations: f64) -> Self {
        if deviations == 0.0 {
            return Self::with_mean(sample, 0.5);
        }
        if deviations.abs() >= NEAR {
            return Self::highest(sample, deviations, EVERYWHERE);
        }
        let moments = sample.moments();
        let spread = moments.variance.sqrt();
        // Seen as mean and mean square, the distributions beyond a hypothesis form a convex set, and the likelihood has no
        // hollows. A sample outside that set has one nearest point in it; one inside may have several on its border.
        let is_beyond = (moments.mean - 0.5 - deviations * spread) * deviations.signum() > 0.0;
        match Self::refined(sample, deviations, spread) {
            Some(found) if is_beyond || found.stays_near(sample) => found,
            _ => Self::highest(sample, deviations, HERE_AND_THERE),
        }
    }

    /// The same by climbing from everywhere and keeping the highest summit: the likelihood may have several.
    fn highest(sample: &Sample, deviations: f64, starts: Starts) -> Self {
        let spread = sample.moments().variance.sqrt();
        let starts = (0..starts.count)
            .map(|step| WIDEST * starts.ratio.powi(step))
            .chain([spread, consistent_spread(sample, deviations)]);
        starts
            .filter_map(|spread| Self::refined(sample, deviations, spread))
            .min_by(|one, other| one.surprise(sample).total_cmp(&other.surprise(sample)))
            // Not seen: a consistent start straddles the hypothesis.
            .unwrap_or_else(|| Self::with_mean(sample, 0.5))
    }

    /// Alternates between writing the hypothesis as a mean at the current distribution, and meeting that mean.
    ///
    /// `None` where this does not settle on a distribution that agrees with the hypothesis.
    fn refined(sample: &Sample, deviations: f64, spread: f64) -> Option<Self> {
        let (mut mean, mut spread) = (0.5 + deviations * spread, spread);
        let mut last = None;
        for round in 0..MOST_ROUNDS {
            let mut features = [0.0; 5];
            for (feature, score) in features.iter_mut().zip(sample.scores()) {
                let distance = (score - mean) / spread;
                *feature = score - 0.5 - deviations * spread / 2.0 * (1.0 + distance * distance);
            }
            let explanation = Self::centred(sample, features)?;
            let (next_mean, next_spread) = explanation.mean_and_spread(sample);
            let moved = (next_mean - mean).abs() + (next_spread - spread).abs();
            last = Some(explanation);
            if moved <= 1e-15 {
                break;
            }
            let pace = if round < UNDAMPED_ROUNDS { 1.0 } else { 0.5 };
            mean += pace * (next_mean - mean);
            spread += pace * (next_spread - spread);
        }
        last.filter(|_| (mean - 0.5 - deviations * spread).abs() <= 1e-9 * spread)
    }

    /// The explanation under which `features` average to 0; `None` unless they lie on both sides of it.
    fn centred(sample: &Sample, features: [f64; 5]) -> Option<Self> {
        let used = &features[..sample.scores().len()];
        let least = used.iter().copied().fold(f64::INFINITY, f64::min);
        let most = used.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let edge = |weight: f64| if weight > 0.0 { least } else { most };
        let is_near_a_pole = |weight: f64| 1.0 + weight * edge(weight) < NEAR_A_POLE;
        // Beside a pole every step is small, whether or not a root is near: what ends there proves nothing.
        let weight = newton_weight(used, sample.shares(), (-1.0 / most, -1.0 / least))
            .filter(|&weight| !is_near_a_pole(weight))
            .or_else(|| bracketed_weight(used, sample.shares(), least, most))?;
        let plain = Self {
            divisors: features.map(|feature| 1.0 + weight * feature),
            logarithms: features.map(|feature| (weight * feature).ln_1p()),
        };
        let finer =
            is_near_a_pole(weight).then(|| Self::centred_near_pole(sample, features, edge(weight))).flatten();
        Some(finer.unwrap_or(plain))
    }

    /// The same where the outcome with the feature `edge` was hardly seen and must become likely.
    ///
    /// Its divisor is then a difference of near equals; as the unknown itself, on a logarithmic scale, it keeps all
    /// its digits.
    fn centred_near_pole(sample: &Sample, features: [f64; 5], edge: f64) -> Option<Self> {
        let divisors = |logarithm: f64| {
            let divisor = logarithm.exp();
            features.map(|feature| (edge - feature) / edge + divisor * feature / edge)
        };
        let balance = |logarithm: f64| -> f64 {
            let terms = features.iter().zip(divisors(logarithm)).zip(sample.shares());
            terms.map(|((feature, divisor), share)| share * feature / divisor).sum()
        };
        let logarithm = find_root(balance, f64::MIN_POSITIVE.ln(), (2.0 * NEAR_A_POLE).ln(), 0.0).ok()?;
        let divisors = divisors(logarithm);
        Some(Self { divisors, logarithms: divisors.map(f64::ln) })
    }

    /// Whether no share was changed by more than the factor below which there is one summit only.
    fn stays_near(&self, sample: &Sample) -> bool {
        self.divisors[..sample.scores().len()].iter().all(|divisor| (1.0 / ROUND..=ROUND).contains(divisor))
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
        for ((share, seen), divisor) in shares.iter_mut().zip(sample.shares()).zip(self.divisors) {
            *share = seen / divisor;
        }
        shares
    }

    /// How much less likely a sample is under this explanation than under its own distribution; per sample.
    fn surprise(&self, sample: &Sample) -> f64 {
        sample.shares().iter().zip(self.logarithms).map(|(share, logarithm)| share * logarithm).sum()
    }
}

/// Newton's steps toward the weight that balances the features: a handful, for all but lopsided samples.
///
/// `None` where they leave the poles' interval or do not settle.
fn newton_weight(features: &[f64], shares: &[f64], (low, high): (f64, f64)) -> Option<f64> {
    let mut weight = 0.0;
    for _ in 0..NEWTON_STEPS {
        let (mut value, mut fall) = (0.0, 0.0);
        for (feature, share) in features.iter().zip(shares) {
            let part = feature / (1.0 + weight * feature);
            value += share * part;
            fall += share * part * part;
        }
        let step = value / fall;
        weight += step;
        if !(low < weight && weight < high) {
            return None;
        }
        if step.abs() <= 4.0 * f64::EPSILON * (high - low) {
            return Some(weight);
        }
    }
    None
}

/// The same weight by a method that cannot fail while features lie on both sides of 0.
fn bracketed_weight(features: &[f64], shares: &[f64], least: f64, most: f64) -> Option<f64> {
    // The sum has poles where a share would turn infinite; times the two nearest ones it is finite to the ends.
    let balance = |weight: f64| {
        let sum: f64 = features
            .iter()
            .zip(shares)
            .map(|(feature, share)| share * feature / (1.0 + weight * feature))
            .sum();
        sum * (1.0 + weight * least) * (1.0 + weight * most)
    };
    // A hair inside the poles, where the product would be 0 times infinity.
    let inside = 1.0 - 8.0 * f64::EPSILON;
    find_root(balance, -inside / most, -inside / least, 0.0).ok()
}

/// The spread of a distribution that has one mean among its likeliest and agrees with the hypothesis.
fn consistent_spread(sample: &Sample, deviations: f64) -> f64 {
    let excess =
        |mean: f64| mean - 0.5 - deviations * Explanation::with_mean(sample, mean).mean_and_spread(sample).1;
    let (low, high) = if deviations > 0.0 { (0.5, 1.0 - 1e-12) } else { (1e-12, 0.5) };
    // At one half the excess has the sign of minus the hypothesis; at the edge the spread is gone.
    let mean = find_root(excess, low, high, 0.0).unwrap_or(0.5 + 0.4 * deviations.signum());
    (mean - 0.5) / deviations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::random::Random;
    use crate::stats::sample::Tally;
    use crate::stats::tally::Pentanomial;

    #[test]
    fn the_nearest_summit_is_taken_only_where_it_is_the_highest() {
        let mut random = Random::new(11);
        for round in 0..400 {
            // From a handful of pairs to a million, some outcomes rare and some never seen.
            let counts = std::array::from_fn(|score| {
                let rarity = if score == 2 { 0.0 } else { 4.0 * random.unit() };
                let most = 10f64.powf(6.0 * random.unit() - rarity);
                if random.unit() < 0.3 { 0 } else { most as u64 }
            });
            let sample = Pentanomial(counts).sample();
            let deviations = NormalizedElo(200.0 * (random.unit() - 0.5)).deviations() * 2f64.sqrt();
            let [found, best] = [
                Explanation::with_deviations(&sample, deviations),
                Explanation::highest(&sample, deviations, EVERYWHERE),
            ]
            .map(|explanation| sample.total() * explanation.surprise(&sample));
            assert!(
                (found - best).abs() <= 1e-6 * best.abs() + 1e-9,
                "{round}: {counts:?}, {found} and {best}"
            );
        }
    }

    #[test]
    fn an_explanation_has_the_mean_that_it_was_asked_for() {
        let mut met = 0;
        // Among them all counts up to here whose first step of Newton's ends on a pole to the last bit.
        for (lost, less, even, most) in (0..4).flat_map(|a| {
            (0..60)
                .flat_map(move |b| [1, 13, 165].map(|c| (a, b, c)))
                .flat_map(|(a, b, c)| (0..4).map(move |d| (a, b, c, d)))
        }) {
            for more in [3 * less + 8 * lost, less / 3, 2 * less + 1] {
                for counts in [[lost, less, even, more, most], [most, more, even, less, lost]] {
                    let sample = Pentanomial(counts).sample();
                    for mean in [0.5, Elo(2.0).score(), Elo(-3.0).score()] {
                        let explanation = Explanation::with_mean(&sample, mean);
                        let (found, _) = explanation.mean_and_spread(&sample);
                        assert!((found - mean).abs() < 1e-9, "{counts:?}: {found} for {mean}");
                        met += 1;
                    }
                }
            }
        }
        assert_eq!(met, 4 * 60 * 3 * 4 * 3 * 2 * 3);
    }

    #[test]
    fn independent_games_behind_pairs_are_found_again() {
        let (win, loss, draw) = (0.25, 0.15, 0.6);
        let pairs =
            [loss * loss, 2.0 * loss * draw, draw * draw + 2.0 * win * loss, 2.0 * win * draw, win * win];
        let found = wins_and_losses(&pairs);
        assert!((found.0 - win).abs() < 1e-9 && (found.1 - loss).abs() < 1e-9, "{found:?}");
    }
}
