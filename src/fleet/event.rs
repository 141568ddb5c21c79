//! What a fleet tells whoever runs it.

use crate::fleet::PairReport;

use crate::game::PairId;
use crate::game::{EngineIndex, FaultBundle, GameOfPair, GameRecord, VoidReason};

/// What happened in a fleet. Every submitted pair ends in exactly one `PairFinished` or `Voided`.
#[derive(Clone, Debug)]
pub enum FleetEvent {
    /// A game began.
    GameStarted {
        /// Its pair.
        id: PairId,
        /// Which of the two.
        game: GameOfPair,
        /// The slot it is played in.
        slot: usize,
    },
    /// A game ended. It counts only with its pair.
    GameFinished {
        /// Its pair.
        id: PairId,
        /// Which of the two.
        game: GameOfPair,
        /// The game.
        record: Box<GameRecord>,
        /// What an engine's fault left behind.
        bundle: Option<Box<FaultBundle>>,
    },
    /// A pair ended and counts.
    PairFinished(Box<PairReport>),
    /// A pair does not count; submit it again with the next attempt, or not.
    Voided {
        /// Its pair.
        id: PairId,
        /// The game in which it happened.
        game: GameOfPair,
        /// Why.
        reason: VoidReason,
    },
    /// Something that the user should know and that affects no result.
    Warning(String),
    /// An engine cannot be used at all: nothing more is started, and its pair is void.
    EngineFatal(Box<EngineFatal>),
}

/// Why an engine cannot be used: before its first good handshake in a run, a failure is a mistake in the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine {name} ({engine}): {reason}")]
pub struct EngineFatal {
    /// Which engine.
    pub engine: EngineIndex,
    /// Its name.
    pub name: String,
    /// What is wrong, and what to do about it.
    pub reason: String,
    /// The end of what it wrote on stderr.
    pub stderr_tail: String,
}
