//! The side to move as a type, so that code is compiled separately for each side and directions are constants.

use crate::chess::Color;

/// A side known at compile time.
pub(in crate::chess) trait Side: Copy {
    /// The other side.
    type Enemy: Side<Enemy = Self>;
    /// The side as a value.
    const COLOR: Color;
}

/// White.
#[derive(Clone, Copy)]
pub(in crate::chess) enum White {}

/// Black.
#[derive(Clone, Copy)]
pub(in crate::chess) enum Black {}

impl Side for White {
    type Enemy = Black;
    const COLOR: Color = Color::White;
}

impl Side for Black {
    type Enemy = White;
    const COLOR: Color = Color::Black;
}
