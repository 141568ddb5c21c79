//! The public interface of the engine: takes a game and limits, returns a move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::chess::{GameLine, Move, Position};
use crate::engine::score::{INFINITE, Value, is_mate};
use crate::engine::search::{
    Memory, Reductions, RootMove, RootMoves, Search, SearchShared, TableProbe, ThreadRole,
};
use crate::engine::time_budget::TimeBudget;
use crate::engine::transposition::TranspositionTable;
use crate::engine::{
    Bound, Limits, Score, SearchInfo, SearchMode, SearchObserver, SearchParams, SearchReport, StopFlag,
    Unobserved, Weights,
};
use crate::syzygy::Tablebases;

/// Stack size of a helper thread, in bytes: enough for the deepest line, singular searches included.
const HELPER_STACK: usize = 16 << 20;

/// A chess engine with its transposition table, per-thread tables and settings. One search runs at a time.
///
/// With one thread and the same sequence of calls, a search limited by nodes or depth returns the same result every time,
/// on every machine.
pub struct Searcher {
    table: TranspositionTable,
    memories: Vec<Memory>,
    weights: Weights,
    params: SearchParams,
    reductions: Reductions,
    contempt: Value,
    tables: Option<(Arc<Tablebases>, u32)>,
}

impl Searcher {
    /// Creates an engine with one thread and a transposition table of `hash_mb` megabytes. The memory of the table is
    /// committed as it fills.
    pub fn new(hash_mb: usize) -> Self {
        let (weights, params) = (Weights::default(), SearchParams::default());
        Self {
            table: TranspositionTable::new(hash_mb),
            memories: vec![Memory::new(weights.clone())],
            reductions: Reductions::new(&params),
            weights,
            params,
            contempt: 0,
            tables: None,
        }
    }

    /// Replaces the transposition table by an empty one of `megabytes` megabytes.
    pub fn set_hash(&mut self, megabytes: usize) {
        self.table = TranspositionTable::new(megabytes);
    }

    /// Sets the number of threads; at least one.
    pub fn set_threads(&mut self, threads: usize) {
        let weights = &self.weights;
        self.memories.resize_with(threads.max(1), || Memory::new(weights.clone()));
    }

    /// Sets the weights of the evaluation, and clears all tables, which depend on them.
    pub fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
        self.new_game();
    }

    /// Returns the weights of the evaluation.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Sets the parameters of the search.
    pub fn set_params(&mut self, params: SearchParams) {
        self.reductions = Reductions::new(&params);
        self.params = params;
    }

    /// Returns the parameters of the search.
    pub const fn params(&self) -> &SearchParams {
        &self.params
    }

    /// Sets the contempt: the centipawns by which the searching side rates a draw below 0.
    pub const fn set_contempt(&mut self, centipawns: i32) {
        self.contempt = centipawns;
    }

    /// Sets the endgame tables, for positions of at most `max_men` men. Without tables, and while none of them applies,
    /// a search is the same as before.
    pub fn set_tables(&mut self, tables: Option<Arc<Tablebases>>, max_men: u32) {
        self.tables = tables.map(|tables| {
            let max_men = max_men.min(tables.max_men());
            (tables, max_men)
        });
    }

    /// Clears the transposition table and all history tables.
    pub fn new_game(&mut self) {
        self.table.clear();
        let weights = &self.weights;
        self.memories.iter_mut().for_each(|memory| *memory = Memory::new(weights.clone()));
    }

    /// Searches the last position of `line` and returns a legal move, even if it is stopped at once. Returns no move only
    /// if there is no legal one.
    pub fn search(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        stop: &StopFlag,
        observer: &mut dyn SearchObserver,
    ) -> SearchReport {
        let started = Instant::now();
        let position = line.current();
        let probe = self.tables.as_ref().map(|(tables, max_men)| TableProbe { tables, max_men: *max_men });
        // In a position of the tables only the best moves are searched, and the search need not ask again.
        let known =
            probe.filter(|_| limits.searchmoves.is_empty()).and_then(|probe| probe.best_moves(position));
        let root_moves = RootMoves::new(position, known.as_ref().unwrap_or(&limits.searchmoves));
        if root_moves.is_empty() {
            let score = if position.in_check() { Score::Mate(0) } else { Score::DRAW };
            return SearchReport { best: None, ponder: None, score, depth: 0, nodes: 0 };
        }
        self.table.next_search();
        let shared = SearchShared {
            table: &self.table,
            params: &self.params,
            reductions: &self.reductions,
            limits,
            stop,
            contempt: self.contempt,
            started,
            budget: TimeBudget::from_limits(limits),
            finished: AtomicBool::new(false),
            visited: self.memories.iter().map(|_| AtomicU64::new(0)).collect(),
            tables: probe.filter(|_| known.is_none()),
            table_hits: AtomicU64::new(u64::from(known.is_some())),
            has_tables: probe.is_some(),
        };
        let keys: Vec<u64> = line.keys().collect();
        let mut reports = TrackedReports { observer, best: None };
        let results = run(&shared, &mut self.memories, position, &root_moves, &keys, &mut reports);
        let chosen = vote(&results);
        if let Some(ThreadResult { best, depth }) = chosen
            && best.value != -INFINITE
            && reports.best != Some(best.mv)
        {
            // An unfinished iteration or the vote of the helpers changed the move after the last report.
            reports.info(&shared.info((*depth).max(1), 1, Bound::Exact, best));
        }
        report(&shared, position, chosen)
    }
}

/// Passes reports on, and keeps the first move of the latest best line.
struct TrackedReports<'a> {
    observer: &'a mut dyn SearchObserver,
    best: Option<Move>,
}

impl SearchObserver for TrackedReports<'_> {
    fn info(&mut self, info: &SearchInfo) {
        if info.multipv == 1 {
            self.best = info.pv.first().copied();
        }
        self.observer.info(info);
    }
}

/// The result of one thread.
struct ThreadResult {
    best: RootMove,
    depth: i32,
}

/// Runs all threads to their end. The result of the main thread comes first.
fn run(
    shared: &SearchShared<'_>,
    memories: &mut [Memory],
    position: &Position,
    root_moves: &RootMoves,
    keys: &[u64],
    observer: &mut dyn SearchObserver,
) -> Vec<ThreadResult> {
    let search = |memory: &mut Memory, role: ThreadRole, observer: &mut dyn SearchObserver| {
        let keys = keys.to_vec();
        let mut search = Search::new(shared, memory, role, root_moves.clone(), keys, position.turn());
        search.iterate(position, observer);
        search.poll_limits();
        search.thread_result()
    };
    let Some((main, helpers)) = memories.split_first_mut() else { return Vec::new() };
    thread::scope(|scope| {
        let running: Vec<_> = (1..)
            .zip(helpers)
            .filter_map(|(index, memory)| {
                let work = move || search(memory, ThreadRole::Helper { index }, &mut Unobserved);
                // If the system refuses a thread, the search continues with one helper fewer.
                thread::Builder::new().stack_size(HELPER_STACK).spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut results: Vec<_> = search(main, ThreadRole::Main, observer).into_iter().collect();
        wait_for_stop(shared);
        shared.finished.store(true, Ordering::Relaxed);
        results.extend(running.into_iter().filter_map(|helper| helper.join().ok().flatten()));
        results
    })
}

/// Waits until the search may return. An infinite or pondering search must not return before `stop` or `ponderhit`, even
/// if it has reached its maximum depth.
fn wait_for_stop(shared: &SearchShared<'_>) {
    let may_return = || shared.stop.is_stopped() || shared.limits_apply();
    while shared.limits.mode != SearchMode::Normal && !may_return() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the result of the main thread, unless helpers that searched at least as deep agree on a better move.
fn vote(results: &[ThreadResult]) -> Option<&ThreadResult> {
    let main = results.first()?;
    let worst = results.iter().map(|result| result.best.value).min()?;
    let votes = |mv: Move| -> i64 {
        let supporters = results.iter().filter(|result| result.best.mv == mv);
        supporters.map(|result| i64::from(result.best.value - worst + 20) * i64::from(result.depth)).sum()
    };
    let eligible = results.iter().filter(|result| result.depth >= main.depth);
    Some(eligible.fold(main, |best, result| {
        let better = if is_mate(best.best.value) {
            result.best.value > best.best.value
        } else {
            votes(result.best.mv) > votes(best.best.mv)
        };
        if better { result } else { best }
    }))
}

fn report(shared: &SearchShared<'_>, position: &Position, chosen: Option<&ThreadResult>) -> SearchReport {
    let nodes = shared.nodes();
    let Some(ThreadResult { best, depth }) = chosen else {
        return SearchReport { best: None, ponder: None, score: Score::DRAW, depth: 0, nodes };
    };
    let after = position.play(best.mv);
    let expected = || shared.table.probe(after.key(), 1).and_then(|hit| hit.mv.unpack(&after));
    SearchReport {
        best: Some(best.mv),
        ponder: best.line.get(1).copied().or_else(expected),
        // If the search was stopped before the first move was searched, there is no score; report 0.
        score: if best.value == -INFINITE { Score::DRAW } else { Score::from_value(best.value) },
        depth: *depth as u32,
        nodes,
    }
}

impl Search<'_> {
    fn thread_result(&self) -> Option<ThreadResult> {
        self.root_moves.best().map(|best| ThreadResult { best: best.clone(), depth: self.completed_depth })
    }
}
