//! Ending a game by the engines' scores, or by its length, before the rules do.

use serde::{Deserialize, Serialize};

/// The adjudications in force; each is off where there is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjudicationRules {
    /// A draw both engines see.
    pub draw: Option<DrawRule>,
    /// A win that the loser's score admits.
    pub resign: Option<ResignRule>,
    /// A draw after this many full moves of the game.
    pub max_moves: Option<u32>,
}

/// A draw, once both engines' scores stay near zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Not before this full move.
    pub after_move: u32,
    /// For this many full moves in a row, of both engines.
    pub moves: u32,
    /// Within this many centipawns of zero.
    pub cp: u32,
}

/// Whose scores a resignation needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResignSides {
    /// The loser's.
    One,
    /// Both engines', in agreement: one that lies cannot win by it.
    #[default]
    Two,
}

/// A win, once the score is hopeless for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// For this many full moves in a row.
    pub moves: u32,
    /// At least this far from zero, in centipawns.
    pub cp: u32,
    /// Whose scores count.
    pub sides: ResignSides,
}
