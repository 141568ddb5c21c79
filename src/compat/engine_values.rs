//! Keys of `-engine` and `-each`.

use std::path::PathBuf;

use crate::compat::arguments::{at_least, number, shell_words};
use crate::compat::engines_json;
use crate::compat::invocation::{ClockArgs, InvokedEngine};
use crate::compat::surface::Surface;
use crate::config::ProtocolName;
use crate::player::EngineBookPlan;

impl InvokedEngine {
    /// Applies one key of the command line of `surface`.
    pub(super) fn apply(&mut self, surface: Surface, key: &str, value: &str) -> Result<(), String> {
        match key {
            "cmd" => self.command = value.to_owned(),
            "name" => self.name = Some(value.to_owned()),
            "dir" => self.dir = Some(PathBuf::from(value)),
            "tc" => self.clock = clock(value)?,
            "st" => self.movetime_ms = Some(seconds(value)?.max(1)),
            "timemargin" => self.margin_ms = at_least(key, value, 0)?,
            "nodes" => self.nodes = Some(number::<u64>(key, value)?).filter(|nodes| *nodes > 0),
            "depth" => self.depth = Some(number::<u64>(key, value)?).filter(|depth| *depth > 0),
            "restart" => self.restart = restart(surface, value)?,
            "proto" => self.protocol = Some(protocol(surface, value)?),
            _ => match (key.strip_prefix("option."), surface) {
                (Some(name), _) => self.options.push((name.to_owned(), value.to_owned())),
                (None, Surface::Fastchess) => self.apply_fastchess(key, value)?,
                (None, Surface::Cutechess) => self.apply_cutechess(key, value)?,
            },
        }
        Ok(())
    }

    fn apply_fastchess(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "args" => self.args = shell_words(value),
            "plies" => self.depth = Some(number::<u64>(key, value)?).filter(|depth| *depth > 0),
            _ => return Err(format!("Unrecognized engine option \"{key}\" with value \"{value}\".")),
        }
        Ok(())
    }

    fn apply_cutechess(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "conf" => *self = engines_json::engine(value)?,
            "arg" => self.args.push(value.to_owned()),
            "initstr" => self.init.extend(value.split("\\n").map(str::to_owned)),
            "ponder" => self.ponder = true,
            "tscale" => self.timeout_scale = Some(number::<f64>(key, value)?.clamp(0.2, 120.0)),
            "debug" => self.debug = true,
            "stderr" => self.stderr = Some(PathBuf::from(value)),
            "whitepov" => self.white_scores = true,
            // Results are always taken from the board.
            "trust" => {}
            "book" => self.book = Some(PathBuf::from(value)),
            "bookdepth" => {
                let depth = value.parse().ok().filter(|depth| (1..=i32::MAX).contains(depth));
                let depth = depth.ok_or_else(|| format!("Invalid book depth limit: \"{value}\""))?;
                self.book_depth = Some((depth as u32).min(EngineBookPlan::MAX_DEPTH));
            }
            _ => return Err(format!("Invalid engine option: \"{key}\"")),
        }
        Ok(())
    }
}

fn restart(surface: Surface, value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        "auto" if surface == Surface::Cutechess => Ok(false),
        _ => Err(format!("Invalid restart mode: \"{value}\"")),
    }
}

fn protocol(surface: Surface, value: &str) -> Result<ProtocolName, String> {
    match value {
        "uci" => Ok(ProtocolName::Uci),
        "xboard" if surface == Surface::Cutechess => Ok(ProtocolName::Xboard),
        _ => Err(format!("Unsupported chess protocol: \"{value}\"")),
    }
}

/// Parses `[moves/][min:]sec[+inc]`, `inf` and `inf/sec+inc`. A number of moves of 0 means none.
fn clock(text: &str) -> Result<ClockArgs, String> {
    let wrong = || format!("Invalid time control: \"{text}\"");
    let endless = |word: &str| matches!(word, "inf" | "infinite");
    if text.contains("hg") {
        return Err(format!("{}: hourglass clocks are not supported", wrong()));
    }
    if endless(text) {
        return Ok(ClockArgs::Infinite);
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) if endless(moves) => (0, rest),
        Some((moves, rest)) => (moves.parse().map_err(|_| wrong())?, rest),
        None => (0, text),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (time, seconds(increment).map_err(|_| wrong())?),
        None => (rest, 0),
    };
    let time_ms = match time.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: f64 = minutes.parse().map_err(|_| wrong())?;
            (minutes.max(0.0) * 60_000.0) as u64 + seconds(rest).map_err(|_| wrong())?
        }
        None => seconds(time).map_err(|_| wrong())?,
    };
    Ok(ClockArgs::Clock { moves, time_ms, increment_ms: increment })
}

/// Parses seconds, as in `8`, `0.08` and `10s`, to milliseconds.
fn seconds(text: &str) -> Result<u64, String> {
    const LONGEST_S: f64 = 366.0 * 86_400.0;
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>();
    match number {
        Ok(seconds) if (0.0..=LONGEST_S).contains(&seconds) => Ok((seconds * 1000.0) as u64),
        _ => Err(format!("\"{text}\" is not a time in seconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_in_every_form_that_tools_write() {
        let plain = |time_ms, increment_ms| ClockArgs::Clock { moves: 0, time_ms, increment_ms };
        for (text, expected) in [
            ("8+0.08", plain(8000, 80)),
            ("0/0:5+0.05", plain(5000, 50)),
            ("1:30+1", plain(90_000, 1000)),
            ("40/60", ClockArgs::Clock { moves: 40, time_ms: 60_000, increment_ms: 0 }),
            ("10s+0.1s", plain(10_000, 100)),
            ("inf/10+0.1", plain(10_000, 100)),
            ("inf", ClockArgs::Infinite),
            ("infinite", ClockArgs::Infinite),
        ] {
            assert_eq!(clock(text), Ok(expected), "{text}");
        }
        for text in ["", "x", "8+", "1/", "-3", "hg5", "8+0.08+1"] {
            assert!(clock(text).is_err(), "{text}");
        }
    }
}
