//! Reports a run in the lines of the other program, and writes the files that its flags name.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::chess::Color;
use crate::compat::console::LineWriter;
use crate::compat::cutechess_lines::Outcomes;
use crate::compat::dialogue_log::ProgramLog;
use crate::compat::fastchess_lines::{Block, decision_line, score_line};
use crate::compat::game_files::GameFiles;
use crate::compat::invocation::{Invocation, LogLevel};
use crate::compat::pv_check::is_move;
use crate::compat::pv_watch::PvWatch;
use crate::compat::saved_config::{SavedRun, Stage};
use crate::compat::surface::Surface;
use crate::compat::tally::ScoreTable;
use crate::game::{EngineIndex, Termination};
use crate::journal::GameEntry;
use crate::report::reason_in_style;
use crate::run::{CountedPair, Observer, Plan, RunEvent, RunOutcome, RunView, StopHandle};
use crate::stats::Hypothesis;

/// What the record of a game has instead of a move that was not named.
const NO_MOVE: &str = "<empty>";

/// The observer of a run.
pub(super) struct SurfaceLines {
    pub(super) command: Invocation,
    /// The name by which the program was called.
    pub(super) program: String,
    pub(super) out: LineWriter,
    pub(super) files: GameFiles,
    /// Whether the last game could not be written.
    pub(super) files_fail: bool,
    /// Set if games are missing in a file at the end.
    pub(super) incomplete: Arc<AtomicBool>,
    pub(super) saved: SavedRun,
    /// Set once `config.json` could not be written.
    pub(super) cannot_save: bool,
    pub(super) stop: StopHandle,
    pub(super) begun: Instant,
    pub(super) progress: Progress,
    pub(super) log: Option<ProgramLog>,
    /// Examines the lines of play that engines report.
    pub(super) watch: Option<Arc<PvWatch>>,
    /// Kept until the last line of the log is written.
    pub(super) _log_file: Option<LineWriter>,
}

/// What has been reported so far.
pub(super) struct Progress {
    /// All finished games, in the order in which they ended.
    finished: ScoreTable,
    /// Pairs whose turn in the schedule has come.
    counted: ScoreTable,
    outcomes: Outcomes,
    games: u64,
    pairs: u64,
    matchup: [EngineIndex; 2],
    /// Lines of games that have begun, although the line of the game before them is not printed yet.
    begun: VecDeque<String>,
    /// Pairs of which one game has ended.
    halves: HashSet<u64>,
    /// Games that have a line for their beginning and none for their end.
    in_play: u64,
    /// Faults of each engine: time, and crashes or stalls.
    faults: Vec<[u64; 2]>,
}

impl Progress {
    pub(super) fn new(engines: usize) -> Self {
        Self {
            finished: ScoreTable::new(engines),
            counted: ScoreTable::new(engines),
            outcomes: Outcomes::new(engines),
            games: 0,
            pairs: 0,
            matchup: [EngineIndex(0), EngineIndex(1)],
            begun: VecDeque::new(),
            halves: HashSet::new(),
            in_play: 0,
            faults: vec![[0; 2]; engines],
        }
    }

    /// Counts a finished game.
    pub(super) fn game(&mut self, plan: &Plan, game: &GameEntry) {
        self.games += 1;
        self.finished.game(game);
        self.outcomes.game(game);
        self.matchup = plan.schedule().fixture(game.pair).engines;
        if let Some(side) = game.ending.failed_side() {
            let loser = if side == Color::White { game.white } else { game.black };
            let faults = &mut self.faults[loser.get()];
            match &game.ending.termination {
                termination if termination.is_time_loss() => faults[0] += 1,
                termination if termination.ends_the_process() => faults[1] += 1,
                _ => {}
            }
        }
    }

    /// Whether the other game of this pair has ended before.
    fn completes_pair(&mut self, pair: u64) -> bool {
        self.halves.remove(&pair) || !self.halves.insert(pair)
    }

    /// Counts a pair whose turn has come.
    pub(super) fn pair(&mut self, pair: &CountedPair) {
        self.pairs += 1;
        self.counted.pair(pair);
    }
}

/// Returns the hypothesis that the test of a run has accepted.
fn accepted(view: &RunView<'_>) -> Option<Hypothesis> {
    view.state.decision().map(|decision| decision.accepted)
}

impl SurfaceLines {
    fn block<'a>(&'a self, view: &RunView<'a>) -> Block<'a> {
        let (table, llr) = if self.command.penta {
            (&self.progress.counted, view.state.llr())
        } else {
            let results = self.progress.finished.of(EngineIndex(0), EngineIndex(1));
            (&self.progress.finished, view.plan.sprt().map(|sprt| sprt.llr(&results.trinomial())))
        };
        Block {
            plan: view.plan,
            table,
            setting: &self.saved.setting,
            penta: self.command.penta,
            matchup: self.progress.matchup,
            llr,
            accepted: accepted(view),
        }
    }

    fn print_block(&mut self, view: &RunView<'_>) {
        let block = self.block(view);
        let text = match (self.command.surface, self.command.format) {
            (Surface::Cutechess, _) => {
                let Progress { outcomes, finished, .. } = &self.progress;
                outcomes.ranking(view.plan, finished, &self.command, accepted(view))
            }
            (Surface::Fastchess, Surface::Fastchess) => block.fastchess(),
            (Surface::Fastchess, Surface::Cutechess) => block.cutechess(),
        };
        self.out.put(&text);
    }

    fn finished_game(&mut self, game: &GameEntry, view: &RunView<'_>) {
        let plan = view.plan;
        self.warn_of_fault(game, plan);
        let number = plan.game_number(game.pair, game.game);
        match self.files.write(plan, number, game) {
            Ok(checksum) => {
                self.out.put(&checksum);
                self.files_fail = false;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.files_fail, true) {
                    self.warn(&format!("games cannot be written, which is tried again: {error}"));
                }
            }
        }
        self.out.put(&format!(
            "Finished game {number} ({} vs {}): {} {{{}}}\n",
            plan.name_of(game.white),
            plan.name_of(game.black),
            game.ending.result,
            reason_in_style(&game.ending, self.command.surface.pgn_style())
        ));
        self.progress.game(plan, game);
        self.progress.in_play = self.progress.in_play.saturating_sub(1);
        self.after_game(view);
        // The block of a complete pair comes first.
        if !(self.command.penta && self.progress.completes_pair(game.pair)) {
            self.print_begun(plan.concurrency as u64);
        }
        let every = self.command.config.every;
        if every > 0 && self.progress.games.is_multiple_of(every) {
            self.save(plan, Stage::InPlay);
        }
    }

    /// Prints that games have begun, but no more than can be in play: a result is reported only when it is on disk, and
    /// then the next game has begun already.
    fn print_begun(&mut self, most: u64) {
        while self.progress.in_play < most
            && let Some(line) = self.progress.begun.pop_front()
        {
            self.out.put(&line);
            self.progress.in_play += 1;
        }
    }

    /// Prints what follows a game: the running score, and a block where games are counted.
    fn after_game(&mut self, view: &RunView<'_>) {
        let games = self.progress.games;
        let last = view.plan.last_game() == Some(games);
        let due = |interval: u64| interval > 0 && games.is_multiple_of(interval);
        if self.command.format == Surface::Cutechess && (due(self.command.score_interval) || last) {
            match self.command.surface {
                Surface::Fastchess => self.out.put(&self.block(view).score()),
                Surface::Cutechess if view.plan.engines.len() == 2 => {
                    let (first, second) = (EngineIndex(0), EngineIndex(1));
                    let results = self.progress.finished.of(first, second);
                    self.out.put(&score_line(view.plan, first, second, &results));
                }
                Surface::Cutechess => {}
            }
        }
        let at_end = last && self.command.surface == Surface::Fastchess;
        if !self.command.penta && (due(self.command.rating_interval) || at_end) {
            self.print_block(view);
        }
        if self.command.surface == Surface::Cutechess && due(self.command.outcome_interval) {
            self.out.put(&self.progress.outcomes.text(view.plan));
        }
    }

    fn counted_pair(&mut self, pair: &CountedPair, view: &RunView<'_>) {
        self.progress.pair(pair);
        let interval = self.command.rating_interval;
        let last = view.plan.last_pair() == Some(self.progress.pairs);
        if self.command.penta && (interval > 0 && self.progress.pairs.is_multiple_of(interval) || last) {
            self.progress.matchup = pair.fixture.engines;
            self.print_block(view);
        }
        self.print_begun(view.plan.concurrency as u64);
    }

    /// Prints the warnings that fastchess prints when an engine fails.
    fn warn_of_fault(&mut self, game: &GameEntry, plan: &Plan) {
        let Some(side) = game.ending.failed_side() else { return };
        let name = plan.name_of(if side == Color::White { game.white } else { game.black });
        if self.command.surface != Surface::Fastchess {
            return;
        }
        match &game.ending.termination {
            Termination::IllegalMove { text } if text == NO_MOVE => {
                self.warn(&format!("No bestmove found from {name} because: it names no move"));
                self.warn(&format!("Illegal move <none> played by {name}"));
            }
            Termination::IllegalMove { text } => {
                if !is_move(text) {
                    self.warn(&format!(
                        "Move does not match uci move format, lowercase and 4/5 chars. Move {text} played by {name}"
                    ));
                }
                self.warn(&format!("Illegal move {text} played by {name}"));
            }
            Termination::Stall { .. } => {
                self.warn(&format!("Engine {name} is not responsive"));
                self.note(LogLevel::Warning, &format!("Engine {name} stalls"));
            }
            Termination::TimeForfeit { over_us } => {
                let over_ms = over_us.div_ceil(1000);
                self.note(LogLevel::Warning, &format!("Engine {name} loses on time by {over_ms}ms"));
            }
            Termination::Crash { .. } | Termination::Protocol { .. } => {
                self.note(LogLevel::Warning, &format!("Engine {name} disconnects"));
            }
            _ => {}
        }
    }

    /// Prints a warning; with `-strict` it ends the run.
    pub(super) fn warn(&self, text: &str) {
        match self.command.surface {
            Surface::Fastchess => self.out.put(&format!("Warning; {text}\n")),
            Surface::Cutechess => warn_on_stderr(text),
        }
        self.note(LogLevel::Warning, &format!("Warning; {text}"));
        if self.command.strict {
            self.stop.stop();
        }
    }

    fn note(&self, level: LogLevel, text: &str) {
        if let Some(log) = &self.log {
            log.note(level, text);
        }
    }

    fn save(&mut self, plan: &Plan, stage: Stage) {
        if self.command.surface != Surface::Fastchess || self.cannot_save {
            return;
        }
        let table = if self.command.penta { &self.progress.counted } else { &self.progress.finished };
        // A run that cannot be saved is still played; only continuing it later is impossible.
        if let Err(error) = self.saved.write(&self.command.config.saved_as, stage, &self.command, plan, table)
        {
            self.out.put(&format!("Warning; the run cannot be saved: {error}\n"));
            self.cannot_save = true;
        }
    }

    fn end(&mut self, outcome: &RunOutcome, view: &RunView<'_>) {
        self.print_begun(u64::MAX);
        if let Err(error) = self.files.finish() {
            self.incomplete.store(true, Ordering::Relaxed);
            let folder = self.saved.folder.display();
            self.warn(&format!("games are missing in a file: {error}. `playself verify {folder}` writes them to its games.pgn"));
        }
        match self.command.surface {
            Surface::Fastchess => self.end_fastchess(outcome, view),
            Surface::Cutechess => self.end_cutechess(outcome, view),
        }
    }

    fn end_fastchess(&mut self, outcome: &RunOutcome, view: &RunView<'_>) {
        if let Some(watch) = &self.watch {
            watch.settle();
        }
        if let (RunOutcome::Decided(decision), Some(sprt)) = (outcome, view.plan.sprt()) {
            let decided = decision_line(&sprt, decision.accepted);
            self.note(LogLevel::Info, decided.trim_end());
            if self.command.format == Surface::Fastchess {
                self.print_block(view);
                self.out.put(&decided);
            } else {
                self.out.put(&self.block(view).score());
                self.print_block(view);
                self.out.put("Tournament finished\n");
            }
        }
        if self.command.format == Surface::Fastchess {
            self.out.put(&self.fault_lines(view.plan));
        }
        self.save(view.plan, if outcome.is_final() { Stage::Complete } else { Stage::InPlay });
        match outcome {
            RunOutcome::Interrupted => {
                self.out.limit_drain();
                self.out.put(&format!(
                    "Tournament was interrupted. To resume the tournament, run: {} -config file={}\n",
                    self.program,
                    self.command.config.saved_as.display()
                ));
            }
            RunOutcome::Faulty(why) => {
                let why = format!("Fatal; {}", without_fault_words(why.lines().next().unwrap_or_default()));
                self.note(LogLevel::Fatal, &why);
                self.out.put(&format!("{why}\n"));
            }
            _ => {}
        }
        let seconds = self.begun.elapsed().as_secs();
        self.note(LogLevel::Info, "Finished match");
        self.out.put(&format!(
            "Finished match\nTotal Time: {:02}:{:02}:{:02} (hours:minutes:seconds)\n\n",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        ));
    }

    fn end_cutechess(&mut self, outcome: &RunOutcome, view: &RunView<'_>) {
        if *outcome == RunOutcome::Interrupted {
            self.out.limit_drain();
        }
        let games = self.progress.games;
        let shown = |interval: u64| interval > 0 && games.is_multiple_of(interval);
        if !shown(self.command.rating_interval) {
            self.print_block(view);
        }
        if !shown(self.command.outcome_interval) {
            self.out.put(&self.progress.outcomes.text(view.plan));
        }
        if let RunOutcome::Faulty(why) = outcome {
            warn_on_stderr(why.lines().next().unwrap_or_default());
        }
        self.out.put("Finished match\n");
    }

    fn fault_lines(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for (engine, [timeouts, crashes]) in plan.engines.iter().zip(&self.progress.faults) {
            if timeouts + crashes > 0 {
                let name = &engine.spec.name;
                text.push_str(&format!("Player: {name}\n  Timeouts: {timeouts}\n  Crashed: {crashes}\n"));
            }
        }
        if text.is_empty() { text } else { format!("\n{text}\n") }
    }
}

/// Tools count these words wherever they stand, so only the lines of games may have them.
fn without_fault_words(text: &str) -> String {
    let words =
        [("disconnect", "failure"), ("stall", "no answer"), ("timeout", "no answer"), ("on time", "in time")];
    words.iter().fold(text.to_owned(), |text, (word, other)| text.replace(word, other))
}

/// Prints a warning of cutechess-cli.
pub(super) fn warn_on_stderr(text: &str) {
    // A line of standard error without a reader is not missed.
    let _ = io::Write::write_all(&mut io::stderr(), format!("Warning: {text}\n").as_bytes());
}

impl Observer for SurfaceLines {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started => self.save(view.plan, Stage::InPlay),
            RunEvent::GameStarted { pair, game, white, black } => {
                let (number, plan) = (view.plan.game_number(*pair, *game), view.plan);
                let of = plan.last_game().unwrap_or(number);
                let (white, black) = (plan.name_of(*white), plan.name_of(*black));
                self.progress
                    .begun
                    .push_back(format!("Started game {number} of {of} ({white} vs {black})\n"));
                self.print_begun(plan.concurrency as u64);
            }
            RunEvent::GameFinished(game) => self.finished_game(game, view),
            RunEvent::Counted(pair) => self.counted_pair(pair, view),
            RunEvent::Finished(outcome) => self.end(outcome, view),
            // What this program notes beyond the other one's lines would be read as something else.
            RunEvent::Warning(_) | RunEvent::Boards(_) | RunEvent::Fault(_) => {}
        }
        Ok(())
    }
}
