//! `playself match` and the classic form `playself --white A --black B`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::config::{EngineEntry, RunFile};
use playself::experiment::Pairing;

use crate::launch;
use crate::run_flags::{RunFlags, plan_of};

/// Play two engines against each other.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ClassicForm {
    /// Engine with White in game one: PATH, ace:PATH, builtin, builtin:WEIGHTS.toml, or a name in configs/engines
    #[arg(long, value_name = "ENGINE", requires = "black")]
    pub(crate) white: Option<String>,
    /// Its opponent
    #[arg(long, value_name = "ENGINE", requires = "white")]
    pub(crate) black: Option<String>,
    #[command(flatten)]
    flags: RunFlags,
}

impl ClassicForm {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let engines = [&self.white, &self.black].into_iter().flatten();
        let mut run =
            RunFile { engines: engines.map(|name| EngineEntry::named(name)).collect(), ..RunFile::default() };
        self.flags.apply(&mut run)?;
        if run.games.max_pairs.is_none() && run.sprt.is_none() {
            run.games.max_pairs = Some(1);
        }
        Ok(launch::start(plan_of(&run)?, &self.flags.output)?.exit())
    }
}

/// Play a match or a tournament as a configuration file describes it
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchCommand {
    /// The match, for example configs/match.toml, or the plan.toml of a run to repeat
    #[arg(value_name = "CONFIG", required_unless_present = "engines")]
    config: Option<PathBuf>,
    /// An engine, in place of or in addition to those of the file; give two or more
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<String>,
    /// The first engine meets all others, instead of everybody meeting everybody
    #[arg(long)]
    gauntlet: bool,
    #[command(flatten)]
    flags: RunFlags,
}

impl MatchCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(path) = &self.config
            && let Some(plan) = launch::recorded_plan(path)?
        {
            return Ok(launch::start(plan, &self.flags.output)?.exit());
        }
        let mut run = match &self.config {
            Some(path) => RunFile::read(path)?,
            None => RunFile::default(),
        };
        run.engines.extend(self.engines.iter().map(|name| EngineEntry::named(name)));
        if self.gauntlet {
            run.pairing = Some(Pairing::Gauntlet);
        }
        self.flags.apply(&mut run)?;
        Ok(launch::start(plan_of(&run)?, &self.flags.output)?.exit())
    }
}
