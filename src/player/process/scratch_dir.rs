//! Private working directory of an engine, removed when its process has ended.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Prefix of the names of all such directories.
const PREFIX: &str = "playself-";

/// Removes the directories of a run that has not removed them itself.
pub(super) fn remove_scratch_dirs(run: &str) {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return };
    let prefix = format!("{PREFIX}{run}-");
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// A new directory that is removed with its contents when dropped.
#[derive(Debug)]
pub(super) struct ScratchDir(PathBuf);

impl ScratchDir {
    /// Creates a directory with this name, which must be new, in the system's temporary directory, for this user alone.
    pub(super) fn create(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{PREFIX}{name}"));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // A process that escaped may still be writing here. The guardian tries again at the end, when every process
        // of the run has been killed; a directory left in the temporary directory does not affect later runs.
        let _ = fs::remove_dir_all(&self.0);
    }
}
