//! Endings that the evaluation recognises.

use playself::chess::{ByColor, CastlingRooks, Color, Piece, PieceKind, Position, Setup, Square};
use playself::engine::eval::{Evaluator, Weights};

fn white_score(fen: &str) -> i32 {
    let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let score = Evaluator::new(Weights::default()).evaluate(&position);
    if position.turn() == Color::White { score } else { -score }
}

#[test]
fn endings_without_winning_material_are_drawn() {
    for (name, fen) in [
        ("bare kings", "8/8/4k3/8/8/3K4/8/8 w - - 0 1"),
        ("king and knight", "8/8/4k3/8/8/3KN3/8/8 w - - 0 1"),
        ("king and bishop", "8/8/4k3/8/8/3KB3/8/8 b - - 0 1"),
        ("two knights", "8/8/4k3/8/8/3KNN2/8/8 w - - 0 1"),
        ("bishops of one colour", "8/8/4k3/8/8/3K4/8/B1B5 w - - 0 1"),
        ("rook pawn, wrong bishop", "7k/8/7P/6K1/8/8/4B3/8 w - - 0 1"),
        ("rook pawns, wrong bishop, black", "8/2b5/8/8/6k1/7p/7p/7K b - - 0 1"),
        ("king and pawn, opposition lost", "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"),
    ] {
        assert_eq!(white_score(fen), 0, "{name}");
    }
}

#[test]
fn drawish_material_leads_score_little() {
    for (name, fen) in [
        ("bishop against knight", "8/8/4k3/3n4/8/3KB3/8/8 w - - 0 1"),
        ("rook against bishop", "8/8/4k3/3b4/8/3K1R2/8/8 w - - 0 1"),
        ("rook and knight against rook", "8/8/4k3/r7/8/3K1R2/3N4/8 w - - 0 1"),
    ] {
        assert!(white_score(fen).abs() < 80, "{name}: {}", white_score(fen));
    }
    let same = white_score("4k3/3b4/8/2P1P3/8/8/4B3/4K3 w - - 0 1");
    let opposite = white_score("4k3/2b5/8/2P1P3/8/8/4B3/4K3 w - - 0 1");
    assert!(opposite < same, "{opposite} with bishops of opposite colours, {same} without");
}

#[test]
fn won_endings_score_more_than_their_material_and_more_with_the_king_at_the_edge() {
    for (name, centre, edge) in [
        ("rook", "8/8/4k3/8/8/3K1R2/8/8 w - - 0 1", "4k3/8/4K3/8/8/5R2/8/8 w - - 0 1"),
        ("queen", "8/8/4k3/8/8/3K1Q2/8/8 b - - 0 1", "8/8/8/8/8/3K4/4Q3/k7 b - - 0 1"),
        ("two bishops", "8/8/4k3/8/8/3KBB2/8/8 w - - 0 1", "7k/8/5K2/8/8/4BB2/8/8 w - - 0 1"),
    ] {
        assert!(white_score(centre) > 1500, "{name}: {}", white_score(centre));
        assert!(white_score(edge) > white_score(centre), "{name}");
    }
}

#[test]
fn bishop_and_knight_score_more_with_the_king_in_the_corner_of_the_bishop() {
    // The bishop is on a light square, so mate is possible on a8 and h1.
    let right = white_score("k7/8/1K6/8/8/8/4B3/4N3 w - - 0 1");
    let wrong = white_score("7k/8/6K1/8/8/8/4B3/4N3 w - - 0 1");
    let middle = white_score("3k4/8/3K4/8/8/8/4B3/4N3 w - - 0 1");
    assert!(right > middle && middle > wrong, "right {right}, middle {middle}, wrong {wrong}");
}

/// White's king and pawn against Black's king, if the position is legal.
fn king_and_pawn(turn: Color, white: Square, pawn: Square, black: Square) -> Option<Position> {
    let mut board = [None; 64];
    if white == pawn || white == black || pawn == black {
        return None;
    }
    board[white.index()] = Some(Piece::new(Color::White, PieceKind::King));
    board[black.index()] = Some(Piece::new(Color::Black, PieceKind::King));
    board[pawn.index()] = Some(Piece::new(Color::White, PieceKind::Pawn));
    let no_rooks = CastlingRooks { kingside: None, queenside: None };
    let castling_rooks = ByColor { white: no_rooks, black: no_rooks };
    let setup = Setup { board, turn, castling_rooks, ep: None, halfmove: 0, fullmove: 1 };
    Position::from_setup(&setup).ok()
}

/// Whether White wins, judged by this position alone: a queen or rook that cannot be captured at once wins.
fn is_won(position: &Position, evaluator: &mut Evaluator) -> bool {
    if position.by_kind(PieceKind::Pawn).any() {
        let score = evaluator.evaluate(position);
        return if position.turn() == Color::White { score > 0 } else { score < 0 };
    }
    let heavy = position.by_kind(PieceKind::Queen) | position.by_kind(PieceKind::Rook);
    let stalemate = !position.has_legal_move() && !position.in_check();
    heavy.any() && !stalemate && position.legal_captures().is_empty()
}

#[test]
fn every_king_and_pawn_ending_agrees_with_its_successors() {
    let mut evaluator = Evaluator::new(Weights::default());
    let mut judged = 0;
    for pawn in Square::all().filter(|square| (1..7).contains(&square.rank())) {
        for white in Square::all() {
            for black in Square::all().filter(|black| (black.index() + white.index() + pawn.index()) % 5 == 0)
            {
                for turn in Color::ALL {
                    let Some(position) = king_and_pawn(turn, white, pawn, black) else { continue };
                    let moves = position.legal_moves();
                    let mut next = moves.iter().map(|mv| is_won(&position.play(*mv), &mut evaluator));
                    let expected = match turn {
                        Color::White => next.any(|won| won),
                        // Without a move it is stalemate, since a king and a pawn cannot mate here.
                        Color::Black => !moves.is_empty() && next.all(|won| won),
                    };
                    assert_eq!(is_won(&position, &mut evaluator), expected, "{position:?}");
                    judged += 1;
                }
            }
        }
    }
    assert!(judged > 50_000, "{judged} positions were checked");
}
