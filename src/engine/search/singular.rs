//! Singular extensions: a search of all moves but the table move.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::Value;
use crate::engine::score::is_mate;
use crate::engine::search::node::{NodeContext, NodeKind, NonPv};
use crate::engine::search::pruning::{self, NodeType};
use crate::engine::search::thread::Search;

/// The result of a singular search.
pub(super) enum SingularResult {
    /// Extend the table move by this many plies; negative for a reduction.
    Extend(i32),
    /// Multi-cut: return this score from the node.
    Cut(Value),
}

impl Search<'_> {
    /// Step 10: searches all moves but the table move, to find out whether one comes near its score.
    pub(super) fn singular<K: NodeKind>(
        &mut self,
        position: &Position,
        mv: Move,
        context: &NodeContext,
    ) -> SingularResult {
        let NodeContext { ply, depth, beta, expected, .. } = *context;
        let params = self.params();
        let Some(hit) = context.hit else { return SingularResult::Extend(0) };
        if depth < params.singular_depth
            || ply as i32 >= 2 * self.root_depth
            || hit.depth < depth - 3
            || hit.bound == Bound::Upper
            || is_mate(hit.value)
        {
            return SingularResult::Extend(0);
        }
        let target = pruning::singular_target(params, hit.value, depth);
        self.frame_mut(ply).excluded = Some(mv);
        let value = self.node::<NonPv>(position, target - 1, target, (depth - 1) / 2, ply, expected);
        self.frame_mut(ply).excluded = None;
        if value < target {
            let far = !K::PV && value < target - params.double_extension_margin;
            let double = far && self.frame(ply).double_extensions < 8;
            SingularResult::Extend(if double { 2 } else { 1 })
        } else if target >= beta {
            // Multi-cut: at least two moves beat beta at reduced depth.
            SingularResult::Cut(target)
        } else if hit.value >= beta {
            SingularResult::Extend(-2)
        } else {
            SingularResult::Extend(-i32::from(expected == NodeType::Cut))
        }
    }
}
