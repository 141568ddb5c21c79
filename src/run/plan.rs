//! Everything needed to repeat a run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::fleet::{MAX_CONCURRENCY, Placement, ProgramChanged, Shipment};
use crate::game::{
    AdjudicationRules, EngineIndex, GameOfPair, TableJudge, TablesUnusable, TimeControl, Variant,
};
use crate::opening::{AfterBook, Order, Share};
use crate::player::{EngineOption, EngineSpec, Timeouts};
use crate::stats::SprtConfig;
use crate::tuning::TunerPlan;

use crate::run::encounters::Encounters;
use crate::run::fault_breaker::Breaker;
use crate::run::fleet_plan::FleetPlan;
use crate::run::kind::{AcceptPlan, RunKind};
use crate::run::pgn_content::PgnContent;
use crate::run::schedule::{Pairing, Schedule};
use crate::store::FileHash;

/// A run, settled to the last detail before its first game. `plan.toml` is its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PlanTable", into = "PlanTable")]
pub struct Plan {
    /// The version of the program that made it.
    pub playself: String,
    /// The name of the run.
    pub name: String,
    /// The day it was planned, UTC, as `2026.01.31`.
    pub date: String,
    /// Openings and their order follow from it.
    pub seed: u64,
    /// Pairs played at the same time at the start. Never changes a result.
    pub concurrency: usize,
    /// Whether each game gets processors of its own.
    pub placement: Placement,
    /// Match, test or tuning.
    pub kind: RunKind,
    /// Which engines meet.
    pub pairing: Pairing,
    /// How the games of two engines are arranged.
    pub encounters: Encounters,
    /// What engine faults do.
    pub breaker: Breaker,
    /// What follows if the program of an engine changes during the run.
    pub program_changed: ProgramChanged,
    /// Where games start; the initial position if there is none.
    pub openings: Option<BookPlan>,
    /// What follows when all openings were used.
    pub after_book: AfterBook,
    /// When games end early.
    pub adjudication: AdjudicationRules,
    /// What the PGN of the games contains.
    pub pgn: PgnContent,
    /// Command that runs when the run has ended.
    pub on_end: Option<String>,
    /// How the workers of a fleet play it.
    pub fleet: FleetPlan,
    /// The engines; the candidate first.
    pub engines: Vec<PlannedEngine>,
}

impl Plan {
    /// The most pairs of a run: more than are played in a century.
    pub const MAX_PAIRS: u64 = 1_000_000_000;

    /// The most engines of a run: with more, not even one round is ever finished.
    pub const MAX_ENGINES: usize = 1000;

    /// The highest number of the first opening that is used.
    pub const MAX_OPENING: u64 = 1_000_000_000_000;

    /// The longest timeout of an engine: a day.
    pub const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

    /// The largest size that limits what an engine prints; no machine has more memory.
    pub const MAX_BYTES: u64 = 1 << 50;

    /// The most plies of an opening.
    pub const MAX_OPENING_PLIES: u32 = 10_000;
}

/// `plan.toml` as it is written: the kind of the run is spread over four optional keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanTable {
    playself: String,
    name: String,
    date: String,
    seed: u64,
    concurrency: usize,
    #[serde(default)]
    placement: Placement,
    max_pairs: Option<u64>,
    #[serde(default)]
    pairing: Pairing,
    #[serde(default)]
    breaker: Breaker,
    #[serde(default, skip_serializing_if = "ProgramChanged::is_default")]
    program_changed: ProgramChanged,
    #[serde(default, skip_serializing_if = "Encounters::is_default")]
    encounters: Encounters,
    #[serde(default)]
    after_book: AfterBook,
    openings: Option<BookPlan>,
    sprt: Option<SprtConfig>,
    tune: Option<TunerPlan>,
    accept: Option<AcceptPlan>,
    #[serde(default)]
    adjudication: AdjudicationRules,
    #[serde(default, skip_serializing_if = "PgnContent::is_default")]
    pgn: PgnContent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_end: Option<String>,
    #[serde(default, skip_serializing_if = "FleetPlan::is_default")]
    fleet: FleetPlan,
    engines: Vec<PlannedEngine>,
}

impl PlanTable {
    /// Refuses numbers that no plan of this program has. A plan can be edited and played again.
    fn check(&self) -> Result<(), String> {
        let within = |name: &str, number: u64, most: u64| {
            let valid = (1..=most).contains(&number);
            if valid { Ok(()) } else { Err(format!("{name} must be from 1 to {most}, not {number}")) }
        };
        within("concurrency", self.concurrency as u64, MAX_CONCURRENCY as u64)?;
        within("max_pairs", self.max_pairs.unwrap_or(1), Plan::MAX_PAIRS)?;
        within("openings.start", self.openings.as_ref().map_or(1, |book| book.start), Plan::MAX_OPENING)?;
        if self.engines.len() > Plan::MAX_ENGINES {
            return Err(format!(
                "{} engines are too many: the most is {}",
                self.engines.len(),
                Plan::MAX_ENGINES
            ));
        }
        self.adjudication.check()?;
        self.engines.iter().try_for_each(|engine| {
            let checked = engine.limits.check().and_then(|()| check_timeouts(&engine.spec.timeouts));
            checked.map_err(|why| format!("engine {}: {why}", engine.spec.name))
        })
    }
}

/// Refuses limits of an engine beyond those that a configuration file can set.
fn check_timeouts(limits: &Timeouts) -> Result<(), String> {
    let Timeouts { start, ready, new_game, stop, quit, term, move_cap, write, .. } = limits;
    let longest = [start, ready, new_game, stop, quit, term, move_cap, write].into_iter().max();
    if longest.is_some_and(|longest| *longest > Plan::MAX_TIMEOUT) {
        return Err(format!("timeouts must be from 0 to {} s", Plan::MAX_TIMEOUT.as_secs()));
    }
    let largest = limits.line_bytes.max(limits.move_bytes).max(limits.stderr_bytes) as u64;
    if largest > Plan::MAX_BYTES {
        return Err(format!("sizes must be from 0 to {} bytes", Plan::MAX_BYTES));
    }
    Ok(())
}

impl TryFrom<PlanTable> for Plan {
    type Error = String;

    fn try_from(table: PlanTable) -> Result<Self, Self::Error> {
        table.check()?;
        let kind = match (table.max_pairs, table.sprt, table.tune, table.accept) {
            (_, None, Some(tuner), accept) => RunKind::Tuning { tuner: Box::new(tuner), accept },
            (max_pairs, Some(sprt), None, None) => RunKind::Test { sprt, max_pairs },
            (Some(pairs), None, None, None) => RunKind::Match { pairs },
            (None, None, None, None) => return Err("a match without max_pairs has no end".to_owned()),
            (_, Some(_), Some(_), _) => {
                return Err("a run is a test or tunes, not both: it has sprt and tune".to_owned());
            }
            (_, _, None, Some(_)) => return Err("accept needs tune".to_owned()),
        };
        Ok(Self {
            playself: table.playself,
            name: table.name,
            date: table.date,
            seed: table.seed,
            concurrency: table.concurrency,
            placement: table.placement,
            kind,
            pairing: table.pairing,
            encounters: table.encounters,
            breaker: table.breaker,
            program_changed: table.program_changed,
            openings: table.openings,
            after_book: table.after_book,
            adjudication: table.adjudication,
            pgn: table.pgn,
            on_end: table.on_end,
            fleet: table.fleet,
            engines: table.engines,
        })
    }
}

impl From<Plan> for PlanTable {
    fn from(plan: Plan) -> Self {
        let max_pairs = plan.last_pair();
        let (sprt, tune, accept) = match plan.kind {
            RunKind::Match { .. } => (None, None, None),
            RunKind::Test { sprt, .. } => (Some(sprt), None, None),
            RunKind::Tuning { tuner, accept } => (None, Some(*tuner), accept),
        };
        Self {
            playself: plan.playself,
            name: plan.name,
            date: plan.date,
            seed: plan.seed,
            concurrency: plan.concurrency,
            placement: plan.placement,
            max_pairs,
            pairing: plan.pairing,
            encounters: plan.encounters,
            breaker: plan.breaker,
            program_changed: plan.program_changed,
            after_book: plan.after_book,
            openings: plan.openings,
            sprt,
            tune,
            accept,
            adjudication: plan.adjudication,
            pgn: plan.pgn,
            on_end: plan.on_end,
            fleet: plan.fleet,
            engines: plan.engines,
        }
    }
}

/// A book and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookPlan {
    /// The file and its hash.
    pub file: FileHash,
    /// Whether the seed shuffles it.
    pub order: Order,
    /// Which of its openings; a tuning run leaves some for the test of its values.
    #[serde(default)]
    pub share: Share,
    /// The first opening used, from 1.
    pub start: u64,
    /// How many openings are used before the first one is used again.
    #[serde(default)]
    pub take: Option<u64>,
    /// The maximum number of plies of an opening.
    pub plies: Option<u32>,
    /// The castling rules; those that the openings need if there are none.
    #[serde(default)]
    pub variant: Option<Variant>,
}

/// An engine of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedEngine {
    /// The engine as the user named it.
    pub named: String,
    /// The name that the engine gave in its handshake (`id name`), which mostly has its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_name: Option<String>,
    /// What its settings of hash and threads are where the plan does not set them, as it declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<EngineOption>,
    /// How to start it and which protocol it uses.
    pub spec: EngineSpec,
    /// Its thinking limits.
    pub limits: TimeControl,
    /// The program and the files it reads, with their hashes.
    pub files: Vec<FileHash>,
    /// Settings written for this engine rather than for all.
    #[serde(default)]
    pub own: Vec<OwnSetting>,
    /// What it needs on other machines.
    #[serde(default, skip_serializing_if = "Shipment::is_empty")]
    pub shipment: Shipment,
}

/// A setting that can be written for one engine alone. A difference that is written out for both engines is intended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnSetting {
    /// Its thinking limits.
    Limits,
    /// Whether it ponders.
    Ponder,
    /// When its process is replaced.
    Restart,
}

#[cfg(test)]
impl Plan {
    /// Two engines at fixed nodes from the initial position, one game at a time, without end; for tests.
    pub(super) fn sample(names: [&str; 2]) -> Self {
        let engine = |name: &str| PlannedEngine {
            named: name.to_owned(),
            id_name: None,
            defaults: Vec::new(),
            spec: EngineSpec::uci(name, name),
            limits: TimeControl::nodes(1),
            files: Vec::new(),
            own: Vec::new(),
            shipment: Shipment::default(),
        };
        Self {
            playself: "0".to_owned(),
            name: "test".to_owned(),
            date: "2026.01.01".to_owned(),
            seed: 1,
            concurrency: 1,
            placement: Placement::Off,
            kind: RunKind::Match { pairs: u64::MAX },
            pairing: Pairing::RoundRobin,
            encounters: Encounters::default(),
            breaker: Breaker::On,
            program_changed: ProgramChanged::default(),
            openings: None,
            after_book: AfterBook::Repeat,
            adjudication: AdjudicationRules::default(),
            pgn: PgnContent::default(),
            on_end: None,
            fleet: FleetPlan::default(),
            engines: names.map(engine).into(),
        }
    }
}

impl Plan {
    /// Which engines meet, in which order.
    pub fn schedule(&self) -> Schedule {
        let number = |count: u64| u16::try_from(count).unwrap_or(u16::MAX);
        let Encounters { seeds, block, .. } = self.encounters;
        Schedule::new(self.pairing, number(self.engines.len() as u64), number(seeds), block)
    }

    /// The number of a game in the run, counted from 1.
    pub fn game_number(&self, pair: u64, game: GameOfPair) -> u64 {
        self.encounters.number(pair, game)
    }

    /// The number of games that the run has at the most.
    pub fn last_game(&self) -> Option<u64> {
        self.last_pair().map(|pairs| pairs.saturating_mul(self.encounters.games()))
    }

    /// The name of an engine.
    pub fn name_of(&self, engine: EngineIndex) -> &str {
        &self.engines[engine.get()].spec.name
    }

    /// The thinking limits of White and Black.
    pub fn limits_of(&self, white: EngineIndex, black: EngineIndex) -> [TimeControl; 2] {
        [white, black].map(|engine| self.engines[engine.get()].limits)
    }

    /// Opens and checks the endgame tables that end games, if the plan has them.
    pub fn tables(&self) -> Result<Option<TableJudge>, TablesUnusable> {
        let Some(rule) = &self.adjudication.tablebases else { return Ok(None) };
        let judge = TableJudge::open(rule)?;
        judge.check()?;
        Ok(Some(judge))
    }

    /// The test, if the run is one.
    pub fn sprt(&self) -> Option<SprtConfig> {
        match self.kind {
            RunKind::Test { sprt, .. } => Some(sprt),
            RunKind::Match { .. } | RunKind::Tuning { .. } => None,
        }
    }

    /// What is tuned, if the run tunes.
    pub fn tuner(&self) -> Option<&TunerPlan> {
        match &self.kind {
            RunKind::Tuning { tuner, .. } => Some(tuner),
            RunKind::Match { .. } | RunKind::Test { .. } => None,
        }
    }

    /// Whether the run tunes. The score of its two sides against each other then is not a measure of strength.
    pub fn is_tuning(&self) -> bool {
        matches!(self.kind, RunKind::Tuning { .. })
    }

    /// The test that tuned values must pass, if the run tunes and has one.
    pub fn acceptance(&self) -> Option<AcceptPlan> {
        match self.kind {
            RunKind::Tuning { accept, .. } => accept,
            RunKind::Match { .. } | RunKind::Test { .. } => None,
        }
    }

    /// Whether every engine thinks by nodes or depth, so that a repeated opening repeats its games.
    pub fn is_untimed(&self) -> bool {
        self.engines.iter().all(|engine| !engine.limits.is_timed())
    }

    /// The number of the pair at which the run ends at the latest.
    pub fn last_pair(&self) -> Option<u64> {
        match &self.kind {
            RunKind::Match { pairs } => Some(*pairs),
            RunKind::Test { max_pairs, .. } => *max_pairs,
            RunKind::Tuning { tuner, .. } => Some(tuner.pairs),
        }
    }

    /// Games still to be written after `counted` pairs; 0 where that is not known.
    pub fn games_left(&self, counted: u64) -> u64 {
        let pairs = match &self.kind {
            RunKind::Match { pairs } => *pairs,
            RunKind::Tuning { tuner, .. } => tuner.pairs,
            // A test seldom reaches its limit, so the limit is no estimate of what it will need.
            RunKind::Test { .. } => 0,
        };
        pairs.saturating_sub(counted).saturating_mul(self.encounters.games())
    }

    /// Describes every file of the run that has changed since it was planned, except programs of which the folder `programs`
    /// has a copy that the run goes on with.
    pub fn changes(&self, programs: Option<&Path>) -> Vec<String> {
        let mut seen: Vec<&PathBuf> = Vec::new();
        let programs = programs.filter(|_| self.program_changed == ProgramChanged::Keep);
        let is_kept = |file: &FileHash| {
            let copy = programs.map(|programs| FileHash { path: file.copy_in(programs), ..file.clone() });
            copy.is_some_and(|copy| copy.changed().is_none())
        };
        let engines = self.engines.iter().flat_map(|engine| &engine.files);
        let book = self.openings.iter().filter_map(|book| book.file.changed());
        let mut changes = Vec::new();
        for file in engines {
            if !seen.contains(&&file.path) {
                seen.push(&file.path);
                changes.extend(file.changed().filter(|_| !is_kept(file)));
            }
        }
        changes.extend(book);
        changes
    }
}
