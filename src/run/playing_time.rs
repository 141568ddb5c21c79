//! Playing time of a run over all its sessions, from the timestamps of its journal.

use crate::game::VoidReason;
use crate::journal::Entry;

/// Playing time as a fold of the journal, so that a rebuilt summary has the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayingTime {
    earlier_ms: u64,
    session: Option<(u64, u64)>,
}

impl PlayingTime {
    /// Adds an entry with timestamp `at`, in milliseconds.
    pub fn note(&mut self, entry: &Entry, at: u64) {
        // A suspend of this machine is only recorded when it ends, as void pairs, so time since the previous entry does not count.
        let stood_still = matches!(entry, Entry::Void { reason: VoidReason::Suspended { .. }, by: None, .. });
        match (&mut self.session, entry) {
            (session, entry) if stood_still || matches!(entry, Entry::Session { .. }) => {
                if let Some((began, last)) = session.take() {
                    self.earlier_ms += last.saturating_sub(began);
                }
                self.session = Some((at, at));
            }
            (Some((_, last)), _) => *last = at.max(*last),
            (None, _) => {}
        }
    }

    /// Seconds from the start of each session to its last entry.
    pub fn seconds(&self) -> f64 {
        let now = self.session.map_or(0, |(began, last)| last.saturating_sub(began));
        (self.earlier_ms + now) as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::PairPart;

    #[test]
    fn the_time_of_a_standstill_does_not_count_however_many_pairs_it_cost() {
        let mut time = PlayingTime::default();
        let void = |pair| Entry::Void {
            pair,
            attempt: 0,
            part: PairPart::Both,
            reason: VoidReason::Suspended { gap_ms: 3_600_000 },
            by: None,
        };
        for (entry, at) in [
            (Entry::Session { host: None, fleet: None }, 1_000),
            (Entry::PairStarted { pair: 1, attempt: 0, part: PairPart::Both }, 3_000),
            (void(0), 3_610_000),
            (void(1), 3_610_010),
            (Entry::Finished, 3_611_010),
        ] {
            time.note(&entry, at);
        }
        assert_eq!(time.seconds(), 3.0);
    }

    #[test]
    fn the_time_between_sessions_does_not_count() {
        let mut time = PlayingTime::default();
        for (entry, at) in [
            (Entry::Session { host: None, fleet: None }, 1_000),
            (Entry::PairStarted { pair: 0, attempt: 0, part: PairPart::Both }, 3_500),
            (Entry::Session { host: None, fleet: None }, 90_000),
            (Entry::Finished, 90_250),
        ] {
            time.note(&entry, at);
        }
        assert_eq!(time.seconds(), 2.75);
    }
}
