//! A run in progress as a pure machine: journal entries in, decisions out.
//!
//! What counts is a fold of the journal, in journal order, so a resumed run stands where the old one stood. What is
//! being played right now is the only other thing known here, and it never touches a result.

use std::collections::BTreeMap;

use crate::fleet::PairId;
use crate::game::{GameOfPair, Termination, VoidReason};
use crate::journal::{Entry, GameEntry};
use crate::player::{CrashMoment, StallPoint};
use crate::stats::{Decision, PairScore, SprtConfig};

use super::breaker::{Breaker, Conduct, FaultWatch};
use super::plan::Plan;
use super::schedule::{Fixture, Schedule};
use super::standings::Standings;
use super::verdict::Outcome;

/// So many tries of one pair that all were void mean that the host cannot play it.
const MAX_ATTEMPTS: u32 = 10;

/// So many failures of our own mean a defect, not bad luck.
const MAX_HARNESS_ERRORS: u32 = 3;

/// A pair whose turn in the schedule has come, with what it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedPair {
    /// Its place in the schedule.
    pub pair: u64,
    /// Who played, from which opening.
    pub fixture: Fixture,
    /// Both games.
    pub games: [Box<GameEntry>; 2],
    /// What it was worth to the first engine.
    pub score: PairScore,
    /// The test's ratio after it, if there is a test.
    pub llr: Option<f64>,
}

/// What has to happen because of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell the world, and write it to the projections.
    Counted(Box<CountedPair>),
    /// Record this decision.
    Decide(Decision),
    /// Start nothing more; the run ends with this fault.
    Trip(String),
    /// Something the user should know.
    Warn(String),
}

/// What the run is doing about new pairs.
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
    next: u64,
    retry: BTreeMap<u64, u32>,
    flying: BTreeMap<u64, u32>,
    halves: BTreeMap<u64, Box<GameEntry>>,
    ready: BTreeMap<u64, [Box<GameEntry>; 2]>,
    counted: u64,
    after_stop: u64,
    voids: u64,
    harness_errors: u32,
    standings: Standings,
    watch: FaultWatch,
    llr: Option<f64>,
    decision: Option<Decision>,
    finished: bool,
    phase: Phase,
}

impl RunState {
    /// A run before its first pair.
    pub fn new(plan: &Plan) -> Self {
        let schedule = plan.schedule();
        let standings = Standings::new(schedule.matchups(), plan.engines.len());
        Self {
            schedule,
            max_pairs: plan.max_pairs,
            sprt: plan.sprt,
            breaker: plan.breaker,
            next: 0,
            retry: BTreeMap::new(),
            flying: BTreeMap::new(),
            halves: BTreeMap::new(),
            ready: BTreeMap::new(),
            counted: 0,
            after_stop: 0,
            voids: 0,
            harness_errors: 0,
            standings,
            watch: FaultWatch::default(),
            llr: plan.sprt.map(|_| 0.0),
            decision: None,
            finished: false,
            phase: Phase::Playing,
        }
    }

    /// Takes the next pair to play, if one may start now. Voided pairs come before new ones.
    pub fn start_next(&mut self) -> Option<PairId> {
        if self.phase != Phase::Playing || self.decision.is_some() || self.finished {
            return None;
        }
        let (index, attempt) = match self.retry.pop_first() {
            Some(retried) => retried,
            None if self.max_pairs.is_some_and(|max| self.next >= max) => return None,
            None => {
                self.next += 1;
                (self.next - 1, 0)
            }
        };
        self.flying.insert(index, attempt);
        Some(PairId { index, attempt })
    }

    /// A slot has given this pair back, played or void; what it was worth comes as journal entries.
    pub fn landed(&mut self, id: PairId) {
        self.flying.remove(&id.index);
    }

    /// Takes up an old run: every entry of its journal, in order. Nothing is to be done about the effects but to
    /// fill the projections.
    pub fn replay(&mut self, entry: Entry) -> Vec<Effect> {
        match &entry {
            Entry::PairStarted { pair, attempt } => {
                self.next = self.next.max(pair + 1);
                self.retry.remove(pair);
                self.flying.insert(*pair, *attempt);
                return Vec::new();
            }
            Entry::Game(game) if self.halves.contains_key(&game.pair) => {
                self.flying.remove(&game.pair);
            }
            Entry::Void { pair, .. } | Entry::Abandoned { pair, .. } => {
                self.flying.remove(pair);
            }
            _ => {}
        }
        self.commit(entry).into_iter().filter(|effect| matches!(effect, Effect::Counted(_))).collect()
    }

    /// Learns an entry that is durable from now on.
    pub fn commit(&mut self, entry: Entry) -> Vec<Effect> {
        match entry {
            Entry::Game(game) => self.commit_game(game),
            Entry::Void { pair, attempt, reason } => self.commit_void(pair, attempt, &reason),
            Entry::Abandoned { pair, attempt } => {
                self.give_back(pair, attempt);
                Vec::new()
            }
            Entry::Decision { accepted, llr, pentanomial, .. } => {
                self.decision = Some(Decision { accepted, llr, seen: pentanomial });
                Vec::new()
            }
            Entry::Finished => {
                self.finished = true;
                Vec::new()
            }
            Entry::Run { .. } | Entry::Session | Entry::PairStarted { .. } | Entry::Fault { .. } => {
                Vec::new()
            }
        }
    }

    fn commit_game(&mut self, game: Box<GameEntry>) -> Vec<Effect> {
        let pair = game.pair;
        if pair < self.counted || self.ready.contains_key(&pair) {
            return Vec::new();
        }
        match self.halves.remove(&pair) {
            Some(other) if other.attempt == game.attempt && other.game != game.game => {
                let games = if other.game == GameOfPair::First { [other, game] } else { [game, other] };
                self.ready.insert(pair, games);
                self.advance()
            }
            _ => {
                self.halves.insert(pair, game);
                Vec::new()
            }
        }
    }

    /// Counts every pair whose turn has come.
    fn advance(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while self.decision.is_none()
            && let Some(games) = self.ready.remove(&self.counted)
        {
            let counted = self.count(games);
            let conducts = [conduct_of(&counted.games[0]), conduct_of(&counted.games[1])];
            let llr = counted.llr;
            effects.push(Effect::Counted(Box::new(counted)));
            for conduct in conducts {
                if let Some(why) = self.watch.observe(conduct)
                    && self.breaker == Breaker::On
                    && self.phase != Phase::Draining
                {
                    self.trip(why, &mut effects);
                }
            }
            if let (Some(sprt), Some(llr)) = (self.sprt, llr)
                && let Some(accepted) = sprt.judge(llr)
            {
                let decision = Decision { accepted, llr, seen: self.standings.main().pentanomial };
                self.decision = Some(decision);
                effects.push(Effect::Decide(decision));
            }
        }
        if self.decision.is_some() {
            self.after_stop += self.ready.len() as u64;
            self.ready.clear();
        }
        effects
    }

    fn count(&mut self, games: [Box<GameEntry>; 2]) -> CountedPair {
        let pair = self.counted;
        let fixture = self.schedule.fixture(pair);
        let score = self.standings.count(&fixture, &games);
        self.counted += 1;
        self.llr = self.sprt.map(|sprt| sprt.llr(&self.standings.main().pentanomial));
        CountedPair { pair, fixture, games, score, llr: self.llr }
    }

    fn commit_void(&mut self, pair: u64, attempt: u32, reason: &VoidReason) -> Vec<Effect> {
        self.give_back(pair, attempt);
        let mut effects = Vec::new();
        if *reason == VoidReason::Cancelled {
            return effects;
        }
        self.voids += 1;
        self.harness_errors += u32::from(matches!(reason, VoidReason::HarnessError { .. }));
        effects.push(Effect::Warn(format!("pair {} is void and will be played again: {reason}", pair + 1)));
        if matches!(reason, VoidReason::BothFailed { .. }) || self.harness_errors >= MAX_HARNESS_ERRORS {
            self.trip(reason.to_string(), &mut effects);
        } else if attempt + 1 >= MAX_ATTEMPTS {
            self.trip(
                format!("pair {} was void {MAX_ATTEMPTS} times; last: {reason}", pair + 1),
                &mut effects,
            );
        }
        effects
    }

    fn give_back(&mut self, pair: u64, attempt: u32) {
        self.halves.remove(&pair);
        if pair >= self.counted {
            self.retry.insert(pair, attempt + 1);
        }
    }

    fn trip(&mut self, why: String, effects: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Faulty(_)) {
            self.phase = Phase::Faulty(why.clone());
            effects.push(Effect::Trip(why));
        }
    }

    /// Starts nothing more; what is being played is finished.
    pub fn drain(&mut self) {
        if !matches!(self.phase, Phase::Faulty(_)) {
            self.phase = Phase::Draining;
        }
    }

    /// Starts nothing more, for this reason.
    pub fn fail(&mut self, why: String) {
        self.phase = Phase::Faulty(why);
    }

    /// Starts nothing until [`go_on`](Self::go_on).
    pub fn pause(&mut self) {
        if self.phase == Phase::Playing {
            self.phase = Phase::Paused;
        }
    }

    /// Ends a pause.
    pub fn go_on(&mut self) {
        if self.phase == Phase::Paused {
            self.phase = Phase::Playing;
        }
    }

    /// Whether a pause is on.
    pub fn is_paused(&self) -> bool {
        self.phase == Phase::Paused
    }

    /// Pairs being played.
    pub fn flying(&self) -> impl ExactSizeIterator<Item = PairId> {
        self.flying.iter().map(|(&index, &attempt)| PairId { index, attempt })
    }

    /// How the run ended, once nothing is being played and nothing waits for the journal.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.flying.is_empty() {
            None
        } else if let Some(decision) = self.decision {
            Some(Outcome::Decided(decision))
        } else if self.max_pairs.is_some_and(|max| self.counted >= max) {
            Some(if self.sprt.is_some() { Outcome::Undecided } else { Outcome::Finished })
        } else {
            match &self.phase {
                Phase::Playing | Phase::Paused => None,
                Phase::Draining => Some(Outcome::Interrupted),
                Phase::Faulty(why) => Some(Outcome::Faulty(why.clone())),
            }
        }
    }

    /// Whether the journal says that the run is over.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The results so far.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// Pairs counted: the length of the contiguous prefix.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Pairs played in full that do not count, because the decision was made without them.
    pub fn after_stop(&self) -> u64 {
        self.after_stop
    }

    /// Pairs that did not count, by the host's fault.
    pub fn voids(&self) -> u64 {
        self.voids
    }

    /// The test's ratio, if there is a test.
    pub fn llr(&self) -> Option<f64> {
        self.llr
    }

    /// The test's decision, if it has been made.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }
}

fn conduct_of(game: &GameEntry) -> Conduct {
    let termination = &game.ending.termination;
    match termination {
        Termination::Crash { during: CrashMoment::Startup, .. }
        | Termination::Stall { waiting_for: StallPoint::Uciok } => Conduct::NoStart,
        _ if termination.is_engine_fault() => Conduct::Faulty,
        _ => Conduct::Clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::PlannedEngine;
    use crate::game::{AdjudicationRules, Ending, GameRecord, GameResult, TimeControl};
    use crate::opening::Variant;
    use crate::player::{EngineIndex, EngineSpec};
    use crate::stats::{Hypotheses, Hypothesis};

    fn plan(max_pairs: Option<u64>, sprt: Option<SprtConfig>) -> Plan {
        let engine = |name: &str| PlannedEngine {
            named: name.to_owned(),
            spec: EngineSpec::uci(name, name),
            limits: TimeControl::nodes(1),
            files: Vec::new(),
        };
        Plan {
            playself: "0".to_owned(),
            name: "test".to_owned(),
            date: "2026.01.01".to_owned(),
            seed: 1,
            concurrency: 1,
            max_pairs,
            pairing: crate::experiment::Pairing::RoundRobin,
            breaker: Breaker::On,
            openings: None,
            sprt,
            adjudication: AdjudicationRules::default(),
            engines: vec![engine("new"), engine("old")],
        }
    }

    /// The two games of a pair that the candidate scored so many half points in.
    fn games(id: PairId, half_points: u8) -> [Entry; 2] {
        let scores = [half_points.min(2), half_points.saturating_sub(2)];
        let entry = |game: GameOfPair, candidate_half_points: u8| {
            let (white, black) = match game {
                GameOfPair::First => (EngineIndex(0), EngineIndex(1)),
                GameOfPair::Second => (EngineIndex(1), EngineIndex(0)),
            };
            let result = match (candidate_half_points, game) {
                (1, _) => GameResult::Draw,
                (2, GameOfPair::First) | (0, GameOfPair::Second) => GameResult::WhiteWins,
                _ => GameResult::BlackWins,
            };
            let record = GameRecord {
                white,
                black,
                opening: 0,
                start_fen: "-".to_owned(),
                variant: Variant::Standard,
                moves: Vec::new(),
                ending: Ending { result, termination: Termination::Checkmate },
                started_unix_ms: 0,
                duration_ms: 0,
                warnings: Vec::new(),
            };
            Entry::Game(Box::new(GameEntry::pack(id.index, id.attempt, game, &record)))
        };
        [entry(GameOfPair::First, scores[0]), entry(GameOfPair::Second, scores[1])]
    }

    fn finish(state: &mut RunState, id: PairId, half_points: u8) -> Vec<Effect> {
        state.landed(id);
        games(id, half_points).into_iter().flat_map(|entry| state.commit(entry)).collect()
    }

    fn counted(effects: &[Effect]) -> Vec<u64> {
        let index = |effect: &Effect| if let Effect::Counted(pair) = effect { Some(pair.pair) } else { None };
        effects.iter().filter_map(index).collect()
    }

    #[test]
    fn pairs_count_in_schedule_order_whatever_order_they_finish_in() {
        let mut state = RunState::new(&plan(Some(3), None));
        let ids: Vec<PairId> = std::iter::from_fn(|| state.start_next()).collect();
        assert_eq!(ids.len(), 3);
        assert!(counted(&finish(&mut state, ids[2], 4)).is_empty());
        assert_eq!(counted(&finish(&mut state, ids[0], 2)), [0]);
        assert_eq!(state.outcome(), None);
        assert_eq!(counted(&finish(&mut state, ids[1], 0)), [1, 2]);
        assert_eq!(state.outcome(), Some(Outcome::Finished));
        assert_eq!(state.standings().main().pentanomial.0, [1, 0, 1, 0, 1]);
    }

    #[test]
    fn what_finishes_after_the_decision_never_counts() {
        let sprt = SprtConfig::usual(Hypotheses::new(0.0, 200.0).unwrap());
        let mut state = RunState::new(&plan(None, Some(sprt)));
        let mut in_flight = Vec::new();
        let decision = loop {
            in_flight.push(state.start_next().unwrap());
            in_flight.push(state.start_next().unwrap());
            let id = in_flight.remove(0);
            let effects = finish(&mut state, id, 4);
            if let Some(Effect::Decide(decision)) = effects.last() {
                break *decision;
            }
        };
        assert_eq!(decision.accepted, Hypothesis::Alternative);
        assert_eq!(state.start_next(), None);
        let before = state.standings().clone();
        for id in in_flight {
            assert_eq!(state.outcome(), None);
            assert_eq!(finish(&mut state, id, 0), []);
        }
        assert_eq!(state.standings(), &before);
        assert_eq!(state.outcome(), Some(Outcome::Decided(decision)));
        assert!(state.after_stop() > 0);
    }

    #[test]
    fn a_void_pair_is_played_again_before_anything_new() {
        let mut state = RunState::new(&plan(Some(10), None));
        let (first, second) = (state.start_next().unwrap(), state.start_next().unwrap());
        let [half, _] = games(first, 4);
        state.commit(half);
        state.landed(first);
        let void = |id: PairId| Entry::Void {
            pair: id.index,
            attempt: id.attempt,
            reason: VoidReason::Suspended { gap_ms: 9 },
        };
        assert!(matches!(state.commit(void(first))[..], [Effect::Warn(_)]));
        assert_eq!(state.start_next(), Some(PairId { index: 0, attempt: 1 }));
        assert!(counted(&finish(&mut state, second, 2)).is_empty());
        assert_eq!(counted(&finish(&mut state, PairId { index: 0, attempt: 1 }, 0)), [0, 1]);
        assert_eq!(state.standings().main().pentanomial.0, [1, 0, 1, 0, 0]);
    }

    #[test]
    fn a_replayed_journal_stands_where_the_run_stood() {
        let plan = plan(Some(6), None);
        let mut live = RunState::new(&plan);
        let mut journal = Vec::new();
        let ids: Vec<PairId> = (0..4).map(|_| live.start_next().unwrap()).collect();
        journal.extend(ids.iter().map(|id| Entry::PairStarted { pair: id.index, attempt: id.attempt }));
        for at in [2, 0] {
            journal.extend(games(ids[at], 3));
            finish(&mut live, ids[at], 3);
        }
        let [half, _] = games(ids[1], 4);
        journal.push(half);
        let mut resumed = RunState::new(&plan);
        journal.into_iter().for_each(|entry| drop(resumed.replay(entry)));
        let abandoned: Vec<PairId> = resumed.flying().collect();
        assert_eq!(abandoned, [ids[1], ids[3]]);
        for id in abandoned {
            resumed.landed(id);
            resumed.commit(Entry::Abandoned { pair: id.index, attempt: id.attempt });
        }
        assert_eq!(resumed.counted(), live.counted());
        let again: Vec<PairId> = std::iter::from_fn(|| resumed.start_next()).collect();
        let expected = [(1, 1), (3, 1), (4, 0), (5, 0)].map(|(index, attempt)| PairId { index, attempt });
        assert_eq!(again, expected);
    }

    #[test]
    fn a_drained_run_is_interrupted_and_a_harness_that_fails_three_times_is_a_fault() {
        let mut state = RunState::new(&plan(None, None));
        let id = state.start_next().unwrap();
        state.drain();
        assert_eq!((state.start_next(), state.outcome()), (None, None));
        finish(&mut state, id, 2);
        assert_eq!(state.outcome(), Some(Outcome::Interrupted));

        let mut state = RunState::new(&plan(None, None));
        for attempt in 0..3 {
            let id = state.start_next().unwrap();
            assert_eq!(id, PairId { index: 0, attempt });
            state.landed(id);
            let reason = VoidReason::HarnessError { message: "boom".to_owned() };
            state.commit(Entry::Void { pair: 0, attempt, reason });
        }
        assert!(matches!(state.outcome(), Some(Outcome::Faulty(why)) if why.contains("boom")));
    }
}
