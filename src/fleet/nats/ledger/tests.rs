//! The ledger of a coordinator, tested without a server.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::fleet::Contestant;
use crate::fleet::nats::messages::{Playing, Refusal, RefusalCode};
use crate::game::{
    Ending, EngineIndex, GameRecord, GameResult, MoveSource, MoveText, PlyRecord, Termination, TimeControl,
    Variant,
};
use crate::journal::GameEntry;
use crate::opening::Opening;

#[path = "conduct_tests.rs"]
mod conduct;

const BEAT: Duration = Duration::from_secs(10);

fn name(text: &str) -> WorkerName {
    WorkerName::try_from(text.to_owned()).unwrap()
}

fn run() -> RunId {
    RunId::try_from("0123456789abcdef".to_owned()).unwrap()
}

fn terms() -> Terms {
    Terms { run: run(), rules: AdjudicationRules::default(), beat: BEAT, stuck: at(600), audit: 0.0 }
}

fn new_ledger() -> Ledger {
    Ledger::new(terms())
}

fn job(pair: u64) -> PairJob {
    let side = |engine| Contestant {
        engine: EngineIndex(engine),
        options: Vec::new(),
        limits: TimeControl::nodes(10),
    };
    PairJob {
        id: PairId::both(pair, 0),
        opening: Opening {
            index: pair,
            label: String::new(),
            fen: Opening::START_FEN.to_owned(),
            moves: vec!["f2f3".to_owned()],
            variant: Variant::Standard,
        },
        contestants: [side(0), side(1)],
        seats: PairJob::REVERSED,
        book_seed: 0,
        first_game: None,
    }
}

/// Two games that Black wins by the shortest mate.
fn games(job: &PairJob) -> Vec<GameEntry> {
    let game = |number: GameOfPair| {
        let [white, black] = job.seats(number).map(|seat| job.contestants[seat].engine);
        let ply = |(at, mv): (usize, &str)| PlyRecord {
            mv: MoveText::new(mv).unwrap(),
            source: if at == 0 { MoveSource::Book } else { MoveSource::Engine },
            time_us: if at == 0 { 0 } else { 1 },
            clock_left_us: None,
            score: None,
            depth: None,
            seldepth: None,
            nodes: None,
            extra: None,
        };
        let record = GameRecord {
            white,
            black,
            opening: job.opening.index,
            start_fen: job.opening.fen.clone(),
            variant: Variant::Standard,
            moves: ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().enumerate().map(ply).collect(),
            ending: Ending { result: GameResult::BlackWins, termination: Termination::Checkmate },
            started_unix_ms: 0,
            duration_ms: 0,
            warnings: Vec::new(),
        };
        GameEntry::pack(job.id.index, job.id.attempt, number, &record)
    };
    GameOfPair::BOTH.map(game).into()
}

fn token(pair: u64, delivery: u64) -> Token {
    Token { pair, attempt: 0, delivery }
}

fn claim(worker: &str, pair: u64, delivery: u64) -> WorkerReport {
    WorkerReport::Claim { worker: name(worker), token: token(pair, delivery), scale_ppm: None }
}

fn result(worker: &str, pair: u64, delivery: u64) -> WorkerReport {
    let games = games(&job(pair));
    WorkerReport::Pair { worker: name(worker), token: token(pair, delivery), games, bundles: Vec::new() }
}

fn beat(worker: &str, nonce: u64, playing: &[Token], waiting: &[Token]) -> Heartbeat {
    Heartbeat {
        worker: name(worker),
        nonce,
        version: "0".to_owned(),
        play: 1,
        cpu: "c".to_owned(),
        target: "t".to_owned(),
        slots: 4,
        free: 0,
        run: Some(run()),
        nps: None,
        scale_ppm: None,
        playing: playing.iter().map(|&token| Playing { token, plies: 1 }).collect(),
        waiting: waiting.iter().map(|&token| TokenTuple(token)).collect(),
        spool_bytes: 0,
        trouble: None,
        boards: Vec::new(),
    }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What the ledger does, as short texts.
fn done(ledger: &mut Ledger) -> Vec<String> {
    let tokens = |kind: &str, list: &[TokenTuple]| -> Vec<String> {
        list.iter().map(|TokenTuple(token)| format!("{kind} {}.{}", token.pair, token.delivery)).collect()
    };
    let text = |action: Action| match action {
        Action::Publish { job, base, first } => vec![format!("publish {} {base} {first:?}", job.id.index)],
        Action::Delete { pair, attempt } => vec![format!("delete {pair}.{attempt}")],
        Action::Acknowledge(message) => vec![format!("ack {message}")],
        Action::Answer(worker, answer) => {
            let lists = [("counted", &answer.counted), ("over", &answer.over), ("stale", &answer.stale)];
            let mut texts: Vec<String> =
                lists.iter().flat_map(|(kind, list)| tokens(&format!("{worker} {kind}"), list)).collect();
            texts.extend(tokens(&format!("{worker} resend"), &answer.resend));
            texts.extend(answer.taken.map(|nonce| format!("{worker} taken {nonce}")));
            texts
        }
        Action::Report(event) => vec![match event {
            FleetEvent::Claimed { id, claim } => format!("claimed {} {}", id.index, claim.worker),
            FleetEvent::Received(pair) => format!("received {}", pair.id.index),
            FleetEvent::VoidedBy { id, worker, reason } => format!("void {} {worker} {reason}", id.index),
            FleetEvent::Voided { id, reason, .. } => format!("void {} {reason}", id.index),
            FleetEvent::WorkerExcluded { worker, .. } => format!("excluded {worker}"),
            FleetEvent::Joined(facts) => format!("joined {}", facts.worker),
            FleetEvent::LeftInPlay(id) => format!("left {}", id.index),
            FleetEvent::Failed(why) => format!("failed {why}"),
            other => format!("{other:?}"),
        }],
    };
    ledger.actions().into_iter().flat_map(text).collect()
}

#[test]
fn a_result_counts_once_and_is_acknowledged_when_it_is_durable() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    assert_eq!(done(&mut ledger), ["publish 0 0 First"]);
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 1", "claimed 0 oak"]);
    ledger.report(at(2), 2, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["received 0"]);
    ledger.report(at(2), 3, &name("oak"), result("oak", 0, 1));
    assert!(done(&mut ledger).is_empty(), "not before it is durable");
    ledger.settle(PairId::both(0, 0));
    assert_eq!(done(&mut ledger), ["ack 2", "ack 3", "oak counted 0.1"]);
    // Row 206: the same result after any time.
    ledger.report(at(500), 4, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 4", "oak over 0.1"]);
}

#[test]
fn row_219_a_holder_that_gives_signs_of_life_keeps_its_pair_and_a_silent_one_loses_it() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    ledger.beat(at(40), &name("oak"), beat("oak", 7, &[token(0, 1)], &[]));
    done(&mut ledger);
    ledger.report(at(60), 2, &name("elm"), claim("elm", 0, 2));
    assert_eq!(done(&mut ledger), ["ack 2", "elm stale 0.2"]);
    ledger.report(at(71), 3, &name("elm"), claim("elm", 0, 3));
    assert_eq!(done(&mut ledger), ["ack 3", "claimed 0 elm"]);
    // Row 204: it returns with a result.
    ledger.report(at(300), 4, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 4", "oak stale 0.1"]);
    ledger.report(at(301), 5, &name("elm"), result("elm", 0, 3));
    assert_eq!(done(&mut ledger), ["received 0"]);
}

#[test]
fn row_210_a_pair_that_its_holder_has_given_up_goes_to_the_next_worker_at_once() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.beat(at(0), &name("oak"), beat("oak", 7, &[], &[]));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    ledger.beat(at(2), &name("oak"), beat("oak", 7, &[], &[]));
    done(&mut ledger);
    ledger.report(at(3), 2, &name("elm"), claim("elm", 0, 2));
    assert_eq!(done(&mut ledger), ["ack 2", "claimed 0 elm"]);
}

#[test]
fn a_result_implies_its_claim() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    done(&mut ledger);
    ledger.report(at(1), 1, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["received 0"]);
}

#[test]
fn row_207_a_job_that_the_server_lost_is_published_with_a_higher_base_and_leftovers_are_deleted() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.submit(job(1));
    ledger.stored(PairId::both(0, 0));
    let first = ledger.begin_comparison();
    ledger.stored(PairId::both(1, 0));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 3));
    done(&mut ledger);
    ledger.compare(first, &BTreeSet::from([(9, 2)]));
    // Pair 1 was stored after the comparison had begun.
    assert_eq!(done(&mut ledger), ["publish 0 3 Again", "delete 9.2"]);
    ledger.stored(PairId::both(0, 0));
    let second = ledger.begin_comparison();
    ledger.compare(second, &BTreeSet::from([(0, 0), (1, 0)]));
    assert!(done(&mut ledger).is_empty());
}

#[test]
fn row_237_the_later_of_two_processes_with_one_name_is_told() {
    let mut ledger = new_ledger();
    ledger.beat(at(0), &name("oak"), beat("oak", 1, &[], &[]));
    ledger.beat(at(5), &name("oak"), beat("oak", 2, &[], &[]));
    done(&mut ledger);
    ledger.beat(at(10), &name("oak"), beat("oak", 1, &[], &[]));
    assert_eq!(done(&mut ledger), ["oak taken 2"]);
    ledger.beat(at(15), &name("oak"), beat("oak", 2, &[], &[]));
    assert_eq!(done(&mut ledger), ["oak taken 2"]);
    // One that was started again is alone.
    let mut ledger = new_ledger();
    for (second, nonce) in [(0, 1), (10, 2), (20, 2), (30, 3), (40, 3)] {
        ledger.beat(at(second), &name("oak"), beat("oak", nonce, &[], &[]));
        assert!(done(&mut ledger).iter().all(|text| text == "joined oak"));
    }
}

#[test]
fn row_227_a_pair_on_which_four_workers_were_lost_stops_the_run() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    for (delivery, worker) in (1..).zip(["ash", "elm", "fir", "oak"]) {
        ledger.report(at(100 * delivery), delivery, &name(worker), claim(worker, 0, delivery));
    }
    assert!(!done(&mut ledger).iter().any(|text| text.starts_with("void")));
    ledger.report(at(500), 5, &name("yew"), claim("yew", 0, 5));
    assert!(done(&mut ledger).contains(&"void 0 4 machines were lost while they played it".to_owned()));
}

#[test]
fn row_231_an_impossible_result_is_void_and_its_worker_excluded() {
    for (case, change) in [
        ("another result", (|game| game.ending.result = GameResult::WhiteWins) as fn(&mut GameEntry)),
        ("an illegal move", |game| game.moves = "f2f3e7e5g2g4d8h3".to_owned()),
        ("another opening", |game| game.moves = "f2f4e7e5g2g4d8h4".to_owned()),
        ("a move after the end", |game| game.moves.push_str("a2a3")),
        ("the game goes on", |game| game.moves = "f2f3e7e5g2g4".to_owned()),
        ("the wrong colours", |game| game.white = EngineIndex(1)),
        ("another pair", |game| game.pair = 5),
    ] {
        let mut ledger = new_ledger();
        ledger.submit(job(0));
        let mut games = games(&job(0));
        change(&mut games[0]);
        let report =
            WorkerReport::Pair { worker: name("oak"), token: token(0, 1), games, bundles: Vec::new() };
        done(&mut ledger);
        ledger.report(at(1), 1, &name("oak"), report);
        let actions = done(&mut ledger);
        assert!(
            actions[0].starts_with("void 0 oak a machine reported an impossible game"),
            "{case}: {actions:?}"
        );
        assert_eq!(actions[1], "excluded oak", "{case}");
        assert_eq!(ledger.excluded(), [name("oak")]);
    }
}

#[test]
fn reports_under_the_name_of_another_are_dropped_without_a_consequence() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    done(&mut ledger);
    ledger.report(at(1), 1, &name("oak"), result("elm", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 1"]);
    assert!(ledger.excluded().is_empty());
}

#[test]
fn row_238_a_decision_gives_every_pair_back_and_a_leaving_coordinator_none() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.submit(job(1));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    done(&mut ledger);
    ledger.recall();
    let expected = [
        "delete 0.0",
        "void 0 the run was stopped",
        "delete 1.0",
        "void 1 the run was stopped",
        "oak over 0.1",
    ];
    assert_eq!(done(&mut ledger), expected);
    ledger.report(at(2), 2, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 2", "oak over 0.1"]);
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    done(&mut ledger);
    ledger.leave();
    assert_eq!(done(&mut ledger), ["left 0"]);
    ledger.report(at(2), 2, &name("oak"), result("oak", 0, 1));
    assert!(done(&mut ledger).is_empty(), "it stays on the server for the next coordinator");
}

#[test]
fn a_result_that_got_lost_is_asked_for_again() {
    let mut ledger = new_ledger();
    ledger.adopt(PairId::both(0, 0), Some(&Claim { delivery: 2, worker: "oak".to_owned(), scale_ppm: None }));
    ledger.submit(job(0));
    for second in [1, 11] {
        ledger.beat(at(second), &name("oak"), beat("oak", 1, &[], &[token(0, 2)]));
    }
    assert_eq!(done(&mut ledger), ["joined oak"]);
    ledger.beat(at(21), &name("oak"), beat("oak", 1, &[], &[token(0, 2)]));
    assert_eq!(done(&mut ledger), ["oak resend 0.2"]);
    ledger.report(at(22), 1, &name("oak"), result("oak", 0, 2));
    assert_eq!(done(&mut ledger), ["received 0"]);
}

#[test]
fn row_233_absurd_numbers_of_a_worker_have_no_effect() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    done(&mut ledger);
    for worker in ["fox", "owl"] {
        let absurd = Heartbeat { slots: usize::MAX, ..beat(worker, 1, &[], &[]) };
        ledger.beat(at(1), &name(worker), absurd);
    }
    assert_eq!(ledger.slots(at(1)), 2 * crate::fleet::MAX_CONCURRENCY);
    ledger.report(at(2), 1, &name("fox"), claim("fox", 0, u64::MAX));
    ledger.report(at(3), 2, &name("oak"), claim("oak", 0, 1));
    let done = done(&mut ledger);
    assert!(done.iter().any(|action| action.starts_with("fox stale")), "{done:?}");
    assert!(done.iter().any(|action| action.starts_with("claimed") && action.contains("oak")), "{done:?}");
}

#[test]
fn a_result_that_may_still_arrive_is_not_asked_for() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    ledger.beat(at(2), &name("oak"), beat("oak", 1, &[], &[token(0, 1)]));
    done(&mut ledger);
    // Many reports wait at the server, and one arrives now and then.
    for second in [12, 22, 32] {
        ledger.note_backlog(at(second), 500);
        ledger.beat(at(second), &name("oak"), beat("oak", 1, &[], &[token(0, 1)]));
    }
    assert!(done(&mut ledger).is_empty());
    // Nothing arrives any more: the server may have lost them.
    for second in [42, 52, 62] {
        ledger.beat(at(second), &name("oak"), beat("oak", 1, &[], &[token(0, 1)]));
    }
    assert_eq!(done(&mut ledger), ["oak resend 0.1"]);
}

#[test]
fn a_run_that_its_only_worker_refuses_stops_after_a_while() {
    let mut ledger = new_ledger();
    ledger.beat(at(0), &name("oak"), beat("oak", 1, &[], &[]));
    let refusal = Refusal { code: RefusalCode::Target, why: "no program for it".to_owned() };
    ledger.report(at(1), 1, &name("oak"), WorkerReport::Refuse { worker: name("oak"), refusal });
    ledger.tick(at(20));
    assert!(!done(&mut ledger).iter().any(|text| text.starts_with("failed")));
    ledger.beat(at(30), &name("oak"), beat("oak", 1, &[], &[]));
    ledger.tick(at(32));
    assert_eq!(done(&mut ledger), ["failed every worker refuses this run:\noak: no program for it"]);
}

/// A server, workers and a coordinator that lose, repeat and reorder messages and die at any time.
struct World {
    ledger: Ledger,
    now: Duration,
    /// Pairs on record, with the number of times that they were received.
    journal: BTreeMap<u64, u32>,
    claims: BTreeMap<u64, Claim>,
    /// Jobs on the server: base and deliveries.
    jobs: BTreeMap<u64, (u64, u64)>,
    reports: VecDeque<(u64, WorkerName, WorkerReport)>,
    /// Reports that were delivered and not acknowledged.
    pending: BTreeMap<u64, (WorkerName, WorkerReport)>,
    answers: VecDeque<(WorkerName, CoordinatorAnswer)>,
    /// Received pairs that are not durable yet.
    unsettled: Vec<PairId>,
    workers: BTreeMap<WorkerName, (u64, BTreeMap<Token, bool>)>,
    next: u64,
    pairs: u64,
}

impl World {
    fn new(pairs: u64) -> Self {
        let workers = ["ash", "elm", "oak"].map(|text| (name(text), (1, BTreeMap::new())));
        let mut world = Self {
            ledger: new_ledger(),
            now: Duration::ZERO,
            journal: BTreeMap::new(),
            claims: BTreeMap::new(),
            jobs: BTreeMap::new(),
            reports: VecDeque::new(),
            pending: BTreeMap::new(),
            answers: VecDeque::new(),
            unsettled: Vec::new(),
            workers: workers.into(),
            next: 0,
            pairs,
        };
        (0..pairs).for_each(|pair| world.ledger.submit(job(pair)));
        world.act();
        world
    }

    fn act(&mut self) {
        for action in self.ledger.actions() {
            match action {
                Action::Publish { job, base, .. } => {
                    self.jobs.insert(job.id.index, (base, 0));
                    self.ledger.stored(job.id);
                }
                Action::Delete { pair, .. } => drop(self.jobs.remove(&pair)),
                Action::Acknowledge(message) => drop(self.pending.remove(&message)),
                Action::Answer(worker, answer) => self.answers.push_back((worker, answer)),
                Action::Report(FleetEvent::Received(pair)) => self.unsettled.push(pair.id),
                Action::Report(FleetEvent::Claimed { id, claim }) => {
                    drop(self.claims.insert(id.index, claim));
                }
                Action::Report(FleetEvent::Voided { id, .. } | FleetEvent::VoidedBy { id, .. }) => {
                    panic!("pair {} is void", id.index)
                }
                Action::Report(_) => {}
            }
        }
    }

    fn publish(&mut self, worker: &WorkerName, report: WorkerReport) {
        self.next += 1;
        self.reports.push_back((self.next, worker.clone(), report));
    }

    /// One step, chosen by `step`; `choice` chooses among what there is.
    fn step(&mut self, step: u8, choice: u64) {
        self.now += Duration::from_secs(choice % 7);
        let worker = self.workers.keys().nth(choice as usize % 3).cloned().unwrap();
        match step {
            0..=3 => self.deliver(&worker, choice),
            4..=6 => self.finish(&worker, choice),
            7..=11 => self.consume(),
            12..=14 => self.receive(),
            15 | 16 => self.beat(&worker),
            17 => self.commit(),
            18 => self.compare(),
            // Faults: a message twice, a worker dies, the coordinator dies, the store is wiped, a false ack.
            19 => {
                if let Some(last) = self.reports.back().cloned() {
                    self.publish(&last.1.clone(), last.2);
                }
            }
            20 => *self.workers.get_mut(&worker).unwrap() = (self.next + 1_000, BTreeMap::new()),
            21 => self.restart(),
            22 => {
                self.jobs.clear();
                self.reports.clear();
                self.pending.clear();
            }
            23 => drop(self.jobs.remove(&(choice % self.pairs))),
            24 => drop(self.answers.pop_front()),
            _ => self.reports.rotate_left(usize::from(self.reports.len() > 1)),
        }
        self.act();
    }

    fn deliver(&mut self, worker: &WorkerName, choice: u64) {
        let Some((&pair, (base, delivered))) =
            self.jobs.iter_mut().nth(choice as usize % self.pairs as usize)
        else {
            return;
        };
        *delivered += 1;
        let token = token(pair, *base + *delivered);
        self.workers.get_mut(worker).unwrap().1.insert(token, false);
        self.publish(worker, WorkerReport::Claim { worker: worker.clone(), token, scale_ppm: None });
    }

    fn finish(&mut self, worker: &WorkerName, choice: u64) {
        let held = &mut self.workers.get_mut(worker).unwrap().1;
        let count = held.len().max(1);
        let Some((&token, waits)) = held.iter_mut().nth(choice as usize % count) else { return };
        *waits = true;
        let games = games(&job(token.pair));
        self.publish(
            worker,
            WorkerReport::Pair { worker: worker.clone(), token, games, bundles: Vec::new() },
        );
    }

    fn consume(&mut self) {
        if let Some((message, worker, report)) = self.reports.pop_front() {
            self.pending.insert(message, (worker.clone(), report.clone()));
            self.ledger.report(self.now, message, &worker, report);
        }
    }

    fn receive(&mut self) {
        let Some((worker, answer)) = self.answers.pop_front() else { return };
        let held = &mut self.workers.get_mut(&worker).unwrap().1;
        for TokenTuple(token) in answer.counted.iter().chain(&answer.over) {
            if held.remove(token).is_some() {
                self.jobs.remove(&token.pair);
            }
        }
        for TokenTuple(token) in &answer.stale {
            held.remove(token);
        }
        let again: Vec<Token> = answer
            .resend
            .iter()
            .map(|&TokenTuple(token)| token)
            .filter(|token| held.contains_key(token))
            .collect();
        for token in again {
            let games = games(&job(token.pair));
            self.publish(
                &worker,
                WorkerReport::Pair { worker: worker.clone(), token, games, bundles: Vec::new() },
            );
        }
    }

    fn beat(&mut self, worker: &WorkerName) {
        let (nonce, held) = &self.workers[worker];
        let listed = |waits: bool| -> Vec<Token> {
            held.iter().filter(|(_, waiting)| **waiting == waits).map(|(token, _)| *token).collect()
        };
        let message = beat(worker.as_str(), *nonce, &listed(false), &listed(true));
        self.ledger.beat(self.now, worker, message);
    }

    fn commit(&mut self) {
        for id in take(&mut self.unsettled) {
            *self.journal.entry(id.index).or_default() += 1;
            self.ledger.settle(id);
        }
    }

    fn compare(&mut self) {
        let comparison = self.ledger.begin_comparison();
        let listed = self.jobs.keys().map(|&pair| (pair, 0)).collect();
        self.ledger.compare(comparison, &listed);
    }

    /// The coordinator dies and comes back: everything that is not durable is lost, reports come again.
    fn restart(&mut self) {
        self.unsettled.clear();
        self.ledger = new_ledger();
        self.now = Duration::ZERO;
        for pair in (0..self.pairs).filter(|pair| !self.journal.contains_key(pair)) {
            self.ledger.adopt(PairId::both(pair, 0), self.claims.get(&pair));
            self.ledger.submit(job(pair));
        }
        for (message, (worker, report)) in take(&mut self.pending).into_iter().rev() {
            self.reports.push_front((message, worker, report));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_pair_is_lost_or_counted_twice_whatever_happens_to_messages_and_processes(
        steps in proptest::collection::vec((0_u8..26, 0_u64..1000), 0..400)
    ) {
        let mut world = World::new(5);
        for (step, choice) in steps {
            world.step(step, choice);
        }
        // From here on everything works; three rounds of silence end every old claim.
        for round in 0..400_u64 {
            world.now += Duration::from_secs(35);
            world.compare();
            world.act();
            let worker = world.workers.keys().nth(round as usize % 3).cloned().unwrap();
            world.deliver(&worker, round);
            let held = world.workers[&worker].1.len() as u64;
            (0..held).for_each(|choice| world.finish(&worker, choice));
            while !world.reports.is_empty() {
                world.consume();
                world.act();
            }
            world.commit();
            world.act();
            for worker in world.workers.keys().cloned().collect::<Vec<_>>() {
                world.beat(&worker);
            }
            world.act();
            while !world.answers.is_empty() {
                world.receive();
            }
        }
        prop_assert_eq!(world.journal.len() as u64, world.pairs, "{:?}", world.journal);
        prop_assert!(world.journal.values().all(|&times| times == 1), "{:?}", world.journal);
        world.compare();
        world.act();
        prop_assert!(world.jobs.is_empty() && world.pending.is_empty());
    }
}
