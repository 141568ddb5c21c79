//! The playing of one game: asks, waits, judges, writes down.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{ByColor, Color, Move, Position};
use crate::game::setup::PositionCommand;
use crate::game::{
    AdjudicationRules, Clock, Ending, GameSetup, MoveSource, PlyRecord, Referee, TimeControl, TimeEvidence,
};
use crate::player::{
    Answer, BlockingReader, BrokenConnection, CpuUse, CrashMoment, ExitEvidence, LazyTimer, MoveReply,
    MoveText, Player, PlayerFault, Question, Score, StallPoint, ThinkLimits, Transport,
};

/// What the host knows about its own delays.
pub trait GameHost {
    /// The longest our thread was kept from running since then.
    fn longest_delay_since(&self, since: Instant) -> Duration;

    /// How long before `heard` our thread had not been listening: what was heard then may have lain unread that long.
    fn delay_before(&self, heard: Instant) -> Duration;

    /// The reader of a thread that may wait for engines on the spot.
    fn reader(&self) -> Option<&BlockingReader>;
}

/// Whoever watches a game as it is played. Called after every move, so it must be quick.
pub trait Spectator {
    /// A move was made.
    fn ply(&mut self, ply: &LivePly<'_>);
}

/// A move just made, for those who watch.
#[derive(Clone, Copy, Debug)]
pub struct LivePly<'a> {
    /// The position after it.
    pub position: &'a Position,
    /// The move.
    pub mv: MoveText,
    /// How many half-moves the game has, the opening's included.
    pub plies: usize,
    /// What each clock shows.
    pub clocks: ByColor<Option<Duration>>,
    /// From the mover's side.
    pub score: Option<Score>,
    /// When it was made.
    pub at: Instant,
}

/// What a game is played under.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// Where it starts.
    pub setup: &'a GameSetup,
    /// Each side's limits.
    pub limits: ByColor<TimeControl>,
    /// When it ends early.
    pub rules: &'a AdjudicationRules,
}

/// A game that has ended, before anybody has put a name to its sides.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Result and reason.
    pub ending: Ending,
    /// Every half-move.
    pub plies: Vec<PlyRecord>,
    /// Who made the first one that no book made.
    pub first_mover: Color,
    /// What is known about the failure that ended it.
    pub anomaly: Option<Anomaly>,
    /// The last move and the position it was made in.
    pub last: Option<(Position, Move)>,
}

/// The circumstances of an engine's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// Who failed.
    pub side: Color,
    /// How its process ended, if it did.
    pub exit: Option<ExitEvidence>,
    /// Where its time went, on a time loss.
    pub time: Option<TimeEvidence>,
    /// The position on the board.
    pub fen: String,
    /// The command that reaches it.
    pub position: String,
}

/// Plays one game to its end. White's player first. Whatever an engine does, this returns; dropping it abandons the
/// game at once.
pub async fn play<T: Transport>(
    players: [&mut Player<T>; 2],
    contest: Contest<'_>,
    alarm: &mut LazyTimer,
    host: &dyn GameHost,
    spectator: &mut dyn Spectator,
) -> PlayedGame {
    let mut referee = Referee::new(contest.setup.start, contest.rules.clone());
    let mut plies = Vec::with_capacity(256);
    for &(mv, text) in &contest.setup.book {
        referee.play_book_move(mv);
        plies.push(book_ply(text));
    }
    let mut table = Table {
        players,
        command: contest.setup.command(),
        clocks: ByColor::new_with(|color| Clock::new(contest.limits[color])),
        contest,
        referee,
        plies,
        foreseen: None,
        moved_at: Instant::now(),
        lent: Duration::ZERO,
        used: ByColor::new_with(|_| None),
    };
    let (ending, anomaly) = table.play(alarm, host, spectator).await;
    disarm_timer(host);
    let last = last_move(&table.referee, contest.setup).map(|(before, mv)| (*before, mv));
    PlayedGame { ending, plies: table.plies, first_mover: contest.setup.first.turn(), anomaly, last }
}

type Verdict = (Ending, Option<Anomaly>);

/// A game in progress.
struct Table<'a, T> {
    players: [&'a mut Player<T>; 2],
    contest: Contest<'a>,
    referee: Referee,
    clocks: ByColor<Clock>,
    command: PositionCommand,
    plies: Vec<PlyRecord>,
    /// The reply the last mover expects, to be pondered on.
    foreseen: Option<MoveText>,
    /// When the last move was read.
    moved_at: Instant,
    /// What the mover was given on top of its time because we had not been listening.
    lent: Duration,
    /// What each engine had used of its processors when that was last looked at, shortly before a question.
    used: ByColor<Option<(Instant, CpuUse)>>,
}

/// The longest that a look at an engine's use of processors serves. A look takes a few microseconds, too many for games
/// whose moves take no more.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How a wait for a move ended.
enum Thought {
    Answer(Answer),
    MoverBroke(BrokenConnection),
    OtherBroke(BrokenConnection),
    Late,
}

impl<T: Transport> Table<'_, T> {
    async fn play(
        &mut self,
        alarm: &mut LazyTimer,
        host: &dyn GameHost,
        spectator: &mut dyn Spectator,
    ) -> Verdict {
        if let Some(ending) = self.referee.verdict() {
            return (ending, None);
        }
        loop {
            let mover = self.referee.position().turn();
            match self.turn(mover, alarm, host).await {
                ControlFlow::Break(verdict) => return verdict,
                ControlFlow::Continue(ended) => {
                    self.show(spectator);
                    if let Some(ending) = ended {
                        return (ending, None);
                    }
                }
            }
        }
    }

    /// One half-move: continues with the ending the rules give it, if they do; breaks when an engine failed.
    async fn turn(
        &mut self,
        mover: Color,
        alarm: &mut LazyTimer,
        host: &dyn GameHost,
    ) -> ControlFlow<Verdict, Option<Ending>> {
        if self.players[mover.index()].needs_preparation() {
            disarm_timer(host);
            if let Err(fault) = self.prepare(mover).await {
                return ControlFlow::Break(self.fault(mover, fault));
            }
        }
        self.look_at_use(mover);
        let limits = self.limits(mover);
        let last = last_move(&self.referee, self.contest.setup);
        let question = Question { position: self.command.as_bytes(), limits, last };
        let grace = self.players[mover.index()].ask(&question);
        self.start_pondering(!mover);
        let allowance = self.clocks[mover].allowance();
        let cap = self.players[mover.index()].move_cap();
        // One tick more than allowed: a move that arrives exactly in time is read before the alarm rings.
        let wait = allowance.map_or(cap, |allowed| allowed + grace + Duration::from_millis(1));
        let mut thought = self.think(mover, alarm, wait, host).await;
        if let Thought::Answer(answer) = &thought
            && self.is_leftover(mover, answer)
        {
            let leftover = answer.reply.clone();
            self.players[mover.index()].discard_answer();
            thought = self.think(mover, alarm, wait, host).await;
            if let Thought::Late = thought {
                // It was no leftover after all.
                let ending = Referee::illegal_move(mover, leftover.as_str());
                return ControlFlow::Break((ending, Some(self.anomaly(mover, None, None))));
            }
        }
        match thought {
            Thought::Answer(answer) => self.answer(mover, &answer, grace, host),
            Thought::MoverBroke(end) => {
                let fault = self.players[mover.index()].diagnose(end, CrashMoment::Thinking).await;
                ControlFlow::Break(self.fault(mover, fault))
            }
            Thought::OtherBroke(end) => {
                let fault = self.players[(!mover).index()].diagnose(end, CrashMoment::Idle).await;
                ControlFlow::Break(self.fault(!mover, fault))
            }
            Thought::Late => ControlFlow::Break(self.late(mover, host)),
        }
    }

    /// Whether an answer is most likely the mover's last one once more, written twice and the second time too late to be
    /// seen before the new question: the same move, which is not legal any more.
    fn is_leftover(&self, mover: Color, answer: &Answer) -> bool {
        let own_last = self.plies.iter().nth_back(1);
        let player = &self.players[mover.index()];
        own_last
            .is_some_and(|ply| ply.source == MoveSource::Engine && answer.reply == MoveReply::Move(ply.mv))
            && player.is_uci()
            && player.read_move(self.referee.position(), &answer.reply, self.contest.setup.castling).is_none()
    }

    async fn prepare(&mut self, mover: Color) -> Result<(), PlayerFault> {
        let limits = self.limits(mover);
        let question = Question { position: self.command.as_bytes(), limits, last: None };
        let played = self.plies.last().map(|ply| ply.mv);
        self.players[mover.index()].prepare(&question, played).await
    }

    /// Waits for the mover's answer, with an ear on its opponent and an eye on the clock.
    async fn think(
        &mut self,
        mover: Color,
        alarm: &mut LazyTimer,
        wait: Duration,
        host: &dyn GameHost,
    ) -> Thought {
        let [white, black] = &mut self.players;
        let (mover, other) = if mover == Color::White { (white, black) } else { (black, white) };
        let lent = &mut self.lent;
        *lent = Duration::ZERO;
        let mut reader = host.reader();
        poll_fn(|cx| {
            if let Some(reader) = reader.take()
                && let Err(end) = mover.block_for_answer(reader, cx)
            {
                return Poll::Ready(Thought::MoverBroke(end));
            }
            if let Poll::Ready(thought) = heard(mover, cx) {
                return Poll::Ready(thought);
            }
            if let Poll::Ready(end) = other.poll_idle(cx) {
                return Poll::Ready(Thought::OtherBroke(end));
            }
            let wait = if mover.is_sending() { wait.min(mover.write_limit()) } else { wait };
            loop {
                ready!(alarm.poll_at(mover.asked_at() + wait + *lent, cx));
                // The pipe has the last word: its news may not have reached us yet.
                mover.read_available(cx);
                if let Poll::Ready(thought) = heard(mover, cx) {
                    return Poll::Ready(thought);
                }
                // A machine that did not let us run did not let the engine run either.
                let now = Instant::now();
                let deaf = host.delay_before(now);
                if deaf <= *lent || now >= mover.asked_at() + wait + deaf {
                    return Poll::Ready(Thought::Late);
                }
                *lent = deaf;
            }
        })
        .await
    }

    /// Judges an answer: its time first, then its legality, then what it does to the game.
    fn answer(
        &mut self,
        mover: Color,
        answer: &Answer,
        grace: Duration,
        host: &dyn GameHost,
    ) -> ControlFlow<Verdict, Option<Ending>> {
        let allowance = self.clocks[mover].allowance();
        // What a start-up grace covers is not on the clock, and a flag falls only on those who are later than we are.
        let charged = match allowance {
            Some(allowed) if answer.took > allowed => {
                let ours = grace + self.lent.max(host.delay_before(answer.at));
                if answer.took <= allowed + ours { allowed } else { answer.took }
            }
            _ => answer.took,
        };
        if let Err(overrun) = self.clocks[mover].charge(charged) {
            let ending = self.referee.flag_fall(mover, overrun.0.as_micros() as u64);
            let time = self.time_evidence(mover, answer.took, allowance, answer.report.time, host);
            return ControlFlow::Break((ending, Some(self.anomaly(mover, None, Some(time)))));
        }
        let position = self.referee.position();
        let player = &self.players[mover.index()];
        let Some(mv) = player.read_move(position, &answer.reply, self.contest.setup.castling) else {
            let ending = Referee::illegal_move(mover, answer.reply.as_str());
            return ControlFlow::Break((ending, Some(self.anomaly(mover, None, None))));
        };
        let text = self.spelling(mv, &answer.reply);
        self.command.push(text);
        self.plies.push(PlyRecord {
            mv: text,
            source: MoveSource::Engine,
            time_us: charged.as_micros() as u64,
            clock_left_us: self.clocks[mover].left().map(|left| left.as_micros() as u64),
            score: answer.report.score,
            depth: answer.report.depth,
            seldepth: answer.report.seldepth,
            nodes: answer.report.nodes,
        });
        self.foreseen = answer.ponder;
        self.moved_at = answer.at;
        ControlFlow::Continue(self.referee.observe(mv, answer.report.score))
    }

    /// The move as records and UCI engines spell it. A UCI engine has just said it that way.
    fn spelling(&self, mv: Move, reply: &MoveReply) -> MoveText {
        let style = self.contest.setup.castling.style();
        match reply {
            MoveReply::Move(text) if self.players[self.referee.position().turn().index()].is_uci() => *text,
            _ => MoveText::new(&self.referee.position().coordinate(mv, style))
                .expect("a coordinate move is at most five letters"),
        }
    }

    /// The verdict on a move that did not come.
    fn late(&self, mover: Color, host: &dyn GameHost) -> Verdict {
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

    fn fault(&self, loser: Color, fault: PlayerFault) -> Verdict {
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
        // Threads that have ended took their time with them: the difference may be too small, never below nothing.
        let cpu = now.zip(self.used[mover]).map(|(now, (_, before))| CpuUse {
            running: now.running.saturating_sub(before.running),
            waiting: now.waiting.saturating_sub(before.waiting),
        });
        TimeEvidence {
            measured_us: micros(measured),
            allowed_us: allowed.map_or(0, micros),
            engine_reported_us: reported.map(micros),
            host_delay_us: micros(host.longest_delay_since(self.players[mover.index()].asked_at())),
            engine_cpu_us: cpu.map(|cpu| micros(cpu.running)),
            engine_runqueue_us: cpu.map(|cpu| micros(cpu.waiting)),
        }
    }

    /// Notes what the mover has used of its processors so far, where the move that follows can be lost on time.
    fn look_at_use(&mut self, mover: Color) {
        let fresh = self.used[mover].is_some_and(|(at, _)| self.moved_at.duration_since(at) < LOOK_EVERY);
        if fresh || self.clocks[mover].allowance().is_none() {
            return;
        }
        let used = self.players[mover.index()].transport().cpu_use();
        self.used[mover] = used.map(|used| (self.moved_at, used));
    }

    /// The limits `mover` is told.
    fn limits(&self, mover: Color) -> ThinkLimits {
        let control = self.clocks[mover].control();
        let increments = |color| self.contest.limits[color].clock.map(|rule| rule.increment);
        ThinkLimits {
            time: ByColor::new_with(|color| self.clocks[color].left()),
            increment: ByColor::new_with(increments),
            moves_to_go: self.clocks[mover].moves_to_go(),
            depth: control.depth,
            nodes: control.nodes,
            movetime: control.movetime_ms.map(Duration::from_millis),
        }
    }

    /// Lets the engine that has just moved think on, if the reply it foresees is legal.
    fn start_pondering(&mut self, side: Color) {
        let Some(expected) = self.foreseen.take() else { return };
        let style = self.contest.setup.castling.style();
        if self.referee.position().parse_coordinate(expected.as_str(), style).is_err() {
            return;
        }
        let mut command = self.command.clone();
        command.push(expected);
        let limits = self.limits(side);
        let question = Question { position: command.as_bytes(), limits, last: None };
        self.players[side.index()].ponder(&question, expected);
    }

    fn show(&self, spectator: &mut dyn Spectator) {
        let Some(ply) = self.plies.last() else { return };
        spectator.ply(&LivePly {
            position: self.referee.position(),
            mv: ply.mv,
            plies: self.plies.len(),
            clocks: ByColor::new_with(|color| self.clocks[color].left()),
            score: ply.score,
            at: self.moved_at,
        });
    }
}

/// Stops the thread's beat before a wait that may be long and is not on the spot.
fn disarm_timer(host: &dyn GameHost) {
    if let Some(reader) = host.reader() {
        reader.disarm();
    }
}

/// The mover's answer or its end, if either is here.
fn heard<T: Transport>(mover: &mut Player<T>, cx: &mut Context<'_>) -> Poll<Thought> {
    mover.poll_answer(cx).map(|answer| match answer {
        Ok(answer) => Thought::Answer(answer),
        Err(end) => Thought::MoverBroke(end),
    })
}

/// The last engine move and the position it was made in; `None` before the first.
fn last_move<'a>(referee: &'a Referee, setup: &GameSetup) -> Option<(&'a Position, Move)> {
    let line = referee.line();
    let mv = *line.moves().get(setup.book.len()..)?.last()?;
    line.positions().nth_back(1).map(|before| (before, mv))
}

fn book_ply(mv: MoveText) -> PlyRecord {
    PlyRecord {
        mv,
        source: MoveSource::Book,
        time_us: 0,
        clock_left_us: None,
        score: None,
        depth: None,
        seldepth: None,
        nodes: None,
    }
}
