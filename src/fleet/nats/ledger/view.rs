//! What the ledger shows about the fleet.

use std::time::Duration;

use super::{Flight, Ledger, LedgerPhase, Presence, plays_on};
use crate::fleet::Member;
use crate::fleet::nats::WorkerName;
use crate::fleet::nats::messages::Board;

/// Jobs that wait for a worker: at least this many, and one for this many slots.
const FEWEST_UNCLAIMED: usize = 8;
const SLOTS_PER_UNCLAIMED: usize = 10;

fn wanted_unclaimed(slots: usize) -> usize {
    (slots / SLOTS_PER_UNCLAIMED).max(FEWEST_UNCLAIMED)
}

impl Ledger {
    /// Returns the slots of all workers that play this run or could.
    pub fn slots(&self, now: Duration) -> usize {
        let present = self.members.values().filter(|presence| now < presence.seen + 3 * self.beat);
        let ours = present.filter(|presence| presence.beat.run.as_ref() == Some(&self.run));
        ours.map(|presence| presence.beat.slots).sum()
    }

    /// Returns how many more jobs may wait for a worker, given the slots of all workers.
    pub fn room(&self, slots: usize) -> usize {
        if self.phase != LedgerPhase::Open {
            return 0;
        }
        wanted_unclaimed(slots).saturating_sub(self.unclaimed.len())
    }

    /// Returns whether half of the jobs that should wait for a worker are missing.
    pub fn is_short_of_jobs(&self, slots: usize) -> bool {
        2 * self.unclaimed.len() <= wanted_unclaimed(slots)
    }

    /// Returns the number of pairs in flight.
    pub fn flying(&self) -> usize {
        self.flights.len()
    }

    /// Returns whether a worker has given signs of life.
    pub fn knows(&self, worker: &WorkerName) -> bool {
        self.members.contains_key(worker)
    }

    /// Returns the number of workers that have given signs of life.
    pub fn workers(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of pairs that no worker plays: those that are not claimed, and those of silent workers.
    pub fn waiting(&self, now: Duration) -> usize {
        let left = |flight: &&Flight| {
            let holder = flight.holder.as_ref().filter(|_| flight.ended.is_none());
            holder
                .is_some_and(|holder| !plays_on(holder, self.members.get(&holder.worker), now, 3 * self.beat))
        };
        self.unclaimed.len() + self.flights.values().filter(left).count()
    }

    /// Returns the first pair in flight and its worker.
    pub fn waits_for(&self) -> Option<(u64, Option<WorkerName>)> {
        let (&pair, flight) = self.flights.first_key_value()?;
        Some((pair, flight.holder.as_ref().map(|holder| holder.worker.clone())))
    }

    /// Returns the excluded workers.
    pub fn excluded(&self) -> Vec<WorkerName> {
        self.health.excluded()
    }

    /// Returns the games in progress that workers have shown.
    pub fn boards(&self) -> Vec<(&WorkerName, &Board)> {
        let ours = |presence: &&Presence| presence.beat.run.as_ref() == Some(&self.run);
        let members = self.members.iter().filter(|(_, presence)| ours(presence));
        members
            .flat_map(|(name, presence)| presence.beat.boards.iter().map(move |board| (name, board)))
            .collect()
    }

    /// Returns the workers.
    pub fn members(&self, now: Duration) -> Vec<Member> {
        let member = |(name, presence): (&WorkerName, &Presence)| {
            let (beat, conduct) = (&presence.beat, self.health.of(name));
            let silent = now >= presence.seen + 3 * self.beat;
            let state = match (&conduct.excluded, &conduct.refusal, &beat.trouble) {
                (Some(why), _, _) => format!("excluded: {why}"),
                (None, Some(why), _) => format!("refused: {why}"),
                (None, None, _) if silent => "silent".to_owned(),
                (None, None, Some(why)) => why.clone(),
                (None, None, None) if beat.playing.is_empty() => "idle".to_owned(),
                (None, None, None) => "playing".to_owned(),
            };
            Member {
                name: name.to_string(),
                cpu: beat.cpu.clone(),
                target: beat.target.clone(),
                slots: beat.slots,
                playing: beat.playing.len(),
                nps: beat.nps,
                scale_ppm: beat.scale_ppm,
                pairs: conduct.pairs,
                forfeits: conduct.forfeits,
                faults: conduct.faults,
                voids: conduct.voids,
                residual: None,
                state,
            }
        };
        let ours = self.members.iter().filter(|(_, presence)| presence.joined.is_some());
        ours.map(member).collect()
    }
}
