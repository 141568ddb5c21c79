//! The steps of a node that decide by arithmetic alone: what to cut, drop, extend and reduce.

use crate::engine::SearchParams;
use crate::engine::score::Value;

/// Whether the side to move stands better than at its last turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trend {
    Improving,
    Declining,
}

/// What the parent expects of a node whose exact score nobody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// One move refutes the parent's.
    Cut,
    /// Every move must be tried.
    All,
}

impl Expect {
    /// What a node expects of the children it does not believe in.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Cut => Self::All,
            Self::All => Self::Cut,
        }
    }
}

/// How far above beta a static score must stand to end a node.
pub(super) fn reverse_futility_margin(params: &SearchParams, depth: i32, trend: Trend) -> Value {
    let relief = if trend == Trend::Improving { params.reverse_futility_improving } else { 0 };
    (params.reverse_futility_margin * depth - relief).max(0)
}

/// How far below alpha a static score must stand to ask quiescence only.
pub(super) fn razor_margin(params: &SearchParams, depth: i32) -> Value {
    params.razor_base + params.razor_slope * depth
}

/// How deep the answer to a null move is searched; `ahead` is what the static score stands above beta.
pub(super) fn null_move_depth(params: &SearchParams, depth: i32, ahead: Value) -> i32 {
    depth
        - params.null_base
        - depth / params.null_depth_divisor
        - (ahead / params.null_eval_divisor).clamp(0, 4)
}

/// The least static score, as a distance from beta, at which a null move is worth trying.
pub(super) fn null_move_margin(params: &SearchParams, depth: i32) -> Value {
    params.null_margin - params.null_slope * depth
}

/// How many moves are tried at this depth before quiet ones are dropped unseen.
pub(super) fn late_move_count(params: &SearchParams, depth: i32, trend: Trend) -> usize {
    let full = params.late_move_base + depth * depth;
    (if trend == Trend::Improving { full } else { full / 2 }) as usize
}

/// How far below alpha a static score must stand to drop a quiet move.
pub(super) fn futility_margin(params: &SearchParams, reduced_depth: i32) -> Value {
    params.futility_base + params.futility_slope * reduced_depth.max(0)
}

/// The record below which a quiet move is dropped.
pub(super) fn history_floor(params: &SearchParams, depth: i32) -> i32 {
    -params.history_pruning_slope * depth
}

/// The exchange result below which a quiet move is dropped.
pub(super) fn quiet_exchange_floor(params: &SearchParams, reduced_depth: i32) -> Value {
    -params.quiet_exchange_slope * reduced_depth.max(0) * reduced_depth.max(0)
}

/// The exchange result below which a capture is dropped.
pub(super) fn capture_exchange_floor(params: &SearchParams, depth: i32) -> Value {
    -params.capture_exchange_slope * depth
}

/// The score that every other move must miss for the table's move to stand alone.
pub(super) fn singular_target(params: &SearchParams, table_value: Value, depth: i32) -> Value {
    table_value - params.singular_slope * depth / 16
}

/// What a cut adds to the record of the move that made it.
pub(super) fn history_bonus(params: &SearchParams, depth: i32) -> i32 {
    (params.bonus_slope * depth - params.bonus_offset).clamp(0, params.bonus_most)
}

/// What a cut takes from the record of the moves tried before it.
pub(super) fn history_malus(params: &SearchParams, depth: i32) -> i32 {
    (params.malus_slope * depth - params.malus_offset).clamp(0, params.malus_most)
}

/// Base reductions by depth and move number, in 1024ths of a ply.
///
/// Whole numbers throughout, so that a search is the same on every machine.
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

/// The natural logarithm in 1024ths, by repeated squaring.
fn natural_log(n: u64) -> i64 {
    const FRACTION_BITS: u32 = 20;
    let whole = n.ilog2();
    let mut mantissa = (n << 31) >> whole;
    let mut log2 = u64::from(whole) << FRACTION_BITS;
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
    fn logarithms_in_whole_numbers_agree_with_the_real_ones() {
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
    fn an_improving_side_is_cut_sooner_above_beta_and_later_below_alpha() {
        let params = SearchParams::default();
        let margin = |trend| reverse_futility_margin(&params, 5, trend);
        assert!(margin(Trend::Improving) < margin(Trend::Declining));
        let count = |trend| late_move_count(&params, 5, trend);
        assert!(count(Trend::Improving) > count(Trend::Declining));
    }
}
