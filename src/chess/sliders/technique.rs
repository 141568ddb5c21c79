//! The trait of slider techniques, and the choice between them.

use std::fmt;
use std::str::FromStr;

use super::{AboveBelow, Magic, Pext};
use crate::chess::{Bitboard, Square};

/// A technique to compute sliding attacks.
///
/// Attacks extend from the square over empty squares up to and including the first occupied square in each direction,
/// regardless of colour. The square itself is never attacked, and its own occupation has no effect.
pub(in crate::chess) trait Sliders: Copy + Send + Sync {
    /// Returns the diagonal attacks.
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard;

    /// Returns the attacks along the rank and the file.
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard;
}

/// The technique of position queries: the fastest one that every target processor of the build supports.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(in crate::chess) const DEFAULT: Pext<super::Hardware> = Pext::HARDWARE;

/// The technique of position queries: the fastest one that every target processor of the build supports.
#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
pub(in crate::chess) const DEFAULT: Magic = Magic;

/// A slider technique, selected at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliderTechnique {
    /// Above/below rays.
    AboveBelow,
    /// Magic multiplication.
    Magic,
    /// Bit extraction; without the `pext` instruction, a loop gathers the bits.
    Pext,
}

/// A computation that is compiled once per technique.
pub(in crate::chess) trait SliderJob {
    /// The result.
    type Output;

    /// Runs the computation with `sliders`.
    fn run<S: Sliders>(self, sliders: S) -> Self::Output;
}

impl SliderTechnique {
    /// All techniques.
    pub const ALL: [Self; 3] = [Self::AboveBelow, Self::Magic, Self::Pext];

    /// Returns the fastest technique on this machine: `Pext` if the processor has a fast `pext`, otherwise `Magic`.
    pub fn fastest() -> Self {
        if super::pext::is_fast() { Self::Pext } else { Self::Magic }
    }

    /// Returns the name: `ab`, `magic` or `pext`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AboveBelow => "ab",
            Self::Magic => "magic",
            Self::Pext => "pext",
        }
    }

    /// Runs a job with this technique. This is the only branch on the technique.
    pub(in crate::chess) fn run<J: SliderJob>(self, job: J) -> J::Output {
        match self {
            Self::AboveBelow => job.run(AboveBelow),
            Self::Magic => job.run(Magic),
            Self::Pext => match Pext::detect() {
                Some(hardware) => job.run(hardware),
                None => job.run(Pext::SOFTWARE),
            },
        }
    }
}

impl fmt::Display for SliderTechnique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error returned when a string is not the name of a slider technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSliderTechniqueError;

impl fmt::Display for ParseSliderTechniqueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a slider technique (expected ab, magic or pext)")
    }
}

impl std::error::Error for ParseSliderTechniqueError {}

impl FromStr for SliderTechnique {
    type Err = ParseSliderTechniqueError;

    fn from_str(text: &str) -> Result<Self, ParseSliderTechniqueError> {
        Self::ALL.into_iter().find(|technique| technique.name() == text).ok_or(ParseSliderTechniqueError)
    }
}
