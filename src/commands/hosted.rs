//! Runs whose lines and files are made by the observers of the caller alone.

use std::path::Path;

use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::journal_check::check_journal;
use crate::commands::openings::PlannedOpenings;
use crate::commands::resume::{OpenRun, with_plan_changes};
use crate::commands::start::{NewRun, play_new};
use crate::journal::Storage;
use crate::player::DialogueTap;
use crate::run::{
    FinishedRun, Known, Observer, Plan, Replayed, RunBuilder, RunEvent, RunStart, RunView, StopHandle,
    StopStyle, plan_to_toml, replay,
};
use crate::store::{RunFolder, sha256_of};

/// What the caller adds to a run.
pub struct HostedParts {
    /// Reporters of the run.
    pub observers: Vec<Box<dyn Observer>>,
    /// What the first signal does.
    pub stops: StopStyle,
    /// Another way to stop the run.
    pub stop: Option<StopHandle>,
    /// Receives every line to and from the engines.
    pub tap: DialogueTap,
}

/// Plays a new run with its journal in the folder `path`, which must not exist.
pub fn play_hosted(
    plan: Plan,
    path: &Path,
    parts: HostedParts,
    environment: &Environment,
) -> Result<FinishedRun, Failure> {
    let openings = PlannedOpenings::open(&plan).or_usage()?;
    let folder = RunFolder::create_at(path).or_fault()?;
    let plan_text = plan_to_toml(&plan).or_fault()?;
    let HostedParts { observers, stops, stop, tap } = parts;
    let warnings = Vec::new();
    let run = NewRun { plan, plan_text, openings, folder: &folder, observers, warnings, stops, stop, tap };
    play_new(run, environment)
}

/// Passes the dialogue with all engines of a plan to a listener.
pub(super) fn tap_engines(plan: &mut Plan, tap: &DialogueTap) {
    plan.engines.iter_mut().for_each(|engine| engine.spec.tap = tap.clone());
}

/// An existing run that is about to be continued.
pub struct HostedResume(OpenRun);

impl HostedResume {
    /// Opens the run in `path`, takes its lock and checks its journal.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let run = OpenRun::open(path)?;
        let changes = run.plan.changes(Some(&run.folder.programs()));
        if !changes.is_empty() {
            return Err(Failure::fault(format_args!(
                "this run cannot be continued:\n{}",
                changes.join("\n")
            )));
        }
        check_journal(&run).or_fault()?;
        Ok(Self(run))
    }

    /// Whether the run in `path` has a journal with records.
    pub fn has_begun(path: &Path) -> bool {
        let journal = RunFolder::open(path).ok().and_then(|folder| folder.journal().metadata().ok());
        journal.is_some_and(|found| found.len() > 0)
    }

    /// Returns its plan.
    pub fn plan(&self) -> &Plan {
        &self.0.plan
    }

    /// Returns its plan, to change what no recorded result depends on: how many pairs are played, how many at once, and what
    /// their PGN contains.
    pub fn plan_mut(&mut self) -> &mut Plan {
        &mut self.0.plan
    }

    /// Replays its journal; `visit` receives every counted pair and every fault.
    pub fn replay(&self, visit: impl FnMut(&RunEvent, &RunView<'_>)) -> Result<Replayed, Failure> {
        let OpenRun { plan, plan_text, journal, .. } = &self.0;
        let source = journal.reader().or_fault()?;
        replay(source, plan, &sha256_of(plan_text.as_bytes()), Known::default(), visit)
            .map_err(|error| Failure::Fault(with_plan_changes(error, plan_text)))
    }

    /// Plays the rest of the run.
    pub fn play(
        self,
        replayed: Replayed,
        parts: HostedParts,
        environment: &Environment,
    ) -> Result<FinishedRun, Failure> {
        let OpenRun { folder, mut plan, plan_text, mut journal } = self.0;
        let openings = PlannedOpenings::open(&plan).or_fault()?;
        if replayed.ending.torn_bytes > 0 {
            journal.truncate(replayed.ending.valid_bytes).or_fault()?;
        }
        tap_engines(&mut plan, &parts.tap);
        let run = RunBuilder {
            plan,
            plan_text,
            start: RunStart::Resumed(Box::new(replayed)),
            openings: Box::new(openings),
            folder,
            journal,
            observers: parts.observers,
            warnings: Vec::new(),
            guardian: environment.guardian(),
            kept_programs: environment.kept_programs().to_vec(),
            stops: parts.stops,
            stop: parts.stop,
        };
        run.run().or_fault()
    }
}
