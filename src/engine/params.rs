//! The parameters of the search, declared in one table like the weights of the evaluation.

use crate::engine::declare;

declare! {
    /// The parameters of the search. Depths are in plies and margins in centipawns unless stated otherwise.
    pub struct SearchParams {
        iteration {
            /// Half-width of the first aspiration window.
            aspiration_window: i32 = 14, 4..=80, step 2;
            /// Growth of the aspiration window after a fail high or fail low, in percent.
            aspiration_growth: i32 = 45, 10..=200, step 5;
        }
        pruning {
            /// Maximum depth of reverse futility pruning.
            reverse_futility_depth: i32 = 9, 1..=14, step 1;
            /// Reverse futility margin per ply.
            reverse_futility_margin: i32 = 77, 20..=200, step 4;
            /// Amount subtracted from the reverse futility margin if the side to move is improving.
            reverse_futility_improving: i32 = 43, 0..=200, step 5;
            /// Maximum depth of razoring.
            razor_depth: i32 = 4, 0..=8, step 1;
            /// Razoring margin at depth 0.
            razor_base: i32 = 520, 50..=600, step 15;
            /// Razoring margin per ply.
            razor_slope: i32 = 247, 20..=500, step 15;
            /// Constant part of the null-move reduction.
            null_base: i32 = 4, 2..=6, step 1;
            /// Depth that adds one ply to the null-move reduction.
            null_depth_divisor: i32 = 4, 2..=8, step 1;
            /// Score above beta that adds one ply to the null-move reduction, four plies at most.
            null_eval_divisor: i32 = 240, 50..=500, step 10;
            /// Amount by which the static score required for a null move falls per ply of depth.
            null_slope: i32 = 25, 0..=60, step 2;
            /// Static score above beta required for a null move at depth 0.
            null_margin: i32 = 165, 0..=400, step 10;
            /// Minimum depth at which a null-move cutoff is verified.
            null_verification_depth: i32 = 14, 6..=30, step 1;
            /// Minimum depth of ProbCut.
            probcut_depth: i32 = 5, 3..=12, step 1;
            /// Margin above beta that the shallow ProbCut search must reach.
            probcut_margin: i32 = 192, 50..=500, step 10;
            /// Moves searched at depth 0 before late move pruning skips the remaining quiet moves.
            late_move_base: i32 = 9, 1..=12, step 1;
            /// Maximum reduced depth of futility pruning.
            futility_depth: i32 = 9, 1..=14, step 1;
            /// Futility margin at reduced depth 0.
            futility_base: i32 = 57, 0..=400, step 10;
            /// Futility margin per ply of reduced depth.
            futility_slope: i32 = 90, 20..=300, step 5;
            /// Maximum depth of history pruning.
            history_pruning_depth: i32 = 5, 0..=10, step 1;
            /// Negative history score per ply below which a quiet move is pruned.
            history_pruning_slope: i32 = 8333, 500..=9000, step 200;
            /// Loss by static exchange that a quiet move may have, per squared ply of reduced depth.
            quiet_exchange_slope: i32 = 36, 5..=80, step 2;
            /// Loss by static exchange that a capture may have, per ply.
            capture_exchange_slope: i32 = 107, 30..=300, step 5;
        }
        extension {
            /// Minimum depth of singular extensions.
            singular_depth: i32 = 7, 4..=14, step 1;
            /// Margin below the table score that all other moves must miss for a singular extension, in sixteenths per ply.
            singular_slope: i32 = 21, 4..=80, step 2;
            /// Additional margin for an extension by two plies.
            double_extension_margin: i32 = 55, 0..=100, step 2;
        }
        reduction {
            /// Constant part of the late move reduction, in 1024ths of a ply.
            reduction_base: i32 = 676, 0..=2048, step 32;
            /// Divisor of ln(depth) * ln(move number) in the late move reduction, in hundredths.
            reduction_divisor: i32 = 195, 120..=400, step 5;
            /// Added to the reduction in non-PV nodes, in 1024ths of a ply.
            reduction_non_pv: i32 = 429, 0..=2048, step 64;
            /// Added to the reduction in expected cut nodes, in 1024ths of a ply.
            reduction_cut_node: i32 = 1054, 0..=3072, step 64;
            /// Added to the reduction if the side to move is not improving, in 1024ths of a ply.
            reduction_not_improving: i32 = 762, 0..=2048, step 64;
            /// Added to the reduction if the table move is a capture, in 1024ths of a ply.
            reduction_table_capture: i32 = 820, 0..=2048, step 64;
            /// Subtracted from the reduction of killers and counter moves, in 1024ths of a ply.
            reduction_refutation: i32 = 1324, 0..=3072, step 64;
            /// Subtracted from the reduction of moves that give check, in 1024ths of a ply.
            reduction_check: i32 = 998, 0..=3072, step 64;
            /// Subtracted from the reduction in nodes that are or were on a principal variation, in 1024ths of a ply.
            reduction_on_pv: i32 = 672, 0..=3072, step 64;
            /// History score that changes the reduction by one ply.
            reduction_history: i32 = 5064, 2000..=32000, step 400;
        }
        history {
            /// History bonus per ply of a move that caused a beta cutoff.
            bonus_slope: i32 = 318, 20..=500, step 10;
            /// Amount subtracted from the history bonus.
            bonus_offset: i32 = 90, 0..=400, step 10;
            /// Maximum history bonus.
            bonus_most: i32 = 1777, 400..=4000, step 100;
            /// History malus per ply of moves searched before the one that caused a beta cutoff.
            malus_slope: i32 = 355, 20..=600, step 10;
            /// Amount subtracted from the history malus.
            malus_offset: i32 = 70, 0..=400, step 10;
            /// Maximum history malus.
            malus_most: i32 = 2044, 400..=4000, step 100;
            /// History bonus of a quiet move per centipawn by which it raised the static evaluation.
            eval_change_slope: i32 = 13, 0..=40, step 1;
            /// Maximum history bonus or malus of a change of the static evaluation.
            eval_change_most: i32 = 2755, 0..=4000, step 100;
            /// Weight of the pawn structure correction history, in 512ths.
            correction_pawn: i32 = 203, 0..=512, step 8;
            /// Weight of the piece correction histories of both sides, in 512ths.
            correction_pieces: i32 = 198, 0..=512, step 8;
            /// Weight of the last move correction history, in 512ths.
            correction_move: i32 = 385, 0..=512, step 8;
        }
        quiescence {
            /// Delta pruning margin: a capture is skipped if stand pat, the captured piece and this do not exceed alpha.
            delta_margin: i32 = 199, 30..=500, step 10;
            /// Distance of stand pat below alpha up to which quiet checks are searched.
            check_margin: i32 = 173, 0..=400, step 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Declared;

    #[test]
    fn every_default_lies_in_its_range() {
        for spec in SearchParams::specs() {
            assert!((spec.min..=spec.max).contains(&spec.default), "{}", spec.name);
        }
    }
}
