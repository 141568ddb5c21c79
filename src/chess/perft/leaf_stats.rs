//! Perft statistics by kind of the last move: captures, en passant, castling, promotions, checks.

use std::ops::AddAssign;

use crate::chess::Position;

/// Counts of the last moves of all lines by kind. A move may count in several columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafStats {
    /// All last moves.
    pub nodes: u64,
    /// Captures, en passant included.
    pub captures: u64,
    /// En-passant captures.
    pub en_passants: u64,
    /// Castling moves.
    pub castles: u64,
    /// Promotions.
    pub promotions: u64,
    /// Moves that give check, mate included.
    pub checks: u64,
}

impl AddAssign for LeafStats {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.en_passants += other.en_passants;
        self.castles += other.castles;
        self.promotions += other.promotions;
        self.checks += other.checks;
    }
}

impl LeafStats {
    /// Counts the last moves of all lines of `depth` moves from `position`. At depth 0 there is one line without moves.
    pub fn of(position: &Position, depth: u32) -> Self {
        let mut stats = Self::default();
        match depth {
            0 => stats.nodes = 1,
            1 => {
                for &mv in position.legal_moves().iter() {
                    stats += Self {
                        nodes: 1,
                        captures: u64::from(mv.is_capture()),
                        en_passants: u64::from(mv.is_en_passant()),
                        castles: u64::from(mv.is_castling()),
                        promotions: u64::from(mv.promotion().is_some()),
                        checks: u64::from(position.gives_check(mv)),
                    };
                }
            }
            _ => {
                for &mv in position.legal_moves().iter() {
                    stats += Self::of(&position.play(mv), depth - 1);
                }
            }
        }
        stats
    }
}
