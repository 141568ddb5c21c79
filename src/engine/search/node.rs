//! The alpha-beta node, in numbered steps; what a step decides by arithmetic alone stands in `pruning`.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::{INFINITE, MATE_BAND, Value, mate_in, mated_in};
use crate::engine::search::history::Footprint;
use crate::engine::search::history_update::Tried;
use crate::engine::search::late_moves::{Fate, LateMove};
use crate::engine::search::picker::{Choice, Picker};
use crate::engine::search::pruning::{Expect, Trend};
use crate::engine::search::quiescence::Entry;
use crate::engine::search::singular::Singular;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

/// What kind of node a search is in, fixed when it is compiled.
pub(super) trait NodeKind {
    /// The node that the search started from.
    const ROOT: bool;
    /// A node whose exact score is sought.
    const PV: bool;
}

/// The root.
pub(super) struct Root;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node of which only a bound is asked.
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

/// What the steps of one node have in common.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) ply: usize,
    pub(super) depth: i32,
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) raw: Option<Value>,
    pub(super) eval: Option<Value>,
    pub(super) trend: Trend,
    pub(super) expect: Expect,
    pub(super) known: Option<TableHit>,
    pub(super) table_move: Option<Move>,
    pub(super) on_pv: bool,
}

impl Search<'_> {
    /// The score of a position searched `depth` plies deep, exact inside the window and a bound outside.
    pub(super) fn node<K: NodeKind>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        expect: Expect,
    ) -> Value {
        // 1. Out of depth: only quiet positions can be judged.
        if depth <= 0 {
            return self.quiescence::<K>(position, alpha, beta, ply, Entry::First);
        }

        // 2. The end of the search, of the game, or of the stack; nor is a mate worth more than a shorter one.
        if self.visit() {
            return 0;
        }
        self.lines.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if !K::ROOT {
            if let Some(value) = self.ending(position, ply) {
                return value;
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 3. What the table knows. Near the fifty-move rule a score found elsewhere is not to be trusted.
        let excluded = self.frame(ply).excluded;
        let known = if excluded.is_some() { None } else { self.shared.table.probe(position.key(), ply) };
        let table_move = if K::ROOT {
            Some(self.root_moves.current().mv)
        } else {
            known.and_then(|known| known.mv.unpack(position))
        };
        if let Some(known) = known
            && !K::PV
            && known.depth >= depth
            && known.settles(alpha, beta)
            && position.halfmove_clock() < 90
        {
            return known.value;
        }

        // 4. The static score, corrected by what such positions taught, and where it is heading.
        let raw = self.static_score(position, ply, known);
        let eval = self.frame(ply).eval;
        let trend = eval.map_or(Trend::Declining, |eval| self.trend(eval, ply));
        let on_pv = K::PV || known.is_some_and(|known| known.on_pv);
        self.frame_mut(ply + 2).killers = [Move::NONE; 2];
        self.frame_mut(ply + 1).double_extensions = self.frame(ply).double_extensions;
        let facts = Facts { ply, depth, alpha, beta, raw, eval, trend, expect, known, table_move, on_pv };

        // 5. Cuts that need no move: reverse futility, razoring, a null move, a capture's shallow proof.
        if !K::PV
            && excluded.is_none()
            && self.shared.takes_risks()
            && let Some(value) = self.cut_without_moves(position, &facts)
        {
            return value;
        }
        if self.is_stopped() {
            return 0;
        }

        // 6. Without a table move the order is poor and depth is wasted: look less deep, to have one next time.
        if depth >= 4 && table_move.is_none() && excluded.is_none() && (K::PV || expect == Expect::Cut) {
            depth -= 1;
        }
        let facts = Facts { depth, ..facts };

        // 7. The moves, best first.
        let trail = self.trail(ply);
        let refutations = self.refutations(ply);
        let mut picker = Picker::new(Choice::All, table_move, refutations, trail);
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut number = 0;
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.scratch[ply]) {
            if Some(mv) == excluded || (K::ROOT && !self.root_moves.offers(mv)) {
                continue;
            }
            number += 1;
            let record = self.record(position, mv, &trail);
            let late = LateMove { mv, number, record, stage: picker.stage(), refutations: &refutations };

            // 8. Late, hopeless and losing moves are dropped unseen, once there is something to fall back on.
            if !K::ROOT && best > -MATE_BAND && self.shared.takes_risks() {
                match self.fate(position, &late, &Facts { alpha, ..facts }) {
                    Fate::Play => {}
                    Fate::Drop => continue,
                    Fate::DropAllQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 9. A table move that stands alone is worth more depth; one that does not may prove a cut.
            let mut extension = 0;
            if !K::ROOT && excluded.is_none() && Some(mv) == table_move {
                match self.singular::<K>(position, mv, &facts) {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(value) => return value,
                }
                if self.is_stopped() {
                    return 0;
                }
            }

            // 10. Play it. Checks that lose nothing are followed further.
            let child = position.play(mv);
            self.enter(ply, Footprint::of(mv), child.key());
            let nodes_before = self.nodes;
            if extension == 0 && child.in_check() && self.follows_check(position, mv, ply) {
                extension = 1;
            }
            if extension >= 2 {
                self.frame_mut(ply + 1).double_extensions += 1;
            }

            // 11. Principal variation search: a null window, reduced for late moves, and more only on success.
            let new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            if depth >= 2 && number > 1 + usize::from(K::ROOT) {
                let reduction = self.reduction::<K>(&late, &child, &facts);
                let reduced = (new_depth - reduction).clamp(1, new_depth.max(1));
                value = -self.node::<NonPv>(&child, -alpha - 1, -alpha, reduced, ply + 1, Expect::Cut);
                if value > alpha && reduced < new_depth {
                    let again =
                        new_depth + i32::from(value > best + 60) - i32::from(value < best + new_depth);
                    if again > reduced {
                        value = -self.node::<NonPv>(
                            &child,
                            -alpha - 1,
                            -alpha,
                            again,
                            ply + 1,
                            expect.opposite(),
                        );
                    }
                }
            } else if !K::PV || number > 1 {
                value =
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, new_depth, ply + 1, expect.opposite());
            }
            if K::PV && (number == 1 || value > alpha) {
                value = -self.node::<Pv>(&child, -beta, -alpha, new_depth, ply + 1, Expect::All);
            }
            self.leave();
            self.frame_mut(ply + 1).double_extensions = self.frame(ply).double_extensions;
            if self.is_stopped() {
                return 0;
            }

            // 12. What it was worth.
            if K::ROOT {
                self.note_root_move(mv, value, alpha, number, nodes_before);
            }
            if value > best {
                best = value;
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
            if mv.is_tactical() { captures.push(mv) } else { quiets.push(mv) }
        }

        // 13. No move: mate, stalemate, or nothing but the move that was left out.
        if number == 0 {
            return self.without_moves(position, alpha, ply);
        }

        // 14. Remember: move records on a cut, the score in the table, the evaluation's error.
        if best >= beta
            && let Some(mv) = best_move
        {
            self.reward(position, mv, &quiets, &captures, &facts);
        }
        let inside = if best_move.is_some() { Bound::Exact } else { Bound::Upper };
        let bound = if best >= beta { Bound::Lower } else { inside };
        if excluded.is_none() && !(K::ROOT && self.root_moves.is_secondary()) {
            let mv = best_move.map_or(PackedMove::NONE, PackedMove::pack);
            let found = TableHit { mv, value: best, eval: raw, depth, bound, on_pv };
            self.shared.table.store(position.key(), ply, found);
            self.learn_error(position, best_move, best, bound, &facts);
        }
        best
    }

    /// Step 13: the score of a node that had nothing to try.
    fn without_moves(&self, position: &Position, alpha: Value, ply: usize) -> Value {
        match self.frame(ply).excluded {
            Some(_) => alpha,
            None if position.in_check() => mated_in(ply),
            None => self.draw_value(position.turn()),
        }
    }

    /// Fills in the frame's static score; gives the uncorrected one for the table.
    fn static_score(&mut self, position: &Position, ply: usize, known: Option<TableHit>) -> Option<Value> {
        if position.in_check() {
            self.frame_mut(ply).eval = None;
            return None;
        }
        // A singular search stands where its parent stands.
        if self.frame(ply).excluded.is_some() {
            return None;
        }
        let raw = known.and_then(|known| known.eval).unwrap_or_else(|| self.evaluate(position));
        let last = self.last_footprint(ply);
        let eval = self.memory.corrections.apply(raw, position, last, self.params());
        self.frame_mut(ply).eval = Some(eval);
        Some(raw)
    }

    fn note_root_move(&mut self, mv: Move, value: Value, alpha: Value, number: usize, nodes_before: u64) {
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
