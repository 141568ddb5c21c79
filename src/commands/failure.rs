//! Errors of commands; each owns its exit status.

use std::fmt;
use std::io;

use nix::errno::Errno;

/// Why a command failed. [`status`](Self::status) is the exit status of the program.
#[derive(Debug)]
pub enum Failure {
    /// The call or the configuration is wrong. Nothing was started.
    Usage(anyhow::Error),
    /// Something else failed: I/O, an engine, a damaged run.
    Fault(anyhow::Error),
    /// The user interrupted the command before there was a run to resume.
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

    /// Returns a wrong call, described by `message`.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::Usage(anyhow::anyhow!("{message}"))
    }

    /// Returns a fault, described by `message`.
    pub fn fault(message: impl fmt::Display) -> Self {
        Self::Fault(anyhow::anyhow!("{message}"))
    }

    /// Returns the exit status of the program.
    pub fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => Self::USAGE_STATUS,
            Self::Output(_) if self.is_silent() => 0,
            Self::Fault(_) | Self::Output(_) => Self::FAULT_STATUS,
            Self::Interrupted(_) => Self::INTERRUPTED_STATUS,
        }
    }

    /// Returns whether there is nothing to report: the reader of standard output closed it.
    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Puts `what` in front of the reason.
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
            Self::Usage(error) | Self::Fault(error) => {
                let mut shown = String::new();
                for cause in error.chain().map(ToString::to_string) {
                    // Many errors end with their cause.
                    if !shown.trim_end().ends_with(cause.trim_end()) {
                        shown.push_str(if shown.is_empty() { "" } else { ": " });
                        shown.push_str(&cause);
                    }
                }
                f.write_str(&shown)?;
                if error.chain().any(lacks_descriptors) && !shown.contains("ulimit") {
                    f.write_str("; raise the limit (ulimit -n)")?;
                }
                Ok(())
            }
            Self::Interrupted(what) => f.write_str(what),
            Self::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

fn lacks_descriptors(cause: &(dyn std::error::Error + 'static)) -> bool {
    let code = cause.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
    [Some(Errno::EMFILE as i32), Some(Errno::ENFILE as i32)].contains(&code)
}

/// Converts an error into a [`Failure`]. There is no `From`, because each call site decides what its error means.
pub trait OrFailure<T> {
    /// Converts an error of the call or the configuration.
    fn or_usage(self) -> Result<T, Failure>;

    /// Converts any other error.
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
