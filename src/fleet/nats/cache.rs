//! The files of engines on a worker's disk, by their SHA-256.

use std::collections::HashSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::fleet::nats::connection::{NatsError, ServerConnection};
use crate::fleet::nats::messages::{FileRef, Refusal, RefusalCode};
use crate::fleet::nats::objects::ObjectError;
use crate::store::{FileHash, TempFolder, sha256_of};

/// Largest file.
pub(super) const MOST_BLOB_BYTES: u64 = 512 << 20;
/// Largest cache, unless the user sets another size.
pub const MOST_CACHE_BYTES: u64 = 4 << 30;

/// Name of the file by which a folder of `engines` is locked.
const LOCK: &str = ".lock";

/// Beginnings of the names of folders for what is not complete: files, and builds.
const DRAFT: &str = ".draft";
pub(super) const BUILD: &str = ".build";

/// Age at which such a folder belongs to no process any more.
const OLD_DRAFT: Duration = Duration::from_secs(24 * 3600);

/// Why the files of an engine are not there.
#[derive(Debug, thiserror::Error)]
pub enum ProvideError {
    /// This machine cannot play with it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The server failed; another attempt may succeed.
    #[error(transparent)]
    Nats(#[from] NatsError),
    /// The disk failed; another attempt may succeed.
    #[error("the cache: {0}")]
    Disk(#[from] io::Error),
}

/// A cache of files. Several processes may share one.
///
/// `blobs` has the files by hash; `engines` has a folder per engine with links to its files under their own names, locked
/// as long as the cache that handed it out is open.
#[derive(Debug)]
pub struct Cache {
    dir: PathBuf,
    limit: u64,
    /// Locks of the folders that were handed out.
    used: Mutex<Vec<File>>,
}

impl Cache {
    /// Opens a cache of at most `limit` bytes, and makes it if it is missing.
    pub fn open(dir: &Path, limit: u64) -> io::Result<Self> {
        for part in ["blobs", "engines", "builds"] {
            fs::create_dir_all(dir.join(part))?;
        }
        let dir = dir.canonicalize()?;
        Ok(Self { dir, limit, used: Mutex::new(Vec::new()) })
    }

    /// Returns the folder of the cache.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the path of a file, fetched unless the cache has it. A damaged file is fetched once more.
    pub(super) async fn blob(
        &self,
        connection: &ServerConnection,
        file: &FileRef,
    ) -> Result<PathBuf, ProvideError> {
        let refused = |why: String| Refusal { code: RefusalCode::Files, why };
        if !is_hash(&file.sha256) {
            return Err(refused(format!("{:?} is not the hash of a file", file.sha256)).into());
        }
        if file.size > MOST_BLOB_BYTES {
            let why = format!("a file has {} bytes; at most {MOST_BLOB_BYTES} are allowed", file.size);
            return Err(refused(why).into());
        }
        let path = self.dir.join("blobs").join(&file.sha256);
        if FileHash::of(&path).is_ok_and(|found| found.sha256 == file.sha256) {
            // Its age counts from the last use.
            let _ = File::open(&path).and_then(|blob| blob.set_modified(SystemTime::now()));
            return Ok(path);
        }
        self.make_room(file.size)?;
        let mut damaged = String::new();
        for _ in 0..2 {
            match self.fetch(connection, file, &path).await {
                Ok(()) => return Ok(path),
                Err(ObjectError::Nats(NatsError::Missing)) => {
                    return Err(refused(format!("the server does not have the file {}", file.sha256)).into());
                }
                Err(ObjectError::Nats(error)) => return Err(error.into()),
                Err(ObjectError::Io(error)) => return Err(error.into()),
                Err(error @ (ObjectError::Damaged(_) | ObjectError::TooLarge { .. })) => {
                    damaged = error.to_string();
                }
            }
        }
        Err(refused(format!("{damaged}, also at the second attempt")).into())
    }

    async fn fetch(
        &self,
        connection: &ServerConnection,
        file: &FileRef,
        path: &Path,
    ) -> Result<(), ObjectError> {
        let draft = TempFolder::create_in(&self.dir, DRAFT)?;
        let draft_file = draft.path().join("blob");
        let mut written = File::create_new(&draft_file)?;
        connection.get_object(&file.sha256, MOST_BLOB_BYTES, |piece| written.write_all(piece)).await?;
        written.set_permissions(Permissions::from_mode(0o555))?;
        // A program that is open for writing cannot be started.
        drop(written);
        fs::rename(&draft_file, path)?;
        Ok(())
    }

    /// Returns a folder with these files under their names, which no process removes while this cache is open.
    pub(super) fn engine_folder(&self, files: &[(String, PathBuf)]) -> io::Result<PathBuf> {
        let mut text = String::new();
        for (name, path) in files {
            text.push_str(&format!("{name}\0{}\0", path.display()));
        }
        let folder = self.dir.join("engines").join(&sha256_of(text.as_bytes())[..32]);
        let lock = lock_folder(&folder)?;
        for (name, path) in files {
            let link = folder.join(name);
            let same = fs::metadata(&link)
                .is_ok_and(|link| fs::metadata(path).is_ok_and(|file| file.ino() == link.ino()));
            if !same {
                // Another process may be starting the file that is replaced.
                let draft = TempFolder::create_in(&self.dir, DRAFT)?;
                let new = draft.path().join("link");
                fs::hard_link(path, &new)?;
                fs::rename(new, &link)?;
            }
        }
        self.used.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        Ok(folder)
    }

    /// Removes a folder that no process has locked.
    fn remove_if_unused(&self, folder: &Path) {
        let Ok(lock) = open_lock(folder) else { return };
        if lock.try_lock().is_ok() && is_lock_of(&lock, folder) {
            // Under its name another process may make it again at once.
            if let Ok(gone) = TempFolder::create_in(&self.dir, DRAFT) {
                let _ = fs::rename(folder, gone.path().join("engine"));
            }
        }
    }

    /// Removes what killed processes have left.
    fn remove_old_drafts(&self) -> io::Result<()> {
        for path in entries(&self.dir)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_draft = [DRAFT, BUILD].iter().any(|prefix| name.starts_with(prefix));
            let age = fs::symlink_metadata(&path).and_then(|facts| facts.modified());
            let is_old = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD_DRAFT));
            if is_draft && is_old {
                let _ = fs::remove_dir_all(&path);
            }
        }
        Ok(())
    }

    /// Removes the files that were not used for the longest time until another `bytes` fit.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        for folder in entries(&self.dir.join("engines"))? {
            self.remove_if_unused(&folder);
        }
        self.remove_old_drafts()?;
        let mut blobs = Vec::new();
        let mut seen = HashSet::new();
        let mut total = bytes;
        for part in ["blobs", "builds"] {
            for path in entries(&self.dir.join(part))? {
                let Ok(facts) = fs::symlink_metadata(&path) else { continue };
                if facts.is_file() && seen.insert(facts.ino()) {
                    total += facts.size();
                    blobs.push((facts.modified()?, facts.size(), facts.nlink(), path));
                }
            }
        }
        blobs.sort();
        // A file with another link belongs to an engine in use.
        for (_, size, _, path) in blobs.into_iter().filter(|(_, _, links, _)| *links == 1) {
            if total <= self.limit {
                break;
            }
            fs::remove_file(path)?;
            total -= size;
        }
        Ok(())
    }
}

/// Makes a folder, unless there is one, and locks it: no process removes it before the returned file is closed.
fn lock_folder(folder: &Path) -> io::Result<File> {
    loop {
        fs::create_dir_all(folder)?;
        match open_lock(folder) {
            Ok(lock) => {
                lock.lock_shared()?;
                if is_lock_of(&lock, folder) {
                    return Ok(lock);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

fn open_lock(folder: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))
}

/// Returns whether the folder still is the one of this lock: it may have been removed, and made again, before the lock was
/// obtained.
fn is_lock_of(lock: &File, folder: &Path) -> bool {
    let inode = |facts: io::Result<fs::Metadata>| facts.ok().map(|facts| facts.ino());
    inode(lock.metadata()).is_some_and(|own| inode(fs::metadata(folder.join(LOCK))) == Some(own))
}

fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Returns whether a text can be the name of a blob; nothing else becomes part of a path.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(cache: &Cache, number: u8, age: u64) -> PathBuf {
        let path = cache.dir.join("blobs").join(format!("{number:064}"));
        let mut file = File::create(&path).unwrap();
        file.write_all(&[number; 1000]).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        path
    }

    #[test]
    fn the_files_that_were_not_used_for_the_longest_time_make_room() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path(), 3000).unwrap();
        let [new, old, older, linked] =
            [(1, 10), (2, 20), (3, 30), (4, 40)].map(|(number, age)| blob(&cache, number, age));
        let folder = cache.engine_folder(&[("program".to_owned(), linked.clone())]).unwrap();
        cache.make_room(1000).unwrap();
        assert!(new.exists() && !old.exists() && !older.exists(), "two of four make room for a fifth");
        assert!(linked.exists() && folder.join("program").exists(), "what is in use stays");
        drop(cache);
        Cache::open(dir.path(), 3000).unwrap().make_room(3000).unwrap();
        assert!(!folder.exists() && !linked.exists() && !new.exists());
    }

    #[test]
    fn only_drafts_of_processes_that_are_gone_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path(), 3000).unwrap();
        let old = SystemTime::now() - 2 * OLD_DRAFT;
        let folder = |name: &str, time: SystemTime| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("blob"), "x").unwrap();
            File::open(&path).unwrap().set_modified(time).unwrap();
            path
        };
        let left = [".draft-1", ".build-2"].map(|name| folder(name, old));
        let stay = [folder(".draft-3", SystemTime::now()), folder("spool", old)];
        cache.make_room(0).unwrap();
        assert!(left.iter().all(|path| !path.exists()) && stay.iter().all(|path| path.exists()));
    }

    #[test]
    fn only_hashes_become_names_of_files() {
        assert!(is_hash(&"0f".repeat(32)));
        for text in
            ["", "../../etc/passwd", &"0F".repeat(32), &"0f".repeat(33), &format!("/{}", "a".repeat(63))]
        {
            assert!(!is_hash(text), "{text}");
        }
    }
}
