//! What an engine does and how fast it is on a machine: short searches before the first pair.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{Barrier, oneshot};
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::chess::Color;
use crate::fleet::nats::messages::{Refusal, RefusalCode};
use crate::game::{EngineIndex, GameRecord, MoveSource};
use crate::player::{
    Castling, CrashMoment, DrawOffer, EngineSpec, ExitEvidence, Fitness, GameStart, GuardianProgram,
    LaunchError, Launcher, Player, PlayerFault, Protocol, Question, StartFault, ThinkLimits,
};
use crate::store::sha256_of;

/// Positions that every engine searches, a few moves into known openings, White to move. They are reached by moves, for
/// some engines cannot set up a position.
const POSITIONS: [&str; 8] = [
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8",
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8",
    "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4 e4e5 c7c5 a2a3 b4c3 b2c3 g8e7",
    "c2c4 e7e5 b1c3 g8f6 g1f3 b8c6 g2g3 d7d5 c4d5 f6d5",
    "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 c8f5 e4g3 f5g6",
    "d2d4 f7f5 g2g3 g8f6 f1g2 e7e6 g1f3 f8e7 e1g1 e8g8",
];

/// Smallest depth of a probe, and the greatest that is tried.
const DEPTHS: std::ops::RangeInclusive<u32> = 6..=24;
/// A probe whose searches take less than this in all is made deeper, for its speed means nothing.
const LONG_ENOUGH: Duration = Duration::from_millis(400);
/// Time that one search may take.
const SEARCH_TIME: Duration = Duration::from_secs(60);
/// Change of the speed in games at which a machine is probed again.
const DRIFT: f64 = 0.15;
/// Games over which a speed is averaged.
const DRIFT_GAMES: usize = 20;

/// What a probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// Hash of the moves and node counts; `None` if they differ from one process to the next.
    pub signature: Option<String>,
    /// Nodes per second of one process while all slots search; `None` if the engine does not report nodes.
    pub nps: Option<u64>,
    /// Time of the searches of one process.
    took: Duration,
}

/// What the coordinator found, against which workers are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// Depth of the searches.
    pub depth: u32,
    /// Hash of the moves and node counts; `None` if the engine disagrees with itself.
    pub signature: Option<String>,
    /// Nodes per second.
    pub nps: Option<u64>,
}

/// Searches the positions on this machine in one process, to the depth that makes the speed meaningful, and again in
/// another process.
pub async fn reference(spec: &EngineSpec, guardian: Option<&GuardianProgram>) -> Result<Reference, Refusal> {
    let mut depth = *DEPTHS.start();
    let mut first = probe(spec, 1, depth, guardian).await?;
    while first.took < LONG_ENOUGH && depth < *DEPTHS.end() && first.nps.is_some() {
        depth = (depth + if first.took < LONG_ENOUGH / 20 { 6 } else { 2 }).min(*DEPTHS.end());
        first = probe(spec, 1, depth, guardian).await?;
    }
    let second = probe(spec, 1, depth, guardian).await?;
    let signature = if first.signature == second.signature { first.signature } else { None };
    Ok(Reference { depth, signature, nps: first.nps.zip(second.nps).map(|(one, other)| one.max(other)) })
}

/// Searches the positions in `slots` processes at once, after a search that warms each of them up.
pub async fn probe(
    spec: &EngineSpec,
    slots: usize,
    depth: u32,
    guardian: Option<&GuardianProgram>,
) -> Result<Probed, Refusal> {
    if matches!(spec.protocol, Protocol::Ace { .. }) {
        // Such a program knows no depth.
        return Ok(Probed::default());
    }
    let (spec, guardian) = (spec.clone(), guardian.cloned());
    let (done, found) = oneshot::channel();
    let probing = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let probed = match runtime {
            Ok(runtime) => {
                LocalSet::new().block_on(&runtime, search_in_all(spec, slots.max(1), depth, guardian))
            }
            Err(why) => Err(host_failed(&why.to_string())),
        };
        let _ = done.send(probed);
    };
    // Engines must be asked on a thread of their own: the one of the caller serves a connection.
    let started = thread::Builder::new().name("probe".to_owned()).spawn(probing);
    started.map_err(|why| host_failed(&why.to_string()))?;
    found.await.map_err(|_| host_failed("the thread that probes has ended"))?
}

async fn search_in_all(
    spec: EngineSpec,
    slots: usize,
    depth: u32,
    guardian: Option<GuardianProgram>,
) -> Result<Probed, Refusal> {
    let launcher = Rc::new(Launcher::new(guardian.as_ref()).map_err(|why| host_failed(&why.to_string()))?);
    let (spec, warm) = (Rc::new(spec), Arc::new(Barrier::new(slots)));
    let searches: Vec<_> = (0..slots)
        .map(|_| {
            let (launcher, spec, warm) = (Rc::clone(&launcher), Rc::clone(&spec), Arc::clone(&warm));
            tokio::task::spawn_local(async move { search_in_one(&launcher, &spec, depth, &warm).await })
        })
        .collect();
    let mut found = Vec::with_capacity(slots);
    for search in searches {
        found.push(search.await.map_err(|why| host_failed(&why.to_string()))??);
    }
    Ok(Probed::of(&found))
}

/// The searches of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Searched {
    moves: Vec<(String, Option<u64>)>,
    took: Duration,
}

impl Probed {
    fn of(processes: &[Searched]) -> Self {
        let first = processes.first().cloned().unwrap_or_default();
        let agree = processes.iter().all(|searched| searched.moves == first.moves);
        let text: Vec<String> = first
            .moves
            .iter()
            .map(|(reply, nodes)| {
                format!("{reply} {}", nodes.map_or("-".to_owned(), |nodes| nodes.to_string()))
            })
            .collect();
        let speeds: Option<Vec<f64>> = processes.iter().map(Searched::speed).collect();
        let mean = speeds.filter(|speeds| !speeds.is_empty());
        Self {
            signature: (agree && !text.is_empty())
                .then(|| sha256_of(text.join("\n").as_bytes())[..16].to_owned()),
            nps: mean.map(|speeds| (speeds.iter().sum::<f64>() / speeds.len() as f64) as u64),
            took: first.took,
        }
    }
}

impl Searched {
    fn speed(&self) -> Option<f64> {
        let nodes: Option<u64> = self.moves.iter().map(|(_, nodes)| *nodes).sum();
        nodes.filter(|nodes| *nodes > 0).map(|nodes| nodes as f64 / self.took.as_secs_f64().max(1e-6))
    }
}

async fn search_in_one(
    launcher: &Launcher,
    spec: &EngineSpec,
    depth: u32,
    warm: &Barrier,
) -> Result<Searched, Refusal> {
    let started = start(launcher, spec).await;
    let warmed = match started {
        Ok(mut player) => match search(&mut player, POSITIONS[0], depth).await {
            Ok(_) => Ok(player),
            Err(refusal) => {
                player.shut_down(Fitness::Unfit).await;
                Err(refusal)
            }
        },
        Err(refusal) => Err(refusal),
    };
    // All slots arrive here, also those that failed: the others wait.
    warm.wait().await;
    let mut player = warmed?;
    let mut searched = Searched::default();
    for position in POSITIONS {
        match search(&mut player, position, depth).await {
            Ok((reply, nodes, took)) => {
                searched.moves.push((reply, nodes));
                searched.took += took;
            }
            Err(refusal) => {
                player.shut_down(Fitness::Unfit).await;
                return Err(refusal);
            }
        }
    }
    player.shut_down(Fitness::Fit).await;
    Ok(searched)
}

type ProbedPlayer = Player<crate::player::ProcessTransport>;

async fn start(launcher: &Launcher, spec: &EngineSpec) -> Result<ProbedPlayer, Refusal> {
    let no_arguments: [&str; 0] = [];
    let _permit = launcher.start_permit().await;
    let transport = launcher.launch(spec, &no_arguments, &[]).await.map_err(|error| match error {
        LaunchError::Program(_) => not_runnable(spec, &error.to_string()),
        LaunchError::Resources(_) => host_failed(&error.to_string()),
    })?;
    match Player::handshake(transport, spec).await {
        Ok(player) => Ok(player),
        Err((player, fault)) => {
            let printed = player.stderr_tail();
            let refusal = start_refusal(spec, &fault, printed.lines().find(|line| !line.trim().is_empty()));
            player.shut_down(Fitness::Unfit).await;
            Err(refusal)
        }
    }
}

fn start_refusal(spec: &EngineSpec, fault: &StartFault, printed: Option<&str>) -> Refusal {
    match fault {
        StartFault::Fault(PlayerFault::Crash { exit: Some(exit), .. }) if is_illegal_instruction(*exit) => {
            unknown_instruction(spec)
        }
        fault => {
            let printed = printed.map(|line| format!("; it printed `{line}`")).unwrap_or_default();
            not_runnable(spec, &format!("does not start: {fault}{printed}"))
        }
    }
}

async fn search(
    player: &mut ProbedPlayer,
    moves: &str,
    depth: u32,
) -> Result<(String, Option<u64>, Duration), Refusal> {
    let position = format!("position startpos moves {moves}");
    let position = position.as_bytes();
    let limits = ThinkLimits { depth: Some(depth), ..ThinkLimits::default() };
    let start =
        GameStart { castling: Castling::Standard, position, options: &[], side: Color::White, limits };
    player.new_game(&start).await.map_err(|fault| match fault {
        StartFault::Fault(fault) => failed(&fault),
        fault => misbehaved(&fault.to_string()),
    })?;
    player.ask(&Question { position, limits, last: None, draw: DrawOffer::None });
    match timeout(SEARCH_TIME, poll_fn(|cx| player.poll_answer(cx))).await {
        Ok(Ok(answer)) => Ok((answer.reply.as_str().to_owned(), answer.report.nodes, answer.took)),
        Ok(Err(broken)) => Err(failed(&player.diagnose(broken, CrashMoment::Thinking).await)),
        Err(_) => Err(Refusal {
            code: RefusalCode::Slow,
            why: format!("a search to depth {depth} takes longer than {} s", SEARCH_TIME.as_secs()),
        }),
    }
}

/// Returns the refusal that follows from a failure in a search.
fn failed(fault: &PlayerFault) -> Refusal {
    match fault {
        PlayerFault::Crash { exit: Some(exit), .. } if is_illegal_instruction(*exit) => {
            Refusal { code: RefusalCode::Target, why: unknown_instruction_text("an engine") }
        }
        fault => misbehaved(&fault.to_string()),
    }
}

/// SIGILL, or the status by which a sandbox reports it.
fn is_illegal_instruction(exit: ExitEvidence) -> bool {
    const SIGILL: i32 = nix::libc::SIGILL;
    matches!(exit, ExitEvidence::Signal(SIGILL)) || exit == ExitEvidence::Code(128 + SIGILL)
}

fn unknown_instruction(spec: &EngineSpec) -> Refusal {
    Refusal { code: RefusalCode::Target, why: unknown_instruction_text(&spec.name) }
}

fn unknown_instruction_text(name: &str) -> String {
    format!(
        "{name} uses instructions that this processor does not have (SIGILL); build it without target-cpu=native or \
         -march=native"
    )
}

fn not_runnable(spec: &EngineSpec, why: &str) -> Refusal {
    Refusal { code: RefusalCode::Target, why: format!("{} {why}", spec.name) }
}

fn misbehaved(why: &str) -> Refusal {
    Refusal { code: RefusalCode::Signature, why: format!("an engine fails in fixed positions: {why}") }
}

fn host_failed(why: &str) -> Refusal {
    Refusal { code: RefusalCode::Memory, why: format!("this machine cannot start engines: {why}") }
}

/// Refuses an engine that plays differently here than at the coordinator.
pub fn check_signature(name: &str, expected: Option<&str>, found: &Probed) -> Result<(), Refusal> {
    let why = match (expected, &found.signature) {
        (None, _) => return Ok(()),
        (Some(expected), Some(found)) if expected == found => return Ok(()),
        (Some(expected), Some(found)) => {
            format!("{name} has the signature {found} here instead of {expected}")
        }
        (Some(_), None) => format!("the processes of {name} disagree with each other here"),
    };
    Err(Refusal { code: RefusalCode::Signature, why })
}

/// Returns the factor for all times of this machine in millionths, from the speed of the baseline here and at the
/// coordinator; refuses a machine that is slower than `slowest` of the coordinator's.
pub fn scale_ppm(reference: Option<u64>, found: Option<u64>, slowest: f64) -> Result<Option<u32>, Refusal> {
    let Some((reference, found)) =
        reference.zip(found).filter(|(reference, found)| *reference > 0 && *found > 0)
    else {
        return Ok(None);
    };
    let speed = found as f64 / reference as f64;
    if speed < slowest {
        let why = format!(
            "this machine searches {found} nodes per second, {speed:.2} of the reference; the slowest allowed is \
             {slowest:.2}"
        );
        return Err(Refusal { code: RefusalCode::Slow, why });
    }
    // No machine is so fast that its times would vanish.
    Ok(Some((1e6 / speed).round().clamp(1e3, 1e9) as u32))
}

/// Notices that games are played at another speed than those right after the probe.
#[derive(Clone, Debug, Default)]
pub struct DriftWatch {
    first: Vec<f64>,
    latest: VecDeque<f64>,
}

impl DriftWatch {
    /// Notes the speed of the baseline in a game; returns whether the machine must be probed again.
    pub fn drifts(&mut self, nps: f64) -> bool {
        if self.first.len() < DRIFT_GAMES {
            self.first.push(nps);
            return false;
        }
        self.latest.push_back(nps);
        if self.latest.len() > DRIFT_GAMES {
            self.latest.pop_front();
        }
        let mean = |sum: f64| sum / DRIFT_GAMES as f64;
        let before = mean(self.first.iter().sum());
        self.latest.len() == DRIFT_GAMES && (mean(self.latest.iter().sum()) / before - 1.0).abs() > DRIFT
    }
}

/// Returns the nodes per second of an engine in a game; `None` if it did not report nodes or did not play.
pub(super) fn in_game(record: &GameRecord, engine: EngineIndex) -> Option<f64> {
    let black_begins = record.start_fen.split(' ').nth(1) == Some("b");
    let plays_white = record.white == engine;
    if !plays_white && record.black != engine {
        return None;
    }
    let own = |at: usize| (at.is_multiple_of(2) != black_begins) == plays_white;
    let moves =
        record.moves.iter().enumerate().filter(|(at, ply)| own(*at) && ply.source == MoveSource::Engine);
    let (nodes, micros) = moves.filter_map(|(_, ply)| Some((ply.nodes?, ply.time_us))).fold(
        (0, 0),
        |(nodes, micros): (u64, u64), (more, longer)| {
            (nodes.saturating_add(more), micros.saturating_add(longer))
        },
    );
    (nodes > 0 && micros > 0).then(|| nodes as f64 * 1e6 / micros as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveStyle, Position};

    #[test]
    fn every_probed_position_is_legal_and_white_to_move() {
        for moves in POSITIONS {
            let mut position = Position::startpos();
            for text in moves.split(' ') {
                let legal = position.parse_coordinate(text, MoveStyle::Standard);
                position = position.play(legal.unwrap_or_else(|why| panic!("{moves}: {why}")));
            }
            assert_eq!(moves.split(' ').count() % 2, 0, "{moves}");
        }
    }

    #[test]
    fn a_signature_needs_equal_processes_and_the_speed_is_their_mean() {
        let searched = |nodes: u64, ms| Searched {
            moves: vec![("e2e4".to_owned(), Some(nodes)), ("d2d4".to_owned(), Some(nodes))],
            took: Duration::from_millis(ms),
        };
        let equal = Probed::of(&[searched(1000, 1000), searched(1000, 500)]);
        assert_eq!(equal.nps, Some(3000));
        assert!(equal.signature.is_some());
        let different = Probed::of(&[searched(1000, 1000), searched(1001, 1000)]);
        assert_eq!(different.signature, None);
        assert_ne!(Probed::of(&[searched(1001, 1)]).signature, equal.signature);
        let silent = Searched { moves: vec![("e2e4".to_owned(), None)], took: Duration::from_secs(1) };
        assert_eq!(Probed::of(&[silent]).nps, None);
        assert!(check_signature("a", equal.signature.as_deref(), &equal).is_ok());
        assert!(check_signature("a", None, &different).is_ok());
        let refusal = check_signature("a", equal.signature.as_deref(), &different).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Signature);
    }

    #[test]
    fn times_grow_on_slow_machines_and_the_slowest_are_refused() {
        assert_eq!(scale_ppm(Some(1_000_000), Some(500_000), 0.4), Ok(Some(2_000_000)));
        assert_eq!(scale_ppm(Some(1_000_000), Some(2_000_000), 0.6), Ok(Some(500_000)));
        assert_eq!(scale_ppm(None, Some(1), 0.6), Ok(None));
        assert_eq!(scale_ppm(Some(1), None, 0.6), Ok(None));
        assert_eq!(scale_ppm(Some(0), Some(5), 0.6), Ok(None));
        let refusal = scale_ppm(Some(1_000_000), Some(590_000), 0.6).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Slow);
        assert!(refusal.why.contains("0.59"), "{}", refusal.why);
    }

    #[test]
    fn only_a_lasting_change_of_the_speed_is_a_drift() {
        let mut watch = DriftWatch::default();
        assert!((0..60).all(|game| !watch.drifts(1000.0 + f64::from(game % 5) * 20.0)));
        assert!((0..3).all(|_| !watch.drifts(500.0)), "a few slow games are none");
        assert!((0..20).any(|_| watch.drifts(800.0)));
        let mut watch = DriftWatch::default();
        (0..20).for_each(|_| assert!(!watch.drifts(1000.0)));
        assert!((0..20).any(|_| watch.drifts(1200.0)), "a machine that became faster drifts as well");
    }

    #[test]
    fn an_illegal_instruction_is_recognised_and_explained() {
        let spec = EngineSpec::uci("fish", "fish");
        let crash =
            |exit| StartFault::Fault(PlayerFault::Crash { during: CrashMoment::Startup, exit: Some(exit) });
        for exit in [ExitEvidence::Signal(4), ExitEvidence::Code(132)] {
            let refusal = start_refusal(&spec, &crash(exit), None);
            assert_eq!(refusal.code, RefusalCode::Target);
            assert!(refusal.why.contains("target-cpu=native"), "{}", refusal.why);
        }
        let refusal = start_refusal(&spec, &crash(ExitEvidence::Code(127)), Some("libfoo.so: cannot open"));
        assert!(refusal.why.contains("libfoo.so") && !refusal.why.contains("native"), "{}", refusal.why);
    }
}
