//! The control socket in the run folder: one request line in, one line of JSON out.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::run::control::socket_path::with_short_path;
use crate::run::control::{ControlAnswer, ControlRequest};

/// No valid request is longer.
const MAX_REQUEST: u64 = 256;

/// Clients that are served at the same time; further ones are disconnected.
const MAX_CONNECTIONS: usize = 64;

/// Time for a request to arrive and its answer to be read.
const MAX_TIME: Duration = Duration::from_secs(10);

/// A request that waits for its answer.
#[derive(Debug)]
pub struct PendingRequest {
    /// What was asked.
    pub request: ControlRequest,
    answer: oneshot::Sender<ControlAnswer>,
}

impl PendingRequest {
    /// Sends the answer. A client that has disconnected does not get it.
    pub fn answer(self, answer: ControlAnswer) {
        let _ = self.answer.send(answer);
    }
}

/// The socket, open as long as this lives.
#[derive(Debug)]
pub struct ControlServer {
    path: PathBuf,
    requests: mpsc::Receiver<PendingRequest>,
}

impl ControlServer {
    /// Opens the socket at `path`, for this user alone. Must be called inside a runtime.
    pub fn open(path: &Path) -> io::Result<Self> {
        // No process listens on a socket left by a killed run: the journal's lock proves that this process is alone here.
        match std::fs::remove_file(path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        let listener = with_short_path(path, |path| UnixListener::bind(path))?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
        let (sender, requests) = mpsc::channel(16);
        tokio::spawn(async move {
            let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // There are no descriptors left. The pause avoids a busy loop.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                // Beyond the limit, the stream is dropped here, which closes it.
                if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
                    let served = tokio::time::timeout(MAX_TIME, serve(stream, sender.clone()));
                    tokio::spawn(async move {
                        let _ = served.await;
                        drop(permit);
                    });
                }
            }
        });
        Ok(Self { path: path.to_owned(), requests })
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Option<PendingRequest> {
        self.requests.recv().await
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        // Best effort: a stale socket is replaced at the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn serve(mut stream: UnixStream, requests: mpsc::Sender<PendingRequest>) {
    let (reading, mut writing) = stream.split();
    let mut line = String::new();
    let mut reading = BufReader::new(reading.take(MAX_REQUEST));
    if reading.read_line(&mut line).await.is_err() {
        return;
    }
    let answer = match line.parse::<ControlRequest>() {
        Err(error) => ControlAnswer::error(error),
        Ok(request) => {
            let (answer, answered) = oneshot::channel();
            let sent = requests.send(PendingRequest { request, answer }).await;
            match answered.await {
                Ok(answer) if sent.is_ok() => answer,
                _ => ControlAnswer::error("the run is over"),
            }
        }
    };
    let Ok(mut text) = serde_json::to_string(&answer) else { return };
    text.push('\n');
    // The client may have disconnected, which does not concern the run.
    let _ = writing.write_all(text.as_bytes()).await;
}
