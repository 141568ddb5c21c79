//! What a run needs of the place where its pairs are played.

use serde::{Deserialize, Serialize};

use crate::fleet::{FleetError, FleetEvent, PairJob};
use crate::game::{LiveGame, PairId};
use crate::journal::FleetSession;

/// A place where pairs are played: this machine, or many.
///
/// Every submitted pair ends in exactly one `PairFinished`, `Received`, `Voided`, `VoidedBy` or `LeftInPlay`.
pub trait Fleet {
    /// Returns how many more pairs could begin at once.
    fn room(&self) -> usize;

    /// Queues a pair. Pairs begin in the order of submission.
    fn submit(&mut self, job: PairJob);

    /// Waits for the next event. There is always one to come as long as a pair is queued or in progress. Dropping the
    /// future loses no event.
    fn next_event(&mut self) -> impl Future<Output = Option<FleetEvent>>;

    /// Notes that everything reported about this pair is durable.
    fn settle(&mut self, _id: PairId) {}

    /// Takes over the pairs that an earlier session left in play, and returns those that are not in play. The others must be
    /// submitted again with the same attempt.
    fn adopt(&mut self, flying: Vec<PairId>) -> Vec<PairId> {
        flying
    }

    /// Notes that the test is decided, so that pairs in play are of no use.
    fn recall(&mut self) {}

    /// Returns what the journal records about the fleet at the start of a session, if other machines play.
    fn session(&self) -> Option<FleetSession> {
        None
    }

    /// Returns how many pairs may be started beyond the last one that counts; `None` without a limit.
    fn ahead(&self) -> Option<u64> {
        None
    }

    /// Returns the machines that play, if they are others than this one.
    fn members(&self) -> Vec<Member> {
        Vec::new()
    }

    /// Returns the pair that the result waits for, and the machine that plays it, if machines other than this one play.
    fn waits_for(&self) -> Option<(u64, Option<String>)> {
        None
    }

    /// Answers a question about the members.
    fn answer(&self, _question: &MembersQuestion, _members: Vec<Member>) {}

    /// Excludes a member from further pairs, or admits it again. Returns what is wrong with the request.
    fn set_admission(&mut self, member: &str, _admission: Admission) -> Result<(), String> {
        Err(format!("this run is played on one machine and has no worker `{member}`"))
    }

    /// Notes whether the run starts pairs at present.
    fn set_paused(&mut self, _paused: Pause) {}

    /// Returns the games in progress, as far as they are known.
    fn live(&self) -> Vec<LiveGame>;

    /// Asks for the dialogue with the engines of all games in progress, which later snapshots contain.
    fn want_dialogue(&self);

    /// Returns the number of pairs that may be played at the same time.
    fn concurrency(&self) -> usize;

    /// Changes the number of pairs played at the same time; pairs in progress are always finished.
    fn set_concurrency(&mut self, concurrency: usize) -> Result<(), FleetError>;

    /// Finishes the pairs in progress; queued ones are reported void. Cannot be undone.
    fn drain(&mut self);

    /// Ends the games of this machine and kills its engines: their pairs are reported void. Pairs that other machines play
    /// are left in play.
    fn kill_now(&mut self);

    /// Notes that the run is over and will not be resumed.
    fn conclude(&mut self) {}

    /// Closes the fleet: finishes the pairs in progress, ends engines and threads. Returns the unread events.
    fn close(self) -> impl Future<Output = Vec<FleetEvent>>;
}

/// Whether a member of a fleet gets pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is excluded: it gets no more pairs.
    Excluded,
    /// It gets pairs.
    Admitted,
}

/// Whether a run starts pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It starts none until it is continued.
    Paused,
    /// It starts pairs.
    Playing,
}

/// A question of another program about the members of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembersQuestion {
    /// Where the answer goes.
    pub reply: String,
}

/// A machine that plays pairs of a run. The keys of its JSON are a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its processor.
    pub cpu: String,
    /// Its architecture and system.
    pub target: String,
    /// Pairs that it can play at once.
    pub slots: usize,
    /// Pairs that it plays at present.
    pub playing: usize,
    /// Speed of the baseline on it, in nodes per second.
    pub nps: Option<u64>,
    /// Factor of its time control, in millionths.
    pub scale_ppm: Option<u32>,
    /// Pairs of it that were accepted.
    pub pairs: u64,
    /// Games that an engine lost on time on it.
    pub forfeits: u64,
    /// Games that an engine lost by a failure on it.
    pub faults: u64,
    /// Pairs that became void on it.
    pub voids: u64,
    /// How much its results differ from those of all members: chi-squared, with four degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// What it is doing: `playing`, `silent`, or why it was excluded.
    pub state: String,
}
