//! The state of a run, tested.

use super::*;
use crate::game::{Ending, EngineIndex, GameRecord, GameResult};
use crate::opening::Variant;
use crate::run::PlannedEngine;
use crate::run::RunKind;
use crate::run::outcome::RunOutcome;

use crate::stats::{Hypotheses, Hypothesis};
use crate::tuning::{EarlierPairs, Lookahead, Method, Parameter, Space, TunerPlan};

pub(super) fn plan(max_pairs: Option<u64>, sprt: Option<SprtConfig>) -> Plan {
    let kind = match sprt {
        Some(sprt) => RunKind::Test { sprt, max_pairs },
        None => RunKind::Match { pairs: max_pairs.unwrap_or(u64::MAX) },
    };
    Plan { kind, ..Plan::sample(["new", "old"]) }
}

/// The two games of a pair that the candidate scored so many half points in.
pub(super) fn games(id: PairId, half_points: u8) -> [Entry; 2] {
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
            // Every pair starts differently, or it would repeat an earlier one.
            start_fen: id.index.to_string(),
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

/// The two games of a pair of a tournament, which `bad` loses by illegal moves if it plays.
fn tournament_games(plan: &Plan, id: PairId, bad: EngineIndex) -> Vec<Entry> {
    let engines = plan.schedule().fixture(id.index).engines;
    let entry = |(entry, [white, black]): (Entry, [EngineIndex; 2])| {
        let Entry::Game(mut game) = entry else { return entry };
        (game.white, game.black) = (white, black);
        if [white, black].contains(&bad) {
            let result = if white == bad { GameResult::BlackWins } else { GameResult::WhiteWins };
            game.ending = Ending { result, termination: Termination::IllegalMove { text: "x".to_owned() } };
        }
        Entry::Game(game)
    };
    games(id, 2).into_iter().zip([engines, [engines[1], engines[0]]]).map(entry).collect()
}

#[test]
fn a_tournament_goes_on_without_an_engine_that_keeps_failing() {
    let mut plan = plan(Some(60), None);
    plan.engines.push(PlannedEngine { named: "bad".to_owned(), ..plan.engines[0].clone() });
    plan.engines[2].spec.name = "bad".to_owned();
    let bad = EngineIndex(2);
    let ends: Vec<(Vec<u64>, Option<RunOutcome>)> = [1, 7]
        .map(|at_once| {
            let (mut state, mut journal, mut rows) = (RunState::new(&plan), Vec::new(), Vec::new());
            let mut flying = Vec::new();
            loop {
                while flying.len() < at_once
                    && let Some(id) = start(&mut state)
                {
                    journal.push(Entry::PairStarted { pair: id.index, attempt: id.attempt, part: id.part });
                    flying.push(id);
                }
                let Some(id) = flying.pop() else { break };
                state.landed(id);
                for entry in tournament_games(&plan, id, bad) {
                    journal.push(entry.clone());
                    rows.extend(counted(&state.commit(entry)));
                }
            }
            let mut resumed = RunState::new(&plan);
            journal.into_iter().for_each(|entry| drop(resumed.replay(entry)));
            resumed.begin_session();
            assert_eq!((start(&mut resumed), resumed.outcome()), (None, state.outcome()), "{at_once}");
            (rows, state.outcome())
        })
        .into();
    assert_eq!(ends[0], ends[1], "what counts does not depend on how many play at once");
    let (rows, outcome) = &ends[0];
    // The bad one has played its twenty games after five rounds; of the others' pairs none is missing.
    assert_eq!(rows.len(), 15 + 15);
    assert!(matches!(outcome, Some(RunOutcome::Quarantined(who)) if who.starts_with("bad (")), "{outcome:?}");
    assert_eq!(outcome.as_ref().map(RunOutcome::exit_status), Some(4));
}

pub(super) fn start(state: &mut RunState) -> Option<PairId> {
    state.start_next().map(|start| start.id)
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
    let ids: Vec<PairId> = std::iter::from_fn(|| start(&mut state)).collect();
    assert_eq!(ids.len(), 3);
    assert!(counted(&finish(&mut state, ids[2], 4)).is_empty());
    assert_eq!(counted(&finish(&mut state, ids[0], 2)), [0]);
    assert_eq!(state.outcome(), None);
    assert_eq!(counted(&finish(&mut state, ids[1], 0)), [1, 2]);
    assert_eq!(state.outcome(), Some(RunOutcome::Finished));
    assert_eq!(state.standings().main().pentanomial.0, [1, 0, 1, 0, 1]);
}

#[test]
fn what_finishes_after_the_decision_never_counts() {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 200.0).unwrap());
    let mut state = RunState::new(&plan(None, Some(sprt)));
    let mut in_flight = Vec::new();
    let decision = loop {
        in_flight.push(start(&mut state).unwrap());
        in_flight.push(start(&mut state).unwrap());
        let id = in_flight.remove(0);
        let effects = finish(&mut state, id, 4);
        if let Some(Effect::Decide(decision)) = effects.last() {
            break *decision;
        }
    };
    assert_eq!(decision.accepted, Hypothesis::Alternative);
    assert_eq!(start(&mut state), None);
    let before = state.standings().clone();
    for id in in_flight {
        assert_eq!(state.outcome(), None);
        assert_eq!(finish(&mut state, id, 0), []);
    }
    assert_eq!(state.standings(), &before);
    assert_eq!(state.outcome(), Some(RunOutcome::Decided(decision)));
    assert!(state.after_stop() > 0);
}

#[test]
fn a_void_pair_is_played_again_before_anything_new() {
    let mut state = RunState::new(&plan(Some(10), None));
    let (first, second) = (start(&mut state).unwrap(), start(&mut state).unwrap());
    let [half, _] = games(first, 4);
    state.commit(half);
    state.landed(first);
    let void = |id: PairId| Entry::Void {
        pair: id.index,
        attempt: id.attempt,
        part: id.part,
        reason: VoidReason::Suspended { gap_ms: 9 },
        by: None,
    };
    assert!(matches!(state.commit(void(first))[..], [Effect::Warn(_)]));
    assert_eq!(start(&mut state), Some(PairId::both(0, 1)));
    assert!(counted(&finish(&mut state, second, 2)).is_empty());
    assert_eq!(counted(&finish(&mut state, PairId::both(0, 1), 0)), [0, 1]);
    assert_eq!(state.standings().main().pentanomial.0, [1, 0, 1, 0, 0]);
}

#[test]
fn a_replayed_journal_stands_where_the_run_stood() {
    let plan = plan(Some(6), None);
    let mut live = RunState::new(&plan);
    let mut journal = Vec::new();
    let ids: Vec<PairId> = (0..4).map(|_| start(&mut live).unwrap()).collect();
    journal.extend(ids.iter().map(|id| Entry::PairStarted {
        pair: id.index,
        attempt: id.attempt,
        part: id.part,
    }));
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
        resumed.commit(Entry::Abandoned { pair: id.index, attempt: id.attempt, part: id.part });
    }
    assert_eq!(resumed.counted(), live.counted());
    let again: Vec<PairId> = std::iter::from_fn(|| start(&mut resumed)).collect();
    let expected = [(1, 1), (3, 1), (4, 0), (5, 0)].map(|(index, attempt)| PairId::both(index, attempt));
    assert_eq!(again, expected);
}

#[test]
fn a_drained_run_is_interrupted_and_a_harness_that_fails_three_times_is_a_fault() {
    let mut state = RunState::new(&plan(None, None));
    let id = start(&mut state).unwrap();
    state.drain();
    assert_eq!((start(&mut state), state.outcome()), (None, None));
    finish(&mut state, id, 2);
    assert_eq!(state.outcome(), Some(RunOutcome::Interrupted));

    let mut state = RunState::new(&plan(None, None));
    for attempt in 0..3 {
        let id = start(&mut state).unwrap();
        assert_eq!(id, PairId::both(0, attempt));
        state.landed(id);
        let reason = VoidReason::HarnessError { message: "boom".to_owned() };
        state.commit(Entry::Void { pair: 0, attempt, part: PairPart::Both, reason, by: None });
    }
    assert!(matches!(state.outcome(), Some(RunOutcome::Faulty(why)) if why.contains("boom")));
}

#[test]
fn a_finished_game_stays_when_its_pair_is_given_up_and_goes_when_the_host_voids_it() {
    for (case, given_up, stays) in [
        ("killed", Entry::Abandoned { pair: 0, attempt: 0, part: PairPart::Both }, true),
        (
            "suspended",
            Entry::Void {
                pair: 0,
                attempt: 0,
                part: PairPart::Both,
                reason: VoidReason::Suspended { gap_ms: 1 },
                by: None,
            },
            false,
        ),
    ] {
        let mut state = RunState::new(&plan(Some(1), None));
        let id = start(&mut state).unwrap();
        let [first, second] = games(id, 3);
        state.commit(first.clone());
        state.landed(id);
        state.commit(given_up);
        let again = state.start_next().unwrap();
        assert_eq!(again.id, PairId::both(0, 1), "{case}");
        assert_eq!(again.half.is_some(), stays, "{case}");
        state.landed(again.id);
        let mut effects = Vec::new();
        if !stays {
            effects.extend(state.commit(first));
        }
        effects.extend(state.commit(second));
        assert_eq!(counted(&effects), [0], "{case}");
        assert_eq!(state.outcome(), Some(RunOutcome::Finished), "{case}");
    }
}

#[test]
fn games_that_start_on_their_own_start_in_order_and_count_as_pairs() {
    let mut plan = plan(Some(2), None);
    plan.encounters.at_once = crate::run::encounters::AtOnce::Games;
    let mut state = RunState::new(&plan);
    let ids: Vec<PairId> = std::iter::from_fn(|| start(&mut state)).collect();
    let place = |id: &PairId| (id.index, id.part, id.attempt);
    let (first, second) = (PairPart::First, PairPart::Second);
    let expected = [(0, first, 0), (0, second, 0), (1, first, 0), (1, second, 0)];
    assert_eq!(ids.iter().map(place).collect::<Vec<_>>(), expected);
    let journal: Vec<Entry> = ids
        .iter()
        .map(|id| Entry::PairStarted { pair: id.index, attempt: id.attempt, part: id.part })
        .collect();
    let [one, two] = games(ids[0], 4);
    let reason = VoidReason::Suspended { gap_ms: 9 };
    let void = Entry::Void { pair: 0, attempt: 0, part: first, reason, by: None };
    let mut resumed = RunState::new(&plan);
    for entry in journal.into_iter().chain([two.clone(), void.clone()]) {
        resumed.replay(entry);
    }
    state.landed(ids[1]);
    state.commit(two);
    state.landed(ids[0]);
    state.commit(void);
    for mut state in [state, resumed] {
        assert_eq!(state.flying().len(), 2, "the games of the second pair");
        assert_eq!(start(&mut state).map(|id| place(&id)), Some((0, first, 1)), "the other game stays");
        assert_eq!(start(&mut state), None);
        state.landed(PairId { index: 0, attempt: 1, part: first });
        assert_eq!(counted(&state.commit(one.clone())), [0]);
    }
}

#[test]
fn a_tuning_run_whose_games_start_on_their_own_goes_on_between_the_games_of_a_pair() {
    let space = Space::new(vec![Parameter::integer("Contempt", 0.0, 100.0, 50.0)]).unwrap();
    let method = Method::named("bayes", &space, 4).unwrap();
    let tuner = Box::new(TunerPlan {
        space,
        method,
        pairs: 4,
        seed: 1,
        lookahead: Lookahead::of(1),
        earlier: EarlierPairs::default(),
    });
    let kind = RunKind::Tuning { tuner, accept: None };
    let mut plan = Plan { kind, ..Plan::sample(["new", "old"]) };
    plan.encounters.at_once = crate::run::encounters::AtOnce::Games;
    let mut state = RunState::new(&plan);
    let id = start(&mut state).unwrap();
    let mut resumed = RunState::new(&plan);
    resumed.replay(Entry::PairStarted { pair: id.index, attempt: id.attempt, part: id.part });
    let [first, second] = games(id, 2);
    resumed.replay(first);
    let other = start(&mut resumed).map(|id| (id.index, id.part));
    assert_eq!(other, Some((0, PairPart::Second)), "{:?}", resumed.outcome());
    resumed.landed(PairId { part: PairPart::Second, ..id });
    assert_eq!(counted(&resumed.commit(second)), [0]);
}

#[test]
fn what_stopped_a_session_is_forgotten_when_the_next_one_begins() {
    let mut plan = plan(Some(1), None);
    plan.breaker = Breaker::First;
    let session = || Entry::Session { host: Some("here".to_owned()), fleet: None };
    let id = PairId { index: 0, attempt: 0, part: PairPart::Both };
    let [crash, second] = games(id, 2);
    let Entry::Game(mut crash) = crash else { unreachable!() };
    crash.ending.termination = Termination::Crash { during: CrashMoment::Thinking, exit: None };
    let mut state = RunState::new(&plan);
    for entry in [session(), Entry::PairStarted { pair: 0, attempt: 0, part: PairPart::Both }] {
        state.replay(entry);
    }
    state.replay(Entry::Game(crash));
    assert!(matches!(state.outcome(), None | Some(RunOutcome::Faulty(_))));
    state.replay(session());
    state.replay(second);
    assert_eq!(state.outcome(), Some(RunOutcome::Finished));
}

#[test]
fn a_decision_that_was_not_recorded_is_known_after_a_replay() {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 200.0).unwrap());
    let mut state = RunState::new(&plan(None, Some(sprt)));
    let mut journal = Vec::new();
    while state.decision().is_none() {
        let id = start(&mut state).unwrap();
        state.landed(id);
        journal.push(Entry::PairStarted { pair: id.index, attempt: id.attempt, part: id.part });
        for entry in games(id, 3 + (id.index % 2) as u8) {
            journal.push(entry.clone());
            state.commit(entry);
        }
    }
    let Decision { accepted, llr, seen: pentanomial } = state.decision().unwrap();
    let recorded = Entry::Decision { accepted, llr, pairs: state.counted(), pentanomial };
    let mut replayed = RunState::new(&plan(None, Some(sprt)));
    journal.into_iter().for_each(|entry| drop(replayed.replay(entry)));
    assert_eq!(replayed.unrecorded_decision(), state.decision());
    replayed.replay(recorded);
    assert_eq!((replayed.unrecorded_decision(), replayed.decision()), (None, state.decision()));
}

#[test]
fn encounters_of_one_game_count_by_games() {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 200.0).unwrap());
    let mut plan = plan(Some(3), Some(sprt));
    plan.encounters.pair = crate::run::encounters::PairSize::Half;
    let mut state = RunState::new(&plan);
    let ids: Vec<PairId> = std::iter::from_fn(|| start(&mut state)).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.part == PairPart::First));
    for id in ids {
        state.landed(id);
        let [game, _] = games(id, 2);
        assert_eq!(counted(&state.commit(game)), [id.index]);
    }
    let score = state.standings().main();
    assert_eq!((score.games.wins, score.pentanomial.pairs()), (3, 0));
    assert!(state.llr().is_some_and(|llr| llr > 0.0));
    assert_eq!(state.outcome(), Some(RunOutcome::Undecided));
}

/// The two games of a pair as they were played before, in `earlier`.
fn repeat(id: PairId, earlier: u64, half_points: u8) -> Vec<Entry> {
    let same = games(PairId { index: earlier, attempt: 0, part: PairPart::Both }, half_points);
    let renumbered = same.into_iter().map(|entry| match entry {
        Entry::Game(mut game) => {
            (game.pair, game.attempt) = (id.index, id.attempt);
            Entry::Game(game)
        }
        other => other,
    });
    renumbered.collect()
}

#[test]
fn a_pair_that_repeats_an_earlier_one_is_not_counted() {
    let plan = plan(Some(4), None);
    let mut state = RunState::new(&plan);
    let ids: Vec<PairId> = std::iter::from_fn(|| start(&mut state)).collect();
    finish(&mut state, ids[0], 4);
    state.landed(ids[1]);
    let effects: Vec<Effect> =
        repeat(ids[1], 0, 4).into_iter().flat_map(|entry| state.commit(entry)).collect();
    assert!(
        matches!(&effects[..], [Effect::Warn(text)] if text.starts_with("pair 2 repeats pair 1")),
        "{effects:?}"
    );
    finish(&mut state, ids[2], 3);
    finish(&mut state, ids[3], 0);
    assert_eq!(state.standings().main().pentanomial.pairs(), 3);
    assert_eq!((state.counted(), state.repeated_pairs()), (4, 1));
    assert_eq!(state.outcome(), Some(RunOutcome::Finished));
}

#[test]
fn a_test_that_only_repeats_itself_ends_undecided() {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 5.0).unwrap());
    let mut state = RunState::new(&plan(None, Some(sprt)));
    let first = start(&mut state).unwrap();
    finish(&mut state, first, 4);
    let mut played = 1;
    while let Some(id) = start(&mut state) {
        state.landed(id);
        repeat(id, 0, 4).into_iter().for_each(|entry| drop(state.commit(entry)));
        played += 1;
        assert!(played < 1000);
    }
    assert_eq!((played, state.repeated_pairs()), (1 + MAX_IN_A_ROW, MAX_IN_A_ROW));
    assert_eq!(state.outcome(), Some(RunOutcome::Undecided));
    assert_eq!(state.standings().main().pentanomial.pairs(), 1);
}

#[test]
fn timed_pairs_and_faults_are_never_repeats() {
    let mut timed = plan(Some(2), None);
    timed.engines[1].limits = crate::game::TimeControl::movetime(5);
    let untimed = plan(Some(2), None);
    for (plan, fault) in [(timed, false), (untimed, true)] {
        let mut state = RunState::new(&plan);
        let ids: Vec<PairId> = std::iter::from_fn(|| start(&mut state)).collect();
        for id in ids {
            state.landed(id);
            for mut entry in repeat(id, 0, 4) {
                if let (Entry::Game(game), true) = (&mut entry, fault) {
                    game.ending.termination = Termination::IllegalMove { text: "x".to_owned() };
                }
                state.commit(entry);
            }
        }
        assert_eq!((state.standings().main().pentanomial.pairs(), state.repeated_pairs()), (2, 0));
    }
}
