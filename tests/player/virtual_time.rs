//! Clocks, deadlines and late answers in virtual time, where they are exact.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use playself::chess::{ByColor, Color, MoveStyle, Position};
use playself::game::{
    AdjudicationRules, Contest, EngineBooks, GameHost, GameSetup, LivePly, PlayedGame, Spectator,
    TimeControl, play,
};
use playself::opening::Opening;
use playself::player::{
    BlockingReader, Castling, CpuUse, EngineSpec, ExitEvidence, Fitness, GameStart, LazyTimer, Player,
    ShutdownMode, ShutdownReport, ThinkLimits, Timeouts, Transport,
};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadBuf, duplex,
};
use tokio::time::{Instant, sleep};

const MS: Duration = Duration::from_millis(1);

/// An in-memory transport to an engine that is a task.
struct Memory(DuplexStream);

impl Transport for Memory {
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(into);
        Pin::new(&mut self.0).poll_read(cx, &mut buffer).map_ok(|()| buffer.filled().len())
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_exit(&mut self, _: &mut Context<'_>) -> Poll<ExitEvidence> {
        Poll::Pending
    }

    fn stderr_tail(&self) -> Vec<u8> {
        Vec::new()
    }

    fn cpu_use(&self) -> Option<CpuUse> {
        None
    }

    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    async fn shut_down(self, _: ShutdownMode, _: &Timeouts) -> ShutdownReport {
        ShutdownReport::default()
    }
}

/// A host that reports this delay of the harness at every query.
struct DelayedHost(Duration);

impl GameHost for DelayedHost {
    fn reader(&self) -> Option<&BlockingReader> {
        None
    }

    fn longest_delay_since(&self, _: Instant) -> Duration {
        self.0
    }

    fn delay_before(&self, _: Instant) -> Duration {
        self.0
    }
}

struct NoSpectator;

impl Spectator for NoSpectator {
    fn ply(&mut self, _: &LivePly<'_>) {}
}

/// An action of a scripted engine.
#[derive(Clone, Debug)]
enum Step {
    Write(&'static str),
    Move,
    Wait(Duration),
    /// Neither reads nor writes from then on.
    Freeze,
}

/// Lines that a scripted engine has received.
type Received = Rc<RefCell<Vec<String>>>;

/// An engine that answers `go` number n with `answer(n)` and `stop` with `stop`.
async fn engine(
    stream: DuplexStream,
    received: Received,
    mut answer: impl FnMut(u32) -> Vec<Step>,
    stop: Vec<Step>,
) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    let (mut position, mut goes) = (Position::startpos(), 0);
    while let Ok(Some(line)) = lines.next_line().await {
        received.borrow_mut().push(line.clone());
        let steps = match line.split(' ').next().unwrap_or_default() {
            "uci" => vec![Step::Write("option name Ponder type check default false\nuciok\n")],
            "isready" => vec![Step::Write("readyok\n")],
            "position" => {
                position = position_after(&line);
                Vec::new()
            }
            "go" if line.contains("ponder") => Vec::new(),
            "go" | "ponderhit" => {
                goes += 1;
                answer(goes)
            }
            "stop" => stop.clone(),
            _ => Vec::new(),
        };
        for step in steps {
            match step {
                Step::Write(text) => drop(write.write_all(text.as_bytes()).await),
                Step::Move => {
                    let mv = position.coordinate(position.legal_moves()[0], MoveStyle::Standard);
                    drop(write.write_all(format!("bestmove {mv}\n").as_bytes()).await);
                }
                Step::Wait(time) => sleep(time).await,
                Step::Freeze => std::future::pending().await,
            }
        }
    }
}

fn position_after(line: &str) -> Position {
    let (_, moves) = line.split_once("moves").unwrap_or((line, ""));
    moves.split_whitespace().fold(Position::startpos(), |position, word| {
        position.play(position.parse_coordinate(word, MoveStyle::Standard).unwrap())
    })
}

/// Result of a game, and the state of the scripted engine after it.
struct Result {
    played: PlayedGame,
    took: Duration,
    received: Received,
    fitness: Fitness,
    settled_after: Duration,
}

impl Result {
    fn line(&self) -> String {
        format!("{} {}", self.played.ending.result, self.played.ending.termination)
    }
}

struct Setting {
    limits: TimeControl,
    opponent: TimeControl,
    pipe: usize,
    stop: Vec<Step>,
    spec: EngineSpec,
    max_moves: u32,
    delay: Duration,
}

impl Setting {
    fn new(limits: TimeControl) -> Self {
        let spec = EngineSpec::uci("virtual", "none");
        let stop = vec![Step::Write("bestmove a2a3\n")];
        Self { limits, opponent: limits, pipe: 1 << 16, stop, spec, max_moves: 4, delay: Duration::ZERO }
    }
}

/// Plays a game of a scripted engine with White against one that answers at once.
async fn game(setting: Setting, answer: impl FnMut(u32) -> Vec<Step> + 'static) -> Result {
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async move {
            let (received, ignored) = (Received::default(), Received::default());
            let (near, far) = duplex(setting.pipe);
            tokio::task::spawn_local(engine(far, Rc::clone(&received), answer, setting.stop));
            let mut white =
                Player::handshake(Memory(near), &setting.spec).await.map_err(|(_, fault)| fault).unwrap();
            let (near, far) = duplex(1 << 16);
            tokio::task::spawn_local(engine(far, ignored, |_| vec![Step::Move], Vec::new()));
            let spec = EngineSpec::uci("instant", "none");
            let mut black = Player::handshake(Memory(near), &spec).await.map_err(|(_, fault)| fault).unwrap();
            white.new_game(&beginning(Color::White)).await.unwrap();
            black.new_game(&beginning(Color::Black)).await.unwrap();
            let setup = GameSetup::new(&Opening::start()).unwrap();
            let rules =
                AdjudicationRules { max_moves: Some(setting.max_moves), ..AdjudicationRules::default() };
            let limits = ByColor { white: setting.limits, black: setting.opponent };
            let books = EngineBooks::default();
            let contest = Contest { setup: &setup, limits, rules: &rules, tables: None, books };
            let begun = Instant::now();
            let played = play(
                [&mut white, &mut black],
                contest,
                &mut LazyTimer::new(),
                &DelayedHost(setting.delay),
                &mut NoSpectator,
            )
            .await;
            let took = begun.elapsed();
            let fitness = white.end_game("1-0 {test}").await;
            let settled_after = begun.elapsed() - took;
            Result { played, took, received, fitness, settled_after }
        })
        .await
}

fn beginning(side: Color) -> GameStart<'static> {
    GameStart {
        castling: Castling::Standard,
        position: b"position startpos",
        options: &[],
        side,
        limits: ThinkLimits::default(),
    }
}

fn clock(text: &str, margin_ms: u64) -> TimeControl {
    TimeControl { margin_ms, ..TimeControl::clock(text.parse().unwrap()) }
}

#[tokio::test(start_paused = true)]
async fn a_hang_forfeits_at_the_deadline_and_gets_one_stop() {
    let result =
        game(Setting::new(clock("1", 50)), |go| if go < 3 { vec![Step::Move] } else { Vec::new() }).await;
    assert_eq!(result.line(), "0-1 time_forfeit");
    assert_eq!(result.took, 1051 * MS, "row 7: to the tick");
    assert_eq!(result.received.borrow().iter().filter(|line| *line == "stop").count(), 1);
    assert_eq!(result.fitness, Fitness::Fit, "the engine answered stop");
}

#[tokio::test(start_paused = true)]
async fn a_hang_without_a_clock_ends_at_the_move_cap() {
    let result = game(Setting::new(TimeControl::nodes(5)), |_| Vec::new()).await;
    assert_eq!(result.line(), "0-1 stall(no bestmove)", "row 8");
    assert_eq!(result.took, Duration::from_secs(300));
}

#[tokio::test(start_paused = true)]
async fn a_move_that_is_repeated_without_a_clock_loses_long_before_the_move_cap() {
    let start = Position::startpos();
    let first = start.coordinate(start.legal_moves()[0], MoveStyle::Standard);
    let again: &'static str = Box::leak(format!("bestmove {first}\n").into_boxed_str());
    let result = game(Setting::new(TimeControl::nodes(5)), move |go| {
        vec![Step::Wait(100 * MS), if go == 1 { Step::Move } else { Step::Write(again) }]
    })
    .await;
    assert_eq!(result.line(), format!("0-1 illegal_move:{first}"));
    // The first answer after 100 ms; then 5 s and 20 times the first search from the second question on.
    assert_eq!(result.took, 7100 * MS);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_ignores_stop_frees_its_slot_within_the_stop_timeout() {
    let result = game(Setting { stop: Vec::new(), ..Setting::new(clock("1", 0)) }, |_| Vec::new()).await;
    assert_eq!((result.line().as_str(), result.fitness), ("0-1 time_forfeit", Fitness::Unfit), "row 13");
    assert_eq!(result.settled_after, Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn the_clock_is_exact_at_its_boundary() {
    for (over, expected) in [(-1, "1/2-1/2 max_moves"), (0, "1/2-1/2 max_moves"), (1, "0-1 time_forfeit")] {
        let wait = Duration::from_millis((1050 + over) as u64);
        let setting = Setting { max_moves: 1, ..Setting::new(clock("1", 50)) };
        let result = game(setting, move |_| vec![Step::Wait(wait), Step::Move]).await;
        assert_eq!(result.line(), expected, "row 31: {over} ms past clock and margin");
    }
}

#[tokio::test(start_paused = true)]
async fn time_of_the_next_period_does_not_cover_the_last_move_of_this_one() {
    // Two moves a second: 600 ms and 401 ms overrun by one, 600 ms and 400 ms do not.
    for (second, expected) in [(400, "1/2-1/2 max_moves"), (401, "0-1 time_forfeit")] {
        let result = game(Setting::new(clock("2/1", 0)), move |go| {
            let think = if go == 1 {
                600
            } else if go == 2 {
                second
            } else {
                0
            };
            vec![Step::Wait(think * MS), Step::Move]
        })
        .await;
        assert_eq!(result.line(), expected, "row 32: second move after {second} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn info_lines_do_not_extend_a_deadline() {
    let result = game(Setting::new(clock("1", 0)), |_| {
        (0..2000).flat_map(|_| [Step::Wait(MS), Step::Write("info depth 1 score cp 1\n")]).collect()
    })
    .await;
    assert_eq!((result.line().as_str(), result.took), ("0-1 time_forfeit", 1001 * MS), "row 24");
}

#[tokio::test(start_paused = true)]
async fn a_late_bestmove_is_discarded_behind_a_barrier() {
    let setting = Setting::new(clock("1", 0));
    let result = game(setting, |_| vec![Step::Wait(2500 * MS), Step::Move]).await;
    assert_eq!((result.line().as_str(), result.fitness), ("0-1 time_forfeit", Fitness::Fit), "row 28");
    assert_eq!(result.settled_after, 1499 * MS, "the late move arrived and was dropped");
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_stops_reading_stalls_on_its_input() {
    let mut setting = Setting { pipe: 64, ..Setting::new(TimeControl::nodes(1)) };
    setting.max_moves = 50;
    setting.spec.timeouts.write = Duration::from_secs(3);
    let result =
        game(setting, |go| if go < 10 { vec![Step::Move] } else { vec![Step::Move, Step::Freeze] }).await;
    assert_eq!(result.line(), "0-1 stall(stdin)", "row 41");
    assert_eq!(result.took, Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn after_an_unsolicited_line_every_go_follows_a_barrier() {
    let result = game(Setting::new(TimeControl::nodes(1)), |go| {
        if go == 2 { vec![Step::Move, Step::Write("bestmove h2h4\n")] } else { vec![Step::Move] }
    })
    .await;
    assert_eq!(result.line(), "1/2-1/2 max_moves", "row 27");
    let received = result.received.borrow();
    let game_start = received.iter().position(|line| line == "ucinewgame").unwrap();
    let readies = received[game_start..].iter().filter(|line| *line == "isready").count();
    assert_eq!(
        readies, 3,
        "one for the game, one before each of the two moves after the anomaly: {received:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_remaining_time_is_sent_and_recorded() {
    let result = game(Setting::new(clock("10+0.5", 0)), |_| vec![Step::Wait(250 * MS), Step::Move]).await;
    let ply = &result.played.plies[0];
    assert_eq!((ply.time_us, ply.clock_left_us), (250_000, Some(10_250_000)));
    let received = result.received.borrow();
    let goes: Vec<_> = received.iter().filter(|line| line.starts_with("go")).collect();
    assert_eq!(goes[0], "go wtime 10000 btime 10000 winc 500 binc 500");
    assert_eq!(goes[1], "go wtime 10250 btime 10500 winc 500 binc 500");
}

#[tokio::test(start_paused = true)]
async fn an_engine_without_a_clock_learns_nothing_of_that_of_its_opponent() {
    for (limits, opponent, expected) in [
        (TimeControl::nodes(300), clock("10+0.5", 0), "go nodes 300"),
        (TimeControl::movetime(20), clock("10+0.5", 0), "go movetime 20"),
        (clock("10+0.5", 0), TimeControl::nodes(300), "go wtime 10000 winc 500"),
    ] {
        let setting = Setting { opponent, ..Setting::new(limits) };
        let result = game(setting, |_| vec![Step::Move]).await;
        let received = result.received.borrow();
        let go = received.iter().find(|line| line.starts_with("go"));
        assert_eq!(go.map(String::as_str), Some(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn pondering_ends_by_ponderhit_or_stop_and_only_own_time_is_charged() {
    // The opponent always plays its first legal move; the ponder move is right once and wrong once.
    let replies = position_after("position startpos moves a2a3").legal_moves();
    let [right, wrong] =
        [0, 1].map(|index| Position::startpos().coordinate(replies[index], MoveStyle::Standard));
    for (ponder, word, billed) in [(right, "ponderhit", 40), (wrong, "stop", 40)] {
        let mut setting = Setting { max_moves: 2, ..Setting::new(clock("10", 0)) };
        setting.spec.ponder = playself::player::Pondering::On;
        let text: &'static str = format!("bestmove a2a3 ponder {ponder}\n").leak();
        let result = game(setting, move |go| {
            if go == 1 { vec![Step::Write(text)] } else { vec![Step::Wait(40 * MS), Step::Move] }
        })
        .await;
        let received = result.received.borrow();
        assert!(received.iter().any(|line| line == "setoption name Ponder value true"), "{received:?}");
        assert!(
            received.iter().any(|line| line.starts_with("go ponder") || line.ends_with(" ponder")),
            "{received:?}"
        );
        assert!(received.iter().any(|line| line == word), "{ponder}: {received:?}");
        // After `ponderhit` the engine answers for the position that it was pondering on.
        assert_eq!(result.line(), "1/2-1/2 max_moves", "{ponder}: {received:?}");
        assert_eq!(result.played.plies[2].time_us, billed * 1000, "{ponder}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_forfeit_needs_a_delay_longer_than_that_of_the_harness() {
    let limits = TimeControl { margin_ms: 10, ..TimeControl::movetime(100) };
    for (delay, in_time) in [(0, false), (15, false), (25, true), (1000, true)] {
        let setting = Setting { delay: delay * MS, ..Setting::new(limits) };
        let result = game(setting, |_| vec![Step::Wait(130 * MS), Step::Move]).await;
        let flagged = result.line().contains("time");
        assert_eq!(!flagged, in_time, "delay of {delay} ms: {}", result.line());
        // A recorded move is within its time, or the record would show a time forfeit.
        assert!(result.played.plies.iter().all(|ply| ply.time_us <= 110_000));
    }
}
