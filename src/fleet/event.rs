//! Events reported by a fleet.

use crate::fleet::PairReport;

use crate::game::PairId;
use crate::game::{EngineIndex, FaultBundle, GameOfPair, GameRecord, VoidReason};

/// An event in a fleet. Every submitted pair ends in exactly one `PairFinished` or `Voided`.
#[derive(Clone, Debug)]
pub enum FleetEvent {
    /// A game began.
    GameStarted {
        /// Its pair.
        id: PairId,
        /// Game of the pair.
        game: GameOfPair,
        /// Slot in which it is played.
        slot: usize,
    },
    /// A game ended. It only counts together with its pair.
    GameFinished {
        /// Its pair.
        id: PairId,
        /// Game of the pair.
        game: GameOfPair,
        /// Record of the game.
        record: Box<GameRecord>,
        /// Evidence about the fault of an engine, if there was one.
        bundle: Option<Box<FaultBundle>>,
    },
    /// A pair ended and counts.
    PairFinished(Box<PairReport>),
    /// A pair does not count. The caller may submit it again as the next attempt.
    Voided {
        /// Its pair.
        id: PairId,
        /// Game in which it became void.
        game: GameOfPair,
        /// The reason.
        reason: VoidReason,
    },
    /// Information for the user that affects no result.
    Warning(String),
    /// An engine cannot be used at all: nothing more is started, and its pair is void.
    EngineFatal(Box<EngineFatal>),
}

/// Reason why an engine cannot be used: before its first successful handshake in a run, a failure is a mistake in the
/// plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine {name} ({engine}): {reason}")]
pub struct EngineFatal {
    /// Index of the engine.
    pub engine: EngineIndex,
    /// Name of the engine.
    pub name: String,
    /// The problem, and what to do about it.
    pub reason: String,
    /// The end of its stderr.
    pub stderr_tail: String,
}
