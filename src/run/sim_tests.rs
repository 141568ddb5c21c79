//! Whole runs on a fleet without machines: what counts does not depend on where and when pairs end.

use std::sync::{Arc, Mutex};

use crate::fleet::{PairJob, SimFleet, SimLog, SimOutcome};
use crate::game::{Ending, GameOfPair, GameRecord, GameResult, PairId, Termination, VoidReason};
use crate::journal::LockedFile;
use crate::opening::{Opening, Variant};
use crate::player::GuardianProgram;
use crate::run::{
    FinishedRun, Known, Observer, Openings, Plan, Replayed, RunBuilder, RunEvent, RunKind, RunOutcome,
    RunStart, RunView, StopHandle, StopStyle, plan_to_toml, replay,
};
use crate::stats::{Hypotheses, SprtConfig};
use crate::store::{RunFolder, sha256_of};

struct OneOpening;

impl Openings for OneOpening {
    fn opening(&mut self, place: u64) -> Result<Option<Opening>, String> {
        Ok(Some(Opening {
            index: place,
            label: String::new(),
            fen: Opening::START_FEN.to_owned(),
            moves: Vec::new(),
            variant: Variant::Standard,
        }))
    }
}

/// A counted pair with its points.
type Row = (u64, Option<String>);

/// The counted pairs of a run.
#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<Row>>>);

impl Observer for Rows {
    fn observe(&mut self, event: &RunEvent, _: &RunView<'_>) -> std::io::Result<()> {
        if let RunEvent::Counted(pair) = event {
            let points = pair.score.map(|score| score.points().to_string());
            self.0.lock().unwrap().push((pair.pair, points));
        }
        Ok(())
    }
}

/// A pair whose points depend on its number alone; every pair has another start, or it would repeat an earlier one.
fn played(job: &PairJob) -> SimOutcome {
    let record = |game: GameOfPair| {
        let [white, black] = job.seats(game).map(|seat| job.contestants[seat].engine);
        let result = match (job.id.index * 7 + u64::from(game.number())) % 5 {
            0 | 1 => GameResult::WhiteWins,
            2 => GameResult::BlackWins,
            _ => GameResult::Draw,
        };
        GameRecord {
            white,
            black,
            opening: job.opening.index,
            start_fen: job.id.index.to_string(),
            variant: Variant::Standard,
            moves: Vec::new(),
            ending: Ending { result, termination: Termination::Checkmate },
            started_unix_ms: 0,
            duration_ms: 0,
            warnings: Vec::new(),
        }
    };
    SimOutcome::Games(GameOfPair::BOTH.map(record).into())
}

struct Bench {
    folder: tempfile::TempDir,
    plan: Plan,
}

impl Bench {
    fn new(kind: RunKind) -> Self {
        let plan = Plan { kind, ..Plan::sample(["new", "old"]) };
        Self { folder: tempfile::tempdir().unwrap(), plan }
    }

    fn play<S: FnMut(&PairJob) -> SimOutcome>(
        &self,
        fleet: SimFleet<S>,
        stop: Option<StopHandle>,
    ) -> (FinishedRun, Vec<Row>, SimLog) {
        let path = self.folder.path().join("run");
        let folder = RunFolder::open(&path).or_else(|_| RunFolder::create_at(&path)).unwrap();
        let plan_text = plan_to_toml(&self.plan).unwrap();
        std::fs::write(folder.plan(), &plan_text).unwrap();
        let journal = LockedFile::open(&folder.journal()).unwrap();
        let hash = sha256_of(plan_text.as_bytes());
        let rows = Rows::default();
        let replayed: Replayed =
            replay(journal.reader().unwrap(), &self.plan, &hash, Known::default(), |event, view| {
                rows.clone().observe(event, view).unwrap();
            })
            .unwrap();
        let is_new = replayed.ending.next_seq == 0;
        let run = RunBuilder {
            plan: self.plan.clone(),
            plan_text,
            start: if is_new { RunStart::New } else { RunStart::Resumed(Box::new(replayed)) },
            openings: Box::new(OneOpening),
            folder,
            journal,
            observers: vec![Box::new(rows.clone())],
            warnings: Vec::new(),
            guardian: GuardianProgram { program: "/bin/false".into(), args: Vec::new() },
            kept_programs: Vec::new(),
            stops: StopStyle::Draining,
            stop,
        };
        let log = fleet.log();
        let finished = run.run_on(async |_| Ok(fleet)).unwrap();
        let rows = rows.0.lock().unwrap().clone();
        let log = log.lock().unwrap().clone();
        (finished, rows, log)
    }
}

fn sprt() -> RunKind {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 100.0).unwrap());
    RunKind::Test { sprt, max_pairs: Some(2_000) }
}

#[test]
fn results_are_the_same_whatever_the_order_voids_and_look_ahead() {
    let reference = Bench::new(sprt()).play(SimFleet::new(1, 0, played), None);
    let RunOutcome::Decided(decision) = reference.0.outcome else { panic!("{:?}", reference.0.outcome) };
    for (slots, ahead) in [(3, 1_000), (16, 64), (64, 8)] {
        let mut tries = std::collections::HashMap::<u64, u32>::new();
        let script = move |job: &PairJob| {
            let tries = tries.entry(job.id.index).or_default();
            *tries += 1;
            let gap_ms = 9;
            if job.id.index % 5 == 2 && *tries == 1 {
                SimOutcome::Void(VoidReason::Suspended { gap_ms })
            } else {
                played(job)
            }
        };
        let (run, rows, log) =
            Bench::new(sprt()).play(SimFleet::new(slots, 7, script).with_ahead(ahead), None);
        assert_eq!(run.outcome, RunOutcome::Decided(decision), "{slots} slots");
        assert_eq!(rows, reference.1, "{slots} slots");
        assert!(log.recalled);
        let counted: Vec<u64> = rows.iter().map(|(pair, _)| *pair).collect();
        let settled = |pair: &u64| log.settled.iter().any(|id| id.index == *pair);
        assert!(counted.iter().all(settled), "the fleet learns of every pair that is durable");
        let furthest = log.submitted.iter().map(|id| id.index).max().unwrap();
        assert!(furthest < counted.len() as u64 + ahead, "{furthest} of {}", counted.len());
    }
}

#[test]
fn pairs_that_others_played_on_keep_their_attempt_and_the_others_are_tried_again() {
    for plays_on in [true, false] {
        let bench = Bench::new(RunKind::Match { pairs: 12 });
        let stop = StopHandle::default();
        stop.stop();
        // The first session ends with pairs in play: nothing of them is on record but their start.
        let script = |_: &PairJob| SimOutcome::Silence;
        let (run, rows, first) = bench.play(SimFleet::new(4, 1, script).that_leaves_pairs(), Some(stop));
        assert_eq!((run.outcome, rows.len()), (RunOutcome::Interrupted, 0));
        let mut fleet = SimFleet::new(4, 3, played);
        if plays_on {
            fleet = fleet.that_played_on();
        }
        let (run, rows, log) = bench.play(fleet, None);
        assert_eq!((run.outcome, rows.len()), (RunOutcome::Finished, 12));
        let attempt = u32::from(!plays_on);
        for id in first.submitted {
            assert!(log.adopted.contains(&id), "{id:?}");
            assert!(log.submitted.contains(&PairId { attempt, ..id }), "{id:?} {plays_on}");
        }
    }
}

#[test]
fn row_228_a_pair_that_does_not_end_holds_the_others_up_only_beyond_the_look_ahead() {
    let bench = Bench::new(RunKind::Match { pairs: 100 });
    let stop = StopHandle::default();
    let ends = stop.clone();
    let script = move |job: &PairJob| match job.id.index {
        0 => SimOutcome::Silence,
        index => {
            if index == 19 {
                ends.stop();
            }
            played(job)
        }
    };
    let (run, rows, log) = bench.play(SimFleet::new(4, 1, script).with_ahead(20), Some(stop));
    assert_eq!((run.outcome, rows.len()), (RunOutcome::Interrupted, 0));
    assert_eq!(log.submitted.iter().map(|id| id.index).max(), Some(19));
}

#[test]
fn row_239_the_breaker_stops_games_that_are_played_faster_than_the_disk_confirms_them() {
    let script = |job: &PairJob| match played(job) {
        SimOutcome::Games(games) => SimOutcome::Games(
            games
                .into_iter()
                .map(|game| {
                    let termination = Termination::IllegalMove { text: "a1a1".into() };
                    GameRecord { ending: Ending { result: GameResult::BlackWins, termination }, ..game }
                })
                .collect(),
        ),
        other => other,
    };
    let bench = Bench::new(RunKind::Match { pairs: 5_000 });
    let (run, rows, log) = bench.play(SimFleet::new(4, 1, script), None);
    assert!(matches!(run.outcome, RunOutcome::Faulty(_)), "{:?}", run.outcome);
    // It trips at 20 games. Beyond those, at most 10 games wait for the disk, and as many pairs are in play as there are slots.
    assert!(rows.len() <= 10 + 5 + 4, "{} pairs were counted", rows.len());
    assert!(log.submitted.len() <= 10 + 5 + 4, "{} pairs were started", log.submitted.len());
}
