//! `playself match` and the classic form `playself --white A --black B`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{
    CheckedPlan, Environment, Failure, OrFailure, RunSource, check_plan, checked_plan, start,
};
use playself::config::{EngineEntry, RunFile};
use playself::run::Pairing;

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
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let engines = [&self.white, &self.black].into_iter().flatten();
        let mut run =
            RunFile { engines: engines.map(|name| EngineEntry::named(name)).collect(), ..RunFile::default() };
        let environment = Environment::current().or_fault()?;
        apply(&self.flags, &mut run)?;
        if run.games.max_pairs.is_none() && run.sprt.is_none() {
            run.games.max_pairs = Some(1);
        }
        play(checked_plan(&run, &environment)?, &self.flags, &environment)
    }
}

/// Play a match or a tournament as a configuration file describes it
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_long_help = "Keys of an engine's table in a configuration file, and of a file in configs/engines:
  engine, name, args, env, ace_args    the program, what results call it, how it is started
  options, set                         options by their declared names; weights of the built-in engine
  tc, movetime_ms, nodes, depth, margin_ms
                                       its own limits, where they differ from those of [games]
  ponder, restart                      true to think on the opponent's time; \"on\" for a new process every game
  dir                                  the folder it runs in, or \"private\" for a fresh one, gone with the process
  memory_mb, file_mb, processes        the most memory, the largest file, the most processes of this user
  start_s, ready_s, new_game_s, stop_s, quit_s, term_s, move_cap_s, write_s
                                       seconds it may take for each of these
  line_kb, output_mb, stderr_kb        the longest line, the most output for a move, what is kept of stderr"
)]
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
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let mut run = match self.config.as_deref().map(RunSource::read).transpose()? {
            Some(RunSource::Recorded(plan)) => {
                return play(check_plan(*plan, &environment)?, &self.flags, &environment);
            }
            Some(RunSource::File(run)) => *run,
            None => RunFile::default(),
        };
        run.engines.extend(self.engines.iter().map(|name| EngineEntry::named(name)));
        if self.gauntlet {
            run.pairing = Some(Pairing::Gauntlet);
        }
        apply(&self.flags, &mut run)?;
        play(checked_plan(&run, &environment)?, &self.flags, &environment)
    }
}

/// Overrides a run file by flags and prints what the user should know about that.
pub(crate) fn apply(flags: &RunFlags, run: &mut RunFile) -> Result<(), Failure> {
    for note in flags.apply(run).or_usage()? {
        flags.output.console().print(&note);
    }
    Ok(())
}

/// Plays a run and returns its exit status.
pub(crate) fn play(
    plan: CheckedPlan,
    flags: &RunFlags,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    Ok(ExitCode::from(start(plan, &flags.output.start_options(), environment)?.status()))
}
