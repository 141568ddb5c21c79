//! Time controls and other limits of an engine's search.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::chess::Color;
use crate::player::ThinkLimits;

/// A clock: `[moves/]time[+increment]`, as in `40/60+0.6`, `8+0.08` or `1:30+1`. In seconds unless there is a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClockRule {
    /// Moves per period; `None` means one period for the whole game.
    pub moves: Option<NonZeroU32>,
    /// Time per period.
    pub time: Duration,
    /// Time added after every move.
    pub increment: Duration,
}

/// Reason why a time control could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control: {problem}; write [moves/]time[+increment], for example 8+0.08 or 40/1:30"
)]
pub struct TimeControlError {
    text: String,
    problem: &'static str,
}

/// Longer than any game; keeps clock arithmetic far from overflow.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

impl FromStr for ClockRule {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let fail = |problem| TimeControlError { text: text.chars().take(40).collect(), problem };
        let trimmed = text.trim();
        let (moves, rest) = match trimmed.split_once('/') {
            None => (None, trimmed),
            Some((moves, rest)) => {
                let moves =
                    moves.parse().map_err(|_| fail("the number of moves is not a whole number above 0"))?;
                (Some(moves), rest)
            }
        };
        let (time, increment) = rest.split_once('+').map_or((rest, "0"), |(time, inc)| (time, inc));
        // Eight minutes and 0.08 seconds is what is written, and never what is meant.
        if time.split_once(':').is_some_and(|(_, seconds)| seconds.starts_with("0.")) {
            return Err(fail("after a colon follow whole seconds; an increment follows a plus sign"));
        }
        let time = parse_span(time).ok_or_else(|| fail("the time is not a number of seconds or min:sec"))?;
        let increment =
            parse_span(increment).ok_or_else(|| fail("the increment is not a number of seconds"))?;
        if time.is_zero() && increment.is_zero() {
            return Err(fail("time and increment are both 0"));
        }
        Ok(Self { moves, time, increment })
    }
}

/// Parses seconds, or minutes and seconds, up to a year.
fn parse_span(text: &str) -> Option<Duration> {
    let (minutes, seconds) = match text.split_once(':') {
        None => (0, text),
        Some((minutes, seconds)) => (minutes.parse::<u64>().ok()?, seconds),
    };
    if !seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let seconds: f64 = seconds.parse().ok()?;
    let minutes = Duration::from_secs(minutes.checked_mul(60)?);
    let span = Duration::try_from_secs_f64(seconds).ok()?.checked_add(minutes)?;
    // Rounded to microseconds, so that a clock is the same after writing and parsing it.
    (span <= LONGEST).then(|| Duration::from_micros(span.as_micros() as u64))
}

impl fmt::Display for ClockRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", self.increment.as_secs_f64()) }
    }
}

impl TryFrom<String> for ClockRule {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, TimeControlError> {
        text.parse()
    }
}

impl From<ClockRule> for String {
    fn from(rule: ClockRule) -> Self {
        rule.to_string()
    }
}

/// All limits of an engine's search; those that are set apply together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeControl {
    /// Clock for the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockRule>,
    /// Milliseconds for every move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// Nodes for every move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies for every move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds by which an engine may exceed its clock before it loses.
    pub margin_ms: u64,
    /// Whether the first move has the increment too, as with most other match runners.
    #[serde(skip_serializing_if = "FirstIncrement::is_after")]
    pub first_increment: FirstIncrement,
}

/// When a clock receives its increment for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstIncrement {
    /// After the first move.
    #[default]
    After,
    /// Before the first move.
    Before,
}

impl FirstIncrement {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_after(&self) -> bool {
        *self == Self::After
    }
}

impl TimeControl {
    /// Default margin: the cost of pipes and scheduler on a machine that is not overloaded.
    pub const DEFAULT_MARGIN_MS: u64 = 10;

    /// The longest time per move: a year.
    pub const MAX_MOVETIME_MS: u64 = LONGEST.as_secs() * 1000;

    /// The largest margin: a day.
    pub const MAX_MARGIN_MS: u64 = 24 * 3600 * 1000;

    /// The most nodes per move; fits every integer type that engines and files use.
    pub const MAX_NODES: u64 = 1_000_000_000_000_000_000;

    /// The greatest depth; no engine reaches it.
    pub const MAX_DEPTH: u32 = 10_000;

    /// Refuses limits beyond the largest ones.
    pub fn check(&self) -> Result<(), String> {
        within("movetime_ms", self.movetime_ms, 1..=Self::MAX_MOVETIME_MS)?;
        within("nodes", self.nodes, 1..=Self::MAX_NODES)?;
        within("depth", self.depth.map(u64::from), 1..=u64::from(Self::MAX_DEPTH))?;
        within("margin_ms", Some(self.margin_ms), 0..=Self::MAX_MARGIN_MS)
    }

    /// No limit except the harness's cap on a single move.
    pub const UNLIMITED: Self = Self {
        clock: None,
        movetime_ms: None,
        nodes: None,
        depth: None,
        margin_ms: Self::DEFAULT_MARGIN_MS,
        first_increment: FirstIncrement::After,
    };

    /// Returns the limits of the first move of `side`.
    pub fn first_limits(&self, side: Color) -> ThinkLimits {
        let mut limits = ThinkLimits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.movetime_ms.map(Duration::from_millis),
            moves_to_go: self.clock.and_then(|rule| rule.moves).map(u32::from),
            ..ThinkLimits::default()
        };
        limits.time[side] = self.clock.map(|rule| rule.time);
        limits.increment[side] = self.clock.map(|rule| rule.increment);
        limits
    }

    /// Creates a limit by clock.
    pub fn clock(rule: ClockRule) -> Self {
        Self { clock: Some(rule), ..Self::UNLIMITED }
    }

    /// Creates a limit by time per move.
    pub fn movetime(ms: u64) -> Self {
        Self { movetime_ms: Some(ms), ..Self::UNLIMITED }
    }

    /// Creates a limit by nodes per move.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::UNLIMITED }
    }

    /// Creates a limit by depth per move.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::UNLIMITED }
    }

    /// Returns these limits with all times multiplied by `ppm` millionths; the margin, nodes and depth stay.
    #[must_use]
    pub fn scaled(self, ppm: Option<u32>) -> Self {
        let Some(ppm) = ppm else { return self };
        let micros = |time: Duration| {
            let scaled = time.as_micros().saturating_mul(u128::from(ppm)) / 1_000_000;
            Duration::from_micros(u64::try_from(scaled).unwrap_or(u64::MAX)).min(LONGEST)
        };
        Self {
            clock: self.clock.map(|rule| ClockRule {
                time: micros(rule.time),
                increment: micros(rule.increment),
                ..rule
            }),
            movetime_ms: self.movetime_ms.map(|ms| {
                let scaled = u64::try_from(micros(Duration::from_millis(ms)).as_millis());
                scaled.unwrap_or(Self::MAX_MOVETIME_MS).max(1)
            }),
            ..self
        }
    }

    /// Returns whether a clock or a move time limits the engine, rather than the harness's cap alone.
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() || self.movetime_ms.is_some()
    }
}

impl Default for TimeControl {
    fn default() -> Self {
        Self::UNLIMITED
    }
}

/// Displays the limits as PGN's `TimeControl` tag and reports do: `8+0.08`, `nodes=20000`, `40/60, depth=8`, or `-`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|rule| rule.to_string()),
            self.movetime_ms.map(|ms| format!("movetime={ms}ms")),
            self.nodes.map(|nodes| format!("nodes={nodes}")),
            self.depth.map(|depth| format!("depth={depth}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "-" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// Refuses a number outside its range.
pub(super) fn within(name: &str, number: Option<u64>, range: RangeInclusive<u64>) -> Result<(), String> {
    match number {
        Some(number) if !range.contains(&number) => {
            Err(format!("{name} must be from {} to {}, not {number}", range.start(), range.end()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(moves: u32, time_ms: u64, increment_ms: u64) -> ClockRule {
        ClockRule {
            moves: NonZeroU32::new(moves),
            time: Duration::from_millis(time_ms),
            increment: Duration::from_millis(increment_ms),
        }
    }

    #[test]
    fn clocks_are_parsed_in_every_form_and_written_back() {
        for (text, expected, written) in [
            ("8+0.08", rule(0, 8_000, 80), "8+0.08"),
            ("40/60+0.6", rule(40, 60_000, 600), "40/60+0.6"),
            ("1:30+1", rule(0, 90_000, 1_000), "90+1"),
            ("40/2:00", rule(40, 120_000, 0), "40/120"),
            ("0.25", rule(0, 250, 0), "0.25"),
            ("0+1", rule(0, 0, 1_000), "0+1"),
            (" 10 ", rule(0, 10_000, 0), "10"),
        ] {
            let parsed: ClockRule = text.parse().unwrap();
            assert_eq!(parsed, expected, "{text}");
            assert_eq!(parsed.to_string(), written, "{text}");
            assert_eq!(written.parse::<ClockRule>().unwrap(), expected, "{written}");
        }
    }

    #[test]
    fn text_that_is_not_a_clock_is_refused() {
        for text in [
            "",
            "0",
            "x",
            "0/10",
            "-5+1",
            "5+-1",
            "1e9",
            "inf",
            "nan",
            "5++1",
            "1:2:3",
            "8:0.08",
            "99999999999999999999",
            "1:18446744073709551000",
            "307445734561825860:18446744073709551000",
            "40/",
        ] {
            assert!(text.parse::<ClockRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn all_limits_are_displayed() {
        let both = TimeControl { nodes: Some(5), ..TimeControl::clock(rule(0, 1_000, 0)) };
        assert_eq!(both.to_string(), "1, nodes=5");
        assert_eq!(TimeControl::UNLIMITED.to_string(), "-");
        let json = serde_json::to_string(&both).unwrap();
        assert_eq!(json, r#"{"clock":"1","nodes":5,"margin_ms":10}"#);
        assert_eq!(serde_json::from_str::<TimeControl>(&json).unwrap(), both);
    }
}
