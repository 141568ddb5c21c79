//! The test that follows a tuning run: whether there is one, and its plan.

use crate::opening::{AfterBook, Share};
use crate::player::EngineOption;
use crate::run::kind::{AcceptPlan, RunKind};
use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::state::RunState;
use crate::tuning::{Settings, TunerPlan};

/// What follows the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum AfterRun {
    /// Nothing: the run has no test, or did not finish.
    Nothing,
    /// The tuner found nothing better than the start, so there is nothing to test.
    NothingToTest,
    /// These values are tested.
    Test(Box<AcceptanceTest>),
}

/// Tuned values and the test they must pass.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptanceTest {
    /// The tuned values.
    pub values: Settings,
    /// The test.
    pub accept: AcceptPlan,
}

impl AfterRun {
    /// Decides what follows, from the state of the run alone.
    pub fn of(plan: &Plan, state: &RunState, outcome: &RunOutcome) -> Self {
        let (RunOutcome::Finished, Some(accept), Some(tuner)) = (outcome, plan.acceptance(), state.tuner())
        else {
            return Self::Nothing;
        };
        let values = tuner.finished().best();
        if values == tuner.plan().space.start() {
            Self::NothingToTest
        } else {
            Self::Test(Box::new(AcceptanceTest { values, accept }))
        }
    }
}

impl Plan {
    /// The test of `values` against the start of the tuning run, from openings that the tuning did not use.
    pub fn acceptance_test(&self, tuner: &TunerPlan, accept: &AcceptPlan, values: &Settings) -> Self {
        let mut test = Self {
            name: format!("{}-accept", self.name),
            kind: RunKind::Test { sprt: accept.sprt, max_pairs: accept.max_pairs },
            ..self.clone()
        };
        let sides = [("tuned", values), ("before", &tuner.space.start())];
        for (engine, (name, settings)) in test.engines.iter_mut().zip(sides) {
            name.clone_into(&mut engine.spec.name);
            engine.limits = accept.limits;
            let options = &mut engine.spec.options;
            options.retain(|option| tuner.space.named(settings).all(|(name, _)| name != option.name));
            options.extend(tuner.space.texts(settings).map(|(name, value)| EngineOption::new(name, value)));
        }
        if let Some(book) = &mut test.openings {
            book.share = Share::Acceptance;
            book.start = 1;
        }
        if test.after_book != AfterBook::Stop {
            test.after_book = AfterBook::usual(test.is_untimed());
        }
        test
    }
}
