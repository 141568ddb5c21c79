//! One reader for each thing that is watched, however many watch it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::dashboard::page_parts::PageParts;

/// How often a reader looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How long a reader goes on without watchers, so that a reload does not read everything again.
const LINGER: Duration = Duration::from_secs(20);

/// Things read at the same time.
const MOST: usize = 24;

/// Something that can be looked at again and again.
pub(super) trait Source: Send {
    /// Brings the frame up to date.
    fn look(&mut self, frame: &mut PageParts);
}

/// The readers at work, by what they read.
#[derive(Default)]
pub(super) struct Sources {
    open: Mutex<HashMap<String, Arc<watch::Sender<PageParts>>>>,
}

impl Sources {
    /// A receiver of the frames of `key`, whose reader is started with `source` unless it is at work. `None` if too
    /// many are.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        key: &str,
        source: impl FnOnce() -> Box<dyn Source>,
    ) -> Option<watch::Receiver<PageParts>> {
        let mut open = self.lock();
        if let Some(sender) = open.get(key) {
            return Some(sender.subscribe());
        }
        if open.len() >= MOST {
            return None;
        }
        let (sender, receiver) = watch::channel(PageParts::default());
        let sender = Arc::new(sender);
        let reader = Reader {
            feeds: Arc::clone(self),
            key: key.to_owned(),
            sender: Arc::clone(&sender),
            source: source(),
        };
        thread::Builder::new().name("watched run".to_owned()).spawn(move || reader.read()).ok()?;
        open.insert(key.to_owned(), sender);
        Some(receiver)
    }

    /// How many watch anything.
    pub(super) fn watchers(&self) -> usize {
        self.lock().values().map(|sender| sender.receiver_count()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<watch::Sender<PageParts>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Reader {
    feeds: Arc<Sources>,
    key: String,
    sender: Arc<watch::Sender<PageParts>>,
    source: Box<dyn Source>,
}

impl Reader {
    fn read(mut self) {
        let mut frame = PageParts::default();
        let (mut sent, mut watched) = (0, Instant::now());
        loop {
            self.source.look(&mut frame);
            if frame.changes() != sent {
                sent = frame.changes();
                self.sender.send_replace(frame.clone());
            }
            if self.sender.receiver_count() > 0 {
                watched = Instant::now();
            } else if watched.elapsed() > LINGER && self.leave() {
                return;
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Leaves unless somebody came in at the last moment.
    fn leave(&self) -> bool {
        let mut open = self.feeds.lock();
        let alone = self.sender.receiver_count() == 0;
        if alone {
            open.remove(&self.key);
        }
        alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Counter(Arc<AtomicU64>);

    impl Source for Counter {
        fn look(&mut self, frame: &mut PageParts) {
            let looks = self.0.fetch_add(1, Ordering::Relaxed);
            frame.put("looks", &looks.into());
        }
    }

    #[tokio::test]
    async fn a_hundred_watchers_share_one_reader_and_slow_ones_skip_to_the_latest() {
        let (feeds, looks) = (Arc::new(Sources::default()), Arc::new(AtomicU64::new(0)));
        let mut watchers: Vec<_> = (0..100)
            .map(|_| feeds.subscribe("run", || Box::new(Counter(Arc::clone(&looks)))).unwrap())
            .collect();
        assert_eq!(feeds.watchers(), 100);
        while looks.load(Ordering::Relaxed) < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for watcher in &mut watchers {
            assert!(watcher.borrow_and_update().changes() >= 2, "nobody has to see every frame");
        }
    }
}
