//! Static exchange evaluation (SEE): the material result of all captures on the target square of a move.

use crate::chess::{Bitboard, Move, PieceKind, Position, bishop_attacks, rook_attacks};

/// Value of each kind in an exchange, pawn first. The king is worth more than all other pieces together.
pub(super) const SEE_VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

const fn see_value(kind: PieceKind) -> i32 {
    SEE_VALUES[kind.index()]
}

/// Returns the value that a move captures; a promotion adds the gain in value of the pawn.
pub(super) fn immediate_gain(position: &Position, mv: Move) -> i32 {
    let captured = if mv.is_en_passant() {
        see_value(PieceKind::Pawn)
    } else if mv.is_capture() {
        position.piece_at(mv.to()).map_or(0, |piece| see_value(piece.kind))
    } else {
        0
    };
    captured + mv.promotion().map_or(0, |kind| see_value(kind) - see_value(PieceKind::Pawn))
}

/// Whether the exchange started by `mv` gains at least `threshold` for the moving side. Both sides capture with their
/// least valuable piece first and stop when that is better.
pub(super) fn see_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    if mv.is_castling() {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let mut balance = immediate_gain(position, mv) - threshold;
    if balance < 0 {
        return false;
    }
    balance -= see_value(mv.promotion().unwrap_or(mv.kind()));
    if balance >= 0 {
        return true;
    }
    let mut occupied = (position.occupied() | Bitboard::of(to)).without(Bitboard::of(from));
    if mv.is_en_passant() {
        occupied = occupied.without(Bitboard::of(to).forward(!position.turn()));
    }
    let queens = position.by_kind(PieceKind::Queen);
    let diagonal = position.by_kind(PieceKind::Bishop) | queens;
    let straight = position.by_kind(PieceKind::Rook) | queens;
    let mut attackers = position.attackers_to(to, occupied) & occupied;
    let mut side = !position.turn();
    loop {
        let mine = attackers & position.by_color(side);
        if mine.is_empty() {
            break;
        }
        let (kind, attacker) = least_valuable(position, mine);
        occupied = occupied.without(attacker);
        if matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Queen) {
            attackers |= bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(kind, PieceKind::Rook | PieceKind::Queen) {
            attackers |= rook_attacks(to, occupied) & straight;
        }
        attackers &= occupied;
        side = !side;
        balance = -balance - 1 - see_value(kind);
        if balance >= 0 {
            // A king cannot capture a defended piece, so the capture before it was the last.
            if kind == PieceKind::King && (attackers & position.by_color(side)).any() {
                side = !side;
            }
            break;
        }
    }
    side != position.turn()
}

/// Returns one of the least valuable pieces of a set that is not empty, and its kind.
#[inline(always)]
fn least_valuable(position: &Position, among: Bitboard) -> (PieceKind, Bitboard) {
    for kind in PieceKind::ALL {
        let those = among & position.by_kind(kind);
        if those.any() {
            return (kind, those.lowest());
        }
    }
    (PieceKind::King, among.lowest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchange_results_are_those_counted_by_hand() {
        let (p, n, b, r, q) = (100, 320, 330, 500, 950);
        let cases = [
            ("free pawn", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", p),
            ("knight for pawn", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", p - n),
            ("equal trade of rooks", "3r2k1/8/8/8/8/8/8/3R2K1 w - - 0 1", "d1d8", r),
            ("defended rook", "3r2k1/3r4/8/8/8/8/3R4/3R2K1 w - - 0 1", "d2d7", r),
            ("pawn takes rook, retaken", "4k3/8/1p6/r7/1P6/8/8/4K3 w - - 0 1", "b4a5", r - p),
            ("queen takes a defended pawn", "4k3/8/1p6/p7/8/8/8/Q3K3 w - - 0 1", "a1a5", p - q),
            ("quiet step into a pawn", "4k3/8/1p6/8/8/1B6/8/4K3 w - - 0 1", "b3c4", 0),
            ("quiet step en prise", "4k3/8/1p6/8/8/8/3B4/4K3 w - - 0 1", "d2a5", -b),
            ("en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", p),
            ("promotion", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", q - p),
            ("promotion that is captured", "1r6/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -p),
            ("capture with an x-ray attacker", "3rk3/3r4/8/8/8/3R4/3R4/3QK3 w - - 0 1", "d3d7", r),
            ("king cannot capture a defended piece", "8/8/8/3k4/4p3/5P2/8/4R1K1 w - - 0 1", "f3e4", p),
        ];
        for (name, fen, text, value) in cases {
            let position = Position::from_fen(fen).unwrap();
            let moves = position.legal_moves();
            let mv = *moves.iter().find(|mv| format!("{mv:?}") == text).unwrap_or_else(|| panic!("{name}"));
            assert!(see_at_least(&position, mv, value), "{name}: at least {value}");
            assert!(!see_at_least(&position, mv, value + 1), "{name}: at most {value}");
        }
    }
}
