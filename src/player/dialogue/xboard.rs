//! Client side of the xboard dialogue.

use std::ops::ControlFlow;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{Move, Position};
use crate::player::connection::{Connection, ConnectionEnd, escape};
use crate::player::dialogue::expect_line::{ExpectError, expect_line};
use crate::player::dialogue::handshake_error::HandshakeError;
use crate::player::dialogue::xboard_features::{Version, announcement};
use crate::player::dialogue::xboard_game::{GameText, move_line, option_line};
use crate::player::exchange::{
    Answer, DrawOffer, GameStart, Irregularities, MoveReply, Question, SentState, ThinkReport,
};
use crate::player::options::{OptionError, OptionState};
use crate::player::{EngineOption, EngineSpec, Fitness, Pondering, Score, StallPoint, Transport, plain_name};
use crate::protocol::uci::OptionDeclaration;
use crate::protocol::xboard::{Capability, ClaimedResult, Command, Complaint, FeatureSet, Reply, Thinking};

/// Whether the engine has been asked for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DialoguePhase {
    Idle,
    Thinking,
}

/// What the engine does with the opponent's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    /// It records the move and waits for `go`.
    Forced,
    /// It begins to think.
    Playing,
    /// Unknown, because it has declared the game over.
    Claimed,
}

/// Whether a `pong` barrier is due before the next question, because the engine has sent a move unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    Off,
    On,
}

/// State of an xboard dialogue.
#[derive(Debug)]
pub(in crate::player) struct XboardDialogue {
    version: Version,
    features: FeatureSet,
    options: OptionState,
    pondering: Pondering,
    phase: DialoguePhase,
    stance: Stance,
    barrier: Barrier,
    /// Number of the last `ping`.
    pings: u64,
    game: GameText,
    /// The latest report of the search.
    thinking: Vec<u8>,
    /// What the engine sent in place of a move.
    instead: Option<MoveReply>,
    /// Number of the `ping` whose answer shows that no move follows a claim.
    claim_ping: Option<u64>,
    /// The draw offer that the engine may answer.
    offered: DrawOffer,
    /// The draw offer that the engine has made.
    offers: DrawOffer,
    /// The line in which it refused a move or a command that the game needs.
    refusal: Option<String>,
}

/// Commands without which a game cannot be played as planned.
const REQUIRED: [&str; 9] = ["new", "variant", "setboard", "force", "go", "usermove", "level", "st", "sd"];

impl XboardDialogue {
    /// Performs the handshake and sends the engine its options.
    pub(in crate::player) async fn handshake<T: Transport>(
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        spec: &EngineSpec,
    ) -> Result<Self, HandshakeError> {
        let announced = announcement(connection, spec).await?;
        let mut options = OptionState::default();
        announced.options.into_iter().for_each(|option| options.declare(option));
        options.set_base(&spec.options);
        let mut dialogue = Self {
            version: announced.version,
            features: announced.features,
            options,
            pondering: spec.ponder,
            phase: DialoguePhase::Idle,
            stance: Stance::Forced,
            barrier: Barrier::Off,
            pings: 0,
            game: GameText::none(),
            thinking: Vec::with_capacity(256),
            instead: None,
            claim_ping: None,
            offered: DrawOffer::None,
            offers: DrawOffer::None,
            refusal: None,
        };
        dialogue.queue_options(connection, &[])?;
        dialogue.synchronise(connection, irregularities, Instant::now() + spec.timeouts.ready).await?;
        Ok(dialogue)
    }

    /// Returns whether the handshake proves that the program is an xboard engine. One of version 1 need not answer.
    pub(in crate::player) fn is_proven(&self) -> bool {
        self.version == Version::Two
    }

    /// Begins a game.
    pub(in crate::player) async fn new_game<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        start: &GameStart<'_>,
        deadline: Instant,
    ) -> Result<(), HandshakeError> {
        let game =
            GameText::new(start, &self.features, self.pondering).map_err(HandshakeError::Unsupported)?;
        self.queue_options(connection, start.options)?;
        (self.stance, self.barrier, self.phase) = (Stance::Forced, Barrier::Off, DialoguePhase::Idle);
        (self.instead, self.offers, self.refusal) = (None, DrawOffer::None, None);
        for line in &game.setup {
            connection.queue_line(line.as_bytes());
        }
        for mv in &game.moves {
            connection.queue_line(move_line(mv, &self.features).as_bytes());
        }
        self.game = game;
        self.synchronise(connection, irregularities, deadline).await?;
        // A resignation or an offer that was still in the pipe belongs to the game before.
        (self.instead, self.offers, self.stance) = (None, DrawOffer::None, Stance::Forced);
        self.refusal.clone().map_or(Ok(()), |line| Err(HandshakeError::Refused(line)))
    }

    /// Returns the name that the engine announced.
    pub(in crate::player) fn name(&self) -> Option<String> {
        self.features.name.as_deref().map(plain_name)
    }

    /// Returns the current value of the option `Threads`.
    pub(in crate::player) fn threads(&self) -> Option<usize> {
        self.options.number("Threads").and_then(|number| usize::try_from(number).ok())
    }

    /// Returns the current value of a declared option.
    pub(in crate::player) fn option_value(&self, name: &str) -> Option<String> {
        self.options.value(name)
    }

    /// Returns all options that the engine declared.
    pub(in crate::player) fn declared_options(&self) -> &[OptionDeclaration] {
        self.options.declared()
    }

    /// Returns the input that leads a fresh process to the last question.
    pub(in crate::player) fn sent_state(&self) -> SentState {
        let options = self.options.sent();
        let lines = options.iter().map(|option| self.option_line(option)).collect();
        let question = self.game.repeat(&self.features, lines);
        SentState { options: options.to_vec(), question, ponder_move: None }
    }

    fn option_line(&self, option: &EngineOption) -> String {
        option_line(option, self.options.kind(&option.name), &self.features)
    }

    fn queue_options<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        overrides: &[EngineOption],
    ) -> Result<(), OptionError> {
        for option in self.options.changes(overrides)? {
            connection.queue_line(self.option_line(&option).as_bytes());
        }
        Ok(())
    }

    /// Waits until the engine has processed all queued lines, if it answers `ping`.
    async fn synchronise<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        deadline: Instant,
    ) -> Result<(), ExpectError> {
        std::future::poll_fn(|cx| {
            let _ = self.poll_idle(connection, irregularities, cx);
            Poll::Ready(self.read_early_lines(connection, irregularities, cx))
        })
        .await
        .ok();
        if !self.features.has(Capability::Ping) {
            return Ok(());
        }
        let number = self.queue_ping(connection);
        expect_line(connection, deadline, StallPoint::Pong, |line| {
            if answers(line, number) {
                return ControlFlow::Break(());
            }
            self.note_unexpected_line(line, irregularities);
            ControlFlow::Continue(())
        })
        .await
    }

    fn queue_ping<T: Transport>(&mut self, connection: &mut Connection<T>) -> u64 {
        self.pings += 1;
        connection.queue_line(Command::Ping(self.pings).to_string().as_bytes());
        connection.begin_exchange();
        self.pings
    }

    /// Returns whether [`XboardDialogue::prepare`] has anything to do.
    pub(in crate::player) fn needs_preparation(&self) -> bool {
        self.barrier == Barrier::On
    }

    /// Makes sure that nothing sent before the question can be mistaken for its answer.
    pub(in crate::player) async fn prepare<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        ready: Duration,
    ) -> Result<(), ExpectError> {
        self.synchronise(connection, irregularities, Instant::now() + ready).await?;
        self.barrier = Barrier::Off;
        Ok(())
    }

    /// Queues the question: clocks, the opponent's move and, for an engine that is not playing yet, `go`.
    pub(in crate::player) fn ask<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        question: &Question<'_>,
    ) {
        connection.begin_exchange();
        self.thinking.clear();
        self.instead = self.instead.take().filter(|instead| *instead == MoveReply::Resigns);
        self.claim_ping = None;
        self.offered = question.draw;
        if self.stance == Stance::Claimed {
            connection.queue_line(Command::Force.to_string().as_bytes());
        }
        self.game.set_clocks(&question.limits, &self.features);
        for line in &self.game.clocks {
            connection.queue_line(line.as_bytes());
        }
        if question.draw == DrawOffer::Made && self.features.has(Capability::Draw) {
            connection.queue_line(Command::Draw.to_string().as_bytes());
        }
        if let Some(last) = question.last {
            self.queue_move(connection, last);
        }
        if self.stance != Stance::Playing {
            connection.queue_line(Command::Go.to_string().as_bytes());
        }
        self.stance = Stance::Playing;
        self.phase = DialoguePhase::Thinking;
    }

    /// Queues moves that the engine is to record without thinking.
    pub(in crate::player) fn play_for<'a, T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        moves: impl Iterator<Item = (&'a Position, Move)>,
    ) {
        if self.stance != Stance::Forced {
            connection.queue_line(Command::Force.to_string().as_bytes());
            self.stance = Stance::Forced;
        }
        moves.for_each(|played| self.queue_move(connection, played));
    }

    fn queue_move<T: Transport>(&mut self, connection: &mut Connection<T>, (before, mv): (&Position, Move)) {
        let text = self.game.move_text(before, mv, &self.features);
        connection.queue_line(move_line(&text, &self.features).as_bytes());
        self.game.moves.push(text);
    }

    /// Processes all lines that have arrived so far.
    fn read_early_lines<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Result<(), ConnectionEnd> {
        while let Poll::Ready(range) = connection.poll_early_line(cx) {
            let line = connection.text(range?);
            self.note_unexpected_line(line, irregularities);
        }
        Ok(())
    }

    /// Polls for the answer to the last question.
    pub(in crate::player) fn poll_answer<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Answer, ConnectionEnd>> {
        if connection.is_sending() {
            // A line that arrives before the question has been written cannot answer it.
            self.read_early_lines(connection, irregularities, cx)?;
        }
        let sent = connection.poll_send(cx);
        loop {
            if self.refusal.is_some() {
                return Poll::Ready(Err(ConnectionEnd::Refused));
            }
            let range = match connection.poll_line(cx) {
                Poll::Ready(Ok(range)) => range,
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending if self.doubts_claim() => {
                    self.pings += 1;
                    self.claim_ping = Some(self.pings);
                    connection.queue_line(Command::Ping(self.pings).to_string().as_bytes());
                    let _ = connection.poll_send(cx);
                    continue;
                }
                Poll::Pending => {
                    // A claim in place of a move is one only if no move came with it.
                    if self.claim_ping.is_none()
                        && let Some(reply) = self.instead.take()
                    {
                        return Poll::Ready(Ok(self.answer(connection, irregularities, reply)));
                    }
                    return match sent {
                        Poll::Ready(Err(end)) => Poll::Ready(Err(end)),
                        _ => Poll::Pending,
                    };
                }
            };
            if let Some(reply) = self.reply(connection.text(range)) {
                return Poll::Ready(Ok(self.answer(connection, irregularities, reply)));
            }
        }
    }

    /// Returns whether a claim may belong to the move before: it can arrive after the question, from an engine that
    /// thinks about its answer. Such an engine sends its move before it answers a `ping`.
    fn doubts_claim(&self) -> bool {
        matches!(self.instead, Some(MoveReply::Move(_)))
            && self.claim_ping.is_none()
            && self.features.has(Capability::Ping)
    }

    /// Processes a line of an engine that is thinking; returns its move.
    fn reply(&mut self, line: &[u8]) -> Option<MoveReply> {
        let text = String::from_utf8_lossy(line);
        match Reply::parse(&text) {
            Reply::Move(word) => {
                let decided = matches!(self.instead, Some(MoveReply::Resigns | MoveReply::AcceptsDraw));
                let instead = self.instead.take();
                return Some(if decided {
                    instead?
                } else {
                    MoveReply::new(word.trim_end_matches(['+', '#']))
                });
            }
            Reply::Thinking(_) => {
                self.thinking.clear();
                self.thinking.extend_from_slice(line);
            }
            Reply::Resign => self.instead = Some(MoveReply::Resigns),
            Reply::OfferDraw if self.offered == DrawOffer::Made => {
                self.instead = Some(MoveReply::AcceptsDraw);
            }
            Reply::OfferDraw => self.offers = DrawOffer::Made,
            Reply::Result(claim) => self.claim(claim, &text),
            Reply::Pong(number) if self.claim_ping == Some(number) => return self.instead.take(),
            Reply::Complaint(complaint) => self.note_complaint(complaint, &text),
            _ => {}
        }
        None
    }

    /// Takes note of a claim in place of a move. An engine may concede; any other claim is not the answer that it was
    /// asked for, because a game that is over by the rules has ended already.
    fn claim(&mut self, claim: ClaimedResult, text: &str) {
        self.stance = Stance::Claimed;
        let reply = match claim {
            ClaimedResult::Win(winner) if winner != self.game.side => MoveReply::Resigns,
            _ => MoveReply::new(text.split_whitespace().next().unwrap_or_default()),
        };
        self.instead.get_or_insert(reply);
    }

    fn note_complaint(&mut self, complaint: Complaint<'_>, text: &str) {
        let last = self.game.moves.last().map_or("", String::as_str);
        if complaint.is_about_move(last) || REQUIRED.iter().any(|command| complaint.is_about(command)) {
            self.refusal.get_or_insert_with(|| escape(text.trim().as_bytes()).chars().take(100).collect());
        }
    }

    /// Returns the answer with the data of the last report.
    fn answer<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        reply: MoveReply,
    ) -> Answer {
        if let MoveReply::Move(text) = &reply {
            self.phase = DialoguePhase::Idle;
            self.game.moves.push(text.to_string());
        }
        let took = connection.read_at().saturating_duration_since(connection.wrote_at());
        irregularities.garbage += connection.take_overlong();
        let report = self.last_report();
        // Engines count in hundredths of a second, and some start their clock before they read the command.
        let slack = Duration::from_millis(30);
        let comparable = self.pondering == Pondering::Off;
        irregularities.false_time +=
            u64::from(comparable && report.time.is_some_and(|time| time > took + slack));
        irregularities.broken_info += u64::from(!self.thinking.is_empty() && report.score.is_none());
        Answer { reply, at: connection.read_at(), took, ponder: None, report, extra: None }
    }

    /// Returns the data of the last report.
    pub(in crate::player) fn last_report(&self) -> ThinkReport {
        match Reply::parse(&String::from_utf8_lossy(&self.thinking)) {
            Reply::Thinking(thinking) => report_of(&thinking),
            _ => ThinkReport::default(),
        }
    }

    /// Returns whether a game can begin at any position.
    pub(in crate::player) fn sets_up_positions(&self) -> bool {
        self.features.has(Capability::SetBoard)
    }

    /// Processes a line that answers no question.
    fn note_unexpected_line(&mut self, line: &[u8], irregularities: &mut Irregularities) {
        let text = String::from_utf8_lossy(line);
        match Reply::parse(&text) {
            Reply::Move(_) => {
                irregularities.stray += 1;
                self.barrier = Barrier::On;
            }
            Reply::Resign => self.instead = Some(MoveReply::Resigns),
            Reply::OfferDraw => self.offers = DrawOffer::Made,
            Reply::Result(_) => self.stance = Stance::Claimed,
            Reply::Complaint(complaint) => self.note_complaint(complaint, &text),
            // Some engines announce what they can do later than anyone waits for it.
            Reply::Features(list) => list.iter().for_each(|(_, feature)| self.features.apply(&feature)),
            _ => {}
        }
    }

    /// Returns the draw offer that the engine has made since the last call.
    pub(in crate::player) fn take_draw_offer(&mut self) -> DrawOffer {
        std::mem::take(&mut self.offers)
    }

    /// Processes the output of an engine that should be silent. Ready only when the connection has ended.
    pub(in crate::player) fn poll_idle<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Poll<ConnectionEnd> {
        if connection.is_sending()
            && let Poll::Ready(Err(end)) = connection.poll_send(cx)
        {
            return Poll::Ready(end);
        }
        loop {
            match std::task::ready!(connection.poll_line(cx)) {
                Ok(range) => {
                    let line = connection.text(range);
                    self.note_unexpected_line(line, irregularities);
                }
                Err(end) => return Poll::Ready(end),
            }
        }
    }

    /// Ends the game: stops a search and discards its move, and reports the result.
    pub(in crate::player) async fn end_game<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        result: &str,
        deadline: Instant,
    ) -> Fitness {
        let thinking = self.phase == DialoguePhase::Thinking;
        if thinking {
            connection.queue_line(Command::MoveNow.to_string().as_bytes());
        }
        for command in [Command::Result(result), Command::Force] {
            connection.queue_line(command.to_string().as_bytes());
        }
        let number = self.features.has(Capability::Ping).then(|| self.queue_ping(connection));
        let stopped = expect_line(connection, deadline, StallPoint::Pong, |line| {
            let done = match number {
                Some(number) => answers(line, number),
                None => matches!(Reply::parse(&String::from_utf8_lossy(line)), Reply::Move(_)),
            };
            if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // An idle engine without `ping` has nothing to answer.
        if (thinking || number.is_some()) && stopped.await.is_err() || self.refusal.is_some() {
            return Fitness::Unfit;
        }
        self.phase = DialoguePhase::Idle;
        if self.features.has(Capability::Reuse) { Fitness::Fit } else { Fitness::Spent }
    }
}

/// Returns whether a line is the `pong` with this number.
fn answers(line: &[u8], number: u64) -> bool {
    Reply::parse(&String::from_utf8_lossy(line)) == Reply::Pong(number)
}

fn report_of(thinking: &Thinking<'_>) -> ThinkReport {
    let plies = |depth: u32| depth.min(u32::from(u16::MAX)) as u16;
    ThinkReport {
        score: Score::reported(thinking.score),
        depth: Some(plies(thinking.depth)),
        seldepth: thinking.seldepth.map(plies),
        nodes: Some(thinking.nodes),
        time: Some(Duration::from_millis(thinking.centiseconds.saturating_mul(10))),
    }
}
