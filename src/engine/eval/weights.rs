//! The weights of the evaluation, declared in one table.

use crate::engine::declare;
use crate::engine::eval::squares;
use crate::engine::eval::tables::{
    ByCount, ByFileAndRank, ByPawnSquare, ByRank, BySquare, PlainByCount, zip,
};
use crate::engine::eval::tapered::{Endgame, Middlegame, Tapered};

/// Abbreviates [`Tapered::new`].
const fn t(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

// The defaults are the weights of the fifth tuning round in results/README.md: the plain weights
// (`configs/weights-plain.toml`) with king danger and six scaling weights preset by hand, tuned by `playself texel` on four
// million positions of self-play. Against the previous defaults, which were set by hand and tuned on 95,845 positions,
// they gained 27.5 ± 16.4 Elo at 5,000 nodes per move (SPRT [0, 10], H1 accepted after 1,378 games).
declare! {
    /// The weights of the evaluation, in centipawns unless stated otherwise.
    pub struct Weights {
        material {
            /// Value of a pawn.
            pawn_value: i32 = 37, 0..=300, step 4;
            /// Additional value of a pawn in the endgame.
            pawn_value_extra: Endgame = Endgame(56), -200..=200, step 4;
            /// Value of a knight.
            knight_value: i32 = 252, 0..=900, step 8;
            /// Additional value of a knight in the endgame.
            knight_value_extra: Endgame = Endgame(146), -300..=300, step 6;
            /// Value of a bishop.
            bishop_value: i32 = 282, 0..=900, step 8;
            /// Additional value of a bishop in the endgame.
            bishop_value_extra: Endgame = Endgame(156), -300..=300, step 6;
            /// Value of a rook.
            rook_value: i32 = 313, 0..=1200, step 10;
            /// Additional value of a rook in the endgame.
            rook_value_extra: Endgame = Endgame(400), -300..=400, step 8;
            /// Value of a queen.
            queen_value: i32 = 886, 0..=2000, step 16;
            /// Additional value of a queen in the endgame.
            queen_value_extra: Endgame = Endgame(269), -400..=400, step 12;
            /// Two or more bishops.
            bishop_pair: Tapered = t(16, 69), -100..=200, step 4;
            /// Each knight after the first.
            knight_pair: Tapered = t(1, 2), -80..=80, step 4;
            /// Each rook after the first.
            rook_pair: Tapered = t(29, -5), -80..=80, step 4;
            /// Each knight, per own pawn above five; counts negatively below five.
            knight_per_pawn: Tapered = t(8, 2), -30..=30, step 1;
            /// Each rook, per own pawn above five; counts negatively below five.
            rook_per_pawn: Tapered = t(9, 6), -30..=30, step 1;
            /// Side without pawns.
            no_pawns: Tapered = t(50, -23), -150..=50, step 6;
            /// Side ahead in material, per enemy piece off the board.
            trade_down_piece: i32 = 2, -20..=30, step 1;
            /// Side ahead in material, per own pawn on the board.
            trade_down_pawn: i32 = 4, -20..=30, step 1;
            /// Side to move.
            tempo: Tapered = t(19, 17), 0..=80, step 3;
        }
        piece_square {
            /// Piece-square table of the pawn.
            pst_pawn: ByPawnSquare = squares::PAWN, -200..=300, step 6;
            /// Piece-square table of the knight.
            pst_knight: BySquare = squares::KNIGHT, -300..=300, step 6;
            /// Piece-square table of the bishop.
            pst_bishop: BySquare = squares::BISHOP, -300..=300, step 6;
            /// Piece-square table of the rook.
            pst_rook: BySquare = squares::ROOK, -300..=300, step 6;
            /// Piece-square table of the queen.
            pst_queen: BySquare = squares::QUEEN, -300..=300, step 6;
            /// Piece-square table of the king.
            pst_king: BySquare = squares::KING, -300..=300, step 6;
        }
        pawns {
            /// Isolated pawn: no own pawn on the adjacent files.
            isolated_pawn: Tapered = t(-1, -10), -80..=40, step 3;
            /// Isolated pawn without an enemy pawn ahead on its file.
            isolated_open_pawn: Tapered = t(-6, 7), -80..=40, step 3;
            /// Doubled pawn: an own pawn ahead on its file, and not defended by a pawn.
            doubled_pawn: Tapered = t(3, -14), -80..=40, step 3;
            /// Backward pawn: adjacent own pawns are all ahead, and an enemy pawn blocks or attacks its next square.
            backward_pawn: Tapered = t(-2, -11), -80..=40, step 3;
            /// Backward pawn without an enemy pawn ahead on its file.
            backward_open_pawn: Tapered = t(-8, 3), -80..=40, step 3;
            /// Pawn attacked by two enemy pawns and not defended by a pawn.
            levered_pawn: Tapered = t(-6, -8), -80..=40, step 3;
            /// Pawn with an own pawn beside it, by rank.
            phalanx_pawn: ByRank = ByRank(zip([3, 6, 6, 12, 64, 42], [6, 11, 13, 31, 69, 95])), -100..=300, step 5;
            /// Pawn defended by own pawns, per defender, by rank.
            supported_pawn: ByRank = ByRank(zip([0, 8, 9, 13, 22, 129], [0, 24, 9, 22, 61, 89])), -100..=300, step 5;
            /// Candidate passed pawn: at least as many own pawns beside or behind as enemy pawns that can stop it, by rank.
            candidate_pawn: ByRank = ByRank(zip([1, 2, 0, 2, 11, 0], [-4, -7, 18, 41, 110, 0])), -100..=200, step 4;
            /// Unmoved d- or e-pawn with a piece or pawn in front of it.
            blocked_centre_pawn: Tapered = t(-15, 12), -80..=40, step 3;
        }
        passed_pawns {
            /// Passed pawn, by rank.
            passed_pawn_rank: ByRank = ByRank(zip([5, -19, -80, -15, 65, 89], [37, 69, 93, 101, 87, 121])), -100..=400, step 6;
            /// Passed pawn, per king move between its own king and the square in front of it, by rank.
            passed_pawn_own_king: ByRank = ByRank(zip([-8, -1, 15, 5, -3, -15], [5, -5, -18, -22, -24, -34])), -60..=60, step 2;
            /// Passed pawn, per king move between the enemy king and the square in front of it, by rank.
            passed_pawn_enemy_king: ByRank = ByRank(zip([1, 3, 2, -5, -13, -4], [-6, -8, 9, 26, 47, 53])), -60..=80, step 2;
            /// Passed pawn with the square in front of it occupied, by rank.
            passed_pawn_blocked: ByRank = ByRank(zip([0, -6, 5, 7, 10, -37], [4, 13, -1, 3, 20, -14])), -200..=100, step 5;
            /// Passed pawn whose next square the enemy does not attack, by rank.
            passed_pawn_safe_step: ByRank = ByRank(zip([3, -3, 0, 12, 24, -15], [-1, 5, 6, 12, 41, 135])), -100..=200, step 5;
            /// Passed pawn whose whole path the enemy neither attacks nor blocks, by rank.
            passed_pawn_free_path: ByRank = ByRank(zip([-68, -66, -59, -66, -32, -15], [40, 32, 39, 59, 107, 135])), -100..=300, step 5;
            /// Passed pawn whose next square is defended, by rank.
            passed_pawn_backed_step: ByRank = ByRank(zip([6, -4, 6, 7, 31, 76], [5, 17, 10, 24, 36, 94])), -100..=200, step 5;
            /// Passed pawn that the enemy king cannot stop, if the enemy has only pawns.
            passed_pawn_unstoppable: Endgame = Endgame(293), 0..=1000, step 20;
        }
        minor_pieces {
            /// Knight on an outpost: defended by a pawn, on a square that no enemy pawn can attack.
            knight_outpost: Tapered = t(18, 10), -60..=150, step 4;
            /// Bishop on an outpost.
            bishop_outpost: Tapered = t(28, 20), -60..=150, step 4;
            /// Knight that can move to an outpost.
            knight_outpost_reach: Tapered = t(15, 7), -60..=100, step 3;
            /// Knight or bishop directly behind a pawn of either side.
            minor_behind_pawn: Tapered = t(2, 14), -60..=60, step 2;
            /// Knight, per king move to its own king.
            knight_king_distance: Tapered = t(-3, -3), -30..=30, step 1;
            /// Bishop, per king move to its own king.
            bishop_king_distance: Tapered = t(-2, -3), -30..=30, step 1;
            /// Bishop, per own pawn on squares of its colour.
            bishop_own_pawns: Tapered = t(0, -2), -30..=30, step 1;
            /// Bishop, per own pawn on squares of its colour and per blocked own pawn on the files c to f.
            bishop_blocked_pawns: Tapered = t(0, -2), -30..=30, step 1;
            /// Bishop, per pawn of either side on a centre square of its colour.
            bishop_central_pawns: Tapered = t(-5, -10), -40..=40, step 2;
            /// Bishop that attacks both centre squares of its colour, looking through pieces but not pawns.
            bishop_long_diagonal: Tapered = t(16, 16), -60..=100, step 4;
            /// Bishop, per enemy pawn on its diagonals, looking through everything.
            bishop_xray_pawns: Tapered = t(-3, 2), -30..=30, step 1;
        }
        major_pieces {
            /// Rook on an open file.
            rook_open_file: Tapered = t(27, 8), -60..=150, step 4;
            /// Rook on a half-open file.
            rook_half_open_file: Tapered = t(16, 0), -60..=150, step 3;
            /// Queen on an open file.
            queen_open_file: Tapered = t(-4, -4), -60..=100, step 3;
            /// Queen on a half-open file.
            queen_half_open_file: Tapered = t(4, 15), -60..=100, step 3;
            /// Two rooks on one file with nothing between them.
            doubled_rooks: Tapered = t(9, -3), -60..=100, step 4;
            /// Rook on the seventh rank, with the enemy king on the eighth or enemy pawns on the seventh.
            rook_seventh: Tapered = t(9, 8), -60..=120, step 4;
            /// Rook behind an own passed pawn.
            rook_behind_passer: Tapered = t(13, 6), -60..=120, step 4;
            /// Rook behind an enemy passed pawn.
            rook_behind_enemy_passer: Tapered = t(45, 4), -60..=120, step 4;
            /// Rook on a file with a queen of either side.
            rook_queen_file: Tapered = t(1, -1), -60..=80, step 3;
            /// Rook with little mobility between its own king and the edge.
            trapped_rook: Tapered = t(-3, -9), -200..=50, step 6;
            /// Trapped rook without castling rights, in addition to the term above.
            trapped_rook_uncastled: Tapered = t(-5, -17), -200..=50, step 6;
            /// Queen that an enemy rook or bishop would attack if one piece between them moved.
            queen_exposed: Tapered = t(-19, 0), -100..=50, step 4;
            /// Queen beyond the fourth rank on a square that no enemy pawn can attack.
            queen_infiltration: Tapered = t(12, -20), -60..=80, step 3;
        }
        mobility {
            /// Knight, per attacked square in the mobility area, less four.
            knight_mobility: i32 = 3, -20..=30, step 1;
            /// Knight, by number of attacked squares in the mobility area.
            knight_mobility_table: ByCount<9> = ByCount(zip([-26, -17, -15, -15, -15, -16, -16, -16, -16], [21, -22, 8, 24, 32, 33, 31, 27, 16])), -200..=200, step 4;
            /// Bishop, per attacked square in the mobility area, less six.
            bishop_mobility: i32 = 3, -20..=30, step 1;
            /// Bishop, by number of attacked squares in the mobility area.
            bishop_mobility_table: ByCount<14> = ByCount(zip([-15, -10, -6, -6, -6, -8, -11, -15, -18, -18, -21, -26, -12, -64], [-24, -6, -1, 17, 25, 26, 28, 33, 26, 23, 13, 18, 1, 26])), -200..=200, step 4;
            /// Rook, per attacked square in the mobility area, less seven.
            rook_mobility: i32 = 4, -20..=30, step 1;
            /// Rook, by number of attacked squares in the mobility area.
            rook_mobility_table: ByCount<15> = ByCount(zip([-26, -19, -16, -18, -22, -24, -29, -29, -30, -31, -32, -36, -32, -29, -39], [-49, -6, 21, 30, 37, 42, 44, 40, 40, 39, 35, 35, 27, 23, 24])), -200..=200, step 4;
            /// Queen, per attacked square in the mobility area, less thirteen.
            queen_mobility: i32 = 2, -20..=30, step 1;
            /// Queen, by number of attacked squares in the mobility area.
            queen_mobility_table: ByCount<28> = ByCount(zip([-3, -1, -2, -1, -1, -3, -4, -5, -6, -9, -8, -11, -12, -15, -16, -15, -12, -13, -2, 4, 25, 70, 46, 64, 16, -1, -13, -11], [3, -15, -40, -47, -48, -55, -24, 0, 17, 38, 43, 61, 67, 73, 79, 80, 74, 75, 50, 35, 7, -73, -45, -113, -59, -98, -58, -50])), -200..=200, step 4;
        }
        threats {
            /// Enemy piece attacked by a safe pawn.
            threat_by_pawn: Tapered = t(57, 52), -50..=250, step 5;
            /// Enemy piece that a safe pawn push would attack.
            threat_by_push: Tapered = t(14, 17), -50..=150, step 4;
            /// Weak pawn, or knight, bishop, rook or queen, attacked by a knight or bishop; by kind of the attacked.
            threat_by_minor: ByCount<5> = ByCount(zip([2, 7, 33, 50, 44], [20, 30, 35, 29, 56])), -80..=250, step 5;
            /// Weak pawn, knight, bishop, rook or queen attacked by a rook; by kind of the attacked.
            threat_by_rook: ByCount<5> = ByCount(zip([5, 13, 28, 1, 44], [21, 29, 22, 20, 0])), -80..=250, step 5;
            /// Weak piece or pawn attacked by the king.
            threat_by_king: Tapered = t(25, 17), -80..=150, step 4;
            /// Weak piece or pawn that is undefended, or weak piece attacked twice.
            hanging: Tapered = t(11, 32), -50..=150, step 4;
            /// Safe square from which a knight would attack the enemy queen.
            knight_on_queen: Tapered = t(7, 3), -50..=100, step 3;
            /// Safe square from which a bishop or rook would attack the enemy queen.
            slider_on_queen: Tapered = t(16, -11), -50..=100, step 3;
            /// Square attacked by both sides that the enemy does not defend firmly.
            restricted: Tapered = t(4, 0), -20..=30, step 1;
        }
        king_shelter {
            /// Nearest own pawn on the three files at the king, by file and rank.
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
            /// Nearest enemy pawn on the three files at the king, not stopped by an own pawn, by file and rank.
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
            /// Nearest enemy pawn on the three files at the king, stopped by an own pawn, by rank.
            pawn_storm_stopped: ByRank = ByRank(zip([0, -18, 14, 10, 9, 29], [0, -20, -14, -18, -17, -31])), -150..=80, step 4;
            /// King on a half-open file.
            king_half_open_file: Tapered = t(-5, 3), -100..=60, step 4;
            /// King on an open file.
            king_open_file: Tapered = t(-27, -2), -100..=60, step 4;
            /// Each castling right.
            castling_right: Tapered = t(11, 10), -60..=120, step 4;
            /// Castled king: on its first rank on the files a to c, g or h, no castling rights, no own rook in the corner.
            castled: Tapered = t(25, 1), -60..=120, step 4;
            /// No pawns of either side on the king's wing.
            king_pawnless_wing: Tapered = t(54, -64), -120..=60, step 4;
            /// King, per king move to the nearest pawn.
            king_pawn_distance: Endgame = Endgame(-16), -60..=30, step 2;
        }
        king_danger {
            /// King danger: knight that attacks the king ring.
            danger_knight: i32 = -1, -20..=120, step 3;
            /// King danger: bishop that attacks the king ring.
            danger_bishop: i32 = -9, -20..=120, step 3;
            /// King danger: rook that attacks the king ring.
            danger_rook: i32 = -19, -20..=120, step 3;
            /// King danger: queen that attacks the king ring.
            danger_queen: i32 = 11, -20..=120, step 3;
            /// King danger: by number of pieces that attack the king ring.
            danger_attackers: PlainByCount<6> = PlainByCount([24, 13, 32, 59, 70, 68]), -100..=400, step 6;
            /// King danger: attack on a square next to the king.
            danger_near_attack: i32 = 9, -20..=80, step 2;
            /// King danger: attacked square of the king ring that at most the king or queen defends.
            danger_weak_square: i32 = 12, -20..=150, step 4;
            /// King danger: knight that can give a safe check.
            danger_knight_check: i32 = 90, 0..=500, step 10;
            /// King danger: bishop that can give a safe check.
            danger_bishop_check: i32 = 58, 0..=500, step 10;
            /// King danger: rook that can give a safe check.
            danger_rook_check: i32 = 115, 0..=600, step 10;
            /// King danger: queen that can give a safe check.
            danger_queen_check: i32 = 78, 0..=500, step 10;
            /// King danger: square from which only an unsafe check is possible.
            danger_unsafe_check: i32 = 19, -20..=120, step 4;
            /// King danger: own piece pinned to the king.
            danger_pinned: i32 = 5, -20..=120, step 4;
            /// King danger: by number of squares to which the king can move.
            danger_escape: PlainByCount<4> = PlainByCount([15, 2, -11, -12]), -60..=150, step 4;
            /// King danger: attack on a square of the king's wing in the own camp.
            danger_wing_attack: i32 = 5, -10..=30, step 1;
            /// King danger: defended square of the king's wing in the own camp.
            danger_wing_defence: i32 = -2, -30..=10, step 1;
            /// King danger: file at the king without own pawns.
            danger_open_file: i32 = 12, -20..=80, step 3;
            /// King danger: the enemy has no queen.
            danger_no_queen: i32 = -42, -500..=0, step 10;
            /// King danger: own knight next to the king.
            danger_knight_defends: i32 = -19, -120..=20, step 4;
            /// King danger: constant.
            danger_base: i32 = -10, -200..=200, step 6;
        }
        space {
            /// Space: safe central squares in the own camp, times the number of own pieces, divided by eight.
            space: Middlegame = Middlegame(3), -20..=40, step 1;
        }
        scaling {
            /// Endgame scale with opposite-coloured bishops and no other pieces, in 64ths; each passed pawn of the leader adds 4.
            scale_opposite_bishops: i32 = 26, 0..=64, step 2;
            /// Endgame scale with opposite-coloured bishops and other pieces, in 64ths; each pawn of the leader adds 2.
            scale_opposite_bishops_more: i32 = 46, 0..=64, step 2;
            /// Scale of a lead of at most a minor piece without pawns, in 64ths.
            scale_small_lead: i32 = 8, 0..=64, step 2;
            /// Constant part of the endgame scale of a leader with pawns, in 64ths.
            scale_no_pawns: i32 = 44, 0..=64, step 2;
            /// Endgame scale per pawn of the leader, in 64ths.
            scale_per_pawn: i32 = 7, 0..=20, step 1;
            /// Halfmove clock at which the score would be scaled to 0.
            fifty_moves_stretch: i32 = 220, 101..=1000, step 10;
        }
    }
}
