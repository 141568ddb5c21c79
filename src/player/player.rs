//! One engine from the point of view of a game, whatever its protocol.

use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::chess::MoveStyle;
use crate::chess::{Color, Move, Position};
use crate::player::connection::escape;
use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::dialogue::AceDialogue;
use crate::player::dialogue::ExpectError;
use crate::player::dialogue::{HandshakeError, UciDialogue, XboardDialogue};
use crate::player::exchange::{
    Answer, DrawOffer, GameStart, Irregularities, MoveReply, Question, SentState, ThinkLimits, ThinkReport,
};
use crate::player::tap::Tap;
use crate::player::{
    BlockingReader, Castling, CrashMoment, EngineOption, EngineSpec, ExitEvidence, MoveText,
    OptionDeclaration, PlayerFault, Protocol, ProtocolBreach, Sandbox, Score, ScoreSide, ShutdownMode,
    ShutdownReport, StartFault, Timeouts, Transport,
};

/// A running engine that has completed its handshake.
#[derive(Debug)]
pub struct Player<T> {
    connection: Connection<T>,
    timeouts: Timeouts,
    sandbox: Sandbox,
    scores: ScoreSide,
    irregularities: Irregularities,
    dialect: Dialect,
}

#[derive(Debug)]
enum Dialect {
    Uci(Box<UciDialogue>),
    Xboard(Box<XboardDialogue>),
    Ace(AceDialogue),
}

/// A connection that ended. [`Player::diagnose`] determines the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenConnection(ConnectionEnd);

/// Whether a player can be used for the next game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// The engine is idle and responsive.
    Fit,
    /// The engine is idle, but its process plays no other game.
    Spent,
    /// The process must be replaced.
    Unfit,
}

/// Time that an engine has to exit after it closed a stream, before it counts as running with that stream closed.
const EXIT_AFTER_CLOSE: Duration = Duration::from_millis(200);
/// Time that an ACE program has to exit on its own once its game is over.
const ACE_EXIT_TIMEOUT: Duration = Duration::from_millis(100);

impl<T: Transport> Player<T> {
    /// Performs the handshake over `transport`, options included. ACE has no handshake.
    pub async fn handshake(transport: T, spec: &EngineSpec) -> Result<Self, (Box<Self>, StartFault)> {
        let mut player = Self {
            connection: Connection::new(transport, &spec.timeouts, Tap::of(spec)),
            timeouts: spec.timeouts.clone(),
            sandbox: spec.sandbox,
            scores: spec.scores,
            irregularities: Irregularities::default(),
            dialect: Dialect::Ace(AceDialogue::new()),
        };
        let (connection, irregularities) = (&mut player.connection, &mut player.irregularities);
        let started = match spec.protocol {
            Protocol::Ace { .. } => return Ok(player),
            Protocol::Uci => UciDialogue::handshake(connection, irregularities, spec)
                .await
                .map(|dialogue| Dialect::Uci(Box::new(dialogue))),
            Protocol::Xboard => XboardDialogue::handshake(connection, irregularities, spec)
                .await
                .map(|dialogue| Dialect::Xboard(Box::new(dialogue))),
        };
        match started {
            Ok(dialect) => {
                player.dialect = dialect;
                Ok(player)
            }
            Err(HandshakeError::WrongProtocol(spoken, printed)) => {
                let fault = StartFault::wrong_protocol(spoken, printed, spec);
                Err((Box::new(player), fault))
            }
            Err(error) => {
                let fault = player.start_fault(error, CrashMoment::Startup).await;
                Err((Box::new(player), fault))
            }
        }
    }

    /// Returns whether the handshake proves that the program is an engine that can be used. Programs without an answer
    /// in their handshake, ACE and xboard version 1, prove it by their first move.
    pub fn is_proven(&self) -> bool {
        match &self.dialect {
            Dialect::Uci(_) => true,
            Dialect::Xboard(dialogue) => dialogue.is_proven(),
            Dialect::Ace(_) => false,
        }
    }

    /// Returns the arguments that an ACE program needs for a game; none for other protocols.
    pub fn game_arguments(
        spec: &EngineSpec,
        side: Color,
        limits: &ThinkLimits,
        fen: &str,
    ) -> Result<Vec<String>, String> {
        match &spec.protocol {
            Protocol::Uci | Protocol::Xboard => Ok(Vec::new()),
            Protocol::Ace { template } => AceDialogue::arguments(template, side, limits, fen)
                .map_err(|error| format!("its argument template does not fit this game: {error:?}")),
        }
    }

    /// Begins a game.
    pub async fn new_game(&mut self, start: &GameStart<'_>) -> Result<(), StartFault> {
        let deadline = Instant::now() + self.timeouts.new_game;
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let started = match &mut self.dialect {
            Dialect::Ace(_) => return Ok(()),
            Dialect::Xboard(dialogue) => dialogue.new_game(connection, irregularities, start, deadline).await,
            Dialect::Uci(dialogue) => {
                let mut options = start.options.to_vec();
                match start.castling {
                    Castling::Chess960 if !dialogue.declares("UCI_Chess960") => {
                        return Err(StartFault::NoChess960);
                    }
                    Castling::Chess960 => options.push(EngineOption::new("UCI_Chess960", "true")),
                    Castling::Standard => {}
                }
                dialogue.new_game(connection, irregularities, (start.position, &options), deadline).await
            }
        };
        match started {
            Ok(()) => Ok(()),
            Err(error) => Err(self.start_fault(error, CrashMoment::Idle).await),
        }
    }

    async fn start_fault(&mut self, error: HandshakeError, during: CrashMoment) -> StartFault {
        match error {
            HandshakeError::Expect(error) => StartFault::Fault(self.fault_of(error, during).await),
            HandshakeError::Option(error) => StartFault::Option(error),
            HandshakeError::WrongProtocol(_, line) | HandshakeError::Refused(line) => {
                StartFault::Refused(line)
            }
            HandshakeError::Unsupported(what) => StartFault::Unsupported(what),
        }
    }

    async fn fault_of(&mut self, error: ExpectError, during: CrashMoment) -> PlayerFault {
        match error {
            ExpectError::Late(point) => PlayerFault::Stall(point),
            ExpectError::End(end) => self.diagnose(BrokenConnection(end), during).await,
        }
    }

    /// Returns whether [`Player::prepare`] must be called before the next question.
    pub fn needs_preparation(&self) -> bool {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.needs_preparation(),
            Dialect::Xboard(dialogue) => dialogue.needs_preparation(),
            Dialect::Ace(_) => false,
        }
    }

    /// Removes everything that could be mistaken for the answer to the next question. Runs outside the engine's
    /// clock.
    pub async fn prepare(
        &mut self,
        question: &Question<'_>,
        played: Option<MoveText>,
    ) -> Result<(), PlayerFault> {
        let limits = [self.timeouts.stop, self.timeouts.ready];
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let prepared = match &mut self.dialect {
            Dialect::Ace(_) => return Ok(()),
            Dialect::Uci(dialogue) => {
                dialogue.prepare(connection, irregularities, question, played, limits).await
            }
            Dialect::Xboard(dialogue) => {
                dialogue.prepare(connection, irregularities, self.timeouts.ready).await
            }
        };
        match prepared {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fault_of(error, CrashMoment::Idle).await),
        }
    }

    /// Makes a move for the player, in place of a question: `own` is the move and the position it is made in, `last` the
    /// opponent's move before it. ACE programs cannot be played for.
    pub async fn play_for(
        &mut self,
        last: Option<(&Position, Move)>,
        own: (&Position, Move),
    ) -> Result<(), PlayerFault> {
        let deadline = Instant::now() + self.timeouts.stop;
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let stopped = match &mut self.dialect {
            Dialect::Ace(_) => return Ok(()),
            Dialect::Xboard(dialogue) => {
                dialogue.play_for(connection, last.into_iter().chain([own]));
                return Ok(());
            }
            // It gets all moves with the next question. Until then it must not think about another position.
            Dialect::Uci(dialogue) => dialogue.stop(connection, irregularities, deadline).await,
        };
        match stopped {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fault_of(error, CrashMoment::Idle).await),
        }
    }

    /// Queues a question and returns the time allowed in addition to the clock. The question is written, and the
    /// clock starts, with the first [`Player::poll_answer`].
    pub fn ask(&mut self, question: &Question<'_>) -> Duration {
        match &mut self.dialect {
            Dialect::Uci(dialogue) => {
                dialogue.ask(&mut self.connection, question);
                Duration::ZERO
            }
            Dialect::Xboard(dialogue) => {
                dialogue.ask(&mut self.connection, question);
                Duration::ZERO
            }
            Dialect::Ace(dialogue) => {
                dialogue.ask(&mut self.connection, question);
                dialogue.grace(self.timeouts.start)
            }
        }
    }

    /// Polls for the answer to the last question.
    pub fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, BrokenConnection>> {
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let answer = match &mut self.dialect {
            Dialect::Uci(dialogue) => dialogue.poll_answer(connection, irregularities, cx),
            Dialect::Xboard(dialogue) => dialogue.poll_answer(connection, irregularities, cx),
            Dialect::Ace(dialogue) => dialogue.poll_answer(connection, irregularities, cx),
        };
        answer.map_err(BrokenConnection)
    }

    /// Discards the last answer, which belongs to an older question, and keeps waiting for the real one. UCI only.
    pub fn discard_answer(&mut self) {
        if let Dialect::Uci(dialogue) = &mut self.dialect {
            dialogue.discard_answer(&mut self.irregularities);
        }
    }

    /// Reads the output that is available in the pipe but not yet reported by the runtime, for the next
    /// [`Player::poll_answer`].
    pub fn read_available(&mut self, cx: &mut Context<'_>) {
        self.connection.read_available(cx);
    }

    /// Writes the question and blocks the thread until output arrives, for at most one [`BlockingReader::TICK`]. The
    /// output is processed by the next [`Player::poll_answer`].
    pub fn block_for_answer(
        &mut self,
        reader: &BlockingReader,
        cx: &mut Context<'_>,
    ) -> Result<(), BrokenConnection> {
        let Dialect::Uci(dialogue) = &mut self.dialect else {
            reader.disarm();
            return Ok(());
        };
        if let Poll::Ready(sent) = dialogue.poll_question(&mut self.connection, &mut self.irregularities, cx)
        {
            sent.map_err(BrokenConnection)?;
            self.connection.block_for_answer(reader);
        }
        Ok(())
    }

    /// Processes the output of a player that has not been asked for a move. Ready only when the connection has ended.
    pub fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<BrokenConnection> {
        let end = match &mut self.dialect {
            Dialect::Uci(dialogue) => dialogue.poll_idle(&mut self.connection, &mut self.irregularities, cx),
            Dialect::Xboard(dialogue) => {
                dialogue.poll_idle(&mut self.connection, &mut self.irregularities, cx)
            }
            Dialect::Ace(_) => AceDialogue::poll_idle(&mut self.connection, &mut self.irregularities, cx),
        };
        end.map(BrokenConnection)
    }

    /// Returns the data of the last search report of an engine that has not answered yet.
    pub fn last_report(&self) -> ThinkReport {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.last_report(),
            Dialect::Xboard(dialogue) => dialogue.last_report(),
            Dialect::Ace(_) => ThinkReport::default(),
        }
    }

    /// Returns whether a game can begin at any position. ACE programs get theirs as an argument.
    pub fn sets_up_positions(&self) -> bool {
        match &self.dialect {
            Dialect::Xboard(dialogue) => dialogue.sets_up_positions(),
            Dialect::Uci(_) | Dialect::Ace(_) => true,
        }
    }

    /// Returns the draw offer that the engine has made since the last call. Xboard only.
    pub fn take_draw_offer(&mut self) -> DrawOffer {
        match &mut self.dialect {
            Dialect::Xboard(dialogue) => dialogue.take_draw_offer(),
            Dialect::Uci(_) | Dialect::Ace(_) => DrawOffer::None,
        }
    }

    /// Starts pondering on `expected`, if pondering is enabled for this engine. UCI only: xboard engines choose
    /// themselves what they ponder on.
    pub fn ponder(&mut self, question: &Question<'_>, expected: MoveText) {
        if let Dialect::Uci(dialogue) = &mut self.dialect {
            dialogue.ponder(&mut self.connection, question, expected);
        }
    }

    /// Returns when the first byte of the last question was written, once it has been.
    pub fn asked_at(&self) -> Instant {
        self.connection.wrote_at()
    }

    /// Returns whether part of the question is still unwritten because the engine does not read it.
    pub fn is_sending(&self) -> bool {
        self.connection.is_sending()
    }

    /// Parses `reply` as a move in `position`, in the notation of the player's protocol.
    pub fn read_move(&self, position: &Position, reply: &MoveReply, castling: Castling) -> Option<Move> {
        let MoveReply::Move(text) = reply else { return None };
        match &self.dialect {
            Dialect::Uci(_) => position.parse_coordinate(text.as_str(), castling.style()).ok(),
            Dialect::Ace(_) => position.parse_ace(text.as_str()).ok(),
            Dialect::Xboard(_) => read_xboard_move(position, text.as_str(), castling),
        }
    }

    /// Returns a reported score from the side of the engine, which plays `color`.
    pub fn own_score(&self, reported: Option<Score>, color: Color) -> Option<Score> {
        match (self.scores, color) {
            (ScoreSide::White, Color::Black) => reported.map(Score::reversed),
            (ScoreSide::Engine, _) | (ScoreSide::White, Color::White) => reported,
        }
    }

    /// Determines why a connection ended.
    pub async fn diagnose(
        &mut self,
        BrokenConnection(end): BrokenConnection,
        during: CrashMoment,
    ) -> PlayerFault {
        let (exit, if_running) = match end {
            ConnectionEnd::Flood => return PlayerFault::Protocol(ProtocolBreach::Flood),
            ConnectionEnd::Refused => return PlayerFault::Protocol(ProtocolBreach::Refused),
            ConnectionEnd::Exited(exit) => (Some(exit), during),
            ConnectionEnd::OutputClosed => {
                (self.exit_within(EXIT_AFTER_CLOSE).await, CrashMoment::StdoutClosed)
            }
            ConnectionEnd::InputClosed => {
                (self.exit_within(EXIT_AFTER_CLOSE).await, CrashMoment::StdinClosed)
            }
        };
        let during = match exit {
            None => if_running,
            Some(exit) => {
                // The last output on stderr may still be in the pipe.
                tokio::time::sleep(Duration::from_millis(2)).await;
                if self.ran_out_of_memory(exit) { CrashMoment::Memory } else { during }
            }
        };
        PlayerFault::Crash { during, exit }
    }

    async fn exit_within(&mut self, allowed: Duration) -> Option<ExitEvidence> {
        timeout(allowed, std::future::poll_fn(|cx| self.connection.transport.poll_exit(cx))).await.ok()
    }

    /// Returns whether an engine with a memory limit ended the way programs do when they reach it.
    fn ran_out_of_memory(&self, exit: ExitEvidence) -> bool {
        if self.sandbox.memory_bytes.is_none() || exit == ExitEvidence::Code(0) {
            return false;
        }
        let stderr = String::from_utf8_lossy(&self.connection.transport.stderr_tail()).to_ascii_lowercase();
        ["memory", "alloc"].iter().any(|word| stderr.contains(word))
    }

    /// Stops a search that is still running after a game. `result` is `RESULT {REASON}`, which xboard engines receive.
    /// The process of an ACE program ends with its game.
    pub async fn end_game(&mut self, result: &str) -> Fitness {
        let deadline = Instant::now() + self.timeouts.stop;
        match &mut self.dialect {
            Dialect::Ace(_) => Fitness::Spent,
            Dialect::Xboard(dialogue) => dialogue.end_game(&mut self.connection, result, deadline).await,
            Dialect::Uci(dialogue) => {
                match dialogue.stop(&mut self.connection, &mut self.irregularities, deadline).await {
                    Ok(()) => Fitness::Fit,
                    Err(_) => Fitness::Unfit,
                }
            }
        }
    }

    /// Returns the exit status of an ACE program after a game that ended on the board, if it exits in time.
    pub async fn exit_after_game(&mut self, last: Option<(&Position, Move)>) -> Option<ExitEvidence> {
        let Dialect::Ace(dialogue) = &mut self.dialect else { return None };
        let question =
            Question { position: b"", limits: ThinkLimits::default(), last, draw: DrawOffer::None };
        dialogue.ask(&mut self.connection, &question);
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let ended = std::future::poll_fn(|cx| AceDialogue::poll_idle(connection, irregularities, cx));
        timeout(ACE_EXIT_TIMEOUT, ended).await.ok()?;
        self.exit_within(ACE_EXIT_TIMEOUT).await
    }

    /// Ends the process: with a request if it is fit, immediately if not.
    pub async fn shut_down(self, fitness: Fitness) -> ShutdownReport {
        let mode = match (fitness, &self.dialect) {
            (Fitness::Fit | Fitness::Spent, Dialect::Ace(_)) => ShutdownMode::Ask("exit\n"),
            (Fitness::Fit | Fitness::Spent, Dialect::Uci(_) | Dialect::Xboard(_)) => {
                ShutdownMode::Ask("quit\n")
            }
            (Fitness::Unfit, _) => ShutdownMode::Kill,
        };
        self.connection.transport.shut_down(mode, &self.timeouts).await
    }

    /// Returns the irregularities counted since the last call.
    pub fn take_irregularities(&mut self) -> Irregularities {
        self.irregularities.take()
    }

    /// Returns the last lines in both directions.
    pub fn transcript(&self) -> Vec<String> {
        self.connection.transcript()
    }

    /// Returns the options and the last question sent to the engine. Empty for ACE, where the arguments contain
    /// everything.
    pub fn sent_state(&self) -> SentState {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.sent_state(),
            Dialect::Xboard(dialogue) => dialogue.sent_state(),
            Dialect::Ace(_) => SentState::default(),
        }
    }

    /// Returns the end of the engine's stderr, with unprintable bytes escaped.
    pub fn stderr_tail(&self) -> String {
        escape(&self.connection.transport.stderr_tail())
    }

    /// Returns the transport.
    pub fn transport(&self) -> &T {
        &self.connection.transport
    }

    /// Returns the name that the engine gives itself. ACE programs give none.
    pub fn id_name(&self) -> Option<String> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.id_name.clone(),
            Dialect::Xboard(dialogue) => dialogue.name(),
            Dialect::Ace(_) => None,
        }
    }

    /// Returns the current value of the option `Threads`.
    pub fn threads(&self) -> Option<usize> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.threads(),
            Dialect::Xboard(dialogue) => dialogue.threads(),
            Dialect::Ace(_) => None,
        }
    }

    /// Returns the current value of an option: the value sent to the engine, or the declared default.
    pub fn option_value(&self, name: &str) -> Option<String> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.option_value(name),
            Dialect::Xboard(dialogue) => dialogue.option_value(name),
            Dialect::Ace(_) => None,
        }
    }

    /// Returns all options that the engine declared. ACE has none.
    pub fn declared_options(&self) -> &[OptionDeclaration] {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.declared_options(),
            Dialect::Xboard(dialogue) => dialogue.declared_options(),
            Dialect::Ace(_) => &[],
        }
    }

    /// Returns whether the engine uses UCI, and therefore writes moves as records do.
    pub fn is_uci(&self) -> bool {
        matches!(self.dialect, Dialect::Uci(_))
    }

    /// Returns the time limit of a move without a clock.
    pub fn move_cap(&self) -> Duration {
        self.timeouts.move_cap
    }

    /// Returns how long the pipe to the engine may stay full.
    pub fn write_limit(&self) -> Duration {
        self.timeouts.write
    }
}

/// Parses a move of an xboard engine: coordinates, in either case of a promotion letter, or SAN.
fn read_xboard_move(position: &Position, text: &str, castling: Castling) -> Option<Move> {
    let lower = text.to_ascii_lowercase();
    let coordinates = position.parse_coordinate(&lower, MoveStyle::Standard);
    coordinates
        .or_else(|_| position.parse_coordinate(&lower, castling.style()))
        .ok()
        .or_else(|| position.parse_san(text).ok())
}
