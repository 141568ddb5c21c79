//! The messages between coordinator and workers: JSON objects with a version. Unknown keys are ignored.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::fleet::nats::{RunId, WorkerName};
use crate::fleet::{Member, PairJob};
use crate::game::{AdjudicationRules, EngineIndex, FaultBundle, GameOfPair, PairId, VoidReason};
use crate::journal::GameEntry;
use crate::player::EngineSpec;

/// Version of the messages.
pub const VERSION: u32 = 1;

/// Number of the rules of play: clocks, adjudication, faults. Machines with different numbers do not play together.
pub const PLAY: u32 = 1;

/// Characters of an error about a message that are shown.
const MOST_QUOTED: usize = 200;

/// A message that is ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// It is larger than any message of its kind.
    #[error("a message of {0} bytes is too large")]
    TooLarge(usize),
    /// A newer program wrote it.
    #[error("a message of version {0} comes from a newer program")]
    Newer(u32),
    /// It cannot be read.
    #[error("a message cannot be read: {0}")]
    Unreadable(String),
}

/// A message as bytes.
pub trait Message: Serialize + DeserializeOwned {
    /// The most bytes that a message of this kind has.
    const LIMIT: usize;

    /// Returns the message as bytes.
    fn encode(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Versioned<'a, T> {
            v: u32,
            #[serde(flatten)]
            message: &'a T,
        }
        // Keys are texts and numbers are finite, so nothing can fail.
        serde_json::to_vec(&Versioned { v: VERSION, message: self }).unwrap_or_default()
    }

    /// Reads a message.
    fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        if bytes.len() > Self::LIMIT {
            return Err(BadMessage::TooLarge(bytes.len()));
        }
        // An error may quote the whole message.
        let unreadable = |error: serde_json::Error| {
            BadMessage::Unreadable(error.to_string().chars().take(MOST_QUOTED).collect())
        };
        let Version { v } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if v > VERSION {
            return Err(BadMessage::Newer(v));
        }
        serde_json::from_slice(bytes).map_err(unreadable)
    }
}

/// The right to report a pair: the attempt at it and the number of the delivery of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Token {
    /// Index of the pair.
    pub pair: u64,
    /// Attempt at the pair.
    pub attempt: u32,
    /// Number of the delivery, from 1.
    pub delivery: u64,
}

/// A token in a list: `[pair, attempt, delivery]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, u32, u64)", into = "(u64, u32, u64)")]
pub struct TokenTuple(pub Token);

impl From<(u64, u32, u64)> for TokenTuple {
    fn from((pair, attempt, delivery): (u64, u32, u64)) -> Self {
        Self(Token { pair, attempt, delivery })
    }
}

impl From<TokenTuple> for (u64, u32, u64) {
    fn from(TokenTuple(Token { pair, attempt, delivery }): TokenTuple) -> Self {
        (pair, attempt, delivery)
    }
}

/// A pair in play: `[pair, attempt, delivery, plies]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u32, u64, u64)", into = "(u64, u32, u64, u64)")]
pub struct Playing {
    /// Its token.
    pub token: Token,
    /// Half-moves of the game in play.
    pub plies: u64,
}

impl From<(u64, u32, u64, u64)> for Playing {
    fn from((pair, attempt, delivery, plies): (u64, u32, u64, u64)) -> Self {
        Self { token: Token { pair, attempt, delivery }, plies }
    }
}

impl From<Playing> for (u64, u32, u64, u64) {
    fn from(Playing { token, plies }: Playing) -> Self {
        (token.pair, token.attempt, token.delivery, plies)
    }
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoticeState {
    /// It has pairs to play.
    Open,
    /// It starts no pairs for the time being.
    Paused,
    /// It has ended; its pairs are of no use.
    Over,
}

/// The notice of a run, by which workers find it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunNotice {
    /// The run.
    pub run: RunId,
    /// Name of the run for people.
    #[serde(default)]
    pub name: String,
    /// Number of the coordinator's start; a second coordinator has another one.
    pub epoch: u64,
    /// How often this coordinator had to make the streams again.
    #[serde(default)]
    pub stores: u64,
    /// What it is doing.
    pub state: NoticeState,
    /// The rules of play.
    pub play: u32,
    /// SHA-256 of its description.
    #[serde(rename = "sheet")]
    pub description: String,
    /// Runs of a higher priority are served first.
    pub priority: i32,
    /// Share among runs of the same priority.
    pub weight: u32,
    /// Slots that play it.
    pub slots: u64,
    /// Pairs in play or waiting for a worker.
    #[serde(default)]
    pub flying: u64,
    /// Pairs that no worker plays.
    #[serde(default)]
    pub waiting: u64,
    /// Pairs that count.
    pub counted: u64,
    /// Pairs that it has at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// The pair that the result waits for, and the worker that plays it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<(u64, Option<WorkerName>)>,
    /// Time between two renewals of the notice.
    #[serde(default)]
    pub renew_ms: u64,
    /// Excluded workers: they get no pairs.
    #[serde(rename = "banned")]
    pub excluded: Vec<WorkerName>,
}

/// A file by its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
}

/// A program for one kind of machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Architecture and system, as `x86_64-linux`.
    pub target: String,
    /// The file.
    #[serde(flatten)]
    pub file: FileRef,
}

/// Source text of an engine and how it is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The revision.
    pub rev: String,
    /// An archive of its files.
    pub tar: FileRef,
    /// The command that builds it.
    pub build: String,
    /// Path of the program after the build.
    pub program: String,
}

/// An engine of a run, as workers need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedEngine {
    /// How it is started. The program is `{file:program}`; arguments, options and environment name other files
    /// likewise.
    pub spec: EngineSpec,
    /// The files, by name.
    #[serde(default)]
    pub files: BTreeMap<String, FileRef>,
    /// The program, by kind of machine.
    #[serde(default)]
    pub binaries: Vec<Binary>,
    /// Its source text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Its moves and node counts in fixed positions, if they are the same every time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Depth of the searches that give the signature.
    #[serde(default)]
    pub probe_depth: u32,
}

/// Everything that a worker needs for a run. It does not change during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunDescription {
    /// The run.
    pub run: RunId,
    /// Version of the coordinator's program.
    pub program: String,
    /// The rules of play.
    pub play: u32,
    /// Rules by which games end early.
    pub rules: AdjudicationRules,
    /// Whether a clock or a time per move limits an engine.
    pub timed: bool,
    /// Speed of the baseline on the coordinator's machine, in nodes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<u64>,
    /// Slowest machine that may play, as a part of the reference.
    pub slowest: f64,
    /// Rest of a slot after each game.
    #[serde(default)]
    pub wait_ms: u64,
    /// Time after which a job that no worker extends is delivered again.
    pub lease_ms: u64,
    /// Time between two signs of life of a worker.
    pub beat_ms: u64,
    /// The engines, in the order of the plan.
    pub engines: Vec<DescribedEngine>,
}

/// A pair to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The run.
    pub run: RunId,
    /// Added to the number of the delivery; above 0 if the job had to be published again.
    pub base: u64,
    /// The pair.
    pub job: PairJob,
}

/// What a worker reports to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum WorkerReport {
    /// It begins to play a pair.
    Claim {
        /// The worker.
        worker: WorkerName,
        /// Its token.
        #[serde(flatten)]
        token: Token,
        /// Factor of its time control, in millionths.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale_ppm: Option<u32>,
    },
    /// It has played a pair.
    Pair {
        /// The worker.
        worker: WorkerName,
        /// Its token.
        #[serde(flatten)]
        token: Token,
        /// The games that it played.
        games: Vec<GameEntry>,
        /// Evidence about faults of engines.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        bundles: Vec<FaultBundle>,
    },
    /// A pair became void on it.
    Void {
        /// The worker.
        worker: WorkerName,
        /// Its token.
        #[serde(flatten)]
        token: Token,
        /// The reason.
        reason: VoidReason,
    },
    /// It cannot play this run.
    Refuse {
        /// The worker.
        worker: WorkerName,
        /// The reason.
        #[serde(flatten)]
        refusal: Refusal,
    },
}

impl WorkerReport {
    /// Returns the worker that states to have sent it.
    pub fn worker(&self) -> &WorkerName {
        match self {
            Self::Claim { worker, .. }
            | Self::Pair { worker, .. }
            | Self::Void { worker, .. }
            | Self::Refuse { worker, .. } => worker,
        }
    }

    /// Returns the pair that it is about.
    pub fn token(&self) -> Option<Token> {
        match self {
            Self::Claim { token, .. } | Self::Pair { token, .. } | Self::Void { token, .. } => Some(*token),
            Self::Refuse { .. } => None,
        }
    }
}

/// Why a worker cannot play a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefusalCode {
    /// There is no program for its kind of machine, or it does not run there.
    Target,
    /// An engine plays differently there.
    Signature,
    /// An engine cannot be built there.
    Build,
    /// It is too slow.
    Slow,
    /// It has too little memory.
    Memory,
    /// A file is missing or damaged.
    Files,
    /// It cannot confine engines.
    Sandbox,
}

/// The refusal of a worker to play a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{why}")]
pub struct Refusal {
    /// The kind of reason.
    pub code: RefusalCode,
    /// The reason.
    pub why: String,
}

/// A game in progress on a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Its pair.
    pub id: PairId,
    /// Game of the pair.
    pub game: GameOfPair,
    /// Slot of the worker.
    pub slot: usize,
    /// Engine that plays White.
    pub white: EngineIndex,
    /// Engine that plays Black.
    pub black: EngineIndex,
    /// The position.
    pub fen: String,
    /// Half-moves so far.
    pub plies: usize,
    /// Last move, in coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Milliseconds left on the clocks of White and Black.
    pub clocks: [Option<u64>; 2],
}

/// A sign of life of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// The worker.
    pub worker: WorkerName,
    /// A number that differs from one process to the next.
    pub nonce: u64,
    /// Version of its program.
    pub version: String,
    /// The rules of play.
    pub play: u32,
    /// Its processor.
    pub cpu: String,
    /// Its architecture and system.
    pub target: String,
    /// Pairs that it can play at once.
    pub slots: usize,
    /// Pairs that it could begin now.
    pub free: usize,
    /// The run that it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Speed of the baseline on it, in nodes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Factor of its time control, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
    /// Pairs in play.
    #[serde(default)]
    pub playing: Vec<Playing>,
    /// Pairs whose results were sent and not yet answered.
    #[serde(default)]
    pub waiting: Vec<TokenTuple>,
    /// Bytes of results that are kept until they are answered.
    #[serde(default)]
    pub spool_bytes: u64,
    /// Why it takes no jobs, if something is wrong with the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Games in progress; at most two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Board>,
}

/// The answer of a coordinator to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoordinatorAnswer {
    /// The run.
    pub run: RunId,
    /// Results that are on record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<TokenTuple>,
    /// Pairs that are on record otherwise, or are not needed any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<TokenTuple>,
    /// Pairs that another worker plays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<TokenTuple>,
    /// Results to be sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resend: Vec<TokenTuple>,
    /// Nonce of a worker whose name another worker had first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
}

impl CoordinatorAnswer {
    /// Creates an empty answer.
    pub fn new(run: RunId) -> Self {
        let (counted, over, stale, resend) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { run, counted, over, stale, resend, taken: None }
    }

    /// Adds what a later answer to the same worker states.
    pub fn append(&mut self, later: Self) {
        self.counted.extend(later.counted);
        self.over.extend(later.over);
        self.stale.extend(later.stale);
        self.resend.extend(later.resend);
        self.taken = later.taken.or(self.taken);
    }
}

/// The answer of a coordinator to a question about its workers; a large fleet has several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MembersAnswer {
    /// The run.
    pub run: RunId,
    /// Its workers, or a part of them.
    pub members: Vec<Member>,
}

impl MembersAnswer {
    /// Workers in one answer.
    pub const MOST: usize = 500;
}

impl Message for MembersAnswer {
    const LIMIT: usize = 1 << 20;
}

impl Message for RunNotice {
    const LIMIT: usize = 512 << 10;
}

impl Message for RunDescription {
    const LIMIT: usize = 4 << 20;
}

impl Message for Job {
    const LIMIT: usize = 64 << 10;
}

impl Message for WorkerReport {
    const LIMIT: usize = 512 << 10;
}

impl Message for Heartbeat {
    const LIMIT: usize = 64 << 10;
}

impl Message for CoordinatorAnswer {
    const LIMIT: usize = 512 << 10;
}

/// Identifiers by which the server recognises repeated messages.
pub mod message_id {
    use super::{PairId, RunId, Token};

    /// Identifier of the first publication of a job.
    pub fn job(run: &RunId, id: PairId) -> String {
        format!("{run}.{}.{}", id.index, id.attempt)
    }

    /// Identifier of a claim.
    pub fn claim(run: &RunId, Token { pair, attempt, delivery }: Token) -> String {
        format!("{run}.{pair}.{attempt}.{delivery}.c")
    }

    /// Identifier of a result that was sent `resends` times before.
    pub fn result(run: &RunId, Token { pair, attempt, delivery }: Token, resends: u32) -> String {
        format!("{run}.{pair}.{attempt}.{delivery}.r{resends}")
    }
}

#[cfg(test)]
#[path = "messages/tests.rs"]
mod tests;
