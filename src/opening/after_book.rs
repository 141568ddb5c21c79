//! What follows when a run has used every opening of its book.

use serde::{Deserialize, Serialize};

/// What a run does after its last opening. At fixed nodes or depth an engine repeats its games, so an opening that is
/// used again adds no information.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AfterBook {
    /// Plays fresh openings: used ones, extended by random moves that keep their balance.
    Extend,
    /// Ends the run.
    Stop,
    /// Uses the openings again, in another order.
    #[default]
    Repeat,
    /// Uses the openings again and counts every pair, as other match runners do.
    Count,
}

impl AfterBook {
    /// Returns the default: fresh openings where the old ones would repeat their games.
    pub fn usual(games_repeat: bool) -> Self {
        if games_repeat { Self::Extend } else { Self::Repeat }
    }
}
