//! Permits: how a test decides when games may go on.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// A folder of permits. Every game takes one, whichever process plays it. Its folder `waiting` has a file for every process
/// that waits for one.
pub(crate) struct Permits {
    folder: PathBuf,
    /// Moves of the game in progress.
    pub(crate) moves: u64,
}

impl Permits {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, moves: 0 }
    }

    /// Waits for a permit at the second move of a game. Searches of one move, which measure an engine, need none.
    pub(crate) fn wait(&mut self) {
        self.moves += 1;
        if self.moves != 2 {
            return;
        }
        let mark = self.folder.join("waiting").join(std::process::id().to_string());
        loop {
            // A process that has a permit never counts as waiting.
            let _ = fs::remove_file(&mark);
            if self.take() {
                return;
            }
            let _ = fs::write(&mark, "");
            while self.files().is_some_and(|files| files.is_empty()) {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }

    /// Takes a permit; true as well if there is no folder.
    fn take(&self) -> bool {
        // Only one process can remove a file.
        self.files().is_none_or(|files| files.iter().any(|file| fs::remove_file(file).is_ok()))
    }

    /// Returns the permits, or `None` if there is no folder.
    fn files(&self) -> Option<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.folder).ok()?.flatten().map(|entry| entry.path());
        Some(entries.filter(|path| path.is_file()).collect())
    }
}
