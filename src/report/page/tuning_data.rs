//! The data of the page of a tuning run: the path of each weight, sampled as pairs were counted.

use crate::tuning::{Tuner, TunerPlan, TuningReport};

/// Largest number of points in a path; more are not visible in a small chart.
const MAX_POINTS: u64 = 160;

/// All weights after a number of pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPoint {
    /// Number of pairs.
    pub pairs: u64,
    /// Best value and interval of each weight, in the order of the space.
    pub weights: Vec<(f64, Option<[f64; 2]>)>,
    /// Estimated gain over the start with its 95 % half-width, if the method estimates it.
    pub gain: Option<(f64, f64)>,
}

/// The path of a tuning run.
#[derive(Clone, Debug)]
pub struct TuningData {
    every: u64,
    path: Vec<PathPoint>,
}

impl TuningData {
    /// Returns an empty path.
    pub fn new(plan: &TunerPlan) -> Self {
        Self { every: (plan.pairs / MAX_POINTS).max(1), path: Vec::new() }
    }

    /// Samples the tuner after a counted pair.
    pub fn count(&mut self, tuner: &Tuner) {
        let scored = tuner.pairs_scored();
        if scored.is_multiple_of(self.every) || scored == 1 {
            self.path.push(point_of(&tuner.report()));
        }
    }

    /// Returns the path up to the current report.
    pub fn path_to(&self, now: &TuningReport) -> Vec<PathPoint> {
        let mut path = self.path.clone();
        path.retain(|point| point.pairs < now.pairs_scored);
        path.push(point_of(now));
        path
    }
}

fn point_of(report: &TuningReport) -> PathPoint {
    PathPoint {
        pairs: report.pairs_scored,
        weights: report.parameters.iter().map(|weight| (weight.best, weight.interval)).collect(),
        gain: report.gain.map(|gain| (gain.elo.0, gain.error.0)),
    }
}
