//! The fixed words of the protocol, and what an exit status says.

use crate::chess::Color;

/// The word that ends a game early.
pub const EXIT_WORD: &str = "exit";

/// What a program says, on stderr, to a move it does not accept; it then waits for another.
pub const INVALID_MOVE: &str = "Invalid move!";

/// How a program says its game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// That side won.
    Won(Color),
    /// A draw, or the game was left unfinished: the status does not tell which.
    DrawOrLeft,
}

impl Claim {
    /// What an exit status says; `None` for one that means a failure.
    pub const fn from_status(status: i32) -> Option<Self> {
        match status {
            0 => Some(Self::DrawOrLeft),
            1 => Some(Self::Won(Color::Black)),
            2 => Some(Self::Won(Color::White)),
            _ => None,
        }
    }

    /// The exit status that says this.
    pub const fn status(self) -> u8 {
        match self {
            Self::DrawOrLeft => 0,
            Self::Won(Color::Black) => 1,
            Self::Won(Color::White) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_means_what_it_was_made_from() {
        for claim in [Claim::DrawOrLeft, Claim::Won(Color::White), Claim::Won(Color::Black)] {
            assert_eq!(Claim::from_status(i32::from(claim.status())), Some(claim));
        }
        assert_eq!(Claim::from_status(101), None);
    }
}
