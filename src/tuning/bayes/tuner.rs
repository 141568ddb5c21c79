//! Our own tuner: every pair feeds a model of strength around the optimum, and the model says what to play next.
//!
//! All parameters are perturbed at once, as in simultaneous perturbation, but far: as much as the parameter's steepness
//! allows, because what a game teaches grows with the square of the perturbation. The centre of
//! the perturbations is where the model believes the optimum to be.

use serde::{Deserialize, Serialize};

use crate::stats::{Elo, PairScore, Random};
use crate::tuning::bayes::joint_posterior;
use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation, gaps, variance};
use crate::tuning::bayes::posterior::{Belief, Evidence, FARTHEST, Grid, vote};
use crate::tuning::bayes::regression::RegressionSums;
use crate::tuning::bayes::run_evidence::Account;
use crate::tuning::report::{GainEstimate, ParameterEffect, ParameterReport, TuningReport};
use crate::tuning::space::{Kind, Parameter, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// No run ends early before this many pairs.
const LEAST_PAIRS: u64 = 2_000;
/// Log odds above which an effect is called clear: twenty to one.
const SURE_EVIDENCE: f64 = 3.0;
/// A slope of so many Elo per half range would have been noticed if its error is below it.
const NOTICEABLE_SLOPE: f64 = 2.0;
/// Standard deviations either side that hold 95 % of a normal distribution.
const NINETY_FIVE: f64 = 1.959_963_984_540_054;
/// Pairs before which nothing is called better than the start.
const FEWEST_PAIRS: u64 = 100;
/// Log odds that the start is not the best, from which it is left: three to one.
///
/// The values with the smallest expected loss hardly ever are exactly the start, even where the start is the optimum. By the odds
/// of all pairs, a landscape that starts at its optimum is left by fewer than one run of 40,000 games in a hundred.
const WORTH_LEAVING: f64 = 1.098_612_288_668_109_8;
/// Pairs from which intervals are told. Before, they show more of what is believed beforehand than of what was played: on the
/// standard landscapes they hold 95 optima in 100 from here on, and far fewer in short runs. They are worked out anew whenever
/// the run has doubled: that costs as much as many fits.
const INTERVALS_FROM: u64 = 10_000;
/// Parameters up to which intervals allow for bonds between them. The bonds grow with the square of the parameters, and
/// with more of them the games of a night cannot tell how strong they are; nor would a thousand weights fit in memory.
const MOST_BOUND: usize = 16;
/// A fit is due when the run has grown by one part in so many.
const FITS_PER_AGE: u64 = 50;

/// What shapes the model's experiments; nothing here needs to be set by hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesPlan {
    /// Elo that a perturbation may cost by itself, in a run of 20,000 pairs; shorter runs dare more.
    pub daring: f64,
    /// The smallest perturbation, in half ranges.
    pub narrowest: f64,
    /// The largest perturbation, in half ranges.
    pub widest: f64,
    /// How fast old pairs lose weight: the power of their age.
    pub fading: f64,
    /// How far the centre is moved at random, in perturbations.
    pub wandering: f64,
    /// Expected Elo left to win at which the run ends early.
    pub enough: f64,
    /// Pairs between two fits of the model at the start of a run.
    pub pairs_per_fit: u64,
}

impl Default for BayesPlan {
    fn default() -> Self {
        Self {
            daring: 1.25,
            narrowest: 0.2,
            widest: 0.9,
            fading: 0.5,
            wandering: 0.4,
            enough: 0.1,
            pairs_per_fit: 32,
        }
    }
}

/// The model-based tuner in the middle of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bayes {
    plan: BayesPlan,
    daring: f64,
    learned: u64,
    evidence: Vec<Evidence>,
    account: Account,
    /// Kept for as many parameters as it can say something about.
    moments: Option<RegressionSums>,
    /// Where each optimum lies, in half ranges from the start.
    intervals: Vec<[f64; 2]>,
    next_intervals: u64,
    beliefs: Vec<Belief>,
    /// Sums of the weights of pairs, and of their squares times the variance of each.
    weights: (f64, f64),
    /// Sums of what scores had beyond what was expected of them, squared, and of how much each pair says.
    surprises: (f64, f64),
    next_fit: u64,
    /// Logarithm of the odds that the start is not the best.
    off_odds: f64,
}

impl Bayes {
    /// A run at its start, to last so many pairs.
    pub fn new(space: &Space, plan: BayesPlan, pairs: u64) -> Self {
        let mut run = Self {
            plan,
            daring: plan.daring * (20_000.0 / pairs.max(1) as f64).sqrt(),
            learned: 0,
            evidence: vec![Evidence::default(); space.len()],
            account: Account::new(space.len()),
            moments: (space.len() <= MOST_BOUND).then(|| RegressionSums::new(space.len())),
            intervals: vec![[-FARTHEST, FARTHEST]; space.len()],
            next_intervals: INTERVALS_FROM,
            beliefs: Vec::new(),
            weights: (0.0, 0.0),
            surprises: (0.0, 0.0),
            next_fit: plan.pairs_per_fit,
            off_odds: 0.0,
        };
        run.fit(space);
        run
    }

    pub(in crate::tuning) fn propose(&self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let mut random = Random::of_item(seed, id.0);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (parameter, belief) in space.parameters().iter().zip(&self.beliefs) {
            let half = parameter.range() / 2.0;
            let width = (self.daring / belief.steepness).sqrt().clamp(self.plan.narrowest, self.plan.widest);
            let wander = self.plan.wandering * width * (2.0 * random.unit() - 1.0);
            let centre = parameter.clamp(parameter.start + half * (belief.optimum + wander));
            let reach = random.sign() * width * half;
            let noise = random.unit();
            plus.push(playable(parameter, centre + reach, noise));
            minus.push(playable(parameter, centre - reach, noise));
        }
        Trial { id, plus: Settings(plus), minus: Settings(minus) }
    }

    /// Scores arrive in the order of trials.
    pub(in crate::tuning) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        self.learned += 1;
        let fade = (1.0 - 1.0 / (self.learned as f64 + 1.0)).powf(self.plan.fading);
        let (plus, minus) = (places(space, &trial.plus), places(space, &trial.minus));
        self.account.learn(&plus, &minus, score, &self.beliefs);
        let (gaps, gap) = gaps(&self.beliefs, &plus, &minus);
        let heard = Observation::new(score, gap);
        for (index, evidence) in self.evidence.iter_mut().enumerate() {
            evidence.fade(fade);
            // What the other parameters are known to have won is not this one's.
            let others = gap - gaps[index];
            evidence.add(plus[index], minus[index], heard.elo - others, heard.share);
        }
        if let Some(moments) = &mut self.moments {
            moments.learn(fade, &plus, &minus, heard.elo, heard.share);
        }
        self.weights = (self.weights.0 * fade + heard.share, self.weights.1 * fade * fade + heard.share);
        let (squares, shares) = self.surprises;
        self.surprises = (squares * fade + heard.square_surprise, shares * fade + heard.share);
        // Late pairs change beliefs less, so fits grow rarer with the run.
        if self.learned >= self.next_fit {
            self.next_fit = self.learned + self.plan.pairs_per_fit.max(self.learned / FITS_PER_AGE);
            self.fit(space);
        }
        if self.learned >= self.next_intervals {
            self.next_intervals = 2 * self.learned;
            self.settle();
        }
    }

    /// Variance of a pair's score in Elo, as the faded pairs carry it.
    fn pair_variance(&self) -> f64 {
        // Faded pairs are worth their share of all pairs, not the sum of what is left of each.
        let worth = if self.learned == 0 { 1.0 } else { self.weights.0 / self.weights.1 };
        variance(self.surprises) * ELO_PER_SCORE * ELO_PER_SCORE / worth
    }

    pub(in crate::tuning) fn fit(&mut self, space: &Space) {
        let grid = Grid::new();
        let pair_variance = self.pair_variance();
        let standings = standings(space);
        let weigh = |(evidence, &standing)| grid.weigh(evidence, pair_variance, standing);
        let weighed: Vec<_> = self.evidence.iter().zip(&standings).map(weigh).collect();
        let scales = vote(&weighed);
        self.beliefs = weighed.iter().map(|weighed| grid.believe(weighed, &scales)).collect();
        self.off_odds = self.account.off_odds(&self.beliefs, &standings);
    }

    /// Works the intervals out anew; until then a report has those of an earlier moment.
    pub(in crate::tuning) fn settle(&mut self) {
        self.intervals = match &self.moments {
            Some(moments) => joint_posterior::intervals(moments, self.pair_variance(), self.learned),
            None => self.beliefs.iter().map(|belief| belief.interval).collect(),
        };
    }

    /// The values with the smallest expected loss, before rounding.
    pub(super) fn centre(&self, space: &Space) -> Vec<f64> {
        let value = |(parameter, belief): (&Parameter, &Belief)| {
            parameter.clamp(parameter.start + belief.optimum * parameter.range() / 2.0)
        };
        space.parameters().iter().zip(&self.beliefs).map(value).collect()
    }

    /// The best values known, as an engine can be given them: the start, until pairs enough say otherwise.
    pub(in crate::tuning) fn best(&self, space: &Space) -> Settings {
        if self.has_left_start() { space.nearest(&self.centre(space)) } else { space.start() }
    }

    fn has_left_start(&self) -> bool {
        self.learned >= FEWEST_PAIRS && self.off_odds > WORTH_LEAVING
    }

    /// Whether so little is left to win that the run may end before its budget does.
    pub(in crate::tuning) fn is_sure_enough(&self) -> bool {
        self.learned >= LEAST_PAIRS && self.remaining_loss() < self.plan.enough
    }

    fn remaining_loss(&self) -> f64 {
        self.beliefs.iter().map(|belief| belief.remaining_loss).sum()
    }

    pub(in crate::tuning) fn report(
        &self,
        space: &Space,
        pairs_scored: u64,
        most_pairs: u64,
    ) -> TuningReport {
        let best = self.best(space);
        let balance = self.account.balance(&self.beliefs, &standings(space), &places(space, &best));
        let parameters = space.parameters().iter().zip(&self.intervals).zip(&best.0).enumerate();
        let parameters = parameters.map(|(index, ((parameter, interval), &best))| {
            let value = |place: f64| parameter.clamp(parameter.start + place * parameter.range() / 2.0);
            let evidence = balance.log_evidences[index];
            ParameterReport {
                name: parameter.name.clone(),
                start: parameter.start,
                best,
                interval: (self.learned >= INTERVALS_FROM).then(|| interval.map(value)),
                effect: if evidence > SURE_EVIDENCE {
                    ParameterEffect::Clear
                } else if evidence < 0.0 && balance.slope_errors[index] < NOTICEABLE_SLOPE {
                    ParameterEffect::NotSeen
                } else {
                    ParameterEffect::Unclear
                },
            }
        });
        let (gain, variance) = balance.gain;
        let error = NINETY_FIVE * variance.sqrt();
        // What is left to win falls as one over the pairs.
        let needed = self.learned as f64 * self.remaining_loss() / self.plan.enough;
        let needed = (needed as u64).clamp(LEAST_PAIRS, most_pairs.max(LEAST_PAIRS)).min(most_pairs);
        // At the start, what the believed optimum would win is still to be won.
        let unused = |belief: &Belief| belief.steepness * belief.optimum * belief.optimum;
        let unused = if self.has_left_start() { 0.0 } else { self.beliefs.iter().map(unused).sum() };
        TuningReport {
            pairs_scored,
            pairs_left: needed.saturating_sub(pairs_scored),
            parameters: parameters.collect(),
            gain: Some(GainEstimate { elo: Elo(gain), error: Elo(error) }),
            remaining_loss: Some(Elo(self.remaining_loss() + unused)),
        }
    }
}

/// Settings in half ranges from the start.
fn places(space: &Space, settings: &Settings) -> Vec<f64> {
    let place = |(parameter, value): (&Parameter, &f64)| 2.0 * (value - parameter.start) / parameter.range();
    space.parameters().iter().zip(&settings.0).map(place).collect()
}

/// Where parameters start, from -1 to 1 across their ranges.
fn standings(space: &Space) -> Vec<f64> {
    let standing = |parameter: &Parameter| 2.0 * (parameter.start - parameter.min) / parameter.range() - 1.0;
    space.parameters().iter().map(standing).collect()
}

/// A value an engine can be given; both sides of a trial round by the same chance.
fn playable(parameter: &Parameter, value: f64, noise: f64) -> f64 {
    match parameter.kind {
        Kind::Integer => parameter.clamp((parameter.clamp(value) + noise).floor()),
        Kind::Real => parameter.clamp(value),
    }
}
