//! Quiescence: plays out captures, promotions and first checks, until the static score can be believed.

use crate::chess::Position;
use crate::engine::Bound;
use crate::engine::score::{INFINITE, MATE_BAND, Value, mated_in};
use crate::engine::search::history::Footprint;
use crate::engine::search::node::NodeKind;
use crate::engine::search::picker::{Choice, Picker, Refutations, taken_kind};
use crate::engine::search::see::EXCHANGE_VALUES;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

/// Where in the quiet search a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Its first ply, where checks are tried too.
    First,
    /// Any later one.
    Later,
}

/// Standing pat: what the side to move has without a move.
struct Stand {
    /// The uncorrected static score, for the table; `None` in check.
    raw: Option<Value>,
    /// The best that is certain.
    best: Value,
}

impl Search<'_> {
    /// The score of a position once nothing hangs, within the window.
    pub(super) fn quiescence<K: NodeKind>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        entry: Entry,
    ) -> Value {
        // 1. The end of the search, of the game, or of the stack.
        if self.visit() {
            return 0;
        }
        self.lines.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if let Some(value) = self.ending(position, ply) {
            return value;
        }

        // 2. What the table knows.
        let known = self.shared.table.probe(position.key(), ply);
        if let Some(known) = known.filter(|known| !K::PV && known.settles(alpha, beta)) {
            return known.value;
        }

        // 3. Standing pat: nobody is forced to capture.
        let Stand { raw, mut best } = self.stand(position, ply, known);
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let futile = best.saturating_add(self.params().delta_margin);

        // 4. The moves worth playing out; those that cannot reach alpha even with a margin are not.
        let mut picker = self.quiescence_picker(position, ply, alpha - best, entry, known);
        let (mut best_move, mut number) = (None, 0);
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.scratch[ply]) {
            number += 1;
            if best > -MATE_BAND {
                if raw.is_none() && !mv.is_tactical() && number > 2 {
                    picker.skip_quiets();
                    continue;
                }
                if raw.is_some() && mv.is_capture() && mv.promotion().is_none() {
                    let hope = futile + EXCHANGE_VALUES[taken_kind(position, mv).index()];
                    if hope <= alpha && !position.gives_check(mv) {
                        best = best.max(hope);
                        continue;
                    }
                }
            }

            // 5. Play it.
            let child = position.play(mv);
            self.enter(ply, Footprint::of(mv), child.key());
            let value = -self.quiescence::<K>(&child, -beta, -alpha, ply + 1, Entry::Later);
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

        // 6. No move out of check is mate.
        if position.in_check() && number == 0 {
            return mated_in(ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let mv = best_move.map_or(PackedMove::NONE, PackedMove::pack);
        let on_pv = known.is_some_and(|known| known.on_pv);
        let found = TableHit { mv, value: best, eval: raw, depth: 0, bound, on_pv };
        self.shared.table.store(position.key(), ply, found);
        best
    }

    fn stand(&mut self, position: &Position, ply: usize, known: Option<TableHit>) -> Stand {
        if position.in_check() {
            return Stand { raw: None, best: -INFINITE };
        }
        let raw = known.and_then(|known| known.eval).unwrap_or_else(|| self.evaluate(position));
        let last = self.last_footprint(ply);
        let eval = self.memory.corrections.apply(raw, position, last, self.params());
        Stand { raw: Some(raw), best: known.map_or(eval, |known| known.refine(eval)) }
    }

    /// Evasions in check, else captures; with checks on the first ply, unless they are `missing` too much.
    fn quiescence_picker(
        &self,
        position: &Position,
        ply: usize,
        missing: Value,
        entry: Entry,
        known: Option<TableHit>,
    ) -> Picker {
        let choice = if position.in_check() {
            Choice::All
        } else if entry == Entry::First && missing <= self.params().check_margin {
            Choice::CapturesAndChecks
        } else {
            Choice::Captures { at_least: 0 }
        };
        let table_move = known
            .and_then(|known| known.mv.unpack(position))
            .filter(|mv| choice == Choice::All || mv.is_tactical());
        Picker::new(choice, table_move, Refutations::NONE, self.trail(ply))
    }
}
