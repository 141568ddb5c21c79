//! `playself sprt CONFIG CONFIG…`: several tests one after the other.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::output_flags::OutputFlags;
use playself::cli::run_flags::RunFlags;
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{
    Environment, Failure, OrFailure, RunPlace, Session, answer, checked_plan, play_tests, share_errors,
};
use playself::config::RunFile;
use playself::report::comparison::{comparison_table, discovery_text};
use playself::stats::ErrorRate;

use crate::play_plan::apply;

/// Flags that hold for every file.
pub(crate) struct SeveralFlags {
    pub(crate) flags: RunFlags,
    pub(crate) test: SprtFlags,
    pub(crate) output: OutputFlags,
}

/// Plays the tests of several configuration files and prints which candidates are stronger.
pub(crate) fn run(configs: &[PathBuf], rate: ErrorRate, given: &SeveralFlags) -> Result<ExitCode, Failure> {
    let environment = Environment::current().or_fault()?;
    let options = given.output.start_options();
    if matches!(options.place, RunPlace::Exactly(_)) || options.session == Session::Detached {
        return Err(Failure::usage("--run-dir and --detach need exactly one CONFIG"));
    }
    let mut runs =
        configs.iter().map(|path| RunFile::read(path)).collect::<Result<Vec<_>, _>>().or_usage()?;
    for run in &mut runs {
        apply(&given.flags, &given.output, run);
        given.test.ensure_test(run).or_usage()?;
    }
    share_errors(&mut runs, rate);
    // All are checked before the first is played.
    let plans = runs.iter().map(|run| checked_plan(run, &environment)).collect::<Result<Vec<_>, _>>()?;
    let played = play_tests(plans, &options, &environment)?;
    if !given.output.json {
        let discoveries = discovery_text(&played.runs, rate.get());
        answer(format_args!("\n{}\n{}", comparison_table(&played.runs), discoveries.trim_end()))?;
    }
    Ok(ExitCode::from(played.status(rate)))
}
