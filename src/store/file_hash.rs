//! Content hashes of the files on which a plan depends.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::store::regular_file::open_regular;

/// A file and the hash of its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// Path of the file.
    pub path: PathBuf,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

impl FileHash {
    /// Hashes the file at `path`.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), sha256: hash_file(path)? })
    }

    /// Returns where a copy of the file is kept in `folder`: under its hash, with its ending, which some programs look at.
    pub fn copy_in(&self, folder: &Path) -> PathBuf {
        let copy = folder.join(&self.sha256);
        self.path.extension().map_or_else(|| copy.clone(), |ending| copy.with_extension(ending))
    }

    /// Describes how the file differs from the hash, if it does.
    pub fn changed(&self) -> Option<String> {
        match hash_file(&self.path) {
            Ok(now) if now == self.sha256 => None,
            Ok(_) => Some(format!("{} has changed since the run began", self.path.display())),
            Err(why) => Some(format!("{} can no longer be read: {why}", self.path.display())),
        }
    }
}

/// Returns the SHA-256 of `bytes`, in hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What the system knows about a file without reading it. A write to a file, or its replacement, changes its stamp. So do
/// other changes of its metadata, which cost a reading of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// When it was last written to or renamed, or given other permissions. Unlike `modified` it cannot be set.
    changed: (i64, i64),
}

impl FileStamp {
    /// Returns the stamp of the file at `path`.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&fs::metadata(path)?))
    }

    /// Returns the stamp of an open file.
    pub fn of_open(file: &fs::File) -> io::Result<Self> {
        Ok(Self::from_metadata(&file.metadata()?))
    }

    fn from_metadata(found: &fs::Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Whether another write could leave the same stamp, because the clock of the file system is coarse.
    pub(super) fn is_recent(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.changed.0.saturating_add(2) >= i64::try_from(now).unwrap_or(i64::MAX)
    }
}

/// Hashes of files by their stamps: programs are large, and several engines of a plan often are the same one.
static HASHES: LazyLock<Mutex<HashMap<FileStamp, String>>> = LazyLock::new(Mutex::default);

fn hash_file(path: &Path) -> io::Result<String> {
    let file = open_regular(path)?;
    let stamp = FileStamp::of_open(&file)?;
    let hashes = || HASHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = hashes().get(&stamp) {
        return Ok(known.clone());
    }
    let hash = hash_content(file)?;
    if !stamp.is_recent() && FileStamp::of(path).is_ok_and(|now| now == stamp) {
        hashes().insert(stamp, hash.clone());
    }
    Ok(hash)
}

fn hash_content(mut file: fs::File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_or_missing_file_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        std::fs::write(&path, "abc").unwrap();
        let hash = FileHash::of(&path).unwrap();
        // FIPS 180-2, appendix B.1.
        assert_eq!(hash.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash.changed(), None);
        std::fs::write(&path, "abd").unwrap();
        assert!(hash.changed().unwrap().contains("has changed"));
        std::fs::remove_file(&path).unwrap();
        assert!(hash.changed().unwrap().contains("can no longer be read"));
    }
}
