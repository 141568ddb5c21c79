//! A fleet of fake engines that plays a list of pairs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use playself::fleet::{
    Contestant, EngineFatal, Fleet, FleetConfig, FleetEvent, LocalFleet, PairJob, PairReport,
};

use playself::game::PairId;
use playself::game::{EngineIndex, FaultBundle, GameOfPair, GameRecord, TimeControl, VoidReason, Warning};
use playself::opening::Opening;
use playself::player::{EngineSpec, GuardianProgram};

/// The fake engine with these rules.
pub(crate) fn fake(rules: &[&str]) -> EngineSpec {
    let mut spec = EngineSpec::uci("fake", env!("CARGO_BIN_EXE_fake-engine"));
    for rule in rules {
        spec.args.extend(["--on".to_owned(), (*rule).to_owned()]);
    }
    spec.timeouts.start = Duration::from_millis(3000);
    spec.timeouts.ready = Duration::from_millis(400);
    spec.timeouts.new_game = Duration::from_millis(400);
    spec.timeouts.stop = Duration::from_millis(200);
    spec.timeouts.quit = Duration::from_millis(300);
    spec.timeouts.term = Duration::from_millis(200);
    spec.timeouts.move_cap = Duration::from_millis(1500);
    spec
}

/// A fake engine without faults.
pub(crate) fn faultless() -> EngineSpec {
    EngineSpec { name: "faultless".into(), ..fake(&[]) }
}

/// The guardian of the `playself` program.
pub(crate) fn guardian() -> GuardianProgram {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_playself"));
    GuardianProgram { program, args: vec![GuardianProgram::ARGUMENT.to_owned()] }
}

/// Events of a fleet, collected.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) pairs: Vec<PairReport>,
    pub(crate) games: Vec<(PairId, GameOfPair, GameRecord)>,
    pub(crate) bundles: Vec<FaultBundle>,
    pub(crate) voids: Vec<VoidReason>,
    pub(crate) fatal: Option<EngineFatal>,
    pub(crate) took: Duration,
}

impl Outcome {
    /// `result reason` of every game, in the order in which they ended.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.games
            .iter()
            .map(|(.., game)| format!("{} {}", game.ending.result, game.ending.termination))
            .collect()
    }

    /// The warnings of all games, without waits for a processor: they depend on what else the machine does.
    pub(crate) fn warnings(&self) -> Vec<&Warning> {
        let all = self.games.iter().flat_map(|(.., game)| &game.warnings);
        all.filter(|warning| !matches!(warning, Warning::Starved { .. })).collect()
    }
}

/// Jobs for `pairs` pairs from the start position.
pub(crate) fn jobs(pairs: u64, limits: TimeControl) -> Vec<PairJob> {
    let contestant = |engine| Contestant { engine, options: Vec::new(), limits };
    (0..pairs)
        .map(|index| PairJob {
            id: PairId::both(index, 0),
            opening: Opening::start(),
            contestants: [contestant(EngineIndex(0)), contestant(EngineIndex(1))],
            seats: PairJob::REVERSED,
            book_seed: 0,
            first_game: None,
        })
        .collect()
}

/// Plays jobs with a fleet and collects its events.
pub(crate) fn run(config: FleetConfig, jobs: Vec<PairJob>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let begun = Instant::now();
        let mut fleet = LocalFleet::start(config).unwrap();
        let mut open = jobs.len();
        for job in jobs {
            fleet.submit(job);
        }
        let mut outcome = Outcome::default();
        while open > 0 {
            match fleet.next_event().await.unwrap() {
                FleetEvent::GameStarted { .. } | FleetEvent::Warning(_) => {}
                FleetEvent::GameFinished { id, game, record, bundle } => {
                    outcome.games.push((id, game, *record));
                    outcome.bundles.extend(bundle.map(|bundle| *bundle));
                }
                FleetEvent::PairFinished(report) => {
                    outcome.pairs.push(*report);
                    open -= 1;
                }
                FleetEvent::Voided { reason, .. } => {
                    outcome.voids.push(reason);
                    open -= 1;
                }
                FleetEvent::Failed(why) => panic!("the host is blamed: {why}"),
                FleetEvent::EngineFatal(fatal) => outcome.fatal = Some(*fatal),
                other => panic!("{other:?}"),
            }
        }
        outcome.took = begun.elapsed();
        let late = fleet.close().await;
        assert!(late.is_empty(), "no event follows the last pair: {late:?}");
        outcome
    })
}

/// Plays one pair of `candidate`, which has White first, against an engine without faults.
pub(crate) fn pair(candidate: EngineSpec, limits: TimeControl) -> Outcome {
    let mut config = FleetConfig::new(vec![candidate, faultless()]);
    config.rules.max_moves = Some(20);
    run(config, jobs(1, limits))
}

/// Running processes, other than this one, whose command line contains `mark`.
pub(crate) fn survivors(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(bytes) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&bytes).replace('\0', " ");
        let alive =
            std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| !stat.contains(") Z "));
        if alive
            && line.contains(mark)
            && entry.file_name().to_string_lossy() != std::process::id().to_string()
        {
            found.push(format!("{}: {line}", entry.file_name().to_string_lossy()));
        }
    }
    found
}

/// The processes with `mark` that still run after the second that the fault table allows.
pub(crate) fn survivors_after_a_second(mark: &str) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let found = survivors(mark);
        if found.is_empty() || begun.elapsed() > Duration::from_secs(1) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
