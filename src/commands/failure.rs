//! Errors of commands; each owns its exit status.

use std::fmt;
use std::io;

/// A command that did not do what was asked, with the reason. [`status`](Self::status) is the program's exit status.
#[derive(Debug)]
pub enum Failure {
    /// The call or the configuration is wrong. Nothing was started.
    Usage(anyhow::Error),
    /// Something failed that the call cannot be blamed for: I/O, an engine, a damaged run.
    Fault(anyhow::Error),
    /// The user stopped it before there was a run that could be resumed.
    Interrupted(String),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Exit status of a wrong call.
    pub const USAGE_STATUS: u8 = 2;
    /// Exit status of a fault.
    pub const FAULT_STATUS: u8 = 4;
    /// Exit status after an interruption by the user.
    pub const INTERRUPTED_STATUS: u8 = 130;

    /// A wrong call, described by `message`.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::Usage(anyhow::anyhow!("{message}"))
    }

    /// A fault, described by `message`.
    pub fn fault(message: impl fmt::Display) -> Self {
        Self::Fault(anyhow::anyhow!("{message}"))
    }

    /// The exit status of the program.
    pub fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => Self::USAGE_STATUS,
            Self::Output(_) if self.is_silent() => 0,
            Self::Fault(_) | Self::Output(_) => Self::FAULT_STATUS,
            Self::Interrupted(_) => Self::INTERRUPTED_STATUS,
        }
    }

    /// Whether there is nothing to report: the reader of a pipe closed it because it had read enough.
    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Adds what was being done to the reason.
    #[must_use]
    pub fn context(self, what: impl fmt::Display + Send + Sync + 'static) -> Self {
        match self {
            Self::Usage(error) => Self::Usage(error.context(what)),
            Self::Fault(error) => Self::Fault(error.context(what)),
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) | Self::Fault(error) => write!(f, "{error:#}"),
            Self::Interrupted(what) => f.write_str(what),
            Self::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

/// Turns an error into a [`Failure`]. There is no `From`: each call site decides what its error means.
pub trait OrFailure<T> {
    /// The call or the configuration is to blame.
    fn or_usage(self) -> Result<T, Failure>;

    /// The call is not to blame.
    fn or_fault(self) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrFailure<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Usage(error.into()))
    }

    fn or_fault(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Fault(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_the_status_that_the_contract_names() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        for (failure, status) in [
            (Failure::usage("no such engine"), 2),
            (Failure::fault("the disk is full"), 4),
            (Failure::Interrupted("stopped".to_owned()), 130),
            (Failure::Output(broken()), 0),
            (Failure::Output(full), 4),
            // A closed pipe to an engine is not a closed standard output.
            (Err::<(), _>(broken()).or_fault().unwrap_err(), 4),
        ] {
            assert_eq!(failure.status(), status, "{failure}");
        }
    }
}
