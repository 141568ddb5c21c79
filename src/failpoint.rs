//! Named places where a test can make this program die or fail on purpose. Builds without debug assertions have none.
//!
//! `PLAYSELF_FAILPOINT=NAME:N` strikes when the place is passed for the N-th time, `NAME:N+` from then on, `NAME` alone
//! the first time. What happens there is the place's own business: most kill the process, as a power cut would.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that arms a point.
pub const VARIABLE: &str = "PLAYSELF_FAILPOINT";

macro_rules! points {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A place where a test can step in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Point { $($(#[$doc])* $name,)* }

        impl Point {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name, as the variable spells it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

points! {
    /// Dies before a record is written.
    BeforeWrite = "before-write",
    /// Dies with half a record written.
    MidWrite = "mid-write",
    /// Dies after a record is written, before it is durable.
    AfterWrite = "after-write",
    /// Dies before a group is made durable.
    BeforeSync = "before-sync",
    /// Dies after a group is durable, before anybody is told.
    AfterSync = "after-sync",
    /// Dies when the first game of a pair is durable and the second is not played.
    BetweenGames = "between-games",
    /// Dies when a pair counts, before its files are written.
    BeforeFiles = "before-files",
    /// Dies with half a pair in the PGN file.
    MidPgn = "mid-pgn",
    /// Dies with half a row in the table of pairs.
    MidCsv = "mid-csv",
    /// Dies with a whole file written under its draft's name.
    BeforeRename = "before-rename",
    /// Dies when a whole file has got its name, before the folder is durable.
    AfterRename = "after-rename",
    /// Dies when a test is decided and nobody knows yet.
    BeforeDecision = "before-decision",
    /// Dies when a decision is durable, before anybody is told.
    AfterDecision = "after-decision",
    /// Dies when all is played, before the journal says so.
    BeforeEnd = "before-end",
    /// The disk takes no more bytes.
    WriteFails = "write-fails",
    /// The disk does not confirm.
    SyncFails = "sync-fails",
    /// The disk has a megabyte left.
    DiskLow = "disk-low",
    /// The system refuses a process.
    SpawnFails = "spawn-fails",
    /// Our own code slips while it plays a game.
    GamePanics = "game-panics",
    /// The machine was suspended for five seconds.
    HostSleeps = "host-sleeps",
    /// The wall clock is an hour behind.
    WallClockJumps = "wall-clock-jumps",
}

impl Point {
    /// The points that kill the process.
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

/// Whether what `point` stands for happens now.
pub fn strikes(point: Point) -> bool {
    static ARMED: OnceLock<Option<Armed>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    if !cfg!(debug_assertions) {
        return false;
    }
    let armed = ARMED.get_or_init(|| {
        let text = std::env::var(VARIABLE).ok()?;
        Some(Armed::parse(&text).unwrap_or_else(|| panic!("{VARIABLE}: there is no point `{text}`")))
    });
    armed.is_some_and(|armed| {
        armed.point == point
            && (armed.first..=armed.last).contains(&(PASSED.fetch_add(1, Ordering::Relaxed) + 1))
    })
}

/// Dies here, if this point is the one that strikes.
pub fn pass(point: Point) {
    if strikes(point) {
        die();
    }
}

/// Ends the process as SIGKILL does: nothing is flushed, nobody is told.
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
    fn a_point_is_armed_for_one_visit_or_from_one_on() {
        let armed = |text| Armed::parse(text).map(|armed| (armed.point, armed.first, armed.last));
        assert_eq!(armed("mid-pgn"), Some((Point::MidPgn, 1, 1)));
        assert_eq!(armed("sync-fails:7"), Some((Point::SyncFails, 7, 7)));
        assert_eq!(armed("game-panics:2+"), Some((Point::GamePanics, 2, u64::MAX)));
        assert_eq!((armed("nowhere"), armed("mid-pgn:x")), (None, None));
        assert!(Point::deadly().all(|point| point != Point::WriteFails));
    }
}
