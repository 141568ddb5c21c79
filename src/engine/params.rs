//! The margins of the search, declared once like the weights of the evaluation.

use crate::engine::declare;

declare! {
    /// Every number that shapes the tree. Depths are plies, margins centipawns, unless the line says otherwise.
    pub struct SearchParams {
        iteration {
            /// Half the first window around the score of the iteration before.
            aspiration_window: i32 = 14, 4..=80, step 2;
            /// Growth of a window that was missed, in hundredths.
            aspiration_growth: i32 = 45, 10..=200, step 5;
        }
        pruning {
            /// Deepest node that a static score far above beta ends.
            reverse_futility_depth: i32 = 9, 1..=14, step 1;
            /// Margin of that step per ply.
            reverse_futility_margin: i32 = 72, 20..=200, step 4;
            /// What an improving side takes off that margin, in centipawns.
            reverse_futility_improving: i32 = 65, 0..=200, step 5;
            /// Deepest node that a hopeless static score sends to quiescence.
            razor_depth: i32 = 4, 0..=8, step 1;
            /// Razoring margin at depth zero.
            razor_base: i32 = 180, 50..=600, step 15;
            /// Razoring margin per ply.
            razor_slope: i32 = 170, 20..=500, step 15;
            /// Plies that every null move saves.
            null_base: i32 = 4, 2..=6, step 1;
            /// Depth per further ply that a null move saves.
            null_depth_divisor: i32 = 4, 2..=8, step 1;
            /// Centipawns above beta per further ply that a null move saves.
            null_eval_divisor: i32 = 190, 50..=500, step 10;
            /// Static score below beta that a null move forgives per ply.
            null_slope: i32 = 18, 0..=60, step 2;
            /// Static score below beta that a null move forgives at depth zero, taken off.
            null_margin: i32 = 150, 0..=400, step 10;
            /// Depth from which a null move's cut is verified.
            null_verification_depth: i32 = 14, 6..=30, step 1;
            /// Least depth of a capture's shallow proof.
            probcut_depth: i32 = 5, 3..=12, step 1;
            /// How far above beta that proof must come.
            probcut_margin: i32 = 175, 50..=500, step 10;
            /// Quiet moves tried at depth zero before the rest is dropped.
            late_move_base: i32 = 4, 1..=12, step 1;
            /// Deepest reduced depth at which a hopeless quiet move is dropped.
            futility_depth: i32 = 9, 1..=14, step 1;
            /// Futility margin at depth zero.
            futility_base: i32 = 95, 0..=400, step 10;
            /// Futility margin per ply.
            futility_slope: i32 = 95, 20..=300, step 5;
            /// Deepest reduced depth at which a quiet move is dropped for its history.
            history_pruning_depth: i32 = 5, 0..=10, step 1;
            /// History per ply below which a quiet move is dropped.
            history_pruning_slope: i32 = 3200, 500..=9000, step 200;
            /// Exchange loss that a quiet move may cost per squared ply.
            quiet_exchange_slope: i32 = 20, 5..=80, step 2;
            /// Exchange loss that a capture may cost per ply.
            capture_exchange_slope: i32 = 95, 30..=300, step 5;
        }
        extension {
            /// Least depth at which the table's move is asked whether it stands alone.
            singular_depth: i32 = 7, 4..=14, step 1;
            /// How far below the table's score the others must stay, in sixteenths per ply.
            singular_slope: i32 = 24, 4..=80, step 2;
            /// How much further below they must stay for two plies more.
            double_extension_margin: i32 = 20, 0..=100, step 2;
        }
        reduction {
            /// Reduction of every late move, in 1024ths of a ply.
            reduction_base: i32 = 680, 0..=2048, step 32;
            /// Divisor of the logarithms' product, in hundredths.
            reduction_divisor: i32 = 225, 120..=400, step 5;
            /// Added where no exact score is sought, in 1024ths.
            reduction_non_pv: i32 = 600, 0..=2048, step 64;
            /// Added where a cut is expected, in 1024ths.
            reduction_cut_node: i32 = 1100, 0..=3072, step 64;
            /// Added where the side does not improve, in 1024ths.
            reduction_not_improving: i32 = 700, 0..=2048, step 64;
            /// Added where the table's move is a capture, in 1024ths.
            reduction_table_capture: i32 = 700, 0..=2048, step 64;
            /// Taken off for killers and counter-moves, in 1024ths.
            reduction_refutation: i32 = 1000, 0..=3072, step 64;
            /// Taken off for moves that give check, in 1024ths.
            reduction_check: i32 = 900, 0..=3072, step 64;
            /// Taken off on lines that once were principal, in 1024ths.
            reduction_on_pv: i32 = 900, 0..=3072, step 64;
            /// History worth one ply.
            reduction_history: i32 = 8600, 2000..=32000, step 400;
        }
        history {
            /// Bonus per ply of a move that cut.
            bonus_slope: i32 = 170, 20..=500, step 10;
            /// Bonus at depth zero, taken off.
            bonus_offset: i32 = 90, 0..=400, step 10;
            /// Most that one cut adds.
            bonus_most: i32 = 1700, 400..=4000, step 100;
            /// Malus per ply of a move tried in vain.
            malus_slope: i32 = 190, 20..=600, step 10;
            /// Malus at depth zero, taken off.
            malus_offset: i32 = 70, 0..=400, step 10;
            /// Most that one cut takes away.
            malus_most: i32 = 1400, 400..=4000, step 100;
            /// Weight of the correction by pawn structure, in 512ths.
            correction_pawn: i32 = 160, 0..=512, step 8;
            /// Weight of the corrections by either side's pieces, in 512ths.
            correction_pieces: i32 = 130, 0..=512, step 8;
            /// Weight of the correction by the last move, in 512ths.
            correction_move: i32 = 110, 0..=512, step 8;
        }
        quiescence {
            /// What a capture may miss alpha by, beyond what it takes.
            delta_margin: i32 = 165, 30..=500, step 10;
            /// How far below alpha quiet checks are still tried.
            check_margin: i32 = 60, 0..=400, step 10;
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
