//! The runs in a folder, with their states and results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::commands::failure::Failure;
use crate::journal::is_finished;
use crate::report::{CompletionReason, Summary};
use crate::run::control::{ControlAnswer, ControlError, ControlRequest, RunPhase, RunStatus, request};
use crate::store::{RunFolder, UtcDate};

/// Time that a run has to answer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunProgress {
    /// It is being played.
    Running,
    /// It is being played and starts no pairs until it is continued.
    Paused,
    /// It finishes the pairs in play, then ends.
    Stopping,
    /// Nothing is left to play.
    Finished,
    /// It was stopped by the user, a signal or a fault, and can be resumed.
    Interrupted,
    /// Its process was killed or the machine failed; it can be resumed.
    Crashed,
}

impl RunProgress {
    /// Returns the word of the list.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
            Self::Crashed => "crashed",
        }
    }

    fn of(folder: &RunFolder, answer: &Result<ControlAnswer, ControlError>) -> Self {
        match answer {
            Ok(ControlAnswer::Status(status)) => match status.phase {
                RunPhase::Playing => Self::Running,
                RunPhase::Paused => Self::Paused,
                RunPhase::Stopping => Self::Stopping,
            },
            // It was reached and is too busy to answer.
            Ok(ControlAnswer::Error { .. }) => Self::Running,
            Err(ControlError::Io(why)) if is_timeout(why) => Self::Running,
            Err(_) if is_finished(folder) => Self::Finished,
            // A process that ends in order removes its socket.
            Err(_) if fs::symlink_metadata(folder.socket()).is_ok() => Self::Crashed,
            Err(_) => Self::Interrupted,
        }
    }
}

fn is_timeout(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// A run of the list. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct FoundRun {
    pub folder: PathBuf,
    pub state: RunProgress,
    pub started: String,
    pub pairs: u64,
    pub max_pairs: Option<u64>,
    pub result: Option<String>,
    #[serde(skip)]
    since: Option<SystemTime>,
}

/// The runs of a folder, the newest last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunList {
    /// The runs.
    pub runs: Vec<FoundRun>,
}

/// Lists the runs in `root`, or the one in it if it is a run folder itself.
pub fn list_runs(root: &Path) -> Result<RunList, Failure> {
    let folders = match RunFolder::open(root) {
        Ok(folder) => vec![folder],
        Err(_) => {
            let entries = fs::read_dir(root).map_err(|why| match why.kind() {
                io::ErrorKind::NotFound => Failure::usage(format_args!(
                    "there is no folder {}: play a run first, or name the folder of your runs",
                    root.display()
                )),
                _ => Failure::usage(format_args!("{} cannot be read: {why}", root.display())),
            })?;
            entries.flatten().filter_map(|entry| RunFolder::open(&entry.path()).ok()).collect()
        }
    };
    let tests = folders.iter().filter_map(|folder| RunFolder::open(&folder.acceptance()).ok());
    let tests: Vec<RunFolder> = tests.collect();
    let mut runs: Vec<FoundRun> = folders.into_iter().chain(tests).map(|folder| found(&folder)).collect();
    runs.sort_by(|one, other| (one.since, &one.folder).cmp(&(other.since, &other.folder)));
    Ok(RunList { runs })
}

fn found(folder: &RunFolder) -> FoundRun {
    let answer = request(folder, ControlRequest::Status, TIMEOUT);
    let summary = Summary::read_latest(folder).ok();
    let completion = summary.as_ref().and_then(|summary| summary.completion.as_ref());
    let awaits_test = completion.is_some_and(|found| found.reason == CompletionReason::AcceptanceTest);
    let state = match RunProgress::of(folder, &answer) {
        RunProgress::Finished if awaits_test => progress_of_test(folder),
        state => state,
    };
    let status: Option<RunStatus> = match answer {
        Ok(ControlAnswer::Status(status)) => Some(*status),
        _ => None,
    };
    // The plan is written once, at the start.
    let since = fs::metadata(folder.plan()).and_then(|about| about.modified()).ok();
    let pairs = status.as_ref().map(|status| status.pairs).or(summary.as_ref().map(|summary| summary.pairs));
    FoundRun {
        folder: folder.path().to_owned(),
        state,
        started: since.map(minute).unwrap_or_default(),
        pairs: pairs.unwrap_or(0),
        max_pairs: status.and_then(|status| status.max_pairs),
        result: summary.map(|summary| summary.sentence()),
        since,
    }
}

/// Returns the progress of a tuning run that has only its acceptance test left to play.
fn progress_of_test(folder: &RunFolder) -> RunProgress {
    match RunFolder::open(&folder.acceptance()) {
        Ok(test) => RunProgress::of(&test, &request(&test, ControlRequest::Status, TIMEOUT)),
        Err(_) => RunProgress::Interrupted,
    }
}

fn minute(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    UtcDate::from_unix(i64::try_from(seconds).unwrap_or(0)).minute()
}
