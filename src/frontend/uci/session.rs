//! The loop that reads commands.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::frontend::uci::debug_commands;
use crate::frontend::uci::position_tracker::PositionTracker;

use crate::engine::StopFlag;
use crate::frontend::bounded_lines::{Next, read_line};
use crate::frontend::options::{EngineOptions, OptionEffect};
use crate::frontend::uci::go_limits;
use crate::frontend::uci::output::Output;
use crate::frontend::uci::search_thread::{SearchJob, SearchThread};
use crate::protocol::Words;
use crate::protocol::uci::{Command, GoLimits, Horizon, Reply};

/// After `quit` the search thread gets this long to say its last word; it needs a few milliseconds.
const FAREWELL: Duration = Duration::from_secs(2);

/// After the end of its input, a search with limits gets this long to reach them, so that `echo go nodes 100000 |
/// chess-uci` answers in full, and an orphan does not think for ever.
const LAST_SEARCH: Duration = Duration::from_secs(3);

/// How the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// It was told to quit.
    Quit,
    /// Its input ended, or nobody reads its output.
    Disconnected,
}

/// Serves one GUI until it quits or is gone. `options` are what it finds set.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    options: EngineOptions,
) -> io::Result<SessionEnd> {
    let output = Output::new(output);
    let worker = SearchThread::start(output.clone(), options.clone())?;
    let mut session = Session {
        board: PositionTracker::new(),
        options,
        unsent_options: false,
        output,
        worker,
        searches: Vec::new(),
        endless: false,
    };
    let mut line = Vec::new();
    loop {
        match read_line(&mut input, &mut line) {
            Next::Line => {
                if session.obey(&String::from_utf8_lossy(&line)) == Next::End {
                    session.leave(Duration::ZERO);
                    return Ok(SessionEnd::Quit);
                }
            }
            Next::TooLong => session.output.say("a line of more than a mebibyte was skipped"),
            Next::End => {
                session.leave(LAST_SEARCH);
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
    board: PositionTracker,
    options: EngineOptions,
    /// Whether the search thread has yet to hear of an option.
    unsent_options: bool,
    output: Output,
    worker: SearchThread,
    /// The handles of the searches asked for and perhaps not over, the last one last.
    searches: Vec<StopFlag>,
    /// Whether that last one ends only when told to.
    endless: bool,
}

impl Session {
    /// Does what a line says; `Next::End` if it says to quit.
    fn obey(&mut self, line: &str) -> Next {
        match Command::parse(line) {
            Command::Uci => self.introduce(),
            Command::IsReady => self.is_ready(),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::NewGame => {
                self.sync();
                self.worker.send(SearchJob::Forget);
            }
            Command::Position { start, moves } => {
                if let Err(refusal) = self.board.set(start, moves, self.options.move_style) {
                    self.output.say(refusal);
                }
            }
            Command::Go(go) => self.go(&go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.searches.iter().for_each(StopFlag::ponderhit);
                self.endless = false;
            }
            Command::Quit => return Next::End,
            // Nothing to debug beyond what is told anyway, and nothing to register.
            Command::Debug(_) | Command::Register(_) => {}
            Command::Unknown(line) => self.extra(line),
        }
        Next::Line
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
            // A search must not delay the answer.
            self.output.line(Reply::ReadyOk);
        }
    }

    fn set_option(&mut self, name: Words<'_>, value: Option<&str>) {
        match self.options.set(name, value) {
            Ok(OptionEffect::Remembered) => self.unsent_options = true,
            Ok(OptionEffect::ClearHash) => self.worker.send(SearchJob::Forget),
            Err(error) => self.output.say(error),
        }
    }

    /// Tells the search thread of changed options, once for any number of them.
    fn sync(&mut self) {
        if std::mem::take(&mut self.unsent_options) {
            self.worker.send(SearchJob::Configure(Box::new(self.options.clone())));
        }
    }

    /// Asks for a search. One that still runs answers first: by its own limits or, having none, now.
    fn go(&mut self, go: &GoLimits<'_>) {
        self.sync();
        let stop = self.next_search();
        let position = *self.board.position();
        if let Some(depth) = go.perft {
            return self.worker.send(SearchJob::Perft {
                position,
                depth,
                style: self.options.move_style,
                stop,
            });
        }
        let limits = go_limits::limits(go, &position, &self.options);
        let bounded = limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.movetime.is_some()
            || limits.mate.is_some()
            || limits.clock.is_some();
        self.endless = !bounded || go.horizon != Horizon::Limits;
        let line = Box::new(self.board.line().clone());
        self.worker.send(SearchJob::Search { line, limits: Box::new(limits), stop });
    }

    fn next_search(&mut self) -> StopFlag {
        if std::mem::take(&mut self.endless) {
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

    /// Commands for people, which no GUI sends.
    fn extra(&mut self, line: &str) {
        let mut words = Words::new(line).iter();
        let position = *self.board.position();
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
                self.output.say(format_args!("not understood: `{shown}` (`help` lists the commands)"));
            }
        }
    }

    /// Ends the search thread; a search with limits may go on for `grace` first.
    fn leave(self, grace: Duration) {
        if self.endless {
            self.stop();
        }
        let searches = self.searches;
        if let Err(worker) = self.worker.finish(grace) {
            searches.iter().for_each(StopFlag::stop);
            // A thread that does not even notice now dies with the process.
            let _ = worker.finish(FAREWELL);
        }
    }
}

const HELP: &str = "\
uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, quit: as in UCI
d: show the board    eval: explain its evaluation    perft N: count moves    bench: search fixed positions
";
