//! The state of one search thread: its stack, its tables and its limits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::chess::{Bitboard, Color, Move, PieceKind, Position};
use crate::engine::score::{MAX_EVAL, MAX_PLY, Value};
use crate::engine::search::correction::CorrectionHistory;
use crate::engine::search::history::{Histories, PieceTo, PreviousMoves, QuietContext};
use crate::engine::search::null_move::NULL_MOVE_MIN_DEPTH;
use crate::engine::search::picker::{EMPTY_MOVE_LIST, MoveList, Picker, Refutations};
use crate::engine::search::pruning::{Reductions, Trend};
use crate::engine::search::root::RootMoves;
use crate::engine::search::tables::TableProbe;
use crate::engine::time_budget::TimeBudget;
use crate::engine::transposition::TranspositionTable;
use crate::engine::{Evaluator, Limits, SearchMode, SearchParams, StopFlag, Weights};

/// State shared by all threads of a search.
pub(in crate::engine) struct SearchShared<'a> {
    pub(in crate::engine) table: &'a TranspositionTable,
    pub(in crate::engine) params: &'a SearchParams,
    pub(in crate::engine) reductions: &'a Reductions,
    pub(in crate::engine) limits: &'a Limits,
    pub(in crate::engine) stop: &'a StopFlag,
    pub(in crate::engine) contempt: Value,
    pub(in crate::engine) started: Instant,
    pub(in crate::engine) budget: Option<TimeBudget>,
    /// Set by the main thread when it is done, to stop the helpers.
    pub(in crate::engine) finished: AtomicBool,
    /// Nodes visited by each thread.
    pub(in crate::engine) visited: Box<[AtomicU64]>,
    /// Endgame tables, unless the root has been decided by them.
    pub(in crate::engine) tables: Option<TableProbe<'a>>,
    /// Positions that the endgame tables knew.
    pub(in crate::engine) table_hits: AtomicU64,
    /// Whether the engine has endgame tables, so that hits are reported.
    pub(in crate::engine) has_tables: bool,
}

impl SearchShared<'_> {
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the limits apply: never to an infinite search, and to a pondering one only after a ponder hit.
    pub(in crate::engine) fn limits_apply(&self) -> bool {
        match self.limits.mode {
            SearchMode::Normal => true,
            SearchMode::Infinite => false,
            SearchMode::Ponder => self.stop.is_ponderhit(),
        }
    }

    /// Whether unsound pruning is allowed. A search for a mate must not miss a move.
    #[inline(always)]
    pub(super) const fn allows_pruning(&self) -> bool {
        self.limits.mate.is_none()
    }

    pub(in crate::engine) fn nodes(&self) -> u64 {
        self.visited.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

/// Tables of one thread that persist between the searches of a game.
pub(in crate::engine) struct Memory {
    pub(super) evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) corrections: CorrectionHistory,
    /// The move lists of each ply.
    pub(super) move_lists: Box<[MoveList]>,
}

impl Memory {
    pub(in crate::engine) fn new(weights: Weights) -> Self {
        Self {
            evaluator: Evaluator::new(weights),
            histories: Histories::new(),
            corrections: CorrectionHistory::new(),
            move_lists: vec![EMPTY_MOVE_LIST; MAX_PLY + 1].into_boxed_slice(),
        }
    }
}

/// One entry of the search stack.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The corrected static evaluation; `None` in check.
    pub(super) eval: Option<Value>,
    /// The move being searched; [`Move::NONE`] for a null move.
    pub(super) mv: Move,
    /// Piece and target of that move; [`PieceTo::NONE`] for a null move.
    pub(super) piece_to: PieceTo,
    /// Squares that the enemy attacks, once moves are searched.
    pub(super) threats: Bitboard,
    pub(super) killers: [Move; 2],
    /// The move that a singular search excludes.
    pub(super) excluded: Option<Move>,
    /// Number of double extensions in the current line.
    pub(super) double_extensions: u32,
}

impl Frame {
    const EMPTY: Self = Self {
        eval: None,
        mv: Move::NONE,
        piece_to: PieceTo::NONE,
        threats: Bitboard::EMPTY,
        killers: [Move::NONE; 2],
        excluded: None,
        double_extensions: 0,
    };
}

/// Frames before the root, so that access to earlier plies needs no bounds check.
const BEFORE_ROOT: usize = 4;

/// The role of a search thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum ThreadRole {
    /// Reports to the observer and checks the limits.
    Main,
    /// Fills the shared transposition table; ends with the main thread.
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
    /// No null move below this ply, while a null-move cutoff is being verified.
    pub(super) min_null_ply: usize,
    frames: Box<[Frame]>,
    /// Keys of the game and of the current line; the current position is last.
    keys: Vec<u64>,
    root_index: usize,
    /// Positions before this index cannot be repeated, because a null move lies between.
    repetition_start: usize,
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
            min_null_ply: 0,
            frames: vec![Frame::EMPTY; MAX_PLY + BEFORE_ROOT + 4].into_boxed_slice(),
            root_index: keys.len() - 1,
            keys,
            repetition_start: 0,
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

    /// Returns the move that led to `ply`.
    #[inline(always)]
    pub(super) fn last_piece_to(&self, ply: usize) -> PieceTo {
        self.frames[ply + BEFORE_ROOT - 1].piece_to
    }

    #[inline(always)]
    pub(super) fn previous_moves(&self, ply: usize) -> PreviousMoves {
        [1, 2, 4].map(|back| self.frames[ply + BEFORE_ROOT - back].piece_to)
    }

    /// Returns what the history of quiet moves depends on in `position`.
    #[inline]
    pub(super) fn quiet_context(&self, position: &Position, ply: usize) -> QuietContext {
        let threats = position.attacked_by(!position.turn());
        QuietContext { previous_moves: self.previous_moves(ply), threats }
    }

    pub(super) fn refutations(&self, ply: usize) -> Refutations {
        let counter = self.memory.histories.counter(self.last_piece_to(ply));
        Refutations { killers: self.frame(ply).killers, counter }
    }

    /// Compares the evaluation with that two plies before, or four if the side was in check then.
    pub(super) fn trend(&self, eval: Value, ply: usize) -> Trend {
        let before =
            |back: usize| self.frames.get((ply + BEFORE_ROOT).wrapping_sub(back)).and_then(|f| f.eval);
        match before(2).or_else(|| before(4)) {
            Some(before) if eval <= before => Trend::Declining,
            _ => Trend::Improving,
        }
    }

    /// Counts a node. Returns true if the search must end.
    #[inline(always)]
    pub(super) fn visit(&mut self) -> bool {
        if self.stopped || self.nodes >= self.node_limit {
            self.stopped = true;
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) {
            self.poll_limits();
        }
        self.stopped
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Publishes the node count and checks the stop flags and limits.
    #[cold]
    pub(in crate::engine) fn poll_limits(&mut self) {
        let own = match self.role {
            ThreadRole::Main => 0,
            ThreadRole::Helper { index } => index,
        };
        self.shared.visited[own].store(self.nodes, Ordering::Relaxed);
        let stopped = self.shared.stop.is_stopped() || self.shared.finished.load(Ordering::Relaxed);
        self.stopped |= stopped || (self.role == ThreadRole::Main && self.is_over_limit());
    }

    fn is_over_limit(&self) -> bool {
        let spent = || self.shared.budget.is_some_and(|budget| budget.is_spent(self.shared.elapsed()));
        let visited = || self.shared.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit);
        (self.shared.limits_apply() && spent()) || visited()
    }

    /// Prefetches the table entry of the position after `mv`. The memory takes about as long as a node, so this is called as
    /// soon as the move is likely to be searched.
    #[inline(always)]
    pub(super) fn prefetch_child(&self, position: &Position, mv: Move) {
        self.shared.table.prefetch(position.likely_key_after(mv));
    }

    /// Prefetches the table entry of the position after the move that probably comes next, while another one is searched.
    /// Returns that move, if it is known.
    #[inline(always)]
    pub(super) fn prefetch_upcoming(&self, position: &Position, picker: &Picker, ply: usize) -> Option<Move> {
        let upcoming = picker.upcoming(&self.memory.move_lists[ply])?;
        self.prefetch_child(position, upcoming);
        Some(upcoming)
    }

    /// Prefetches the table entries after a null move and after the table move, which are the first to be searched.
    #[inline(always)]
    pub(super) fn prefetch_first_children(&self, position: &Position, table_move: Option<Move>, depth: i32) {
        if depth >= NULL_MOVE_MIN_DEPTH {
            self.shared.table.prefetch(position.key_after_null());
        }
        if let Some(mv) = table_move {
            self.prefetch_child(position, mv);
        }
    }

    /// Enters the position with this key after the move `mv` at `ply`; [`Move::NONE`] for a null move.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize, mv: Move, key: u64) {
        let frame = self.frame_mut(ply);
        frame.mv = mv;
        frame.piece_to = if mv == Move::NONE { PieceTo::NONE } else { PieceTo::of(mv) };
        self.keys.push(key);
    }

    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.keys.pop();
    }

    /// Runs `search` on the position after a null move. Positions before the null move do not count as repetitions.
    pub(super) fn with_null_move(
        &mut self,
        ply: usize,
        key: u64,
        search: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let repetition_start = std::mem::replace(&mut self.repetition_start, self.keys.len());
        self.enter(ply, Move::NONE, key);
        let value = search(self);
        self.leave();
        self.repetition_start = repetition_start;
        value
    }

    /// Returns the static evaluation, limited to scores that are not a mate.
    pub(super) fn evaluate(&mut self, position: &Position) -> Value {
        self.memory.evaluator.evaluate(position).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Returns the score of a draw for the side `turn`, including contempt.
    pub(super) fn draw_value(&self, turn: Color) -> Value {
        if turn == self.root_turn { -self.shared.contempt } else { self.shared.contempt }
    }

    /// Returns the score of a node that ends the line: a draw, or the maximum ply.
    #[inline]
    pub(super) fn terminal_value(&mut self, position: &Position, ply: usize) -> Option<Value> {
        if self.is_draw(position) {
            return Some(self.draw_value(position.turn()));
        }
        (ply >= MAX_PLY - 1).then(|| match position.in_check() {
            true => self.draw_value(position.turn()),
            false => self.evaluate(position),
        })
    }

    /// Whether the position is a draw by rule, or by repetition.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        if position.halfmove_clock() >= 100 {
            return !position.in_check() || position.has_legal_move();
        }
        has_insufficient_material(position) || self.is_repetition(position)
    }

    /// Whether the position repeats one of the search tree, or occurred twice in the game before.
    fn is_repetition(&self, position: &Position) -> bool {
        let current = self.keys.len() - 1;
        let reversible = usize::from(position.halfmove_clock());
        let first = self.repetition_start.max(current.saturating_sub(reversible));
        let mut seen_in_game = 0;
        let mut index = current;
        while index >= first + 2 {
            index -= 2;
            if self.keys[index] == position.key() {
                if index >= self.root_index {
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

/// Whether only bare kings or one minor piece are left.
fn has_insufficient_material(position: &Position) -> bool {
    let pieces = position.occupied().len();
    let minors = position.by_kind(PieceKind::Knight) | position.by_kind(PieceKind::Bishop);
    pieces == 2 || (pieces == 3 && minors.any())
}

/// The triangular PV table: the principal variation from each ply.
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

    /// Sets the variation of `ply` to `mv` followed by the variation of the next ply.
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
