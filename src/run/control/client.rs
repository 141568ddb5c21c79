//! The other end of the control socket.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};

use crate::run::control::{ControlAnswer, ControlRequest, with_short_path};
use crate::store::RunFolder;

/// No valid answer is longer.
const MAX_ANSWER: usize = 1 << 20;

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
    let deadline = Instant::now() + timeout;
    let mut stream = with_short_path(&folder.socket(), |path| connect_within(path, timeout))?;
    writeln!(stream, "{request}")?;
    let answer = line_until(&mut stream, deadline)?;
    if answer.is_empty() {
        return Err(ControlError::Closed);
    }
    Ok(serde_json::from_slice(&answer)?)
}

/// Connects to a socket. A process that does not accept connections does not block this one for longer than `timeout`.
fn connect_within(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    let socket = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    let stream = UnixStream::from(socket);
    // On Linux, the timeout of writing is that of connecting as well.
    stream.set_write_timeout(Some(timeout))?;
    connect(stream.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(stream)
}

/// Reads up to a line end or the end of the stream. An answer that arrives a byte at a time does not extend the deadline.
fn line_until(stream: &mut UnixStream, deadline: Instant) -> io::Result<Vec<u8>> {
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || answer.len() > MAX_ANSWER {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut part)?;
        answer.extend_from_slice(&part[..read]);
        if read == 0 || part[..read].contains(&b'\n') {
            return Ok(answer);
        }
    }
}
