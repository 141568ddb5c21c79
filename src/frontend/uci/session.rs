//! The loop that reads and executes UCI commands.

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use crate::frontend::uci::debug_commands;
use crate::frontend::uci::position_tracker::PositionTracker;

use crate::engine::StopFlag;
use crate::frontend::bounded_lines::{ReadOutcome, read_line};
use crate::frontend::options::{EngineOptions, OptionEffect};
use crate::frontend::uci::go_limits;
use crate::frontend::uci::output::Output;
use crate::frontend::uci::search_thread::{SearchJob, SearchThread};
use crate::protocol::Words;
use crate::protocol::uci::{Command, GoLimits, Horizon, Reply};

/// Time for the search thread to end after it was stopped; it needs a few milliseconds.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Time for a limited search to finish after the end of the input, so that `echo go nodes 100000 | chess-uci` prints
/// its move, but an orphaned engine does not search without limit.
const LAST_SEARCH_GRACE: Duration = Duration::from_secs(3);

/// The reason why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The GUI sent `quit`.
    Quit,
    /// The input ended, or the output was closed.
    Disconnected,
}

/// Serves one GUI until it sends `quit` or disconnects. `options` are the initial options.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    options: EngineOptions,
) -> io::Result<SessionEnd> {
    let output = Output::new(output);
    let worker = SearchThread::start(output.clone(), options.clone())?;
    let mut session = Session {
        game: PositionTracker::new(),
        options,
        unsent_options: false,
        output,
        worker,
        searches: Vec::new(),
        last_is_unbounded: false,
    };
    let mut line = Vec::new();
    loop {
        match read_line(&mut input, &mut line) {
            ReadOutcome::Line => {
                if session.execute(&String::from_utf8_lossy(&line)).is_break() {
                    session.leave(Duration::ZERO);
                    return Ok(SessionEnd::Quit);
                }
            }
            ReadOutcome::TooLong => session.output.info_string("skipped a line longer than 1 MiB"),
            ReadOutcome::End => {
                session.leave(LAST_SEARCH_GRACE);
                return Ok(SessionEnd::Disconnected);
            }
        }
        if session.output.is_broken() {
            session.leave(Duration::ZERO);
            return Ok(SessionEnd::Disconnected);
        }
    }
}

struct Session {
    game: PositionTracker,
    options: EngineOptions,
    /// Whether options have changed since they were last sent to the search thread.
    unsent_options: bool,
    output: Output,
    worker: SearchThread,
    /// The stop flags of the searches that may not have finished, in order.
    searches: Vec<StopFlag>,
    /// Whether the last search ends only when it is stopped.
    last_is_unbounded: bool,
}

impl Session {
    /// Executes a command line. Returns `Break` for `quit`.
    fn execute(&mut self, line: &str) -> ControlFlow<()> {
        match Command::parse(line) {
            Command::Uci => self.introduce(),
            Command::IsReady => self.is_ready(),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::NewGame => {
                self.sync();
                self.worker.send(SearchJob::NewGame);
            }
            Command::Position { start, moves } => {
                if let Err(error) = self.game.set(start, moves, self.options.move_style) {
                    self.output.info_string(error);
                }
            }
            Command::Go(go) => self.go(&go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.searches.iter().for_each(StopFlag::ponderhit);
                self.last_is_unbounded = false;
            }
            Command::Quit => return ControlFlow::Break(()),
            // There is no debug output beyond the normal one, and nothing to register.
            Command::Debug(_) | Command::Register(_) => {}
            Command::Unknown(line) => self.extra(line),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        let mut text = format!("{}\n", Reply::IdName(concat!("playself ", env!("CARGO_PKG_VERSION"))));
        text += &format!("{}\n", Reply::IdAuthor("the playself authors"));
        text += &EngineOptions::declarations();
        text += &format!("{}\n", Reply::UciOk);
        self.output.text(&text);
    }

    fn is_ready(&mut self) {
        if self.worker.is_idle() {
            self.sync();
            self.worker.send(SearchJob::GetReady);
        } else {
            // A running search must not delay `readyok`.
            self.output.line(Reply::ReadyOk);
        }
    }

    fn set_option(&mut self, name: Words<'_>, value: Option<&str>) {
        match self.options.set(name, value) {
            Ok(OptionEffect::Stored) => self.unsent_options = true,
            Ok(OptionEffect::ClearHash) => self.worker.send(SearchJob::NewGame),
            Err(error) => self.output.info_string(error),
        }
    }

    /// Sends changed options to the search thread, all in one job.
    fn sync(&mut self) {
        if std::mem::take(&mut self.unsent_options) {
            self.worker.send(SearchJob::Configure(Box::new(self.options.clone())));
        }
    }

    /// Starts a search. A search that is still running sends its move first: at its own limits or, without limits,
    /// immediately.
    fn go(&mut self, go: &GoLimits<'_>) {
        self.sync();
        let stop = self.next_search();
        let position = *self.game.position();
        if let Some(depth) = go.perft {
            return self.worker.send(SearchJob::Perft {
                position,
                depth,
                style: self.options.move_style,
                stop,
            });
        }
        let limits = go_limits::limits(go, &position, &self.options);
        self.last_is_unbounded = !limits.is_bounded() || go.horizon != Horizon::Limits;
        let line = Box::new(self.game.line().clone());
        self.worker.send(SearchJob::Search { line, limits: Box::new(limits), stop });
    }

    fn next_search(&mut self) -> StopFlag {
        if std::mem::take(&mut self.last_is_unbounded) {
            self.stop();
        }
        if self.worker.is_idle() {
            self.searches.clear();
        }
        let stop = StopFlag::new();
        self.searches.push(stop.clone());
        stop
    }

    fn stop(&self) {
        self.searches.iter().for_each(StopFlag::stop);
    }

    /// Executes a command for interactive use, which no GUI sends.
    fn extra(&mut self, line: &str) {
        let mut words = Words::new(line).iter();
        let position = *self.game.position();
        match words.next() {
            None => {}
            Some("d") => self.output.text(&debug_commands::board(&position)),
            Some("eval") => self.output.text(&debug_commands::evaluation(&position, &self.options.weights)),
            Some("perft") => {
                let depth = words.number().unwrap_or(1);
                let stop = self.next_search();
                self.worker.send(SearchJob::Perft { position, depth, style: self.options.move_style, stop });
            }
            Some("bench") => {
                self.next_search();
                self.worker.send(SearchJob::Bench);
            }
            Some("help") => self.output.text(HELP),
            Some(_) => {
                let shown: String = line.chars().take(80).collect();
                self.output
                    .info_string(format_args!("not understood: `{shown}` (`help` lists the commands)"));
            }
        }
    }

    /// Ends the search thread. A limited search may continue for up to `grace`.
    fn leave(self, grace: Duration) {
        if self.last_is_unbounded {
            self.stop();
        }
        let searches = self.searches;
        if let Err(worker) = self.worker.finish(grace) {
            searches.iter().for_each(StopFlag::stop);
            // A thread that does not react to the stop flag ends with the process.
            let _ = worker.finish(STOP_GRACE);
        }
    }
}

const HELP: &str = "\
uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, quit: as in UCI
d: show the board    eval: explain its evaluation    perft N: count moves    bench: search fixed positions
";
