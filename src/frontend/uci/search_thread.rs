//! The thread that searches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::chess::{GameLine, MoveStyle, Position};
use crate::engine::{Evaluator, Limits, Score, SearchReport, Searcher, StopFlag};
use crate::frontend::options::EngineOptions;
use crate::frontend::uci::debug_commands;
use crate::frontend::uci::info_writer::InfoWriter;
use crate::frontend::uci::output::Output;
use crate::protocol::uci::Reply;

/// Room for the deepest line; only what is touched is ever backed by memory.
const STACK: usize = 16 << 20;

/// What the thread is asked to do.
pub(super) enum SearchJob {
    /// Take over these options.
    Configure(Box<EngineOptions>),
    /// Forget what was searched.
    Forget,
    /// Have everything allocated, then say so.
    GetReady,
    /// Search, and answer with a move.
    Search { line: Box<GameLine>, limits: Box<Limits>, stop: StopFlag },
    /// Count moves.
    Perft { position: Position, depth: u32, style: MoveStyle, stop: StopFlag },
    /// Search the benchmark's positions.
    Bench,
}

impl SearchJob {
    /// Whether it takes longer than anybody should wait for a `readyok`.
    const fn is_long(&self) -> bool {
        matches!(self, Self::Search { .. } | Self::Perft { .. } | Self::Bench)
    }
}

/// A handle on the thread.
pub(super) struct SearchThread {
    jobs: Sender<SearchJob>,
    /// Searches and counts that are not done yet.
    pending: Arc<AtomicU64>,
    ended: Receiver<()>,
}

impl SearchThread {
    /// Starts the thread. It allocates nothing large before it is asked to get ready or to search.
    pub(super) fn start(output: Output, options: EngineOptions) -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let (end, ended) = channel();
        let pending = Arc::new(AtomicU64::new(0));
        let state = State { searcher: None, options, output };
        let counter = Arc::clone(&pending);
        thread::Builder::new().name("search".into()).stack_size(STACK).spawn(move || {
            serve(state, &inbox, &counter);
            // Nobody waiting means the loop has left already.
            let _ = end.send(());
        })?;
        Ok(Self { jobs, pending, ended })
    }

    pub(super) fn send(&self, job: SearchJob) {
        if job.is_long() {
            self.pending.fetch_add(1, Ordering::AcqRel);
        }
        self.jobs.send(job).expect("the thread ends only after its inbox closes");
    }

    /// Whether no search or count runs or waits, so that a job is done as soon as it is sent.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Lets the thread finish what it has for at most `grace`; tells whether it did.
    pub(super) fn finish(self, grace: Duration) -> Result<(), Self> {
        let Self { jobs, pending, ended } = self;
        drop(jobs);
        match ended.recv_timeout(grace) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            // The inbox is closed: a handle that can only wait again.
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

struct State {
    searcher: Option<Searcher>,
    options: EngineOptions,
    output: Output,
}

impl State {
    fn perform(&mut self, job: SearchJob) {
        match job {
            SearchJob::Configure(options) => self.configure(*options),
            SearchJob::Forget => self.searcher.iter_mut().for_each(Searcher::new_game),
            SearchJob::GetReady => {
                self.searcher();
                Evaluator::prepare();
                self.output.line(Reply::ReadyOk);
            }
            SearchJob::Search { line, limits, stop } => self.search(&line, &limits, &stop),
            SearchJob::Perft { position, depth, style, stop } => {
                debug_commands::perft(&self.output, &position, depth, style, &stop);
            }
            SearchJob::Bench => debug_commands::bench(&self.output),
        }
    }

    /// Hands over only what differs: resizing a table or replacing weights costs what was learnt with them.
    fn configure(&mut self, options: EngineOptions) {
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
        }
        self.options = options;
    }

    fn searcher(&mut self) -> &mut Searcher {
        self.searcher.get_or_insert_with(|| self.options.searcher())
    }

    fn search(&mut self, line: &GameLine, limits: &Limits, stop: &StopFlag) {
        let mut telling =
            InfoWriter::new(self.output.clone(), *line.current(), &self.options, limits, stop.clone());
        let searcher = self.searcher();
        let outcome = catch_unwind(AssertUnwindSafe(|| searcher.search(line, limits, stop, &mut telling)));
        let report = outcome.unwrap_or_else(|_| {
            // A defect of ours; the game still needs a move, and the next search a searcher that is sound.
            self.searcher = None;
            self.output.say("the search failed; playing the first legal move");
            SearchReport {
                best: line.current().legal_moves().first().copied(),
                ponder: None,
                score: Score::DRAW,
                depth: 0,
                nodes: 0,
            }
        });
        telling.answer(&report);
    }
}
