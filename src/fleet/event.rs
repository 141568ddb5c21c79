//! Events reported by a fleet.

use crate::fleet::{MembersQuestion, PairReport};
use crate::game::PairId;
use crate::game::{EngineIndex, FaultBundle, GameOfPair, GameRecord, VoidReason};
use crate::journal::{Claim, GameEntry, WorkerFacts};

/// An event in a fleet. Every submitted pair ends in exactly one `PairFinished`, `Received`, `Voided`, `VoidedBy` or
/// `LeftInPlay`.
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
    /// A pair that another machine played, with both of its games.
    Received(Box<ReceivedPair>),
    /// A pair that became void on another machine.
    VoidedBy {
        /// Its pair.
        id: PairId,
        /// The reason.
        reason: VoidReason,
        /// Name of the machine.
        worker: String,
    },
    /// A machine began to play a pair.
    Claimed {
        /// Its pair.
        id: PairId,
        /// The machine and its claim.
        claim: Claim,
    },
    /// A machine plays for this run.
    Joined(Box<WorkerFacts>),
    /// A machine is excluded: it gets no more pairs, or it is admitted again.
    WorkerExcluded {
        /// Its name.
        worker: String,
        /// The reason; `None` if it was admitted again.
        why: Option<String>,
    },
    /// Another program asks about the members; [`Fleet::answer`](crate::fleet::Fleet::answer) answers.
    Asked(MembersQuestion),
    /// The fleet leaves this pair to the machine that plays it; a later session takes it over.
    LeftInPlay(PairId),
    /// The fleet cannot continue: nothing more is started.
    Failed(String),
    /// Information for the user that affects no result.
    Warning(String),
    /// An engine cannot be used at all: nothing more is started, and its pair is void.
    EngineFatal(Box<EngineFatal>),
}

/// The games of a pair that another machine played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedPair {
    /// Its pair.
    pub id: PairId,
    /// Its games, in order.
    pub games: Vec<GameEntry>,
    /// Evidence about faults of engines.
    pub bundles: Vec<FaultBundle>,
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
