//! Explanations of invalid moves for the person who entered them.

use crate::chess::{
    Bitboard, Move, MoveProblem, Piece, PieceKind, Position, Square, between, bishop_attacks, king_attacks,
    knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};

/// Returns a sentence that explains why `word` is not a legal move.
pub(super) fn explain(position: &Position, word: &str) -> String {
    let squares =
        word.get(..2).and_then(|from| from.parse().ok()).zip(word.get(2..4).and_then(|to| to.parse().ok()));
    if let Some((from, to)) = squares {
        return explain_squares(position, from, to, &word[4..]);
    }
    match position.parse_san(word).map_err(|error| error.problem()) {
        Err(MoveProblem::Ambiguous) => ambiguous(position, word),
        Err(MoveProblem::NoPromotionPiece) => NO_PROMOTION.into(),
        Err(MoveProblem::Illegal) => illegal_san(position, word),
        _ => format!("`{word}` is not a move. Enter e2e4, Nf3 or O-O; `help` lists all commands."),
    }
}

const NO_PROMOTION: &str = "Specify the promotion piece: e7e8Q, e7e8R, e7e8B or e7e8N (or e8=Q).";

fn explain_squares(position: &Position, from: Square, to: Square, suffix: &str) -> String {
    let turn = position.turn();
    let Some(piece) = position.piece_at(from) else { return format!("There is no piece on {from}.") };
    let name = name_of(piece.kind);
    if piece.color != turn {
        let owner = piece.color.name();
        return format!("The {name} on {from} belongs to {owner}, but it is {}'s turn.", turn.name());
    }
    if from == to {
        return format!("The {name} is already on {to}.");
    }
    let matching = |mv: &&Move| mv.from() == from && mv.to() == to;
    if position.legal_moves().iter().any(|mv| matching(&mv)) {
        return match (piece.kind, suffix) {
            (PieceKind::Pawn, _) if to.relative_rank(turn) == 7 => NO_PROMOTION.into(),
            _ => format!("`{from}{to}` is a legal move, but the suffix `{suffix}` is unknown."),
        };
    }
    if piece.kind == PieceKind::King && from.rank() == to.rank() && from.distance(to) > 1 {
        return no_castling(position, from, to);
    }
    if let Some(own) = position.piece_at(to).filter(|own| own.color == turn) {
        return format!("Your own {} is on {to}.", name_of(own.kind));
    }
    if piece.kind == PieceKind::Pawn {
        if let Some(reason) = pawn_problem(position, from, to) {
            return reason;
        }
    } else if !empty_board_attacks(piece.kind, from).has(to) {
        return format!("A {name} cannot move from {from} to {to}.");
    } else if let Some(blocker) = (between(from, to) & position.occupied()).first() {
        let blocking = position.piece_at(blocker).map_or("piece", |piece| name_of(piece.kind));
        return format!("The {blocking} on {blocker} is in the way.");
    }
    king_problem(position, piece, from, to)
}

fn empty_board_attacks(kind: PieceKind, from: Square) -> Bitboard {
    match kind {
        PieceKind::Pawn => Bitboard::EMPTY,
        PieceKind::Knight => knight_attacks(from),
        PieceKind::Bishop => bishop_attacks(from, Bitboard::EMPTY),
        PieceKind::Rook => rook_attacks(from, Bitboard::EMPTY),
        PieceKind::Queen => queen_attacks(from, Bitboard::EMPTY),
        PieceKind::King => king_attacks(from),
    }
}

/// Explains why a pawn cannot make this move. Returns `None` if the move is pseudo-legal.
fn pawn_problem(position: &Position, from: Square, to: Square) -> Option<String> {
    let turn = position.turn();
    if pawn_attacks(turn, from).has(to) {
        let captures = position.piece_at(to).is_some() || position.ep_square() == Some(to);
        return (!captures)
            .then(|| format!("A pawn moves diagonally only to capture, and {to} has nothing to capture."));
    }
    let steps = i16::from(to.relative_rank(turn)) - i16::from(from.relative_rank(turn));
    let max_steps = if from.relative_rank(turn) == 1 { 2 } else { 1 };
    if from.file() != to.file() || steps < 1 || steps > max_steps {
        return Some(match (from.file() == to.file(), steps) {
            (true, 2) => format!("A pawn moves two squares only from its first square; {from} is not one."),
            _ => format!("A pawn cannot move from {from} to {to}."),
        });
    }
    let path = between(from, to) | Bitboard::of(to);
    let blocker = (path & position.occupied()).first()?;
    Some(format!("{blocker} is occupied, and a pawn does not capture straight ahead."))
}

/// Explains why a pseudo-legal move leaves the king in check.
fn king_problem(position: &Position, piece: Piece, from: Square, to: Square) -> String {
    let turn = position.turn();
    let attacked_by = |square: Square, occupied: Bitboard| {
        let attackers = position.attackers_to(square, occupied) & position.by_color(!turn);
        attackers.without(Bitboard::of(to)).first().and_then(|at| Some((position.piece_at(at)?, at)))
    };
    let after = position.occupied().without(Bitboard::of(from)) | Bitboard::of(to);
    if piece.kind == PieceKind::King {
        return match attacked_by(to, after) {
            Some((by, at)) => format!("The {} on {at} attacks {to}.", name_of(by.kind)),
            None => format!("The king cannot move to {to}."),
        };
    }
    let king = position.king(turn);
    match attacked_by(king, after) {
        Some((by, at)) if position.in_check() => {
            format!("Your king would remain in check from the {} on {at}.", name_of(by.kind))
        }
        Some((by, at)) => format!("That would expose your king to the {} on {at}.", name_of(by.kind)),
        None => format!("The {} cannot move from {from} to {to} here.", name_of(piece.kind)),
    }
}

fn no_castling(position: &Position, from: Square, to: Square) -> String {
    let turn = position.turn();
    if position.in_check() {
        return "A king in check cannot castle.".into();
    }
    let side = if to > from { "kingside" } else { "queenside" };
    let rights = position.to_setup().castling_rooks[turn];
    let Some(rook) = (if to > from { rights.kingside } else { rights.queenside }) else {
        return format!("You can no longer castle {side}: the king or the rook has moved.");
    };
    let target = Square::at(if to > from { 6 } else { 2 }, from.rank());
    if let Some(blocker) = (between(from, rook) & position.occupied()).first() {
        return format!("You cannot castle while {blocker} is occupied.");
    }
    let path = between(from, target) | Bitboard::of(target);
    match path.into_iter().find(|&square| position.is_attacked(square, !turn)) {
        Some(square) => format!("You cannot castle: {square} is attacked."),
        None => format!("You cannot castle {side} here."),
    }
}

/// Returns the English name of a kind of piece.
const fn name_of(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "pawn",
        PieceKind::Knight => "knight",
        PieceKind::Bishop => "bishop",
        PieceKind::Rook => "rook",
        PieceKind::Queen => "queen",
        PieceKind::King => "king",
    }
}

/// Extracts the kind of piece and the target square from a SAN text.
fn san_kind_and_target(word: &str) -> Option<(PieceKind, Square)> {
    let kind = word.chars().next().filter(char::is_ascii_uppercase).and_then(PieceKind::from_letter);
    let bare = word.trim_end_matches(['+', '#', '!', '?']);
    let bare = bare.split('=').next().unwrap_or(bare);
    let target = bare.get(bare.len().checked_sub(2)?..)?.parse().ok()?;
    Some((kind.unwrap_or(PieceKind::Pawn), target))
}

fn illegal_san(position: &Position, word: &str) -> String {
    let turn = position.turn();
    if matches!(word.to_ascii_uppercase().replace('0', "O").as_str(), "O-O" | "O-O-O") {
        let king = position.king(turn);
        let file = if word.len() == 3 { 6 } else { 2 };
        return no_castling(position, king, Square::at(file, king.rank()));
    }
    let Some((kind, target)) = san_kind_and_target(word) else {
        return format!("`{word}` is not legal here.");
    };
    let pieces: Vec<Square> = position.pieces(turn, kind).into_iter().collect();
    match (pieces.as_slice(), kind) {
        ([], _) => format!("You have no {}.", name_of(kind)),
        (
            &[only],
            PieceKind::Knight | PieceKind::Bishop | PieceKind::Rook | PieceKind::Queen | PieceKind::King,
        ) => explain_squares(position, only, target, ""),
        _ => format!("None of your {}s can move to {target}.", name_of(kind)),
    }
}

fn ambiguous(position: &Position, word: &str) -> String {
    let Some((kind, target)) = san_kind_and_target(word) else {
        return format!("`{word}` matches several moves.");
    };
    let moves = position.legal_moves();
    let choices: Vec<String> = moves
        .iter()
        .filter(|mv| mv.kind() == kind && mv.to() == target && !mv.is_castling())
        .map(|&mv| position.san(mv))
        .collect();
    format!("`{word}` matches several moves: {}.", choices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_own_sentence() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let cases = [
            (start, "e4e5", "There is no piece on e4."),
            (start, "e7e5", "The pawn on e7 belongs to Black, but it is White's turn."),
            (start, "e2e2", "The pawn is already on e2."),
            (start, "e2e5", "A pawn cannot move from e2 to e5."),
            (start, "e2d3", "A pawn moves diagonally only to capture, and d3 has nothing to capture."),
            (start, "g1g3", "A knight cannot move from g1 to g3."),
            (start, "a1a3", "The pawn on a2 is in the way."),
            (start, "a1a2", "Your own pawn is on a2."),
            (start, "e2e4x", "`e2e4` is a legal move, but the suffix `x` is unknown."),
            (start, "O-O", "You cannot castle while f1 is occupied."),
            (start, "Qd3", "The pawn on d2 is in the way."),
            (start, "Nd4", "None of your knights can move to d4."),
            (start, "hello", "`hello` is not a move. Enter e2e4, Nf3 or O-O; `help` lists all commands."),
            (start, "é2e4", "`é2e4` is not a move. Enter e2e4, Nf3 or O-O; `help` lists all commands."),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", NO_PROMOTION),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", NO_PROMOTION),
            (
                "4k3/8/8/8/4p3/4P3/8/4K3 w - - 0 1",
                "e3e4",
                "e4 is occupied, and a pawn does not capture straight ahead.",
            ),
            (
                "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
                "e3e5",
                "A pawn moves two squares only from its first square; e3 is not one.",
            ),
            ("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "That would expose your king to the rook on e8."),
            (
                "4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1",
                "a1b3",
                "Your king would remain in check from the rook on e8.",
            ),
            ("3r2k1/8/8/8/8/8/8/4K3 w - - 0 1", "Kd1", "The rook on d8 attacks d1."),
            ("5rk1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "You cannot castle: f1 is attacked."),
            ("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "A king in check cannot castle."),
            (
                "6k1/8/8/8/8/8/8/4K2R w - - 0 1",
                "O-O",
                "You can no longer castle kingside: the king or the rook has moved.",
            ),
            ("6k1/8/8/8/8/2N3N1/8/4K3 w - - 0 1", "Ne4", "`Ne4` matches several moves: Nce4, Nge4."),
            ("6k1/8/8/8/8/8/8/4K3 w - - 0 1", "Qd4", "You have no queen."),
        ];
        for (fen, word, sentence) in cases {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(explain(&position, word), sentence, "{word} in {fen}");
        }
    }

    #[test]
    fn explain_does_not_panic_on_any_input() {
        let position =
            Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
                .unwrap();
        for from in Square::all() {
            for to in Square::all() {
                for suffix in ["", "Q", "Ch1", "é"] {
                    assert!(!explain(&position, &format!("{from}{to}{suffix}")).is_empty());
                }
            }
        }
        for word in ["", "=", "N", "é", "Né", "++", "O-O-O", "e1é", "x=Q", "\0"] {
            assert!(!explain(&position, word).is_empty(), "{word:?}");
        }
    }
}
