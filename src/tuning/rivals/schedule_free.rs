//! Schedule-free SPSA: constant gains, and the average of all centres as the result.
//!
//! After "The Road Less Scheduled" (Defazio and others, 2024), as used for SPSA by fishtest-spsa-lab: the gradient is measured
//! between the fast sequence `z` and its average `x`, and only `z` moves.

use serde::{Deserialize, Serialize};

use crate::stats::{PairScore, Random};
use crate::tuning::space::{Settings, Space};
use crate::tuning::spsa::{Gain, SpsaPlan};
use crate::tuning::trial::{Trial, TrialId};

/// Share of the average in the point at which the gradient is measured.
const AVERAGE_SHARE: f64 = 0.9;

/// A run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::tuning) struct ScheduleFree {
    gains: Vec<Gain>,
    fast: Vec<f64>,
    average: Vec<f64>,
    steps: u64,
}

impl ScheduleFree {
    /// Creates a run without scores, with constant gains chosen by fishtest's rule.
    pub(in crate::tuning) fn new(space: &Space, pairs: u64) -> Self {
        let start = space.start().0;
        Self { gains: SpsaPlan::automatic(space, pairs).gains, fast: start.clone(), average: start, steps: 0 }
    }

    pub(in crate::tuning) fn propose(&self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let mut random = Random::of_item(seed, id.0);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (index, parameter) in space.parameters().iter().enumerate() {
            let at = (1.0 - AVERAGE_SHARE) * self.fast[index] + AVERAGE_SHARE * self.average[index];
            let (shift, noise) = (random.sign() * self.gains[index].perturbation, random.unit());
            plus.push(parameter.rounded(at + shift, noise));
            minus.push(parameter.rounded(at - shift, noise));
        }
        Trial { id, plus: Settings(plus), minus: Settings(minus) }
    }

    pub(in crate::tuning) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        // Games won minus games lost.
        let balance = f64::from(score.half_points()) - 2.0;
        self.steps += 1;
        let share = 1.0 / self.steps as f64;
        for (index, parameter) in space.parameters().iter().enumerate() {
            let gap = trial.plus.0[index] - trial.minus.0[index];
            let direction = if gap == 0.0 { 0.0 } else { gap.signum() };
            let step = balance * self.gains[index].rate * self.gains[index].perturbation;
            self.fast[index] = parameter.clamp(self.fast[index] + step * direction);
            self.average[index] += share * (self.fast[index] - self.average[index]);
        }
    }

    pub(in crate::tuning) fn best(&self, space: &Space) -> Settings {
        space.nearest(&self.average)
    }
}
