//! The parts of a run, put together and played.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::fleet::{Fleet, FleetConfig, FleetError, LocalFleet};
use crate::game::TablesUnusable;
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
use crate::store::{FileHash, KeptFile, RunFolder, sha256_of};

/// The openings of a run, a function of their place in the schedule alone.
pub trait Openings: Send {
    /// Returns the opening of this place, a round or an encounter, or `None` if all were used and the run ends there.
    fn opening(&mut self, place: u64) -> Result<Option<Opening>, String>;
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
    /// Folders that may have copies of programs which have changed since the run was planned.
    pub kept_programs: Vec<PathBuf>,
    /// What the first signal does.
    pub stops: StopStyle,
    /// Another way to stop the run.
    pub stop: Option<StopHandle>,
}

/// What the first SIGINT, SIGTERM or SIGHUP does, and a fault that ends the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopStyle {
    /// Pairs in play are finished first.
    #[default]
    Draining,
    /// Games in play are dropped and their engines killed.
    AtOnce,
}

/// Stops a run from another thread, at once.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Requests the end of the run.
    pub fn stop(&self) {
        self.0.notify_one();
    }

    /// Waits for the request.
    pub(super) async fn requested(&self) {
        self.0.notified().await;
    }
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
    /// A program has changed since the run was planned, or cannot be copied.
    #[error("a program of this run cannot be kept: {0}")]
    Programs(#[source] io::Error),
    /// The endgame tables cannot be used.
    #[error(transparent)]
    Tables(#[from] TablesUnusable),
    /// The machines of the fleet cannot be reached, or the run cannot be given to them.
    #[error("{0}")]
    Remote(String),
    /// The user ended it before its first pair.
    #[error("interrupted before the run began")]
    Interrupted,
}

impl RunBuilder {
    /// Plays the run on this machine until the plan, a decision, a fault or the user ends it.
    pub fn run(self) -> Result<FinishedRun, RunError> {
        let (programs, is_tested) = (self.folder.programs(), self.plan.acceptance().is_some());
        let finished = self.run_on(async |run: &mut Self| run.local_fleet())?;
        // A run that is not over may be resumed, and the test of tuned values needs the programs, too.
        if finished.outcome.is_final() && !is_tested {
            let _ = fs::remove_dir_all(programs);
        }
        Ok(finished)
    }

    /// Copies the programs of the engines, in case that they change during the run.
    fn keep_programs(&mut self) -> io::Result<Vec<Vec<Arc<KeptFile>>>> {
        let folder = self.folder.programs();
        let mut kept: Vec<(&FileHash, Arc<KeptFile>)> = Vec::new();
        let mut engines = Vec::new();
        for engine in &self.plan.engines {
            let mut files = Vec::new();
            for file in &engine.files {
                let known = kept.iter().find(|(known, _)| *known == file).map(|(_, file)| Arc::clone(file));
                files.push(match known {
                    Some(known) => known,
                    None => {
                        let new = Arc::new(KeptFile::keep(file, &folder, &self.kept_programs)?);
                        if let Some(why) = new.lack() {
                            let path = file.path.display();
                            self.warnings.push(format!(
                                "{path} cannot be copied ({why}); the run stops if it changes"
                            ));
                        }
                        kept.push((file, Arc::clone(&new)));
                        new
                    }
                });
            }
            engines.push(files);
        }
        Ok(engines)
    }

    /// Plays the run on a fleet until the plan, a decision, a fault or the user ends it. `fleet` starts the fleet inside the
    /// runtime of the run.
    pub fn run_on<F: Fleet>(
        self,
        fleet: impl AsyncFnOnce(&mut Self) -> Result<F, RunError>,
    ) -> Result<FinishedRun, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.start_and_play(fleet))
    }

    fn local_fleet(&mut self) -> Result<LocalFleet, RunError> {
        let mut config =
            FleetConfig::new(self.plan.engines.iter().map(|engine| engine.spec.clone()).collect());
        config.files = self.keep_programs().map_err(RunError::Programs)?;
        config.program_changed = self.plan.program_changed;
        config.concurrency = self.plan.concurrency;
        config.placement = self.plan.placement;
        config.rules = self.plan.adjudication.clone();
        config.tables = self.plan.tables()?;
        config.guardian = Some(self.guardian.clone());
        config.wait_after_game = Duration::from_millis(self.plan.encounters.wait_ms);
        Ok(LocalFleet::start(config)?)
    }

    async fn start_and_play<F: Fleet>(
        mut self,
        fleet: impl AsyncFnOnce(&mut Self) -> Result<F, RunError>,
    ) -> Result<FinishedRun, RunError> {
        let mut interrupts = Interrupts::listen()?;
        let fleet = tokio::select! {
            fleet = fleet(&mut self) => fleet?,
            _ = interrupts.next() => return Err(RunError::Interrupted),
        };
        let control = ControlServer::open(&self.folder.socket());
        if let Err(error) = &control {
            self.warnings.push(format!(
                "the control socket cannot be opened, so no command reaches this run: {error}"
            ));
        }
        let stop = self.stop.take();
        Ok(Run::new(self, fleet)?.event_loop(interrupts, control.ok(), stop).await)
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
