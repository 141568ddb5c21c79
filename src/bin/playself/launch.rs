//! Starting and resuming runs: folder, journal, fleet and reports put together.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use playself::dashboard::Server;
use playself::fleet::{FleetConfig, LocalFleet};
use playself::journal::{Entry, FORMAT, LockError, LockedFile, Storage};
use playself::opening::{Book, BookFormat, BookOptions, Opening};
use playself::player::GuardianProgram;
use playself::report::{DerivedFiles, JsonEvents, LivePanel, PageObserver, PlainLines, TuneFiles};
use playself::run::control::ControlServer;
use playself::run::preflight::{DiskRoom, Fairness, fairness, oversubscription};
use playself::run::{
    Interrupts, Observer, Openings, Plan, PlayingTime, ReplayError, Replayed, Run, RunOutcome, RunParts,
    RunState, plan_changes, plan_from_toml, plan_to_toml, replay,
};
use playself::store::{RunFolder, UtcDate, sha256_of, write_whole};

use crate::output::{Unhurried, say_if_heard};
use crate::run_flags::{LiveFlags, OutputFlags, Rehearsed, rehearsed};
use crate::serve::serve_run;

/// Exit status when a fault keeps a run from going on.
pub(crate) const FAULT: u8 = 4;

/// Games that get a line of their own on a terminal.
const GAMES_SHOWN: u64 = 20;

/// What people and programs see of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Lines, or a live view on a terminal.
    Human,
    /// JSON on standard output, human text on standard error.
    Json,
}

impl Show {
    pub(crate) fn of(output: &OutputFlags) -> Self {
        if output.json { Self::Json } else { Self::Human }
    }

    /// Says something to people, where it does not disturb programs.
    pub(crate) fn say(self, text: &str) {
        match self {
            Self::Human => say_if_heard(io::stdout(), text),
            Self::Json => say_if_heard(io::stderr(), text),
        }
    }

    fn observers(self) -> Vec<Box<dyn Observer>> {
        let terminal = io::stderr().is_terminal();
        let out = || Unhurried::new(io::stdout());
        let err = || Unhurried::new(io::stderr());
        match self {
            Self::Human if terminal && io::stdout().is_terminal() => {
                vec![Box::new(LivePanel::new(GAMES_SHOWN))]
            }
            Self::Human => vec![Box::new(PlainLines::new(out()))],
            Self::Json if terminal => {
                vec![Box::new(JsonEvents::new(out())), Box::new(LivePanel::new(GAMES_SHOWN))]
            }
            Self::Json => {
                vec![Box::new(JsonEvents::new(out())), Box::new(PlainLines::new(err()))]
            }
        }
    }
}

/// The book of a plan, or the initial position for ever.
struct PlannedOpenings(Option<Book>);

impl Openings for PlannedOpenings {
    fn opening(&self, round: u64) -> Result<Opening, String> {
        match &self.0 {
            Some(book) => book.opening(round).map_err(|why| why.to_string()),
            None => Ok(Opening::start()),
        }
    }
}

fn open_book(plan: &Plan) -> anyhow::Result<PlannedOpenings> {
    let Some(planned) = &plan.openings else { return Ok(PlannedOpenings(None)) };
    let options = BookOptions {
        order: planned.order,
        share: planned.share,
        seed: plan.seed,
        start: planned.start,
        plies: planned.plies,
        ..BookOptions::default()
    };
    Ok(PlannedOpenings(Some(Book::open(&planned.file.path, BookFormat::Guess, options)?)))
}

/// A run that was played as far as it went.
pub(crate) struct Played {
    pub(crate) outcome: RunOutcome,
    pub(crate) folder: RunFolder,
    /// The live page, served for as long as this lives.
    pub(crate) page: Option<Server>,
}

impl Played {
    pub(crate) fn exit(&self) -> ExitCode {
        ExitCode::from(self.outcome.exit_status())
    }
}

/// The plan in `path`, if that is the `plan.toml` of a run: to play it again, everything must be as it was.
pub(crate) fn recorded_plan(path: &Path) -> anyhow::Result<Option<Rehearsed>> {
    let plan = fs::read_to_string(path).ok().and_then(|text| plan_from_toml(&text).ok());
    let changes = plan.as_ref().map(Plan::changes).unwrap_or_default();
    anyhow::ensure!(changes.is_empty(), "this run cannot be repeated:\n{}", changes.join("\n"));
    plan.map(rehearsed).transpose()
}

/// Plays a new run in a folder of its own.
pub(crate) fn start(rehearsed: Rehearsed, output: &OutputFlags) -> anyhow::Result<Played> {
    let show = Show::of(output);
    let Rehearsed { plan, heard } = rehearsed;
    // A wrong book is told before a folder is made.
    open_book(&plan)?;
    let Fairness { doubts, notes } = fairness(&plan, &heard, processors());
    if output.strict && !doubts.is_empty() {
        anyhow::bail!("refused under --strict:\n{}", doubts.join("\n"));
    }
    for note in notes.into_iter().chain(useless_limit(&plan)) {
        show.say(&format!("Note; {note}"));
    }
    // So is whatever else this machine cannot do: a run that is refused leaves nothing behind.
    LocalFleet::reserve(plan.concurrency)?;
    check_disk(standing(output.run_dir.as_ref().unwrap_or(&output.results)), plan.games_left(0), show)?;
    let folder = match &output.run_dir {
        Some(path) => RunFolder::create_at(path),
        None => RunFolder::create(&output.results, &UtcDate::now().stamp(), &plan.name),
    }
    .context("the run folder cannot be made")?;
    let page = serve_run(output.live.serve.as_ref(), &folder).inspect_err(|_| {
        // Only an empty folder can be removed this way: nothing of anybody's is lost.
        let _ = fs::remove_dir(folder.path());
    })?;
    play_shown(plan, folder, show, page, doubts)
}

/// A limit of the plan that the system does not keep.
fn useless_limit(plan: &Plan) -> Option<String> {
    let limited = plan.engines.iter().find(|engine| engine.spec.sandbox.processes.is_some())?;
    let name = &limited.spec.name;
    nix::unistd::geteuid()
        .is_root()
        .then(|| format!("engine {name}: `processes` limits nothing here, for root may have any number"))
}

/// Processors that may be used at the same time.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The folder itself or, while it does not exist, the nearest one above it that does.
fn standing(folder: &Path) -> &Path {
    let above = folder.ancestors().find(|path| path.exists());
    // A name alone lies in the folder we are in.
    above.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a disk without room, and warns of one that may not last.
fn check_disk(folder: &Path, games: u64, show: Show) -> anyhow::Result<()> {
    match DiskRoom::look(folder, games)? {
        DiskRoom::Enough => {}
        DiskRoom::Tight(why) => show.say(&format!("Warning; {why}")),
        DiskRoom::TooLittle(why) => anyhow::bail!("{}: {why}", folder.display()),
    }
    Ok(())
}

/// Plays a new run in exactly this folder.
pub(crate) fn start_in(plan: Plan, path: &Path, show: Show) -> anyhow::Result<Played> {
    let folder = RunFolder::create_at(path).context("the run folder cannot be made")?;
    play_shown(plan, folder, show, None, Vec::new())
}

fn play_shown(
    plan: Plan,
    folder: RunFolder,
    show: Show,
    page: Option<Server>,
    doubts: Vec<String>,
) -> anyhow::Result<Played> {
    let text = plan_to_toml(&plan)?;
    let mut observers: Vec<Box<dyn Observer>> =
        vec![Box::new(DerivedFiles::create(&folder)?), Box::new(PageObserver::new(&folder, &text))];
    observers.extend(TuneFiles::of(&folder, &plan)?.map(|files| Box::new(files) as Box<dyn Observer>));
    observers.extend(show.observers());
    let outcome = play_new(plan, &folder, observers, doubts)?;
    Ok(played(outcome, folder, show, page))
}

/// Why a run cannot be taken up again.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The call was wrong.
    Usage(anyhow::Error),
    /// The run is not what it was, or somebody else has it.
    Fault(anyhow::Error),
}

/// An existing run: its folder, its plan, and the plan's text.
pub(crate) struct OpenedRun {
    pub(crate) folder: RunFolder,
    pub(crate) plan: Plan,
    pub(crate) text: String,
    pub(crate) journal: LockedFile,
}

/// Opens the run in `path` and takes its lock.
pub(crate) fn open_run(path: &Path) -> Result<OpenedRun, Refused> {
    let folder = RunFolder::open(path).map_err(|why| Refused::Usage(why.into()))?;
    let text = fs::read_to_string(folder.plan()).map_err(|why| Refused::Fault(why.into()))?;
    let plan = plan_from_toml(&text).map_err(|why| Refused::Fault(why.into()))?;
    if !folder.journal().exists() {
        return Err(Refused::Fault(lost_journal(&folder, "is missing")));
    }
    let journal = LockedFile::open(&folder.journal()).map_err(|why| match why {
        LockError::Held => Refused::Fault(anyhow::anyhow!("{}: {why}", path.display())),
        LockError::Io(why) => {
            let what = format!("{} cannot be written to", folder.journal().display());
            Refused::Fault(anyhow::Error::from(why).context(what))
        }
    })?;
    Ok(OpenedRun { folder, plan, text, journal })
}

/// What to say of a run without the one file that all others follow from.
pub(crate) fn lost_journal(folder: &RunFolder, how: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{} {how}: the journal was lost, and only it can be checked or gone on with. Nothing was changed; bring it back, \
         or start the run anew",
        folder.journal().display()
    )
}

/// Refuses a journal without a single record beside files that tell of games: it is not that of a run killed as it
/// began, and going on would write over these games.
pub(crate) fn refuse_empty_journal(folder: &RunFolder, journal: &LockedFile) -> anyhow::Result<()> {
    // The first record is a line of a few hundred letters.
    let mut start = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(journal.reader()?, 1 << 16), &mut start)?;
    if !start.contains(&b'\n') && folder.holds_games() {
        return Err(lost_journal(folder, "has no record of the games in games.pgn and pairs.csv"));
    }
    Ok(())
}

/// Goes on with the run in `path`, exactly where it was.
pub(crate) fn resume(path: &Path, show: Show, live: &LiveFlags) -> Result<Played, Refused> {
    let fault = |why: anyhow::Error| Refused::Fault(why);
    let OpenedRun { folder, plan, text, mut journal } = open_run(path)?;
    refuse_empty_journal(&folder, &journal).map_err(fault)?;
    let served = serve_run(live.serve.as_ref(), &folder).map_err(Refused::Usage)?;
    let changes = plan.changes();
    if !changes.is_empty() {
        return Err(fault(anyhow::anyhow!("this run cannot go on:\n{}", changes.join("\n"))));
    }
    let openings = open_book(&plan).map_err(fault)?;
    check_disk(folder.path(), 0, show).map_err(fault)?;
    let page = PageObserver::new(&folder, &text);
    let (replayed, files) = take_up(&folder, &plan, &text, &journal).map_err(fault)?;
    if replayed.ending.torn_bytes > 0 {
        show.say(&format!("{} bytes of an unfinished record were dropped", replayed.ending.torn_bytes));
        journal.truncate(replayed.ending.valid_bytes).map_err(|why| fault(why.into()))?;
    }
    let mut observers = files;
    if !(replayed.state.is_finished() && folder.page().exists()) {
        observers.push(Box::new(page));
    }
    observers.extend(show.observers());
    // What the engines say of themselves was compared as the run began; the machine may be another one today.
    let doubts = oversubscription(&plan, &[], processors()).into_iter().collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|why| fault(why.into()))?;
    let outcome = runtime
        .block_on(play(plan, &folder, |plan, fleet| RunParts {
            plan,
            state: replayed.state,
            time: replayed.time,
            fleet,
            openings: Box::new(openings),
            folder: folder.path().to_owned(),
            journal,
            next_seq: replayed.ending.next_seq,
            first: (replayed.ending.next_seq == 0).then(|| first_entry(&text)),
            observers,
            doubts,
        }))
        .map_err(fault)?;
    Ok(played(outcome, folder, show, served))
}

/// Replays a run's journal and brings its files up to it.
fn take_up(
    folder: &RunFolder,
    plan: &Plan,
    text: &str,
    journal: &LockedFile,
) -> anyhow::Result<(Replayed, Vec<Box<dyn Observer>>)> {
    let mut projections = DerivedFiles::reopen(folder)?;
    loop {
        let mut tune_files = TuneFiles::of(folder, plan)?;
        let mut unwritten = None;
        let known = projections.known();
        let replayed = replay(journal.reader()?, plan, &sha256_of(text.as_bytes()), known, |event, view| {
            let files = tune_files.as_mut().map(|files| files as &mut dyn Observer);
            for observer in [&mut projections as &mut dyn Observer].into_iter().chain(files) {
                unwritten = unwritten.take().or(observer.observe(event, view).err());
            }
        })
        .map_err(|why| told_changes(why, text))?;
        if let Some(why) = unwritten {
            return Err(anyhow::Error::from(why).context("the run's files cannot be written"));
        }
        if projections.are_ahead_of(replayed.state.counted()) {
            projections = DerivedFiles::create(folder)?;
            continue;
        }
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(projections)];
        observers.extend(tune_files.map(|files| Box::new(files) as Box<dyn Observer>));
        return Ok((replayed, observers));
    }
}

/// A failed replay, with what was changed in the plan if that is why.
pub(crate) fn told_changes(why: ReplayError, text: &str) -> anyhow::Error {
    let changes = match &why {
        ReplayError::PlanChanged { played } if !played.is_empty() => plan_changes(played, text),
        _ => Vec::new(),
    };
    if changes.is_empty() { why.into() } else { anyhow::anyhow!("{why}\n{}", changes.join("\n")) }
}

/// Plays a new run in `folder`, told to nobody but `observers`; `doubts` are what they are warned of first.
pub(crate) fn play_new(
    plan: Plan,
    folder: &RunFolder,
    observers: Vec<Box<dyn Observer>>,
    doubts: Vec<String>,
) -> anyhow::Result<RunOutcome> {
    let openings = open_book(&plan)?;
    let text = plan_to_toml(&plan)?;
    let journal = LockedFile::open(&folder.journal()).context("the journal cannot be made")?;
    write_whole(&folder.plan(), text.as_bytes()).context("plan.toml cannot be written")?;
    let first = first_entry(&text);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play(plan, folder, |plan, fleet| RunParts {
        state: RunState::new(&plan),
        plan,
        time: PlayingTime::default(),
        fleet,
        openings: Box::new(openings),
        folder: folder.path().to_owned(),
        journal,
        next_seq: 0,
        first: Some(first),
        observers,
        doubts,
    }))
}

/// The record that a journal begins with.
fn first_entry(plan_text: &str) -> Entry {
    Entry::Run {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        plan: sha256_of(plan_text.as_bytes()),
        plan_text: plan_text.to_owned(),
    }
}

async fn play(
    plan: Plan,
    folder: &RunFolder,
    parts: impl FnOnce(Plan, LocalFleet) -> RunParts,
) -> anyhow::Result<RunOutcome> {
    let mut config = FleetConfig::new(plan.engines.iter().map(|engine| engine.spec.clone()).collect());
    config.concurrency = plan.concurrency;
    config.placement = plan.placement;
    config.rules = plan.adjudication.clone();
    config.guardian = Some(GuardianProgram::ourselves()?);
    let interrupts = Interrupts::listen()?;
    let fleet = LocalFleet::start(config)?;
    let door = ControlServer::open(&folder.socket());
    if let Err(why) = &door {
        tracing::warn!("this run cannot be controlled from outside: {why}");
    }
    Ok(Run::new(parts(plan, fleet)).play(interrupts, door.ok()).await)
}

fn played(outcome: RunOutcome, folder: RunFolder, show: Show, page: Option<Server>) -> Played {
    if let Some(page) = &page {
        page.say_farewell();
    }
    if !folder.plan().exists() {
        show.say(&format!("The run folder {} is gone, and the run with it", folder.path().display()));
        return Played { outcome, folder, page };
    }
    show.say(&format!("Run folder: {}", folder.path().display()));
    if !outcome.is_final() && folder.journal().exists() {
        show.say(&format!("To go on: playself resume {}", shell_word(folder.path())));
    }
    Played { outcome, folder, page }
}

/// A path as a shell takes it.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
    if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A run folder named on the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct RunDir {
    /// Folder of the run
    #[arg(value_name = "RUN_DIR")]
    pub(crate) path: PathBuf,
}
