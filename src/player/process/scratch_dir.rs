//! A folder of an engine's own, gone when the engine is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the names of all such folders begin with.
const PREFIX: &str = "playself-";

/// Removes the folders of a run owner_of own process could not.
pub(super) fn remove_scratch_dirs(run: &str) {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return };
    let ours = format!("{PREFIX}{run}-");
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// A fresh folder that is removed, with all in it, when dropped.
#[derive(Debug)]
pub(super) struct ScratchDir(PathBuf);

impl ScratchDir {
    /// Makes a folder with this name, which must be new, under the system's folder for such things.
    pub(super) fn create(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{PREFIX}{name}"));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // A process that escaped may still be writing here. The guardian tries again at the end, once everything that
        // the run started has been killed; a folder left in the temporary directory harms no later run.
        let _ = fs::remove_dir_all(&self.0);
    }
}
