//! The alpha-beta node, in numbered steps. The margins and formulas of the steps are in `pruning`.

use std::cell::OnceCell;

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::{INFINITE, MATE_THRESHOLD, Value, mate_in, mated_in};
use crate::engine::search::history_update::SearchedMoves;
use crate::engine::search::late_moves::{LateMove, PruneDecision};
use crate::engine::search::near_mate::mate_in_one;
use crate::engine::search::picker::{MoveFilter, Picker};
use crate::engine::search::pruning::{NodeType, Trend};
use crate::engine::search::quiescence::QuiescencePly;
use crate::engine::search::singular::SingularResult;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

/// The kind of a node, as a compile-time constant.
pub(super) trait NodeKind {
    /// Whether the node is the root.
    const ROOT: bool;
    /// Whether the node is searched with an open window.
    const PV: bool;
}

/// The root.
pub(super) struct Root;
/// A node searched with an open window.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct NonPv;

impl NodeKind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}

impl NodeKind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}

impl NodeKind for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// Data of one node that its steps share.
#[derive(Clone, Copy)]
pub(super) struct NodeContext {
    pub(super) ply: usize,
    pub(super) depth: i32,
    /// The lower end of the window; rises with the moves that are searched.
    pub(super) alpha: Value,
    pub(super) beta: Value,
    /// The uncorrected static evaluation; `None` in check.
    pub(super) raw_eval: Option<Value>,
    /// The corrected static evaluation; `None` in check.
    pub(super) eval: Option<Value>,
    pub(super) trend: Trend,
    pub(super) expected: NodeType,
    pub(super) hit: Option<TableHit>,
    pub(super) table_move: Option<Move>,
    pub(super) on_pv: bool,
}

impl Search<'_> {
    /// Searches a position to `depth` plies. The score is exact inside the window and a bound outside (fail-soft).
    pub(super) fn node<K: NodeKind>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        expected: NodeType,
    ) -> Value {
        // 1. Depth exhausted: quiescence search.
        if depth <= 0 {
            return self.quiescence::<K>(position, alpha, beta, ply, QuiescencePly::First);
        }

        // 2. The search is stopped, the game is over, or the maximum ply is reached. Mate distance pruning.
        if self.visit() {
            return 0;
        }
        self.lines.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if !K::ROOT {
            if let Some(value) = self.terminal_value(position, ply) {
                return value;
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 3. Transposition table. Near the fifty-move rule, scores from other move orders are not reliable.
        let excluded = self.frame(ply).excluded;
        let hit = if excluded.is_some() { None } else { self.shared.table.probe(position.key(), ply) };
        let table_move = if K::ROOT {
            Some(self.root_moves.current().mv)
        } else {
            hit.and_then(|hit| hit.mv.unpack(position))
        };
        if let Some(hit) = hit
            && !K::PV
            && hit.depth >= depth
            && hit.cuts_off(alpha, beta)
            && position.halfmove_clock() < 90
        {
            if hit.value >= beta {
                self.reward_table_move(position, table_move, depth, ply);
            }
            return hit.value;
        }
        self.prefetch_first_children(position, table_move, depth);

        // 4. Endgame tables, and mates in one near the root.
        if let Some(value) = self.table_value::<K>(position, ply, alpha, beta) {
            return value;
        }
        // A position that was searched before has been looked at then.
        if !K::ROOT
            && excluded.is_none()
            && hit.is_none_or(|hit| hit.depth == 0)
            && let Some(mv) = mate_in_one(position, ply)
        {
            self.lines.clear(ply + 1);
            self.lines.set(ply, mv);
            return mate_in(ply + 1);
        }

        // 5. Static evaluation with correction history, and whether it is improving.
        let raw_eval = self.static_eval(position, ply, hit);
        let eval = self.frame(ply).eval;
        let trend = eval.map_or(Trend::Declining, |eval| self.trend(eval, ply));
        let on_pv = K::PV || hit.is_some_and(|hit| hit.on_pv);
        self.frame_mut(ply + 2).killers = [Move::NONE; 2];
        self.frame_mut(ply + 1).double_extensions = self.frame(ply).double_extensions;
        if !K::ROOT && excluded.is_none() {
            self.update_by_eval_change(ply, eval);
        }
        let context =
            NodeContext { ply, depth, alpha, beta, raw_eval, eval, trend, expected, hit, table_move, on_pv };

        // 6. Pruning of the whole node: reverse futility, razoring, null move, ProbCut.
        if !K::PV
            && excluded.is_none()
            && self.shared.allows_pruning()
            && let Some(value) = self.prune_node(position, &context)
        {
            return value;
        }
        if self.is_stopped() {
            return 0;
        }

        // 7. Internal iterative reduction: without a table move the ordering is poor; a shallower search finds one.
        if depth >= 4 && table_move.is_none() && excluded.is_none() && (K::PV || expected == NodeType::Cut) {
            depth -= 1;
        }
        let mut context = NodeContext { depth, ..context };

        // 8. Move loop.
        let quiet_context = self.quiet_context(position, ply);
        self.frame_mut(ply).threats = quiet_context.threats;
        let (refutations, checks) = (self.refutations(ply), OnceCell::new());
        let mut picker = Picker::new(MoveFilter::All, table_move, refutations, quiet_context);
        let (mut quiets, mut captures) = (SearchedMoves::new(), SearchedMoves::new());
        let (mut best, mut best_move) = (-INFINITE, None);
        let (mut number, mut prefetched) = (0, None);
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.move_lists[ply]) {
            if Some(mv) == excluded || (K::ROOT && !self.root_moves.includes(mv)) {
                continue;
            }
            if Some(mv) != prefetched {
                self.prefetch_child(position, mv);
            }
            number += 1;
            let history = self.history_score(position, mv, &quiet_context);
            let stage = picker.stage();
            let late = LateMove { mv, number, history, stage, refutations: &refutations, checks: &checks };

            // 9. Late move, futility, history and SEE pruning, once there is a move that does not lose to a mate.
            if !K::ROOT && best > -MATE_THRESHOLD && self.shared.allows_pruning() {
                match self.prune_decision(position, &late, &context) {
                    PruneDecision::Search => {}
                    PruneDecision::Skip => continue,
                    PruneDecision::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 10. Singular extension of the table move, and multi-cut.
            let mut extension = 0;
            if !K::ROOT && excluded.is_none() && Some(mv) == table_move {
                match self.singular::<K>(position, mv, &context) {
                    SingularResult::Extend(plies) => extension = plies,
                    SingularResult::Cut(value) => return value,
                }
                if self.is_stopped() {
                    return 0;
                }
            }

            // 11. Make the move. Checks that do not lose material are extended.
            prefetched = self.prefetch_upcoming(position, &picker, ply);
            let child = position.play(mv);
            self.enter(ply, mv, child.key());
            let nodes_before = self.nodes;
            if extension == 0 && child.in_check() && self.extends_check(position, mv, ply) {
                extension = 1;
            }
            if extension >= 2 {
                self.frame_mut(ply + 1).double_extensions += 1;
            }

            // 12. Principal variation search: null window, reduced for late moves; more only if it raises alpha.
            let (new_depth, opposite) = (depth - 1 + extension, expected.opposite());
            let mut value = -INFINITE;
            if depth >= 2 && number > 1 + usize::from(K::ROOT) {
                let reduction = self.reduction::<K>(&late, &child, &context);
                let reduced = (new_depth - reduction).clamp(1, new_depth.max(1));
                value = -self.node::<NonPv>(&child, -alpha - 1, -alpha, reduced, ply + 1, NodeType::Cut);
                if value > alpha && reduced < new_depth {
                    let retry_depth =
                        new_depth + i32::from(value > best + 60) - i32::from(value < best + new_depth);
                    if retry_depth > reduced {
                        value =
                            -self.node::<NonPv>(&child, -alpha - 1, -alpha, retry_depth, ply + 1, opposite);
                        self.update_retried(mv, value, &context, &quiet_context);
                    }
                }
            } else if !K::PV || number > 1 {
                value = -self.node::<NonPv>(&child, -alpha - 1, -alpha, new_depth, ply + 1, opposite);
            }
            if K::PV && (number == 1 || value > alpha) {
                value = -self.node::<Pv>(&child, -beta, -alpha, new_depth, ply + 1, NodeType::All);
            }
            self.leave();
            self.frame_mut(ply + 1).double_extensions = self.frame(ply).double_extensions;
            if self.is_stopped() {
                return 0;
            }

            // 13. Compare the score with the best one and the window.
            if K::ROOT {
                self.update_root_move(mv, value, alpha, number, nodes_before);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    (alpha, context.alpha) = (value, value);
                    if K::PV {
                        self.lines.set(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
            if mv.is_tactical() { captures.push(mv) } else { quiets.push(mv) }
        }

        // 14. No move was searched: mate, stalemate, or only the excluded move is legal.
        if number == 0 {
            return self.value_without_moves(position, alpha, ply);
        }

        // 15. Update the history tables on a cutoff, the transposition table and the correction history.
        if best >= beta
            && let Some(mv) = best_move
        {
            self.update_histories(position, mv, &quiets, &captures, &context, &quiet_context);
        }
        let inside = if best_move.is_some() { Bound::Exact } else { Bound::Upper };
        let bound = if best >= beta { Bound::Lower } else { inside };
        if excluded.is_none() && !(K::ROOT && self.root_moves.is_secondary()) {
            let mv = best_move.map_or(PackedMove::NONE, PackedMove::pack);
            let found = TableHit { mv, value: best, eval: raw_eval, depth, bound, on_pv };
            self.shared.table.store(position.key(), ply, found);
            self.update_corrections(position, best_move, best, bound, &context);
        }
        best
    }

    /// Step 14: returns the score of a node in which no move was searched.
    fn value_without_moves(&self, position: &Position, alpha: Value, ply: usize) -> Value {
        match self.frame(ply).excluded {
            Some(_) => alpha,
            None if position.in_check() => mated_in(ply),
            None => self.draw_value(position.turn()),
        }
    }

    /// Step 5: sets the static evaluation of the frame; returns the uncorrected one for the table.
    fn static_eval(&mut self, position: &Position, ply: usize, hit: Option<TableHit>) -> Option<Value> {
        if position.in_check() {
            self.frame_mut(ply).eval = None;
            return None;
        }
        // A singular search uses the evaluation of the node it belongs to.
        if self.frame(ply).excluded.is_some() {
            return None;
        }
        let raw_eval = hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(position));
        let last = self.last_piece_to(ply);
        let eval = self.memory.corrections.apply(raw_eval, position, last, self.params());
        self.frame_mut(ply).eval = Some(eval);
        Some(raw_eval)
    }

    /// Step 13 at the root: stores the results of a root move.
    fn update_root_move(&mut self, mv: Move, value: Value, alpha: Value, number: usize, nodes_before: u64) {
        let effort = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let Some(root) = self.root_moves.get_mut(mv) else { return };
        root.effort += effort;
        if number == 1 || value > alpha {
            root.value = value;
            root.seldepth = seldepth;
            root.line.clear();
            root.line.push(mv);
            root.line.extend_from_slice(self.lines.get(1));
        } else {
            root.value = -INFINITE;
        }
    }
}
