//! The other end of the control socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::run::control::{ControlAnswer, ControlRequest, with_short_path};
use crate::store::RunFolder;

/// No valid answer is longer.
const MAX_ANSWER: u64 = 1 << 20;

/// Why a run gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No process plays the run.
    #[error("the run is not running")]
    NotRunning,
    /// The run was reached and the conversation failed.
    #[error("the run does not answer: {0}")]
    Io(io::Error),
    /// The run closed the connection without an answer.
    #[error("the run closed the connection without answering")]
    Closed,
    /// The answer is not what this version understands.
    #[error("the answer of the run cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

impl From<io::Error> for ControlError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // No socket, or one that a killed run has left behind.
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Self::NotRunning,
            _ => Self::Io(error),
        }
    }
}

/// Sends one request to the run in `folder` and waits up to `timeout` for its answer.
pub fn request(
    folder: &RunFolder,
    request: ControlRequest,
    timeout: Duration,
) -> Result<ControlAnswer, ControlError> {
    let mut stream = with_short_path(&folder.socket(), |path| UnixStream::connect(path))?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    writeln!(stream, "{request}")?;
    let mut answer = String::new();
    BufReader::new(stream.take(MAX_ANSWER)).read_line(&mut answer)?;
    if answer.is_empty() {
        return Err(ControlError::Closed);
    }
    Ok(serde_json::from_str(&answer)?)
}
