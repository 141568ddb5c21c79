//! `playself match` and the classic form `playself --white A --black B`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::output_flags::OutputFlags;
use playself::cli::run_flags::RunFlags;
use playself::cli::side_flags::{BlackFlags, WhiteFlags};
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{Environment, Failure, OrFailure, PlanSource, check_plan, checked_plan};
use playself::config::{EngineEntry, RunFile, limit_to_one_round};
use playself::run::Pairing;

use crate::play_plan::{apply, play_plan, refuse_changes};

/// A match of two engines without a configuration file.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ClassicForm {
    /// Engine that plays White in the first game of each pair
    #[arg(long, value_name = "ENGINE", requires = "black")]
    pub(crate) white: Option<EngineEntry>,
    /// Engine that plays Black in the first game of each pair
    #[arg(long, value_name = "ENGINE", requires = "white")]
    pub(crate) black: Option<EngineEntry>,
    /// Engine, instead of --white and --black; given twice or more
    #[arg(long = "engine", value_name = "ENGINE", conflicts_with_all = ["white", "black"])]
    pub(crate) engines: Vec<EngineEntry>,
    #[command(flatten)]
    flags: RunFlags,
    #[command(flatten)]
    test: SprtFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    white_flags: WhiteFlags,
    #[command(flatten)]
    black_flags: BlackFlags,
}

impl ClassicForm {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let mut engines = self.engines;
        if let (Some(mut white), Some(mut black)) = (self.white, self.black) {
            self.white_flags.apply(&mut white);
            self.black_flags.apply(&mut black);
            engines = vec![white, black];
        }
        let mut run = RunFile { engines, ..RunFile::default() };
        let environment = Environment::current().or_fault()?;
        apply(&self.flags, &self.output, &mut run);
        self.test.apply(&mut run).or_usage()?;
        limit_to_one_round(&mut run);
        play_plan(checked_plan(&run, &environment)?, &self.output, &environment)
    }
}

/// Play a match, or a tournament of several engines.
///
/// Two engines play a match of pairs; more play a round robin, or a gauntlet of the first one against the others. The keys
/// of a configuration file, and those of an engine's table, are listed in docs/configuration.md.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself match configs/match.toml
  playself match --engine builtin --engine builtin:configs/weights-plain.toml \\
      --games 100 --tc 8+0.08 --openings openings/balanced.epd.gz
  playself match configs/tournament.toml --gauntlet --games 60
  playself match results/RUN/plan.toml       plays the same run again")]
pub(crate) struct MatchCommand {
    /// Configuration file, e.g. configs/match.toml, or the plan.toml of a run to play again
    #[arg(value_name = "CONFIG", required_unless_present = "engines")]
    config: Option<PathBuf>,
    /// Engine, in addition to those of the file; may be repeated
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<EngineEntry>,
    /// Let only the first engine play against each of the others
    #[arg(long)]
    gauntlet: bool,
    #[command(flatten)]
    flags: RunFlags,
    #[command(flatten)]
    test: SprtFlags,
    #[command(flatten)]
    output: OutputFlags,
}

impl MatchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let mut run = match self.config.as_deref().map(PlanSource::read).transpose()? {
            Some(PlanSource::Recorded(plan)) => {
                let config = self.config.unwrap_or_default();
                refuse_changes(&config.display(), &self.flags, &self.test)?;
                return play_plan(check_plan(*plan, &environment)?, &self.output, &environment);
            }
            Some(PlanSource::File(run)) => *run,
            None => RunFile::default(),
        };
        run.engines.extend(self.engines);
        if self.gauntlet {
            run.pairing = Some(Pairing::Gauntlet);
        }
        apply(&self.flags, &self.output, &mut run);
        self.test.apply(&mut run).or_usage()?;
        if self.config.is_none() {
            limit_to_one_round(&mut run);
        }
        play_plan(checked_plan(&run, &environment)?, &self.output, &environment)
    }
}
