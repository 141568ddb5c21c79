//! Mates in one near the root. The side that is about to mate may have given so much material that its node would be razored
//! and its quiet checks be skipped, so that a quiet sacrifice is not seen.

use crate::chess::{CheckSquares, Move, Position};

/// Last ply at which a mate in one is looked for; deeper, the look takes more time than it saves.
const LAST_PLY: usize = 4;

/// Returns a move that mates at once, if the node is near the root.
pub(super) fn mate_in_one(position: &Position, ply: usize) -> Option<Move> {
    if ply > LAST_PLY {
        return None;
    }
    let checks = CheckSquares::of(position);
    let mates = |mv: Move| checks.gives_check(position, mv) && !position.play(mv).has_legal_move();
    position.legal_moves().iter().copied().find(|&mv| mates(mv))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_is_found_near_the_root_only() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
        let found = mate_in_one(&position, LAST_PLY).map(|mv| format!("{mv:?}"));
        assert_eq!(found.as_deref(), Some("d1d8"));
        assert_eq!(mate_in_one(&position, LAST_PLY + 1), None);
        assert_eq!(mate_in_one(&Position::startpos(), 1), None);
    }
}
