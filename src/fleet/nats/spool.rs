//! Results that a worker keeps on disk until the coordinator has answered them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::fleet::nats::messages::Token;
use crate::fleet::nats::{RunId, WorkerName};

/// Bytes of results after which a worker takes no more jobs.
pub(super) const SPOOL_LIMIT: u64 = 256 << 20;

/// Why a spool cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// Another worker has it.
    #[error("another worker with the name {0} runs on this machine; choose another --name")]
    Held(WorkerName),
    /// The folder cannot be used.
    #[error("{} cannot be used: {error}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// A result in the spool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpoolKey {
    /// Its run.
    pub run: RunId,
    /// Its token.
    pub token: Token,
}

impl SpoolKey {
    fn file_name(&self) -> String {
        let Token { pair, attempt, delivery } = self.token;
        format!("{}.{pair}.{attempt}.{delivery}.json", self.run)
    }

    fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(".json")?.split('.');
        let run = RunId::try_from(parts.next()?.to_owned()).ok()?;
        let token = Token {
            pair: parts.next()?.parse().ok()?,
            attempt: parts.next()?.parse().ok()?,
            delivery: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(Self { run, token })
    }
}

/// A result that was written and is not durable yet.
#[derive(Debug)]
pub struct SpoolDraft {
    file: File,
    path: PathBuf,
    kept: PathBuf,
}

impl SpoolDraft {
    /// Makes the result durable, which takes as long as the disk takes.
    pub fn finish(self) -> io::Result<()> {
        let Self { file, path, kept } = self;
        if let Err(error) = file.sync_all().and_then(|()| fs::rename(&path, &kept)) {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        match kept.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}

/// The results of one worker that are not answered yet.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    sizes: BTreeMap<SpoolKey, u64>,
    /// Held for as long as the worker runs.
    _lock: Flock<File>,
}

impl Spool {
    /// Opens the spool of a worker in its cache folder; no other process can open it.
    pub fn open(cache: &Path, worker: &WorkerName) -> Result<Self, SpoolError> {
        let folder = cache.join("spool").join(worker.as_str());
        let failed = |error| SpoolError::Io { path: folder.clone(), error };
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("worker.lock"))
            .map_err(failed)?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| match errno {
            Errno::EWOULDBLOCK => SpoolError::Held(worker.clone()),
            errno => failed(errno.into()),
        })?;
        let mut sizes = BTreeMap::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(key) = SpoolKey::parse(&name) {
                sizes.insert(key, entry.metadata().map_err(failed)?.len());
            } else if name.ends_with(".part") {
                // A process that was killed while it wrote left it behind.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Self { folder, sizes, _lock: lock })
    }

    /// Writes a result. It is durable when its draft is finished; a disk without room is noticed here.
    pub fn write(&mut self, key: &SpoolKey, bytes: &[u8]) -> io::Result<SpoolDraft> {
        let name = key.file_name();
        let (path, kept) = (self.folder.join(format!("{name}.part")), self.folder.join(&name));
        let mut file = File::create(&path)?;
        if let Err(error) = file.write_all(bytes) {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        self.sizes.insert(key.clone(), bytes.len() as u64);
        Ok(SpoolDraft { file, path, kept })
    }

    /// Returns whether results can be kept.
    pub fn is_writable(&self) -> bool {
        let path = self.folder.join("room.part");
        // As large as a usual result.
        let written = fs::write(&path, [0; 8192]);
        let _ = fs::remove_file(&path);
        written.is_ok()
    }

    /// Drops a result that was answered.
    pub fn forget(&mut self, key: &SpoolKey) {
        if self.sizes.remove(key).is_some() {
            self.remove(key);
        }
    }

    /// Removes the file of a result.
    pub fn remove(&self, key: &SpoolKey) {
        // One that stays is answered again after the next start.
        let _ = fs::remove_file(self.folder.join(key.file_name()));
    }

    /// Returns the results that were not answered, with their contents.
    pub fn read(&self) -> impl Iterator<Item = (SpoolKey, Vec<u8>)> {
        self.sizes
            .keys()
            .filter_map(|key| Some((key.clone(), fs::read(self.folder.join(key.file_name())).ok()?)))
    }

    /// Returns the size of all results.
    pub fn bytes(&self) -> u64 {
        self.sizes.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(pair: u64) -> SpoolKey {
        let run = RunId::try_from("0123456789abcdef".to_owned()).unwrap();
        SpoolKey { run, token: Token { pair, attempt: 1, delivery: 3 } }
    }

    #[test]
    fn results_outlive_a_worker_and_go_when_they_are_answered() {
        let folder = tempfile::tempdir().unwrap();
        let worker = WorkerName::try_from("oak".to_owned()).unwrap();
        let mut spool = Spool::open(folder.path(), &worker).unwrap();
        spool.write(&key(1), b"one").unwrap().finish().unwrap();
        spool.write(&key(2), b"three").unwrap().finish().unwrap();
        drop(spool.write(&key(3), b"not finished").unwrap());
        fs::write(folder.path().join("spool/oak/torn.json.part"), "x").unwrap();
        drop(spool);
        let mut spool = Spool::open(folder.path(), &worker).unwrap();
        assert_eq!(spool.bytes(), 8);
        let left: Vec<_> = spool.read().collect();
        assert_eq!(left, [(key(1), b"one".to_vec()), (key(2), b"three".to_vec())]);
        spool.forget(&key(1));
        spool.forget(&key(9));
        assert_eq!(spool.read().count(), 1);
        assert!(!folder.path().join("spool/oak/torn.json.part").exists());
    }

    /// Row 237.
    #[test]
    fn row_237_a_second_worker_of_the_same_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let worker = WorkerName::try_from("oak".to_owned()).unwrap();
        let first = Spool::open(folder.path(), &worker).unwrap();
        assert!(matches!(Spool::open(folder.path(), &worker), Err(SpoolError::Held(_))));
        assert!(Spool::open(folder.path(), &WorkerName::try_from("elm".to_owned()).unwrap()).is_ok());
        drop(first);
        assert!(Spool::open(folder.path(), &worker).is_ok());
    }
}
