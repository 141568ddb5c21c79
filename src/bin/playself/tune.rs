//! `playself tune CONFIG`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{
    Environment, Failure, OrFailure, Pilots, PlanSource, TuneRequest, answer, check_plan, dry_run, tune,
    tuning_plan,
};

use crate::play::apply;

/// Tune weights or options of an engine, then test the best values against the start.
///
/// The values are tested if the configuration file has an [accept] table.
///
/// Exit status: 0 tuned and, if tested, accepted; 1 not accepted, or nothing better found; 3 the test is undecided; 4
/// stopped by a fault; 130 interrupted. `playself resume` resumes a run that was stopped.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TuneCommand {
    /// Configuration file, e.g. configs/overnight.toml, or the plan.toml of a run to play again
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    #[command(flatten)]
    flags: RunFlags,
}

impl TuneCommand {
    fn pilots(&self) -> Pilots {
        if self.flags.output.dry_run { Pilots::Skip } else { Pilots::Play }
    }

    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let plan = match PlanSource::read(&self.config)? {
            PlanSource::Recorded(plan) => check_plan(*plan, &environment)?,
            PlanSource::File(mut run) => {
                if self.flags.asks_for_test() {
                    return Err(Failure::usage(
                        "--sprt and --preset test two engines against each other; the test of tuned values is set in \
                         [accept]",
                    ));
                }
                apply(&self.flags, &mut run)?;
                let pilots = self.pilots();
                let request = TuneRequest { run: *run, config: self.config, games: self.flags.games, pilots };
                tuning_plan(&request, self.flags.output.console(), &environment)?
            }
        };
        let options = self.flags.output.start_options();
        if self.flags.output.dry_run {
            answer(dry_run(&plan, &options)?.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let outcome = tune(plan, &options, &environment)?;
        self.flags.output.conclusion().of(outcome.tuning(), outcome.status(), options.console)?;
        Ok(ExitCode::from(outcome.status()))
    }
}
