//! Signs of life of workers: what they play, what they wait for, and whether two of them have one name.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{ClaimRuling, Ledger, LedgerPhase, Presence, audit};
use crate::fleet::nats::WorkerName;
use crate::fleet::nats::messages::{Heartbeat, Token, TokenTuple};
use crate::fleet::{FleetEvent, MAX_CONCURRENCY};
use crate::journal::WorkerFacts;

/// Stands for the half-moves of a pair whose games have ended.
const FINISHED: u64 = u64::MAX;

impl Ledger {
    /// Applies a sign of life that arrived from `sender`.
    pub fn beat(&mut self, now: Duration, sender: &WorkerName, mut beat: Heartbeat) {
        // Whatever a worker states, sums stay numbers.
        beat.slots = beat.slots.min(MAX_CONCURRENCY);
        let elsewhere = beat.run.as_ref().is_some_and(|run| *run != self.run);
        if &beat.worker != sender || elsewhere || self.phase == LedgerPhase::Left {
            return;
        }
        if let Some(later) = self.name_conflict(&beat) {
            self.answer(sender).taken = Some(later);
            if later == beat.nonce {
                return;
            }
        }
        let ours = beat.run.as_ref() == Some(&self.run);
        let plies: Vec<u64> = beat.playing.iter().map(|playing| playing.plies).collect();
        let playing = beat.playing.iter().map(|playing| playing.token);
        let waiting: Vec<Token> = beat.waiting.iter().map(|&TokenTuple(token)| token).collect();
        let listed: BTreeSet<Token> = playing.clone().chain(waiting.iter().copied()).collect();
        let playing: Vec<Token> = playing.collect();
        let previous = self.members.remove(sender);
        let (former, later, mut joined) =
            previous.map_or((None, None, None), |old| (old.former, old.later, old.joined));
        if ours && beat.slots > 0 {
            let facts = facts_of(&beat);
            if joined.as_ref() != Some(&facts) {
                joined = Some(facts.clone());
                self.event(FleetEvent::Joined(Box::new(facts)));
            }
        }
        let listed = if ours { listed } else { BTreeSet::new() };
        self.members.insert(sender.clone(), Presence { beat, seen: now, listed, former, later, joined });
        if ours {
            for (token, plies) in playing.into_iter().zip(plies) {
                if token.attempt == audit::ATTEMPT {
                    continue;
                }
                self.claim(now, token, sender, None);
                self.note_progress(now, token, sender, plies);
            }
            for token in waiting {
                self.answer_waiting(now, token, sender);
            }
        }
    }

    /// Notes how far the game of a pair is.
    fn note_progress(&mut self, now: Duration, token: Token, worker: &WorkerName, plies: u64) {
        let holder = self.flights.get_mut(&token.pair).and_then(|flight| flight.holder.as_mut());
        if let Some(holder) = holder.filter(|holder| (holder.token, &holder.worker) == (token, worker))
            && (holder.progress.0 != plies || plies == FINISHED)
        {
            holder.progress = (plies, now);
        }
    }

    /// Recognises two processes with one name; returns the nonce of the later one.
    fn name_conflict(&mut self, beat: &Heartbeat) -> Option<u64> {
        let known = self.members.get_mut(&beat.worker)?;
        let current = known.beat.nonce;
        if known.later == Some(beat.nonce) {
            return known.later;
        }
        if known.former == Some(beat.nonce) {
            // The former process is alive, so the current one is not its successor.
            (known.former, known.later) = (None, Some(current));
            known.beat.nonce = beat.nonce;
            return known.later;
        }
        if beat.nonce != current {
            known.former = Some(current);
        }
        None
    }

    /// Notes how many reports wait at the server.
    pub fn note_backlog(&mut self, now: Duration, reports: u64) {
        self.backlog = (reports, now);
    }

    /// Returns whether a result that has not arrived may be among those that the server still has.
    fn may_be_on_its_way(&self, now: Duration) -> bool {
        let (reports, seen) = self.backlog;
        reports > 0 && now < seen + 2 * self.beat
    }

    /// Answers a worker that waits for an answer to its result.
    fn answer_waiting(&mut self, now: Duration, token: Token, worker: &WorkerName) {
        match self.assign_holder(now, token, worker) {
            ClaimRuling::Stale => self.answer(worker).stale.push(TokenTuple(token)),
            ClaimRuling::Over => self.answer(worker).over.push(TokenTuple(token)),
            ClaimRuling::Ending => {}
            ClaimRuling::Accepted { .. } => {
                self.note_progress(now, token, worker, FINISHED);
                let (settle_time, on_its_way) = (2 * self.beat, self.may_be_on_its_way(now));
                let Some(flight) = self.flights.get_mut(&token.pair) else { return };
                if on_its_way {
                    // To send it again would make the queue longer.
                    flight.waiting_since = Some(now);
                    return;
                }
                match flight.waiting_since {
                    Some(since) if now >= since + settle_time => {
                        flight.waiting_since = Some(now);
                        self.answer(worker).resend.push(TokenTuple(token));
                    }
                    Some(_) => {}
                    None => flight.waiting_since = Some(now),
                }
            }
        }
    }
}

fn facts_of(beat: &Heartbeat) -> WorkerFacts {
    WorkerFacts {
        worker: beat.worker.to_string(),
        program: beat.version.clone(),
        cpu: beat.cpu.clone(),
        target: beat.target.clone(),
        slots: beat.slots,
        nps: beat.nps,
        scale_ppm: beat.scale_ppm,
    }
}
