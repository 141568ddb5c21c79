//! Quiet positions: those whose score no sequence of captures changes much.

use crate::chess::{Move, Position};
use crate::engine::Evaluator;

/// Largest gain by captures, in centipawns, at which a position is still quiet.
const TOLERANCE: i32 = 40;
/// Maximum length of a capture sequence. Longer ones are rare, and the filter need not be perfect.
const DEPTH: u32 = 6;

/// Whether the side to move is not in check and cannot gain more than the tolerance by captures.
pub fn is_quiet(position: &Position, evaluator: &mut Evaluator) -> bool {
    if position.in_check() || !position.has_legal_move() {
        return false;
    }
    let stand_pat = evaluator.evaluate(position);
    quiescence(position, evaluator, stand_pat, stand_pat + TOLERANCE + 1, DEPTH) <= stand_pat + TOLERANCE
}

/// Returns the score after the best sequence of captures, within `alpha` to `beta`.
fn quiescence(position: &Position, evaluator: &mut Evaluator, alpha: i32, beta: i32, depth: u32) -> i32 {
    let stand_pat = evaluator.evaluate(position);
    let mut best = stand_pat;
    if best >= beta || depth == 0 {
        return best;
    }
    let mut alpha = alpha.max(best);
    let mut captures: Vec<Move> = position.legal_captures().to_vec();
    captures.sort_by_key(|mv| sort_key(position, *mv));
    for mv in captures {
        let score = -quiescence(&position.play(mv), evaluator, -beta, -alpha, depth - 1);
        best = best.max(score);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    best
}

/// Returns the sort key of a capture: most valuable victim first, then least valuable attacker (MVV-LVA).
fn sort_key(position: &Position, mv: Move) -> i32 {
    let victim = position.piece_at(mv.to()).map_or(0, |piece| piece.kind.index() as i32);
    mv.kind().index() as i32 - 8 * victim - if mv.promotion().is_some() { 64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Weights;

    #[test]
    fn a_position_with_a_hanging_piece_or_a_check_is_not_quiet() {
        let mut evaluator = Evaluator::new(Weights::default());
        let mut quiet = |fen| is_quiet(&Position::from_fen(fen).unwrap(), &mut evaluator);
        assert!(quiet("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(!quiet("rnbqkb1r/pppppppp/8/8/4n3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 3"), "dxe4 wins a knight");
        assert!(!quiet("rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 0 3"), "in check");
    }
}
