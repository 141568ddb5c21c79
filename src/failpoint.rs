//! Fail points: named places where a test can make the program crash or fail. They exist only with debug assertions.
//!
//! `PLAYSELF_FAILPOINT=NAME:N` triggers the point when it is reached for the N-th time, `NAME:N+` every time from then on,
//! `NAME` alone the first time. Most points kill the process, as a power cut would; the effect of the others is
//! implemented where the point is.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that arms a point.
pub const VARIABLE: &str = "PLAYSELF_FAILPOINT";

macro_rules! points {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A fail point.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Point { $($(#[$doc])* $name,)* }

        impl Point {
            /// All points.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the name used in the environment variable.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

points! {
    /// Kills the process before a journal entry is written.
    BeforeWrite = "before-write",
    /// Kills the process when half of a journal entry is written.
    MidWrite = "mid-write",
    /// Kills the process after a journal entry is written, before it is durable.
    AfterWrite = "after-write",
    /// Kills the process before a group of journal entries is synced.
    BeforeSync = "before-sync",
    /// Kills the process after a group of journal entries is durable, before it is reported.
    AfterSync = "after-sync",
    /// Kills the process when the first game of a pair is durable and the second is not played.
    BetweenGames = "between-games",
    /// Kills the process when a pair is counted, before its derived files are written.
    BeforeFiles = "before-files",
    /// Kills the process when half of a pair is written to the PGN file.
    MidPgn = "mid-pgn",
    /// Kills the process when half of a row is written to `pairs.csv`.
    MidCsv = "mid-csv",
    /// Kills the process when a file is written under its temporary name.
    BeforeRename = "before-rename",
    /// Kills the process when a file is renamed, before the folder is synced.
    AfterRename = "after-rename",
    /// Kills the process when a test is decided, before the decision is written.
    BeforeDecision = "before-decision",
    /// Kills the process when a decision is durable, before it is reported.
    AfterDecision = "after-decision",
    /// Kills the process when all games are played, before the end is written to the journal.
    BeforeEnd = "before-end",
    /// A write to the journal fails.
    WriteFails = "write-fails",
    /// A sync of the journal fails.
    SyncFails = "sync-fails",
    /// The disk has one megabyte of free space.
    DiskLow = "disk-low",
    /// The operating system refuses to start a process.
    SpawnFails = "spawn-fails",
    /// The code that plays a game panics.
    GamePanics = "game-panics",
    /// The code that plays a game waits for ever.
    GameHangs = "game-hangs",
    /// The machine was suspended for five seconds.
    HostSleeps = "host-sleeps",
    /// The wall clock is an hour behind.
    WallClockJumps = "wall-clock-jumps",
    /// Kills a worker when a result is on its disk, before it is sent.
    AfterSpool = "after-spool",
    /// Kills a worker when the server has stored a result, before the coordinator has answered.
    AfterResult = "after-result",
}

impl Point {
    /// Returns the points that kill the process of a run.
    pub fn deadly() -> impl Iterator<Item = Self> {
        let first_survivable = Self::ALL.iter().position(|&point| point == Self::WriteFails);
        Self::ALL.iter().copied().take(first_survivable.unwrap_or(0))
    }
}

/// A point that a test has armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Armed {
    point: Point,
    first: u64,
    last: u64,
}

impl Armed {
    fn parse(text: &str) -> Option<Self> {
        let (name, count) = text.split_once(':').unwrap_or((text, "1"));
        let point = Point::ALL.iter().copied().find(|point| point.name() == name)?;
        let first = count.trim_end_matches('+').parse().ok()?;
        Some(Self { point, first, last: if count.ends_with('+') { u64::MAX } else { first } })
    }
}

/// Whether `point` triggers now. Every call counts as reaching the point.
pub fn triggers(point: Point) -> bool {
    static ARMED: OnceLock<Option<Armed>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    if !cfg!(debug_assertions) {
        return false;
    }
    let armed = ARMED.get_or_init(|| {
        let text = std::env::var(VARIABLE).ok()?;
        Some(Armed::parse(&text).unwrap_or_else(|| panic!("{VARIABLE}: unknown fail point `{text}`")))
    });
    armed.is_some_and(|armed| {
        armed.point == point
            && (armed.first..=armed.last).contains(&(PASSED.fetch_add(1, Ordering::Relaxed) + 1))
    })
}

/// Kills the process if `point` triggers.
pub fn pass(point: Point) {
    if triggers(point) {
        die();
    }
}

/// Kills the process with SIGKILL: nothing is flushed and no handler runs.
pub fn die() -> ! {
    let _ = nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGKILL);
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_armed_for_one_visit_or_for_all_from_one_on() {
        let armed = |text| Armed::parse(text).map(|armed| (armed.point, armed.first, armed.last));
        assert_eq!(armed("mid-pgn"), Some((Point::MidPgn, 1, 1)));
        assert_eq!(armed("sync-fails:7"), Some((Point::SyncFails, 7, 7)));
        assert_eq!(armed("game-panics:2+"), Some((Point::GamePanics, 2, u64::MAX)));
        assert_eq!((armed("nowhere"), armed("mid-pgn:x")), (None, None));
        assert!(Point::deadly().all(|point| point != Point::WriteFails));
    }
}
