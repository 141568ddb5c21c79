//! Pawns around a king: shelter by its own pawns, storm by enemy pawns.

use crate::chess::{Bitboard, CastlingSide, Color, PieceKind, Square};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::{ahead, rank_of, rearmost};
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::Trace;

impl<'a, T: Trace> Evaluation<'a, T> {
    /// Evaluates shelter, pawn storm, files and wing of the king of `us`.
    #[inline(always)]
    pub(super) fn king_pawns(&mut self, us: Color) {
        let (weights, position) = (self.tally.weights, self.position);
        let king = position.king(us);
        self.tally.add(us, weights.pst_king.of(us, king), 1);
        let square = self.best_king_square(us, king);
        for file in files_at(square) {
            let [shelter, storm] = self.shelter_and_storm(us, square, file);
            self.tally.add(us, shelter, 1);
            self.tally.add(us, storm, 1);
        }
        let file = Bitboard::file(king.file());
        let pawns = position.by_kind(PieceKind::Pawn);
        if (file & pawns).is_empty() {
            self.tally.add(us, &weights.king_open_file, 1);
        } else if (file & position.pieces(us, PieceKind::Pawn)).is_empty() {
            self.tally.add(us, &weights.king_half_open_file, 1);
        }
        if (wing(king) & pawns).is_empty() {
            self.tally.add(us, &weights.king_pawnless_wing, 1);
        }
        self.tally.add(us, &weights.king_pawn_distance, steps_to(king, pawns));
        self.castling(us, king);
    }

    /// Returns the square with the best shelter: that of the king, or one to which it may still castle.
    #[inline(always)]
    fn best_king_square(&self, us: Color, king: Square) -> Square {
        let rights = self.position.castling();
        if CastlingSide::ALL.iter().all(|&side| rights.rook(us, side).is_none()) {
            return king;
        }
        let mut best = (self.shelter_and_storm_sum(us, king), king);
        for side in CastlingSide::ALL {
            if rights.rook(us, side).is_some() {
                let target = side.king_target(us);
                let sum = self.shelter_and_storm_sum(us, target);
                if sum > best.0 {
                    best = (sum, target);
                }
            }
        }
        best.1
    }

    #[inline(always)]
    fn shelter_and_storm_sum(&self, us: Color, king: Square) -> i32 {
        let mut sum = 0;
        for file in files_at(king) {
            let [shelter, storm] = self.shelter_and_storm(us, king, file);
            sum += shelter.middlegame() + storm.middlegame();
        }
        sum
    }

    /// Returns the shelter and the storm weight of one file, for a king on `king`.
    #[inline(always)]
    fn shelter_and_storm(&self, us: Color, king: Square, file: u8) -> [&'a Tapered; 2] {
        let (weights, position) = (self.tally.weights, self.position);
        let level = Bitboard::rank(king.rank());
        let column = Bitboard::file(file) & (level | ahead(us, level));
        let attacked = self.map.of(!us, PieceKind::Pawn);
        let own = rearmost(us, column & position.pieces(us, PieceKind::Pawn).without(attacked));
        let enemy = rearmost(us, column & position.pieces(!us, PieceKind::Pawn));
        let rank = |pawn: Option<Square>| pawn.map_or(0, |square| square.relative_rank(us));
        let stopped = enemy.filter(|_| own.is_some() && rank(own) + 1 == rank(enemy));
        let storm = match stopped {
            Some(square) => weights.pawn_storm_stopped.of(us, square),
            None => weights.pawn_storm.of(file, rank(enemy)),
        };
        [weights.king_shelter.of(file, rank(own)), storm]
    }

    #[inline(always)]
    fn castling(&mut self, us: Color, king: Square) {
        let (weights, position) = (self.tally.weights, self.position);
        let held = CastlingSide::ALL.into_iter().filter(|&side| position.castling().rook(us, side).is_some());
        let rights = held.count() as i32;
        self.tally.add(us, &weights.castling_right, rights);
        let wings = Bitboard(0x0707_0707_0707_0707 | 0xc0c0_c0c0_c0c0_c0c0);
        let outside = match king.file() < 4 {
            true => Bitboard((1 << king.file()) - 1),
            false => Bitboard(0xff & !((2 << king.file()) - 1)),
        };
        let corner = match us {
            Color::White => outside,
            Color::Black => outside.flip(),
        };
        let shut_in = (corner & position.pieces(us, PieceKind::Rook)).any();
        if rights == 0 && (wings & rank_of(us, 0)).has(king) && !shut_in {
            self.tally.add(us, &weights.castled, 1);
        }
    }
}

/// Returns the file of the king and the adjacent ones; for a king on the edge, the three files at the edge.
#[inline(always)]
pub(super) fn files_at(king: Square) -> [u8; 3] {
    let centre = king.file().clamp(1, 6);
    [centre - 1, centre, centre + 1]
}

/// Returns the four files of the king's wing: queenside, middle or kingside.
#[inline(always)]
pub(super) fn wing(king: Square) -> Bitboard {
    const QUEENSIDE: Bitboard = Bitboard(0x0f0f_0f0f_0f0f_0f0f);
    const MIDDLE: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
    const KINGSIDE: Bitboard = Bitboard(0xf0f0_f0f0_f0f0_f0f0);
    match king.file() {
        0..3 => QUEENSIDE,
        3..5 => MIDDLE,
        _ => KINGSIDE,
    }
}

/// Returns the number of king moves from `king` to the nearest of `targets`; 0 if there are no targets.
fn steps_to(king: Square, targets: Bitboard) -> i32 {
    let mut reached = Bitboard::of(king);
    let mut steps = 0;
    while targets.any() && (reached & targets).is_empty() {
        reached |= reached.east() | reached.west();
        reached |= reached.north() | reached.south();
        steps += 1;
    }
    steps
}
