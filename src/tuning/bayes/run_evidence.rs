//! The account of a whole run: what its best values have won over the start, and which parameters make a difference.
//!
//! Where the optimum lies is best learned from late pairs, played around it. How much was won on the way there is seen by
//! early ones, played between the start and the optimum, and a parameter shows what it can do while it is
//! wrong. So here all pairs count alike. The first of them are kept whole: they may have been played between sides hundreds
//! of Elo apart, and can be read rightly only when it is known how far.

use serde::{Deserialize, Serialize};

use crate::stats::PairScore;
use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation, gaps, variance};
use crate::tuning::bayes::posterior::{Belief, Evidence, Grid, Weighed, off_odds, vote};

/// Pairs kept whole.
const KEPT: usize = 1_000;
/// How often kept pairs are read anew, each time knowing better what to expect of them.
const READINGS: usize = 4;

/// All pairs of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Account {
    kept: Vec<Kept>,
    later: Sums,
}

/// One pair, in half ranges from the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    plus: Vec<f64>,
    minus: Vec<f64>,
    score: PairScore,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    evidence: Vec<Evidence>,
    /// Squares of surprises, and how much pairs say.
    surprises: (f64, f64),
    /// Squares of what was expected of all parameters together.
    square_gaps: f64,
}

/// What the account says when a run is reported.
pub(super) struct Balance {
    /// Elo won by moving all parameters from their starts to their best places, and the variance of that.
    pub(super) gain: (f64, f64),
    /// Of each parameter, the standard error of its slope, in Elo per half range.
    pub(super) slope_errors: Vec<f64>,
    /// Of each parameter, the logarithm of the odds that pairs give for an effect against none.
    pub(super) log_evidences: Vec<f64>,
}

impl Account {
    pub(super) fn new(parameters: usize) -> Self {
        let later = Sums { evidence: vec![Evidence::default(); parameters], ..Sums::default() };
        Self { kept: Vec::new(), later }
    }

    /// Adds a pair, of which `beliefs` say what was to be expected.
    pub(in crate::tuning) fn learn(
        &mut self,
        plus: &[f64],
        minus: &[f64],
        score: PairScore,
        beliefs: &[Belief],
    ) {
        if self.kept.len() < KEPT {
            self.kept.push(Kept { plus: plus.to_vec(), minus: minus.to_vec(), score });
        } else {
            self.later.add(plus, minus, score, beliefs);
        }
    }

    /// Logarithm of the odds that some parameters are better elsewhere than at their start.
    pub(super) fn off_odds(&self, beliefs: &[Belief], standings: &[f64]) -> f64 {
        off_odds(&self.read(&Grid::new(), beliefs, standings).weighed)
    }

    /// The balance for parameters that start at `standings` across their ranges and are best at `places`; the kept pairs
    /// are first read as `beliefs` have it.
    pub(super) fn balance(&self, beliefs: &[Belief], standings: &[f64], places: &[f64]) -> Balance {
        let grid = Grid::new();
        let mut reading = self.read(&grid, beliefs, standings);
        for _ in 1..READINGS {
            reading = self.read(&grid, &reading.beliefs(&grid), standings);
        }
        let scales = vote(&reading.weighed);
        let gains =
            reading.weighed.iter().zip(places).map(|(weighed, &place)| grid.gain(weighed, &scales, place));
        let (gain, apart) = gains.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        // Sides far apart say most about a parameter where the others work against it, so that parameters are all taken for
        // too little or all for too much: the sum is as unsure as a common factor of all of them.
        let together = gain * gain * reading.noise / reading.square_gaps;
        let slope_error = |evidence: &Evidence| (reading.noise / evidence.weight()).sqrt();
        Balance {
            gain: (gain, if together.is_finite() { apart.max(together) } else { apart }),
            slope_errors: reading.evidence.iter().map(slope_error).collect(),
            log_evidences: reading.beliefs(&grid).iter().map(|belief| belief.log_evidence).collect(),
        }
    }

    fn read(&self, grid: &Grid, beliefs: &[Belief], standings: &[f64]) -> Reading {
        let mut sums = self.later.clone();
        self.kept.iter().for_each(|pair| sums.add(&pair.plus, &pair.minus, pair.score, beliefs));
        let noise = variance(sums.surprises) * ELO_PER_SCORE * ELO_PER_SCORE;
        let weigh = |(evidence, &standing)| grid.weigh(evidence, noise, standing);
        let weighed = sums.evidence.iter().zip(standings).map(weigh).collect();
        Reading { evidence: sums.evidence, square_gaps: sums.square_gaps, noise, weighed }
    }
}

/// All pairs, read with what was expected of each.
struct Reading {
    evidence: Vec<Evidence>,
    square_gaps: f64,
    /// Variance of a pair's score, in Elo.
    noise: f64,
    weighed: Vec<Weighed>,
}

impl Reading {
    fn beliefs(&self, grid: &Grid) -> Vec<Belief> {
        let scales = vote(&self.weighed);
        self.weighed.iter().map(|weighed| grid.believe(weighed, &scales)).collect()
    }
}

impl Sums {
    fn add(&mut self, plus: &[f64], minus: &[f64], score: PairScore, beliefs: &[Belief]) {
        let (gaps, gap) = gaps(beliefs, plus, minus);
        let heard = Observation::new(score, gap);
        for (index, evidence) in self.evidence.iter_mut().enumerate() {
            evidence.add(plus[index], minus[index], heard.elo - (gap - gaps[index]), heard.share);
        }
        self.surprises.0 += heard.square_surprise;
        self.surprises.1 += heard.share;
        self.square_gaps += heard.share * gap * gap;
    }
}
