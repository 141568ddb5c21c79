//! The composition root: every command of `playself` as a function of values, without command-line parsing.

mod console;
mod environment;
mod failure;
mod forecast;
mod journal_check;
mod non_blocking_writer;
mod openings;
mod pilot;
mod plan;
mod resume;
mod simulate;
mod start;
mod stats;
mod tune;
mod verify;

pub use console::{Console, answer};
pub use environment::Environment;
pub use failure::{Failure, OrFailure};
pub use forecast::{Forecast, ForecastAt, least_gain, test_reach};
pub use pilot::{Pilot, pilot};
pub use plan::{CheckedPlan, RunSource, check_plan, checked_plan};
pub use resume::{ResumeOptions, resume};
pub use simulate::{SimulatedTest, SimulatedTestSummary, SimulatedTuning, SimulatedTuningSummary};
pub use start::{Finished, RunPlace, StartOptions, WarningPolicy, announce, start};
pub use stats::{CorrectedStats, ResultStats};
pub use tune::{Acceptance, TuneRequest, accept, tune, tuning_plan};
pub use verify::{FileState, JournalCut, Verification, VerifiedFile, verify};
