//! Which run a worker serves: by priority, then by weight, among those that have jobs and a coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::fleet::nats::messages::{NoticeState, PLAY, RunNotice};
use crate::fleet::nats::{RunId, WorkerName};

/// Renewals of a notice that may be missing before its coordinator is considered absent.
const MISSED_RENEWALS: u32 = 3;

/// A notice and when it was last renewed.
#[derive(Debug)]
struct KnownNotice {
    notice: RunNotice,
    /// Its place in the stream, if it was read there.
    sequence: Option<u64>,
    renewed: Instant,
}

/// The notices of all runs, as far as this worker knows them.
#[derive(Debug, Default)]
pub(super) struct RunNotices {
    known: BTreeMap<RunId, KnownNotice>,
    /// Runs that this machine cannot play.
    refused: BTreeSet<RunId>,
}

impl RunNotices {
    /// Notes a notice that has just arrived.
    pub(super) fn arrived(&mut self, notice: RunNotice, now: Instant) {
        let known = KnownNotice { sequence: None, renewed: now, notice };
        self.known.insert(known.notice.run.clone(), known);
    }

    /// Notes a notice that was read from the stream. One that was there before is not renewed by that.
    pub(super) fn read(&mut self, sequence: u64, notice: RunNotice, now: Instant) {
        let before = self.known.get(&notice.run);
        let same = before.filter(|known| known.sequence.is_none_or(|before| before == sequence));
        let renewed = same.map_or(now, |known| known.renewed);
        self.known.insert(notice.run.clone(), KnownNotice { notice, sequence: Some(sequence), renewed });
    }

    /// Forgets all runs but these.
    pub(super) fn retain(&mut self, runs: &[RunId]) {
        self.known.retain(|run, _| runs.contains(run));
    }

    /// Returns whether a run has ended, so that its notice need not be read again.
    pub(super) fn is_over(&self, run: &RunId) -> bool {
        self.known.get(run).is_some_and(|known| known.notice.state == NoticeState::Over)
    }

    /// Notes that this machine cannot play a run.
    pub(super) fn refuse(&mut self, run: RunId) {
        self.refused.insert(run);
    }

    /// Returns the run to serve; `random` is below 1.
    pub(super) fn choose(&self, worker: &WorkerName, now: Instant, random: f64) -> Option<RunNotice> {
        let notices: Vec<&RunNotice> =
            self.known.values().filter_map(|known| self.fitting(known, worker, now)).collect();
        let highest = notices.iter().map(|notice| notice.priority).max()?;
        let notices: Vec<&RunNotice> =
            notices.into_iter().filter(|notice| notice.priority == highest).collect();
        let weight = |notice: &RunNotice| f64::from(notice.weight.max(1));
        let mut point = random * notices.iter().map(|notice| weight(notice)).sum::<f64>();
        let chosen = notices.iter().find(|notice| {
            point -= weight(notice);
            point < 0.0
        });
        chosen.or(notices.last()).map(|notice| (*notice).clone())
    }

    /// Returns whether a run of a higher priority than that of `served` has jobs for this worker.
    pub(super) fn outranks(&self, served: &RunId, worker: &WorkerName, now: Instant) -> bool {
        let own = self.known.get(served).map_or(i32::MIN, |known| known.notice.priority);
        let mut others = self.known.values().filter_map(|known| self.fitting(known, worker, now));
        others.any(|notice| notice.run != *served && notice.priority > own)
    }

    /// Returns a run whose rules of play this program does not have, if no open run has other rules.
    pub(super) fn foreign_rules(&self) -> Option<&RunNotice> {
        let open = || {
            self.known.values().map(|known| &known.notice).filter(|notice| notice.state == NoticeState::Open)
        };
        open().next().filter(|_| open().all(|notice| notice.play != PLAY))
    }

    /// Returns the notice of a run that has jobs for this worker.
    fn fitting<'a>(
        &self,
        known: &'a KnownNotice,
        worker: &WorkerName,
        now: Instant,
    ) -> Option<&'a RunNotice> {
        let KnownNotice { notice, renewed, .. } = known;
        let renewal = Duration::from_millis(notice.renew_ms.max(10));
        let fits = notice.state == NoticeState::Open
            && notice.play == PLAY
            && notice.waiting > 0
            && !notice.excluded.contains(worker)
            && !self.refused.contains(&notice.run)
            && now < *renewed + MISSED_RENEWALS * renewal;
        fits.then_some(notice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(run: u64, priority: i32, weight: u32) -> RunNotice {
        RunNotice {
            run: RunId::try_from(format!("{run:016x}")).unwrap(),
            name: String::new(),
            epoch: 1,
            stores: 0,
            state: NoticeState::Open,
            play: PLAY,
            description: String::new(),
            priority,
            weight,
            slots: 0,
            flying: 1,
            waiting: 1,
            counted: 0,
            pairs: None,
            waits_for: None,
            renew_ms: 10_000,
            excluded: Vec::new(),
        }
    }

    fn oak() -> WorkerName {
        WorkerName::try_from("oak".to_owned()).unwrap()
    }

    fn number(notice: Option<RunNotice>) -> Option<u64> {
        notice.map(|notice| notice.run.to_string().parse().unwrap())
    }

    #[test]
    fn runs_are_chosen_by_priority_then_by_weight() {
        let (mut notices, now) = (RunNotices::default(), Instant::now());
        assert_eq!(notices.choose(&oak(), now, 0.5), None);
        for notice in [notice(1, 0, 900), notice(2, 5, 100), notice(3, 5, 300)] {
            notices.arrived(notice, now);
        }
        let chosen = |random| number(notices.choose(&oak(), now, random));
        assert_eq!(
            (chosen(0.0), chosen(0.24), chosen(0.26), chosen(0.999)),
            (Some(2), Some(2), Some(3), Some(3))
        );
        let served = |run: u64| notices.outranks(&notice(run, 0, 1).run, &oak(), now);
        assert_eq!((served(1), served(2), served(3)), (true, false, false));
    }

    #[test]
    fn runs_without_jobs_or_without_a_coordinator_are_left_alone() {
        let (mut notices, now) = (RunNotices::default(), Instant::now());
        notices.arrived(RunNotice { waiting: 0, ..notice(1, 9, 1) }, now);
        notices.arrived(RunNotice { excluded: vec![oak()], ..notice(2, 8, 1) }, now);
        notices.arrived(RunNotice { state: NoticeState::Paused, ..notice(3, 7, 1) }, now);
        notices.arrived(notice(4, 6, 1), now);
        notices.refuse(notice(4, 6, 1).run);
        notices.read(17, notice(5, 5, 1), now);
        assert_eq!(number(notices.choose(&oak(), now, 0.0)), Some(5));
        let later = now + Duration::from_secs(31);
        notices.read(17, notice(5, 5, 1), later);
        assert_eq!(number(notices.choose(&oak(), later, 0.0)), None, "it was not renewed");
        notices.read(18, notice(5, 5, 1), later);
        assert_eq!(number(notices.choose(&oak(), later, 0.0)), Some(5));
    }
}
