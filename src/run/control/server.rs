//! A running run's door for its user: one word in, one line of JSON out, over a socket in the run folder.

use std::fmt;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

use crate::run::control::socket_path::with_short_path;

/// Longer requests are nobody's.
const LONGEST_REQUEST: u64 = 256;

/// What can be asked of a running run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlRequest {
    /// How does it stand?
    Status,
    /// How does it stand, and what is on its boards?
    Boards,
    /// NextPair no more pairs until told to.
    Pause,
    /// Go on.
    Continue,
    /// Play so many pairs at the same time from now on.
    Concurrency(usize),
    /// Finish what is being played, then stop.
    Stop,
}

impl FromStr for ControlRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("status"), None, None) => Ok(Self::Status),
            (Some("boards"), None, None) => Ok(Self::Boards),
            (Some("pause"), None, None) => Ok(Self::Pause),
            (Some("continue"), None, None) => Ok(Self::Continue),
            (Some("stop"), None, None) => Ok(Self::Stop),
            (Some("concurrency"), Some(number), None) => match number.parse() {
                Ok(number) if number > 0 => Ok(Self::Concurrency(number)),
                _ => Err(format!("`{number}` is not a number of pairs")),
            },
            _ => Err("known requests: status, boards, pause, continue, concurrency N, stop".to_owned()),
        }
    }
}

impl fmt::Display for ControlRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status => f.write_str("status"),
            Self::Boards => f.write_str("boards"),
            Self::Pause => f.write_str("pause"),
            Self::Continue => f.write_str("continue"),
            Self::Concurrency(number) => write!(f, "concurrency {number}"),
            Self::Stop => f.write_str("stop"),
        }
    }
}

/// A request with the way back to whoever asked.
#[derive(Debug)]
pub struct Asked {
    /// What was asked.
    pub request: ControlRequest,
    /// Takes the answer, a JSON object.
    pub answer: oneshot::Sender<serde_json::Value>,
}

/// The socket, open as long as this lives.
#[derive(Debug)]
pub struct ControlServer {
    path: PathBuf,
    requests: mpsc::Receiver<Asked>,
}

impl ControlServer {
    /// Opens the socket at `path`, for this user alone. Must be called inside a runtime.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A socket left by a killed run listens to nobody; the journal's lock says that we are alone here.
        match std::fs::remove_file(path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        let listener = with_short_path(path, |path| UnixListener::bind(path))?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
        let (sender, requests) = mpsc::channel(16);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone()));
            }
        });
        Ok(Self { path: path.to_owned(), requests })
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Option<Asked> {
        self.requests.recv().await
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        // Best effort: a stale socket is replaced at the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn serve(mut stream: UnixStream, requests: mpsc::Sender<Asked>) {
    let (reading, mut writing) = stream.split();
    let mut line = String::new();
    let mut reading = BufReader::new(reading.take(LONGEST_REQUEST));
    if reading.read_line(&mut line).await.is_err() {
        return;
    }
    let answer = match line.parse() {
        Err(why) => serde_json::json!({ "error": why }),
        Ok(request) => {
            let (answer, told) = oneshot::channel();
            let asked = requests.send(Asked { request, answer }).await;
            match told.await {
                Ok(answer) if asked.is_ok() => answer,
                _ => serde_json::json!({ "error": "the run is over" }),
            }
        }
    };
    // Whoever asked may be gone; that is no concern of the run's.
    let _ = writing.write_all(format!("{answer}\n").as_bytes()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_words_and_nonsense_is_told() {
        assert_eq!("concurrency 4".parse(), Ok(ControlRequest::Concurrency(4)));
        assert_eq!(" pause \n".parse(), Ok(ControlRequest::Pause));
        for request in [
            ControlRequest::Status,
            ControlRequest::Boards,
            ControlRequest::Continue,
            ControlRequest::Concurrency(3),
        ] {
            assert_eq!(request.to_string().parse(), Ok(request));
        }
        for nonsense in ["", "halt", "concurrency", "concurrency 0", "concurrency -1", "status now"] {
            assert!(nonsense.parse::<ControlRequest>().is_err(), "{nonsense}");
        }
    }
}
