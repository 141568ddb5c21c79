//! Resuming a run from its journal.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use crate::commands::console::Console;
use crate::commands::detach::{Session, leave_terminal};
use crate::commands::environment::{Environment, processors};
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::fleet_session::play_run;
use crate::commands::journal_check::check_journal;
use crate::commands::openings::PlannedOpenings;
use crate::commands::start::{Finished, Reporting, check_disk, serve_run};
use crate::dashboard::ServeAddress;
use crate::journal::{LockError, LockedFile, Storage};
use crate::player::DialogueTap;
use crate::report::{DerivedFiles, PageObserver, TuneFiles};
use crate::run::preflight::oversubscription;
use crate::run::{
    Observer, Plan, ReplayError, Replayed, RunBuilder, RunStart, StopStyle, plan_changes, plan_from_toml,
    replay,
};
use crate::store::{RunFolder, read_text, remove_drafts, sha256_of};

/// Options of a resumed run.
#[derive(Clone, Debug)]
pub struct ResumeOptions {
    /// Destination of its output.
    pub console: Console,
    /// Address of a live page.
    pub serve: Option<ServeAddress>,
    /// Whether the run leaves its terminal.
    pub session: Session,
    /// Where a run of a fleet is resumed.
    pub place: ResumePlace,
}

/// Where a run that a fleet has played is resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResumePlace {
    /// On the fleet of the environment; without one the resume is refused.
    #[default]
    Fleet,
    /// On this machine: what workers still play is of no use.
    Here,
}

/// An existing run whose journal is locked by this process.
pub(super) struct OpenRun {
    pub(super) folder: RunFolder,
    pub(super) plan: Plan,
    pub(super) plan_text: String,
    pub(super) journal: LockedFile,
}

impl OpenRun {
    /// Opens the run in `path` and takes its lock.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let folder = RunFolder::open(path).or_usage()?;
        let plan_text = read_text(&folder.plan()).or_fault()?;
        let plan = plan_from_toml(&plan_text).or_fault()?;
        if !folder.journal().exists() {
            return Err(missing_journal(&folder, "is missing"));
        }
        let journal = LockedFile::open(&folder.journal()).map_err(|error| match error {
            LockError::Held => Failure::fault(format_args!("{}: {error}", path.display())),
            LockError::Io(error) => {
                let what = format!("{} cannot be opened for writing", folder.journal().display());
                Failure::Fault(anyhow::Error::from(error).context(what))
            }
        })?;
        // The lock proves that no other process plays this run.
        remove_drafts(folder.path());
        Ok(Self { folder, plan, plan_text, journal })
    }

    /// Refuses a journal without a record beside files with games. It does not belong to a run that was killed as it began,
    /// and resuming it would overwrite the games.
    pub(super) fn refuse_empty_journal(&self) -> Result<(), Failure> {
        if !self.has_a_record().or_fault()? && self.folder.holds_games() {
            return Err(missing_journal(
                &self.folder,
                "has no record of the games in games.pgn and pairs.csv",
            ));
        }
        Ok(())
    }
}

impl OpenRun {
    /// Whether the journal has at least one whole line. The first one holds the plan, whose size has no limit.
    fn has_a_record(&self) -> io::Result<bool> {
        let mut reader = BufReader::new(self.journal.reader()?);
        loop {
            let bytes = reader.fill_buf()?;
            if bytes.is_empty() || bytes.contains(&b'\n') {
                return Ok(!bytes.is_empty());
            }
            let length = bytes.len();
            reader.consume(length);
        }
    }
}

fn missing_journal(folder: &RunFolder, problem: &str) -> Failure {
    Failure::fault(format_args!(
        "{} {problem}: without its journal a run can be neither verified nor resumed. Nothing was changed; restore the \
         file or start a new run",
        folder.journal().display()
    ))
}

/// Resumes the run in `path` from its journal.
pub fn resume(path: &Path, options: &ResumeOptions, environment: &Environment) -> Result<Finished, Failure> {
    let run = OpenRun::open(path)?;
    run.refuse_empty_journal()?;
    let console = options.console;
    let page = serve_run(options.serve.as_ref(), &run.folder, run.plan.concurrency)?;
    let changes = run.plan.changes(Some(&run.folder.programs()));
    if !changes.is_empty() {
        return Err(Failure::fault(format_args!("this run cannot be resumed:\n{}", changes.join("\n"))));
    }
    let openings = PlannedOpenings::open(&run.plan).or_fault()?;
    check_disk(run.folder.path(), 0, console).or_fault()?;
    let page_observer = PageObserver::new(&run.folder, &run.plan_text);
    // A refused resume must leave every file as it was, so the whole journal is checked before the first write.
    check_journal(&run).or_fault()?;
    if options.session == Session::Detached {
        leave_terminal(&run.folder, console)?;
    }
    let (replayed, mut observers) = replay_into_files(&run, console).or_fault()?;
    refuse_without_fleet(&replayed, options.place, environment)?;
    let OpenRun { folder, plan, plan_text, mut journal } = run;
    if replayed.ending.torn_bytes > 0 {
        console.print(&format!("{} bytes of an incomplete record were dropped", replayed.ending.torn_bytes));
        journal.truncate(replayed.ending.valid_bytes).or_fault()?;
    }
    if replayed.state.is_finished() {
        console.print(&nothing_left(&plan, &folder));
    }
    if !(replayed.state.is_finished() && folder.page().exists()) {
        observers.push(Box::new(page_observer));
    }
    observers.extend(console.observers().or_fault()?);
    // The engines were compared when the run began; the machine may be a different one today.
    let warnings = oversubscription(&plan, &[], processors()).into_iter().collect();
    let run = RunBuilder {
        plan,
        plan_text,
        start: RunStart::Resumed(Box::new(replayed)),
        openings: Box::new(openings),
        folder: folder.clone(),
        journal,
        observers,
        warnings,
        guardian: environment.guardian(),
        kept_programs: environment.kept_programs().to_vec(),
        stops: StopStyle::Draining,
        stop: None,
    };
    let run = play_run(run, environment)?;
    Ok(Reporting { console, page, tap: DialogueTap::default() }.finished(run, folder))
}

/// Returns the message that a run is finished. The test of a tuning run is a run of its own, and may still be played.
fn nothing_left(plan: &Plan, folder: &RunFolder) -> String {
    let done = if plan.acceptance().is_some() { "tune" } else { "play" };
    format!("{} is finished: nothing is left to {done}", folder.path().display())
}

/// Refuses to resume a run of a fleet on this machine by mistake: what its workers have played meanwhile would be lost.
fn refuse_without_fleet(
    replayed: &Replayed,
    place: ResumePlace,
    environment: &Environment,
) -> Result<(), Failure> {
    let fleet = replayed.state.fleet();
    match fleet.session().filter(|_| fleet.is_remote()) {
        Some(session)
            if environment.fleet().is_none()
                && place == ResumePlace::Fleet
                && !replayed.state.is_finished() =>
        {
            Err(Failure::usage(format_args!(
                "the workers of a fleet play this run: resume it with --fleet {}, or on this machine with --local, which \
                 drops what they have not reported yet",
                session.url
            )))
        }
        _ => Ok(()),
    }
}

/// Replays the journal of a run and completes its derived files.
fn replay_into_files(run: &OpenRun, console: Console) -> anyhow::Result<(Replayed, Vec<Box<dyn Observer>>)> {
    let mut derived = DerivedFiles::reopen(&run.folder)?;
    loop {
        let mut tune_files = TuneFiles::of(&run.folder, &run.plan)?;
        let known = derived.known();
        let mut unwritten = None;
        let hash = sha256_of(run.plan_text.as_bytes());
        let replayed = replay(run.journal.reader()?, &run.plan, &hash, known, |event, view| {
            let tune_files = tune_files.as_mut().map(|files| files as &mut dyn Observer);
            for observer in [&mut derived as &mut dyn Observer].into_iter().chain(tune_files) {
                unwritten = unwritten.take().or(observer.observe(event, view).err());
            }
        })
        .map_err(|error| with_plan_changes(error, &run.plan_text))?;
        if let Some(error) = unwritten {
            return Err(error).context("the run's files cannot be written");
        }
        if derived.are_ahead_of(replayed.state.counted()) {
            // Games that the journal does not contain are played again; those in the files may be worth keeping.
            for kept in keep_aside(&run.folder)? {
                console.print(&format!(
                    "Warning: the files hold more games than the journal; the old file is kept as {kept}"
                ));
            }
            derived = DerivedFiles::create(&run.folder)?;
            continue;
        }
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(derived)];
        observers.extend(tune_files.map(|files| Box::new(files) as Box<dyn Observer>));
        return Ok((replayed, observers));
    }
}

/// Renames the files of games and pairs, so that new ones can be written, and returns their new names.
fn keep_aside(folder: &RunFolder) -> io::Result<Vec<String>> {
    let mut kept = Vec::new();
    for path in [folder.games(), folder.pairs()].into_iter().filter(|path| path.exists()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let free = (1u32..).map(|number| match number {
            1 => format!("{name}.before-resume"),
            number => format!("{name}.before-resume-{number}"),
        });
        let new_name = free.into_iter().find(|name| !path.with_file_name(name).exists());
        let new_name = new_name.expect("some number is free");
        fs::rename(&path, path.with_file_name(&new_name))?;
        kept.push(new_name);
    }
    Ok(kept)
}

/// Returns the error of a failed replay, with the changes of the plan if they are the reason.
pub(super) fn with_plan_changes(error: ReplayError, plan_text: &str) -> anyhow::Error {
    let changes = match &error {
        ReplayError::PlanChanged { played } if !played.is_empty() => plan_changes(played, plan_text),
        _ => Vec::new(),
    };
    if changes.is_empty() { error.into() } else { anyhow::anyhow!("{error}\n{}", changes.join("\n")) }
}
