//! One updating thread per live page, shared by all clients of that page.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::dashboard::page_parts::PageParts;

/// Time between two updates.
const UPDATE_EVERY: Duration = Duration::from_millis(200);

/// Time that an updater continues without clients, so that a reload does not read everything again.
const LINGER: Duration = Duration::from_secs(20);

/// Largest number of updaters.
const MAX_UPDATERS: usize = 24;

/// The producer of a live page.
pub(super) trait Source: Send {
    /// Updates the parts of the page.
    fn update(&mut self, parts: &mut PageParts);
}

/// The running updaters by the path of their page.
#[derive(Default)]
pub(super) struct Sources {
    open: Mutex<HashMap<String, Arc<watch::Sender<PageParts>>>>,
    over: AtomicBool,
}

impl Sources {
    /// Returns a receiver of the page `key` and starts its updater with `source` unless it is running. Returns `None`
    /// if there are too many updaters.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        key: &str,
        source: impl FnOnce() -> Box<dyn Source>,
    ) -> Option<watch::Receiver<PageParts>> {
        let mut open = self.lock();
        if let Some(sender) = open.get(key) {
            return Some(sender.subscribe());
        }
        if open.len() >= MAX_UPDATERS {
            return None;
        }
        let (sender, receiver) = watch::channel(PageParts::default());
        let sender = Arc::new(sender);
        let updater = Updater {
            sources: Arc::clone(self),
            key: key.to_owned(),
            sender: Arc::clone(&sender),
            source: source(),
        };
        thread::Builder::new().name("page updates".to_owned()).spawn(move || updater.run()).ok()?;
        open.insert(key.to_owned(), sender);
        Some(receiver)
    }

    /// Returns the number of clients of all pages.
    pub(super) fn clients(&self) -> usize {
        self.lock().values().map(|sender| sender.receiver_count()).sum()
    }

    /// Ends the streams of all clients, so that none of them is broken off.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
        for sender in self.lock().values() {
            sender.send_modify(|_| ());
        }
    }

    /// Returns whether no further updates will be sent.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<watch::Sender<PageParts>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Updater {
    sources: Arc<Sources>,
    key: String,
    sender: Arc<watch::Sender<PageParts>>,
    source: Box<dyn Source>,
}

impl Updater {
    fn run(mut self) {
        let mut parts = PageParts::default();
        let (mut sent, mut last_client) = (0, Instant::now());
        loop {
            self.source.update(&mut parts);
            if parts.changes() != sent {
                sent = parts.changes();
                self.sender.send_replace(parts.clone());
            }
            if self.sender.receiver_count() > 0 {
                last_client = Instant::now();
            } else if last_client.elapsed() > LINGER && self.close() {
                return;
            }
            thread::sleep(UPDATE_EVERY);
        }
    }

    /// Removes the updater, unless a client has subscribed in the meantime.
    fn close(&self) -> bool {
        let mut open = self.sources.lock();
        let unused = self.sender.receiver_count() == 0;
        if unused {
            open.remove(&self.key);
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    struct Counter(Arc<AtomicU64>);

    impl Source for Counter {
        fn update(&mut self, parts: &mut PageParts) {
            let updates = self.0.fetch_add(1, Ordering::Relaxed);
            parts.put("updates", &updates.into());
        }
    }

    #[tokio::test]
    async fn a_hundred_clients_share_one_updater_and_slow_ones_skip_to_the_latest_state() {
        let (sources, updates) = (Arc::new(Sources::default()), Arc::new(AtomicU64::new(0)));
        let mut clients: Vec<_> = (0..100)
            .map(|_| sources.subscribe("run", || Box::new(Counter(Arc::clone(&updates)))).unwrap())
            .collect();
        assert_eq!(sources.clients(), 100);
        while updates.load(Ordering::Relaxed) < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for client in &mut clients {
            assert!(client.borrow_and_update().changes() >= 2, "states in between are skipped");
        }
    }
}
