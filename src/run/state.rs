//! A run in progress as a pure state machine: journal entries in, effects out.
//!
//! Everything that counts is a fold of the journal, in journal order, so a resumed run has the state of the interrupted
//! one. The only other state is which pairs are in flight, and that never affects a result.

#[cfg(test)]
mod false_passes;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeMap;

use crate::chess::Color;

use crate::game::{EngineIndex, GameOfPair, PairId, PairPart, Termination, VoidReason};
use crate::journal::{Entry, GameEntry};
use crate::opening::AfterBook;
use crate::player::{CrashMoment, StallPoint};
use crate::stats::{Decision, Pentanomial, SprtConfig, TestReading};
use crate::tuning::{Ask, Trial, Tuner};

use crate::run::effect::{CountedPair, CountedTrial, Effect, NextPair, TRIALS_PER_REPORT};
use crate::run::encounters::{AtLimit, Encounters};
use crate::run::fault_breaker::{Breaker, EngineConduct, FaultWatch, Quarantine};
use crate::run::fleet_history::FleetHistory;
use crate::run::plan::Plan;
use crate::run::repeats::{MAX_IN_A_ROW, Repeats};
use crate::run::schedule::Schedule;
use crate::run::standings::Standings;

/// After this many void attempts at one pair, other than by shortages, the host is considered unable to play it.
const MAX_ATTEMPTS: u32 = 10;

/// After this many internal errors the run stops: that many are a defect, not bad luck.
const MAX_HARNESS_ERRORS: u32 = 3;

/// Whether the run starts new pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Playing,
    Paused,
    Draining,
    Faulty(String),
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct RunState {
    schedule: Schedule,
    max_pairs: Option<u64>,
    sprt: Option<SprtConfig>,
    breaker: Breaker,
    encounters: Encounters,
    next: u64,
    /// The pair before `next` whose second game has not been started, where games are started on their own.
    second: Option<u64>,
    retry: BTreeMap<(u64, PairPart), u32>,
    /// How often a pair was void, other than by a shortage that was waited for.
    spoiled: BTreeMap<(u64, PairPart), u32>,
    flying: BTreeMap<(u64, PairPart), u32>,
    halves: BTreeMap<u64, Box<GameEntry>>,
    ready: BTreeMap<u64, Vec<GameEntry>>,
    counted: u64,
    after_stop: u64,
    repeats: Option<Repeats>,
    voids: u64,
    harness_errors: u32,
    standings: Standings,
    watch: FaultWatch,
    quarantine: Quarantine,
    names: Vec<String>,
    hosts: Vec<String>,
    fleet: FleetHistory,
    ahead: Option<u64>,
    reading: Option<TestReading>,
    llr_from: u64,
    at_limit: bool,
    decision: Option<Decision>,
    /// Whether the journal contains the decision.
    decision_is_recorded: bool,
    finished: bool,
    tuner: Option<Tuner>,
    trials: BTreeMap<u64, Trial>,
    phase: Phase,
    /// Whether the host lacks something without which no pair should start.
    held: bool,
}

impl RunState {
    /// A run before its first pair.
    pub fn new(plan: &Plan) -> Self {
        let schedule = plan.schedule();
        let standings = Standings::new(schedule.matchups(), plan.engines.len());
        Self {
            schedule,
            max_pairs: plan.last_pair(),
            sprt: plan.sprt(),
            breaker: plan.breaker,
            encounters: plan.encounters,
            next: 0,
            second: None,
            retry: BTreeMap::new(),
            spoiled: BTreeMap::new(),
            flying: BTreeMap::new(),
            halves: BTreeMap::new(),
            ready: BTreeMap::new(),
            counted: 0,
            after_stop: 0,
            repeats: recognises_repeats(plan).then(Repeats::default),
            voids: 0,
            harness_errors: 0,
            standings,
            watch: FaultWatch::default(),
            quarantine: Quarantine::new(plan.engines.len(), plan.breaker),
            names: plan.engines.iter().map(|engine| engine.spec.name.clone()).collect(),
            hosts: Vec::new(),
            fleet: FleetHistory::default(),
            ahead: None,
            reading: plan.sprt().map(|sprt| sprt.reading(&Pentanomial::default())),
            llr_from: 0,
            at_limit: false,
            decision: None,
            decision_is_recorded: false,
            finished: false,
            tuner: plan.tuner().cloned().map(Tuner::new),
            trials: BTreeMap::new(),
            phase: Phase::Playing,
            held: false,
        }
    }

    /// Skips the log-likelihood ratio for pairs before this one, which are known not to have decided the test.
    pub fn without_llr_before(mut self, pair: u64) -> Self {
        self.llr_from = pair;
        self
    }

    /// Recomputes the log-likelihood ratio.
    pub fn update_llr(&mut self) -> Option<f64> {
        let score = self.standings.main();
        let by_games = self.encounters.tests_games();
        self.reading = self
            .sprt
            .map(|sprt| if by_games { sprt.reading(&score.games) } else { sprt.reading(&score.pentanomial) });
        self.llr()
    }

    /// Takes the next pair to play, if one may start now. Voided pairs come before new ones.
    pub fn start_next(&mut self) -> Option<NextPair> {
        if self.phase != Phase::Playing || self.held || self.decision.is_some() || self.finished {
            return None;
        }
        let (retry, quarantine, schedule) = (&mut self.retry, &self.quarantine, &self.schedule);
        let is_off = |index: u64| quarantine.holds(schedule.fixture(index).engines);
        retry.retain(|&(index, _), _| !is_off(index));
        self.second = self.second.filter(|&index| !is_off(index));
        while self.max_pairs.is_some_and(|max| self.next < max) && is_off(self.next) {
            self.next += 1;
        }
        let ((index, part), attempt) = match (retry.pop_first(), self.second.take()) {
            (Some(retried), second) => {
                self.second = second;
                retried
            }
            (None, Some(index)) => ((index, PairPart::Second), 0),
            (None, None) if self.max_pairs.is_some_and(|max| self.next >= max) => return None,
            (None, None) if self.ahead.is_some_and(|ahead| self.next - self.counted >= ahead) => return None,
            (None, None) => {
                let (index, parts) = (self.begin_new()?, self.encounters.parts());
                self.second = (parts.len() > 1).then_some(index);
                ((index, parts[0]), 0)
            }
        };
        self.flying.insert((index, part), attempt);
        let half = self.halves.get(&index).filter(|_| part == PairPart::Both).cloned();
        Some(NextPair { id: PairId { index, attempt, part }, trial: self.trials.get(&index).cloned(), half })
    }

    /// Starts no new pair that is this many pairs or more beyond the last one that counts. Never affects a result.
    pub fn set_ahead(&mut self, ahead: Option<u64>) {
        self.ahead = ahead;
    }

    /// Returns the next pair that was never started, unless its trial depends on scores that are not known yet.
    fn begin_new(&mut self) -> Option<u64> {
        let index = self.next;
        if let Some(tuner) = &mut self.tuner {
            match tuner.ask() {
                Ask::Play(trial) => self.trials.insert(index, trial),
                Ask::Wait => return None,
                Ask::Finished => {
                    // A tuner may stop before its budget is spent; the run then ends after the trials it asked for.
                    self.max_pairs = Some(index);
                    return None;
                }
            };
        }
        self.next += 1;
        Some(index)
    }

    /// Notes that a slot has finished with this pair, played or void; its result arrives as journal entries.
    pub fn landed(&mut self, id: PairId) {
        self.flying.remove(&(id.index, id.part));
    }

    /// Applies an entry of an existing journal; called for all of them in order. The returned effects are for derived
    /// files only.
    pub fn replay(&mut self, entry: Entry) -> Vec<Effect> {
        match &entry {
            Entry::PairStarted { pair, attempt, part } => {
                let is_new = *pair >= self.next;
                // Ask for trials at the same points as the original run did: after the same scores.
                while self.tuner.is_some() && self.next <= *pair && self.begin_new().is_some() {}
                if *part == PairPart::Second {
                    self.second = self.second.filter(|second| second != pair);
                } else if is_new {
                    // Without trials, pairs in between were started or skipped.
                    self.next = self.next.max(*pair + 1);
                    self.second = (self.encounters.parts().len() > 1).then_some(*pair);
                }
                self.retry.remove(&(*pair, *part));
                self.flying.insert((*pair, *part), *attempt);
                return Vec::new();
            }
            Entry::Game(game) => {
                let part = if self.other_half(game) { PairPart::Both } else { PairPart::only(game.game) };
                self.flying.remove(&(game.pair, part));
                self.flying.remove(&(game.pair, PairPart::only(game.game)));
            }
            Entry::Void { pair, part, .. } | Entry::Abandoned { pair, part, .. } => {
                self.flying.remove(&(*pair, *part));
            }
            // What stopped the session before it is over.
            Entry::Session { host: Some(_), .. } => self.begin_session(),
            _ => {}
        }
        self.commit(entry).into_iter().filter(|effect| matches!(effect, Effect::Counted(_))).collect()
    }

    /// Applies an entry that has become durable.
    pub fn commit(&mut self, entry: Entry) -> Vec<Effect> {
        self.fleet.note(&entry);
        match entry {
            Entry::Game(game) => self.commit_game(game),
            Entry::Void { pair, attempt, part, reason, by } => {
                self.commit_void(PairId { index: pair, attempt, part }, &reason, by.as_deref())
            }
            Entry::Abandoned { pair, attempt, part } => {
                self.give_back(PairId { index: pair, attempt, part });
                Vec::new()
            }
            Entry::Decision { accepted, llr, pentanomial, .. } => {
                self.decision_is_recorded = true;
                self.decision = Some(Decision { accepted, llr, seen: pentanomial });
                Vec::new()
            }
            Entry::Finished => {
                self.finished = true;
                Vec::new()
            }
            Entry::Session { host, .. } => {
                self.hosts.extend(host.filter(|host| !self.hosts.contains(host)));
                Vec::new()
            }
            Entry::Run { .. }
            | Entry::PairStarted { .. }
            | Entry::Claimed { .. }
            | Entry::Worker(_)
            | Entry::WorkerExcluded { .. }
            | Entry::Fault { .. } => Vec::new(),
        }
    }

    fn commit_game(&mut self, game: Box<GameEntry>) -> Vec<Effect> {
        let pair = game.pair;
        if pair < self.counted || self.ready.contains_key(&pair) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        if self.breaker == Breaker::First && game.ending.termination.ends_the_process() {
            self.trip("an engine failed, and the first failure ends this run".to_owned(), &mut effects);
        }
        effects.append(&mut self.pair_up(game));
        effects
    }

    /// Puts a game to the other one of its pair, and counts the pair if its turn has come.
    fn pair_up(&mut self, game: Box<GameEntry>) -> Vec<Effect> {
        let pair = game.pair;
        match self.halves.remove(&pair) {
            None if self.encounters.games() == 1 => {
                self.ready.insert(pair, vec![*game]);
                self.advance()
            }
            Some(other) if other.game != game.game => {
                let games = if other.game == GameOfPair::First { [other, game] } else { [game, other] };
                self.ready.insert(pair, games.map(|game| *game).into());
                self.advance()
            }
            _ => {
                self.halves.insert(pair, game);
                Vec::new()
            }
        }
    }

    /// Whether this game completes a pair.
    fn other_half(&self, game: &GameEntry) -> bool {
        self.halves.get(&game.pair).is_some_and(|half| half.game != game.game)
    }

    /// Counts every pair that continues the contiguous prefix.
    fn advance(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while self.decision.is_none()
            && let Some(games) = self.take_next()
        {
            if let Some(earlier) = self.repeated(&games) {
                self.skip_repeat(&games, earlier, &mut effects);
                continue;
            }
            let mut consequences = Vec::new();
            let counted = self.count(games, &mut consequences);
            let llr = counted.llr;
            counted.games.iter().for_each(|game| self.judge_conduct(game, &mut consequences));
            effects.push(Effect::Counted(Box::new(counted)));
            effects.append(&mut consequences);
            if let (Some(reading), Some(llr)) = (self.reading, llr)
                && let Some(accepted) = reading.accepted()
            {
                let decision = Decision { accepted, llr, seen: self.standings.main().pentanomial };
                self.decision = Some(decision);
                effects.push(Effect::Decide(decision));
            }
        }
        self.decide_at_limit(&mut effects);
        if self.decision.is_some() {
            self.after_stop += self.ready.len() as u64;
            self.ready.clear();
        }
        effects
    }

    /// Decides a test that has counted its last pair without reaching a bound: it may pass with what is left of its alpha.
    fn decide_at_limit(&mut self, effects: &mut Vec<Effect>) {
        let decides = self.encounters.at_limit == AtLimit::Decide && !self.at_limit;
        if !decides || self.decision.is_some() || self.max_pairs != Some(self.counted) {
            return;
        }
        self.at_limit = true;
        let score = *self.standings.main();
        let (seen, by_games) = (score.pentanomial, self.encounters.tests_games());
        if let (Some(sprt), Some(llr)) = (self.sprt, self.update_llr())
            && let Some(accepted) =
                if by_games { sprt.judge_at_limit(&score.games) } else { sprt.judge_at_limit(&seen) }
        {
            let decision = Decision { accepted, llr, seen };
            self.decision = Some(decision);
            effects.push(Effect::Decide(decision));
        }
    }

    /// Takes the next pair of the schedule, if it has been played. Pairs of quarantined engines are skipped.
    fn take_next(&mut self) -> Option<Vec<GameEntry>> {
        while self.max_pairs.is_some_and(|max| self.counted < max)
            && self.quarantine.holds(self.schedule.fixture(self.counted).engines)
        {
            self.after_stop += u64::from(self.ready.remove(&self.counted).is_some());
            self.halves.remove(&self.counted);
            self.counted += 1;
        }
        if self.max_pairs.is_some_and(|max| self.counted >= max) {
            return None;
        }
        self.ready.remove(&self.counted)
    }

    /// Returns the counted pair that this one repeats move for move. Games that an engine fault ended are never repeats:
    /// what failed once need not fail again.
    fn repeated(&mut self, games: &[GameEntry]) -> Option<u64> {
        let comparable = games.iter().all(|game| conduct_of(game) == EngineConduct::Clean);
        let (pair, matchup) = (self.counted, self.schedule.fixture(self.counted).matchup);
        self.repeats.as_mut().filter(|_| comparable)?.find_or_note(pair, matchup, games)
    }

    /// Passes over a pair that repeats an earlier one: counted again, it would only make the result look more certain.
    fn skip_repeat(&mut self, games: &[GameEntry], earlier: u64, effects: &mut Vec<Effect>) {
        let pair = self.counted;
        self.counted += 1;
        games.iter().for_each(|game| self.judge_conduct(game, effects));
        let Some(repeats) = &mut self.repeats else { return };
        effects.extend(repeats.skip(pair, earlier).map(Effect::Warn));
        if repeats.are_all_that_is_left() {
            effects.push(Effect::Warn(format!(
                "the last {MAX_IN_A_ROW} pairs repeat earlier ones: the openings are used up, and the run ends"
            )));
            self.max_pairs = Some(self.counted);
            // The results chose this end, so it is none at which a test may spend its alpha.
            self.at_limit = true;
        }
    }

    /// Ends the run before a pair: it and all later ones are not played.
    pub fn end_before(&mut self, pair: u64) -> Vec<Effect> {
        self.max_pairs = Some(self.max_pairs.map_or(pair, |max| max.min(pair)));
        let mut effects = Vec::new();
        self.decide_at_limit(&mut effects);
        effects
    }

    /// Applies the consequences of an engine fault beyond its game: a match of two stops, and in a tournament the engine is
    /// quarantined.
    fn judge_conduct(&mut self, game: &GameEntry, effects: &mut Vec<Effect>) {
        let conduct = conduct_of(game);
        for (side, engine) in [(Color::White, game.white), (Color::Black, game.black)] {
            let failed = game.ending.failed_side() == Some(side);
            self.observe_conduct(engine, if failed { conduct } else { EngineConduct::Clean }, effects);
        }
        if let Some(why) = self.watch.observe(conduct)
            && self.breaker == Breaker::On
            && self.names.len() == 2
            && self.phase != Phase::Draining
        {
            self.trip(why, effects);
        }
    }

    fn observe_conduct(&mut self, engine: EngineIndex, conduct: EngineConduct, effects: &mut Vec<Effect>) {
        if let Some(why) = self.quarantine.observe(engine, conduct) {
            let name = &self.names[engine.get()];
            effects.push(Effect::Warn(format!("{name} is quarantined, the others play on: {why}")));
        }
    }

    fn count(&mut self, games: Vec<GameEntry>, effects: &mut Vec<Effect>) -> CountedPair {
        let pair = self.counted;
        let fixture = self.schedule.fixture(pair);
        let score = self.standings.count(&fixture, &games);
        effects.extend(self.fleet.count(&games, score).map(Effect::Warn));
        self.counted += 1;
        self.spoiled = self.spoiled.split_off(&(self.counted, PairPart::Both));
        let trial = self.trials.remove(&pair);
        let trial = self.tuner.as_mut().zip(trial.zip(score)).map(|(tuner, (trial, score))| {
            tuner.record(trial.id, score).expect("a counted pair has an open trial");
            let report = (pair + 1).is_multiple_of(TRIALS_PER_REPORT).then(|| tuner.report());
            CountedTrial { trial, best: tuner.best(), report }
        });
        let llr = if pair >= self.llr_from { self.update_llr() } else { None };
        CountedPair { pair, fixture, games, score, llr, trial }
    }

    fn commit_void(&mut self, id: PairId, reason: &VoidReason, by: Option<&str>) -> Vec<Effect> {
        let PairId { index: pair, part, .. } = id;
        // Games that are started on their own are also void on their own.
        if part == PairPart::Both {
            self.halves.remove(&pair);
        }
        self.give_back(id);
        let mut effects = Vec::new();
        if *reason == VoidReason::Cancelled {
            return effects;
        }
        self.voids += 1;
        // Another machine that fails is excluded by its fleet; only a machine of its own stops a run.
        let own = by.is_none();
        // The fleet waits while this host lacks something, and has reported that.
        if own && matches!(reason, VoidReason::Resources { .. }) {
            return effects;
        }
        self.harness_errors += u32::from(own && matches!(reason, VoidReason::HarnessError { .. }));
        effects.push(Effect::Warn(format!("pair {} is void and will be played again: {reason}", pair + 1)));
        let spoiled = self.spoiled.entry((pair, part)).or_default();
        *spoiled += 1;
        let lost = matches!(reason, VoidReason::WorkersLost { .. });
        if lost || self.harness_errors >= MAX_HARNESS_ERRORS {
            self.trip(reason.to_string(), &mut effects);
        } else if *spoiled >= MAX_ATTEMPTS {
            self.trip(
                format!("pair {} was void {MAX_ATTEMPTS} times; last: {reason}", pair + 1),
                &mut effects,
            );
        }
        if own && matches!(reason, VoidReason::BothFailed { .. }) {
            self.judge_failed_starts(pair, reason, &mut effects);
        }
        effects
    }

    /// Applies the consequences of a pair that could not begin because neither engine started: in a tournament both are
    /// quarantined if they go on failing, and a match of two stops.
    fn judge_failed_starts(&mut self, pair: u64, reason: &VoidReason, effects: &mut Vec<Effect>) {
        for engine in self.schedule.fixture(pair).engines {
            self.observe_conduct(engine, EngineConduct::NoStart, effects);
        }
        let failed = self.watch.observe(EngineConduct::NoStart).is_some();
        match self.breaker {
            Breaker::First => self.trip(reason.to_string(), effects),
            Breaker::On if failed && self.names.len() == 2 => self.trip(reason.to_string(), effects),
            Breaker::On | Breaker::Off => {}
        }
        // Pairs of quarantined engines do not count, and others may have waited for them.
        effects.append(&mut self.advance());
    }

    /// Queues the pair for another attempt; a finished game of it is kept.
    fn give_back(&mut self, id: PairId) {
        if id.index >= self.counted {
            self.retry.insert((id.index, id.part), id.attempt + 1);
        }
    }

    fn trip(&mut self, why: String, effects: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Faulty(_)) {
            self.phase = Phase::Faulty(why.clone());
            effects.push(Effect::Trip(why));
        }
    }

    /// Starts nothing more; pairs in flight are finished.
    pub fn drain(&mut self) {
        if !matches!(self.phase, Phase::Faulty(_)) {
            self.phase = Phase::Draining;
        }
    }

    /// Starts nothing more; the run ends with this fault.
    pub fn fail(&mut self, why: String) {
        self.phase = Phase::Faulty(why);
    }

    /// Begins a session: clears whatever stopped the previous one. Results and the attempts of every pair are kept.
    pub fn begin_session(&mut self) {
        self.phase = Phase::Playing;
        self.watch = FaultWatch::default();
        self.spoiled.clear();
        self.harness_errors = 0;
    }

    /// Starts nothing until [`go_on`](Self::go_on).
    pub fn pause(&mut self) {
        if self.phase == Phase::Playing {
            self.phase = Phase::Paused;
        }
    }

    /// Starts nothing until [`end_hold`](Self::end_hold), because the host lacks something; returns whether that is new.
    pub fn hold(&mut self) -> bool {
        !std::mem::replace(&mut self.held, true)
    }

    /// Starts pairs again; returns whether they were held back.
    pub fn end_hold(&mut self) -> bool {
        std::mem::take(&mut self.held)
    }

    /// Ends a pause.
    pub fn go_on(&mut self) {
        if self.phase == Phase::Paused {
            self.phase = Phase::Playing;
        }
    }
}

/// Whether pairs that repeat earlier ones are recognised: where games repeat, unless the plan counts them all.
fn recognises_repeats(plan: &Plan) -> bool {
    plan.is_untimed() && !plan.is_tuning() && plan.after_book != AfterBook::Count
}

fn conduct_of(game: &GameEntry) -> EngineConduct {
    let termination = &game.ending.termination;
    match termination {
        Termination::Crash { during: CrashMoment::Startup, .. }
        | Termination::Stall { waiting_for: StallPoint::Uciok } => EngineConduct::NoStart,
        _ if termination.is_engine_fault() => EngineConduct::Faulty,
        _ => EngineConduct::Clean,
    }
}
