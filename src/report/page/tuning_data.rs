//! What a tuning run looked like: each weight's path, sampled as pairs were counted.

use crate::tuning::{Tuner, TunerPlan, TuningReport};

/// Places a path keeps at most; more cannot be seen in a small chart.
const MOST_PLACES: u64 = 160;

/// All weights after so many pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightsThen {
    /// Pairs told by then.
    pub pairs: u64,
    /// Each weight's best value and interval, in the space's order.
    pub weights: Vec<(f64, Option<[f64; 2]>)>,
    /// Estimated gain over the start with its 95 % half-width, where the method keeps account of it.
    pub gain: Option<(f64, f64)>,
}

/// The path of a tuning run.
#[derive(Clone, Debug)]
pub struct TuningData {
    every: u64,
    path: Vec<WeightsThen>,
}

impl TuningData {
    /// Nothing told yet.
    pub fn new(plan: &TunerPlan) -> Self {
        Self { every: (plan.pairs / MOST_PLACES).max(1), path: Vec::new() }
    }

    /// Looks at the tuner after a counted pair; keeps every so many-th.
    pub fn count(&mut self, tuner: &Tuner) {
        let told = tuner.pairs_scored();
        if told.is_multiple_of(self.every) || told == 1 {
            self.path.push(then(&tuner.report()));
        }
    }

    /// The path so far, and its end as the tuner stands now.
    pub fn path_to(&self, now: &TuningReport) -> Vec<WeightsThen> {
        let mut path = self.path.clone();
        path.retain(|place| place.pairs < now.pairs_scored);
        path.push(then(now));
        path
    }
}

fn then(report: &TuningReport) -> WeightsThen {
    WeightsThen {
        pairs: report.pairs_scored,
        weights: report.parameters.iter().map(|weight| (weight.best, weight.interval)).collect(),
        gain: report.gain.map(|gain| (gain.elo.0, gain.error.0)),
    }
}
