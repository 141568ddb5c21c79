//! Whoever a game asks for a move: one engine, in one of two dialects.

use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::chess::MoveStyle;
use crate::chess::{Color, Move, Position};
use crate::player::connection::escape;
use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::dialogue::AceDialogue;
use crate::player::dialogue::ExpectError;
use crate::player::dialogue::{HandshakeError, UciDialogue};
use crate::player::exchange::{Answer, Irregularities, MoveReply, Question, SentState, ThinkLimits};
use crate::player::options::{NumberOption, OptionError};
use crate::player::{
    BlockingReader, CrashMoment, EngineOption, EngineSpec, ExitEvidence, MoveText, PlayerFault, Protocol,
    ProtocolBreach, Sandbox, ShutdownMode, ShutdownReport, Timeouts, Transport,
};

/// An engine that is there and talks.
#[derive(Debug)]
pub struct Player<T> {
    connection: Connection<T>,
    timeouts: Timeouts,
    sandbox: Sandbox,
    irregularities: Irregularities,
    dialect: Dialect,
}

#[derive(Debug)]
enum Dialect {
    Uci(Box<UciDialogue>),
    Ace(AceDialogue),
}

/// Why an engine could not be made ready to play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartFault {
    /// It failed.
    #[error("{0}")]
    Fault(PlayerFault),
    /// It was given an option it does not take: a mistake in the plan.
    #[error("it {0}")]
    Option(OptionError),
    /// It cannot play this variant.
    #[error("it does not declare UCI_Chess960, which this opening needs")]
    NoChess960,
}

/// The moment a conversation broke, to be looked into by [`Player::diagnose`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenConnection(ConnectionEnd);

/// Whether a player can go on to the next game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// It is idle and answers.
    Fit,
    /// Its process has to be replaced.
    Unfit,
}

/// A rule of castling, as a player must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Castling {
    /// King's two steps.
    Standard,
    /// King takes rook.
    Chess960,
}

/// How long an engine that closed a stream has to end, before it counts as alive and cut off.
const EXIT_AFTER_CLOSE: Duration = Duration::from_millis(200);
/// How long an ACE program has to end by itself once its game is over.
const ACE_EXIT_TIMEOUT: Duration = Duration::from_millis(100);

impl<T: Transport> Player<T> {
    /// Makes an engine behind `transport` ready: the whole UCI greeting, or nothing at all for ACE.
    pub async fn handshake(transport: T, spec: &EngineSpec) -> Result<Self, (Box<Self>, StartFault)> {
        let mut player = Self {
            connection: Connection::new(transport, &spec.timeouts),
            timeouts: spec.timeouts.clone(),
            sandbox: spec.sandbox,
            irregularities: Irregularities::default(),
            dialect: Dialect::Ace(AceDialogue::new()),
        };
        if matches!(spec.protocol, Protocol::Ace { .. }) {
            return Ok(player);
        }
        match UciDialogue::handshake(&mut player.connection, &mut player.irregularities, spec).await {
            Ok(dialogue) => {
                player.dialect = Dialect::Uci(Box::new(dialogue));
                Ok(player)
            }
            Err(error) => {
                let fault = player.start_fault(error, CrashMoment::Startup).await;
                Err((Box::new(player), fault))
            }
        }
    }

    /// The arguments of an ACE program's game; none for UCI.
    pub fn game_arguments(
        spec: &EngineSpec,
        side: Color,
        limits: &ThinkLimits,
        fen: &str,
    ) -> Result<Vec<String>, String> {
        match &spec.protocol {
            Protocol::Uci => Ok(Vec::new()),
            Protocol::Ace { template } => AceDialogue::arguments(template, side, limits, fen)
                .map_err(|error| format!("its argument template does not fit this game: {error:?}")),
        }
    }

    /// Begins a game from where the whole command `position` leads, with these options over the engine's own.
    pub async fn new_game(
        &mut self,
        castling: Castling,
        position: &[u8],
        options: &[EngineOption],
    ) -> Result<(), StartFault> {
        let Dialect::Uci(dialogue) = &mut self.dialect else { return Ok(()) };
        let mut options = options.to_vec();
        match castling {
            Castling::Chess960 if !dialogue.declares("UCI_Chess960") => return Err(StartFault::NoChess960),
            Castling::Chess960 => options.push(EngineOption::new("UCI_Chess960", "true")),
            Castling::Standard => {}
        }
        let deadline = Instant::now() + self.timeouts.new_game;
        let begun = dialogue
            .new_game(&mut self.connection, &mut self.irregularities, (position, &options), deadline)
            .await;
        match begun {
            Ok(()) => Ok(()),
            Err(error) => Err(self.start_fault(error, CrashMoment::Idle).await),
        }
    }

    async fn start_fault(&mut self, error: HandshakeError, during: CrashMoment) -> StartFault {
        match error {
            HandshakeError::Expect(error) => StartFault::Fault(self.fault_of(error, during).await),
            HandshakeError::Option(error) => StartFault::Option(error),
        }
    }

    async fn fault_of(&mut self, error: ExpectError, during: CrashMoment) -> PlayerFault {
        match error {
            ExpectError::Late(point) => PlayerFault::Stall(point),
            ExpectError::End(end) => self.diagnose(BrokenConnection(end), during).await,
        }
    }

    /// Whether [`Player::prepare`] must come before the next question.
    pub fn needs_preparation(&self) -> bool {
        matches!(&self.dialect, Dialect::Uci(dialogue) if dialogue.needs_preparation())
    }

    /// Clears up what would be taken for the answer to the next question; not on the engine's clock.
    pub async fn prepare(
        &mut self,
        question: &Question<'_>,
        played: Option<MoveText>,
    ) -> Result<(), PlayerFault> {
        let Dialect::Uci(dialogue) = &mut self.dialect else { return Ok(()) };
        let limits = [self.timeouts.stop, self.timeouts.ready];
        match dialogue.prepare(&mut self.connection, &mut self.irregularities, question, played, limits).await
        {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fault_of(error, CrashMoment::Idle).await),
        }
    }

    /// Asks for a move; returns the time allowed on top of the clock. The message goes out, and the clock starts, with
    /// the first [`Player::poll_answer`].
    pub fn ask(&mut self, question: &Question<'_>) -> Duration {
        match &mut self.dialect {
            Dialect::Uci(dialogue) => {
                dialogue.ask(&mut self.connection, question);
                Duration::ZERO
            }
            Dialect::Ace(dialogue) => {
                dialogue.ask(&mut self.connection, question);
                dialogue.grace(self.timeouts.start)
            }
        }
    }

    /// The answer to the last question.
    pub fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, BrokenConnection>> {
        let answer = match &mut self.dialect {
            Dialect::Uci(dialogue) => {
                dialogue.poll_answer(&mut self.connection, &mut self.irregularities, cx)
            }
            Dialect::Ace(dialogue) => {
                dialogue.poll_answer(&mut self.connection, &mut self.irregularities, cx)
            }
        };
        answer.map_err(BrokenConnection)
    }

    /// Takes back the last answer, which belongs to an older question: the true one is still to come. For UCI only.
    pub fn discard_answer(&mut self) {
        if let Dialect::Uci(dialogue) = &mut self.dialect {
            dialogue.discard_answer(&mut self.irregularities);
        }
    }

    /// Takes in what has been said and not been heard of yet, for the next [`Player::poll_answer`].
    pub fn read_available(&mut self, cx: &mut Context<'_>) {
        self.connection.read_available(cx);
    }

    /// Sends the question and waits for its answer on the spot, for a beat at most. What has been heard is there for the
    /// next [`Player::poll_answer`].
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

    /// Listens to the player while it is not asked anything. Ready only when it cannot go on.
    pub fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<BrokenConnection> {
        let end = match &mut self.dialect {
            Dialect::Uci(dialogue) => dialogue.poll_idle(&mut self.connection, &mut self.irregularities, cx),
            Dialect::Ace(_) => AceDialogue::poll_idle(&mut self.connection, &mut self.irregularities, cx),
        };
        end.map(BrokenConnection)
    }

    /// Lets the player think on its opponent's time, if it is set to and `expected` is what it foresees.
    pub fn ponder(&mut self, question: &Question<'_>, expected: MoveText) {
        if let Dialect::Uci(dialogue) = &mut self.dialect {
            dialogue.ponder(&mut self.connection, question, expected);
        }
    }

    /// When the last question began to go out, once it has.
    pub fn asked_at(&self) -> Instant {
        self.connection.wrote_at()
    }

    /// Whether part of the question could not be written yet: the engine does not read.
    pub fn is_sending(&self) -> bool {
        self.connection.is_sending()
    }

    /// The move that `said` names in `position`, in the player's spelling.
    pub fn read_move(&self, position: &Position, reply: &MoveReply, castling: Castling) -> Option<Move> {
        let MoveReply::Move(text) = reply else { return None };
        match &self.dialect {
            Dialect::Uci(_) => position.parse_coordinate(text.as_str(), castling.style()).ok(),
            Dialect::Ace(_) => position.parse_ace(text.as_str()).ok(),
        }
    }

    /// Finds out how a conversation ended.
    pub async fn diagnose(
        &mut self,
        BrokenConnection(end): BrokenConnection,
        during: CrashMoment,
    ) -> PlayerFault {
        let (exit, alive) = match end {
            ConnectionEnd::Flood => return PlayerFault::Protocol(ProtocolBreach::Flood),
            ConnectionEnd::Exited(exit) => (Some(exit), during),
            ConnectionEnd::OutputClosed => {
                (self.exit_within(EXIT_AFTER_CLOSE).await, CrashMoment::StdoutClosed)
            }
            ConnectionEnd::InputClosed => {
                (self.exit_within(EXIT_AFTER_CLOSE).await, CrashMoment::StdinClosed)
            }
        };
        let during = match exit {
            None => alive,
            Some(exit) => {
                // Its last words may still be on their way through the pipe.
                tokio::time::sleep(Duration::from_millis(2)).await;
                if self.ran_out_of_memory(exit) { CrashMoment::Memory } else { during }
            }
        };
        PlayerFault::Crash { during, exit }
    }

    async fn exit_within(&mut self, allowed: Duration) -> Option<ExitEvidence> {
        timeout(allowed, std::future::poll_fn(|cx| self.connection.transport.poll_exit(cx))).await.ok()
    }

    /// Whether an engine under a memory limit ended the way programs do that reach it.
    fn ran_out_of_memory(&self, exit: ExitEvidence) -> bool {
        if self.sandbox.memory_bytes.is_none() || exit == ExitEvidence::Code(0) {
            return false;
        }
        let last_words =
            String::from_utf8_lossy(&self.connection.transport.stderr_tail()).to_ascii_lowercase();
        ["memory", "alloc"].iter().any(|word| last_words.contains(word))
    }

    /// After a game: ends whatever the engine still does. An ACE program's process ends with its game.
    pub async fn end_game(&mut self) -> Fitness {
        match &mut self.dialect {
            Dialect::Ace(_) => Fitness::Unfit,
            Dialect::Uci(dialogue) => {
                let deadline = Instant::now() + self.timeouts.stop;
                match dialogue.stop(&mut self.connection, &mut self.irregularities, deadline).await {
                    Ok(()) => Fitness::Fit,
                    Err(_) => Fitness::Unfit,
                }
            }
        }
    }

    /// An ACE program's own verdict on a game that is over on the board: its exit status, if it gives one in time.
    pub async fn exit_after_game(&mut self, last: Option<(&Position, Move)>) -> Option<ExitEvidence> {
        let Dialect::Ace(dialogue) = &mut self.dialect else { return None };
        let question = Question { position: b"", limits: ThinkLimits::default(), last };
        dialogue.ask(&mut self.connection, &question);
        let (connection, irregularities) = (&mut self.connection, &mut self.irregularities);
        let ended = std::future::poll_fn(|cx| AceDialogue::poll_idle(connection, irregularities, cx));
        timeout(ACE_EXIT_TIMEOUT, ended).await.ok()?;
        self.exit_within(ACE_EXIT_TIMEOUT).await
    }

    /// Ends the process: politely if it is fit, at once if not.
    pub async fn shut_down(self, fitness: Fitness) -> ShutdownReport {
        let mode = match (fitness, &self.dialect) {
            (Fitness::Fit, Dialect::Ace(_)) => ShutdownMode::Ask("exit\n"),
            (Fitness::Fit, Dialect::Uci(_)) => ShutdownMode::Ask("quit\n"),
            (Fitness::Unfit, _) => ShutdownMode::Kill,
        };
        self.connection.transport.shut_down(mode, &self.timeouts).await
    }

    /// The oddities counted since the last call.
    pub fn take_irregularities(&mut self) -> Irregularities {
        self.irregularities.take()
    }

    /// The last lines each way.
    pub fn transcript(&self) -> Vec<String> {
        self.connection.transcript()
    }

    /// What it stands at and was last asked, as it was told; nothing for ACE, whose arguments queue_line it all.
    pub fn sent_state(&self) -> SentState {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.sent_state(),
            Dialect::Ace(_) => SentState::default(),
        }
    }

    /// The end of its stderr, printable.
    pub fn stderr_tail(&self) -> String {
        escape(&self.connection.transport.stderr_tail())
    }

    /// The transport, to look at.
    pub fn transport(&self) -> &T {
        &self.connection.transport
    }

    /// The name a UCI engine gave itself.
    pub fn id_name(&self) -> Option<&str> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.id_name.as_deref(),
            Dialect::Ace(_) => None,
        }
    }

    /// The threads that a UCI engine says it searches with.
    pub fn threads(&self) -> Option<usize> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.threads(),
            Dialect::Ace(_) => None,
        }
    }

    /// What an option of a UCI engine stands at: what it was told, or else what it declares as its default.
    pub fn option_value(&self, name: &str) -> Option<String> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.option_value(name),
            Dialect::Ace(_) => None,
        }
    }

    /// Every number that a UCI engine lets itself be told.
    pub fn numbers(&self) -> Vec<NumberOption> {
        match &self.dialect {
            Dialect::Uci(dialogue) => dialogue.numbers(),
            Dialect::Ace(_) => Vec::new(),
        }
    }

    /// Whether it speaks UCI, and spells moves as records do.
    pub fn is_uci(&self) -> bool {
        matches!(self.dialect, Dialect::Uci(_))
    }

    /// The longest a move may take that has no clock.
    pub fn move_cap(&self) -> Duration {
        self.timeouts.move_cap
    }

    /// How long a full pipe may stay full.
    pub fn write_limit(&self) -> Duration {
        self.timeouts.write
    }
}

impl Castling {
    /// How moves are spelt under this rule.
    pub fn style(self) -> MoveStyle {
        match self {
            Self::Standard => MoveStyle::Standard,
            Self::Chess960 => MoveStyle::Chess960,
        }
    }
}
