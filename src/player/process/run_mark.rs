//! The mark of a run: by it, everything that its engines have started is found again, wherever it has moved to.
//!
//! The mark is stated twice: as text in the environment, and as a number in a resource limit. A process inherits both. One that
//! clears its environment, leaves its group and session and detaches itself from its parent still has the limit.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variable that holds the mark of the run.
const RUN_VARIABLE: &str = "PLAYSELF_RUN";
/// Environment variable that holds the mark of the run and the number of the engine process from which a process descends.
const ENGINE_VARIABLE: &str = "PLAYSELF_ENGINE";

/// Set in every marked limit, and in no limit that anyone else sets: 146,000 years of real-time scheduling.
const MARKED: u64 = 1 << 62;
/// Bits for the number of the engine process.
const ENGINE_BITS: u32 = 24;
/// Bits for the number of the run.
const RUN_BITS: u32 = 38;

/// The mark of one run, or of anything else that starts engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunMark {
    text: String,
    number: u64,
}

impl RunMark {
    /// Creates a mark that no other run has.
    pub(super) fn new() -> Self {
        static MARKS: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let number = MARKS.fetch_add(1, Ordering::Relaxed);
        Self::from_text(format!("{:x}-{now:x}-{number}", std::process::id()))
    }

    /// Returns the mark with this text.
    pub(super) fn from_text(text: String) -> Self {
        // FNV-1a: the number must be the same in the guardian, which knows the text only.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { number: (hash ^ hash >> RUN_BITS) & ((1 << RUN_BITS) - 1), text }
    }

    /// Returns the number of the next engine process, given the number of starts before it.
    pub(super) fn engine_number(starts: u64) -> u64 {
        starts & ((1 << ENGINE_BITS) - 1)
    }

    /// Returns the text of the mark.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of an engine process of the run.
    pub(super) fn engine_text(&self, engine: u64) -> String {
        format!("{}-{engine}", self.text)
    }

    /// Returns the variables that mark an engine process.
    pub(super) fn variables(&self, engine: u64) -> [(&'static str, String); 2] {
        [(RUN_VARIABLE, self.text.clone()), (ENGINE_VARIABLE, self.engine_text(engine))]
    }

    /// Returns the limit that marks an engine process: microseconds of processor time under real-time scheduling.
    pub(super) fn limit(&self, engine: u64) -> u64 {
        MARKED | self.number << ENGINE_BITS | Self::engine_number(engine)
    }

    /// Returns the engine process of this run from which a process descends, by its limits (the text of `/proc/PID/limits`).
    pub(super) fn engine_in_limits(&self, limits: &str) -> Option<u64> {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
        // The soft limit can be changed by anyone; the hard limit can only be lowered.
        let hard: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        let ours = hard >> ENGINE_BITS == (MARKED >> ENGINE_BITS | self.number);
        ours.then_some(Self::engine_number(hard))
    }

    /// Returns the same by its environment (the bytes of `/proc/PID/environ`).
    pub(super) fn engine_in_environment(&self, environment: &[u8]) -> Option<u64> {
        let items = environment.split(|&byte| byte == 0).filter_map(|item| std::str::from_utf8(item).ok());
        items
            .filter_map(|item| item.strip_prefix(ENGINE_VARIABLE)?.strip_prefix('=')?.rsplit_once('-'))
            .find(|(run, _)| *run == self.text)
            .and_then(|(_, engine)| engine.parse().ok())
    }

    /// Returns the same for the process with this folder in `/proc`, by its limits alone.
    pub(super) fn engine_of_limits(&self, process: &Path) -> Option<u64> {
        self.engine_in_limits(&fs::read_to_string(process.join("limits")).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_recognised_in_limits_and_environment_by_its_own_run_only() {
        let (run, other) = (RunMark::new(), RunMark::new());
        let same = RunMark::from_text(run.text().to_owned());
        assert_eq!((same.limit(3), run == same), (run.limit(3), true));
        let limits = |soft: u64, hard: u64| {
            format!("Limit  Soft Limit  Hard Limit  Units\nMax realtime timeout      {soft}   {hard}   us\n")
        };
        for engine in [0, 1, (1 << ENGINE_BITS) - 1] {
            let text = limits(5, run.limit(engine));
            assert_eq!((run.engine_in_limits(&text), other.engine_in_limits(&text)), (Some(engine), None));
            let [_, (name, value)] = run.variables(engine);
            let environment = format!("A=b\0{name}={value}\0C=d\0").into_bytes();
            assert_eq!(run.engine_in_environment(&environment), Some(engine));
            assert_eq!(other.engine_in_environment(&environment), None);
        }
        for foreign in
            ["Max realtime timeout      unlimited            unlimited            us", "nonsense", ""]
        {
            assert_eq!(run.engine_in_limits(foreign), None, "{foreign}");
        }
        assert_ne!(run.limit(0), nix::libc::RLIM_INFINITY);
    }
}
