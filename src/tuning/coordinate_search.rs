//! Coordinate search: changes one parameter at a time and keeps a step only if a sequential test accepts it.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::stats::{Decision, Hypothesis, PairScore, Sprt, SprtConfig};
use crate::tuning::space::{Kind, Settings, Space};
use crate::tuning::trial::Trial;

/// Default step size, as a fraction of the range.
const DEFAULT_STEP: f64 = 1.0 / 16.0;

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards the highest value.
    Up,
    /// Towards the lowest value.
    Down,
}

/// A step under test: candidate settings against the settings kept so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Index of the parameter in the space.
    pub parameter: usize,
    /// Direction of the step.
    pub direction: Direction,
    /// Settings with the step.
    pub candidate: Settings,
    /// Settings without the step.
    pub baseline: Settings,
}

impl Step {
    /// Whether `trial` plays the candidate of this step against its baseline.
    pub fn is_played_by(&self, trial: &Trial) -> bool {
        self.candidate == trial.plus && self.baseline == trial.minus
    }
}

/// A step with the decision of its test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestedStep {
    /// The step.
    pub step: Step,
    /// The decision of the test.
    pub decision: Decision,
}

/// The state of a coordinate search; it takes the scores of pairs one after the other, in order.
///
/// After a kept step, the next step goes in the same direction, until one fails. If the steps in both directions fail,
/// the search moves to the next parameter. It ends after one pass over all parameters in which no step was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinateSearch {
    space: Space,
    test: SprtConfig,
    kept: Settings,
    /// Index of the current parameter.
    parameter: usize,
    direction: Direction,
    /// Whether a step of the current parameter was kept.
    moved: bool,
    /// Consecutive parameters of which no step was kept.
    unmoved: usize,
    running: Option<(Step, Sprt)>,
    tested: Vec<TestedStep>,
}

impl CoordinateSearch {
    /// Creates a search that starts from the starting values of `space` and tests every step with `test`.
    pub fn new(space: Space, test: SprtConfig) -> Self {
        let kept = space.start();
        let mut search = Self {
            space,
            test,
            kept,
            parameter: 0,
            direction: Direction::Up,
            moved: false,
            unmoved: 0,
            running: None,
            tested: Vec::new(),
        };
        search.start_next_step();
        search
    }

    /// Returns the step under test; `None` once the search is over.
    pub fn step(&self) -> Option<&Step> {
        self.running.as_ref().map(|(step, _)| step)
    }

    /// Returns the settings kept so far.
    pub fn kept(&self) -> &Settings {
        &self.kept
    }

    /// Returns all decided steps.
    pub fn tested_steps(&self) -> &[TestedStep] {
        &self.tested
    }

    /// Records the score of a pair of the current step, from the candidate's point of view; ignored once the search is
    /// over.
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
                    Hypothesis::Null => self.advance(),
                }
                self.tested.push(TestedStep { step, decision });
                self.start_next_step();
            }
        }
    }

    /// Chooses the parameter and direction after a step that failed or is impossible: first the other direction, unless
    /// a step was kept or both directions are done; then the next parameter.
    fn advance(&mut self) {
        if self.direction == Direction::Up && !self.moved {
            self.direction = Direction::Down;
            return;
        }
        self.unmoved = if self.moved { 0 } else { self.unmoved + 1 };
        self.parameter = (self.parameter + 1) % self.space.len();
        (self.direction, self.moved) = (Direction::Up, false);
    }

    fn start_next_step(&mut self) {
        while self.unmoved < self.space.len() {
            if let Some(step) = self.next_step() {
                self.running = Some((step, Sprt::new(self.test)));
                return;
            }
            self.advance();
        }
    }

    /// Returns a step of the current parameter in the current direction; `None` at the end of its range.
    fn next_step(&self) -> Option<Step> {
        let parameter = &self.space.parameters()[self.parameter];
        let size = parameter.step.unwrap_or(DEFAULT_STEP * parameter.range());
        let size = if parameter.kind != Kind::Real { size.round().max(1.0) } else { size };
        let value = self.kept.0[self.parameter];
        let next = parameter.nearest(match self.direction {
            Direction::Up => value + size,
            Direction::Down => value - size,
        });
        if next == value {
            return None;
        }
        let mut candidate = self.kept.clone();
        candidate.0[self.parameter] = next;
        Some(Step {
            parameter: self.parameter,
            direction: self.direction,
            candidate,
            baseline: self.kept.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Hypotheses;
    use crate::tuning::Parameter;

    fn finished_search(optimum: [f64; 2]) -> CoordinateSearch {
        let space = Space::new(vec![
            Parameter { step: Some(2.0), ..Parameter::integer("a", 0.0, 10.0, 4.0) },
            Parameter { step: Some(1.0), ..Parameter::integer("b", 0.0, 3.0, 3.0) },
        ])
        .unwrap();
        let mut search = CoordinateSearch::new(space, SprtConfig::usual(Hypotheses::new(0.0, 40.0).unwrap()));
        let distance = |settings: &Settings| -> f64 {
            settings.0.iter().zip(optimum).map(|(one, best)| (one - best).abs()).sum()
        };
        while let Some(step) = search.step() {
            let better = distance(&step.candidate) < distance(&step.baseline);
            search.record(if better { PairScore::WON } else { PairScore::LOST });
        }
        search
    }

    #[test]
    fn a_search_moves_to_the_optimum_and_ends_there() {
        assert_eq!(finished_search([8.0, 1.0]).kept(), &Settings(vec![8.0, 1.0]));
        assert_eq!(finished_search([0.0, 3.0]).kept(), &Settings(vec![0.0, 3.0]));
    }

    #[test]
    fn a_search_at_the_optimum_tests_each_step_once_and_keeps_none() {
        let search = finished_search([4.0, 3.0]);
        assert_eq!(search.kept(), &Settings(vec![4.0, 3.0]));
        // Up and down for the first parameter, only down for the second, which starts at its highest value.
        assert_eq!(search.tested_steps().len(), 3);
    }

    #[test]
    fn only_accepted_steps_are_kept() {
        let search = finished_search([8.0, 1.0]);
        for tested in search.tested_steps() {
            let kept = tested.decision.accepted == Hypothesis::Alternative;
            let closer = tested.step.parameter == 0
                && tested.step.candidate.0[0] <= 8.0
                && tested.step.direction == Direction::Up
                || tested.step.parameter == 1
                    && tested.step.candidate.0[1] >= 1.0
                    && tested.step.direction == Direction::Down;
            assert_eq!(kept, closer, "{tested:?}");
        }
    }
}
