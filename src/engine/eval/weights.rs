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

// The defaults are the hand-set ones of the first version, tuned by `playself texel` on 95,845 positions of
// self-play; at 2,500 nodes a move they beat their elders by 38 Elo with an error of 22 (800 games).
declare! {
    /// The weights of the evaluation, in centipawns unless their line says otherwise.
    pub struct Weights {
        material {
            /// A pawn.
            pawn_value: i32 = 37, 0..=300, step 4;
            /// What a pawn is worth more in the endgame.
            pawn_value_extra: Endgame = Endgame(56), -200..=200, step 4;
            /// A knight.
            knight_value: i32 = 252, 0..=900, step 8;
            /// What a knight is worth more in the endgame.
            knight_value_extra: Endgame = Endgame(146), -300..=300, step 6;
            /// A bishop.
            bishop_value: i32 = 282, 0..=900, step 8;
            /// What a bishop is worth more in the endgame.
            bishop_value_extra: Endgame = Endgame(156), -300..=300, step 6;
            /// A rook.
            rook_value: i32 = 313, 0..=1200, step 10;
            /// What a rook is worth more in the endgame.
            rook_value_extra: Endgame = Endgame(400), -300..=400, step 8;
            /// A queen.
            queen_value: i32 = 886, 0..=2000, step 16;
            /// What a queen is worth more in the endgame.
            queen_value_extra: Endgame = Endgame(269), -400..=400, step 12;
            /// Two bishops or more.
            bishop_pair: Tapered = t(16, 69), -100..=200, step 4;
            /// Each knight past the first.
            knight_pair: Tapered = t(1, 2), -80..=80, step 4;
            /// Each rook past the first.
            rook_pair: Tapered = t(29, -5), -80..=80, step 4;
            /// A knight, for each own pawn past the fifth.
            knight_per_pawn: Tapered = t(8, 2), -30..=30, step 1;
            /// A rook, for each own pawn past the fifth.
            rook_per_pawn: Tapered = t(9, 6), -30..=30, step 1;
            /// A side without pawns.
            no_pawns: Tapered = t(50, -23), -150..=50, step 6;
            /// A lead in material, for each enemy piece gone from the board.
            trade_down_piece: i32 = 2, -20..=30, step 1;
            /// A lead in material, for each own pawn still on the board.
            trade_down_pawn: i32 = 4, -20..=30, step 1;
            /// The right to move.
            tempo: Tapered = t(19, 17), 0..=80, step 3;
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
            isolated_pawn: Tapered = t(-1, -10), -80..=40, step 3;
            /// The same on a file without enemy pawns ahead.
            isolated_open_pawn: Tapered = t(-6, 7), -80..=40, step 3;
            /// A pawn behind another of its own.
            doubled_pawn: Tapered = t(3, -14), -80..=40, step 3;
            /// A pawn that its neighbours have passed and that cannot safely step up to them.
            backward_pawn: Tapered = t(-2, -11), -80..=40, step 3;
            /// The same on a file without enemy pawns ahead.
            backward_open_pawn: Tapered = t(-8, 3), -80..=40, step 3;
            /// Two enemy pawns attack an unsupported pawn.
            levered_pawn: Tapered = t(-6, -8), -80..=40, step 3;
            /// A pawn beside an own pawn.
            phalanx_pawn: ByRank = ByRank(zip([3, 6, 6, 12, 64, 42], [6, 11, 13, 31, 69, 95])), -100..=300, step 5;
            /// A pawn protected by an own pawn.
            supported_pawn: ByRank = ByRank(zip([0, 8, 9, 13, 22, 129], [0, 24, 9, 22, 61, 89])), -100..=300, step 5;
            /// A pawn that would be passed after trades it can win.
            candidate_pawn: ByRank = ByRank(zip([1, 2, 0, 2, 11, 0], [-4, -7, 18, 41, 110, 0])), -100..=200, step 4;
            /// A d- or e-pawn at home with a piece in front of it.
            blocked_centre_pawn: Tapered = t(-15, 12), -80..=40, step 3;
        }
        passed_pawns {
            /// A passed pawn.
            passed_pawn_rank: ByRank = ByRank(zip([5, -19, -80, -15, 65, 89], [37, 69, 93, 101, 87, 121])), -100..=400, step 6;
            /// A passed pawn, for each king step from its own king to the square before it.
            passed_pawn_own_king: ByRank = ByRank(zip([-8, -1, 15, 5, -3, -15], [5, -5, -18, -22, -24, -34])), -60..=60, step 2;
            /// A passed pawn, for each king step from the enemy king to the square before it.
            passed_pawn_enemy_king: ByRank = ByRank(zip([1, 3, 2, -5, -13, -4], [-6, -8, 9, 26, 47, 53])), -60..=80, step 2;
            /// A passed pawn with a piece on the square before it.
            passed_pawn_blocked: ByRank = ByRank(zip([0, -6, 5, 7, 10, -37], [4, 13, -1, 3, 20, -14])), -200..=100, step 5;
            /// A passed pawn whose next square no enemy attacks.
            passed_pawn_safe_step: ByRank = ByRank(zip([3, -3, 0, 12, 24, -15], [-1, 5, 6, 12, 41, 135])), -100..=200, step 5;
            /// A passed pawn whose whole way no enemy attacks or blocks.
            passed_pawn_free_path: ByRank = ByRank(zip([-68, -66, -59, -66, -32, -15], [40, 32, 39, 59, 107, 135])), -100..=300, step 5;
            /// A passed pawn whose next square its own side attacks.
            passed_pawn_backed_step: ByRank = ByRank(zip([6, -4, 6, 7, 31, 76], [5, 17, 10, 24, 36, 94])), -100..=200, step 5;
            /// A passed pawn that no king can catch when no pieces are left.
            passed_pawn_unstoppable: Endgame = Endgame(293), 0..=1000, step 20;
        }
        minor_pieces {
            /// A knight on a square that no enemy pawn can ever attack, protected by an own pawn.
            knight_outpost: Tapered = t(18, 10), -60..=150, step 4;
            /// A bishop on such a square.
            bishop_outpost: Tapered = t(28, 20), -60..=150, step 4;
            /// A knight that can move to such a square.
            knight_outpost_reach: Tapered = t(15, 7), -60..=100, step 3;
            /// A minor piece right behind a pawn.
            minor_behind_pawn: Tapered = t(2, 14), -60..=60, step 2;
            /// A knight, for each king step to its own king.
            knight_king_distance: Tapered = t(-3, -3), -30..=30, step 1;
            /// A bishop, for each king step to its own king.
            bishop_king_distance: Tapered = t(-2, -3), -30..=30, step 1;
            /// A bishop, for each own pawn on its colour.
            bishop_own_pawns: Tapered = t(0, -2), -30..=30, step 1;
            /// A bishop, for each own pawn on its colour while own central pawns are blocked, per blocked one.
            bishop_blocked_pawns: Tapered = t(0, -2), -30..=30, step 1;
            /// A bishop, for each central pawn of either side on its colour.
            bishop_central_pawns: Tapered = t(-5, -10), -40..=40, step 2;
            /// A bishop that sees both central squares of its colour past everything but pawns.
            bishop_long_diagonal: Tapered = t(16, 16), -60..=100, step 4;
            /// A bishop, for each enemy pawn in its line, through all pieces.
            bishop_xray_pawns: Tapered = t(-3, 2), -30..=30, step 1;
        }
        major_pieces {
            /// A rook on a file without pawns.
            rook_open_file: Tapered = t(27, 8), -60..=150, step 4;
            /// A rook on a file without own pawns.
            rook_half_open_file: Tapered = t(16, 0), -60..=150, step 3;
            /// A queen on a file without pawns.
            queen_open_file: Tapered = t(-4, -4), -60..=100, step 3;
            /// A queen on a file without own pawns.
            queen_half_open_file: Tapered = t(4, 15), -60..=100, step 3;
            /// Two rooks on one file with nothing between.
            doubled_rooks: Tapered = t(9, -3), -60..=100, step 4;
            /// A rook on the seventh rank, with the king on the eighth or pawns on the seventh.
            rook_seventh: Tapered = t(9, 8), -60..=120, step 4;
            /// A rook behind an own passed pawn.
            rook_behind_passer: Tapered = t(13, 6), -60..=120, step 4;
            /// A rook behind an enemy passed pawn.
            rook_behind_enemy_passer: Tapered = t(45, 4), -60..=120, step 4;
            /// A rook on a file with a queen of either side.
            rook_queen_file: Tapered = t(1, -1), -60..=80, step 3;
            /// A rook shut in by its own king.
            trapped_rook: Tapered = t(-3, -9), -200..=50, step 6;
            /// The same with no right to castle left.
            trapped_rook_uncastled: Tapered = t(-5, -17), -200..=50, step 6;
            /// A queen that a slider would attack if one piece moved.
            queen_exposed: Tapered = t(-19, 0), -100..=50, step 4;
            /// A queen in the enemy camp where no enemy pawn can attack it.
            queen_infiltration: Tapered = t(12, -20), -60..=80, step 3;
        }
        mobility {
            /// A knight, for each safe square past the fourth.
            knight_mobility: i32 = 3, -20..=30, step 1;
            /// A knight with this many safe squares.
            knight_mobility_table: ByCount<9> = ByCount(zip([-26, -17, -15, -15, -15, -16, -16, -16, -16], [21, -22, 8, 24, 32, 33, 31, 27, 16])), -200..=200, step 4;
            /// A bishop, for each safe square past the sixth.
            bishop_mobility: i32 = 3, -20..=30, step 1;
            /// A bishop with this many safe squares.
            bishop_mobility_table: ByCount<14> = ByCount(zip([-15, -10, -6, -6, -6, -8, -11, -15, -18, -18, -21, -26, -12, -64], [-24, -6, -1, 17, 25, 26, 28, 33, 26, 23, 13, 18, 1, 26])), -200..=200, step 4;
            /// A rook, for each safe square past the seventh.
            rook_mobility: i32 = 4, -20..=30, step 1;
            /// A rook with this many safe squares.
            rook_mobility_table: ByCount<15> = ByCount(zip([-26, -19, -16, -18, -22, -24, -29, -29, -30, -31, -32, -36, -32, -29, -39], [-49, -6, 21, 30, 37, 42, 44, 40, 40, 39, 35, 35, 27, 23, 24])), -200..=200, step 4;
            /// A queen, for each safe square past the thirteenth.
            queen_mobility: i32 = 2, -20..=30, step 1;
            /// A queen with this many safe squares.
            queen_mobility_table: ByCount<28> = ByCount(zip([-3, -1, -2, -1, -1, -3, -4, -5, -6, -9, -8, -11, -12, -15, -16, -15, -12, -13, -2, 4, 25, 70, 46, 64, 16, -1, -13, -11], [3, -15, -40, -47, -48, -55, -24, 0, 17, 38, 43, 61, 67, 73, 79, 80, 74, 75, 50, 35, 7, -73, -45, -113, -59, -98, -58, -50])), -200..=200, step 4;
        }
        threats {
            /// A safe pawn attacks an enemy piece.
            threat_by_pawn: Tapered = t(57, 52), -50..=250, step 5;
            /// A safe pawn step would attack an enemy piece.
            threat_by_push: Tapered = t(14, 17), -50..=150, step 4;
            /// A minor piece attacks a weak or dearer pawn, knight, bishop, rook, queen.
            threat_by_minor: ByCount<5> = ByCount(zip([2, 7, 33, 50, 44], [20, 30, 35, 29, 56])), -80..=250, step 5;
            /// A rook attacks a weak pawn, knight, bishop, rook, or a queen.
            threat_by_rook: ByCount<5> = ByCount(zip([5, 13, 28, 1, 44], [21, 29, 22, 20, 0])), -80..=250, step 5;
            /// The king attacks a weak enemy.
            threat_by_king: Tapered = t(25, 17), -80..=150, step 4;
            /// An enemy stands attacked and undefended, or a piece attacked twice.
            hanging: Tapered = t(11, 32), -50..=150, step 4;
            /// A knight can go where it safely attacks the queen.
            knight_on_queen: Tapered = t(7, 3), -50..=100, step 3;
            /// A slider can go where it safely attacks the queen.
            slider_on_queen: Tapered = t(16, -11), -50..=100, step 3;
            /// A square an enemy piece attacks is also attacked and not given up.
            restricted: Tapered = t(4, 0), -20..=30, step 1;
        }
        king_shelter {
            /// Nearest own pawn on a file at the king, by file and rank.
            king_shelter: ByFileAndRank = ByFileAndRank(zip(
                [
                    6, 32, 26, 6, 5, 25, 14, //
                    -20, 10, 11, -6, -24, -34, -4, //
                    -14, 15, -5, -12, -21, -12, 51, //
                    -17, -6, -7, -10, -14, -3, 2,
                ],
                [
                    11, -29, -14, -2, -7, 0, 26, //
                    9, -16, -18, -15, 7, 16, 20, //
                    2, -13, -5, -3, -2, 14, 12, //
                    2, 3, -6, -7, 0, 10, 8,
                ],
            )), -200..=200, step 4;
            /// Nearest enemy pawn on a file at the king that no own pawn stops, by file and rank.
            pawn_storm: ByFileAndRank = ByFileAndRank(zip(
                [
                    -27, 32, -5, -9, -5, 4, -2, //
                    -21, -28, -2, -5, -12, -11, -6, //
                    2, 27, -51, 2, 5, 10, 8, //
                    5, -28, -10, 7, 8, 17, 14,
                ],
                [
                    -9, 32, 24, -6, 0, -19, -12, //
                    4, -30, 7, 15, 6, 8, 1, //
                    -5, 28, 9, 7, 1, -9, -15, //
                    14, 0, 3, -2, 3, 10, 0,
                ],
            )), -200..=200, step 4;
            /// Nearest enemy pawn on a file at the king, stopped by an own pawn, by its rank.
            pawn_storm_stopped: ByRank = ByRank(zip([0, -18, 14, 10, 9, 29], [0, -20, -14, -18, -17, -31])), -150..=80, step 4;
            /// The king on a file without own pawns.
            king_half_open_file: Tapered = t(-5, 3), -100..=60, step 4;
            /// The king on a file without pawns.
            king_open_file: Tapered = t(-27, -2), -100..=60, step 4;
            /// The right to castle, for each side of the board.
            castling_right: Tapered = t(11, 10), -60..=120, step 4;
            /// A king on the wing of its first rank with no rook shut in beside it.
            castled: Tapered = t(25, 1), -60..=120, step 4;
            /// No pawn of either side on the king's wing.
            king_pawnless_wing: Tapered = t(54, -64), -120..=60, step 4;
            /// The king, for each king step to the nearest pawn.
            king_pawn_distance: Endgame = Endgame(-16), -60..=30, step 2;
        }
        king_danger {
            /// Danger units: a knight bears on the king's surroundings.
            danger_knight: i32 = -1, -20..=120, step 3;
            /// Danger units: a bishop bears on the king's surroundings.
            danger_bishop: i32 = -9, -20..=120, step 3;
            /// Danger units: a rook bears on the king's surroundings.
            danger_rook: i32 = -19, -20..=120, step 3;
            /// Danger units: a queen bears on the king's surroundings.
            danger_queen: i32 = 11, -20..=120, step 3;
            /// Danger units: so many pieces bear on the king's surroundings.
            danger_attackers: PlainByCount<6> = PlainByCount([24, 13, 32, 59, 70, 68]), -100..=400, step 6;
            /// Danger units: an attack on a square beside the king.
            danger_near_attack: i32 = 9, -20..=80, step 2;
            /// Danger units: a square near the king attacked and defended at most by king or queen.
            danger_weak_square: i32 = 12, -20..=150, step 4;
            /// Danger units: a knight can give check safely.
            danger_knight_check: i32 = 90, 0..=500, step 10;
            /// Danger units: a bishop can give check safely.
            danger_bishop_check: i32 = 58, 0..=500, step 10;
            /// Danger units: a rook can give check safely.
            danger_rook_check: i32 = 115, 0..=600, step 10;
            /// Danger units: a queen can give check safely.
            danger_queen_check: i32 = 78, 0..=500, step 10;
            /// Danger units: a square from which a check would be answered by capture.
            danger_unsafe_check: i32 = 19, -20..=120, step 4;
            /// Danger units: a piece pinned to the king or shielding it from a slider.
            danger_pinned: i32 = 5, -20..=120, step 4;
            /// Danger units: the king has so many squares to go to.
            danger_escape: PlainByCount<4> = PlainByCount([15, 2, -11, -12]), -60..=150, step 4;
            /// Danger units: an attack on the king's wing, own camp.
            danger_wing_attack: i32 = 5, -10..=30, step 1;
            /// Danger units: a defended square of the king's wing, own camp.
            danger_wing_defence: i32 = -2, -30..=10, step 1;
            /// Danger units: a file at the king without own pawns.
            danger_open_file: i32 = 12, -20..=80, step 3;
            /// Danger units: the enemy has no queen.
            danger_no_queen: i32 = -42, -500..=0, step 10;
            /// Danger units: a knight stands beside its king.
            danger_knight_defends: i32 = -19, -120..=20, step 4;
            /// Danger units: always.
            danger_base: i32 = -10, -200..=200, step 6;
        }
        space {
            /// A safe central square in the own camp, for each own piece, an eighth each.
            space: Middlegame = Middlegame(3), -20..=40, step 1;
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
