//! Fixed words and exit statuses of the protocol.

use crate::chess::Color;

/// The word that ends a game early.
pub const EXIT_WORD: &str = "exit";

/// The message that a program prints on stderr for a move it does not accept; it then waits for another move.
pub const INVALID_MOVE: &str = "Invalid move!";

/// The result of a game according to the exit status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedResult {
    /// The given side won.
    Won(Color),
    /// The game was drawn or ended early; the status does not distinguish the two.
    DrawOrUnfinished,
}

impl ClaimedResult {
    /// Returns the result for an exit status, or `None` if the status means a failure.
    pub const fn from_status(status: i32) -> Option<Self> {
        match status {
            0 => Some(Self::DrawOrUnfinished),
            1 => Some(Self::Won(Color::Black)),
            2 => Some(Self::Won(Color::White)),
            _ => None,
        }
    }

    /// Returns the exit status for this result.
    pub const fn status(self) -> u8 {
        match self {
            Self::DrawOrUnfinished => 0,
            Self::Won(Color::Black) => 1,
            Self::Won(Color::White) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_round_trips_through_its_status() {
        for result in [
            ClaimedResult::DrawOrUnfinished,
            ClaimedResult::Won(Color::White),
            ClaimedResult::Won(Color::Black),
        ] {
            assert_eq!(ClaimedResult::from_status(i32::from(result.status())), Some(result));
        }
        assert_eq!(ClaimedResult::from_status(101), None);
    }
}
