//! Storage of journal bytes: a locked file, or a simulated disk that can lose power.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::store::{open_regular, sync_parent};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// Append-only storage with an explicit point of durability.
pub trait Storage: Send {
    /// Appends `bytes` in one write. They are durable only after [`sync`](Self::sync).
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns once everything appended so far survives a power cut.
    fn sync(&mut self) -> io::Result<()>;

    /// Truncates the storage to `length` bytes, durably.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Returns the number of bytes appended so far, durable or not.
    fn length(&self) -> io::Result<u64>;
}

/// A file to which only this process may append while the value exists.
#[derive(Debug)]
pub struct LockedFile {
    file: Flock<File>,
    /// Its length as far as this process knows; no other process may change it.
    length: u64,
}

/// Reason why a journal file could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock.
    #[error("another playself is working on this run")]
    Held,
    /// The file system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Time for which a lock may still be held although no process works on the run: by a process that only looks at it, or by one that
/// a killed harness has forked and that has not become an engine yet. The latter ends with the harness, but not at once if it is
/// entering a control group.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

impl LockedFile {
    /// Opens `path`, creating it if needed, and locks it.
    pub fn open(path: &Path) -> Result<Self, LockError> {
        let existed = path.exists();
        if existed {
            // A pipe in its place would be waited for without end.
            open_regular(path)?;
        }
        let mut unlocked = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let until = Instant::now() + LOCK_TIMEOUT;
        let file = loop {
            match Flock::lock(unlocked, FlockArg::LockExclusiveNonblock) {
                Ok(file) => break file,
                Err((file, Errno::EWOULDBLOCK)) if Instant::now() < until => unlocked = file,
                Err((_, Errno::EWOULDBLOCK)) => return Err(LockError::Held),
                Err((_, other)) => return Err(LockError::Io(io::Error::from(other))),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if !existed {
            sync_parent(path)?;
        }
        Ok(Self { length: file.metadata()?.len(), file })
    }

    /// Returns whether another process holds the lock of the journal at `path`.
    pub fn is_held(path: &Path) -> bool {
        let Ok(file) = open_regular(path) else { return false };
        matches!(Flock::lock(file, FlockArg::LockSharedNonblock), Err((_, Errno::EWOULDBLOCK)))
    }

    /// Returns a second handle for reading, positioned at the start of the file.
    pub fn reader(&self) -> io::Result<File> {
        let mut reader = self.file.try_clone()?;
        io::Seek::rewind(&mut reader)?;
        Ok(reader)
    }
}

impl Storage for LockedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        // Writing to a deleted file succeeds, but its contents are lost when it is closed.
        let found = self.file.metadata()?;
        if found.nlink() == 0 {
            let message = "its file was deleted during the run, and the games in it are lost";
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        if found.len() != self.length {
            let message = format!(
                "another program has changed its file, which has {} bytes and should have {}",
                found.len(),
                self.length
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.length = length;
        self.file.sync_all()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_until_the_first_releases_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = LockedFile::open(&path).unwrap();
        assert!(matches!(LockedFile::open(&path), Err(LockError::Held)));
        assert!(LockedFile::is_held(&path));
        drop(first);
        assert!(!LockedFile::is_held(&path) && !LockedFile::is_held(folder.path().join("none").as_path()));
        assert!(LockedFile::open(&path).is_ok());
    }

    #[test]
    fn bytes_of_a_deleted_file_are_never_reported_durable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut file = LockedFile::open(&path).unwrap();
        file.append(b"one\n").unwrap();
        file.sync().unwrap();
        std::fs::remove_file(&path).unwrap();
        file.append(b"two\n").unwrap();
        assert!(file.sync().unwrap_err().to_string().contains("deleted"));
    }

    #[test]
    fn row_243_bytes_of_a_file_that_someone_else_writes_to_are_never_reported_durable() {
        let folder = tempfile::tempdir().unwrap();
        for (name, length) in [("cut", 2), ("grown", 20)] {
            let path = folder.path().join(name);
            let mut file = LockedFile::open(&path).unwrap();
            file.append(b"one\n").unwrap();
            file.sync().unwrap();
            OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
            file.append(b"two\n").unwrap();
            assert!(file.sync().unwrap_err().to_string().contains("another program"), "{name}");
        }
    }

    #[test]
    fn appended_bytes_follow_the_truncated_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut file = LockedFile::open(&path).unwrap();
        file.append(b"one\ntwo\nthr").unwrap();
        file.truncate(8).unwrap();
        file.append(b"three\n").unwrap();
        file.sync().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
    }
}
