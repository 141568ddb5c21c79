//! Which run a worker serves: by priority, then by weight, among those that have jobs and a coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::fleet::nats::messages::{Card, CardState, PLAY};
use crate::fleet::nats::{RunId, WorkerName};

/// Renewals of a card that may be missing before its coordinator is considered absent.
const MISSED_RENEWALS: u32 = 3;

/// A card and when it was last renewed.
#[derive(Debug)]
struct KnownCard {
    card: Card,
    /// Its place in the stream, if it was read there.
    sequence: Option<u64>,
    renewed: Instant,
}

/// The cards of all runs, as far as this worker knows them.
#[derive(Debug, Default)]
pub(super) struct Cards {
    known: BTreeMap<RunId, KnownCard>,
    /// Runs that this machine cannot play.
    refused: BTreeSet<RunId>,
}

impl Cards {
    /// Notes a card that has just arrived.
    pub(super) fn arrived(&mut self, card: Card, now: Instant) {
        let known = KnownCard { sequence: None, renewed: now, card };
        self.known.insert(known.card.run.clone(), known);
    }

    /// Notes a card that was read from the stream. One that was there before is not renewed by that.
    pub(super) fn read(&mut self, sequence: u64, card: Card, now: Instant) {
        let before = self.known.get(&card.run);
        let same = before.filter(|known| known.sequence.is_none_or(|before| before == sequence));
        let renewed = same.map_or(now, |known| known.renewed);
        self.known.insert(card.run.clone(), KnownCard { card, sequence: Some(sequence), renewed });
    }

    /// Forgets all runs but these.
    pub(super) fn retain(&mut self, runs: &[RunId]) {
        self.known.retain(|run, _| runs.contains(run));
    }

    /// Returns whether a run has ended, so that its card need not be read again.
    pub(super) fn is_over(&self, run: &RunId) -> bool {
        self.known.get(run).is_some_and(|known| known.card.state == CardState::Over)
    }

    /// Notes that this machine cannot play a run.
    pub(super) fn refuse(&mut self, run: RunId) {
        self.refused.insert(run);
    }

    /// Returns the run to serve; `random` is below 1.
    pub(super) fn choose(&self, worker: &WorkerName, now: Instant, random: f64) -> Option<Card> {
        let cards: Vec<&Card> =
            self.known.values().filter_map(|known| self.fitting(known, worker, now)).collect();
        let highest = cards.iter().map(|card| card.priority).max()?;
        let cards: Vec<&Card> = cards.into_iter().filter(|card| card.priority == highest).collect();
        let weight = |card: &Card| f64::from(card.weight.max(1));
        let mut point = random * cards.iter().map(|card| weight(card)).sum::<f64>();
        let chosen = cards.iter().find(|card| {
            point -= weight(card);
            point < 0.0
        });
        chosen.or(cards.last()).map(|card| (*card).clone())
    }

    /// Returns whether a run of a higher priority than that of `served` has jobs for this worker.
    pub(super) fn outranks(&self, served: &RunId, worker: &WorkerName, now: Instant) -> bool {
        let own = self.known.get(served).map_or(i32::MIN, |known| known.card.priority);
        let mut others = self.known.values().filter_map(|known| self.fitting(known, worker, now));
        others.any(|card| card.run != *served && card.priority > own)
    }

    /// Returns a run whose rules of play this program does not have, if no open run has other rules.
    pub(super) fn foreign_rules(&self) -> Option<&Card> {
        let open =
            || self.known.values().map(|known| &known.card).filter(|card| card.state == CardState::Open);
        open().next().filter(|_| open().all(|card| card.play != PLAY))
    }

    /// Returns the card of a run that has jobs for this worker.
    fn fitting<'a>(&self, known: &'a KnownCard, worker: &WorkerName, now: Instant) -> Option<&'a Card> {
        let KnownCard { card, renewed, .. } = known;
        let renewal = Duration::from_millis(card.renew_ms.max(10));
        let fits = card.state == CardState::Open
            && card.play == PLAY
            && card.waiting > 0
            && !card.excluded.contains(worker)
            && !self.refused.contains(&card.run)
            && now < *renewed + MISSED_RENEWALS * renewal;
        fits.then_some(card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(run: u64, priority: i32, weight: u32) -> Card {
        Card {
            run: RunId::try_from(format!("{run:016x}")).unwrap(),
            name: String::new(),
            epoch: 1,
            stores: 0,
            state: CardState::Open,
            play: PLAY,
            sheet: String::new(),
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

    fn number(card: Option<Card>) -> Option<u64> {
        card.map(|card| card.run.to_string().parse().unwrap())
    }

    #[test]
    fn runs_are_chosen_by_priority_then_by_weight() {
        let (mut cards, now) = (Cards::default(), Instant::now());
        assert_eq!(cards.choose(&oak(), now, 0.5), None);
        for card in [card(1, 0, 900), card(2, 5, 100), card(3, 5, 300)] {
            cards.arrived(card, now);
        }
        let chosen = |random| number(cards.choose(&oak(), now, random));
        assert_eq!(
            (chosen(0.0), chosen(0.24), chosen(0.26), chosen(0.999)),
            (Some(2), Some(2), Some(3), Some(3))
        );
        let served = |run: u64| cards.outranks(&card(run, 0, 1).run, &oak(), now);
        assert_eq!((served(1), served(2), served(3)), (true, false, false));
    }

    #[test]
    fn runs_without_jobs_or_without_a_coordinator_are_left_alone() {
        let (mut cards, now) = (Cards::default(), Instant::now());
        cards.arrived(Card { waiting: 0, ..card(1, 9, 1) }, now);
        cards.arrived(Card { excluded: vec![oak()], ..card(2, 8, 1) }, now);
        cards.arrived(Card { state: CardState::Paused, ..card(3, 7, 1) }, now);
        cards.arrived(card(4, 6, 1), now);
        cards.refuse(card(4, 6, 1).run);
        cards.read(17, card(5, 5, 1), now);
        assert_eq!(number(cards.choose(&oak(), now, 0.0)), Some(5));
        let later = now + Duration::from_secs(31);
        cards.read(17, card(5, 5, 1), later);
        assert_eq!(number(cards.choose(&oak(), later, 0.0)), None, "it was not renewed");
        cards.read(18, card(5, 5, 1), later);
        assert_eq!(number(cards.choose(&oak(), later, 0.0)), Some(5));
    }
}
