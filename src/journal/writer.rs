//! Writing a journal: one thread, one write per record, one sync per group.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::failpoint::{self, Point};

use super::frame::{self, GroupPlace};
use super::reader::MAX_UNSYNCED;
use super::storage::Storage;

/// Longest time between a write and its sync.
const GROUP_DELAY: Duration = Duration::from_millis(200);

/// Pause between two attempts to write to a full disk.
const ROOM_POLL: Duration = Duration::from_millis(200);

/// Capacity of the queue to the writer; when it is full, the sender waits for the disk.
const QUEUE: usize = 4096;

/// How soon an entry must be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// With the next group: within 200 ms or 64 records.
    Grouped,
    /// Immediately, because a caller waits for this entry.
    Now,
}

/// An entry that is durable.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<E> {
    /// Sequence number of the entry.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970.
    pub at: u64,
    /// The entry itself.
    pub entry: E,
}

/// Reason why the journal accepts no more entries. Fatal: a failed sync is never retried.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The entry cannot be serialised.
    #[error("an entry could not be written as JSON: {0}")]
    Encode(#[from] serde_json::Error),
    /// The disk refused the bytes.
    #[error("the journal could not be written (is the disk full?): {0}")]
    Append(#[source] std::io::Error),
    /// The disk did not confirm the bytes.
    #[error("the journal could not be made durable: {0}")]
    Sync(#[source] std::io::Error),
    /// The writer has stopped after an earlier failure.
    #[error("the journal is closed")]
    Closed,
}

/// Callback of the writer, called with each durable group, or once with the failure that ends it.
pub type OnCommit<E> = Box<dyn FnMut(Result<Vec<Committed<E>>, WriteError>) + Send>;

/// A journal open for appending.
pub struct Journal<E> {
    requests: Option<SyncSender<WriteRequest<E>>>,
    /// Whether a request to commit is in the queue. A second one would only fill it while the disk is full.
    commit_is_queued: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    room: Arc<Room>,
}

/// Whether the disk has room, as far as the writer knows, and whether it is worth waiting for.
#[derive(Debug, Default)]
struct Room {
    is_waited_for: AtomicBool,
    is_given_up: AtomicBool,
}

enum WriteRequest<E> {
    Write(E, Urgency),
    Commit,
}

impl<E: Serialize + Send + 'static> Journal<E> {
    /// Starts the writer on `storage`; the next entry gets the number `next_seq`. Fails if the system has no thread left.
    pub fn start(
        storage: impl Storage + 'static,
        next_seq: u64,
        on_commit: OnCommit<E>,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let (length, room) = (storage.length()?, Arc::<Room>::default());
        let commit_is_queued = Arc::<AtomicBool>::default();
        let writer = Writer {
            storage,
            length,
            room: Arc::clone(&room),
            commit_is_queued: Arc::clone(&commit_is_queued),
            next_seq,
            on_commit,
            unsynced: Vec::new(),
            oldest: None,
        };
        let thread =
            thread::Builder::new().name("journal".to_owned()).spawn(move || writer.serve(&receiver))?;
        Ok(Self { requests: Some(sender), commit_is_queued, thread: Some(thread), room })
    }

    /// Queues `entry`; `on_commit` is called when it is durable.
    pub fn append(&self, entry: E, urgency: Urgency) -> Result<(), WriteError> {
        let requests = self.requests.as_ref().ok_or(WriteError::Closed)?;
        requests.send(WriteRequest::Write(entry, urgency)).map_err(|_| WriteError::Closed)
    }

    /// Makes everything queued so far durable without waiting for the group to grow.
    pub fn commit(&self) {
        if let Some(requests) = &self.requests
            && !self.commit_is_queued.swap(true, Ordering::AcqRel)
        {
            // A writer that failed has already reported it.
            let _ = requests.send(WriteRequest::Commit);
        }
    }

    /// Returns whether the writer waits for room on a full disk. Nothing is lost meanwhile.
    pub fn is_waiting_for_room(&self) -> bool {
        self.room.is_waited_for.load(Ordering::Acquire)
    }

    /// Stops waiting for room, now and later: a full disk ends the journal.
    pub fn give_up_waiting(&self) {
        self.room.is_given_up.store(true, Ordering::Release);
    }

    /// Writes and syncs everything queued, then closes the storage.
    pub fn close(mut self) {
        self.finish();
    }
}

impl<E> Journal<E> {
    fn finish(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has nothing more to report.
            let _ = thread.join();
        }
    }
}

impl<E> Drop for Journal<E> {
    fn drop(&mut self) {
        self.finish();
    }
}

struct Writer<S, E> {
    storage: S,
    /// Number of bytes of whole records.
    length: u64,
    room: Arc<Room>,
    commit_is_queued: Arc<AtomicBool>,
    next_seq: u64,
    on_commit: OnCommit<E>,
    unsynced: Vec<Committed<E>>,
    oldest: Option<Instant>,
}

impl<S: Storage, E: Serialize> Writer<S, E> {
    fn serve(mut self, requests: &Receiver<WriteRequest<E>>) {
        if let Err(failure) = self.serve_until_closed(requests) {
            (self.on_commit)(Err(failure));
        }
    }

    fn serve_until_closed(&mut self, requests: &Receiver<WriteRequest<E>>) -> Result<(), WriteError> {
        loop {
            let wait =
                self.oldest.map_or(Duration::MAX, |oldest| GROUP_DELAY.saturating_sub(oldest.elapsed()));
            let next = if wait == Duration::MAX {
                requests.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                requests.recv_timeout(wait)
            };
            match next {
                Ok(WriteRequest::Write(entry, urgency)) => {
                    self.write(entry)?;
                    if urgency == Urgency::Now || self.unsynced.len() >= MAX_UNSYNCED {
                        self.commit()?;
                    }
                }
                Ok(WriteRequest::Commit) => {
                    self.commit_is_queued.store(false, Ordering::Release);
                    self.commit()?;
                }
                Err(RecvTimeoutError::Timeout) => self.commit()?,
                Err(RecvTimeoutError::Disconnected) => return self.commit(),
            }
        }
    }

    fn write(&mut self, entry: E) -> Result<(), WriteError> {
        let at = milliseconds_since_1970();
        let place = if self.unsynced.is_empty() { GroupPlace::First } else { GroupPlace::Later };
        let line = frame::encode_in_group(self.next_seq, at, &entry, place)?;
        failpoint::pass(Point::BeforeWrite);
        if failpoint::triggers(Point::MidWrite) {
            let _ = self.storage.append(&line[..line.len() / 2]);
            failpoint::die();
        }
        if failpoint::triggers(Point::WriteFails) {
            return Err(WriteError::Append(std::io::ErrorKind::StorageFull.into()));
        }
        while let Err(error) = self.storage.append(&line) {
            self.wait_for_room(error).map_err(WriteError::Append)?;
        }
        self.room.is_waited_for.store(false, Ordering::Release);
        self.length += line.len() as u64;
        failpoint::pass(Point::AfterWrite);
        self.unsynced.push(Committed { seq: self.next_seq, at, entry });
        self.oldest.get_or_insert_with(Instant::now);
        self.next_seq += 1;
        Ok(())
    }

    /// Removes the part of a record that a full disk has accepted, and waits a little. Any other error is final.
    fn wait_for_room(&mut self, error: io::Error) -> io::Result<()> {
        let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        if !is_full || self.room.is_given_up.load(Ordering::Acquire) {
            return Err(error);
        }
        self.storage.truncate(self.length)?;
        self.room.is_waited_for.store(true, Ordering::Release);
        thread::sleep(ROOM_POLL);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), WriteError> {
        self.oldest = None;
        if self.unsynced.is_empty() {
            return Ok(());
        }
        failpoint::pass(Point::BeforeSync);
        if failpoint::triggers(Point::SyncFails) {
            return Err(WriteError::Sync(nix::errno::Errno::EIO.into()));
        }
        self.storage.sync().map_err(WriteError::Sync)?;
        failpoint::pass(Point::AfterSync);
        (self.on_commit)(Ok(std::mem::take(&mut self.unsynced)));
        Ok(())
    }
}

fn milliseconds_since_1970() -> u64 {
    const HOUR: Duration = Duration::from_secs(3600);
    let mut elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    if failpoint::triggers(Point::WallClockJumps) {
        elapsed = elapsed.saturating_sub(HOUR);
    }
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::SimulatedDisk;
    use std::sync::{Arc, Mutex};

    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Note {
        n: u32,
    }

    type Seen = Arc<Mutex<Vec<Result<Vec<u32>, String>>>>;

    fn start(disk: &SimulatedDisk) -> (Journal<Note>, Seen) {
        let seen = Seen::default();
        let sink = Arc::clone(&seen);
        let watched = disk.clone();
        let on_commit: OnCommit<Note> = Box::new(move |outcome| {
            if outcome.is_ok() {
                assert_eq!(watched.synced(), watched.contents().len(), "reported before it was durable");
            }
            let reported = outcome
                .map(|group| group.into_iter().map(|committed| committed.entry.n).collect())
                .map_err(|failure| failure.to_string());
            sink.lock().unwrap().push(reported);
        });
        (Journal::start(disk.clone(), 0, on_commit).unwrap(), seen)
    }

    #[test]
    fn entries_are_reported_in_order_and_only_when_durable() {
        let disk = SimulatedDisk::default();
        let (journal, seen) = start(&disk);
        for n in 0..200 {
            journal.append(Note { n }, Urgency::Grouped).unwrap();
        }
        journal.close();
        let groups: Vec<Vec<u32>> = seen.lock().unwrap().iter().map(|group| group.clone().unwrap()).collect();
        assert!(groups.iter().all(|group| group.len() <= MAX_UNSYNCED));
        assert_eq!(groups.concat(), (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn an_urgent_entry_does_not_wait_for_its_group() {
        let disk = SimulatedDisk::default();
        let (journal, seen) = start(&disk);
        let asked = Instant::now();
        journal.append(Note { n: 1 }, Urgency::Now).unwrap();
        while seen.lock().unwrap().is_empty() {
            assert!(asked.elapsed() < Duration::from_secs(5));
            thread::sleep(Duration::from_millis(1));
        }
        assert!(asked.elapsed() < GROUP_DELAY);
    }

    #[test]
    fn a_commit_does_not_wait_for_the_group_to_grow() {
        let disk = SimulatedDisk::default();
        let (journal, seen) = start(&disk);
        journal.append(Note { n: 1 }, Urgency::Grouped).unwrap();
        journal.commit();
        journal.append(Note { n: 2 }, Urgency::Grouped).unwrap();
        journal.close();
        assert_eq!(*seen.lock().unwrap(), [Ok(vec![1]), Ok(vec![2])]);
    }

    #[test]
    fn row_190_a_full_disk_is_waited_for_and_leaves_no_trace() {
        let disk = SimulatedDisk::with_capacity(3000);
        let (journal, seen) = start(&disk);
        for n in 0..200 {
            journal.append(Note { n }, Urgency::Grouped).unwrap();
        }
        let asked = Instant::now();
        while !journal.is_waiting_for_room() {
            assert!(asked.elapsed() < Duration::from_secs(5));
            thread::sleep(Duration::from_millis(1));
        }
        assert!(disk.contents().len() < 3000, "no part of a record is left");
        disk.set_capacity(1 << 20);
        journal.close();
        let groups: Vec<Vec<u32>> = seen.lock().unwrap().iter().map(|group| group.clone().unwrap()).collect();
        assert_eq!(groups.concat(), (0..200).collect::<Vec<_>>());
        let mut kept = 0;
        super::super::read_all(&disk.contents()[..], |_| {
            kept += 1;
            Ok::<_, super::super::ReadError>(())
        })
        .unwrap();
        assert_eq!(kept, 200);
    }

    #[test]
    fn a_full_disk_that_is_not_waited_for_ends_the_journal_and_keeps_all_reported_entries() {
        let disk = SimulatedDisk::with_capacity(3000);
        let (journal, seen) = start(&disk);
        journal.give_up_waiting();
        for n in 0..200 {
            if journal.append(Note { n }, Urgency::Now).is_err() {
                break;
            }
        }
        journal.close();
        let reported = seen.lock().unwrap();
        let (failure, groups) = reported.split_last().unwrap();
        assert!(failure.as_ref().unwrap_err().contains("disk full"));
        let promised: Vec<u32> = groups.iter().flat_map(|group| group.clone().unwrap()).collect();
        let mut kept = Vec::new();
        super::super::read_all(&disk.contents()[..], |frame| {
            kept.push(frame.seq as u32);
            Ok::<_, super::super::ReadError>(())
        })
        .unwrap();
        assert_eq!(kept, promised);
    }

    #[test]
    fn a_failed_sync_is_fatal_and_its_entries_are_not_reported() {
        let disk = SimulatedDisk::failing_after(1);
        let (journal, seen) = start(&disk);
        journal.append(Note { n: 0 }, Urgency::Now).unwrap();
        journal.append(Note { n: 1 }, Urgency::Now).unwrap();
        journal.close();
        let reported = seen.lock().unwrap();
        assert_eq!(reported.len(), 2);
        assert_eq!(reported[0], Ok(vec![0]));
        assert!(reported[1].as_ref().unwrap_err().contains("durable"));
    }
}
