//! Private working directory of an engine, removed when its process has ended.

use std::fs::{self, DirEntry, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

/// Prefix of the names of all such directories.
const PREFIX: &str = "playself-";

/// Removes the directories of a run that has not removed them itself.
pub(super) fn remove_scratch_dirs(run: &str) {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return };
    let prefix = format!("{PREFIX}{run}-");
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
        let _ = remove_tree(&entry.path());
    }
}

/// A thread that removes directories. An engine can leave as much in its directory as it likes, and no game may wait until that
/// is removed.
#[derive(Debug)]
pub(super) struct Remover {
    requests: Sender<Option<PathBuf>>,
    thread: Option<JoinHandle<()>>,
}

impl Remover {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<Self> {
        let (requests, inbox) = channel::<Option<PathBuf>>();
        let remove = move || {
            while let Ok(Some(path)) = inbox.recv() {
                // A process that escaped may still be writing here. The guardian tries again at the end, when every process
                // of the run has been killed; a directory left in the temporary directory does not affect later runs.
                let _ = remove_tree(&path);
            }
        };
        let thread = thread::Builder::new().name("removals".to_owned()).spawn(remove)?;
        Ok(Self { requests, thread: Some(thread) })
    }
}

impl Drop for Remover {
    /// Waits until everything is removed.
    fn drop(&mut self) {
        let _ = self.requests.send(None);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A new directory that is removed with its contents after this value is dropped.
#[derive(Debug)]
pub(super) struct ScratchDir {
    path: PathBuf,
    removals: Sender<Option<PathBuf>>,
}

impl ScratchDir {
    /// Creates a directory with this name, which must be new, in the system's temporary directory, for this user alone.
    pub(super) fn create(name: &str, remover: &Remover) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{PREFIX}{name}"));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, removals: remover.requests.clone() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // Without the thread the guardian removes it.
        let _ = self.removals.send(Some(std::mem::take(&mut self.path)));
    }
}

/// Removes a directory with its contents, however deep they are: what lies deeper is moved up first, so neither the length of a
/// path nor the number of open directories grows. Permissions that an engine has taken away are no obstacle.
fn remove_tree(top: &Path) -> io::Result<()> {
    let mut moved = 0_u64;
    loop {
        let directories: Vec<DirEntry> = remove_files(top)?;
        if directories.is_empty() {
            return fs::remove_dir(top);
        }
        for directory in directories {
            for inner in remove_files(&directory.path())? {
                make_accessible(&inner.path());
                loop {
                    moved += 1;
                    match fs::rename(inner.path(), top.join(format!("moved-{moved}"))) {
                        // The engine may have used the name.
                        Err(error) if is_taken(&error) => {}
                        outcome => break outcome?,
                    }
                }
            }
            fs::remove_dir(directory.path())?;
        }
    }
}

/// Removes the files of a directory and returns the directories in it. Links are removed, not followed.
fn remove_files(directory: &Path) -> io::Result<Vec<DirEntry>> {
    make_accessible(directory);
    let mut directories = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            directories.push(entry);
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(directories)
}

fn make_accessible(directory: &Path) {
    // If this fails, reading the directory fails too, and that is reported.
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn row_240_directories_are_removed_however_deep_full_or_closed_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        fs::write(&kept, "").unwrap();
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("moved-1/moved-2/moved-1")).unwrap();
        fs::write(top.join("moved-3"), "").unwrap();
        symlink(folder.path(), top.join("link")).unwrap();
        symlink(&kept, top.join("moved-1/link")).unwrap();
        for closed in ["moved-1/moved-2", "moved-1"] {
            fs::set_permissions(top.join(closed), Permissions::from_mode(0o000)).unwrap();
        }
        let deep = "i=0; while [ $i -lt 1500 ]; do mkdir deeper && cd -P deeper || exit 1; i=$((i+1)); done; touch file";
        assert!(Command::new("sh").args(["-c", deep]).current_dir(&top).status().unwrap().success());
        remove_tree(&top).unwrap();
        assert!(!top.exists() && kept.exists());
    }

    #[test]
    fn a_removed_directory_is_gone_when_its_remover_is() {
        let remover = Remover::start().unwrap();
        let name = format!("test-{}-{:p}", std::process::id(), &remover);
        let directory = ScratchDir::create(&name, &remover).unwrap();
        let path = directory.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(directory);
        drop(remover);
        assert!(!path.exists());
    }
}
