//! How a game of chess ends by its rules.

use crate::chess::{Bitboard, Color, PieceKind, Position};

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side won.
    Win {
        /// Who.
        winner: Color,
        /// By which rule.
        by: WinRule,
    },
    /// Nobody won.
    Draw(DrawReason),
}

/// The rules by which a side wins on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinRule {
    /// The enemy king is in check and nothing helps.
    Checkmate,
}

/// The rules by which a game is drawn on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// No legal move, and no check.
    Stalemate,
    /// Neither side can mate by any play.
    InsufficientMaterial,
    /// Fifty moves of each side without capture or pawn move.
    FiftyMoves,
    /// The same position for the third time.
    ThreefoldRepetition,
}

impl Outcome {
    /// The winner, if there is one.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Win { winner, .. } => Some(winner),
            Self::Draw(_) => None,
        }
    }
}

impl Position {
    /// How the game has ended here, repetition aside, which takes a history to see. Mate comes before the fifty-move
    /// rule: a mate on the hundredth half-move wins.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.has_legal_move() {
            return Some(if self.in_check() {
                Outcome::Win { winner: !self.turn(), by: WinRule::Checkmate }
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            });
        }
        if self.has_insufficient_material() {
            return Some(Outcome::Draw(DrawReason::InsufficientMaterial));
        }
        (self.halfmove_clock() >= 100).then_some(Outcome::Draw(DrawReason::FiftyMoves))
    }

    /// Whether no sequence of legal moves mates: bare kings, one minor piece, or nothing but bishops of one square
    /// colour.
    pub fn has_insufficient_material(&self) -> bool {
        let [pawns, knights, bishops, rooks, queens] =
            [PieceKind::Pawn, PieceKind::Knight, PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen]
                .map(|kind| self.by_kind(kind));
        if (pawns | rooks | queens).any() {
            return false;
        }
        let one_colored =
            bishops.without(Bitboard::DARK).is_empty() || bishops.without(Bitboard::LIGHT).is_empty();
        (knights | bishops).len() <= 1 || knights.is_empty() && one_colored
    }
}
