//! What follows from the conduct of workers: accepted and impossible games, exclusion, refusals, games that do not go on.

use std::time::Duration;

use super::{Ledger, plays_on};
use crate::fleet::nats::WorkerName;
use crate::fleet::nats::game_check::check_games;
use crate::fleet::nats::messages::{Refusal, Token, TokenTuple};
use crate::fleet::{FleetEvent, PairJob, ReceivedPair};
use crate::game::{FaultBundle, VoidReason};
use crate::journal::GameEntry;

impl Ledger {
    pub(super) fn pair(
        &mut self,
        worker: &WorkerName,
        job: &PairJob,
        mut games: Vec<GameEntry>,
        bundles: Vec<FaultBundle>,
    ) {
        let id = job.id;
        if let Err(why) = check_games(job, &games, &self.rules) {
            let reason = VoidReason::Rejected { why: why.clone() };
            self.event(FleetEvent::VoidedBy { id, reason, worker: worker.to_string() });
            self.ignored.insert(worker.clone());
            return self.exclude_if(worker, Some(format!("it reported an impossible game: {why}")));
        }
        for game in &mut games {
            game.by = Some(worker.to_string());
        }
        self.audits.note(job, &games, worker);
        let why = self.health.pair(worker, &games);
        self.event(FleetEvent::Received(Box::new(ReceivedPair { id, games, bundles })));
        self.exclude_if(worker, why);
    }

    pub(super) fn exclude_if(&mut self, worker: &WorkerName, why: Option<String>) {
        if let Some(why) = why
            && self.health.exclude(worker, why.clone())
        {
            self.event(FleetEvent::WorkerExcluded { worker: worker.to_string(), why: Some(why) });
        }
    }

    /// Excludes a worker from further pairs, and gives the pairs that it plays to others.
    pub fn ban(&mut self, worker: &WorkerName) {
        self.exclude_if(worker, Some("it was banned".to_owned()));
        self.ignored.insert(worker.clone());
        let held = self.flights.values().filter(|flight| flight.ended.is_none());
        let tokens: Vec<Token> = held
            .filter_map(|flight| flight.holder.as_ref())
            .filter(|holder| holder.worker == *worker)
            .map(|holder| holder.token)
            .collect();
        // It extends the leases of its jobs until it knows.
        self.answer(worker).stale.extend(tokens.into_iter().map(TokenTuple));
    }

    /// Admits a worker again; returns whether it was excluded.
    pub fn free(&mut self, worker: &WorkerName) -> bool {
        let was = self.health.admit(worker);
        self.ignored.remove(worker);
        if was {
            self.event(FleetEvent::WorkerExcluded { worker: worker.to_string(), why: None });
        }
        was
    }

    pub(super) fn refuse(&mut self, now: Duration, worker: &WorkerName, refusal: &Refusal) {
        self.refused_since.get_or_insert(now);
        let why = &refusal.why;
        self.event(FleetEvent::Warning(format!("worker {worker} cannot play this run: {why}")));
        if let Some(why) = self.health.refuse(worker, refusal) {
            self.event(FleetEvent::Failed(why));
        }
    }

    /// Looks at the time.
    pub fn tick(&mut self, now: Duration) {
        self.give_up_stuck_games(now);
        self.give_up_refused_run(now);
    }

    /// Gives up pairs whose games do not go on although their workers give signs of life: every engine has a deadline, so
    /// the program itself is at fault.
    fn give_up_stuck_games(&mut self, now: Duration) {
        let mut stuck = Vec::new();
        for flight in self.flights.values_mut().filter(|flight| flight.ended.is_none()) {
            if let Some(holder) = &flight.holder
                && now >= holder.progress.1 + self.stuck
                && plays_on(holder, self.members.get(&holder.worker), now, 3 * self.beat)
            {
                flight.ended = Some((holder.token, holder.worker.clone(), Vec::new()));
                stuck.push((flight.id, holder.worker.clone()));
            }
        }
        for (id, worker) in stuck {
            let message = format!("no move in {} s on worker {worker}", self.stuck.as_secs_f64());
            let reason = VoidReason::HarnessError { message };
            let why = self.health.void(&worker, &reason);
            self.event(FleetEvent::VoidedBy { id, reason, worker: worker.to_string() });
            self.exclude_if(&worker, why);
        }
    }

    /// Stops a run that every worker refuses.
    fn give_up_refused_run(&mut self, now: Duration) {
        if self.refused_since.is_none_or(|since| now < since + 3 * self.beat) {
            return;
        }
        let refusals = self.health.refusals();
        let mut present = self.members.iter().filter(|(_, presence)| now < presence.seen + 3 * self.beat);
        let all = present.all(|(name, _)| refusals.iter().any(|(refuser, _)| *refuser == name));
        let playing = self
            .flights
            .values()
            .filter_map(|flight| flight.holder.as_ref())
            .any(|holder| plays_on(holder, self.members.get(&holder.worker), now, 3 * self.beat));
        if all && !playing {
            let list: Vec<String> = refusals.iter().map(|(name, why)| format!("{name}: {why}")).collect();
            self.event(FleetEvent::Failed(format!("every worker refuses this run:\n{}", list.join("\n"))));
            self.refused_since = None;
        }
    }
}
