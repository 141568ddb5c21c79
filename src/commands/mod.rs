//! The composition root: every command of `playself` as a function of values, without command-line parsing.

mod ask;
mod book;
mod book_advice;
mod build_cache;
mod check;
mod conclude;
mod console;
mod detach;
mod dialogue_file;
mod doctor;
mod dry_run;
mod earlier_runs;
mod engine_options;
mod engine_session;
mod environment;
mod failure;
#[cfg(feature = "nats")]
mod fleet;
mod fleet_session;
#[cfg(feature = "nats")]
mod fleet_status;
mod forecast;
mod game_results;
mod hosted;
mod init;
mod journal_check;
mod key_press;
mod list;
mod openings;
mod output_file;
mod patch_forecast;
mod pilot;
mod plan;
mod position_scorer;
mod rate;
mod report;
mod resume;
mod several_tests;
mod shell_word;
mod simulate;
mod start;
mod stats;
mod texel;
mod training_data;
mod tune;
mod tuned_values;
mod verify;
mod watch;
#[cfg(feature = "nats")]
mod worker;

pub use ask::{AskRequest, Asked, AskedEngine, ask};
pub use book::{BookRequest, make_book};
pub use book_advice::book_advice;
pub use build_cache::BuildCache;
pub use check::examine;
pub use conclude::Conclusion;
pub use console::{Console, answer};
pub use detach::{Session, start_detached};
pub use doctor::{DoctorRequest, diagnose};
pub use dry_run::dry_run;
pub use engine_options::{EngineOptionList, OptionsFormat, engine_options};
pub use environment::{Encryption, Environment, FleetAccess, processors};
pub use failure::{Failure, OrFailure};
#[cfg(feature = "nats")]
pub use fleet::{DroppedWorker, NewFleet, NewWorker, add_worker, drop_worker, init_fleet, serve_fleet};
#[cfg(feature = "nats")]
pub use fleet_status::{FleetStatus, RunOnFleet, WorkerOnFleet, fleet_status};
pub use forecast::{Forecast, ForecastAt, ForecastSummary, least_gain, test_reach};
pub use game_results::{GameResults, PlayerResults};
pub use hosted::{HostedParts, HostedResume, play_hosted};
pub use init::{InitKind, InitRequest, found_engines, run_file_text};
pub use key_press::{Key, Keys};
pub use list::{FoundRun, RunList, RunProgress, list_runs};
pub use patch_forecast::{MOST_REGRESSIONS, PatchForecast};
pub use pilot::{Pilot, pilot};
pub use plan::{
    CheckedPlan, LenientCheck, PlanSource, RefusedOption, check_plan, check_plan_leniently, checked_plan,
    new_seed,
};
pub use rate::{RateRequest, rate};
pub use report::{ReadRun, compared_run, open_runs, run_summary, write_charts};
pub use resume::{ResumeOptions, ResumePlace, resume};
pub use several_tests::{PlayedTests, play_tests, share_errors};
pub use simulate::{
    ComparedMethods, SimulatedTest, SimulatedTestSummary, SimulatedTuning, SimulatedTuningSummary,
};
pub use start::{Finished, RunPlace, StartOptions, WarningPolicy, serve, start};
pub use stats::{CorrectedStats, CountedStats, ResultStats};
pub use texel::{TexelRequest, TexelSummary, fit_weights};
pub use training_data::{TrainingDataRequest, make_training_data};
pub use tune::{Pilots, TuneOutcome, TuneRequest, accept, tune, tuning_plan};
pub use tuned_values::test_of_tuned_values;
pub use verify::{FileState, JournalCut, Verification, VerifiedFile, verify};
pub use watch::{panel_status, watched_run};
#[cfg(feature = "nats")]
pub use worker::{WorkerRequest, WorkerSlots, work};
