//! What all commands that play a run do with their flags and with their plan.

use std::fmt::Display;
use std::process::ExitCode;

use playself::cli::output_flags::OutputFlags;
use playself::cli::run_flags::RunFlags;
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{CheckedPlan, Environment, Failure, answer, dry_run, start};
use playself::config::RunFile;

/// Overrides a run file by flags and prints the warnings about that.
pub(crate) fn apply(flags: &RunFlags, output: &OutputFlags, run: &mut RunFile) {
    output.apply(run);
    for note in flags.apply(run) {
        output.console().print(&note);
    }
}

/// Refuses flags beside a plan that is played as it was recorded: they would have no effect.
pub(crate) fn refuse_changes(plan: &dyn Display, flags: &RunFlags, test: &SprtFlags) -> Result<(), Failure> {
    if *flags == RunFlags::default() && *test == SprtFlags::default() {
        return Ok(());
    }
    Err(Failure::usage(format_args!(
        "{plan} has a plan, which is played as it is: flags for games, thinking, adjudication, engines and the test need a \
         run file"
    )))
}

/// Plays a run. Returns its exit status.
pub(crate) fn play_plan(
    plan: CheckedPlan,
    output: &OutputFlags,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let options = output.start_options();
    if output.dry_run {
        answer(dry_run(&plan, &options)?.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let environment = environment.clone().on_fleet(output.fleet.access_for(&plan.plan));
    let run = start(plan, &options, &environment)?;
    output.conclusion().conclude(&run, run.status(), options.console)?;
    Ok(ExitCode::from(run.status()))
}
