//! Types exchanged between a game and a player: a question and its answer.

use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{ByColor, Color, Move, Position};
use crate::player::{Castling, EngineOption, MoveText, Score, SearchExtra};

/// Limits of one move, as sent to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkLimits {
    /// Time left on each clock.
    pub time: ByColor<Option<Duration>>,
    /// Time added after each move.
    pub increment: ByColor<Option<Duration>>,
    /// Moves until the next period.
    pub moves_to_go: Option<u32>,
    /// Maximum search depth, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes.
    pub nodes: Option<u64>,
    /// Time for this move alone.
    pub movetime: Option<Duration>,
}

/// The beginning of a game, as sent to the engine.
#[derive(Clone, Copy, Debug)]
pub struct GameStart<'a> {
    /// Castling rules.
    pub castling: Castling,
    /// The complete `position …` command that leads to the first question, without its line end.
    pub position: &'a [u8],
    /// Options applied over the engine's own.
    pub options: &'a [EngineOption],
    /// Side that the engine plays.
    pub side: Color,
    /// Limits of its first move.
    pub limits: ThinkLimits,
}

/// Whether the opponent offered a draw with its last move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOffer {
    /// No offer.
    #[default]
    None,
    /// An offer that the engine may accept.
    Made,
}

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The complete `position …` command, without its line end.
    pub position: &'a [u8],
    /// Limits of this move.
    pub limits: ThinkLimits,
    /// The opponent's last move and the position it was made in; `None` if the player moves first.
    pub last: Option<(&'a Position, Move)>,
    /// The opponent's draw offer.
    pub draw: DrawOffer,
}

/// The move that a player chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveReply {
    /// Text short enough to be a move. It may still be illegal.
    Move(MoveText),
    /// The engine resigns.
    Resigns,
    /// The engine accepts the draw that it was offered.
    AcceptsDraw,
    /// Text that cannot be a move, truncated to sixteen characters.
    Other(String),
}

impl MoveReply {
    /// Text recorded for an engine that named no move.
    pub(super) const EMPTY: &'static str = "<empty>";

    /// Classifies the word that the engine sent as its move.
    pub(super) fn new(word: &str) -> Self {
        match MoveText::new(word) {
            Some(text) => Self::Move(text),
            None if word.is_empty() => Self::Other(Self::EMPTY.to_owned()),
            None => {
                let plain = word.chars().map(|letter| if letter.is_control() { '?' } else { letter });
                Self::Other(plain.take(16).collect())
            }
        }
    }

    /// Returns the text, as records show it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Move(text) => text.as_str(),
            Self::Resigns => "resign",
            Self::AcceptsDraw => "draw",
            Self::Other(text) => text,
        }
    }
}

/// A player's answer, with the data it reported about its search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move.
    pub reply: MoveReply,
    /// When the answer was read.
    pub at: Instant,
    /// Time from writing the question to reading the answer.
    pub took: Duration,
    /// The reply that the engine expects, if it named one.
    pub ponder: Option<MoveText>,
    /// Data of its last search report.
    pub report: ThinkReport,
    /// Further details of the search, if the plan asks for them.
    pub extra: Option<Box<SearchExtra>>,
}

/// Data of the last `info` line with a score before an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkReport {
    /// Score from the engine's point of view.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u16>,
    /// Selective depth in plies.
    pub seldepth: Option<u16>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Search time as measured by the engine.
    pub time: Option<Duration>,
}

/// Irregularities counted since the last [`Irregularities::take`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Irregularities {
    /// Lines that answer no question.
    pub stray: u64,
    /// Lines that are not part of the protocol.
    pub garbage: u64,
    /// The beginning of the first of them.
    pub first_garbage: Option<String>,
    /// Moves whose score could not be read.
    pub broken_info: u64,
    /// Moves whose reported time exceeds the time that passed.
    pub false_time: u64,
}

impl Irregularities {
    /// Counts a line that is not part of the protocol, unless it is empty.
    pub(in crate::player) fn note_garbage(&mut self, line: &str) {
        const LONGEST: usize = 100;
        if !line.is_empty() {
            self.garbage += 1;
            self.first_garbage.get_or_insert_with(|| line.chars().take(LONGEST).collect());
        }
    }

    /// Returns the counts and resets them to zero.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// Commands that an engine has received, as needed to repeat them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentState {
    /// Options currently set, by the plan, the pair or the opening.
    pub options: Vec<EngineOption>,
    /// UCI: lines that followed the last position, `go` as it was sent, and `ponderhit` if the engine was waiting for
    /// it. Xboard: the whole input that leads to the last question.
    pub question: Vec<String>,
    /// The move that the engine was pondering on, which is not on the board yet.
    pub ponder_move: Option<MoveText>,
}
