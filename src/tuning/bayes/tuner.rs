//! The Bayesian tuner: every pair updates a model of strength around the optimum, and the model chooses the next trial.
//!
//! All parameters are perturbed at once, as in SPSA, but as far as the steepness of each parameter allows, because the
//! information of a game grows with the square of the perturbation. The perturbations are centred on the estimated
//! optimum.

use serde::{Deserialize, Serialize};

use crate::stats::{Elo, PairScore, Random};
use crate::tuning::bayes::anchors::{Anchors, MeasuredGain};
use crate::tuning::bayes::choice::Choice;
use crate::tuning::bayes::joint_posterior;
use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation, gaps, limited, variance};
use crate::tuning::bayes::posterior::{Estimate, Evidence, Grid, MAX_OFFSET};
use crate::tuning::bayes::regression::RegressionSums;
use crate::tuning::bayes::run_evidence::RunEvidence;
use crate::tuning::report::{GainEstimate, ParameterEffect, ParameterReport, TuningReport};
use crate::tuning::space::{Kind, Parameter, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// Minimum number of pairs of a run that ends early.
const MIN_PAIRS: u64 = 2_000;
/// Log odds above which an effect is reported as clear: twenty to one.
const CLEAR_LOG_ODDS: f64 = 3.0;
/// Log odds below which an effect may be reported as not seen: one to ten.
const NOT_SEEN_LOG_ODDS: f64 = -2.3;
/// An effect is reported as not seen only if the standard error of the slope is below this, in Elo per half range.
const DETECTABLE_SLOPE: f64 = 2.0;
/// Half-width of the central 95 % of a normal distribution, in standard deviations.
const Z_95: f64 = 1.959_963_984_540_054;
/// Minimum number of pairs before the tuner reports anything but the start as best: fewer measure nothing.
const MIN_PAIRS_TO_LEAVE_START: u64 = 100;
/// Additional share of anchor pairs while they contradict the model: the decision between the estimated optimum and the
/// start then rests on them alone. It is open while the gain is below this number of standard errors.
const MISFIT_ANCHOR_SHARE: f64 = 0.3;
const OPEN_DECISION: f64 = 4.0;
/// How much faster anchor pairs lose weight than others, as a power.
const ANCHOR_DECAY: i32 = 3;
/// Room between the estimated optimum and a bound, in perturbations, below which pairs are shortened, and the shortest
/// of them, as a fraction of the usual distance.
const ROOM_AT_BOUND: f64 = 0.5;
const MIN_LENGTH_AT_BOUND: f64 = 0.4;
/// Number of pairs from which intervals allow for interactions between parameters; in shorter runs the interactions
/// reflect the prior more than the games. They are recomputed whenever the
/// number of pairs has doubled, because that costs as much as many fits.
const MIN_PAIRS_FOR_INTERACTIONS: u64 = 10_000;
/// Maximum number of parameters for which intervals allow for interactions. The number of interactions grows with the
/// square of the parameters: with more of them, the games of a night do not determine their strength, and with a
/// thousand they would not fit in memory.
const MAX_INTERACTING: usize = 16;
/// Late in a run, the number of pairs between two fits is the number of pairs so far divided by this.
const FIT_INTERVAL_DIVISOR: u64 = 50;

/// Constants of the Bayesian tuner; the defaults need no adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesPlan {
    /// Elo that the perturbation of one parameter may cost in a run of 20,000 pairs; shorter runs allow more.
    #[serde(rename = "daring")]
    pub perturbation_cost: f64,
    /// Smallest perturbation, in half ranges.
    #[serde(rename = "narrowest")]
    pub min_perturbation: f64,
    /// Largest perturbation, in half ranges.
    #[serde(rename = "widest")]
    pub max_perturbation: f64,
    /// Exponent of the decay of old pairs: the weight of pair `k` of `n` is about `(k / n)` to this power.
    #[serde(rename = "fading")]
    pub decay: f64,
    /// Random displacement of the centre, as a multiple of the perturbation.
    #[serde(rename = "wandering")]
    pub centre_jitter: f64,
    /// The run ends early when the expected Elo still to gain is below this.
    #[serde(rename = "enough")]
    pub converged_loss: f64,
    /// Number of pairs between two fits of the model at the start of a run.
    pub pairs_per_fit: u64,
    /// Fraction of pairs between the estimated optimum and the start. Plans of earlier versions have none.
    #[serde(rename = "anchors", default)]
    pub anchor_share: f64,
}

impl Default for BayesPlan {
    fn default() -> Self {
        Self {
            perturbation_cost: 1.6,
            min_perturbation: 0.2,
            max_perturbation: 0.9,
            decay: 0.5,
            centre_jitter: 0.2,
            converged_loss: 0.1,
            pairs_per_fit: 32,
            anchor_share: 1.0 / 16.0,
        }
    }
}

/// A Bayesian tuning run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bayes {
    plan: BayesPlan,
    /// [`BayesPlan::perturbation_cost`] for the length of this run.
    perturbation_cost: f64,
    learned: u64,
    evidence: Vec<Evidence>,
    run_evidence: RunEvidence,
    /// `None` above [`MAX_INTERACTING`] parameters.
    regression: Option<RegressionSums>,
    /// Interval of each optimum, as offsets.
    intervals: Vec<[f64; 2]>,
    next_intervals: u64,
    estimates: Vec<Estimate>,
    /// Sum of the weights of pairs, and sum of their squared weights times the variance of each.
    weights: (f64, f64),
    /// Sums of squared residuals and of information.
    residuals: (f64, f64),
    next_fit: u64,
    anchors: Anchors,
    /// The model of each parameter without an order; `None` for numbers.
    #[serde(default)]
    choices: Vec<Option<Choice>>,
}

impl Bayes {
    /// Creates a run of `pairs` pairs without scores.
    pub fn new(space: &Space, plan: BayesPlan, pairs: u64) -> Self {
        let mut run = Self {
            plan,
            perturbation_cost: plan.perturbation_cost * (20_000.0 / pairs.max(1) as f64).sqrt(),
            learned: 0,
            evidence: vec![Evidence::default(); space.len()],
            run_evidence: RunEvidence::new(space.len()),
            regression: (space.len() <= MAX_INTERACTING).then(|| RegressionSums::new(space.len())),
            intervals: vec![[-MAX_OFFSET, MAX_OFFSET]; space.len()],
            next_intervals: MIN_PAIRS_FOR_INTERACTIONS,
            estimates: Vec::new(),
            weights: (0.0, 0.0),
            residuals: (0.0, 0.0),
            next_fit: plan.pairs_per_fit,
            anchors: Anchors::default(),
            choices: space.parameters().iter().map(choice).collect(),
        };
        run.fit(space);
        run
    }

    pub(in crate::tuning) fn propose(&self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let mut random = Random::of_item(seed, id.0);
        if let Some(anchor) = self.anchor(space, id, &mut random) {
            return anchor;
        }
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for ((parameter, estimate), choice) in
            space.parameters().iter().zip(&self.estimates).zip(&self.choices)
        {
            if let Some(choice) = choice {
                let [first, second] = choice.draw(&mut random);
                plus.push(first as f64);
                minus.push(second as f64);
                continue;
            }
            let half_range = parameter.range() / 2.0;
            let width = (self.perturbation_cost / estimate.steepness)
                .sqrt()
                .clamp(self.plan.min_perturbation, self.plan.max_perturbation);
            let jitter = self.plan.centre_jitter * width * (2.0 * random.unit() - 1.0);
            let centre = parameter.clamp(parameter.start + half_range * (estimate.optimum + jitter));
            let perturbation = random.sign() * width * half_range;
            let noise = random.unit();
            let wanted = [centre + perturbation, centre - perturbation];
            let mut sides = wanted.map(|side| parameter.clamp(side));
            let middle = parameter.clamp(parameter.start + half_range * estimate.optimum);
            let room = (middle - parameter.min).min(parameter.max - middle);
            if room < ROOM_AT_BOUND * width * half_range {
                sides = shortened_at_bound(sides, wanted, &mut random);
            }
            plus.push(parameter.rounded(sides[0], noise));
            minus.push(parameter.rounded(sides[1], noise));
        }
        Trial { id, plus: Settings(plus), minus: Settings(minus) }
    }

    /// Returns trial `id` if it is an anchor pair: the estimated optimum against the start.
    fn anchor(&self, space: &Space, id: TrialId, random: &mut Random) -> Option<Trial> {
        let gain = self.measured_gain();
        let is_open = gain.mean < OPEN_DECISION * gain.variance.sqrt();
        let more = if is_open { MISFIT_ANCHOR_SHARE * gain.misfit.powi(2) } else { 0.0 };
        let share = self.plan.anchor_share + more;
        let is_anchor = random.unit() < share && self.learned >= MIN_PAIRS_TO_LEAVE_START;
        let (plus, minus) = (space.nearest(&self.centre(space)), space.start());
        (self.plan.anchor_share > 0.0 && is_anchor && plus != minus).then_some(Trial { id, plus, minus })
    }

    /// Returns the gain of the estimated optimum over the start, from the model and the anchor pairs.
    fn measured_gain(&self) -> MeasuredGain {
        self.anchors.gain(self.centre_gain(), 0.0)
    }

    /// Returns the gain to be reported. Its error includes that of the model, which promises too little while little is
    /// known, and that of each steepness, which pairs around an optimum hardly measure; for the decision to leave the start,
    /// noise of the anchor pairs would outweigh that.
    fn reported_gain(&self) -> MeasuredGain {
        let promised = self.centre_gain();
        let variance: f64 = self.estimates.iter().map(|estimate| estimate.gain_variance).sum();
        self.anchors.gain(promised, 2.0 * self.remaining_loss() + 0.3 * promised + variance.sqrt())
    }

    /// Adds a score. Scores arrive in the order of trials.
    pub(in crate::tuning) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        self.learned += 1;
        let decay = (1.0 - 1.0 / (self.learned as f64 + 1.0)).powf(self.plan.decay);
        let (plus, minus) = (offsets(space, &trial.plus), offsets(space, &trial.minus));
        if trial.minus == space.start() {
            self.anchors.add(score, decay.powi(ANCHOR_DECAY));
            // An anchor pair moves all parameters together, which the estimate of each on its own cannot separate.
            if space.len() > 1 {
                return;
            }
        }
        self.run_evidence.learn(&plus, &minus, score, &self.estimates);
        let (gaps, gap) = self.gaps(trial, &plus, &minus);
        let observed = Observation::new(score, gap);
        for (index, choice) in self.choices.iter_mut().enumerate() {
            if let Some(choice) = choice {
                let [plus, minus] = [&trial.plus, &trial.minus].map(|side| side.0[index] as usize);
                choice.learn(plus, minus, observed.elo - gap + gaps[index], observed.information, decay);
            }
        }
        for (index, evidence) in self.evidence.iter_mut().enumerate() {
            evidence.decay(decay);
            // The expected advantage due to the other parameters is not evidence for this one.
            let others = gap - gaps[index];
            evidence.add(plus[index], minus[index], observed.elo - others, observed.information);
        }
        if let Some(regression) = &mut self.regression {
            regression.learn(decay, &plus, &minus, observed.elo, observed.information);
        }
        let (weight, squared_weight) = self.weights;
        self.weights =
            (weight * decay + observed.information, squared_weight * decay * decay + observed.information);
        let (squares, information) = self.residuals;
        self.residuals =
            (squares * decay + observed.squared_residual, information * decay + observed.information);
        // Late pairs change the estimates less, so fits become rarer during the run.
        if self.learned >= self.next_fit {
            self.next_fit = self.learned + self.plan.pairs_per_fit.max(self.learned / FIT_INTERVAL_DIVISOR);
            self.fit(space);
        }
        if self.learned >= self.next_intervals {
            self.next_intervals = 2 * self.learned;
            self.update_intervals();
        }
    }

    /// Returns the expected Elo advantage of the plus side due to each parameter, and the limited sum of all.
    fn gaps(&self, trial: &Trial, plus: &[f64], minus: &[f64]) -> (Vec<f64>, f64) {
        let (mut each, _) = gaps(&self.estimates, plus, minus);
        for ((gap, choice), (plus, minus)) in
            each.iter_mut().zip(&self.choices).zip(trial.plus.0.iter().zip(&trial.minus.0))
        {
            if let Some(choice) = choice {
                *gap = choice.gap(*plus as usize, *minus as usize);
            }
        }
        let all = limited(each.iter().sum());
        (each, all)
    }

    /// Returns the variance of the score of a pair in Elo², for decayed pairs.
    fn pair_variance(&self) -> f64 {
        // The effective number of decayed pairs is their squared sum of weights divided by the sum of squared weights,
        // not their sum of weights.
        let correction = if self.learned == 0 { 1.0 } else { self.weights.0 / self.weights.1 };
        variance(self.residuals) * ELO_PER_SCORE * ELO_PER_SCORE / correction
    }

    pub(in crate::tuning) fn fit(&mut self, space: &Space) {
        let grid = Grid::new();
        let pair_variance = self.pair_variance();
        let positions = start_positions(space);
        let numbers =
            self.evidence.iter().zip(&positions).zip(&self.choices).filter(|(_, choice)| choice.is_none());
        let likelihoods: Vec<_> = numbers
            .map(|((evidence, &position), _)| grid.likelihood(evidence, pair_variance, position))
            .collect();
        let mut estimates = grid.estimates(&likelihoods).into_iter();
        let estimate = |choice: &mut Option<Choice>| match choice {
            None => estimates.next().unwrap_or_default(),
            Some(choice) => {
                choice.fit(pair_variance);
                Estimate { remaining_loss: choice.remaining_loss(), ..Estimate::default() }
            }
        };
        self.estimates = self.choices.iter_mut().map(estimate).collect();
        if self.regression.is_none() || self.learned < MIN_PAIRS_FOR_INTERACTIONS {
            self.intervals = self.estimates.iter().map(|estimate| estimate.interval).collect();
        }
    }

    /// Recomputes the intervals; reports show those of the last call.
    ///
    /// Where interactions are allowed for, an interval also holds the one of its parameter on its own: the joint posterior has
    /// one scale for all distances of starts from optima, and is too certain if the starts are not all equally good.
    pub(in crate::tuning) fn update_intervals(&mut self) {
        self.intervals = self.estimates.iter().map(|estimate| estimate.interval).collect();
        let Some(regression) = &self.regression else { return };
        if self.learned >= MIN_PAIRS_FOR_INTERACTIONS {
            let joint = joint_posterior::intervals(regression, self.pair_variance(), self.learned);
            for (own, joint) in self.intervals.iter_mut().zip(joint) {
                *own = [own[0].min(joint[0]), own[1].max(joint[1])];
            }
        }
    }

    /// Returns the values with the smallest expected loss, before rounding.
    pub(super) fn centre(&self, space: &Space) -> Vec<f64> {
        let value = |((parameter, estimate), choice): ((&Parameter, &Estimate), &Option<Choice>)| match choice
        {
            Some(choice) => choice.best() as f64,
            None => parameter.clamp(parameter.start + estimate.optimum * parameter.range() / 2.0),
        };
        space.parameters().iter().zip(&self.estimates).zip(&self.choices).map(value).collect()
    }

    /// Returns the values with the largest expected gain over the start, rounded to those that an engine accepts.
    ///
    /// A parameter leaves its start if its expected gain is positive, however weak the evidence: the mean gain over many
    /// runs is largest then. Requiring odds of three to one against the start cost 2 to 20 Elo where ranges were too wide,
    /// one parameter of eight was wrong, or starts were at a bound, and half of the gain of runs of 4,000 games.
    pub(in crate::tuning) fn best(&self, space: &Space) -> Settings {
        if self.has_left_start() { space.nearest(&self.centre(space)) } else { space.start() }
    }

    fn has_left_start(&self) -> bool {
        // Where the anchor pairs contradict the model, their noise alone must not decide for values of unknown strength.
        let gain = self.measured_gain();
        self.learned >= MIN_PAIRS_TO_LEAVE_START && gain.mean >= gain.misfit.powi(2) * gain.variance.sqrt()
    }

    /// Whether so little is left to gain that the run may end before its budget is spent.
    pub(in crate::tuning) fn has_converged(&self) -> bool {
        self.learned >= MIN_PAIRS && self.expected_loss() < self.plan.converged_loss
    }

    /// Returns the expected Elo between the best values and the unknown optimum. As long as the best values are the
    /// start, that includes what the start loses to the estimated optimum.
    fn expected_loss(&self) -> f64 {
        self.remaining_loss() + if self.has_left_start() { 0.0 } else { self.centre_gain() }
    }

    fn remaining_loss(&self) -> f64 {
        self.estimates.iter().map(|estimate| estimate.remaining_loss).sum()
    }

    /// Returns the expected gain of the estimated optimum over the start.
    fn centre_gain(&self) -> f64 {
        let numbers = self.estimates.iter().map(|estimate| estimate.gain);
        numbers.sum::<f64>() + self.choices.iter().flatten().map(Choice::gain).sum::<f64>()
    }

    pub(in crate::tuning) fn report(&self, space: &Space, pairs_scored: u64, max_pairs: u64) -> TuningReport {
        let best = self.best(space);
        let estimate = self.run_evidence.estimate(&self.estimates, &start_positions(space));
        let parameters = space.parameters().iter().zip(&self.intervals).zip(&best.0).enumerate();
        let parameters = parameters.map(|(index, ((parameter, interval), &best))| {
            let value = |offset: f64| parameter.clamp(parameter.start + offset * parameter.range() / 2.0);
            let log_odds = estimate.effect_log_odds[index];
            ParameterReport {
                name: parameter.name.clone(),
                start: parameter.start,
                best,
                interval: (self.learned >= self.plan.pairs_per_fit && self.choices[index].is_none())
                    .then(|| interval.map(value)),
                effect: if self.choices[index].is_some() {
                    ParameterEffect::Unclear
                } else if log_odds > CLEAR_LOG_ODDS {
                    ParameterEffect::Clear
                } else if log_odds < NOT_SEEN_LOG_ODDS && estimate.slope_errors[index] < DETECTABLE_SLOPE {
                    ParameterEffect::NotSeen
                } else {
                    ParameterEffect::Unclear
                },
            }
        });
        let gain = self.reported_gain();
        let (gain, error) =
            if self.has_left_start() { (gain.mean, Z_95 * gain.variance.sqrt()) } else { (0.0, 0.0) };
        // The remaining loss is inversely proportional to the number of pairs.
        let needed = self.learned as f64 * self.expected_loss() / self.plan.converged_loss;
        let needed = (needed as u64).clamp(MIN_PAIRS, max_pairs.max(MIN_PAIRS)).min(max_pairs);
        TuningReport {
            pairs_scored,
            pairs_left: needed.saturating_sub(pairs_scored),
            parameters: parameters.collect(),
            gain: Some(GainEstimate { elo: Elo(gain), error: Elo(error) }),
            remaining_loss: Some(Elo(self.expected_loss())),
        }
    }
}

/// Returns a value between both ends of `sides`, at a random distance from the end at a bound.
///
/// If the lower side is always the bound and the upper side always as far away, all pairs have the same midpoint: they
/// measure one slope, from which neither optimum nor steepness follows.
fn shortened_at_bound(sides: [f64; 2], wanted: [f64; 2], random: &mut Random) -> [f64; 2] {
    let clipped = [sides[0] != wanted[0], sides[1] != wanted[1]];
    let distance =
        (sides[0] - sides[1]) * (MIN_LENGTH_AT_BOUND + (1.0 - MIN_LENGTH_AT_BOUND) * random.unit());
    match clipped {
        [true, false] => [sides[0], sides[0] - distance],
        [false, true] => [sides[1] + distance, sides[1]],
        _ => sides,
    }
}

/// Converts settings to offsets: half ranges from the start.
fn offsets(space: &Space, settings: &Settings) -> Vec<f64> {
    let offset = |(parameter, value): (&Parameter, &f64)| match parameter.kind {
        Kind::Choice => 0.0,
        Kind::Integer | Kind::Real => 2.0 * (value - parameter.start) / parameter.range(),
    };
    space.parameters().iter().zip(&settings.0).map(offset).collect()
}

/// Returns the position of each start in its range, from -1 to 1.
fn start_positions(space: &Space) -> Vec<f64> {
    let position = |parameter: &Parameter| 2.0 * (parameter.start - parameter.min) / parameter.range() - 1.0;
    space.parameters().iter().map(position).collect()
}

/// Returns the model of a parameter without an order.
fn choice(parameter: &Parameter) -> Option<Choice> {
    (parameter.kind == Kind::Choice)
        .then(|| Choice::new(parameter.max as usize + 1, parameter.start as usize))
}
