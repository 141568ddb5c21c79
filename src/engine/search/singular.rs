//! Singular extensions: a search of everything but the table's move.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::Value;
use crate::engine::score::is_mate;
use crate::engine::search::node::{Facts, NodeKind, NonPv};
use crate::engine::search::pruning::{self, Expect};
use crate::engine::search::thread::Search;

/// What the singular search says of the table's move.
pub(super) enum Singular {
    Extend(i32),
    Cut(Value),
}

impl Search<'_> {
    /// Step 9: searches everything but the table's move, to see whether anything comes near it.
    pub(super) fn singular<K: NodeKind>(&mut self, position: &Position, mv: Move, facts: &Facts) -> Singular {
        let Facts { ply, depth, beta, expect, .. } = *facts;
        let params = self.params();
        let Some(known) = facts.known else { return Singular::Extend(0) };
        if depth < params.singular_depth
            || ply as i32 >= 2 * self.root_depth
            || known.depth < depth - 3
            || known.bound == Bound::Upper
            || is_mate(known.value)
        {
            return Singular::Extend(0);
        }
        let target = pruning::singular_target(params, known.value, depth);
        self.frame_mut(ply).excluded = Some(mv);
        let value = self.node::<NonPv>(position, target - 1, target, (depth - 1) / 2, ply, expect);
        self.frame_mut(ply).excluded = None;
        if value < target {
            let far = !K::PV && value < target - params.double_extension_margin;
            let double = far && self.frame(ply).double_extensions < 8;
            Singular::Extend(if double { 2 } else { 1 })
        } else if target >= beta {
            // Two moves beat beta at reduced depth: one of them will.
            Singular::Cut(target)
        } else if known.value >= beta {
            Singular::Extend(-2)
        } else {
            Singular::Extend(-i32::from(expect == Expect::Cut))
        }
    }
}
