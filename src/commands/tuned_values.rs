//! The test of the best values that a tuning run has found so far.

use anyhow::Context;

use crate::commands::failure::{Failure, OrFailure};
use crate::commands::shell_word::shell_word;
use crate::config::default_test;
use crate::run::{AcceptPlan, Plan, RunOutcome, RunReader, RunState, plan_from_toml};
use crate::store::{RunFolder, read_text};

/// Returns the command that tests the best values so far of a tuning run that no test follows by itself: it was stopped, is
/// in play, or has no test. `outcome` is its end, if it has one.
pub(super) fn test_command(
    plan: &Plan,
    state: &RunState,
    outcome: Option<&RunOutcome>,
    folder: &RunFolder,
) -> Option<String> {
    let tuner = state.tuner()?;
    let is_tested = plan.acceptance().is_some() && outcome.is_some_and(RunOutcome::is_final);
    let has_moved = !is_tested && tuner.finished().best() != tuner.plan().space.start();
    has_moved.then(|| format!("To test the best values so far: playself sprt {}", shell_word(folder.path())))
}

/// Returns the plan of the test of the best values so far of the tuning run in `folder`, against its start: that of its
/// acceptance test, or the default test at the limits of the tuning. The run may be stopped, killed, finished or in play.
pub fn test_of_tuned_values(folder: &RunFolder) -> Result<Plan, Failure> {
    let shown = folder.path().display();
    let text = read_text(&folder.plan()).or_fault()?;
    let plan = plan_from_toml(&text).or_fault()?;
    let Some(tuner) = plan.tuner().cloned() else {
        return Err(Failure::usage(format_args!(
            "{shown} is not the folder of a tuning run; its test is repeated by `playself sprt {}`",
            shell_word(&folder.plan())
        )));
    };
    let changes = plan.changes(Some(&folder.programs()));
    if !changes.is_empty() {
        return Err(Failure::usage(format_args!("its values cannot be tested:\n{}", changes.join("\n"))));
    }
    let run = RunReader::read_whole(folder.clone(), plan, &text, |_, _| {})
        .with_context(|| format!("{shown} cannot be read"))
        .or_fault()?;
    let view = run.view();
    let values = view.state.tuner().map(|tuner| tuner.finished().best());
    let values = values.filter(|values| *values != tuner.space.start()).ok_or_else(|| {
        Failure::usage(format_args!(
            "{shown}: nothing better than the start has been found, so there is nothing to test"
        ))
    })?;
    let usual = AcceptPlan {
        max_pairs: None,
        hours: None,
        limits: view.plan.engines[0].limits,
        sprt: default_test(),
    };
    Ok(view.plan.acceptance_test(&tuner, &view.plan.acceptance().unwrap_or(usual), &values))
}
