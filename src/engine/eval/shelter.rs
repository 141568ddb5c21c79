//! Pawns around a king: shelter by its own pawns, storm by enemy pawns.
//!
//! Most of these terms depend on pawns, the square of the king and its castling rights alone, and are cached.

use crate::chess::{Bitboard, CastlingSide, Color, PieceKind, Position, Square};
use crate::engine::eval::Weights;
use crate::engine::eval::accumulator::Accumulator;
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::{ahead, pawn_attacks_of, rank_of, rearmost};
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::Trace;

/// Evaluates shelter, pawn storm, files, wing and castling rights of the king of `us`: White's value minus Black's. Depends
/// on the square of the king, these rights and the pawns alone.
pub(super) fn king_pawns<T: Trace>(
    position: &Position,
    weights: &Weights,
    us: Color,
    trace: &mut T,
) -> Tapered {
    let mut tally = Accumulator::new(weights, trace);
    KingPawns::new(position, weights, us).evaluate(&mut tally);
    tally.balance()
}

/// A king and the pawns of both sides.
struct KingPawns<'a> {
    weights: &'a Weights,
    us: Color,
    king: Square,
    /// For each [`CastlingSide`], whether the king has the right.
    rights: [bool; 2],
    /// Own pawns, without those that enemy pawns attack.
    sheltering: Bitboard,
    ours: Bitboard,
    theirs: Bitboard,
}

impl<'a> KingPawns<'a> {
    fn new(position: &Position, weights: &'a Weights, us: Color) -> Self {
        let [ours, theirs] = [us, !us].map(|side| position.pieces(side, PieceKind::Pawn));
        Self {
            weights,
            us,
            king: position.king(us),
            rights: CastlingSide::ALL.map(|side| position.castling().has(us, side)),
            sheltering: ours.without(pawn_attacks_of(!us, theirs)),
            ours,
            theirs,
        }
    }

    fn evaluate<T: Trace>(&self, tally: &mut Accumulator<'a, T>) {
        let (us, king, weights) = (self.us, self.king, self.weights);
        tally.add(us, weights.pst_king.of(us, king), 1);
        let square = self.best_king_square();
        for file in files_at(square) {
            let [shelter, storm] = self.shelter_and_storm(square, file);
            tally.add(us, shelter, 1);
            tally.add(us, storm, 1);
        }
        let (file, pawns) = (Bitboard::file(king.file()), self.ours | self.theirs);
        if (file & pawns).is_empty() {
            tally.add(us, &weights.king_open_file, 1);
        } else if (file & self.ours).is_empty() {
            tally.add(us, &weights.king_half_open_file, 1);
        }
        if (wing(king) & pawns).is_empty() {
            tally.add(us, &weights.king_pawnless_wing, 1);
        }
        tally.add(us, &weights.king_pawn_distance, steps_to(king, pawns));
        let rights = self.rights.into_iter().filter(|&held| held).count();
        tally.add(us, &weights.castling_right, rights as i32);
    }

    /// Returns the square with the best shelter: that of the king, or one to which it may still castle.
    fn best_king_square(&self) -> Square {
        if self.rights == [false; 2] {
            return self.king;
        }
        let mut best = (self.shelter_and_storm_sum(self.king), self.king);
        for side in CastlingSide::ALL {
            if self.rights[side.index()] {
                let target = side.king_target(self.us);
                let sum = self.shelter_and_storm_sum(target);
                if sum > best.0 {
                    best = (sum, target);
                }
            }
        }
        best.1
    }

    fn shelter_and_storm_sum(&self, king: Square) -> i32 {
        let mut sum = 0;
        for file in files_at(king) {
            let [shelter, storm] = self.shelter_and_storm(king, file);
            sum += shelter.middlegame() + storm.middlegame();
        }
        sum
    }

    /// Returns the shelter and the storm weight of one file, for a king on `king`.
    fn shelter_and_storm(&self, king: Square, file: u8) -> [&'a Tapered; 2] {
        let (us, weights) = (self.us, self.weights);
        let level = Bitboard::rank(king.rank());
        let column = Bitboard::file(file) & (level | ahead(us, level));
        let own = rearmost(us, column & self.sheltering);
        let enemy = rearmost(us, column & self.theirs);
        let rank = |pawn: Option<Square>| pawn.map_or(0, |square| square.relative_rank(us));
        let stopped = enemy.filter(|_| own.is_some() && rank(own) + 1 == rank(enemy));
        let storm = match stopped {
            Some(square) => weights.pawn_storm_stopped.of(us, square),
            None => weights.pawn_storm.of(file, rank(enemy)),
        };
        [weights.king_shelter.of(file, rank(own)), storm]
    }
}

impl<T: Trace> Evaluation<'_, T> {
    /// Evaluates whether the king of `us` has castled, or stands as if it had: on a wing, without rights, and with no own
    /// rook between it and the edge.
    #[inline(always)]
    pub(super) fn castled(&mut self, us: Color) {
        let (weights, position) = (self.tally.weights, self.position);
        let king = position.king(us);
        let wings = Bitboard(0x0707_0707_0707_0707 | 0xc0c0_c0c0_c0c0_c0c0);
        if position.castling().any(us) || !(wings & rank_of(us, 0)).has(king) {
            return;
        }
        let outside = match king.file() < 4 {
            true => Bitboard((1 << king.file()) - 1),
            false => Bitboard(0xff & !((2 << king.file()) - 1)),
        };
        let corner = match us {
            Color::White => outside,
            Color::Black => outside.flip(),
        };
        if (corner & position.pieces(us, PieceKind::Rook)).is_empty() {
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
