//! The engine as others see it: a game and limits in, a move out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::chess::{GameLine, Move, Position};
use crate::engine::score::{INFINITE, Value, is_mate};
use crate::engine::search::{Memory, Reductions, RootMove, RootMoves, Search, SearchShared, ThreadRole};
use crate::engine::time_budget::TimeBudget;
use crate::engine::transposition::TranspositionTable;
use crate::engine::{
    Limits, Score, SearchMode, SearchObserver, SearchParams, SearchReport, StopFlag, Unobserved, Weights,
};

/// Room for the deepest line, singular searches included.
const HELPER_STACK: usize = 16 << 20;

/// A chess engine with its table, its memory and its settings. One search runs at a time.
///
/// With one thread and the same history of calls, a search bounded by nodes or depth gives the same answer every
/// time, on every machine.
pub struct Searcher {
    table: TranspositionTable,
    memories: Vec<Memory>,
    weights: Weights,
    params: SearchParams,
    reductions: Reductions,
    contempt: Value,
}

impl Searcher {
    /// An engine with one thread and a table of `hash_mb` megabytes, of which memory is taken as it fills.
    pub fn new(hash_mb: usize) -> Self {
        let (weights, params) = (Weights::default(), SearchParams::default());
        Self {
            table: TranspositionTable::new(hash_mb),
            memories: vec![Memory::new(weights.clone())],
            reductions: Reductions::new(&params),
            weights,
            params,
            contempt: 0,
        }
    }

    /// Replaces the table by an empty one of this many megabytes.
    pub fn set_hash(&mut self, megabytes: usize) {
        self.table = TranspositionTable::new(megabytes);
    }

    /// Searches with this many threads from now on, at least one.
    pub fn set_threads(&mut self, threads: usize) {
        let weights = &self.weights;
        self.memories.resize_with(threads.max(1), || Memory::new(weights.clone()));
    }

    /// Evaluates with these weights from now on, and forgets what others gave.
    pub fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
        self.new_game();
    }

    /// The weights of the evaluation.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Searches with these margins from now on.
    pub fn set_params(&mut self, params: SearchParams) {
        self.reductions = Reductions::new(&params);
        self.params = params;
    }

    /// The margins of the search.
    pub const fn params(&self) -> &SearchParams {
        &self.params
    }

    /// Centipawns by which a draw is worse than even for the side that searches.
    pub const fn set_contempt(&mut self, centipawns: i32) {
        self.contempt = centipawns;
    }

    /// Forgets everything learned from earlier positions.
    pub fn new_game(&mut self) {
        self.table.clear();
        let weights = &self.weights;
        self.memories.iter_mut().for_each(|memory| *memory = Memory::new(weights.clone()));
    }

    /// Searches the last position of `line` and answers with a legal move, however soon it is stopped; without one
    /// only where the rules have none.
    pub fn search(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        stop: &StopFlag,
        observer: &mut dyn SearchObserver,
    ) -> SearchReport {
        let started = Instant::now();
        let position = line.current();
        let root_moves = RootMoves::new(position, &limits.searchmoves);
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
            budget: TimeBudget::plan(limits),
            finished: AtomicBool::new(false),
            visited: self.memories.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        let keys: Vec<u64> = line.keys().collect();
        let findings = run(&shared, &mut self.memories, position, &root_moves, &keys, observer);
        let chosen = vote(&findings);
        report(&shared, position, chosen)
    }
}

/// What one thread found.
struct Finding {
    best: RootMove,
    depth: i32,
}

/// Runs all threads to their end; the main thread's finding comes first.
fn run(
    shared: &SearchShared<'_>,
    memories: &mut [Memory],
    position: &Position,
    root_moves: &RootMoves,
    keys: &[u64],
    observer: &mut dyn SearchObserver,
) -> Vec<Finding> {
    let look = |memory: &mut Memory, role: ThreadRole, observer: &mut dyn SearchObserver| {
        let keys = keys.to_vec();
        let mut search = Search::new(shared, memory, role, root_moves.clone(), keys, position.turn());
        search.iterate(position, observer);
        search.consult();
        search.finding()
    };
    let Some((main, helpers)) = memories.split_first_mut() else { return Vec::new() };
    thread::scope(|scope| {
        let running: Vec<_> = (1..)
            .zip(helpers)
            .filter_map(|(index, memory)| {
                let work = move || look(memory, ThreadRole::Helper { index }, &mut Unobserved);
                // A helper that the system refuses is one helper less, not a failed search.
                thread::Builder::new().stack_size(HELPER_STACK).spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut findings: Vec<_> = look(main, ThreadRole::Main, observer).into_iter().collect();
        wait_for_leave(shared);
        shared.finished.store(true, Ordering::Relaxed);
        findings.extend(running.into_iter().filter_map(|helper| helper.join().ok().flatten()));
        findings
    })
}

/// An infinite or pondering search may not answer before it is told to, even when it has nothing left to do.
fn wait_for_leave(shared: &SearchShared<'_>) {
    let may_answer = || shared.stop.is_stopped() || shared.limits_hold();
    while shared.limits.mode != SearchMode::Normal && !may_answer() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The main thread's finding, unless helpers that looked as deep agree on something better.
fn vote(findings: &[Finding]) -> Option<&Finding> {
    let main = findings.first()?;
    let worst = findings.iter().map(|finding| finding.best.value).min()?;
    let votes = |mv: Move| -> i64 {
        let supporters = findings.iter().filter(|finding| finding.best.mv == mv);
        supporters.map(|finding| i64::from(finding.best.value - worst + 20) * i64::from(finding.depth)).sum()
    };
    let eligible = findings.iter().filter(|finding| finding.depth >= main.depth);
    Some(eligible.fold(main, |best, finding| {
        let better = if is_mate(best.best.value) {
            finding.best.value > best.best.value
        } else {
            votes(finding.best.mv) > votes(best.best.mv)
        };
        if better { finding } else { best }
    }))
}

fn report(shared: &SearchShared<'_>, position: &Position, chosen: Option<&Finding>) -> SearchReport {
    let nodes = shared.nodes();
    let Some(Finding { best, depth }) = chosen else {
        return SearchReport { best: None, ponder: None, score: Score::DRAW, depth: 0, nodes };
    };
    let after = position.play(best.mv);
    let expected = || shared.table.probe(after.key(), 1).and_then(|known| known.mv.unpack(&after));
    SearchReport {
        best: Some(best.mv),
        ponder: best.line.get(1).copied().or_else(expected),
        // Stopped before the first move was looked at: nothing is known, which is what an even score says.
        score: if best.value == -INFINITE { Score::DRAW } else { Score::from_value(best.value) },
        depth: *depth as u32,
        nodes,
    }
}

impl Search<'_> {
    fn finding(&self) -> Option<Finding> {
        self.root_moves.best().map(|best| Finding { best: best.clone(), depth: self.completed_depth })
    }
}
