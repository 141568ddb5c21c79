//! One weight at a time: a step up or down is kept only if a sequential test accepts it.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::stats::{Decision, Hypothesis, PairScore, Sprt, SprtConfig};
use crate::tuning::space::{Kind, Settings, Space};
use crate::tuning::trial::Trial;

/// The share of a range that a step covers where no step was given.
const USUAL_STEP: f64 = 1.0 / 16.0;

/// Which way a weight is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Toward the highest value.
    Up,
    /// Toward the lowest value.
    Down,
}

/// One step on trial: candidate settings against the settings kept so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The weight, by its place in the space.
    pub parameter: usize,
    /// Which way it is stepped.
    pub way: Direction,
    /// With the step.
    pub candidate: Settings,
    /// Without.
    pub baseline: Settings,
}

impl Step {
    /// Whether a pair between these settings is a pair of this step.
    pub fn is_tried_by(&self, trial: &Trial) -> bool {
        self.candidate == trial.plus && self.baseline == trial.minus
    }
}

/// A step that was tried, and what the test said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestedStep {
    /// The step.
    pub step: Step,
    /// The test's decision.
    pub decision: Decision,
}

/// A sweep over all weights: a pure machine that is fed one pair after the other, in order.
///
/// A kept step is tried again the same way, until a step fails; a weight whose steps both fail is done. A
/// sweep ends when every weight was done without any kept step in between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinateSearch {
    space: Space,
    test: SprtConfig,
    kept: Settings,
    at: usize,
    way: Direction,
    moved: bool,
    unmoved: usize,
    running: Option<(Step, Sprt)>,
    tried: Vec<TestedStep>,
}

impl CoordinateSearch {
    /// A sweep at its start.
    pub fn new(space: Space, test: SprtConfig) -> Self {
        let kept = space.start();
        let mut sweep = Self {
            space,
            test,
            kept,
            at: 0,
            way: Direction::Up,
            moved: false,
            unmoved: 0,
            running: None,
            tried: Vec::new(),
        };
        sweep.next_step();
        sweep
    }

    /// The step whose pairs are to be played; `None` once the sweep is over.
    pub fn step(&self) -> Option<&Step> {
        self.running.as_ref().map(|(step, _)| step)
    }

    /// The settings kept so far.
    pub fn kept(&self) -> &Settings {
        &self.kept
    }

    /// Every step tried so far, with the verdict.
    pub fn tested_steps(&self) -> &[TestedStep] {
        &self.tried
    }

    /// Counts a pair of the current step, from the candidate's side; a sweep that is over ignores it.
    pub fn record(&mut self, score: PairScore) {
        let Some((step, test)) = self.running.take() else { return };
        match test.observe(score) {
            ControlFlow::Continue(test) => self.running = Some((step, test)),
            ControlFlow::Break(decision) => {
                match decision.accepted {
                    Hypothesis::Alternative => {
                        self.kept = step.candidate.clone();
                        self.moved = true;
                    }
                    Hypothesis::Null => self.turn(),
                }
                self.tried.push(TestedStep { step, decision });
                self.next_step();
            }
        }
    }

    /// After a failed or impossible step: the other way, or, if that was it or the first way worked, the next weight.
    fn turn(&mut self) {
        if self.way == Direction::Up && !self.moved {
            self.way = Direction::Down;
            return;
        }
        self.unmoved = if self.moved { 0 } else { self.unmoved + 1 };
        self.at = (self.at + 1) % self.space.len();
        (self.way, self.moved) = (Direction::Up, false);
    }

    fn next_step(&mut self) {
        while self.unmoved < self.space.len() {
            if let Some(step) = self.stepped() {
                self.running = Some((step, Sprt::new(self.test)));
                return;
            }
            self.turn();
        }
    }

    /// The current weight stepped the current way; `None` at the end of its range.
    fn stepped(&self) -> Option<Step> {
        let parameter = &self.space.parameters()[self.at];
        let size = parameter.step.unwrap_or(USUAL_STEP * parameter.range());
        let size = if parameter.kind == Kind::Integer { size.round().max(1.0) } else { size };
        let value = self.kept.0[self.at];
        let next = parameter.nearest(match self.way {
            Direction::Up => value + size,
            Direction::Down => value - size,
        });
        if next == value {
            return None;
        }
        let mut candidate = self.kept.clone();
        candidate.0[self.at] = next;
        Some(Step { parameter: self.at, way: self.way, candidate, baseline: self.kept.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Hypotheses;
    use crate::tuning::Parameter;

    fn sweep_with(optimum: [f64; 2]) -> CoordinateSearch {
        let space = Space::new(vec![
            Parameter { step: Some(2.0), ..Parameter::integer("a", 0.0, 10.0, 4.0) },
            Parameter { step: Some(1.0), ..Parameter::integer("b", 0.0, 3.0, 3.0) },
        ])
        .unwrap();
        let mut sweep = CoordinateSearch::new(space, SprtConfig::usual(Hypotheses::new(0.0, 40.0).unwrap()));
        let distance = |settings: &Settings| -> f64 {
            settings.0.iter().zip(optimum).map(|(one, best)| (one - best).abs()).sum()
        };
        while let Some(step) = sweep.step() {
            let better = distance(&step.candidate) < distance(&step.baseline);
            sweep.record(if better { PairScore::WON } else { PairScore::LOST });
        }
        sweep
    }

    #[test]
    fn a_sweep_walks_to_the_optimum_and_stops_there() {
        assert_eq!(sweep_with([8.0, 1.0]).kept(), &Settings(vec![8.0, 1.0]));
        assert_eq!(sweep_with([0.0, 3.0]).kept(), &Settings(vec![0.0, 3.0]));
    }

    #[test]
    fn a_sweep_at_the_optimum_tries_each_step_once_and_keeps_none() {
        let sweep = sweep_with([4.0, 3.0]);
        assert_eq!(sweep.kept(), &Settings(vec![4.0, 3.0]));
        // Up and down for the first, only down for the second, which starts at its highest value.
        assert_eq!(sweep.tested_steps().len(), 3);
    }

    #[test]
    fn only_accepted_steps_are_kept() {
        let sweep = sweep_with([8.0, 1.0]);
        for tried in sweep.tested_steps() {
            let kept = tried.decision.accepted == Hypothesis::Alternative;
            let closer = tried.step.parameter == 0
                && tried.step.candidate.0[0] <= 8.0
                && tried.step.way == Direction::Up
                || tried.step.parameter == 1
                    && tried.step.candidate.0[1] >= 1.0
                    && tried.step.way == Direction::Down;
            assert_eq!(kept, closer, "{tried:?}");
        }
    }
}
