//! `playself check`.

use std::process::ExitCode;

use playself::check::{Effort, Finding, Grade};
use playself::commands::{Environment, Failure, OrFailure, answer, examine};
use playself::config::EngineEntry;

/// Examine a UCI engine: does it do what the protocol requires, and by how much does it miss?
///
/// Starts the engine and checks its handshake and options, the limits of a search (depth, nodes, time, mate, moves), stop,
/// ponder, reports and their lines, Chess960, finished and unusual positions, short clocks, idle processor time, memory, and
/// how it leaves. Prints one line for each check: `pass`, `warn` (tolerable, but it may surprise) or `fail` (against the
/// protocol, or harmful in a match), with what was measured. Times are those of a quiet machine.
///
/// Exit status: 0 if no check failed, 1 if one did, 2 wrong usage.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckCommand {
    /// Engine: a program, `builtin`, or a name in configs/engines
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Arguments of the engine, after `--`
    #[arg(value_name = "ARGS", last = true)]
    args: Vec<String>,
    /// Option that is set before the checks; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Leave out the checks that take seconds: a game at a short clock, memory
    #[arg(long)]
    quick: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Exit status of an engine that fails a check.
const FAILED: u8 = 1;

impl CheckCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let option = |text: &String| match text.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Failure::usage(format_args!("--option {text}: write NAME=VALUE"))),
        };
        let options = self.options.iter().map(option).collect::<Result<_, _>>()?;
        let entry = EngineEntry { args: self.args, options, ..EngineEntry::named(&self.engine) };
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let environment = Environment::current().or_fault()?;
        let mut unread = Ok(());
        let report = examine(&entry, effort, &environment, |finding| {
            if !self.json && unread.is_ok() {
                unread = answer(line(finding));
            }
        })?;
        unread?;
        if self.json {
            answer(serde_json::to_string(&report).or_fault()?)?;
        } else {
            let [passed, warned, failed] =
                [Grade::Pass, Grade::Warn, Grade::Fail].map(|grade| report.count(grade));
            answer(format_args!("{passed} passed, {warned} warnings, {failed} failed"))?;
        }
        Ok(ExitCode::from(if report.conforms() { 0 } else { FAILED }))
    }
}

fn line(finding: &Finding) -> String {
    format!("{}  {:<20} {}", finding.grade.word(), finding.check, finding.detail)
}
