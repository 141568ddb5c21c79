//! Names of runs, workers and subjects. They are parts of subjects that the server checks, so nothing else fits in
//! them.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

/// First part of every subject of this version of the contract.
pub const PREFIX: &str = "ps.v1";

/// Why a text is not a name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct BadName(String);

/// Name of a worker: 1 to 32 lower-case letters, digits and hyphens.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkerName(String);

impl WorkerName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for WorkerName {
    type Error = BadName;

    fn try_from(text: String) -> Result<Self, BadName> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match (1..=32).contains(&text.len()) && text.bytes().all(fits) {
            true => Ok(Self(text)),
            false => Err(BadName(format!(
                "{text:?} is not a name of a worker: 1 to 32 lower-case letters, digits and hyphens"
            ))),
        }
    }
}

impl From<WorkerName> for String {
    fn from(name: WorkerName) -> Self {
        name.0
    }
}

impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a run on a fleet: 16 hexadecimal digits.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// Returns a name that no other run has.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(format!("{:016x}", u64::from_be_bytes(bytes))))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RunId {
    type Error = BadName;

    fn try_from(text: String) -> Result<Self, BadName> {
        let fits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.len() == 16 && text.bytes().all(fits) {
            true => Ok(Self(text)),
            false => Err(BadName(format!("{text:?} is not a name of a run: 16 hexadecimal digits"))),
        }
    }
}

impl From<RunId> for String {
    fn from(run: RunId) -> Self {
        run.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Subjects of the messages.
pub mod subject {
    use super::{PREFIX, RunId, WorkerName};

    /// Subject of the notice of a run.
    pub fn notice(run: &RunId) -> String {
        format!("{PREFIX}.run.{run}")
    }

    /// Subject of the notices of all runs.
    pub fn notices() -> String {
        format!("{PREFIX}.run.*")
    }

    /// Subject of the job of one attempt at a pair.
    pub fn job(run: &RunId, pair: u64, attempt: u32) -> String {
        format!("{PREFIX}.job.{run}.{pair}.{attempt}")
    }

    /// Subject of all jobs of a run.
    pub fn jobs(run: &RunId) -> String {
        format!("{PREFIX}.job.{run}.>")
    }

    /// Subject of what a worker reports to a run, by the identifier of the report. Every report has a subject of its own:
    /// when the first of several messages of a subject is acknowledged, nats-server 2.9 looks for the next one in the whole
    /// stream, so that a queue of reports would become the slower, the longer it is.
    pub fn result(run: &RunId, worker: &WorkerName, id: &str) -> String {
        format!("{PREFIX}.res.{run}.{worker}.{}", id.replace('.', "-"))
    }

    /// Returns the worker that the subject of a report names.
    pub fn reporter(subject: &str) -> Option<WorkerName> {
        let rest = subject.strip_prefix(PREFIX)?.strip_prefix(".res.")?;
        WorkerName::try_from(rest.split('.').nth(1)?.to_owned()).ok()
    }

    /// Subject of all reports to a run.
    pub fn results(run: &RunId) -> String {
        format!("{PREFIX}.res.{run}.>")
    }

    /// Subject of the signs of life of a worker.
    pub fn beat(worker: &WorkerName) -> String {
        format!("{PREFIX}.beat.{worker}")
    }

    /// Subject of the signs of life of all workers.
    pub fn beats() -> String {
        format!("{PREFIX}.beat.*")
    }

    /// Subject of questions to the coordinator of a run about its workers.
    pub fn question(run: &RunId) -> String {
        format!("{PREFIX}.ask.{run}")
    }

    /// Subject of the answers to a worker.
    pub fn answer(worker: &WorkerName) -> String {
        format!("{PREFIX}.word.{worker}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_fit_in_a_subject_are_names() {
        let long = "a".repeat(32);
        for name in ["a", "box-7", long.as_str()] {
            assert!(WorkerName::try_from(name.to_owned()).is_ok(), "{name}");
        }
        for name in ["", "Box", "a.b", "a*", ">", "a b", "ä", &"a".repeat(33)] {
            assert!(WorkerName::try_from(name.to_owned()).is_err(), "{name}");
        }
        for run in ["", "0123456789abcde", "0123456789ABCDEF", "0123456789abcdef0", "0123456789abcde."] {
            assert!(RunId::try_from(run.to_owned()).is_err(), "{run}");
        }
    }

    #[test]
    fn the_subject_of_a_report_names_its_worker() {
        let (run, worker) = (RunId::random().unwrap(), WorkerName::try_from("box-7".to_owned()).unwrap());
        let report = subject::result(&run, &worker, "5.0.1.c");
        assert_eq!(report, format!("ps.v1.res.{run}.box-7.5-0-1-c"));
        assert_eq!(subject::reporter(&report), Some(worker.clone()));
        assert_eq!(subject::reporter(&subject::beat(&worker)), None);
        assert_eq!(subject::reporter("ps.v1.res.x.A B.c"), None);
    }

    #[test]
    fn random_names_of_runs_are_valid_and_differ() {
        let (first, second) = (RunId::random().unwrap(), RunId::random().unwrap());
        assert_ne!(first, second);
        assert_eq!(RunId::try_from(first.as_str().to_owned()), Ok(first));
    }
}
