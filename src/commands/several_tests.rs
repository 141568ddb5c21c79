//! Several tests one after the other, with one bound for the share of wrong acceptances among all of them.

use crate::commands::environment::Environment;
use crate::commands::failure::Failure;
use crate::commands::plan::CheckedPlan;
use crate::commands::report::compared_run;
use crate::commands::start::{StartOptions, start};
use crate::config::RunFile;
use crate::report::comparison::{ComparedRun, by_strength};
use crate::run::RunOutcome;
use crate::stats::{ErrorRate, discoveries};

/// Lowers alpha of the tests such that every candidate that passes its own test also counts among all of them.
///
/// With `count` tests, a p-value of `rate / count` is a discovery whatever the others are.
pub fn share_errors(runs: &mut [RunFile], rate: ErrorRate) {
    let count = runs.len().max(1) as f64;
    for sprt in runs.iter_mut().filter_map(|run| run.sprt.as_mut()) {
        let share = ErrorRate::new(rate.get() / count).expect("a part of an error rate is one");
        if share < sprt.alpha {
            sprt.alpha = share;
        }
    }
}

/// Tests that were played one after the other.
pub struct PlayedTests {
    /// The tests, the strongest candidate first.
    pub runs: Vec<ComparedRun>,
    /// The exit statuses, in the order of play.
    statuses: Vec<u8>,
}

impl PlayedTests {
    /// Returns the exit status of all tests together: 0 if at least one candidate is stronger, otherwise the most serious
    /// one of a test.
    pub fn status(&self, rate: ErrorRate) -> u8 {
        let p_values: Vec<f64> = self.runs.iter().filter_map(|run| run.p_value).collect();
        let worst = self.statuses.iter().copied().max().unwrap_or(0);
        let failed = worst > RunOutcome::Undecided.exit_status();
        if !failed && discoveries(&p_values, rate.get()).contains(&true) { 0 } else { worst.max(1) }
    }
}

/// Plays the tests. A test that fails does not keep the others from being played; an interrupted one does.
pub fn play_tests(
    plans: Vec<CheckedPlan>,
    options: &StartOptions,
    environment: &Environment,
) -> Result<PlayedTests, Failure> {
    let (mut runs, mut statuses) = (Vec::new(), Vec::new());
    for plan in plans {
        let run = start(plan, options, environment)?;
        statuses.push(run.status());
        runs.push(compared_run(&run.folder, run.folder.page().display().to_string())?);
        if matches!(run.outcome, RunOutcome::Interrupted) {
            break;
        }
    }
    Ok(PlayedTests { runs: by_strength(runs), statuses })
}
