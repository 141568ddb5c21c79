//! Ratings of many players from their games: joint maximum likelihood with draws and the advantage of White.

mod fit;
mod groups;
mod matrix;
mod model;
mod ratings;
mod tournament;

pub use fit::{AnchorOutOfRange, DRAW_DEVIATION, RatingOptions, WHITE_DEVIATION};
pub use ratings::{Measured, Ratings};
pub use tournament::{Encounter, Tournament};
