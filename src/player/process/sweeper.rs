//! A thread that kills what ended engines have left behind.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::player::process::orphans::kill_marked;
use crate::player::process::run_mark::RunMark;

/// The shortest time between two sweeps after engines that left when asked to. A sweep looks at every process of the machine.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// Kills processes of a run whose engine process has ended. The thread ends when all clones of this value are dropped.
///
/// Looking at all processes of the machine takes longer than other games can wait for the thread that plays them.
#[derive(Clone, Debug)]
pub(super) struct Sweeper {
    requests: Sender<Request>,
    /// Engine processes that have not ended.
    running: Arc<Mutex<BTreeSet<u64>>>,
}

enum Request {
    /// Kill what this engine process has left behind, and report the number.
    Now(u64, oneshot::Sender<u64>),
    /// Kill what any ended engine process has left behind, some time soon.
    Soon,
}

impl Sweeper {
    /// Starts the thread for a run.
    pub(super) fn start(mark: RunMark) -> io::Result<Self> {
        let (requests, inbox) = channel();
        let sweeper = Self { requests, running: Arc::default() };
        let running = Arc::clone(&sweeper.running);
        thread::Builder::new().name("sweeps".to_owned()).spawn(move || serve(&mark, &running, &inbox))?;
        Ok(sweeper)
    }

    /// Notes that an engine process is about to start; what descends from it is left alone until it has ended.
    pub(super) fn begin(&self, engine: u64) {
        lock(&self.running).insert(engine);
    }

    /// Notes that an engine process has ended, or did not start.
    pub(super) fn end(&self, engine: u64) {
        lock(&self.running).remove(&engine);
    }

    /// Kills what an engine process has left behind; returns the number of processes.
    pub(super) async fn sweep(&self, engine: u64) -> u64 {
        let (done, count) = oneshot::channel();
        let _ = self.requests.send(Request::Now(engine, done));
        count.await.unwrap_or(0)
    }

    /// Kills what ended engine processes have left behind, without waiting for it.
    pub(super) fn sweep_soon(&self) {
        let _ = self.requests.send(Request::Soon);
    }
}

fn serve(mark: &RunMark, running: &Mutex<BTreeSet<u64>>, inbox: &Receiver<Request>) {
    let (mut due, mut last): (bool, Option<Instant>) = (false, None);
    loop {
        let wait = last.map_or(Duration::ZERO, |last| SWEEP_EVERY.saturating_sub(last.elapsed()));
        let request = match due {
            true => inbox.recv_timeout(wait),
            false => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match request {
            Ok(Request::Now(engine, done)) => {
                let _ = done.send(kill_marked(mark, |found| found == engine));
            }
            Ok(Request::Soon) => due = true,
            Err(RecvTimeoutError::Timeout) => {
                (due, last) = (false, Some(Instant::now()));
                kill_marked(mark, |engine| !lock(running).contains(&engine));
            }
            // The guardian, or the launcher itself, kills what is left at the end.
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn lock(running: &Mutex<BTreeSet<u64>>) -> MutexGuard<'_, BTreeSet<u64>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
