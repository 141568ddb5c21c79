//! Evidence of a whole run: which parameters have an effect.
//!
//! The optimum is best estimated from late pairs, which are played around it, but the effect of a parameter is visible
//! while its value is wrong. All pairs therefore count equally here. The first pairs are stored: they may be between sides hundreds
//! of Elo apart, and their scores can be converted correctly only once that difference is known.

use serde::{Deserialize, Serialize};

use crate::stats::PairScore;
use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation, gaps, variance};
use crate::tuning::bayes::posterior::{Estimate, Evidence, Grid, Likelihood};

/// Number of pairs that are stored.
const STORED_PAIRS: usize = 1_000;
/// How often the stored pairs are fitted, each time with the estimates of the previous fit.
const FITS: usize = 4;

/// The evidence of all pairs of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RunEvidence {
    stored: Vec<StoredPair>,
    later: Sums,
}

/// One pair; sides are given as offsets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredPair {
    plus: Vec<f64>,
    minus: Vec<f64>,
    score: PairScore,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    evidence: Vec<Evidence>,
    /// Sums of squared residuals and of information.
    residuals: (f64, f64),
}

/// The results of a run that are estimated from all of its pairs.
pub(super) struct RunEstimate {
    /// Standard error of the slope of each parameter, in Elo per half range.
    pub(super) slope_errors: Vec<f64>,
    /// Logarithm of the odds, given by the pairs, that each parameter has an effect.
    pub(super) effect_log_odds: Vec<f64>,
}

impl RunEvidence {
    pub(super) fn new(parameters: usize) -> Self {
        let later = Sums { evidence: vec![Evidence::default(); parameters], ..Sums::default() };
        Self { stored: Vec::new(), later }
    }

    /// Adds a pair; `estimates` give its expected score.
    pub(in crate::tuning) fn learn(
        &mut self,
        plus: &[f64],
        minus: &[f64],
        score: PairScore,
        estimates: &[Estimate],
    ) {
        if self.stored.len() < STORED_PAIRS {
            self.stored.push(StoredPair { plus: plus.to_vec(), minus: minus.to_vec(), score });
        } else {
            self.later.add(plus, minus, score, estimates);
        }
    }

    /// Estimates the results for parameters whose starts are at `positions` in their ranges. The first fit of the stored
    /// pairs uses `estimates`.
    pub(super) fn estimate(&self, estimates: &[Estimate], positions: &[f64]) -> RunEstimate {
        let grid = Grid::new();
        let mut fit = self.fit(&grid, estimates, positions);
        for _ in 1..FITS {
            fit = self.fit(&grid, &fit.estimates(&grid), positions);
        }
        let slope_error = |evidence: &Evidence| (fit.noise / evidence.weight()).sqrt();
        RunEstimate {
            slope_errors: fit.evidence.iter().map(slope_error).collect(),
            effect_log_odds: fit.estimates(&grid).iter().map(|estimate| estimate.effect_log_odds).collect(),
        }
    }

    fn fit(&self, grid: &Grid, estimates: &[Estimate], positions: &[f64]) -> Fit {
        let mut sums = self.later.clone();
        self.stored.iter().for_each(|pair| sums.add(&pair.plus, &pair.minus, pair.score, estimates));
        let noise = variance(sums.residuals) * ELO_PER_SCORE * ELO_PER_SCORE;
        let likelihood = |(evidence, &position)| grid.likelihood(evidence, noise, position);
        let likelihoods = sums.evidence.iter().zip(positions).map(likelihood).collect();
        Fit { evidence: sums.evidence, noise, likelihoods }
    }
}

/// A fit of all pairs, given an expected score of each.
struct Fit {
    evidence: Vec<Evidence>,
    /// Variance of the score of a pair, in Elo².
    noise: f64,
    likelihoods: Vec<Likelihood>,
}

impl Fit {
    fn estimates(&self, grid: &Grid) -> Vec<Estimate> {
        grid.estimates(&self.likelihoods)
    }
}

impl Sums {
    fn add(&mut self, plus: &[f64], minus: &[f64], score: PairScore, estimates: &[Estimate]) {
        let (gaps, gap) = gaps(estimates, plus, minus);
        let observed = Observation::new(score, gap);
        for (index, evidence) in self.evidence.iter_mut().enumerate() {
            evidence.add(plus[index], minus[index], observed.elo - (gap - gaps[index]), observed.information);
        }
        self.residuals.0 += observed.squared_residual;
        self.residuals.1 += observed.information;
    }
}
