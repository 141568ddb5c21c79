//! Examining an engine.

use crate::check::{Effort, Examination, Finding, Report};
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::config::{EngineEntry, LimitsTable, plan_engine};
use crate::player::Protocol;

/// Examines a UCI engine, passing every finding to `observe` as soon as it is known.
pub fn examine(
    entry: &EngineEntry,
    effort: Effort,
    environment: &Environment,
    observe: impl FnMut(&Finding),
) -> Result<Report, Failure> {
    let planned = plan_engine(entry, LimitsTable::default(), &environment.search_paths()).or_usage()?;
    if planned.spec.protocol != Protocol::Uci {
        return Err(Failure::usage(format_args!(
            "{}: only UCI engines can be examined; a short match shows how others behave",
            entry.engine
        )));
    }
    let examination = Examination::new(planned.spec, Some(&environment.guardian()), effort).or_fault()?;
    Ok(examination.examine(&entry.engine, observe))
}
