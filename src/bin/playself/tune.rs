//! `playself tune CONFIG`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{
    Environment, Failure, OrFailure, PlanSource, TuneRequest, check_plan, tune, tuning_plan,
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
                let request = TuneRequest { run: *run, config: self.config, games: self.flags.games };
                tuning_plan(&request, &environment)?
            }
        };
        Ok(ExitCode::from(tune(plan, &self.flags.output.start_options(), &environment)?.status()))
    }
}
