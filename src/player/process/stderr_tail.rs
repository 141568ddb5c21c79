//! The end of an engine's stderr, which is drained continuously.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;

/// A task that reads an engine's stderr into a ring buffer, so that the engine never blocks on writing to it.
#[derive(Debug)]
pub(super) struct StderrTail {
    ring: Rc<RefCell<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl StderrTail {
    /// Starts draining, as a local task of the current thread.
    pub(super) fn drain(mut stderr: ChildStderr, keep: usize) -> Self {
        let ring = Rc::new(RefCell::new(VecDeque::new()));
        let sink = Rc::clone(&ring);
        let task = tokio::task::spawn_local(async move {
            let mut chunk = [0; 4096];
            while let Ok(count) = stderr.read(&mut chunk).await {
                if count == 0 {
                    break;
                }
                let mut ring = sink.borrow_mut();
                ring.extend(&chunk[..count]);
                let excess = ring.len().saturating_sub(keep);
                ring.drain(..excess);
            }
        });
        Self { ring, task }
    }

    /// Returns the bytes in the buffer.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.ring.borrow().iter().copied().collect()
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        self.task.abort();
    }
}
