//! Margins and formulas of pruning, extensions and reductions; pure functions of the parameters.

use crate::engine::SearchParams;
use crate::engine::score::Value;

/// Whether the static evaluation of the side to move is better than at its previous turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trend {
    Improving,
    Declining,
}

/// The expected type of a node searched with a null window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeType {
    /// A cut node: one move is expected to cause a beta cutoff.
    Cut,
    /// An all node: no move is expected to raise alpha.
    All,
}

impl NodeType {
    /// Returns the expected type of a child.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Cut => Self::All,
            Self::All => Self::Cut,
        }
    }
}

/// Returns the margin above beta for reverse futility pruning.
pub(super) fn reverse_futility_margin(params: &SearchParams, depth: i32, trend: Trend) -> Value {
    let improving = if trend == Trend::Improving { params.reverse_futility_improving } else { 0 };
    (params.reverse_futility_margin * depth - improving).max(0)
}

/// Returns the margin below alpha for razoring.
pub(super) fn razor_margin(params: &SearchParams, depth: i32) -> Value {
    params.razor_base + params.razor_slope * depth
}

/// Returns the depth of the search after a null move; `margin` is the static score minus beta.
pub(super) fn null_move_depth(params: &SearchParams, depth: i32, margin: Value) -> i32 {
    depth
        - params.null_base
        - depth / params.null_depth_divisor
        - (margin / params.null_eval_divisor).clamp(0, 4)
}

/// Returns the margin above beta that the static evaluation must have for a null move; may be negative.
pub(super) fn null_move_margin(params: &SearchParams, depth: i32) -> Value {
    params.null_margin - params.null_slope * depth
}

/// Returns the number of moves after which quiet moves are pruned (late move pruning).
pub(super) fn late_move_count(params: &SearchParams, depth: i32, trend: Trend) -> usize {
    let full = params.late_move_base + depth * depth;
    (if trend == Trend::Improving { full } else { full / 2 }) as usize
}

/// Returns the margin below alpha for futility pruning of quiet moves.
pub(super) fn futility_margin(params: &SearchParams, reduced_depth: i32) -> Value {
    params.futility_base + params.futility_slope * reduced_depth.max(0)
}

/// Returns the history score below which a quiet move is pruned.
pub(super) fn history_floor(params: &SearchParams, depth: i32) -> i32 {
    -params.history_pruning_slope * depth
}

/// Returns the static exchange result below which a quiet move is pruned.
pub(super) fn quiet_exchange_floor(params: &SearchParams, reduced_depth: i32) -> Value {
    -params.quiet_exchange_slope * reduced_depth.max(0) * reduced_depth.max(0)
}

/// Returns the static exchange result below which a capture is pruned.
pub(super) fn capture_exchange_floor(params: &SearchParams, depth: i32) -> Value {
    -params.capture_exchange_slope * depth
}

/// Returns the score that all other moves must miss for the table move to be singular.
pub(super) fn singular_target(params: &SearchParams, table_value: Value, depth: i32) -> Value {
    table_value - params.singular_slope * depth / 16
}

/// Returns the history bonus of the move that caused a beta cutoff.
pub(super) fn history_bonus(params: &SearchParams, depth: i32) -> i32 {
    (params.bonus_slope * depth - params.bonus_offset).clamp(0, params.bonus_most)
}

/// Returns the history bonus of a quiet move that raised the static evaluation by `change`; negative if it lowered it.
pub(super) fn eval_change_bonus(params: &SearchParams, change: Value) -> i32 {
    (change * params.eval_change_slope).clamp(-params.eval_change_most, params.eval_change_most)
}

/// Returns the history malus of the moves searched before the one that caused a beta cutoff.
pub(super) fn history_malus(params: &SearchParams, depth: i32) -> i32 {
    (params.malus_slope * depth - params.malus_offset).clamp(0, params.malus_most)
}

/// Base late move reductions by depth and move number, in 1024ths of a ply.
///
/// They are computed in integers, so that a search is the same on every machine.
pub(in crate::engine) struct Reductions(Box<[[i32; 64]; 64]>);

impl Reductions {
    pub(in crate::engine) fn new(params: &SearchParams) -> Self {
        let mut table = Box::new([[0; 64]; 64]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, cell) in row.iter_mut().enumerate().skip(1) {
                let product = natural_log(depth as u64) * natural_log(number as u64) / 1024;
                *cell = params.reduction_base + (product * 100 / i64::from(params.reduction_divisor)) as i32;
            }
        }
        Self(table)
    }

    #[inline(always)]
    pub(super) fn base(&self, depth: i32, number: usize) -> i32 {
        self.0[depth.clamp(0, 63) as usize][number.min(63)]
    }
}

/// Returns the natural logarithm in 1024ths, by repeated squaring.
fn natural_log(n: u64) -> i64 {
    const FRACTION_BITS: u32 = 20;
    let exponent = n.ilog2();
    let mut mantissa = (n << 31) >> exponent;
    let mut log2 = u64::from(exponent) << FRACTION_BITS;
    for bit in (0..FRACTION_BITS).rev() {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            log2 |= 1 << bit;
        }
    }
    // ln 2 in 2^20ths.
    (log2 as i64 * 726_817) >> (FRACTION_BITS + 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_logarithms_agree_with_floating_point_ones() {
        for n in 1..=64u64 {
            let exact = (n as f64).ln() * 1024.0;
            assert!((natural_log(n) as f64 - exact).abs() < 2.0, "ln {n}: {} {exact}", natural_log(n));
        }
    }

    #[test]
    fn later_and_deeper_moves_are_reduced_more() {
        let reductions = Reductions::new(&SearchParams::default());
        assert!(reductions.base(10, 20) > reductions.base(10, 4));
        assert!(reductions.base(20, 10) > reductions.base(5, 10));
        assert_eq!(reductions.base(200, 300), reductions.base(63, 63));
    }

    #[test]
    fn an_improving_side_is_pruned_sooner_above_beta_and_later_below_alpha() {
        let params = SearchParams::default();
        let margin = |trend| reverse_futility_margin(&params, 5, trend);
        assert!(margin(Trend::Improving) < margin(Trend::Declining));
        let count = |trend| late_move_count(&params, 5, trend);
        assert!(count(Trend::Improving) > count(Trend::Declining));
    }
}
