//! A command line from its words to its exit status.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::commands::{
    Environment, Failure, HostedParts, HostedResume, LenientCheck, check_plan_leniently, new_seed,
    play_hosted, processors,
};
use crate::compat::console::LineWriter;
use crate::compat::fastchess_lines::setting;
use crate::compat::game_files::GameFiles;
use crate::compat::invocation::{Invocation, Tournament};
use crate::compat::listeners::Listening;
use crate::compat::run_file::{options, run_file};
use crate::compat::saved_config::{self, SavedRun, Stage};
use crate::compat::surface::Surface;
use crate::compat::surface_lines::{Progress, SurfaceLines, warn_on_stderr};
use crate::compat::written_games::WrittenGames;
use crate::compat::{cutechess, engines_json, fastchess, knockout, texts};
use crate::config::{RunFile, resolve};
use crate::journal::GameEntry;
use crate::player::{EngineOption, OptionError};
use crate::report::pgn_text;
use crate::run::preflight::EngineFacts;
use crate::run::{Plan, RunEvent, RunKind, RunOutcome, StopHandle, StopStyle};
use crate::store::TempFolder;

/// Runs the command line of `surface`; `program` is the name by which it was called.
pub fn main(surface: Surface, program: &str, words: &[String]) -> ExitCode {
    let begun = Instant::now();
    if let [flag, engine, ..] = words
        && flag == "--compliance"
        && surface == Surface::Fastchess
    {
        return examine(engine);
    }
    if let Some(text) = answer(surface, words) {
        print(&text);
        return ExitCode::SUCCESS;
    }
    match play(surface, program, words, begun) {
        Ok(code) => code,
        Err(message) => {
            match surface {
                Surface::Fastchess => print(&format!("{message}\n")),
                Surface::Cutechess => warn_on_stderr(&message),
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
fn answer(surface: Surface, words: &[String]) -> Option<String> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&["-version", "--version", "-v", "--v"]) {
        return Some(texts::version(surface));
    }
    if has(&["-help", "--help"]) || words.is_empty() && surface == Surface::Fastchess {
        return Some(texts::help(surface));
    }
    if surface == Surface::Cutechess && has(&["-engines", "--engines"]) {
        return Some(
            engines_json::names().unwrap_or_default().iter().map(|name| format!("{name}\n")).collect(),
        );
    }
    None
}

fn parse(surface: Surface, words: &[String]) -> Result<Invocation, String> {
    match surface {
        Surface::Fastchess => fastchess::parse(words),
        Surface::Cutechess => cutechess::parse(words),
    }
}

fn print(text: &str) {
    let ascii: Vec<u8> =
        text.chars().map(|letter| if letter.is_ascii() { letter as u8 } else { b'?' }).collect();
    // A reader that has gone needs no answer.
    let _ = io::stdout().write_all(&ascii).and_then(|()| io::stdout().flush());
}

fn play(surface: Surface, program: &str, words: &[String], begun: Instant) -> Result<ExitCode, String> {
    let mut words = words.to_vec();
    let mut command = parse(surface, &words)?;
    let mut saved = None;
    if let Some(path) = command.config.resumed.take() {
        let mut found = SavedRun::read(&path)?;
        let (keep_games, saved_as) = (command.config.keep_games, command.config.saved_as.clone());
        let later = saved_config::later_words(&words, keep_games)?;
        let first = parse(surface, &found.words)?;
        words = [std::mem::take(&mut found.words), later].concat();
        command = parse(surface, &words)?;
        command.config.saved_as = saved_as;
        if keep_games {
            found.check(&path)?;
            let same = first.pgn == command.pgn && first.event == command.event && first.site == command.site;
            saved = Some((found, command.pgn.as_ref().filter(|_| same).map(|pgn| pgn.out.file.clone())));
        }
    }
    if command.explain {
        print(&run_file(&command, processors())?);
        return Ok(ExitCode::SUCCESS);
    }
    bind(&command);
    let run = SurfaceRun {
        command,
        program: program.to_owned(),
        words,
        begun,
        stop: StopHandle::default(),
        incomplete: Arc::default(),
    };
    let outcome = match saved {
        _ if run.command.tournament == Tournament::Knockout => knockout::play(&run, &environment()?)?,
        Some((saved, pgn)) => run.resume(&saved, pgn.as_deref())?,
        None => run.start()?,
    };
    Ok(run.status(&outcome))
}

/// Limits this program, and so its engines, to the processors of `-use-affinity`.
fn bind(command: &Invocation) {
    if let Some(processors) = command.affinity.as_ref().filter(|list| !list.is_empty()) {
        crate::fleet::bind_process(processors);
    }
}

/// A command that is about to be played.
pub(super) struct SurfaceRun {
    pub(super) command: Invocation,
    program: String,
    words: Vec<String>,
    begun: Instant,
    pub(super) stop: StopHandle,
    /// Set if games are missing in a file that was asked for.
    pub(super) incomplete: Arc<AtomicBool>,
}

/// The name of the run folder in its temporary folder.
const RUN: &str = "run";

impl SurfaceRun {
    /// The same run with another command.
    pub(super) fn with_command(&self, command: Invocation) -> Self {
        Self {
            command,
            program: self.program.clone(),
            words: self.words.clone(),
            begun: self.begun,
            stop: self.stop.clone(),
            incomplete: Arc::clone(&self.incomplete),
        }
    }

    /// Whether games are missing in a file that was asked for.
    pub(super) fn is_incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    fn status(&self, outcome: &RunOutcome) -> ExitCode {
        match (self.command.surface, outcome) {
            _ if self.is_incomplete() => ExitCode::FAILURE,
            (Surface::Fastchess, RunOutcome::Interrupted | RunOutcome::Faulty(_)) => ExitCode::FAILURE,
            _ => ExitCode::SUCCESS,
        }
    }

    /// The beginning of the name of the temporary folder.
    fn prefix(&self) -> String {
        format!("playself-{}", self.command.surface.name())
    }

    fn start(&self) -> Result<RunOutcome, String> {
        let environment = environment()?;
        let (plan, check) = self.plan(&environment)?;
        // Only a run of fastchess can be continued.
        let lasting = self.command.surface == Surface::Fastchess;
        let create = if lasting { TempFolder::create_lasting } else { TempFolder::create };
        let temporary = create(&self.prefix()).map_err(|error| format!("no temporary folder: {error}"))?;
        let folder = temporary.path().join(RUN);
        let out = LineWriter::stdout(self.stop.clone());
        self.announce(&plan, &check, &out);
        let setting = self.setting(&plan, &check);
        let stage = Stage::InPlay;
        let saved = SavedRun { words: self.words.clone(), folder: folder.clone(), setting, stage };
        let progress = Progress::new(plan.engines.len());
        let parts = self.parts(saved, out, progress)?;
        let played = play_hosted(plan, &folder, parts, &environment);
        let stays = match &played {
            Ok(finished) => lasting && !finished.outcome.is_final() || self.is_incomplete(),
            Err(_) => lasting && HostedResume::has_begun(&folder),
        };
        if stays {
            temporary.keep();
        }
        played.map(|finished| finished.outcome).map_err(text)
    }

    /// Continues a saved run. `pgn` is its file of games, unless later flags changed what it contains.
    fn resume(&self, saved: &SavedRun, pgn: Option<&Path>) -> Result<RunOutcome, String> {
        let environment = environment()?;
        let folder = &saved.folder;
        let mut resumed = HostedResume::open(folder).map_err(text)?;
        self.revise(resumed.plan_mut(), &environment)?;
        let plan = resumed.plan().clone();
        let mut progress = Progress::new(plan.engines.len());
        // Without its file of games, a run begins a new one.
        let mut written = pgn.and_then(|path| WrittenGames::read(path).ok());
        let mut count = |progress: &mut Progress, game: &GameEntry| {
            progress.game(&plan, game);
            if let (Some(written), Ok(text)) = (&mut written, pgn_text(&plan, game)) {
                written.expect(text);
            }
        };
        let replayed = resumed
            .replay(|event, _| {
                if let RunEvent::Counted(pair) = event {
                    pair.games.iter().for_each(|game| count(&mut progress, game));
                    progress.pair(pair);
                }
            })
            .map_err(text)?;
        replayed.state.uncounted_games().for_each(|game| count(&mut progress, game));
        written.map_or(Ok(()), WrittenGames::complete).map_err(|error| error.to_string())?;
        let out = LineWriter::stdout(self.stop.clone());
        let parts = self.with_command(self.command.appending()).parts(
            SavedRun { words: self.words.clone(), ..saved.clone() },
            out,
            progress,
        )?;
        let finished = resumed.play(replayed, parts, &environment).map_err(text)?;
        if finished.outcome.is_final() && !self.is_incomplete() {
            // Only what an earlier process made for this run is removed, whatever the file names.
            drop(folder.parent().and_then(|parent| TempFolder::take_over(parent, &self.prefix(), RUN)));
        }
        Ok(finished.outcome)
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
        if self.command.surface == Surface::Cutechess {
            name_engines(&mut check.checked.plan, &self.command);
        }
        for (facts, engine) in check.checked.facts.iter().zip(&check.checked.plan.engines) {
            if let Some(why) = &facts.failure {
                let name = &engine.spec.name;
                return Err(match self.command.surface {
                    Surface::Fastchess => format!("Fatal; {name} engine startup failure: \"{why}\""),
                    Surface::Cutechess => format!("Could not start engine {name}: {why}"),
                });
            }
        }
        Ok((check.checked.plan.clone(), check))
    }

    /// Prints what precedes the first game.
    pub(super) fn announce(&self, plan: &Plan, check: &LenientCheck, out: &LineWriter) {
        let fastchess = self.command.surface == Surface::Fastchess;
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

    /// Returns clock, threads, hash and book, for the head of a block.
    fn setting(&self, plan: &Plan, check: &LenientCheck) -> String {
        let value = |facts: &EngineFacts, name| facts.value(name).map(str::to_owned);
        let resources =
            check.checked.facts.iter().map(|facts| ["Threads", "Hash"].map(|name| value(facts, name)));
        let book = plan.openings.as_ref().and_then(|book| book.file.path.file_name());
        let book = book.map(|name| name.to_string_lossy());
        setting(&self.command.engines, &resources.collect::<Vec<_>>(), book.as_deref())
    }

    fn parts(&self, saved: SavedRun, out: LineWriter, progress: Progress) -> Result<HostedParts, String> {
        let Listening { tap, log, watch, file } = self.listen(&out)?;
        let lines = SurfaceLines {
            files: GameFiles::open(&self.command).map_err(|error| error.to_string())?,
            files_fail: false,
            incomplete: Arc::clone(&self.incomplete),
            command: self.command.clone(),
            program: self.program.clone(),
            out,
            saved,
            cannot_save: false,
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
}

fn environment() -> Result<Environment, String> {
    Environment::current().map_err(|error| error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is that of map_err")]
fn text(failure: Failure) -> String {
    failure.to_string()
}

/// Gives engines without a name the one that they state themselves, unless another has it.
fn name_engines(plan: &mut Plan, command: &Invocation) {
    for at in 0..plan.engines.len() {
        let Some(name) = plan.engines[at].id_name.clone() else { continue };
        let taken = plan.engines.iter().any(|engine| engine.spec.name == name);
        if !taken && command.engines.get(at).is_some_and(|engine| engine.name.is_none()) {
            plan.engines[at].spec.name = name;
        }
    }
}
