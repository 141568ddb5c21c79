//! One thread's search of one position: its path, its records, and when it must end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::chess::{Color, Move, PieceKind, Position};
use crate::engine::score::{MAX_EVAL, MAX_PLY, Value};
use crate::engine::search::correction::Corrections;
use crate::engine::search::history::{Footprint, Histories, Trail};
use crate::engine::search::picker::{EMPTY_SCRATCH, Refutations, Scratch};
use crate::engine::search::pruning::{Reductions, Trend};
use crate::engine::search::root::RootMoves;
use crate::engine::time_budget::TimeBudget;
use crate::engine::transposition::TranspositionTable;
use crate::engine::{Evaluator, Limits, SearchMode, SearchParams, StopFlag, Weights};

/// What all threads of a search look at.
pub(in crate::engine) struct SearchShared<'a> {
    pub(in crate::engine) table: &'a TranspositionTable,
    pub(in crate::engine) params: &'a SearchParams,
    pub(in crate::engine) reductions: &'a Reductions,
    pub(in crate::engine) limits: &'a Limits,
    pub(in crate::engine) stop: &'a StopFlag,
    pub(in crate::engine) contempt: Value,
    pub(in crate::engine) started: Instant,
    pub(in crate::engine) budget: Option<TimeBudget>,
    /// Raised by the main thread when it is done, so that the helpers end too.
    pub(in crate::engine) finished: AtomicBool,
    /// Positions visited, a count per thread.
    pub(in crate::engine) visited: Box<[AtomicU64]>,
}

impl SearchShared<'_> {
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether limits count yet: a pondering search is free until its move comes, an infinite one for ever.
    pub(in crate::engine) fn limits_hold(&self) -> bool {
        match self.limits.mode {
            SearchMode::Normal => true,
            SearchMode::Infinite => false,
            SearchMode::Ponder => self.stop.is_ponderhit(),
        }
    }

    /// Whether cuts that are nearly always right are good enough; who asks for a mate wants every move looked at.
    #[inline(always)]
    pub(super) const fn takes_risks(&self) -> bool {
        self.limits.mate.is_none()
    }

    pub(in crate::engine) fn nodes(&self) -> u64 {
        self.visited.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

/// What one thread learns, kept from move to move of a game.
pub(in crate::engine) struct Memory {
    pub(super) evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    /// Where the moves of each ply are sorted.
    pub(super) scratch: Box<[Scratch]>,
}

impl Memory {
    pub(in crate::engine) fn new(weights: Weights) -> Self {
        Self {
            evaluator: Evaluator::new(weights),
            histories: Histories::new(),
            corrections: Corrections::new(),
            scratch: vec![EMPTY_SCRATCH; MAX_PLY + 1].into_boxed_slice(),
        }
    }
}

/// What is remembered of one ply of the current line.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The corrected static score; `None` in check.
    pub(super) eval: Option<Value>,
    /// The move being tried, as a row of tables; none for a null move.
    pub(super) footprint: Footprint,
    pub(super) killers: [Move; 2],
    /// The move that a singular search leaves out.
    pub(super) excluded: Option<Move>,
    /// Extensions by two plies on the way here.
    pub(super) double_extensions: u32,
}

impl Frame {
    const EMPTY: Self = Self {
        eval: None,
        footprint: Footprint::NONE,
        killers: [Move::NONE; 2],
        excluded: None,
        double_extensions: 0,
    };
}

/// Frames before the root, so that looking back needs no test.
const BEFORE_ROOT: usize = 4;

/// Which thread this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum ThreadRole {
    /// Reports, and watches the limits.
    Main,
    /// Fills the shared table; ends with the main thread.
    Helper { index: usize },
}

/// The state of one thread in one search.
pub(in crate::engine) struct Search<'a> {
    pub(super) shared: &'a SearchShared<'a>,
    pub(super) memory: &'a mut Memory,
    pub(in crate::engine) root_moves: RootMoves,
    pub(super) role: ThreadRole,
    pub(super) root_depth: i32,
    pub(super) seldepth: usize,
    pub(in crate::engine) nodes: u64,
    pub(in crate::engine) completed_depth: i32,
    pub(super) lines: PvLines,
    /// No null move above this ply, while one is being verified.
    pub(super) null_floor: usize,
    frames: Box<[Frame]>,
    /// Keys of the game and of the line, the current position last.
    keys: Vec<u64>,
    root_index: usize,
    /// Keys before this index cannot be repeated: a null move stands between.
    repetition_floor: usize,
    root_turn: Color,
    node_limit: u64,
    stopped: bool,
}

impl<'a> Search<'a> {
    pub(in crate::engine) fn new(
        shared: &'a SearchShared<'a>,
        memory: &'a mut Memory,
        role: ThreadRole,
        root_moves: RootMoves,
        keys: Vec<u64>,
        root_turn: Color,
    ) -> Self {
        let alone = shared.visited.len() == 1;
        let node_limit = shared.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX);
        Self {
            shared,
            memory,
            root_moves,
            role,
            root_depth: 0,
            seldepth: 0,
            nodes: 0,
            completed_depth: 0,
            lines: PvLines::new(),
            null_floor: 0,
            frames: vec![Frame::EMPTY; MAX_PLY + BEFORE_ROOT + 4].into_boxed_slice(),
            root_index: keys.len() - 1,
            keys,
            repetition_floor: 0,
            root_turn,
            node_limit,
            stopped: false,
        }
    }

    #[inline(always)]
    pub(in crate::engine) fn params(&self) -> &'a SearchParams {
        self.shared.params
    }

    #[inline(always)]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT]
    }

    #[inline(always)]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The footprint of the move that led to `ply`.
    #[inline(always)]
    pub(super) fn last_footprint(&self, ply: usize) -> Footprint {
        self.frames[ply + BEFORE_ROOT - 1].footprint
    }

    #[inline(always)]
    pub(super) fn trail(&self, ply: usize) -> Trail {
        [1, 2, 4].map(|back| self.frames[ply + BEFORE_ROOT - back].footprint)
    }

    pub(super) fn refutations(&self, ply: usize) -> Refutations {
        let counter = self.memory.histories.counter(self.last_footprint(ply));
        Refutations { killers: self.frame(ply).killers, counter }
    }

    /// Compares with two turns ago, or four where that one was in check.
    pub(super) fn trend(&self, eval: Value, ply: usize) -> Trend {
        let before =
            |back: usize| self.frames.get((ply + BEFORE_ROOT).wrapping_sub(back)).and_then(|f| f.eval);
        match before(2).or_else(|| before(4)) {
            Some(before) if eval <= before => Trend::Declining,
            _ => Trend::Improving,
        }
    }

    /// Counts a node; true when the search must end instead.
    #[inline(always)]
    pub(super) fn visit(&mut self) -> bool {
        if self.stopped || self.nodes >= self.node_limit {
            self.stopped = true;
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) {
            self.consult();
        }
        self.stopped
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Looks at flags and clock.
    #[cold]
    pub(in crate::engine) fn consult(&mut self) {
        let own = match self.role {
            ThreadRole::Main => 0,
            ThreadRole::Helper { index } => index,
        };
        self.shared.visited[own].store(self.nodes, Ordering::Relaxed);
        let told = self.shared.stop.is_stopped() || self.shared.finished.load(Ordering::Relaxed);
        self.stopped |= told || (self.role == ThreadRole::Main && self.is_over_limit());
    }

    fn is_over_limit(&self) -> bool {
        let spent = || self.shared.budget.is_some_and(|budget| budget.is_spent(self.shared.elapsed()));
        let visited = || self.shared.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit);
        (self.shared.limits_hold() && spent()) || visited()
    }

    /// Steps onto the position with this key by the move with this footprint.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize, footprint: Footprint, key: u64) {
        self.shared.table.prefetch(key);
        self.frame_mut(ply).footprint = footprint;
        self.keys.push(key);
    }

    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.keys.pop();
    }

    /// Runs `look` on the position after a null move, across which nothing repeats.
    pub(super) fn across_null(
        &mut self,
        ply: usize,
        key: u64,
        look: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let floor = std::mem::replace(&mut self.repetition_floor, self.keys.len());
        self.enter(ply, Footprint::NONE, key);
        let value = look(self);
        self.leave();
        self.repetition_floor = floor;
        value
    }

    /// The static score, never a mate.
    pub(super) fn evaluate(&mut self, position: &Position) -> Value {
        self.memory.evaluator.evaluate(position).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// A draw seen by the side to move: contempt makes it a little worse for the side that searches.
    pub(super) fn draw_value(&self, turn: Color) -> Value {
        if turn == self.root_turn { -self.shared.contempt } else { self.shared.contempt }
    }

    /// The score of a line that ends here, by the rules or for want of room.
    #[inline]
    pub(super) fn ending(&mut self, position: &Position, ply: usize) -> Option<Value> {
        if self.is_draw(position) {
            return Some(self.draw_value(position.turn()));
        }
        (ply >= MAX_PLY - 1).then(|| match position.in_check() {
            true => self.draw_value(position.turn()),
            false => self.evaluate(position),
        })
    }

    /// Whether the rules, or a repetition inside the line, make the position a draw.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        if position.halfmove_clock() >= 100 {
            return !position.in_check() || position.has_legal_move();
        }
        is_bare(position) || self.is_repetition(position)
    }

    /// Once inside the tree is enough; what the game saw must come twice more, as the rule has it.
    fn is_repetition(&self, position: &Position) -> bool {
        let now = self.keys.len() - 1;
        let reach = usize::from(position.halfmove_clock());
        let first = self.repetition_floor.max(now.saturating_sub(reach));
        let mut seen_in_game = 0;
        let mut at = now;
        while at >= first + 2 {
            at -= 2;
            if self.keys[at] == position.key() {
                if at >= self.root_index {
                    return true;
                }
                seen_in_game += 1;
                if seen_in_game == 2 {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether nothing is left that could mate: bare kings, or one minor piece.
fn is_bare(position: &Position) -> bool {
    let men = position.occupied().len();
    let minors = position.by_kind(PieceKind::Knight) | position.by_kind(PieceKind::Bishop);
    men == 2 || (men == 3 && minors.any())
}

/// The best line known from each ply, kept in a triangle.
pub(super) struct PvLines(Box<[PvLine]>);

#[derive(Clone, Copy)]
struct PvLine {
    moves: [Move; MAX_PLY],
    len: usize,
}

impl PvLines {
    fn new() -> Self {
        Self(vec![PvLine { moves: [Move::NONE; MAX_PLY], len: 0 }; MAX_PLY + 1].into_boxed_slice())
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].len = 0;
    }

    /// Makes `mv` and the line one ply further the line of `ply`.
    pub(super) fn set(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.0.split_at_mut(ply + 1);
        let (line, next) = (&mut head[ply], &tail[0]);
        let len = next.len.min(MAX_PLY - 1);
        line.moves[0] = mv;
        line.moves[1..=len].copy_from_slice(&next.moves[..len]);
        line.len = len + 1;
    }

    pub(super) fn get(&self, ply: usize) -> &[Move] {
        &self.0[ply].moves[..self.0[ply].len]
    }
}
