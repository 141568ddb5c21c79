//! What passes between a game and a player: a question, and the answer to it.

use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{ByColor, Move, Position};
use crate::player::{EngineOption, MoveText, Score};

/// The limits of one move, as the engine is told them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkLimits {
    /// Time left on each clock.
    pub time: ByColor<Option<Duration>>,
    /// Time added after each move.
    pub increment: ByColor<Option<Duration>>,
    /// Moves to the next period.
    pub moves_to_go: Option<u32>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Time for this move alone.
    pub movetime: Option<Duration>,
}

/// What a player is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The whole `position …` command, without its line end.
    pub position: &'a [u8],
    /// The limits.
    pub limits: ThinkLimits,
    /// The opponent's last move and the position it was made in; `None` if the player moves first.
    pub last: Option<(&'a Position, Move)>,
}

/// What a player chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveReply {
    /// Something short enough to be a move.
    Move(MoveText),
    /// Something that is no move, cut to sixteen characters.
    Other(String),
}

impl MoveReply {
    /// What an engine that named no move said.
    pub(super) const EMPTY: &'static str = "<empty>";

    /// Sorts a word.
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

    /// The text, for a record.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Move(text) => text.as_str(),
            Self::Other(text) => text,
        }
    }
}

/// A player's answer, with what it reported about its thinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its choice.
    pub reply: MoveReply,
    /// When it was read.
    pub at: Instant,
    /// From our write to our read.
    pub took: Duration,
    /// The reply it expects.
    pub ponder: Option<MoveText>,
    /// Its last report.
    pub report: ThinkReport,
}

/// The last of what an engine told about its thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkReport {
    /// From its own side.
    pub score: Option<Score>,
    /// In plies.
    pub depth: Option<u16>,
    /// In plies.
    pub seldepth: Option<u16>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Its own idea of the time it took.
    pub time: Option<Duration>,
}

/// Oddities counted since the last [`Irregularities::take`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Irregularities {
    /// Lines nobody asked for.
    pub stray: u64,
    /// Lines that are not in the protocol.
    pub garbage: u64,
    /// Moves whose score could not be read.
    pub broken_info: u64,
    /// Moves with a reported time beyond what passed.
    pub false_time: u64,
}

impl Irregularities {
    /// The counts, which start again at zero.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// What an engine was told, for whoever wants to tell it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentState {
    /// Options that were set, by the plan, the pair or the opening.
    pub options: Vec<EngineOption>,
    /// The lines that followed the last position: `go` as it was sent, and `ponderhit` where that was waited for.
    pub question: Vec<String>,
    /// The move it was pondering on, beyond the position on the board.
    pub ponder_move: Option<MoveText>,
}
