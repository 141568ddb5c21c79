//! Resource limits and timeouts of an engine, as written in its table.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::player::{Sandbox, Timeouts};

use crate::config::toml_reader::Fields;

/// One limit that an engine's table can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    Memory,
    File,
    Processes,
    Start,
    Ready,
    NewGame,
    Stop,
    Quit,
    Term,
    MoveCap,
    Write,
    Line,
    MoveOutput,
    Stderr,
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Kilobytes,
    Megabytes,
    Pieces,
}

/// Every limit with its key.
const KEYS: [(Bound, &str, Unit); 14] = [
    (Bound::Memory, "memory_mb", Unit::Megabytes),
    (Bound::File, "file_mb", Unit::Megabytes),
    (Bound::Processes, "processes", Unit::Pieces),
    (Bound::Start, "start_s", Unit::Seconds),
    (Bound::Ready, "ready_s", Unit::Seconds),
    (Bound::NewGame, "new_game_s", Unit::Seconds),
    (Bound::Stop, "stop_s", Unit::Seconds),
    (Bound::Quit, "quit_s", Unit::Seconds),
    (Bound::Term, "term_s", Unit::Seconds),
    (Bound::MoveCap, "move_cap_s", Unit::Seconds),
    (Bound::Write, "write_s", Unit::Seconds),
    (Bound::Line, "line_kb", Unit::Kilobytes),
    (Bound::MoveOutput, "output_mb", Unit::Megabytes),
    (Bound::Stderr, "stderr_kb", Unit::Kilobytes),
];

/// The longest timeout: a day.
const LONGEST_S: f64 = 86_400.0;

/// The largest size in any unit; no machine has more.
const MOST: i64 = 1 << 30;

/// The limits of an engine as written; `None` where the file has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineBounds {
    /// In microseconds, bytes or units.
    set: BTreeMap<Bound, u64>,
}

impl EngineBounds {
    pub(super) fn read(fields: &mut Fields) -> Self {
        let mut set = BTreeMap::new();
        for (bound, key, unit) in KEYS {
            let value = match unit {
                Unit::Seconds => {
                    fields.number_within(key, 0.001, LONGEST_S).map(|seconds| (seconds * 1e6) as u64)
                }
                Unit::Kilobytes => fields.whole(key, 1, MOST).map(|number: u64| number << 10),
                Unit::Megabytes => fields.whole(key, 1, MOST).map(|number: u64| number << 20),
                Unit::Pieces => fields.whole(key, 1, MOST),
            };
            set.extend(value.map(|value| (bound, value)));
        }
        Self { set }
    }

    /// These limits where they are set, `other` elsewhere.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut set = other.set.clone();
        set.extend(&self.set);
        Self { set }
    }

    /// The limits that the kernel enforces.
    pub(super) fn sandbox(&self) -> Sandbox {
        let set = |bound| self.set.get(&bound).copied();
        Sandbox {
            memory_bytes: set(Bound::Memory),
            file_bytes: set(Bound::File),
            processes: set(Bound::Processes),
            ..Sandbox::default()
        }
    }

    /// The limits that the player enforces.
    pub(super) fn timeouts(&self) -> Timeouts {
        let usual = Timeouts::default();
        let time = |bound, usual| self.set.get(&bound).map_or(usual, |&us| Duration::from_micros(us));
        let size = |bound, usual| self.set.get(&bound).map_or(usual, |&bytes| bytes as usize);
        Timeouts {
            start: time(Bound::Start, usual.start),
            ready: time(Bound::Ready, usual.ready),
            new_game: time(Bound::NewGame, usual.new_game),
            stop: time(Bound::Stop, usual.stop),
            quit: time(Bound::Quit, usual.quit),
            term: time(Bound::Term, usual.term),
            move_cap: time(Bound::MoveCap, usual.move_cap),
            write: time(Bound::Write, usual.write),
            line_bytes: size(Bound::Line, usual.line_bytes),
            move_bytes: size(Bound::MoveOutput, usual.move_bytes),
            stderr_bytes: size(Bound::Stderr, usual.stderr_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::toml_reader::read_document;

    fn read(text: &str) -> Result<EngineBounds, String> {
        read_document(Path::new("e.toml"), text, EngineBounds::read).map_err(|why| why.to_string())
    }

    #[test]
    fn every_limit_can_be_set_and_the_nearer_table_wins() {
        let far = read("memory_mb = 512\nprocesses = 8\nstart_s = 30\nline_kb = 1").unwrap();
        let near = read("file_mb = 3\nstart_s = 2.5\nmove_cap_s = 7\noutput_mb = 2").unwrap();
        let bounds = near.or(&far);
        let sandbox = Sandbox {
            memory_bytes: Some(512 << 20),
            file_bytes: Some(3 << 20),
            processes: Some(8),
            ..Sandbox::default()
        };
        assert_eq!(bounds.sandbox(), sandbox);
        let timeouts = bounds.timeouts();
        assert_eq!(timeouts.start, Duration::from_millis(2500));
        assert_eq!(timeouts.move_cap, Duration::from_secs(7));
        assert_eq!((timeouts.line_bytes, timeouts.move_bytes), (1 << 10, 2 << 20));
        assert_eq!(timeouts.ready, Timeouts::default().ready);
        assert_eq!(EngineBounds::default().timeouts(), Timeouts::default());
    }

    #[test]
    fn numbers_out_of_range_and_unknown_keys_are_reported() {
        let message =
            read("start_s = 0\nquit_s = 1e9\nmemory_mb = 0\nmove_caps = 3\nready_s = \"long\"").unwrap_err();
        for part in [
            "e.toml:1: start_s must be a number from 0.001 to 86400, not 0",
            "e.toml:2: quit_s must be a number from 0.001 to 86400, not 1000000000",
            "e.toml:3: memory_mb must be a whole number from 1 to 1073741824, not 0",
            "e.toml:4: unknown key `move_caps`; did you mean `move_cap_s`?",
            "e.toml:5: ready_s must be a number from 0.001 to 86400, not \"long\"",
        ] {
            assert!(message.contains(part), "`{part}` not in:\n{message}");
        }
    }
}
