//! Plies per second with an engine that replies immediately, compared with a bare pipe ping-pong between two processes.
//!
//! The bars: at concurrency 1 a fleet plays at least 0.6 plies per bare round trip, on one processor or on any; and the
//! journal costs less than 2 % of the rate. Blocks with and without a journal differ by more than that on a machine with
//! other load, so many short blocks are compared in pairs, and the bar is missed only if the difference is significant.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::unistd::Pid;
use playself::fleet::{Contestant, Fleet, FleetConfig, FleetEvent, LocalFleet, PairJob, Placement};
use playself::game::{EngineIndex, PairId, TimeControl};
use playself::journal::{Entry, GameEntry, Journal, LockedFile, Urgency};
use playself::opening::Opening;
use playself::player::EngineSpec;

/// Minimum rate of a fleet, relative to the bare rate.
const BAR: f64 = 0.6;
/// Maximum cost of the journal, relative to the rate.
const DURABILITY_BAR: f64 = 0.02;
/// Number of blocks of each kind; the kinds alternate, so that other load affects all of them alike.
const BLOCKS: usize = 5;
/// Number of comparisons of blocks with and without a journal.
const DURABILITY_BLOCKS: usize = 24;
/// Length at which games end, so that every block plays the same number of plies.
const MOVES: u32 = 60;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("--echo") => echo(),
        Some("--games") => games(),
        _ => compare(),
    }
}

/// The child process of the bare ping-pong.
fn echo() {
    let (mut stdin, mut stdout, mut buffer) = (std::io::stdin(), std::io::stdout(), [0; 4096]);
    while stdin.read(&mut buffer).is_ok_and(|count| count > 0) {
        let _ = stdout.write_all(b"bestmove e2e4\n").and_then(|()| stdout.flush());
    }
}

/// A rate and its processor time.
#[derive(Clone, Copy, Debug)]
struct Measured {
    per_second: f64,
    /// Processor time of this process per ply, in microseconds.
    own_cpu: f64,
    /// Processor time of this process and the engines per ply, in microseconds.
    all_cpu: f64,
}

fn compare() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (trips, pairs) = if quick { (20_000, 60) } else { (100_000, 300) };
    let kinds: [(&str, &dyn Fn() -> Measured); 5] = [
        ("bare, any processor", &|| bare(trips)),
        ("bare, one processor", &|| on_one_processor(|| bare(trips))),
        ("fleet, concurrency 1", &|| fleet(pairs, 1, Placement::Auto, Output::Nothing)),
        ("  any processor", &|| fleet(pairs, 1, Placement::Off, Output::Nothing)),
        ("fleet, concurrency 2", &|| fleet(pairs, 2, Placement::Auto, Output::Nothing)),
    ];
    let mut blocks: [Vec<Measured>; 5] = Default::default();
    for _ in 0..BLOCKS {
        for (results, (_, measure)) in blocks.iter_mut().zip(&kinds) {
            results.push(measure());
        }
    }
    println!("{:<20} {:>12} {:>14} {:>14}", "", "plies/s", "own CPU/ply", "all CPU/ply");
    for ((name, _), results) in kinds.iter().zip(&blocks) {
        let fields: [fn(&Measured) -> f64; 3] = [|m| m.per_second, |m| m.own_cpu, |m| m.all_cpu];
        let [rate, own, all] = fields.map(|field| median(results.iter().map(field).collect()));
        println!("{name:<20} {rate:>12.0} {own:>11.2} us {all:>11.2} us");
    }
    let ratio = |below: usize| {
        let rates =
            blocks[2].iter().zip(&blocks[below]).map(|(ours, bare)| ours.per_second / bare.per_second);
        median(rates.collect())
    };
    let (any_processor, one_processor) = (ratio(0), ratio(1));
    println!(
        "fleet / bare, placed by the kernel: {any_processor:.2}; on one processor: {one_processor:.2} (bar {BAR})"
    );
    let durability = durability(pairs);
    assert!(any_processor.min(one_processor) >= BAR, "the fleet is slower than {BAR} of the bare rate");
    assert!(durability.low() <= DURABILITY_BAR, "the journal costs more than {DURABILITY_BAR} of the rate");
}

/// A median with its standard error.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    median: f64,
    standard_error: f64,
}

impl Estimate {
    fn of(values: &[f64]) -> Self {
        let middle = median(values.to_vec());
        // The median absolute deviation, which is robust against bursts of other load.
        let deviation = 1.4826 * median(values.iter().map(|value| (value - middle).abs()).collect());
        // The standard error of the median of normal values is this factor larger than that of the mean.
        let standard_error = 1.2533 * deviation / (values.len() as f64).sqrt();
        Self { median: middle, standard_error }
    }

    /// Returns the median minus two standard errors.
    fn low(self) -> f64 {
        self.median - 2.0 * self.standard_error
    }
}

/// Returns the cost of the journal, relative to the rate.
fn durability(pairs: u64) -> Estimate {
    let block = |output| fleet(pairs, 1, Placement::Auto, output);
    let (mut rates, mut times) = (Vec::new(), Vec::new());
    for number in 0..DURABILITY_BLOCKS {
        // The order alternates, so that a growing or shrinking load favours neither.
        let (plain, journaled) = if number % 2 == 0 {
            let plain = block(Output::Nothing);
            (plain, block(Output::Journal))
        } else {
            let journaled = block(Output::Journal);
            (block(Output::Nothing), journaled)
        };
        rates.push(1.0 - journaled.per_second / plain.per_second);
        times.push(journaled.all_cpu / plain.all_cpu - 1.0);
    }
    let (rate, time) = (Estimate::of(&rates), Estimate::of(&times));
    let verdict = match rate {
        rate if rate.median + 2.0 * rate.standard_error < DURABILITY_BAR => "met",
        rate if rate.low() > DURABILITY_BAR => "missed",
        _ => "undecided, too much noise",
    };
    println!(
        "durability: {:.1} ± {:.1} % of the rate, {:.1} ± {:.1} % of the processor time (bar {:.0} % of the rate: {verdict})",
        100.0 * rate.median,
        200.0 * rate.standard_error,
        100.0 * time.median,
        200.0 * time.standard_error,
        100.0 * DURABILITY_BAR,
    );
    rate
}

/// What a block writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Nothing,
    /// A journal of all games, synced to disk.
    Journal,
}

/// Runs `work` on the processor that a fleet with one game would use.
fn on_one_processor(work: impl FnOnce() -> Measured) -> Measured {
    let allowed = sched_getaffinity(Pid::from_raw(0)).expect("the affinity can be read");
    let last = (0..CpuSet::count()).rfind(|&processor| allowed.is_set(processor).unwrap_or(false));
    let mut one = CpuSet::new();
    one.set(last.expect("the set is not empty")).expect("the number came from a set");
    sched_setaffinity(Pid::from_raw(0), &one).expect("a smaller set is allowed");
    let measured = work();
    sched_setaffinity(Pid::from_raw(0), &allowed).expect("the former set is allowed");
    measured
}

/// `--games N CONCURRENCY`: plays whole games without a move limit, to be compared with other match runners.
fn games() {
    let number = |place| std::env::args().nth(place).and_then(|text| text.parse().ok());
    let (games, concurrency): (u64, u64) = (number(2).unwrap_or(200), number(3).unwrap_or(1));
    let started = Instant::now();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime can be built");
    let mut config = FleetConfig::new(vec![engine("one", "1"), engine("two", "2")]);
    config.concurrency = concurrency as usize;
    config.placement = Placement::Auto;
    let plies = runtime.block_on(play(config, games / 2, None));
    println!("{plies} plies in {:.3} s", started.elapsed().as_secs_f64());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn measured(plies: u64, work: impl FnOnce()) -> Measured {
    let cpu = |who| {
        let usage = getrusage(who).expect("getrusage succeeds");
        let micros = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 * 1e6 + time.tv_usec() as f64;
        micros(usage.user_time()) + micros(usage.system_time())
    };
    let (own, children) = (cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN));
    let started = Instant::now();
    work();
    let (elapsed, plies) = (started.elapsed(), plies as f64);
    let own = cpu(UsageWho::RUSAGE_SELF) - own;
    let all = own + cpu(UsageWho::RUSAGE_CHILDREN) - children;
    Measured { per_second: plies / elapsed.as_secs_f64(), own_cpu: own / plies, all_cpu: all / plies }
}

fn bare(trips: u64) -> Measured {
    let program = std::env::current_exe().expect("the path of this program is known");
    measured(trips, || {
        let mut child = Command::new(program)
            .arg("--echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child can be started");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let mut stdout = child.stdout.take().expect("stdout is a pipe");
        let mut buffer = [0; 4096];
        for _ in 0..trips {
            stdin.write_all(b"position startpos\ngo nodes 1\n").expect("the child reads");
            let count = stdout.read(&mut buffer).expect("the child replies");
            assert_eq!(&buffer[..count], b"bestmove e2e4\n");
        }
        drop(stdin);
        child.wait().expect("the child ends");
    })
}

fn engine(name: &str, salt: &str) -> EngineSpec {
    let mut spec = EngineSpec::uci(name, PathBuf::from(env!("CARGO_BIN_EXE_fake-engine")));
    spec.args = vec!["--salt".into(), salt.into()];
    spec.timeouts.quit = Duration::from_secs(5);
    spec
}

fn fleet(pairs: u64, concurrency: usize, placement: Placement, output: Output) -> Measured {
    let plies = pairs * 2 * u64::from(MOVES) * 2;
    let mut config = FleetConfig::new(vec![engine("one", "1"), engine("two", "2")]);
    config.concurrency = concurrency;
    config.placement = placement;
    config.rules.max_moves = Some(MOVES);
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let file = folder.path().join("journal.ndjson");
    let mut seen = 0;
    let mut result = measured(plies, || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime can be built");
        let journal = (output == Output::Journal).then(|| {
            let storage = LockedFile::open(&file).expect("a fresh journal can be opened");
            Journal::start(storage, 0, Box::new(|group| assert!(group.is_ok(), "every group is durable")))
                .expect("a thread can be started")
        });
        seen = runtime.block_on(play(config, pairs, journal));
    });
    // A game may end by the rules before the move limit; the rate counts the plies that were played.
    let share = seen as f64 / plies as f64;
    assert!(share > 0.5, "most games reach the move limit");
    result.per_second *= share;
    result.own_cpu /= share;
    result.all_cpu /= share;
    result
}

async fn play(config: FleetConfig, pairs: u64, journal: Option<Journal<Entry>>) -> u64 {
    let mut fleet = LocalFleet::start(config).expect("a fleet can be started");
    let contestant = |engine| Contestant { engine, options: Vec::new(), limits: TimeControl::nodes(1) };
    for index in 0..pairs {
        fleet.submit(PairJob {
            id: PairId::both(index, 0),
            opening: Opening::start(),
            contestants: [contestant(EngineIndex(0)), contestant(EngineIndex(1))],
            seats: PairJob::REVERSED,
            book_seed: 0,
            first_game: None,
        });
    }
    let (mut finished, mut plies) = (0, 0);
    while finished < pairs {
        match fleet.next_event().await.expect("pairs are open") {
            FleetEvent::PairFinished(pair) => {
                finished += 1;
                plies += pair.games.iter().map(|game| game.moves.len() as u64).sum::<u64>();
                assert!(pair.games.iter().all(|game| !game.ending.termination.is_engine_fault()));
            }
            FleetEvent::EngineFatal(fatal) => panic!("{fatal}"),
            FleetEvent::Voided { reason, .. } => panic!("{reason}"),
            FleetEvent::Warning(text) => panic!("{text}"),
            FleetEvent::GameFinished { id, game, record, .. } => {
                if let Some(journal) = &journal {
                    let entry = GameEntry::pack(id.index, id.attempt, game, &record);
                    let appended = journal.append(Entry::Game(Box::new(entry)), Urgency::Grouped);
                    assert!(appended.is_ok(), "the journal accepts every game");
                }
            }
            FleetEvent::GameStarted { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    fleet.close().await;
    if let Some(journal) = journal {
        journal.close();
    }
    plies
}
