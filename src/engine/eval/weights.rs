//! Every weight of the evaluation, declared once.

use crate::engine::declare;
use crate::engine::eval::squares;
use crate::engine::eval::tables::{
    ByCount, ByFileAndRank, ByPawnSquare, ByRank, BySquare, PlainByCount, zip,
};
use crate::engine::eval::tapered::{Endgame, Middlegame, Tapered};

/// A middlegame and an endgame value.
const fn t(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

declare! {
    /// The weights of the evaluation, in centipawns unless their line says otherwise.
    pub struct Weights {
        material {
            /// A pawn.
            pawn_value: i32 = 84, 0..=300, step 4;
            /// What a pawn is worth more in the endgame.
            pawn_value_extra: Endgame = Endgame(22), -200..=200, step 4;
            /// A knight.
            knight_value: i32 = 332, 0..=900, step 8;
            /// What a knight is worth more in the endgame.
            knight_value_extra: Endgame = Endgame(-22), -300..=300, step 6;
            /// A bishop.
            bishop_value: i32 = 346, 0..=900, step 8;
            /// What a bishop is worth more in the endgame.
            bishop_value_extra: Endgame = Endgame(-20), -300..=300, step 6;
            /// A rook.
            rook_value: i32 = 470, 0..=1200, step 10;
            /// What a rook is worth more in the endgame.
            rook_value_extra: Endgame = Endgame(60), -300..=400, step 8;
            /// A queen.
            queen_value: i32 = 1000, 0..=2000, step 16;
            /// What a queen is worth more in the endgame.
            queen_value_extra: Endgame = Endgame(0), -400..=400, step 12;
            /// Two bishops or more.
            bishop_pair: Tapered = t(28, 52), -100..=200, step 4;
            /// Each knight past the first.
            knight_pair: Tapered = t(-6, -8), -80..=80, step 4;
            /// Each rook past the first.
            rook_pair: Tapered = t(-14, -18), -80..=80, step 4;
            /// A knight, for each own pawn past the fifth.
            knight_per_pawn: Tapered = t(3, 5), -30..=30, step 1;
            /// A rook, for each own pawn past the fifth.
            rook_per_pawn: Tapered = t(-4, -6), -30..=30, step 1;
            /// A side without pawns.
            no_pawns: Tapered = t(-10, -30), -150..=50, step 6;
            /// A lead in material, for each enemy piece gone from the board.
            trade_down_piece: i32 = 3, -20..=30, step 1;
            /// A lead in material, for each own pawn still on the board.
            trade_down_pawn: i32 = 2, -20..=30, step 1;
            /// The right to move.
            tempo: Tapered = t(22, 16), 0..=80, step 3;
        }
        piece_square {
            /// Where a pawn stands.
            pst_pawn: ByPawnSquare = squares::PAWN, -200..=300, step 6;
            /// Where a knight stands.
            pst_knight: BySquare = squares::KNIGHT, -300..=300, step 6;
            /// Where a bishop stands.
            pst_bishop: BySquare = squares::BISHOP, -300..=300, step 6;
            /// Where a rook stands.
            pst_rook: BySquare = squares::ROOK, -300..=300, step 6;
            /// Where a queen stands.
            pst_queen: BySquare = squares::QUEEN, -300..=300, step 6;
            /// Where a king stands.
            pst_king: BySquare = squares::KING, -300..=300, step 6;
        }
        pawns {
            /// A pawn with no own pawn on the files beside it.
            isolated_pawn: Tapered = t(-8, -12), -80..=40, step 3;
            /// The same on a file without enemy pawns ahead.
            isolated_open_pawn: Tapered = t(-8, -8), -80..=40, step 3;
            /// A pawn behind another of its own.
            doubled_pawn: Tapered = t(-6, -22), -80..=40, step 3;
            /// A pawn that its neighbours have passed and that cannot safely step up to them.
            backward_pawn: Tapered = t(-6, -12), -80..=40, step 3;
            /// The same on a file without enemy pawns ahead.
            backward_open_pawn: Tapered = t(-10, -6), -80..=40, step 3;
            /// Two enemy pawns attack an unsupported pawn.
            levered_pawn: Tapered = t(0, -24), -80..=40, step 3;
            /// A pawn beside an own pawn.
            phalanx_pawn: ByRank =
                ByRank(zip([2, 9, 12, 26, 60, 120], [-2, 2, 10, 30, 80, 120])), -100..=300, step 5;
            /// A pawn protected by an own pawn.
            supported_pawn: ByRank =
                ByRank(zip([0, 14, 10, 16, 40, 90], [0, 10, 8, 18, 46, 60])), -100..=300, step 5;
            /// A pawn that would be passed after trades it can win.
            candidate_pawn: ByRank =
                ByRank(zip([0, 2, 6, 14, 28, 0], [2, 6, 12, 30, 50, 0])), -100..=200, step 4;
            /// A d- or e-pawn at home with a piece in front of it.
            blocked_centre_pawn: Tapered = t(-10, 0), -80..=40, step 3;
        }
        passed_pawns {
            /// A passed pawn.
            passed_pawn_rank: ByRank =
                ByRank(zip([-4, -4, -4, 16, 46, 90], [10, 14, 34, 64, 112, 170])), -100..=400, step 6;
            /// A passed pawn, for each king step from its own king to the square before it.
            passed_pawn_own_king: ByRank =
                ByRank(zip([0, 0, 0, 0, 0, 0], [0, -1, -4, -8, -12, -12])), -60..=60, step 2;
            /// A passed pawn, for each king step from the enemy king to the square before it.
            passed_pawn_enemy_king: ByRank =
                ByRank(zip([0, 0, 0, 0, 0, 0], [0, 2, 8, 16, 24, 26])), -60..=80, step 2;
            /// A passed pawn with a piece on the square before it.
            passed_pawn_blocked: ByRank =
                ByRank(zip([0, 0, -4, -10, -16, -24], [-2, -4, -12, -24, -44, -70])), -200..=100, step 5;
            /// A passed pawn whose next square no enemy attacks.
            passed_pawn_safe_step: ByRank =
                ByRank(zip([0, 0, 2, 6, 12, 20], [0, 2, 6, 12, 22, 36])), -100..=200, step 5;
            /// A passed pawn whose whole way no enemy attacks or blocks.
            passed_pawn_free_path: ByRank =
                ByRank(zip([0, 0, 2, 6, 16, 20], [2, 4, 10, 20, 36, 50])), -100..=300, step 5;
            /// A passed pawn whose next square its own side attacks.
            passed_pawn_backed_step: ByRank =
                ByRank(zip([0, 0, 2, 6, 10, 16], [0, 2, 6, 12, 20, 30])), -100..=200, step 5;
            /// A passed pawn that no king can catch when no pieces are left.
            passed_pawn_unstoppable: Endgame = Endgame(420), 0..=1000, step 20;
        }
        minor_pieces {
            /// A knight on a square that no enemy pawn can ever attack, protected by an own pawn.
            knight_outpost: Tapered = t(34, 22), -60..=150, step 4;
            /// A bishop on such a square.
            bishop_outpost: Tapered = t(28, 14), -60..=150, step 4;
            /// A knight that can move to such a square.
            knight_outpost_reach: Tapered = t(16, 10), -60..=100, step 3;
            /// A minor piece right behind a pawn.
            minor_behind_pawn: Tapered = t(10, 2), -60..=60, step 2;
            /// A knight, for each king step to its own king.
            knight_king_distance: Tapered = t(-4, -4), -30..=30, step 1;
            /// A bishop, for each king step to its own king.
            bishop_king_distance: Tapered = t(-3, -3), -30..=30, step 1;
            /// A bishop, for each own pawn on its colour.
            bishop_own_pawns: Tapered = t(-2, -5), -30..=30, step 1;
            /// A bishop, for each own pawn on its colour while own central pawns are blocked, per blocked one.
            bishop_blocked_pawns: Tapered = t(-2, -2), -30..=30, step 1;
            /// A bishop, for each central pawn of either side on its colour.
            bishop_central_pawns: Tapered = t(-3, -3), -40..=40, step 2;
            /// A bishop that sees both central squares of its colour past everything but pawns.
            bishop_long_diagonal: Tapered = t(22, 4), -60..=100, step 4;
            /// A bishop, for each enemy pawn in its line, through all pieces.
            bishop_xray_pawns: Tapered = t(-2, -3), -30..=30, step 1;
        }
        major_pieces {
            /// A rook on a file without pawns.
            rook_open_file: Tapered = t(34, 10), -60..=150, step 4;
            /// A rook on a file without own pawns.
            rook_half_open_file: Tapered = t(14, 6), -60..=150, step 3;
            /// A queen on a file without pawns.
            queen_open_file: Tapered = t(-2, 4), -60..=100, step 3;
            /// A queen on a file without own pawns.
            queen_half_open_file: Tapered = t(2, 4), -60..=100, step 3;
            /// Two rooks on one file with nothing between.
            doubled_rooks: Tapered = t(10, 4), -60..=100, step 4;
            /// A rook on the seventh rank, with the king on the eighth or pawns on the seventh.
            rook_seventh: Tapered = t(6, 18), -60..=120, step 4;
            /// A rook behind an own passed pawn.
            rook_behind_passer: Tapered = t(6, 20), -60..=120, step 4;
            /// A rook behind an enemy passed pawn.
            rook_behind_enemy_passer: Tapered = t(4, 14), -60..=120, step 4;
            /// A rook on a file with a queen of either side.
            rook_queen_file: Tapered = t(6, 4), -60..=80, step 3;
            /// A rook shut in by its own king.
            trapped_rook: Tapered = t(-36, -10), -200..=50, step 6;
            /// The same with no right to castle left.
            trapped_rook_uncastled: Tapered = t(-24, -8), -200..=50, step 6;
            /// A queen that a slider would attack if one piece moved.
            queen_exposed: Tapered = t(-26, -8), -100..=50, step 4;
            /// A queen in the enemy camp where no enemy pawn can attack it.
            queen_infiltration: Tapered = t(-2, 10), -60..=80, step 3;
        }
        mobility {
            /// A knight, for each safe square past the fourth.
            knight_mobility: i32 = 3, -20..=30, step 1;
            /// A knight with this many safe squares.
            knight_mobility_table: ByCount<9> = ByCount(zip(
                [-26, -18, 0, 2, 3, 4, 5, 6, 8],
                [-36, -26, -10, -2, 2, 5, 6, 4, 2],
            )), -200..=200, step 4;
            /// A bishop, for each safe square past the sixth.
            bishop_mobility: i32 = 3, -20..=30, step 1;
            /// A bishop with this many safe squares.
            bishop_mobility_table: ByCount<14> = ByCount(zip(
                [-14, -6, 4, 8, 8, 8, 8, 7, 5, 3, 1, 0, 0, 2],
                [-24, -12, -4, 2, 6, 8, 10, 10, 8, 7, 4, 2, 2, 4],
            )), -200..=200, step 4;
            /// A rook, for each safe square past the seventh.
            rook_mobility: i32 = 3, -20..=30, step 1;
            /// A rook with this many safe squares.
            rook_mobility_table: ByCount<15> = ByCount(zip(
                [-18, -6, 4, 6, 5, 4, 3, 2, 1, 1, 0, -2, -4, -4, -4],
                [-40, -22, -6, 4, 12, 16, 17, 18, 18, 17, 16, 15, 13, 11, 10],
            )), -200..=200, step 4;
            /// A queen, for each safe square past the thirteenth.
            queen_mobility: i32 = 2, -20..=30, step 1;
            /// A queen with this many safe squares.
            queen_mobility_table: ByCount<28> = ByCount(zip(
                [
                    -10, -6, 2, 4, 6, 8, 10, 10, 10, 9, 8, 8, 7, 7, 6, 5, 4, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0,
                ],
                [
                    -30, -24, -14, -6, 0, 4, 8, 11, 13, 14, 15, 16, 16, 16, 16, 16, 16, 15, 15, 14, 14, 14, 14,
                    13, 13, 12, 12, 12,
                ],
            )), -200..=200, step 4;
        }
        threats {
            /// A safe pawn attacks an enemy piece.
            threat_by_pawn: Tapered = t(66, 44), -50..=250, step 5;
            /// A safe pawn step would attack an enemy piece.
            threat_by_push: Tapered = t(20, 18), -50..=150, step 4;
            /// A minor piece attacks a weak or dearer pawn, knight, bishop, rook, queen.
            threat_by_minor: ByCount<5> = ByCount(zip([3, 26, 34, 46, 38], [14, 20, 24, 54, 72])), -80..=250, step 5;
            /// A rook attacks a weak pawn, knight, bishop, rook, or a queen.
            threat_by_rook: ByCount<5> = ByCount(zip([2, 20, 20, 2, 30], [18, 30, 28, 16, 20])), -80..=250, step 5;
            /// The king attacks a weak enemy.
            threat_by_king: Tapered = t(14, 38), -80..=150, step 4;
            /// An enemy stands attacked and undefended, or a piece attacked twice.
            hanging: Tapered = t(30, 16), -50..=150, step 4;
            /// A knight can go where it safely attacks the queen.
            knight_on_queen: Tapered = t(9, 6), -50..=100, step 3;
            /// A slider can go where it safely attacks the queen.
            slider_on_queen: Tapered = t(26, 8), -50..=100, step 3;
            /// A square an enemy piece attacks is also attacked and not given up.
            restricted: Tapered = t(3, 3), -20..=30, step 1;
        }
        king_shelter {
            /// Nearest own pawn on a file at the king, by file and rank.
            king_shelter: ByFileAndRank = ByFileAndRank(zip(
                [
                    -4, 36, 40, 24, 16, 10, 12, //
                    -22, 28, 18, -20, -14, -6, -24, //
                    -6, 34, 12, 0, 14, 4, -16, //
                    -18, -6, -14, -24, -22, -30, -60,
                ],
                [0; 28],
            )), -200..=200, step 4;
            /// Nearest enemy pawn on a file at the king that no own pawn stops, by file and rank.
            pawn_storm: ByFileAndRank = ByFileAndRank(zip(
                [
                    -2, 30, -80, -52, -28, -16, -14, //
                    -8, 10, -54, -36, -18, -8, -4, //
                    0, 26, -66, -26, -6, 2, 0, //
                    0, 10, -48, -14, -4, 4, 4,
                ],
                [0; 28],
            )), -200..=200, step 4;
            /// Nearest enemy pawn on a file at the king, stopped by an own pawn, by its rank.
            pawn_storm_stopped: ByRank =
                ByRank(zip([0, -34, -6, -2, 0, 0], [0, -30, -8, -4, -2, 0])), -150..=80, step 4;
            /// The king on a file without own pawns.
            king_half_open_file: Tapered = t(-12, 4), -100..=60, step 4;
            /// The king on a file without pawns.
            king_open_file: Tapered = t(-14, 0), -100..=60, step 4;
            /// The right to castle, for each side of the board.
            castling_right: Tapered = t(10, 2), -60..=120, step 4;
            /// A king on the wing of its first rank with no rook shut in beside it.
            castled: Tapered = t(14, 0), -60..=120, step 4;
            /// No pawn of either side on the king's wing.
            king_pawnless_wing: Tapered = t(-8, -40), -120..=60, step 4;
            /// The king, for each king step to the nearest pawn.
            king_pawn_distance: Endgame = Endgame(-8), -60..=30, step 2;
        }
        king_danger {
            /// Danger units: a knight bears on the king's surroundings.
            danger_knight: i32 = 20, -20..=120, step 3;
            /// Danger units: a bishop bears on the king's surroundings.
            danger_bishop: i32 = 13, -20..=120, step 3;
            /// Danger units: a rook bears on the king's surroundings.
            danger_rook: i32 = 12, -20..=120, step 3;
            /// Danger units: a queen bears on the king's surroundings.
            danger_queen: i32 = 5, -20..=120, step 3;
            /// Danger units: so many pieces bear on the king's surroundings.
            danger_attackers: PlainByCount<6> = PlainByCount([0, 0, 22, 64, 116, 160]), -100..=400, step 6;
            /// Danger units: an attack on a square beside the king.
            danger_near_attack: i32 = 15, -20..=80, step 2;
            /// Danger units: a square near the king attacked and defended at most by king or queen.
            danger_weak_square: i32 = 40, -20..=150, step 4;
            /// Danger units: a knight can give check safely.
            danger_knight_check: i32 = 180, 0..=500, step 10;
            /// Danger units: a bishop can give check safely.
            danger_bishop_check: i32 = 140, 0..=500, step 10;
            /// Danger units: a rook can give check safely.
            danger_rook_check: i32 = 240, 0..=600, step 10;
            /// Danger units: a queen can give check safely.
            danger_queen_check: i32 = 175, 0..=500, step 10;
            /// Danger units: a square from which a check would be answered by capture.
            danger_unsafe_check: i32 = 30, -20..=120, step 4;
            /// Danger units: a piece pinned to the king or shielding it from a slider.
            danger_pinned: i32 = 22, -20..=120, step 4;
            /// Danger units: the king has so many squares to go to.
            danger_escape: PlainByCount<4> = PlainByCount([30, 14, 4, 0]), -60..=150, step 4;
            /// Danger units: an attack on the king's wing, own camp.
            danger_wing_attack: i32 = 4, -10..=30, step 1;
            /// Danger units: a defended square of the king's wing, own camp.
            danger_wing_defence: i32 = -2, -30..=10, step 1;
            /// Danger units: a file at the king without own pawns.
            danger_open_file: i32 = 14, -20..=80, step 3;
            /// Danger units: the enemy has no queen.
            danger_no_queen: i32 = -190, -500..=0, step 10;
            /// Danger units: a knight stands beside its king.
            danger_knight_defends: i32 = -20, -120..=20, step 4;
            /// Danger units: always.
            danger_base: i32 = -4, -200..=200, step 6;
        }
        space {
            /// A safe central square in the own camp, for each own piece, an eighth each.
            space: Middlegame = Middlegame(7), -20..=40, step 1;
        }
        scaling {
            /// Endgame share, in 64ths, with bishops of opposite colours and nothing else, and each passed pawn adds.
            scale_opposite_bishops: i32 = 26, 0..=64, step 2;
            /// Endgame share, in 64ths, with bishops of opposite colours beside other pieces.
            scale_opposite_bishops_more: i32 = 46, 0..=64, step 2;
            /// Endgame share, in 64ths, of a leader without pawns and a lead of at most a minor piece.
            scale_small_lead: i32 = 8, 0..=64, step 2;
            /// Endgame share, in 64ths, of a leader without pawns in general.
            scale_no_pawns: i32 = 44, 0..=64, step 2;
            /// What each pawn of the leader adds to that share, in 64ths.
            scale_per_pawn: i32 = 7, 0..=20, step 1;
            /// The hundred-move clock's stretch: the score falls by clock / (this many half-moves).
            fifty_moves_stretch: i32 = 220, 101..=1000, step 10;
        }
    }
}
