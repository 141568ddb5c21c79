//! The thread that searches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::chess::{GameLine, MoveStyle, Position};
use crate::engine::{Limits, Score, SearchReport, Searcher, StopFlag};
use crate::frontend::options::EngineOptions;
use crate::frontend::uci::debug_commands;
use crate::frontend::uci::info_writer::InfoWriter;
use crate::frontend::uci::output::Output;
use crate::protocol::uci::Reply;
use crate::syzygy::Tablebases;

/// Stack size of the search thread, enough for the deepest line. Untouched pages take no memory.
const STACK_BYTES: usize = 16 << 20;

/// A job for the search thread.
pub(super) enum SearchJob {
    /// Applies the options.
    Configure(Box<EngineOptions>),
    /// Clears the search state for a new game.
    NewGame,
    /// Allocates everything, then sends `readyok`.
    GetReady,
    /// Searches and sends `bestmove`.
    Search { line: Box<GameLine>, limits: Box<Limits>, stop: StopFlag },
    /// Runs perft.
    Perft { position: Position, depth: u32, style: MoveStyle, stop: StopFlag },
    /// Searches the benchmark positions.
    Bench,
}

impl SearchJob {
    /// Returns whether the job may take too long to delay `readyok`.
    const fn is_long(&self) -> bool {
        matches!(self, Self::Search { .. } | Self::Perft { .. } | Self::Bench)
    }
}

/// A handle to the search thread.
pub(super) struct SearchThread {
    jobs: Sender<SearchJob>,
    /// The number of unfinished long jobs.
    pending: Arc<AtomicU64>,
    ended: Receiver<()>,
}

impl SearchThread {
    /// Starts the thread. Large tables are allocated only when it gets ready or searches.
    pub(super) fn start(output: Output, options: EngineOptions) -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let (end, ended) = channel();
        let pending = Arc::new(AtomicU64::new(0));
        let state = State { searcher: None, tables: None, options, output };
        let counter = Arc::clone(&pending);
        thread::Builder::new().name("search".into()).stack_size(STACK_BYTES).spawn(move || {
            serve(state, &inbox, &counter);
            // Sending fails if the session has ended and no longer waits for the thread.
            let _ = end.send(());
        })?;
        Ok(Self { jobs, pending, ended })
    }

    pub(super) fn send(&self, job: SearchJob) {
        if job.is_long() {
            self.pending.fetch_add(1, Ordering::AcqRel);
        }
        self.jobs.send(job).expect("the thread ends only after its channel closes");
    }

    /// Returns whether no long job is running or queued, so that a job runs as soon as it is sent.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Waits up to `grace` for the thread to finish its jobs. Returns a handle to wait again if it does not.
    pub(super) fn finish(self, grace: Duration) -> Result<(), Self> {
        let Self { jobs, pending, ended } = self;
        drop(jobs);
        match ended.recv_timeout(grace) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            // The job channel is closed, so the returned handle can only wait again.
            Err(RecvTimeoutError::Timeout) => Err(Self { jobs: channel().0, pending, ended }),
        }
    }
}

fn serve(mut state: State, inbox: &Receiver<SearchJob>, pending: &AtomicU64) {
    for job in inbox {
        let long = job.is_long();
        state.perform(job);
        if long {
            pending.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Finds the endgame tables of the options, and reports how many there are and what is wrong with them.
fn open_tables(options: &EngineOptions, output: &Output) -> Option<Arc<Tablebases>> {
    let folders = options.syzygy_folders();
    if folders.is_empty() {
        return None;
    }
    let (tables, problems) = Tablebases::open(&folders);
    for problem in problems.iter().take(5) {
        output.info_string(problem);
    }
    let (values, distances) = tables.counts();
    output.info_string(format_args!(
        "found {values} WDL and {distances} DTZ tables, up to {} men",
        tables.max_men()
    ));
    (tables.max_men() > 0).then(|| Arc::new(tables))
}

struct State {
    searcher: Option<Searcher>,
    tables: Option<Arc<Tablebases>>,
    options: EngineOptions,
    output: Output,
}

impl State {
    fn perform(&mut self, job: SearchJob) {
        match job {
            SearchJob::Configure(options) => self.configure(*options),
            SearchJob::NewGame => self.searcher.iter_mut().for_each(Searcher::new_game),
            SearchJob::GetReady => {
                self.searcher();
                self.output.line(Reply::ReadyOk);
            }
            SearchJob::Search { line, limits, stop } => self.search(&line, &limits, &stop),
            SearchJob::Perft { position, depth, style, stop } => {
                debug_commands::perft(&self.output, &position, depth, style, &stop);
            }
            SearchJob::Bench => debug_commands::bench(&self.output),
        }
    }

    /// Applies only the options that differ: resizing the table or replacing weights discards search results.
    fn configure(&mut self, options: EngineOptions) {
        let new_tables = options.syzygy_path != self.options.syzygy_path;
        if new_tables {
            self.tables = open_tables(&options, &self.output);
        }
        if let Some(searcher) = &mut self.searcher {
            if options.hash_mb != self.options.hash_mb {
                searcher.set_hash(options.hash_mb);
            }
            if options.threads != self.options.threads {
                searcher.set_threads(options.threads);
            }
            if options.contempt != self.options.contempt {
                searcher.set_contempt(options.contempt);
            }
            if options.weights != self.options.weights {
                searcher.set_weights(options.weights.clone());
            }
            if options.params != self.options.params {
                searcher.set_params(options.params.clone());
            }
            if new_tables || options.syzygy_limit != self.options.syzygy_limit {
                searcher.set_tables(self.tables.clone(), options.syzygy_limit);
            }
        }
        self.options = options;
    }

    fn searcher(&mut self) -> &mut Searcher {
        let Self { searcher, tables, options, .. } = self;
        searcher.get_or_insert_with(|| {
            let mut searcher = options.searcher();
            searcher.set_tables(tables.clone(), options.syzygy_limit);
            searcher
        })
    }

    fn search(&mut self, line: &GameLine, limits: &Limits, stop: &StopFlag) {
        let mut writer =
            InfoWriter::new(self.output.clone(), *line.current(), &self.options, limits, stop.clone());
        let searcher = self.searcher();
        let outcome = catch_unwind(AssertUnwindSafe(|| searcher.search(line, limits, stop, &mut writer)));
        let report = outcome.unwrap_or_else(|_| {
            // A bug in the search. The game still needs a move, and the next search needs a new searcher.
            self.searcher = None;
            self.output.info_string("the search failed; playing the first legal move");
            SearchReport {
                best: line.current().legal_moves().first().copied(),
                ponder: None,
                score: Score::DRAW,
                depth: 0,
                nodes: 0,
            }
        });
        writer.best_move(&report);
    }
}
