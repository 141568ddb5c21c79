//! Starting a new run: checks, folder, journal and reports.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::commands::console::Console;
use crate::commands::detach::{Session, leave_terminal};
use crate::commands::dialogue_file::dialogue_file;
use crate::commands::environment::{Environment, processors};
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::fleet_session::{check_plan_for_fleet, play_run};
use crate::commands::hosted::tap_engines;
use crate::commands::openings::PlannedOpenings;
use crate::commands::plan::CheckedPlan;
use crate::commands::shell_word::shell_word;
use crate::commands::tuned_values::test_command;
use crate::dashboard::{Catalogue, ServeAddress, Server};
use crate::fleet::{LocalFleet, set_aside_descriptors};
use crate::journal::LockedFile;
use crate::player::DialogueTap;
use crate::report::{DerivedFiles, PageObserver, TuneFiles};
use crate::run::preflight::{
    BookSupply, DiskRoom, EngineFacts, Fairness, PositionSetup, book_supply, fairness,
};
use crate::run::{
    FinishedRun, Observer, Plan, RunBuilder, RunOutcome, RunStart, RunState, StopHandle, StopStyle,
    plan_to_toml,
};
use crate::store::{RunFolder, UtcDate, write_whole};

/// Options of a new run.
#[derive(Clone, Debug)]
pub struct StartOptions {
    /// Place of its folder.
    pub place: RunPlace,
    /// Treatment of warnings.
    pub warnings: WarningPolicy,
    /// Destination of its output.
    pub console: Console,
    /// Address of a live page.
    pub serve: Option<ServeAddress>,
    /// File for the dialogue with all engines.
    pub log_dialogue: Option<PathBuf>,
    /// Whether the run leaves its terminal.
    pub session: Session,
}

/// The folder of a new run.
#[derive(Clone, Debug)]
pub enum RunPlace {
    /// A new folder inside this one, named after the time and the run.
    Inside(PathBuf),
    /// Exactly this folder.
    Exactly(PathBuf),
}

/// Treatment of a plan whose engines are not comparable, or that the machine is too small for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningPolicy {
    /// The run is played and the warnings are reported.
    Report,
    /// The run is refused.
    Refuse,
}

/// A run that has ended, for whatever reason.
pub struct Finished {
    /// The plan.
    pub plan: Plan,
    /// Its state at the end.
    pub state: RunState,
    /// The outcome.
    pub outcome: RunOutcome,
    /// Its folder.
    pub folder: RunFolder,
    /// The live page, served until this is dropped.
    pub(super) page: Option<Server>,
}

impl Finished {
    /// Returns the exit status of the outcome.
    pub fn status(&self) -> u8 {
        self.outcome.exit_status()
    }
}

/// Plays a new run.
///
/// All checks come before the folder is created, so a refused run leaves nothing behind.
pub fn start(
    checked: CheckedPlan,
    options: &StartOptions,
    environment: &Environment,
) -> Result<Finished, Failure> {
    let CheckedPlan { plan, facts } = checked;
    let console = options.console;
    let openings = PlannedOpenings::open(&plan).or_usage()?;
    refuse_positions(&plan, &facts, &openings)?;
    plan.tables().or_usage()?;
    if environment.fleet().is_some() {
        check_plan_for_fleet(&plan)?;
    }
    let Fairness { mut warnings, mut notes } = fairness(&plan, &facts, processors());
    match book_supply(&plan, openings.rounds()) {
        Some(BookSupply::Warning(text)) => warnings.push(text),
        Some(BookSupply::Note(text)) => notes.push(text),
        None => {}
    }
    if options.warnings == WarningPolicy::Refuse && !warnings.is_empty() {
        return Err(Failure::usage(format_args!("refused under --strict:\n{}", warnings.join("\n"))));
    }
    for note in notes.into_iter().chain(ineffective_limit(&plan)) {
        console.print(&format!("Note: {note}"));
    }
    LocalFleet::reserve(plan.concurrency).or_usage()?;
    refuse_inputs_as_outputs(&plan, options.log_dialogue.as_deref())?;
    let tap = options.log_dialogue.as_deref().map(open_log).transpose()?.unwrap_or_default();
    let place = match &options.place {
        RunPlace::Inside(path) | RunPlace::Exactly(path) => path,
    };
    check_disk(existing_ancestor(place), plan.games_left(0), console).or_usage()?;
    let folder = match &options.place {
        RunPlace::Exactly(path) => create_exactly(path)?,
        RunPlace::Inside(path) => RunFolder::create(path, &UtcDate::now().stamp(), &plan.name)
            .with_context(|| {
                format!("no run folder can be created in {} (--run-dir names another place)", path.display())
            })
            .or_fault()?,
    };
    let remove_unused = |_: &Failure| {
        // Only an empty folder can be removed this way, so nothing is lost.
        let _ = fs::remove_dir(folder.path());
    };
    let page = serve_run(options.serve.as_ref(), &folder, plan.concurrency).inspect_err(remove_unused)?;
    if options.session == Session::Detached {
        leave_terminal(&folder, console)?;
    }
    let reporting = Reporting { console, page, tap };
    play_and_report(plan, openings, folder.clone(), warnings, reporting, environment).inspect_err(|_| {
        // The output of a detached run is in its folder.
        if environment.fleet().is_some() && options.session == Session::Attached {
            remove_unplayed(&folder);
        }
    })
}

/// Refuses a file that receives a dialogue or the standard error of an engine and is the book of openings, or belongs to an
/// engine.
fn refuse_inputs_as_outputs(plan: &Plan, log: Option<&Path>) -> Result<(), Failure> {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let books = plan.openings.iter().map(|book| &book.file);
    let inputs = books.chain(plan.engines.iter().flat_map(|engine| &engine.files));
    let inputs: Vec<_> = inputs.filter_map(|file| identity(&file.path)).collect();
    let outputs = plan.engines.iter().filter_map(|engine| engine.spec.stderr.as_deref()).chain(log);
    match outputs.into_iter().find(|path| identity(path).is_some_and(|found| inputs.contains(&found))) {
        Some(path) => Err(Failure::usage(format_args!(
            "{} is read by this run: it cannot receive output, name another file",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Removes the folder of a new run that no fleet has accepted.
fn remove_unplayed(folder: &RunFolder) {
    if fs::metadata(folder.journal()).is_ok_and(|journal| journal.len() == 0) {
        let _ = fs::remove_dir_all(folder.path());
    }
}

/// Refuses openings from which an engine cannot play.
fn refuse_positions(plan: &Plan, facts: &[EngineFacts], openings: &PlannedOpenings) -> Result<(), Failure> {
    let limited = plan.engines.iter().zip(facts).find(|(_, facts)| facts.setup == PositionSetup::StartOnly);
    let Some((engine, _)) = limited else { return Ok(()) };
    match openings.set_up_position() {
        None => Ok(()),
        Some(fen) => Err(Failure::usage(format_args!(
            "engine {}: it has no `setboard` and can only play games from the starting position, but the book begins \
             games at {fen}; use a PGN book, whose openings are moves from there",
            engine.spec.name
        ))),
    }
}

/// Plays a new run in exactly this folder, without the checks of [`start`], which were made for the run it belongs to.
pub(super) fn start_in(
    plan: Plan,
    path: &Path,
    console: Console,
    environment: &Environment,
) -> Result<Finished, Failure> {
    let folder = create_exactly(path)?;
    let openings = PlannedOpenings::open(&plan).or_usage()?;
    play_and_report(
        plan,
        openings,
        folder,
        Vec::new(),
        Reporting { console, page: None, tap: DialogueTap::default() },
        environment,
    )
}

/// Creates the file for the dialogue with the engines.
fn open_log(path: &Path) -> Result<DialogueTap, Failure> {
    dialogue_file(path).with_context(|| format!("{} cannot be written", path.display())).or_usage()
}

/// Creates the run folder. One that already contains a run is a wrong call, one that cannot be written a fault.
fn create_exactly(path: &Path) -> Result<RunFolder, Failure> {
    RunFolder::create_at(path).map_err(|error| {
        let taken = error.kind() == std::io::ErrorKind::AlreadyExists;
        let error = anyhow::Error::from(error)
            .context(format!("the run folder {} cannot be created", path.display()));
        if taken { Failure::Usage(error) } else { Failure::Fault(error) }
    })
}

/// Outputs of a run in play.
pub(super) struct Reporting {
    pub(super) console: Console,
    pub(super) page: Option<Server>,
    pub(super) tap: DialogueTap,
}

impl Reporting {
    /// Prints the place of the run and how to resume it.
    pub(super) fn finished(self, run: FinishedRun, folder: RunFolder) -> Finished {
        let Self { console, page, .. } = self;
        let FinishedRun { plan, state, outcome, .. } = run;
        if let Some(page) = &page {
            page.send_last_update();
        }
        let path = folder.path();
        if folder.plan().exists() {
            console.print(&format!("Run folder: {}", path.display()));
            if folder.page().exists() {
                console.print(&format!("Page: {}", folder.page().display()));
            }
            if state.standings().faults() > 0 && folder.faults().exists() {
                console.print(&format!("Faults, with the dialogue of each: {}", folder.faults().display()));
            }
            if !outcome.is_final() && folder.journal().exists() {
                console.print(&format!("To resume: playself resume {}", shell_word(whole_run(path))));
            }
            if let Some(command) = test_command(&plan, &state, Some(&outcome), &folder) {
                console.print(&command);
            }
        } else {
            console.print(&format!(
                "The run folder {} was deleted, and the run with it; if it was moved, resume it where it is now",
                path.display()
            ));
        }
        Finished { plan, state, outcome, folder, page }
    }
}

fn play_and_report(
    plan: Plan,
    openings: PlannedOpenings,
    folder: RunFolder,
    warnings: Vec<String>,
    mut reporting: Reporting,
    environment: &Environment,
) -> Result<Finished, Failure> {
    let text = plan_to_toml(&plan).or_fault()?;
    let mut observers: Vec<Box<dyn Observer>> = vec![
        Box::new(DerivedFiles::create(&folder).or_fault()?),
        Box::new(PageObserver::new(&folder, &text)),
    ];
    let tune_files = TuneFiles::of(&folder, &plan).or_fault()?;
    observers.extend(tune_files.map(|files| Box::new(files) as Box<dyn Observer>));
    observers.extend(reporting.console.observers().or_fault()?);
    let run = NewRun {
        plan,
        plan_text: text,
        openings,
        folder: &folder,
        observers,
        warnings,
        stops: StopStyle::Draining,
        stop: None,
        tap: std::mem::take(&mut reporting.tap),
    };
    let run = play_new(run, environment)?;
    Ok(reporting.finished(run, folder))
}

/// The parts of a run that begins in its own folder.
pub(super) struct NewRun<'a> {
    pub(super) plan: Plan,
    pub(super) plan_text: String,
    pub(super) openings: PlannedOpenings,
    pub(super) folder: &'a RunFolder,
    pub(super) observers: Vec<Box<dyn Observer>>,
    pub(super) warnings: Vec<String>,
    pub(super) stops: StopStyle,
    /// Another way to stop it than a signal.
    pub(super) stop: Option<StopHandle>,
    pub(super) tap: DialogueTap,
}

/// Plays a new run.
pub(super) fn play_new(run: NewRun<'_>, environment: &Environment) -> Result<FinishedRun, Failure> {
    let NewRun { mut plan, plan_text, openings, folder, observers, warnings, stops, stop, tap } = run;
    tap_engines(&mut plan, &tap);
    let journal = LockedFile::open(&folder.journal()).context("the journal cannot be created").or_fault()?;
    write_whole(&folder.plan(), plan_text.as_bytes()).context("plan.toml cannot be written").or_fault()?;
    let run = RunBuilder {
        plan,
        plan_text,
        start: RunStart::New,
        openings: Box::new(openings),
        folder: folder.clone(),
        journal,
        observers,
        warnings,
        guardian: environment.guardian(),
        kept_programs: environment.kept_programs().to_vec(),
        stops,
        stop,
    };
    play_run(run, environment)
}

/// Returns the tuning run whose acceptance test is in `path`, otherwise `path`. Only the whole run writes accepted values.
fn whole_run(path: &Path) -> &Path {
    let is_whole =
        |parent: &&Path| RunFolder::open(parent).is_ok_and(|run| run.is_tuning() && run.acceptance() == path);
    path.parent().filter(is_whole).unwrap_or(path)
}

/// Serves the live page of the run in `folder`, if there is an address.
pub(super) fn serve_run(
    address: Option<&ServeAddress>,
    folder: &RunFolder,
    concurrency: usize,
) -> Result<Option<Server>, Failure> {
    let Some(address) = address else { return Ok(None) };
    serve(address, Catalogue::Single(folder.clone()), concurrency).map(Some)
}

/// Serves live pages beside a run of `concurrency` pairs at once, and prints the address on standard error, because standard
/// output may be JSON.
pub fn serve(address: &ServeAddress, runs: Catalogue, concurrency: usize) -> Result<Server, Failure> {
    let descriptors = set_aside_descriptors(Server::MAX_DESCRIPTORS, concurrency);
    let server = Server::start(address, runs, descriptors).or_usage()?;
    Console::Text.print_progress(&format!("Live page: {}", server.control_url()));
    if server.is_public() {
        Console::Text.print_progress(
            "Warning: other machines can reach the live page. It is not encrypted; reading it needs the token in this \
             address. Without an address, --serve is for this machine only",
        );
    }
    Ok(server)
}

/// Returns a note about a limit of the plan that the system does not enforce.
fn ineffective_limit(plan: &Plan) -> Option<String> {
    let limited = plan.engines.iter().find(|engine| engine.spec.sandbox.processes.is_some())?;
    let name = &limited.spec.name;
    nix::unistd::geteuid()
        .is_root()
        .then(|| format!("engine {name}: `processes` has no effect, because it does not apply to root"))
}

/// Returns the path or its nearest ancestor that exists.
fn existing_ancestor(path: &Path) -> &Path {
    let existing = path.ancestors().find(|path| path.exists());
    // The ancestor of a relative path is the working directory.
    existing.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a disk without room for `games` games, and warns of one that may fill up.
pub(super) fn check_disk(folder: &Path, games: u64, console: Console) -> anyhow::Result<()> {
    match DiskRoom::look(folder, games)? {
        DiskRoom::Enough => {}
        DiskRoom::Tight(warning) => console.print(&format!("Warning: {warning}")),
        DiskRoom::TooLittle(reason) => anyhow::bail!("{}: {reason}", folder.display()),
    }
    Ok(())
}
