//! Properties of the evaluation over thousands of positions from random games.

use playself::chess::{ByColor, CastlingRooks, Move, Piece, Position, Setup, Square};
use playself::engine::eval::{
    Coefficients, Evaluator, NoTrace, Weights, evaluate_with_trace, scale_by_halfmove_clock,
};

/// Xorshift generator, so that every run has the same games.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Positions of random games with many captures, so that all kinds of endings occur.
fn positions() -> Vec<Position> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::new();
    for _ in 0..150 {
        let mut position = Position::startpos();
        for _ in 0..160 {
            let captures = position.legal_captures();
            let moves =
                if !captures.is_empty() && dice.below(3) == 0 { captures } else { position.legal_moves() };
            if moves.is_empty() || position.halfmove_clock() >= 100 {
                break;
            }
            let mv: Move = moves[dice.below(moves.len())];
            position = position.play(mv);
            all.push(position);
        }
    }
    all
}

/// The same position with colours and ranks exchanged.
fn flipped(position: &Position) -> Position {
    let setup = position.to_setup();
    let mut board = [None; 64];
    for square in Square::all() {
        let piece = setup.board[square.index()];
        board[square.flip().index()] = piece.map(|piece| Piece::new(!piece.color, piece.kind));
    }
    let turned = |rooks: CastlingRooks| CastlingRooks {
        kingside: rooks.kingside.map(Square::flip),
        queenside: rooks.queenside.map(Square::flip),
    };
    let castling_rooks =
        ByColor { white: turned(setup.castling_rooks.black), black: turned(setup.castling_rooks.white) };
    let flipped = Setup { board, turn: !setup.turn, castling_rooks, ep: setup.ep.map(Square::flip), ..setup };
    Position::from_setup(&flipped).expect("the mirror image of a legal position is legal")
}

#[test]
fn a_position_and_its_mirror_image_score_the_same_for_the_side_to_move() {
    let mut evaluator = Evaluator::new(Weights::default());
    for position in positions() {
        let mirror = flipped(&position);
        assert_eq!(evaluator.evaluate(&position), evaluator.evaluate(&mirror), "{position:?}");
    }
}

#[test]
fn caches_of_the_evaluator_never_change_a_score() {
    let weights = Weights::default();
    let mut warm = Evaluator::new(weights.clone());
    let positions = positions();
    for position in positions.iter().chain(positions.iter().rev()) {
        let white = evaluate_with_trace(position, &weights, &mut NoTrace);
        // A known ending has no taper, and the fifty-move counter does not change its score.
        let faded = match Coefficients::of(position, &weights).taper {
            None => white,
            Some(_) => scale_by_halfmove_clock(white, position.halfmove_clock(), weights.fifty_moves_stretch),
        };
        let expected = if position.turn() == playself::chess::Color::White { faded } else { -faded };
        assert_eq!(warm.evaluate(position), expected, "{position:?}");
    }
}

#[test]
fn the_start_position_scores_exactly_the_tempo_bonus() {
    let score = Evaluator::new(Weights::default()).evaluate(&Position::startpos());
    assert_eq!(score, Weights::default().tempo.middlegame());
}
