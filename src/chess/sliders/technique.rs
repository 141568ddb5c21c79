//! The contract every slider technique keeps, and the choice between them.

use std::fmt;
use std::str::FromStr;

use super::{AboveBelow, Magic, Pext};
use crate::chess::{Bitboard, Square};

/// A way to look up sliding attacks.
///
/// Attacks run from the square over empty squares up to and including the first occupied one of each direction,
/// whoever stands there; the square itself is never attacked, and whether it is occupied does not matter.
pub(in crate::chess) trait Sliders: Copy + Send + Sync {
    /// Diagonal attacks.
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard;

    /// Attacks along rank and file.
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard;
}

/// The technique that position queries use: the fastest that every processor of this build's kind has.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(in crate::chess) const DEFAULT: Pext<super::Hardware> = Pext::HARDWARE;

/// The technique that position queries use: the fastest that every processor of this build's kind has.
#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
pub(in crate::chess) const DEFAULT: Magic = Magic;

/// A slider technique by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliderTechnique {
    /// Above/below rays.
    AboveBelow,
    /// Magic multiplication.
    Magic,
    /// Extraction tables; without the processor's `pext`, bits are gathered by a loop.
    Pext,
}

/// Work that is compiled once for each technique.
pub(in crate::chess) trait SliderJob {
    /// What comes of it.
    type Output;

    /// Does it with these sliders.
    fn run<S: Sliders>(self, sliders: S) -> Self::Output;
}

impl SliderTechnique {
    /// Every technique.
    pub const ALL: [Self; 3] = [Self::AboveBelow, Self::Magic, Self::Pext];

    /// The fastest on this machine: `pext` where the processor is quick at it, else magic multiplication.
    pub fn fastest() -> Self {
        if super::pext::is_fast() { Self::Pext } else { Self::Magic }
    }

    /// `ab`, `magic` or `pext`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AboveBelow => "ab",
            Self::Magic => "magic",
            Self::Pext => "pext",
        }
    }

    /// Runs a job with this technique: the one branch that the choice costs.
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

/// Text that names no slider technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASliderTechnique;

impl fmt::Display for NotASliderTechnique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a slider technique (expected ab, magic or pext)")
    }
}

impl std::error::Error for NotASliderTechnique {}

impl FromStr for SliderTechnique {
    type Err = NotASliderTechnique;

    fn from_str(text: &str) -> Result<Self, NotASliderTechnique> {
        Self::ALL.into_iter().find(|technique| technique.name() == text).ok_or(NotASliderTechnique)
    }
}
