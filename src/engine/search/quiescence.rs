//! Quiescence search: captures, promotions, and checks on the first ply, until the position is quiet.

use crate::chess::Position;
use crate::engine::Bound;
use crate::engine::score::{INFINITE, MATE_THRESHOLD, Value, mated_in};
use crate::engine::search::history::QuietContext;
use crate::engine::search::node::NodeKind;
use crate::engine::search::picker::{MoveFilter, Picker, Refutations, captured_kind};
use crate::engine::search::see::SEE_VALUES;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

/// The ply of a quiescence node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuiescencePly {
    /// The first ply, in which quiet checks are searched too.
    First,
    /// Any later ply.
    Later,
}

/// The stand-pat score: what the side to move has without playing a capture.
struct StandPat {
    /// The uncorrected static evaluation, for the table; `None` in check.
    raw_eval: Option<Value>,
    /// The stand-pat score; minus infinity in check.
    best: Value,
}

impl Search<'_> {
    /// Returns the quiescence score of a position, within the window.
    pub(super) fn quiescence<K: NodeKind>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        quiescence_ply: QuiescencePly,
    ) -> Value {
        // 1. The search is stopped, the game is over, or the maximum ply is reached.
        if self.visit() {
            return 0;
        }
        self.lines.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if let Some(value) = self.terminal_value(position, ply) {
            return value;
        }

        // 2. Transposition table.
        let hit = self.shared.table.probe(position.key(), ply);
        if let Some(hit) = hit.filter(|hit| !K::PV && hit.cuts_off(alpha, beta)) {
            return hit.value;
        }

        // 3. StandPat pat: captures are not forced.
        let StandPat { raw_eval, mut best } = self.stand_pat(position, ply, hit);
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let futile = best.saturating_add(self.params().delta_margin);

        // 4. Move loop with delta pruning: captures that cannot reach alpha even with a margin are skipped.
        let mut picker = self.quiescence_picker(position, ply, alpha - best, quiescence_ply, hit);
        let (mut best_move, mut number, mut prefetched) = (None, 0, None);
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.move_lists[ply]) {
            if Some(mv) != prefetched {
                self.prefetch_child(position, mv);
            }
            number += 1;
            if best > -MATE_THRESHOLD {
                if raw_eval.is_none() && !mv.is_tactical() && number > 2 {
                    picker.skip_quiets();
                    continue;
                }
                if raw_eval.is_some() && mv.is_capture() && mv.promotion().is_none() {
                    let optimistic = futile + SEE_VALUES[captured_kind(position, mv).index()];
                    if optimistic <= alpha && !position.gives_check(mv) {
                        best = best.max(optimistic);
                        continue;
                    }
                }
            }

            // 5. Make the move and search it.
            prefetched = self.prefetch_upcoming(position, &picker, ply);
            let child = position.play(mv);
            self.enter(ply, mv, child.key());
            let value = -self.quiescence::<K>(&child, -beta, -alpha, ply + 1, QuiescencePly::Later);
            self.leave();
            if self.is_stopped() {
                return 0;
            }
            best = best.max(value);
            if value > alpha {
                best_move = Some(mv);
                alpha = value;
                if K::PV {
                    self.lines.set(ply, mv);
                }
                if value >= beta {
                    break;
                }
            }
        }

        // 6. In check without a legal move: mate.
        if position.in_check() && number == 0 {
            return mated_in(ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let mv = best_move.map_or(PackedMove::NONE, PackedMove::pack);
        let on_pv = hit.is_some_and(|hit| hit.on_pv);
        let found = TableHit { mv, value: best, eval: raw_eval, depth: 0, bound, on_pv };
        self.shared.table.store(position.key(), ply, found);
        best
    }

    fn stand_pat(&mut self, position: &Position, ply: usize, hit: Option<TableHit>) -> StandPat {
        if position.in_check() {
            return StandPat { raw_eval: None, best: -INFINITE };
        }
        let raw_eval = hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(position));
        let last = self.last_piece_to(ply);
        let eval = self.memory.corrections.apply(raw_eval, position, last, self.params());
        StandPat { raw_eval: Some(raw_eval), best: hit.map_or(eval, |hit| hit.refine(eval)) }
    }

    /// Returns the moves to search: all evasions in check, otherwise captures, and quiet checks on the first ply if
    /// stand pat is `missing` at most the check margin to alpha.
    fn quiescence_picker(
        &self,
        position: &Position,
        ply: usize,
        missing: Value,
        quiescence_ply: QuiescencePly,
        hit: Option<TableHit>,
    ) -> Picker {
        let filter = if position.in_check() {
            MoveFilter::All
        } else if quiescence_ply == QuiescencePly::First && missing <= self.params().check_margin {
            MoveFilter::CapturesAndChecks
        } else {
            MoveFilter::Captures { at_least: 0 }
        };
        let table_move = hit
            .and_then(|hit| hit.mv.unpack(position))
            .filter(|mv| filter == MoveFilter::All || mv.is_tactical());
        let context = match filter {
            MoveFilter::Captures { .. } => QuietContext::NONE,
            MoveFilter::All | MoveFilter::CapturesAndChecks => self.quiet_context(position, ply),
        };
        Picker::new(filter, table_move, Refutations::NONE, context)
    }
}
