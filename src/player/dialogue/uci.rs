//! Client side of the UCI dialogue.

use std::ops::ControlFlow;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::dialogue::expect_line::{ExpectError, expect_line};
use crate::player::dialogue::go_command::GoCommand;
use crate::player::dialogue::handshake_error::{HandshakeError, Prospect, ProtocolSigns};
use crate::player::exchange::{Answer, Irregularities, MoveReply, Question, SentState, ThinkReport};
use crate::player::options::{OptionError, OptionState};
use crate::player::search_extra::{ExtraCollector, SearchExtra};
use crate::player::{
    EngineOption, EngineSpec, MoveText, Pondering, Score, StallPoint, Transport, plain_name,
};
use crate::protocol::uci::{Horizon, InfoLine, OptionDeclaration, Reply};

/// State of a UCI engine, as implied by the commands sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DialoguePhase {
    Idle,
    Thinking,
    Pondering { expected: MoveText },
}

/// Command that started the clock of a search; the time that an engine reports is only comparable after `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchStart {
    Go,
    PonderHit,
}

/// Whether a `readyok` barrier separates `position` from `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    Off,
    /// The engine has sent unexpected lines in this game, so lines sent before `go` are separated by a `readyok`.
    On,
}

/// State of a UCI dialogue.
#[derive(Debug)]
pub(in crate::player) struct UciDialogue {
    phase: DialoguePhase,
    barrier: Barrier,
    options: OptionState,
    ponder: Pondering,
    /// The latest `info` line with a score, parsed when the move is known.
    info: Vec<u8>,
    /// Details of the search that the plan asks for.
    extras: ExtraCollector,
    go: GoCommand,
    /// Start of the current search.
    search_start: SearchStart,
    pub(in crate::player) id_name: Option<String>,
}

impl UciDialogue {
    /// Performs the handshake and sends the engine its options.
    pub(in crate::player) async fn handshake<T: Transport>(
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        spec: &EngineSpec,
    ) -> Result<Self, HandshakeError> {
        let mut options = OptionState::default();
        let mut id_name = None;
        for line in &spec.init {
            connection.queue_line(line.as_bytes());
        }
        connection.queue_line(b"uci");
        let deadline = Instant::now() + spec.timeouts.start;
        let mut signs = ProtocolSigns::default();
        let answered = expect_line(connection, deadline, StallPoint::Uciok, |line| {
            match Reply::parse(&String::from_utf8_lossy(line)) {
                Reply::UciOk => return ControlFlow::Break(()),
                Reply::Option(option) => options.declare(option),
                Reply::IdName(name) => id_name = Some(plain_name(name)),
                // A banner is no irregularity, but a program that does not know `uci` will never answer it.
                Reply::Unknown(text) if signs.note(text, "uci") == Prospect::Hopeless => {
                    return ControlFlow::Break(());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .await;
        if let Some(error) = signs.of_uci(answered.err()) {
            return Err(error);
        }
        let mut base = spec.options.clone();
        let names_ponder = base.iter().any(|option| option.name.eq_ignore_ascii_case("Ponder"));
        if spec.ponder == Pondering::On && options.is_declared("Ponder") && !names_ponder {
            base.push(EngineOption::new("Ponder", "true"));
        }
        options.set_base(&base);
        let mut dialogue = Self {
            phase: DialoguePhase::Idle,
            barrier: Barrier::Off,
            options,
            ponder: spec.ponder,
            info: Vec::with_capacity(256),
            extras: ExtraCollector::new(&spec.detail),
            go: GoCommand::new(),
            search_start: SearchStart::Go,
            id_name,
        };
        dialogue.queue_options(connection, &[])?;
        dialogue.ready(connection, irregularities, Instant::now() + spec.timeouts.ready).await?;
        Ok(dialogue)
    }

    /// Begins a game at `position`, with `options` applied over the engine's own.
    ///
    /// The position is sent before the barrier and again with the first `go`: an engine that answers a bare
    /// `position` with a move is detected here, where the move cannot be mistaken for an answer.
    pub(in crate::player) async fn new_game<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        (position, options): (&[u8], &[EngineOption]),
        deadline: Instant,
    ) -> Result<(), HandshakeError> {
        self.barrier = Barrier::Off;
        self.go.clear();
        self.queue_options(connection, options)?;
        connection.queue_line(b"ucinewgame");
        connection.queue_line(position);
        self.ready(connection, irregularities, deadline).await?;
        Ok(())
    }

    /// Returns the current value of the option `Threads`.
    pub(in crate::player) fn threads(&self) -> Option<usize> {
        self.options.number("Threads").and_then(|number| usize::try_from(number).ok())
    }

    /// Returns the current options and the last `go`, followed by `ponderhit` if that started its clock.
    pub(in crate::player) fn sent_state(&self) -> SentState {
        let go = String::from_utf8_lossy(self.go.last()).into_owned();
        let ponderhit = self.phase == DialoguePhase::Thinking && self.search_start == SearchStart::PonderHit;
        let ponderhit = ponderhit.then(|| "ponderhit".to_owned());
        let question = if go.is_empty() { Vec::new() } else { [go].into_iter().chain(ponderhit).collect() };
        let ponder_move = match self.phase {
            DialoguePhase::Pondering { expected } => Some(expected),
            DialoguePhase::Idle | DialoguePhase::Thinking => None,
        };
        SentState { options: self.options.sent().to_vec(), question, ponder_move }
    }

    /// Returns the current value of a declared option.
    pub(in crate::player) fn option_value(&self, name: &str) -> Option<String> {
        self.options.value(name)
    }

    /// Returns all options that the engine declared.
    pub(in crate::player) fn declared_options(&self) -> &[OptionDeclaration] {
        self.options.declared()
    }

    /// Returns whether the engine declares this option.
    pub(in crate::player) fn declares(&self, name: &str) -> bool {
        self.options.is_declared(name)
    }

    fn queue_options<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        overrides: &[EngineOption],
    ) -> Result<(), OptionError> {
        for option in self.options.changes(overrides)? {
            connection.queue_line(option.command().as_bytes());
        }
        Ok(())
    }

    /// Sends `isready` after all queued lines and discards everything received before `readyok`.
    async fn ready<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        deadline: Instant,
    ) -> Result<(), ExpectError> {
        // A `readyok` that has already arrived answers an older `isready`. An end of the connection is reported by
        // what follows.
        std::future::poll_fn(|cx| {
            let _ = self.poll_idle(connection, irregularities, cx);
            Poll::Ready(self.read_early_lines(connection, irregularities, cx))
        })
        .await
        .ok();
        connection.queue_line(b"isready");
        connection.begin_exchange();
        let barrier = &mut self.barrier;
        expect_line(connection, deadline, StallPoint::Readyok, |line| {
            match Reply::parse(&String::from_utf8_lossy(line)) {
                Reply::ReadyOk => return ControlFlow::Break(()),
                Reply::BestMove { .. } => {
                    irregularities.stray += 1;
                    *barrier = Barrier::On;
                }
                Reply::Unknown(text) => irregularities.note_garbage(text),
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .await
    }

    /// Prepares the engine for a question: stops pondering on a move that was not played and, after an irregularity,
    /// makes sure that nothing sent before `go` can be mistaken for its answer.
    pub(in crate::player) async fn prepare<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        question: &Question<'_>,
        played: Option<MoveText>,
        [stop, ready]: [Duration; 2],
    ) -> Result<(), ExpectError> {
        if let DialoguePhase::Pondering { expected } = self.phase
            && played != Some(expected)
        {
            self.stop(connection, irregularities, Instant::now() + stop).await?;
        }
        if self.barrier == Barrier::On && self.phase == DialoguePhase::Idle {
            connection.queue_line(question.position);
            self.ready(connection, irregularities, Instant::now() + ready).await?;
        }
        Ok(())
    }

    /// Returns whether [`UciDialogue::prepare`] has anything to do.
    pub(in crate::player) fn needs_preparation(&self) -> bool {
        self.barrier == Barrier::On || matches!(self.phase, DialoguePhase::Pondering { .. })
    }

    /// Queues the question: `position` and `go` in one message, or `ponderhit`.
    pub(in crate::player) fn ask<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        question: &Question<'_>,
    ) {
        connection.begin_exchange();
        if let DialoguePhase::Pondering { .. } = self.phase {
            self.search_start = SearchStart::PonderHit;
            connection.queue_line(b"ponderhit");
        } else {
            self.search_start = SearchStart::Go;
            self.info.clear();
            // With a barrier, the position has already been sent.
            if self.barrier == Barrier::Off {
                connection.queue_line(question.position);
            }
            connection.queue_line(self.go.line(&question.limits, Horizon::Limits));
        }
        self.phase = DialoguePhase::Thinking;
    }

    /// Starts pondering on `expected`, if pondering is enabled.
    pub(in crate::player) fn ponder<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        question: &Question<'_>,
        expected: MoveText,
    ) {
        if self.ponder == Pondering::Off || self.phase != DialoguePhase::Idle {
            return;
        }
        connection.begin_exchange();
        self.info.clear();
        connection.queue_line(question.position);
        connection.queue_line(self.go.line(&question.limits, Horizon::Ponder));
        self.phase = DialoguePhase::Pondering { expected };
    }

    /// Writes the question.
    pub(in crate::player) fn poll_question<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), ConnectionEnd>> {
        if connection.is_sending() && self.search_start == SearchStart::Go {
            // A line that arrives before `go`, the end of the question, has been written cannot answer it.
            self.read_early_lines(connection, irregularities, cx)?;
        }
        connection.poll_send(cx)
    }

    /// Discards the last answer, which belongs to an older question, and waits for another.
    pub(in crate::player) fn discard_answer(&mut self, irregularities: &mut Irregularities) {
        irregularities.stray += 1;
        self.barrier = Barrier::On;
        self.phase = DialoguePhase::Thinking;
    }

    /// Processes all lines that have arrived so far.
    fn read_early_lines<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Result<(), ConnectionEnd> {
        while let Poll::Ready(range) = connection.poll_early_line(cx) {
            self.note_unexpected_line(connection.text(range?), irregularities);
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
        if connection.is_sending()
            && self.search_start == SearchStart::Go
            && let Poll::Ready(sent) = self.poll_question(connection, irregularities, cx)
        {
            sent?;
        }
        loop {
            let range = match connection.poll_line(cx) {
                Poll::Ready(Ok(range)) => range,
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending => {
                    return match connection.poll_send(cx) {
                        Poll::Ready(Err(end)) => Poll::Ready(Err(end)),
                        _ => Poll::Pending,
                    };
                }
            };
            let line = connection.text(range);
            self.extras.note(line);
            if line.starts_with(b"info") {
                keep_if_scored(&mut self.info, line);
                continue;
            }
            let text = String::from_utf8_lossy(line);
            match Reply::parse(&text) {
                Reply::BestMove { best, ponder } => {
                    let word = best.or_else(|| text.split_whitespace().nth(1)).unwrap_or_default();
                    let (reply, ponder) = (MoveReply::new(word), ponder.and_then(MoveText::new));
                    let took = connection.read_at().saturating_duration_since(connection.wrote_at());
                    self.phase = DialoguePhase::Idle;
                    irregularities.garbage += connection.take_overlong();
                    let report = self.read_report(irregularities, took);
                    let extra = self.read_extra();
                    let at = connection.read_at();
                    return Poll::Ready(Ok(Answer { reply, at, took, ponder, report, extra }));
                }
                Reply::Unknown(text) => irregularities.note_garbage(text),
                Reply::ReadyOk | Reply::UciOk => irregularities.stray += 1,
                _ => {}
            }
        }
    }

    /// Processes a line that answers no question.
    fn note_unexpected_line(&mut self, line: &[u8], irregularities: &mut Irregularities) {
        if line.starts_with(b"info") {
            if matches!(self.phase, DialoguePhase::Pondering { .. }) {
                keep_if_scored(&mut self.info, line);
            }
            return;
        }
        match Reply::parse(&String::from_utf8_lossy(line)) {
            // Pondering ended on its own; the question is asked again when it is due.
            Reply::BestMove { .. } if matches!(self.phase, DialoguePhase::Pondering { .. }) => {
                self.phase = DialoguePhase::Idle;
            }
            Reply::BestMove { .. } => {
                irregularities.stray += 1;
                self.barrier = Barrier::On;
            }
            Reply::ReadyOk | Reply::UciOk => irregularities.stray += 1,
            Reply::Unknown(text) => irregularities.note_garbage(text),
            _ => {}
        }
    }

    /// Returns the data of the last report of the current search.
    pub(in crate::player) fn last_report(&self) -> ThinkReport {
        match std::str::from_utf8(&self.info).map(Reply::parse) {
            Ok(Reply::Info(line)) => report_of(line),
            _ => ThinkReport::default(),
        }
    }

    fn read_report(&mut self, irregularities: &mut Irregularities, took: Duration) -> ThinkReport {
        if self.info.is_empty() {
            return ThinkReport::default();
        }
        let Ok(Reply::Info(line)) = std::str::from_utf8(&self.info).map(Reply::parse) else {
            irregularities.broken_info += 1;
            return ThinkReport::default();
        };
        let report = report_of(line);
        irregularities.broken_info += u64::from(report.score.is_none());
        // Engines round to milliseconds, and some start their clock before they read the command.
        let slack = Duration::from_millis(20);
        let comparable = self.search_start == SearchStart::Go;
        irregularities.false_time +=
            u64::from(comparable && report.time.is_some_and(|time| time > took + slack));
        report
    }

    /// Returns the further details of the search that has ended.
    fn read_extra(&mut self) -> Option<Box<SearchExtra>> {
        let line = std::str::from_utf8(&self.info).map(Reply::parse);
        let info = if let Ok(Reply::Info(line)) = line { Some(line.read()) } else { None };
        self.extras.take(info.as_ref())
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
            let range = match connection.poll_line(cx) {
                Poll::Ready(Ok(range)) => range,
                Poll::Ready(Err(end)) => return Poll::Ready(end),
                Poll::Pending => return Poll::Pending,
            };
            self.note_unexpected_line(connection.text(range), irregularities);
        }
    }

    /// Stops a search and discards its move.
    pub(in crate::player) async fn stop<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        deadline: Instant,
    ) -> Result<(), ExpectError> {
        if self.phase == DialoguePhase::Idle {
            return Ok(());
        }
        connection.queue_line(b"stop");
        connection.begin_exchange();
        expect_line(connection, deadline, StallPoint::Bestmove, |line| {
            match Reply::parse(&String::from_utf8_lossy(line)) {
                Reply::BestMove { .. } => return ControlFlow::Break(()),
                Reply::Unknown(text) => irregularities.note_garbage(text),
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .await?;
        self.phase = DialoguePhase::Idle;
        Ok(())
    }
}

/// Keeps the latest line with a score for the best move, so that only one line per move is parsed in full.
fn keep_if_scored(kept: &mut Vec<u8>, line: &[u8]) {
    let has = |word: &[u8]| line.windows(word.len()).any(|window| window == word);
    let exact = !has(b" lowerbound") && !has(b" upperbound");
    let best_line = !has(b" multipv ") || has(b" multipv 1 ");
    let scored = has(b" score") && !line.starts_with(b"info string");
    if scored && best_line && (exact || kept.is_empty()) {
        kept.clear();
        kept.extend_from_slice(line);
    }
}

fn report_of(line: InfoLine<'_>) -> ThinkReport {
    let info = line.read();
    let plies = |depth: Option<u32>| depth.map(|plies| plies.min(u32::from(u16::MAX)) as u16);
    ThinkReport {
        score: info.score.and_then(Score::reported),
        depth: plies(info.depth),
        seldepth: plies(info.seldepth),
        nodes: info.nodes,
        time: info.time.map(Duration::from_millis),
    }
}
