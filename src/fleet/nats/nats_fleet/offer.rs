//! How a run is offered to workers.

use std::collections::HashMap;
use std::time::Duration;

use crate::fleet::nats::access::ServerUrl;
use crate::fleet::nats::ledger::Ledger;
use crate::fleet::nats::messages::{NoticeState, PLAY, RunNotice};
use crate::fleet::nats::{Access, Backoff, BlobError, NatsError, RunId, ShippedEngine, Timing, WorkerName};
use crate::game::{AdjudicationRules, PairId};
use crate::journal::Claim;
use crate::store::sha256_of;

/// Why a run cannot be offered to workers.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It has another coordinator.
    #[error("{}", fenced())]
    Fenced,
    /// The server cannot be used; another attempt may succeed.
    #[error("the server of the fleet cannot be used: {0}")]
    Server(#[from] NatsError),
    /// An engine cannot be sent to the workers.
    #[error("{0}")]
    Blob(BlobError),
}

impl From<BlobError> for StartError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Nats(error) => Self::Server(error),
            error => Self::Blob(error),
        }
    }
}

/// How a run is offered to workers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name in the fleet.
    pub run: RunId,
    /// Its name for people.
    pub name: String,
    /// Address of the server, without secrets.
    pub url: String,
    /// Its description, as bytes.
    pub description: Vec<u8>,
    /// Its engines, for a server that has lost their files.
    pub engines: Vec<ShippedEngine>,
    /// Rules by which its games end early.
    pub rules: AdjudicationRules,
    /// Pairs that it has at the most.
    pub pairs: Option<u64>,
    /// Runs of a higher priority are served first.
    pub priority: i32,
    /// Share among runs of the same priority.
    pub weight: u32,
    /// Pairs started beyond the last one that counts, for every slot.
    pub ahead: u64,
    /// Time without a move after which a game does not go on.
    pub stuck: Duration,
    /// Part of the pairs that are played by a second worker as well.
    pub audit: f64,
    /// Times of the protocol.
    pub timing: Timing,
    /// Times of the connection.
    pub backoff: Backoff,
}

/// What the journal of a resumed run knows about its fleet.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The latest claims.
    pub claims: HashMap<PairId, Claim>,
    /// Workers that get no pairs, with the reason.
    pub excluded: Vec<(WorkerName, String)>,
    /// Pairs that count.
    pub counted: u64,
}

/// Creates the notice of a run; the task that stores it knows its epoch.
pub(super) fn first_notice(offer: &Offer, epoch: u64, ledger: &Ledger, counted: u64) -> RunNotice {
    RunNotice {
        run: offer.run.clone(),
        name: offer.name.clone(),
        epoch,
        stores: 0,
        state: NoticeState::Open,
        play: PLAY,
        description: sha256_of(&offer.description),
        priority: offer.priority,
        weight: offer.weight,
        slots: 0,
        flying: ledger.flying() as u64,
        waiting: 0,
        counted,
        pairs: offer.pairs,
        waits_for: None,
        renew_ms: u64::try_from(offer.timing.notice.as_millis()).unwrap_or(u64::MAX),
        excluded: ledger.excluded(),
    }
}

/// Returns the address of a server without secrets.
pub fn shown_url(access: &Access) -> String {
    ServerUrl::parse(&access.url).map_or_else(|_| String::new(), |url| url.to_string())
}

pub(super) fn fenced() -> String {
    "another coordinator plays this run; two of them would count pairs twice".to_owned()
}
