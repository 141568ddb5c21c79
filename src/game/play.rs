//! Playing one game: asking for moves, waiting, judging and recording.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{ByColor, Color, Move, Position};
use crate::game::setup::PositionCommand;
use crate::game::{
    AdjudicationRules, Clock, Ending, EngineBooks, GameSetup, MoveSource, PlyRecord, Referee, TableJudge,
    TimeControl, TimeEvidence,
};
use crate::player::{
    Answer, BlockingReader, BrokenConnection, CpuUse, CrashMoment, DrawOffer, ExitEvidence, LazyTimer,
    MoveReply, MoveText, Player, PlayerFault, Question, StallPoint, ThinkLimits, Transport,
};

/// Delays of the thread that plays a game.
pub trait GameHost {
    /// Returns the longest delay of this thread since then.
    fn longest_delay_since(&self, since: Instant) -> Duration;

    /// Returns for how long before `at` this thread was delayed: output read at that time may have been unread for
    /// that long.
    fn delay_before(&self, at: Instant) -> Duration;

    /// Returns the reader of a thread that may block on its engines.
    fn reader(&self) -> Option<&BlockingReader>;
}

/// An observer of a game in progress. Called after every move, so it must be fast.
pub trait Spectator {
    /// Called after a move.
    fn ply(&mut self, ply: &LivePly<'_>);

    /// Whether the next call needs the dialogue with the engines, which takes time to copy.
    fn wants_dialogue(&self) -> bool {
        false
    }
}

/// A move just made.
#[derive(Clone, Copy, Debug)]
pub struct LivePly<'a> {
    /// Position after the move.
    pub position: &'a Position,
    /// All half-moves of the game so far, including the opening and this one.
    pub plies: &'a [PlyRecord],
    /// Time left on each clock.
    pub clocks: ByColor<Option<Duration>>,
    /// When the move was made.
    pub at: Instant,
    /// The last lines to and from the engine of each side, if they were asked for.
    pub dialogue: Option<&'a ByColor<Vec<String>>>,
}

/// Conditions of a game.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// Opening.
    pub setup: &'a GameSetup,
    /// Limits of each side.
    pub limits: ByColor<TimeControl>,
    /// Adjudication rules.
    pub rules: &'a AdjudicationRules,
    /// Endgame tables that end games.
    pub tables: Option<&'a TableJudge>,
    /// Books from which moves are made for the engines.
    pub books: EngineBooks<'a>,
}

/// A finished game, before its sides are mapped to engines.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Result and reason.
    pub ending: Ending,
    /// All half-moves.
    pub plies: Vec<PlyRecord>,
    /// Side that made the first move after the opening.
    pub first_mover: Color,
    /// Circumstances of the failure that ended the game.
    pub anomaly: Option<Anomaly>,
    /// The last engine move and the position in which it was made.
    pub last: Option<(Position, Move)>,
}

/// Circumstances of an engine failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// Side that failed.
    pub side: Color,
    /// How the process ended, if it did.
    pub exit: Option<ExitEvidence>,
    /// How the time was spent, on a time loss.
    pub time: Option<TimeEvidence>,
    /// Position on the board.
    pub fen: String,
    /// The `position` command that leads to it.
    pub position: String,
}

/// Plays one game to its end, White's player first. Returns whatever the engines do; dropping the future abandons the
/// game at once.
pub async fn play<T: Transport>(
    players: [&mut Player<T>; 2],
    contest: Contest<'_>,
    timer: &mut LazyTimer,
    host: &dyn GameHost,
    spectator: &mut dyn Spectator,
) -> PlayedGame {
    let mut referee =
        Referee::new(contest.setup.start, contest.rules.clone()).with_tables(contest.tables.cloned());
    let mut plies = Vec::with_capacity(256);
    for &(mv, text) in &contest.setup.book {
        referee.play_book_move(mv);
        plies.push(book_ply(text, MoveSource::Book));
    }
    let mut game = ActiveGame {
        players,
        command: contest.setup.command(),
        clocks: ByColor::new_with(|color| Clock::new(contest.limits[color])),
        contest,
        referee,
        plies,
        expected_reply: None,
        moved_at: Instant::now(),
        extension: Duration::ZERO,
        cpu_samples: ByColor::new_with(|_| None),
    };
    let (ending, anomaly) = game.play_to_end(timer, host, spectator).await;
    disarm_timer(host);
    let last = last_move(&game.referee, contest.setup).map(|(before, mv)| (*before, mv));
    PlayedGame { ending, plies: game.plies, first_mover: contest.setup.first.turn(), anomaly, last }
}

type Conclusion = (Ending, Option<Anomaly>);

/// A game in progress.
struct ActiveGame<'a, T> {
    players: [&'a mut Player<T>; 2],
    contest: Contest<'a>,
    referee: Referee,
    clocks: ByColor<Clock>,
    command: PositionCommand,
    plies: Vec<PlyRecord>,
    /// The reply that the last mover expects, for pondering.
    expected_reply: Option<MoveText>,
    /// When the last move was read.
    moved_at: Instant,
    /// Time added to the mover's allowance because this thread was delayed.
    extension: Duration,
    /// Processor use of each engine at its last sample, taken shortly before a question.
    cpu_samples: ByColor<Option<(Instant, CpuUse)>>,
}

/// Maximum age of a sample of processor use. A sample takes a few microseconds, which is too much for games whose
/// moves take no longer than that.
const CPU_SAMPLE_LIFETIME: Duration = Duration::from_millis(5);

/// Result of waiting for a move.
enum ThinkOutcome {
    Answer(Answer),
    MoverBroke(BrokenConnection),
    OpponentBroke(BrokenConnection),
    TimedOut,
}

impl<T: Transport> ActiveGame<'_, T> {
    async fn play_to_end(
        &mut self,
        timer: &mut LazyTimer,
        host: &dyn GameHost,
        spectator: &mut dyn Spectator,
    ) -> Conclusion {
        if let Some(ending) = self.referee.verdict() {
            return (ending, None);
        }
        loop {
            let mover = self.referee.position().turn();
            let played = match self.contest.books.choose(self.referee.line()) {
                Some(mv) => self.play_from_book(mover, mv, host).await,
                None => self.turn(mover, timer, host).await,
            };
            match played {
                ControlFlow::Break(verdict) => return verdict,
                ControlFlow::Continue(ended) => {
                    self.notify(spectator);
                    if let Some(ending) = ended {
                        return (ending, None);
                    }
                }
            }
        }
    }

    /// Makes a move of its book for an engine, on no clock and without an evaluation.
    async fn play_from_book(
        &mut self,
        mover: Color,
        mv: Move,
        host: &dyn GameHost,
    ) -> ControlFlow<Conclusion, Option<Ending>> {
        disarm_timer(host);
        // A draw offer that was not answered lapses.
        self.players[(!mover).index()].take_draw_offer();
        let last = last_move(&self.referee, self.contest.setup);
        let own = (self.referee.position(), mv);
        if let Err(fault) = self.players[mover.index()].play_for(last, own).await {
            return ControlFlow::Break(self.fault(mover, fault));
        }
        let text = self.coordinate_text(mv);
        self.command.push(text);
        self.plies.push(book_ply(text, MoveSource::EngineBook));
        self.expected_reply = None;
        self.moved_at = Instant::now();
        self.referee.play_book_move(mv);
        ControlFlow::Continue(self.referee.verdict())
    }

    /// Plays one half-move. Continues with the ending that the rules give it, if any; breaks if an engine failed.
    async fn turn(
        &mut self,
        mover: Color,
        timer: &mut LazyTimer,
        host: &dyn GameHost,
    ) -> ControlFlow<Conclusion, Option<Ending>> {
        if self.players[mover.index()].needs_preparation() {
            disarm_timer(host);
            if let Err(fault) = self.prepare(mover).await {
                return ControlFlow::Break(self.fault(mover, fault));
            }
        }
        self.sample_cpu_use(mover);
        let limits = self.limits(mover);
        let last = last_move(&self.referee, self.contest.setup);
        let draw = self.players[(!mover).index()].take_draw_offer();
        let question = Question { position: self.command.as_bytes(), limits, last, draw };
        let grace = self.players[mover.index()].ask(&question);
        self.start_pondering(!mover);
        let allowance = self.clocks[mover].allowance();
        let cap = self.players[mover.index()].move_cap();
        // One millisecond more than allowed, so that a move that arrives exactly in time is read before the timer
        // fires.
        let wait = allowance.map_or(cap, |allowed| allowed + grace + Duration::from_millis(1));
        let mut outcome = self.think(mover, timer, wait, host).await;
        if let ThinkOutcome::Answer(answer) = &outcome
            && self.is_repeated_answer(mover, answer)
        {
            let repeated = answer.reply.clone();
            self.players[mover.index()].discard_answer();
            let wait = allowance.map_or_else(|| cap.min(self.repeat_timeout()), |_| wait);
            outcome = self.think(mover, timer, wait, host).await;
            if let ThinkOutcome::TimedOut = outcome {
                // The answer was not a repetition after all.
                let ending = Referee::illegal_move(mover, repeated.as_str());
                return ControlFlow::Break((ending, Some(self.anomaly(mover, None, None))));
            }
        }
        match outcome {
            ThinkOutcome::Answer(answer) => self.answer(mover, &answer, grace, host),
            ThinkOutcome::MoverBroke(end) => {
                let fault = self.players[mover.index()].diagnose(end, CrashMoment::Thinking).await;
                ControlFlow::Break(self.fault(mover, fault))
            }
            ThinkOutcome::OpponentBroke(end) => {
                let fault = self.players[(!mover).index()].diagnose(end, CrashMoment::Idle).await;
                ControlFlow::Break(self.fault(!mover, fault))
            }
            ThinkOutcome::TimedOut => ControlFlow::Break(self.timed_out(mover, host)),
        }
    }

    /// Returns how long the answer behind a repeated one is waited for without a clock: many times as long as the mover's
    /// longest search so far. The limit for a single move is for engines that are still searching.
    fn repeat_timeout(&self) -> Duration {
        const LEAST: Duration = Duration::from_secs(5);
        const SEARCHES: u32 = 20;
        let own = self.plies.iter().rev().skip(1).step_by(2).filter(|ply| ply.source == MoveSource::Engine);
        let longest = own.map(|ply| ply.time_us).max().unwrap_or(0);
        LEAST + SEARCHES * Duration::from_micros(longest)
    }

    /// Returns whether an answer most likely repeats the mover's previous one: a move sent twice, the second time too
    /// late to be read before the new question. It names the same move, which is not legal any more.
    fn is_repeated_answer(&self, mover: Color, answer: &Answer) -> bool {
        let own_last = self.plies.iter().nth_back(1);
        let player = &self.players[mover.index()];
        own_last
            .is_some_and(|ply| ply.source == MoveSource::Engine && answer.reply == MoveReply::Move(ply.mv))
            && player.is_uci()
            && player.read_move(self.referee.position(), &answer.reply, self.contest.setup.castling).is_none()
    }

    async fn prepare(&mut self, mover: Color) -> Result<(), PlayerFault> {
        let limits = self.limits(mover);
        let question =
            Question { position: self.command.as_bytes(), limits, last: None, draw: DrawOffer::None };
        let played = self.plies.last().map(|ply| ply.mv);
        self.players[mover.index()].prepare(&question, played).await
    }

    /// Waits for the mover's answer while watching the opponent's pipe and the deadline.
    async fn think(
        &mut self,
        mover: Color,
        timer: &mut LazyTimer,
        wait: Duration,
        host: &dyn GameHost,
    ) -> ThinkOutcome {
        let [white, black] = &mut self.players;
        let (mover, opponent) = if mover == Color::White { (white, black) } else { (black, white) };
        let extension = &mut self.extension;
        *extension = Duration::ZERO;
        let mut reader = host.reader();
        poll_fn(|cx| {
            if let Some(reader) = reader.take()
                && let Err(end) = mover.block_for_answer(reader, cx)
            {
                return Poll::Ready(ThinkOutcome::MoverBroke(end));
            }
            if let Poll::Ready(outcome) = poll_mover(mover, cx) {
                return Poll::Ready(outcome);
            }
            if let Poll::Ready(end) = opponent.poll_idle(cx) {
                return Poll::Ready(ThinkOutcome::OpponentBroke(end));
            }
            let wait = if mover.is_sending() { wait.min(mover.write_limit()) } else { wait };
            loop {
                ready!(timer.poll_at(mover.asked_at() + wait + *extension, cx));
                // Data in the pipe counts even if the runtime has not reported it yet.
                mover.read_available(cx);
                if let Poll::Ready(outcome) = poll_mover(mover, cx) {
                    return Poll::Ready(outcome);
                }
                // If the machine did not let this thread run, it did not let the engine run either.
                let now = Instant::now();
                let delay = host.delay_before(now);
                if delay <= *extension || now >= mover.asked_at() + wait + delay {
                    return Poll::Ready(ThinkOutcome::TimedOut);
                }
                *extension = delay;
            }
        })
        .await
    }

    /// Judges an answer: first its time, then its legality, then its effect on the game.
    fn answer(
        &mut self,
        mover: Color,
        answer: &Answer,
        grace: Duration,
        host: &dyn GameHost,
    ) -> ControlFlow<Conclusion, Option<Ending>> {
        let allowance = self.clocks[mover].allowance();
        // Time covered by a start-up grace is not on the clock, and a flag only falls if the engine exceeds the delay
        // of this thread too.
        let charged = match allowance {
            Some(allowed) if answer.took > allowed => {
                let excused = grace + self.extension.max(host.delay_before(answer.at));
                if answer.took <= allowed + excused { allowed } else { answer.took }
            }
            _ => answer.took,
        };
        if let Err(overrun) = self.clocks[mover].charge(charged) {
            let ending = self.referee.flag_fall(mover, overrun.0.as_micros() as u64);
            let time = self.time_evidence(mover, answer.took, allowance, answer.report.time, host);
            return ControlFlow::Break((ending, Some(self.anomaly(mover, None, Some(time)))));
        }
        match answer.reply {
            MoveReply::Resigns => return ControlFlow::Break((Referee::resignation(mover), None)),
            MoveReply::AcceptsDraw => return ControlFlow::Break((Referee::agreed_draw(), None)),
            MoveReply::Move(_) | MoveReply::Other(_) => {}
        }
        let position = self.referee.position();
        let player = &self.players[mover.index()];
        let Some(mv) = player.read_move(position, &answer.reply, self.contest.setup.castling) else {
            let ending = Referee::illegal_move(mover, answer.reply.as_str());
            return ControlFlow::Break((ending, Some(self.anomaly(mover, None, None))));
        };
        let score = player.own_score(answer.report.score, mover);
        let text = self.recorded_text(mv, &answer.reply);
        self.command.push(text);
        self.plies.push(PlyRecord {
            mv: text,
            source: MoveSource::Engine,
            time_us: charged.as_micros() as u64,
            clock_left_us: self.clocks[mover].left().map(|left| left.as_micros() as u64),
            score,
            depth: answer.report.depth,
            seldepth: answer.report.seldepth,
            nodes: answer.report.nodes,
            extra: answer.extra.clone(),
        });
        self.expected_reply = answer.ponder;
        self.moved_at = answer.at;
        ControlFlow::Continue(self.referee.observe(mv, score))
    }

    /// Returns the move as records and UCI engines write it. The reply of a UCI engine is already in that form.
    fn recorded_text(&self, mv: Move, reply: &MoveReply) -> MoveText {
        match reply {
            MoveReply::Move(text) if self.players[self.referee.position().turn().index()].is_uci() => *text,
            _ => self.coordinate_text(mv),
        }
    }

    fn coordinate_text(&self, mv: Move) -> MoveText {
        let text = self.referee.position().coordinate(mv, self.contest.setup.castling.style());
        MoveText::new(&text).expect("a coordinate move is at most five characters")
    }

    /// Returns the verdict on a move that did not arrive.
    fn timed_out(&self, mover: Color, host: &dyn GameHost) -> Conclusion {
        if self.players[mover.index()].is_sending() {
            return self.fault(mover, PlayerFault::Stall(StallPoint::Stdin));
        }
        match self.clocks[mover].allowance() {
            Some(allowed) => {
                let waited = self.players[mover.index()].asked_at().elapsed();
                let over = waited.saturating_sub(allowed);
                let time = self.time_evidence(mover, waited, Some(allowed), None, host);
                let ending = self.referee.flag_fall(mover, over.as_micros() as u64);
                (ending, Some(self.anomaly(mover, None, Some(time))))
            }
            None => self.fault(mover, PlayerFault::Stall(StallPoint::Bestmove)),
        }
    }

    fn fault(&self, loser: Color, fault: PlayerFault) -> Conclusion {
        let exit = match fault {
            PlayerFault::Crash { exit, .. } => exit,
            PlayerFault::Stall(_) | PlayerFault::Protocol(_) => None,
        };
        (Referee::fault(loser, fault), Some(self.anomaly(loser, exit, None)))
    }

    fn anomaly(&self, side: Color, exit: Option<ExitEvidence>, time: Option<TimeEvidence>) -> Anomaly {
        let fen = self.referee.position().to_fen();
        Anomaly { side, exit, time, fen, position: self.command.to_string() }
    }

    fn time_evidence(
        &self,
        mover: Color,
        measured: Duration,
        allowed: Option<Duration>,
        reported: Option<Duration>,
        host: &dyn GameHost,
    ) -> TimeEvidence {
        let micros = |time: Duration| time.as_micros() as u64;
        let now = self.players[mover.index()].transport().cpu_use();
        let cpu = now.zip(self.cpu_samples[mover]).map(|(now, (_, before))| now.since(before));
        TimeEvidence {
            measured_us: micros(measured),
            allowed_us: allowed.map_or(0, micros),
            engine_reported_us: reported.map(micros),
            host_delay_us: micros(host.longest_delay_since(self.players[mover.index()].asked_at())),
            engine_cpu_us: cpu.map(|cpu| micros(cpu.running)),
            engine_runqueue_us: cpu.map(|cpu| micros(cpu.waiting)),
        }
    }

    /// Samples the processor use of the mover if the next move can be lost on time.
    fn sample_cpu_use(&mut self, mover: Color) {
        let fresh = self.cpu_samples[mover]
            .is_some_and(|(at, _)| self.moved_at.duration_since(at) < CPU_SAMPLE_LIFETIME);
        if fresh || self.clocks[mover].allowance().is_none() {
            return;
        }
        let used = self.players[mover.index()].transport().cpu_use();
        self.cpu_samples[mover] = used.map(|used| (self.moved_at, used));
    }

    /// Returns the limits to send to `mover`. An engine without a clock learns nothing of its opponent's: some engines then
    /// manage their own time, of which they have none.
    fn limits(&self, mover: Color) -> ThinkLimits {
        let control = self.clocks[mover].control();
        let is_timed = control.clock.is_some();
        let increments = |color| self.contest.limits[color].clock.map(|rule| rule.increment);
        ThinkLimits {
            time: ByColor::new_with(|color| self.clocks[color].left().filter(|_| is_timed)),
            increment: ByColor::new_with(|color| increments(color).filter(|_| is_timed)),
            moves_to_go: self.clocks[mover].moves_to_go(),
            depth: control.depth,
            nodes: control.nodes,
            movetime: control.movetime_ms.map(Duration::from_millis),
        }
    }

    /// Lets the engine that has just moved ponder, if the reply it expects is legal.
    fn start_pondering(&mut self, side: Color) {
        let Some(expected) = self.expected_reply.take() else { return };
        let style = self.contest.setup.castling.style();
        if self.referee.position().parse_coordinate(expected.as_str(), style).is_err() {
            return;
        }
        let mut command = self.command.clone();
        command.push(expected);
        let limits = self.limits(side);
        let question = Question { position: command.as_bytes(), limits, last: None, draw: DrawOffer::None };
        self.players[side.index()].ponder(&question, expected);
    }

    fn notify(&self, spectator: &mut dyn Spectator) {
        let lines = |color: Color| last_lines(self.players[color.index()].transcript());
        let dialogue = spectator.wants_dialogue().then(|| ByColor::new_with(lines));
        spectator.ply(&LivePly {
            position: self.referee.position(),
            plies: &self.plies,
            clocks: ByColor::new_with(|color| self.clocks[color].left()),
            at: self.moved_at,
            dialogue: dialogue.as_ref(),
        });
    }
}

/// Returns the last lines of a dialogue, each cut to a readable length.
fn last_lines(mut lines: Vec<String>) -> Vec<String> {
    const LINES: usize = 12;
    const LETTERS: usize = 160;
    lines.drain(..lines.len().saturating_sub(LINES));
    for line in &mut lines {
        if let Some((cut, _)) = line.char_indices().nth(LETTERS) {
            line.truncate(cut);
            line.push('…');
        }
    }
    lines
}

/// Disarms the timer of the blocking reader before a wait that may be long and does not block.
fn disarm_timer(host: &dyn GameHost) {
    if let Some(reader) = host.reader() {
        reader.disarm();
    }
}

/// Polls for the mover's answer or the end of its connection.
fn poll_mover<T: Transport>(mover: &mut Player<T>, cx: &mut Context<'_>) -> Poll<ThinkOutcome> {
    mover.poll_answer(cx).map(|answer| match answer {
        Ok(answer) => ThinkOutcome::Answer(answer),
        Err(end) => ThinkOutcome::MoverBroke(end),
    })
}

/// Returns the last engine move and the position in which it was made; `None` before the first.
fn last_move<'a>(referee: &'a Referee, setup: &GameSetup) -> Option<(&'a Position, Move)> {
    let line = referee.line();
    let mv = *line.moves().get(setup.book.len()..)?.last()?;
    line.positions().nth_back(1).map(|before| (before, mv))
}

/// Returns the half-moves of an opening.
pub fn opening_plies(setup: &GameSetup) -> Vec<PlyRecord> {
    setup.book_moves().map(|mv| book_ply(mv, MoveSource::Book)).collect()
}

fn book_ply(mv: MoveText, source: MoveSource) -> PlyRecord {
    PlyRecord {
        mv,
        source,
        time_us: 0,
        clock_left_us: None,
        score: None,
        depth: None,
        seldepth: None,
        nodes: None,
        extra: None,
    }
}
