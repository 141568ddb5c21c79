//! A command line from its words to its exit status.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use crate::commands::{
    Environment, Failure, HostedParts, HostedResume, LenientCheck, check_plan_leniently, play_hosted,
    processors,
};
use crate::compat::command::{LogLevel, MatchCommand, Tournament};
use crate::compat::console::LineWriter;
use crate::compat::dialogue_log::{DialogueLog, ProgramLog, open_log};
use crate::compat::fastchess_lines::setting;
use crate::compat::game_files::GameFiles;
use crate::compat::observer::{Progress, RivalLines, warn_on_stderr};
use crate::compat::pv_watch::PvWatch;
use crate::compat::run_file::{options, run_file};
use crate::compat::runner::Runner;
use crate::compat::saved_config::{self, SavedRun};
use crate::compat::{cutechess, engines_json, fastchess, knockout, texts};
use crate::config::{RunFile, resolve};
use crate::player::{DialogueListener, DialogueTap, EngineOption, OptionError, TappedLine};
use crate::run::{FinishedRun, Plan, RunEvent, RunKind, RunOutcome, StopHandle, StopStyle};
use crate::store::TempFolder;

/// Runs the command line of `runner`; `program` is the name by which it was called.
pub fn main(runner: Runner, program: &str, words: &[String]) -> ExitCode {
    let begun = Instant::now();
    if let [flag, engine, ..] = words
        && flag == "--compliance"
        && runner == Runner::Fastchess
    {
        return examine(engine);
    }
    if let Some(text) = answer(runner, words) {
        print(&text);
        return ExitCode::SUCCESS;
    }
    match play(runner, program, words, begun) {
        Ok(code) => code,
        Err(message) => {
            match runner {
                Runner::Fastchess => print(&format!("{message}\n")),
                Runner::Cutechess => warn_on_stderr(&message),
            }
            ExitCode::FAILURE
        }
    }
}

/// `--compliance ENGINE` is the examination of this program, with its lines and its exit status.
fn examine(engine: &str) -> ExitCode {
    let examined = std::env::current_exe().and_then(|program| {
        std::process::Command::new(program).arg0("playself").args(["check", engine]).status()
    });
    match examined {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            print(&format!("{error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Returns the text that a command line without a match asks for.
fn answer(runner: Runner, words: &[String]) -> Option<String> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&["-version", "--version", "-v", "--v"]) {
        return Some(texts::version(runner));
    }
    if has(&["-help", "--help"]) || words.is_empty() && runner == Runner::Fastchess {
        return Some(texts::help(runner));
    }
    if runner == Runner::Cutechess && has(&["-engines", "--engines"]) {
        return Some(
            engines_json::names().unwrap_or_default().iter().map(|name| format!("{name}\n")).collect(),
        );
    }
    None
}

fn parse(runner: Runner, words: &[String]) -> Result<MatchCommand, String> {
    match runner {
        Runner::Fastchess => fastchess::parse(words),
        Runner::Cutechess => cutechess::parse(words),
    }
}

fn print(text: &str) {
    let ascii: Vec<u8> =
        text.chars().map(|letter| if letter.is_ascii() { letter as u8 } else { b'?' }).collect();
    // A reader that has gone needs no answer.
    let _ = io::stdout().write_all(&ascii).and_then(|()| io::stdout().flush());
}

fn play(runner: Runner, program: &str, words: &[String], begun: Instant) -> Result<ExitCode, String> {
    let mut words = words.to_vec();
    let mut command = parse(runner, &words)?;
    let mut folder = None;
    if let Some(path) = command.config.resumed.take() {
        let saved = SavedRun::read(&path)?;
        let (keep_games, saved_as) = (command.config.keep_games, command.config.saved_as.clone());
        let later = saved_config::later_words(&words, keep_games)?;
        words = [saved.words, later].concat();
        command = parse(runner, &words)?;
        command.config.saved_as = saved_as;
        folder = keep_games.then_some(saved.folder);
    }
    if command.explain {
        print(&run_file(&command, processors())?);
        return Ok(ExitCode::SUCCESS);
    }
    bind(&command);
    let session = Session { command, program: program.to_owned(), words, begun, stop: StopHandle::default() };
    if session.command.tournament == Tournament::Knockout {
        return Ok(status(runner, &knockout::play(&session, &environment()?)?));
    }
    let (finished, kept) = match folder {
        Some(folder) => session.resume(&folder)?,
        None => session.start()?,
    };
    drop(kept);
    Ok(status(runner, &finished.outcome))
}

/// Limits this program, and so its engines, to the processors of `-use-affinity`.
fn bind(command: &MatchCommand) {
    if let Some(processors) = command.affinity.as_ref().filter(|list| !list.is_empty()) {
        crate::fleet::bind_process(processors);
    }
}

fn status(runner: Runner, outcome: &RunOutcome) -> ExitCode {
    match (runner, outcome) {
        (Runner::Fastchess, RunOutcome::Interrupted | RunOutcome::Faulty(_)) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// A command that is about to be played.
pub(super) struct Session {
    pub(super) command: MatchCommand,
    program: String,
    words: Vec<String>,
    begun: Instant,
    pub(super) stop: StopHandle,
}

/// What must live until the run is over.
type Kept = Option<TempFolder>;

impl Session {
    /// The same session with another command.
    pub(super) fn with_command(&self, command: MatchCommand) -> Self {
        let Self { program, words, begun, stop, .. } = self;
        Self { command, program: program.clone(), words: words.clone(), begun: *begun, stop: stop.clone() }
    }

    fn start(self) -> Result<(FinishedRun, Kept), String> {
        let environment = environment()?;
        let (plan, check) = self.plan(&environment)?;
        let temporary = TempFolder::create(&format!("playself-{}", self.command.runner.name()))
            .map_err(|error| format!("no temporary folder: {error}"))?;
        let place = temporary.path().join("run");
        let out = LineWriter::stdout(self.stop.clone());
        self.announce(&plan, &check, &out);
        let resources = check
            .checked
            .facts
            .iter()
            .map(|facts| ["Threads", "Hash"].map(|name| facts.value(name).map(str::to_owned)));
        let resources: Vec<[Option<String>; 2]> = resources.collect();
        let saved = (self.command.runner == Runner::Fastchess)
            .then(|| SavedRun { words: self.words.clone(), folder: place.clone() });
        let progress = Progress::new(plan.engines.len());
        let (parts, runner) =
            (self.parts(&plan, out, saved, &resources, progress, false)?, self.command.runner);
        let finished = play_hosted(plan, &place, parts, &environment).map_err(text)?;
        // An interrupted run of fastchess can be continued, so its journal stays.
        let stays = runner == Runner::Fastchess && !finished.outcome.is_final();
        let kept = if stays {
            temporary.keep();
            None
        } else {
            Some(temporary)
        };
        Ok((finished, kept))
    }

    fn resume(self, folder: &Path) -> Result<(FinishedRun, Kept), String> {
        let environment = environment()?;
        let mut resumed = HostedResume::open(folder).map_err(text)?;
        self.revise(resumed.plan_mut(), &environment)?;
        let plan = resumed.plan().clone();
        let mut progress = Progress::new(plan.engines.len());
        let replayed = resumed
            .replay(|event, _| {
                if let RunEvent::Counted(pair) = event {
                    pair.games.iter().for_each(|game| progress.game(&plan, game));
                    progress.pair(pair);
                }
            })
            .map_err(text)?;
        replayed.state.uncounted_games().for_each(|game| progress.game(&plan, game));
        let out = LineWriter::stdout(self.stop.clone());
        let saved = Some(SavedRun { words: self.words.clone(), folder: folder.to_owned() });
        let parts = self.parts(&plan, out, saved, &[], progress, true)?;
        let finished = resumed.play(replayed, parts, &environment).map_err(text)?;
        if finished.outcome.is_final() {
            // The folder was kept for this; now it is no longer needed.
            let _ = folder.parent().map(std::fs::remove_dir_all);
        }
        Ok((finished, None))
    }

    /// Gives the plan of a saved run what later flags changed: its length, the games at once, the content of its PGN and
    /// what faults do.
    fn revise(&self, plan: &mut Plan, environment: &Environment) -> Result<(), String> {
        let wanted = self.resolved(environment)?;
        (plan.concurrency, plan.pgn, plan.breaker) = (wanted.concurrency, wanted.pgn, wanted.breaker);
        match (&mut plan.kind, wanted.kind) {
            (RunKind::Match { pairs }, RunKind::Match { pairs: wanted }) => *pairs = wanted,
            (RunKind::Test { max_pairs, .. }, RunKind::Test { max_pairs: wanted, .. }) => *max_pairs = wanted,
            _ => {}
        }
        if let (Some(book), Some(wanted)) = (&mut plan.openings, wanted.openings) {
            book.take = wanted.take;
        }
        Ok(())
    }

    fn resolved(&self, environment: &Environment) -> Result<Plan, String> {
        let text_of_file = run_file(&self.command, processors())?;
        let file =
            RunFile::parse(Path::new("command line"), &text_of_file).map_err(|error| error.to_string())?;
        resolve(&file, &environment.search_paths(), new_seed()).map_err(|error| error.to_string())
    }

    /// Returns the plan, with the options that its engines accept.
    pub(super) fn plan(&self, environment: &Environment) -> Result<(Plan, LenientCheck), String> {
        let mut plan = self.resolved(environment)?;
        plan.seed = self.command.seed.unwrap_or(plan.seed);
        for (planned, engine) in plan.engines.iter_mut().zip(&self.command.engines) {
            // A table of the run file has no order.
            let options = options(engine);
            planned.spec.options =
                options.iter().map(|(name, value)| EngineOption::new(name, value)).collect();
        }
        let mut check = check_plan_leniently(plan, environment).map_err(text)?;
        if self.command.runner == Runner::Cutechess {
            name_engines(&mut check.checked.plan, &self.command);
        }
        for (facts, engine) in check.checked.facts.iter().zip(&check.checked.plan.engines) {
            if let Some(why) = &facts.failure {
                return Err(format!("Fatal; {} engine startup failure: \"{why}\"", engine.spec.name));
            }
        }
        Ok((check.checked.plan.clone(), check))
    }

    /// Prints what precedes the first game.
    pub(super) fn announce(&self, plan: &Plan, check: &LenientCheck, out: &LineWriter) {
        let fastchess = self.command.runner == Runner::Fastchess;
        if plan.openings.is_none() && fastchess {
            out.put("Warning: no opening book, all games start from the initial position\n");
        }
        if self.command.openings.as_ref().is_some_and(|openings| openings.random) {
            out.put("Indexing opening suite...\n");
        }
        for refused in &check.refused {
            let name = plan.name_of(refused.engine);
            let line = match &refused.error {
                OptionError::Refused { name: option, value, .. } => {
                    format!("Invalid value for option {option}; {value}")
                }
                OptionError::Unknown { name: option, .. }
                | OptionError::NotOneLine { name: option }
                | OptionError::NoDefault { name: option } => format!("{name} doesn't have option {option}"),
            };
            if fastchess {
                out.put(&format!("Warning; {line}\n"));
            } else {
                warn_on_stderr(&line);
            }
            if self.command.strict {
                self.stop.stop();
            }
        }
    }

    fn parts(
        &self,
        plan: &Plan,
        out: LineWriter,
        saved: Option<SavedRun>,
        resources: &[[Option<String>; 2]],
        progress: Progress,
        resumed: bool,
    ) -> Result<HostedParts, String> {
        let book = plan.openings.as_ref().and_then(|book| book.file.path.file_name());
        let book = book.map(|name| name.to_string_lossy().into_owned());
        let Listening { tap, log, watch, file } = self.listen(&out)?;
        let lines = RivalLines {
            setting: setting(&self.command.engines, resources, book.as_deref()),
            files: GameFiles::open(&self.command, resumed).map_err(|error| error.to_string())?,
            command: self.command.clone(),
            program: self.program.clone(),
            out,
            saved,
            stop: self.stop.clone(),
            begun: self.begun,
            progress,
            log,
            watch,
            _log_file: file,
        };
        Ok(HostedParts {
            observers: vec![Box::new(lines)],
            stops: StopStyle::AtOnce,
            stop: Some(self.stop.clone()),
            tap,
        })
    }

    /// Returns the listeners to the engines: the log, the debugging output, and the examination of their lines of play.
    pub(super) fn listen(&self, out: &LineWriter) -> Result<Listening, String> {
        let command = &self.command;
        let mut listeners: Vec<Arc<dyn DialogueListener>> = Vec::new();
        let (mut file, mut log, mut watch) = (None, None, None);
        if let Some(args) = command.log.as_ref().filter(|log| !log.out.file.as_os_str().is_empty()) {
            let writer = open_log(args).map_err(|error| error.to_string())?;
            if args.engines {
                listeners.push(Arc::new(DialogueLog::logged(writer.handle())));
            }
            let program = ProgramLog::new(writer.handle(), args.level);
            program.note(LogLevel::Info, texts::version(command.runner).lines().next().unwrap_or_default());
            program.note(LogLevel::Info, "Starting tournament...");
            (file, log) = (Some(writer), Some(program));
        }
        let debugged: Vec<String> = command
            .engines
            .iter()
            .filter(|engine| engine.debug)
            .filter_map(|engine| engine.name.clone())
            .collect();
        if command.debug || !debugged.is_empty() {
            let engines = if command.debug { Vec::new() } else { debugged };
            listeners.push(Arc::new(DialogueLog::printed(out.handle(), engines)));
        }
        if command.runner == Runner::Fastchess {
            let pv = Arc::new(PvWatch::new(command, out.handle(), log.clone(), self.stop.clone()));
            listeners.push(Arc::clone(&pv) as Arc<dyn DialogueListener>);
            watch = Some(pv);
        }
        let tap = match listeners.len() {
            0 => DialogueTap::default(),
            1 => DialogueTap::new(Arc::clone(&listeners[0])),
            _ => DialogueTap::new(Arc::new(Listeners(listeners))),
        };
        Ok(Listening { tap, log, watch, file })
    }
}

/// What listens to the engines of a run.
pub(super) struct Listening {
    pub(super) tap: DialogueTap,
    pub(super) log: Option<ProgramLog>,
    pub(super) watch: Option<Arc<PvWatch>>,
    /// The file of the log, which is complete once this is dropped.
    pub(super) file: Option<LineWriter>,
}

/// Several listeners, in this order.
struct Listeners(Vec<Arc<dyn DialogueListener>>);

impl DialogueListener for Listeners {
    fn line(&self, line: &TappedLine<'_>) {
        self.0.iter().for_each(|listener| listener.line(line));
    }
}

fn environment() -> Result<Environment, String> {
    Environment::current().map_err(|error| error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is that of map_err")]
fn text(failure: Failure) -> String {
    failure.to_string()
}

/// Gives engines without a name the one that they state themselves, unless another has it.
fn name_engines(plan: &mut Plan, command: &MatchCommand) {
    for at in 0..plan.engines.len() {
        let Some(name) = plan.engines[at].id_name.clone() else { continue };
        let taken = plan.engines.iter().any(|engine| engine.spec.name == name);
        if !taken && command.engines.get(at).is_some_and(|engine| engine.name.is_none()) {
            plan.engines[at].spec.name = name;
        }
    }
}

/// Returns a seed for a command without one.
fn new_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 1
}
