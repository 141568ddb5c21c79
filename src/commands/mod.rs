//! The composition root: every command of `playself` as a function of values, without command-line parsing.

mod book;
mod build_cache;
mod check;
mod console;
mod doctor;
mod environment;
mod failure;
mod forecast;
mod hosted;
mod journal_check;
mod non_blocking_writer;
mod openings;
mod output_file;
mod pilot;
mod plan;
mod report;
mod resume;
mod simulate;
mod start;
mod stats;
mod texel;
mod training_data;
mod tune;
mod verify;
mod watch;

pub use book::{BookRequest, make_book};
pub use build_cache::BuildCache;
pub use check::examine;
pub use console::{Console, answer};
pub use doctor::{DoctorRequest, diagnose};
pub use environment::{Environment, processors};
pub use failure::{Failure, OrFailure};
pub use forecast::{Forecast, ForecastAt, ForecastSummary, least_gain, test_reach};
pub use hosted::{HostedParts, HostedResume, play_hosted};
pub use pilot::{Pilot, pilot};
pub use plan::{
    CheckedPlan, LenientCheck, PlanSource, RefusedOption, check_plan, check_plan_leniently, checked_plan,
};
pub use report::{ReadRun, compared_run, open_runs, run_summary, write_charts};
pub use resume::{ResumeOptions, resume};
pub use simulate::{SimulatedTest, SimulatedTestSummary, SimulatedTuning, SimulatedTuningSummary};
pub use start::{Finished, RunPlace, StartOptions, WarningPolicy, announce, start};
pub use stats::{CorrectedStats, ResultStats};
pub use texel::{TexelRequest, TexelSummary, fit_weights};
pub use training_data::{TrainingDataRequest, make_training_data};
pub use tune::{TuneOutcome, TuneRequest, accept, tune, tuning_plan};
pub use verify::{FileState, JournalCut, Verification, VerifiedFile, verify};
pub use watch::panel_status;
