//! `playself list [RESULTS_DIR]`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::commands::{Failure, FoundRun, OrFailure, answer, list_runs};

/// List the runs in a folder with their states and results, the newest last
///
/// States: running, paused, stopping, finished, interrupted (stopped in order), crashed (killed, or the machine failed).
/// Interrupted and crashed runs can be resumed.
#[derive(Debug, clap::Args)]
pub(crate) struct ListCommand {
    /// Folder of run folders, or one run folder
    #[arg(value_name = "RESULTS_DIR", default_value = "results")]
    results: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl ListCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let list = list_runs(&self.results)?;
        if self.json {
            answer(serde_json::to_string(&list).or_fault()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if list.runs.is_empty() {
            answer(format_args!("There is no run in {}", self.results.display()))?;
        }
        for run in &list.runs {
            answer(line(run))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn line(run: &FoundRun) -> String {
    let FoundRun { started, state, .. } = run;
    let of = run.max_pairs.map(|most| format!(" of {most}")).unwrap_or_default();
    let result = run.result.clone().unwrap_or_else(|| format!("{}{of} pairs", run.pairs));
    format!("{started}  {:<11}  {}  {result}", state.word(), run.folder.display())
}
