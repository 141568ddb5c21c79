//! Ends of a game by the rules of chess.

use crate::chess::{Bitboard, Color, PieceKind, Position};

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side won.
    Win {
        /// The side that won.
        winner: Color,
        /// The rule by which it won.
        by: WinRule,
    },
    /// The game is drawn.
    Draw(DrawReason),
}

/// The rules by which a side wins on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinRule {
    /// The opponent is in check and has no legal move.
    Checkmate,
}

/// The rules by which a game is drawn on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// No sequence of legal moves leads to mate.
    InsufficientMaterial,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
    /// The same position occurred for the third time.
    ThreefoldRepetition,
}

impl Outcome {
    /// Returns the winner, if there is one.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Win { winner, .. } => Some(winner),
            Self::Draw(_) => None,
        }
    }
}

impl Position {
    /// Returns how the game has ended in this position, if it has. Repetition is not considered, because it requires
    /// the history of the game. Mate takes precedence over the fifty-move rule: a mate on the hundredth half-move wins.
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

    /// Returns whether no sequence of legal moves leads to mate: bare kings, a single minor piece, or only bishops on
    /// squares of one colour.
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
