//! Everything needed to repeat a run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::fleet::Placement;
use crate::game::{AdjudicationRules, EngineIndex, TimeControl};
use crate::opening::{Order, Share};
use crate::player::EngineSpec;
use crate::stats::SprtConfig;
use crate::tuning::TunerPlan;

use crate::run::fault_breaker::Breaker;
use crate::run::schedule::{Pairing, Schedule};
use crate::store::FileHash;

/// A run, settled to the last detail before its first game. `plan.toml` is its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of the program that made it.
    pub playself: String,
    /// What the run is called.
    pub name: String,
    /// The day it was planned, UTC, as `2026.01.31`.
    pub date: String,
    /// What openings and colours follow from.
    pub seed: u64,
    /// Pairs played at the same time at the start. Never changes a result.
    pub concurrency: usize,
    /// Whether each game gets processors of its own.
    #[serde(default)]
    pub placement: Placement,
    /// Where the run ends at the latest.
    pub max_pairs: Option<u64>,
    /// Who meets whom.
    #[serde(default)]
    pub pairing: Pairing,
    /// What engine faults do.
    #[serde(default)]
    pub breaker: Breaker,
    /// Where games start; the initial position if there is none.
    pub openings: Option<BookPlan>,
    /// The test, if the run is one.
    pub sprt: Option<SprtConfig>,
    /// What is tuned, if the run tunes; its engines are then the same program twice, told different values.
    pub tune: Option<TunerPlan>,
    /// The test that tuned values must pass.
    pub accept: Option<AcceptPlan>,
    /// When games end early.
    #[serde(default)]
    pub adjudication: AdjudicationRules,
    /// Who plays; the candidate first.
    pub engines: Vec<PlannedEngine>,
}

/// The test that follows a tuning run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptPlan {
    /// Where it ends at the latest.
    pub max_pairs: Option<u64>,
    /// How long it may take, where the budget is in hours and `max_pairs` does not say; becomes pairs as it starts.
    #[serde(default)]
    pub hours: Option<f64>,
    /// How long or how far its engines think.
    pub limits: TimeControl,
    /// The test.
    pub sprt: SprtConfig,
}

/// A book and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookPlan {
    /// The file, as it was.
    pub file: FileHash,
    /// Whether the seed shuffles it.
    pub order: Order,
    /// Which of its openings; a tuning run leaves some to the test of its values.
    #[serde(default)]
    pub share: Share,
    /// The first opening used, from 1.
    pub start: u64,
    /// The most plies of an opening that are played.
    pub plies: Option<u32>,
}

/// An engine of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedEngine {
    /// The engine as the user named it.
    pub named: String,
    /// How to start and address it.
    pub spec: EngineSpec,
    /// How long or how far it thinks.
    pub limits: TimeControl,
    /// The program and the files it was told to read, as they were.
    pub files: Vec<FileHash>,
    /// What was written for this engine rather than for all.
    #[serde(default)]
    pub own: Vec<OwnSetting>,
}

/// A setting that an engine can have apart from the others. A difference that was written out for both engines is one
/// that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnSetting {
    /// How long or how far it thinks.
    Limits,
    /// Whether it thinks on its opponent's time.
    Ponder,
    /// When its process is replaced.
    Restart,
}

#[cfg(test)]
impl Plan {
    /// Two engines by nodes, from the start position, one game at a time without end: what tests begin with.
    pub(super) fn sample(names: [&str; 2]) -> Self {
        let engine = |name: &str| PlannedEngine {
            named: name.to_owned(),
            spec: EngineSpec::uci(name, name),
            limits: TimeControl::nodes(1),
            files: Vec::new(),
            own: Vec::new(),
        };
        Self {
            playself: "0".to_owned(),
            name: "test".to_owned(),
            date: "2026.01.01".to_owned(),
            seed: 1,
            concurrency: 1,
            placement: Placement::Off,
            max_pairs: None,
            pairing: Pairing::RoundRobin,
            breaker: Breaker::On,
            openings: None,
            sprt: None,
            tune: None,
            accept: None,
            adjudication: AdjudicationRules::default(),
            engines: names.map(engine).into(),
        }
    }
}

impl Plan {
    /// Who meets whom, in what order.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.pairing, u16::try_from(self.engines.len()).unwrap_or(u16::MAX))
    }

    /// The name of an engine.
    pub fn name_of(&self, engine: EngineIndex) -> &str {
        &self.engines[engine.get()].spec.name
    }

    /// What White and Black had to think.
    pub fn limits_of(&self, white: EngineIndex, black: EngineIndex) -> [TimeControl; 2] {
        [white, black].map(|engine| self.engines[engine.get()].limits)
    }

    /// Games still to be written when so many pairs are counted; 0 where nobody can say.
    pub fn games_left(&self, counted: u64) -> u64 {
        let pairs = match (&self.tune, self.sprt) {
            (Some(tune), _) => tune.pairs,
            // A test's limit is seldom reached, so it says nothing about what it will need.
            (None, Some(_)) => 0,
            (None, None) => self.max_pairs.unwrap_or(0),
        };
        pairs.saturating_sub(counted).saturating_mul(2)
    }

    /// Every file the run rests on that is not what it was, in words.
    pub fn changes(&self) -> Vec<String> {
        let mut seen: Vec<&PathBuf> = Vec::new();
        let files = self.engines.iter().flat_map(|engine| &engine.files);
        let mut changes = Vec::new();
        for file in files.chain(self.openings.iter().map(|book| &book.file)) {
            if !seen.contains(&&file.path) {
                seen.push(&file.path);
                changes.extend(file.changed());
            }
        }
        changes
    }
}
