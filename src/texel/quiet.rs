//! Which positions a static evaluation can be held to: those where no capture changes the picture.

use crate::chess::{Move, Position};
use crate::engine::Evaluator;

/// A capture sequence may move the score this far, in centipawns, before a position counts as loud.
const TOLERANCE: i32 = 40;
/// Exchanges longer than this are rare, and the filter need not be perfect.
const DEPTH: u32 = 6;

/// Whether the side to move is not in check and no sequence of captures gains it anything that matters.
pub fn is_quiet(position: &Position, evaluator: &mut Evaluator) -> bool {
    if position.in_check() || !position.has_legal_move() {
        return false;
    }
    let standing = evaluator.evaluate(position);
    resolve(position, evaluator, standing, standing + TOLERANCE + 1, DEPTH) <= standing + TOLERANCE
}

/// The score once captures are over, within `alpha` to `beta`.
fn resolve(position: &Position, evaluator: &mut Evaluator, alpha: i32, beta: i32, depth: u32) -> i32 {
    let standing = evaluator.evaluate(position);
    let mut best = standing;
    if best >= beta || depth == 0 {
        return best;
    }
    let mut alpha = alpha.max(best);
    let mut captures: Vec<Move> = position.legal_captures().to_vec();
    captures.sort_by_key(|mv| gain(position, *mv));
    for mv in captures {
        let score = -resolve(&position.play(mv), evaluator, -beta, -alpha, depth - 1);
        best = best.max(score);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    best
}

/// Most valuable victim first, least valuable attacker next; smaller is better.
fn gain(position: &Position, mv: Move) -> i32 {
    let victim = position.piece_at(mv.to()).map_or(0, |piece| piece.kind.index() as i32);
    mv.kind().index() as i32 - 8 * victim - if mv.promotion().is_some() { 64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Weights;

    #[test]
    fn a_hanging_piece_makes_a_position_loud_and_a_defended_one_does_not() {
        let mut evaluator = Evaluator::new(Weights::default());
        let mut quiet = |fen| is_quiet(&Position::from_fen(fen).unwrap(), &mut evaluator);
        assert!(quiet("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(!quiet("rnbqkb1r/pppppppp/8/8/4n3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 3"), "dxe4 wins a knight");
        assert!(!quiet("rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 0 3"), "in check");
    }
}
