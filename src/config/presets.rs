//! SPRT bounds and clocks that are usual for a purpose.

use crate::game::ClockRule;
use crate::stats::{Hypotheses, SprtConfig};

/// A usual purpose of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A gain at short time control.
    StcGain,
    /// A gain at long time control.
    LtcGain,
    /// No loss at short time control.
    NonRegression,
}

/// Returns the test of a command that must have one, where neither file nor flags name it.
pub fn default_test() -> SprtConfig {
    SprtConfig::usual(Hypotheses::new(0.0, 5.0).expect("the default bounds are in order"))
}

impl Preset {
    /// All of them, each with its name on the command line and its purpose.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::StcGain, "stc-gain", "Gain at short time control: [0, 2] normalized, 8+0.08"),
        (Self::LtcGain, "ltc-gain", "Gain at long time control: [0.5, 2.5] normalized, 40+0.4"),
        (Self::NonRegression, "non-regression", "No loss of strength: [-1.75, 0.25] normalized, 8+0.08"),
    ];

    /// The bounds of its test.
    pub fn hypotheses(self) -> Hypotheses {
        let (null, alternative) = match self {
            Self::StcGain => (0.0, 2.0),
            Self::LtcGain => (0.5, 2.5),
            Self::NonRegression => (-1.75, 0.25),
        };
        Hypotheses::new(null, alternative).expect("the bounds of a preset are in order")
    }

    /// Its clock, where no limit is set.
    pub fn clock(self) -> ClockRule {
        let clock = match self {
            Self::StcGain | Self::NonRegression => "8+0.08",
            Self::LtcGain => "40+0.4",
        };
        clock.parse().expect("the clock of a preset is a time control")
    }
}
