//! One match, test or tuning run: its plan, its state, its events and its control socket.

mod acceptance;
mod audit;
pub mod control;
mod event;
mod fault_breaker;
mod kind;
mod observers;
mod outcome;
mod plan;
mod plan_file;
mod playing_time;
pub mod preflight;
mod reader;
mod replay;
mod runner;
mod schedule;
mod signals;
mod standings;
mod state;

pub use acceptance::{AcceptancePlan, AfterRun};
pub use audit::Audit;
pub use event::{Observer, RunEvent, RunView, Trace};
pub use fault_breaker::{Breaker, Conduct, FaultWatch};
pub use kind::{AcceptPlan, RunKind};
pub use outcome::RunOutcome;
pub use plan::{BookPlan, OwnSetting, Plan, PlannedEngine};
pub use plan_file::{PlanFileError, plan_changes, plan_from_toml, plan_to_toml};
pub use playing_time::PlayingTime;
pub use reader::{Advance, Incident, RunReader, fault_file_name};
pub use replay::{Known, ReplayError, Replayed, check_first_record, replay};
pub use runner::{FinishedRun, Openings, RunBuilder, RunError, RunStart};
pub use schedule::{Fixture, Pairing, Schedule};
pub use signals::{Interrupt, Interrupts};
pub use standings::{FaultCounts, MatchScore, Standings};
pub use state::{CountedPair, CountedTrial, Effect, NextPair, RunState, TRIALS_PER_REPORT};
