//! `playself match` and the classic form `playself --white A --black B`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{
    CheckedPlan, Environment, Failure, OrFailure, PlanSource, check_plan, checked_plan, start,
};
use playself::config::{EngineEntry, RunFile};
use playself::run::Pairing;

/// A match of two engines without a configuration file.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ClassicForm {
    /// Engine that plays White in the first game of each pair
    #[arg(long, value_name = "ENGINE", requires = "black")]
    pub(crate) white: Option<String>,
    /// Engine that plays Black in the first game of each pair
    #[arg(long, value_name = "ENGINE", requires = "white")]
    pub(crate) black: Option<String>,
    #[command(flatten)]
    flags: RunFlags,
}

impl ClassicForm {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let engines = [&self.white, &self.black].into_iter().flatten();
        let mut run =
            RunFile { engines: engines.map(|name| EngineEntry::named(name)).collect(), ..RunFile::default() };
        let environment = Environment::current().or_fault()?;
        apply(&self.flags, &mut run)?;
        if run.games.max_pairs.is_none() && run.sprt.is_none() {
            run.games.max_pairs = Some(1);
        }
        play_plan(checked_plan(&run, &environment)?, &self.flags, &environment)
    }
}

/// Play a match, or a tournament of several engines.
///
/// Two engines play a match of pairs; more play a round robin, or a gauntlet of the first one against the others. The keys
/// of a configuration file, and those of an engine's table, are listed in docs/configuration.md.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself match configs/match.toml
  playself match --engine ./new --engine ./old --games 1000 --tc 8+0.08 --openings book.epd
  playself match results/RUN/plan.toml       plays the same run again")]
pub(crate) struct MatchCommand {
    /// Configuration file, e.g. configs/match.toml, or the plan.toml of a run to play again
    #[arg(value_name = "CONFIG", required_unless_present = "engines")]
    config: Option<PathBuf>,
    /// Engine, in addition to those of the file; may be repeated
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<String>,
    /// Let only the first engine play against each of the others
    #[arg(long)]
    gauntlet: bool,
    #[command(flatten)]
    flags: RunFlags,
}

impl MatchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let mut run = match self.config.as_deref().map(PlanSource::read).transpose()? {
            Some(PlanSource::Recorded(plan)) => {
                return play_plan(check_plan(*plan, &environment)?, &self.flags, &environment);
            }
            Some(PlanSource::File(run)) => *run,
            None => RunFile::default(),
        };
        run.engines.extend(self.engines.iter().map(|name| EngineEntry::named(name)));
        if self.gauntlet {
            run.pairing = Some(Pairing::Gauntlet);
        }
        apply(&self.flags, &mut run)?;
        play_plan(checked_plan(&run, &environment)?, &self.flags, &environment)
    }
}

/// Overrides a run file by flags and prints the warnings about that.
pub(crate) fn apply(flags: &RunFlags, run: &mut RunFile) -> Result<(), Failure> {
    for note in flags.apply(run).or_usage()? {
        flags.output.console().print(&note);
    }
    Ok(())
}

/// Plays a run. Returns its exit status.
pub(crate) fn play_plan(
    plan: CheckedPlan,
    flags: &RunFlags,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    Ok(ExitCode::from(start(plan, &flags.output.start_options(), environment)?.status()))
}
