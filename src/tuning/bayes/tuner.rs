//! The Bayesian tuner: every pair updates a model of strength around the optimum, and the model chooses the next trial.
//!
//! All parameters are perturbed at once, as in SPSA, but as far as the steepness of each parameter allows, because the
//! information of a game grows with the square of the perturbation. The perturbations are centred on the estimated
//! optimum.

use serde::{Deserialize, Serialize};

use crate::stats::{Elo, PairScore, Random};
use crate::tuning::bayes::joint_posterior;
use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation, gaps, variance};
use crate::tuning::bayes::posterior::{Estimate, Evidence, Grid, MAX_OFFSET, scale_posterior};
use crate::tuning::bayes::regression::RegressionSums;
use crate::tuning::bayes::run_evidence::RunEvidence;
use crate::tuning::report::{GainEstimate, ParameterEffect, ParameterReport, TuningReport};
use crate::tuning::space::{Kind, Parameter, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// Minimum number of pairs of a run that ends early.
const MIN_PAIRS: u64 = 2_000;
/// Log odds above which an effect is reported as clear: twenty to one.
const CLEAR_LOG_ODDS: f64 = 3.0;
/// An effect is reported as not seen only if the standard error of the slope is below this, in Elo per half range.
const DETECTABLE_SLOPE: f64 = 2.0;
/// Half-width of the central 95 % of a normal distribution, in standard deviations.
const Z_95: f64 = 1.959_963_984_540_054;
/// Minimum number of pairs before the tuner reports anything but the start as best: fewer measure nothing.
const MIN_PAIRS_TO_LEAVE_START: u64 = 100;
/// Number of pairs from which intervals are reported. In shorter runs they reflect the prior more than the games: on the
/// standard landscapes they cover 95 % of the optima from here on, and far fewer in short runs. They are recomputed
/// whenever the number of pairs has doubled, because that costs as much as many fits.
const MIN_PAIRS_FOR_INTERVALS: u64 = 10_000;
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
}

impl Default for BayesPlan {
    fn default() -> Self {
        Self {
            perturbation_cost: 1.25,
            min_perturbation: 0.2,
            max_perturbation: 0.9,
            decay: 0.5,
            centre_jitter: 0.4,
            converged_loss: 0.1,
            pairs_per_fit: 32,
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
            next_intervals: MIN_PAIRS_FOR_INTERVALS,
            estimates: Vec::new(),
            weights: (0.0, 0.0),
            residuals: (0.0, 0.0),
            next_fit: plan.pairs_per_fit,
        };
        run.fit(space);
        run
    }

    pub(in crate::tuning) fn propose(&self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let mut random = Random::of_item(seed, id.0);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (parameter, estimate) in space.parameters().iter().zip(&self.estimates) {
            let half_range = parameter.range() / 2.0;
            let width = (self.perturbation_cost / estimate.steepness)
                .sqrt()
                .clamp(self.plan.min_perturbation, self.plan.max_perturbation);
            let jitter = self.plan.centre_jitter * width * (2.0 * random.unit() - 1.0);
            let centre = parameter.clamp(parameter.start + half_range * (estimate.optimum + jitter));
            let perturbation = random.sign() * width * half_range;
            let noise = random.unit();
            plus.push(engine_value(parameter, centre + perturbation, noise));
            minus.push(engine_value(parameter, centre - perturbation, noise));
        }
        Trial { id, plus: Settings(plus), minus: Settings(minus) }
    }

    /// Adds a score. Scores arrive in the order of trials.
    pub(in crate::tuning) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        self.learned += 1;
        let decay = (1.0 - 1.0 / (self.learned as f64 + 1.0)).powf(self.plan.decay);
        let (plus, minus) = (offsets(space, &trial.plus), offsets(space, &trial.minus));
        self.run_evidence.learn(&plus, &minus, score, &self.estimates);
        let (gaps, gap) = gaps(&self.estimates, &plus, &minus);
        let observed = Observation::new(score, gap);
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
        let likelihood = |(evidence, &position)| grid.likelihood(evidence, pair_variance, position);
        let likelihoods: Vec<_> = self.evidence.iter().zip(&positions).map(likelihood).collect();
        let scales = scale_posterior(&likelihoods);
        self.estimates = likelihoods.iter().map(|likelihood| grid.estimate(likelihood, &scales)).collect();
    }

    /// Recomputes the intervals; reports show those of the last call.
    pub(in crate::tuning) fn update_intervals(&mut self) {
        self.intervals = match &self.regression {
            Some(regression) => joint_posterior::intervals(regression, self.pair_variance(), self.learned),
            None => self.estimates.iter().map(|estimate| estimate.interval).collect(),
        };
    }

    /// Returns the values with the smallest expected loss, before rounding.
    pub(super) fn centre(&self, space: &Space) -> Vec<f64> {
        let value = |(parameter, estimate): (&Parameter, &Estimate)| {
            parameter.clamp(parameter.start + estimate.optimum * parameter.range() / 2.0)
        };
        space.parameters().iter().zip(&self.estimates).map(value).collect()
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
        self.learned >= MIN_PAIRS_TO_LEAVE_START
    }

    /// Whether so little is left to gain that the run may end before its budget is spent.
    pub(in crate::tuning) fn has_converged(&self) -> bool {
        self.learned >= MIN_PAIRS && self.expected_loss() < self.plan.converged_loss
    }

    /// Returns the expected Elo between the best values and the unknown optimum. As long as the best values are the
    /// start, that includes what the start loses to the estimated optimum.
    fn expected_loss(&self) -> f64 {
        let remaining: f64 = self.estimates.iter().map(|estimate| estimate.remaining_loss).sum();
        remaining + if self.has_left_start() { 0.0 } else { self.centre_gain() }
    }

    /// Returns the expected gain of the estimated optimum over the start.
    fn centre_gain(&self) -> f64 {
        self.estimates.iter().map(|estimate| estimate.steepness * estimate.optimum * estimate.optimum).sum()
    }

    pub(in crate::tuning) fn report(&self, space: &Space, pairs_scored: u64, max_pairs: u64) -> TuningReport {
        let best = self.best(space);
        let estimate =
            self.run_evidence.estimate(&self.estimates, &start_positions(space), &offsets(space, &best));
        let parameters = space.parameters().iter().zip(&self.intervals).zip(&best.0).enumerate();
        let parameters = parameters.map(|(index, ((parameter, interval), &best))| {
            let value = |offset: f64| parameter.clamp(parameter.start + offset * parameter.range() / 2.0);
            let log_odds = estimate.log_evidences[index];
            ParameterReport {
                name: parameter.name.clone(),
                start: parameter.start,
                best,
                interval: (self.learned >= MIN_PAIRS_FOR_INTERVALS).then(|| interval.map(value)),
                effect: if log_odds > CLEAR_LOG_ODDS {
                    ParameterEffect::Clear
                } else if log_odds < 0.0 && estimate.slope_errors[index] < DETECTABLE_SLOPE {
                    ParameterEffect::NotSeen
                } else {
                    ParameterEffect::Unclear
                },
            }
        });
        let (gain, variance) = estimate.gain;
        let error = Z_95 * variance.sqrt();
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

/// Converts settings to offsets: half ranges from the start.
fn offsets(space: &Space, settings: &Settings) -> Vec<f64> {
    let offset = |(parameter, value): (&Parameter, &f64)| 2.0 * (value - parameter.start) / parameter.range();
    space.parameters().iter().zip(&settings.0).map(offset).collect()
}

/// Returns the position of each start in its range, from -1 to 1.
fn start_positions(space: &Space) -> Vec<f64> {
    let position = |parameter: &Parameter| 2.0 * (parameter.start - parameter.min) / parameter.range() - 1.0;
    space.parameters().iter().map(position).collect()
}

/// Rounds `value` to one that the engine accepts; both sides of a trial use the same `noise` to round up or down.
fn engine_value(parameter: &Parameter, value: f64, noise: f64) -> f64 {
    match parameter.kind {
        Kind::Integer => parameter.clamp((parameter.clamp(value) + noise).floor()),
        Kind::Real => parameter.clamp(value),
    }
}
