//! The parts of a run, put together and played.

use std::io;

use crate::fleet::{FleetConfig, FleetError, LocalFleet};
use crate::journal::{Entry, FORMAT, LockedFile};
use crate::opening::Opening;
use crate::player::GuardianProgram;
use crate::run::control::ControlServer;
use crate::run::event::Observer;
use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::replay::Replayed;
use crate::run::runner::Run;
use crate::run::signals::Interrupts;
use crate::run::state::RunState;
use crate::store::{RunFolder, sha256_of};

/// The openings of a run, a function of the round alone.
pub trait Openings: Send {
    /// Returns the opening of a round.
    fn opening(&self, round: u64) -> Result<Opening, String>;
}

/// Everything a run is made of.
pub struct RunBuilder {
    /// What to play.
    pub plan: Plan,
    /// The contents of `plan.toml`.
    pub plan_text: String,
    /// Whether the run is new or continues its journal.
    pub start: RunStart,
    /// Where pairs start.
    pub openings: Box<dyn Openings>,
    /// The folder of the run; its disk must have room.
    pub folder: RunFolder,
    /// The journal, locked.
    pub journal: LockedFile,
    /// Reporters of the run.
    pub observers: Vec<Box<dyn Observer>>,
    /// Warnings to report before the first game.
    pub warnings: Vec<String>,
    /// The program that kills left-over engines if this one is killed.
    pub guardian: GuardianProgram,
}

/// Where a run starts from.
#[derive(Debug)]
pub enum RunStart {
    /// The first pair.
    New,
    /// The end of its journal.
    Resumed(Box<Replayed>),
}

/// A run after its last game.
#[derive(Debug)]
pub struct FinishedRun {
    /// What was planned.
    pub plan: Plan,
    /// Its state at the end.
    pub state: RunState,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Seconds of play, over all its sessions.
    pub seconds: f64,
}

/// Why a run could not be started.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The runtime or the signal handlers could not be set up.
    #[error("the run cannot be started: {0}")]
    Io(#[from] io::Error),
    /// The engines could not be set up.
    #[error(transparent)]
    Fleet(#[from] FleetError),
}

impl RunBuilder {
    /// Plays the run on this thread until the plan, a decision, a fault or the user ends it.
    pub fn run(self) -> Result<FinishedRun, RunError> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(self.start_and_play())
    }

    async fn start_and_play(mut self) -> Result<FinishedRun, RunError> {
        let mut config =
            FleetConfig::new(self.plan.engines.iter().map(|engine| engine.spec.clone()).collect());
        config.concurrency = self.plan.concurrency;
        config.placement = self.plan.placement;
        config.rules = self.plan.adjudication.clone();
        config.guardian = Some(self.guardian.clone());
        let interrupts = Interrupts::listen()?;
        let fleet = LocalFleet::start(config)?;
        let control = ControlServer::open(&self.folder.socket());
        if let Err(error) = &control {
            self.warnings.push(format!(
                "the control socket cannot be opened, so no command reaches this run: {error}"
            ));
        }
        Ok(Run::new(self, fleet).event_loop(interrupts, control.ok()).await)
    }
}

/// The first record of a journal.
pub(super) fn first_entry(plan_text: String) -> Entry {
    Entry::Run {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        plan: sha256_of(plan_text.as_bytes()),
        plan_text,
    }
}
