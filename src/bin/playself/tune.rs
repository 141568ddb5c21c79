//! `playself tune CONFIG`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::output_flags::OutputFlags;
use playself::cli::run_flags::RunFlags;
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{
    Environment, Failure, OrFailure, Pilots, PlanSource, TuneRequest, answer, check_plan, dry_run, tune,
    tuning_plan,
};

use crate::play_plan::{apply, refuse_changes};

/// Tune weights or options of an engine, then test the best values against the start.
///
/// The configuration file names the engine, in [tune] the numbers to tune (`parameters`, names or patterns), their bounds and
/// the budget (`games` or `hours`), and in [accept] the test of the best values, which may be left out. `playself options
/// ENGINE` lists the numbers of an engine, `playself init tune` writes a first file, and docs/configuration.md lists all
/// keys.
///
/// Exit status: 0 tuned and, if tested, accepted; 1 not accepted, or nothing better found; 3 the test is undecided; 4
/// stopped by a fault; 130 interrupted. `playself resume` resumes a run that was stopped.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself tune configs/spoiled.toml
  playself tune configs/overnight.toml --nodes 20000 --games 20000
  playself tune configs/tune-toga2.toml --dry-run     an engine of Debian")]
pub(crate) struct TuneCommand {
    /// Configuration file, e.g. configs/overnight.toml, or the plan.toml of a run to play again
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Folder of an earlier tuning run of the same engine at the same limits, whose pairs count as evidence; may be repeated
    #[arg(long, value_name = "RUN_DIR", value_hint = clap::ValueHint::DirPath)]
    learn_from: Vec<PathBuf>,
    #[command(flatten)]
    flags: RunFlags,
    #[command(flatten)]
    output: OutputFlags,
}

impl TuneCommand {
    fn pilots(&self) -> Pilots {
        if self.output.dry_run { Pilots::Skip } else { Pilots::Play }
    }

    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let mut environment = Environment::current().or_fault()?.on_fleet(self.output.fleet.access());
        let plan = match PlanSource::read(&self.config)? {
            PlanSource::Recorded(_) if !self.learn_from.is_empty() => {
                return Err(Failure::usage(
                    "a plan.toml repeats its run; --learn-from needs a configuration file",
                ));
            }
            PlanSource::Recorded(plan) => {
                refuse_changes(&self.config.display(), &self.flags, &SprtFlags::default())?;
                check_plan(*plan, &environment)?
            }
            PlanSource::File(mut run) => {
                apply(&self.flags, &self.output, &mut run);
                environment = environment.on_fleet(self.output.fleet.access_or(&run.fleet));
                let pilots = self.pilots();
                let request = TuneRequest {
                    run: *run,
                    config: self.config,
                    games: self.flags.games,
                    pilots,
                    learn_from: self.learn_from,
                };
                tuning_plan(&request, self.output.console(), &environment)?
            }
        };
        let options = self.output.start_options();
        if self.output.dry_run {
            answer(dry_run(&plan, &options)?.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let outcome = tune(plan, &options, &environment)?;
        self.output.conclusion().conclude(outcome.tuning(), outcome.status(), options.console)?;
        Ok(ExitCode::from(outcome.status()))
    }
}
