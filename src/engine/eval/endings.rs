//! Endings with a known result, and scaling of drawish endings.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square};
use crate::engine::eval::Weights;
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::kpk;
use crate::engine::eval::pawn_spans::path;
use crate::engine::eval::taper::FULL_SCALE;
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::Trace;

/// Bonus of a won ending on top of its material: more than any lead in other positions.
const KNOWN_WIN: i32 = 1500;
/// Conventional values of the pieces, without king and pawns, to classify a lead.
const POINTS: [i32; 6] = [0, 3, 3, 5, 9, 0];

/// Returns White's score if one side has a bare king and the result is known.
pub(super) fn known_score(position: &Position, weights: &Weights) -> Option<i32> {
    let is_bare = |side: Color| !position.by_color(side).more_than_one();
    let strong = match (is_bare(Color::White), is_bare(Color::Black)) {
        (false, false) => return None,
        (true, true) => return Some(0),
        (false, true) => Color::White,
        (true, false) => Color::Black,
    };
    let score = against_bare_king(position, weights, strong)?;
    Some(if strong == Color::White { score } else { -score })
}

/// Returns the score of `strong` against a bare king, if the result is known.
fn against_bare_king(position: &Position, weights: &Weights, strong: Color) -> Option<i32> {
    let pieces = |kind| position.pieces(strong, kind);
    let count = |kind| pieces(kind).len() as i32;
    let bishops = pieces(PieceKind::Bishop);
    let both_colours = (bishops & Bitboard::DARK).any() && (bishops & Bitboard::LIGHT).any();
    let heavy = count(PieceKind::Queen) + count(PieceKind::Rook);
    let (knights, pawns) = (count(PieceKind::Knight), count(PieceKind::Pawn));
    let (own, weak) = (position.king(strong), position.king(!strong));
    let closeness = 7 - i32::from(own.distance(weak));
    if heavy > 0 || both_colours || knights > 2 {
        return Some(
            KNOWN_WIN + material(position, weights, strong) + 12 * edge_score(weak) + 10 * closeness,
        );
    }
    match (knights, bishops.any(), pawns) {
        (0..=2, false, 0) | (0, true, 0) => Some(0),
        (1.., true, 0) => {
            let corner =
                if (bishops & Bitboard::DARK).any() { dark_corner(weak) } else { light_corner(weak) };
            Some(KNOWN_WIN + material(position, weights, strong) + 40 * corner + 14 * closeness)
        }
        (0, false, 1) => Some(king_and_pawn(position, weights, strong)),
        _ if is_rook_pawn_draw(position, strong) => Some(0),
        _ => None,
    }
}

fn king_and_pawn(position: &Position, weights: &Weights, strong: Color) -> i32 {
    let Some(pawn) = position.pieces(strong, PieceKind::Pawn).first() else { return 0 };
    let relative = |square: Square| square.relative(strong);
    // The bitbase has white pawns only, so a position with a black pawn is flipped.
    let turn = if strong == Color::White { position.turn() } else { !position.turn() };
    let wins = kpk::white_wins(
        turn,
        relative(position.king(strong)),
        relative(pawn),
        relative(position.king(!strong)),
    );
    match wins {
        true => {
            KNOWN_WIN / 2 + material(position, weights, strong) + 20 * i32::from(pawn.relative_rank(strong))
        }
        false => 0,
    }
}

/// Returns the endgame value of the pieces and pawns of `side`.
fn material(position: &Position, weights: &Weights, side: Color) -> i32 {
    let count = |kind| position.pieces(side, kind).len() as i32;
    count(PieceKind::Pawn) * (weights.pawn_value + weights.pawn_value_extra.0)
        + count(PieceKind::Knight) * (weights.knight_value + weights.knight_value_extra.0)
        + count(PieceKind::Bishop) * (weights.bishop_value + weights.bishop_value_extra.0)
        + count(PieceKind::Rook) * (weights.rook_value + weights.rook_value_extra.0)
        + count(PieceKind::Queen) * (weights.queen_value + weights.queen_value_extra.0)
}

/// Returns how near a king is to the edge and the corner: 0 in the centre, 6 in the corner.
fn edge_score(king: Square) -> i32 {
    let from_middle = |line: u8| i32::from(if line < 4 { 3 - line } else { line - 4 });
    from_middle(king.file()) + from_middle(king.rank())
}

/// Returns how near a king is to a1 or h8: 7 there, 0 on the long light diagonal.
fn dark_corner(king: Square) -> i32 {
    (7 - i32::from(king.file()) - i32::from(king.rank())).abs()
}

/// Returns how near a king is to a8 or h1: 7 there, 0 on the long dark diagonal.
fn light_corner(king: Square) -> i32 {
    (i32::from(king.file()) - i32::from(king.rank())).abs()
}

/// Whether all pawns are on one rook file, no bishop controls the promotion corner, and the weak king holds it.
fn is_rook_pawn_draw(position: &Position, strong: Color) -> bool {
    let pawns = position.pieces(strong, PieceKind::Pawn);
    let file = match () {
        () if pawns.without(Bitboard::FILE_A).is_empty() => 0,
        () if pawns.without(Bitboard::FILE_H).is_empty() => 7,
        () => return false,
    };
    let helpers = position.by_color(strong).without(pawns | position.by_kind(PieceKind::King));
    let bishops = position.pieces(strong, PieceKind::Bishop);
    let corner = Square::at(file, 7).relative(strong);
    let corner_colour = if Bitboard::DARK.has(corner) { Bitboard::DARK } else { Bitboard::LIGHT };
    let wrong_bishop = helpers.without(bishops).is_empty() && (bishops & corner_colour).is_empty();
    let weak = position.king(!strong);
    let in_time = weak.distance(corner) <= 1
        && pawns.into_iter().all(|pawn| path(strong, pawn).has(weak) || weak.file() != pawn.file());
    pawns.any() && wrong_bishop && in_time
}

impl<T: Trace> Evaluation<'_, T> {
    /// Returns the scale of the middlegame and of the endgame value; [`FULL_SCALE`] if the ending is not drawish. The
    /// leader is the side that the endgame value of `balance` favours, or if that is 0, the middlegame value.
    pub(super) fn scale(&self, balance: Tapered) -> [i32; 2] {
        let weights = self.tally.weights;
        let ahead = (balance.endgame(), balance.middlegame()) >= (0, 0);
        let strong = if ahead { Color::White } else { Color::Black };
        let pawns = self.count(strong, PieceKind::Pawn);
        if pawns == 0 {
            // A leader without pawns stays without pawns, so the scale applies to the middlegame value too.
            return [self.pawnless_scale(strong); 2];
        }
        if is_rook_pawn_draw(self.position, strong) {
            return [0; 2];
        }
        let scale = match self.has_opposite_bishops() {
            true => self.opposite_bishops_scale(strong),
            false => weights.scale_no_pawns + weights.scale_per_pawn * pawns,
        };
        [FULL_SCALE, scale.clamp(0, FULL_SCALE)]
    }

    fn pawnless_scale(&self, strong: Color) -> i32 {
        let weights = self.tally.weights;
        let (own, enemy) = (self.piece_points(strong), self.piece_points(!strong));
        let minor = POINTS[PieceKind::Knight.index()];
        let two_knights = self.count(strong, PieceKind::Knight) == 2 && own == 2 * minor;
        match own - enemy {
            _ if own <= minor => 0,
            _ if two_knights => weights.scale_small_lead / 2,
            lead if lead <= minor => weights.scale_small_lead,
            _ => FULL_SCALE,
        }
    }

    fn opposite_bishops_scale(&self, strong: Color) -> i32 {
        let weights = self.tally.weights;
        let minor = POINTS[PieceKind::Bishop.index()];
        if self.piece_points(strong) == minor && self.piece_points(!strong) == minor {
            let passed = self.structure.passed & self.position.by_color(strong);
            weights.scale_opposite_bishops + 4 * passed.len() as i32
        } else {
            weights.scale_opposite_bishops_more + 2 * self.count(strong, PieceKind::Pawn)
        }
    }

    fn has_opposite_bishops(&self) -> bool {
        let bishops = self.position.by_kind(PieceKind::Bishop);
        self.count(Color::White, PieceKind::Bishop) == 1
            && self.count(Color::Black, PieceKind::Bishop) == 1
            && (bishops & Bitboard::DARK).len() == 1
    }

    fn piece_points(&self, side: Color) -> i32 {
        PieceKind::ALL.iter().zip(POINTS).map(|(&kind, points)| self.count(side, kind) * points).sum()
    }

    /// Returns the number of pieces of a kind that `side` has.
    #[inline(always)]
    fn count(&self, side: Color, kind: PieceKind) -> i32 {
        self.position.counts().of(side, kind) as i32
    }
}
