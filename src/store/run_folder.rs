//! The folder of a run.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::store::regular_file::open_own;

/// The folder in which run folders are created by default.
pub const RESULTS: &str = "results";

/// The folder of a run and the names of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Creates the folder `root/STAMP-NAME`, with a number appended if that exists already.
    pub fn create(root: &Path, stamp: &str, name: &str) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let safe: String = name
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
            .take(80)
            .collect();
        for attempt in 1.. {
            let suffix = if attempt == 1 { String::new() } else { format!("-{attempt}") };
            let path = root.join(format!("{stamp}-{safe}{suffix}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                Err(why) => return Err(why),
            }
        }
        unreachable!("some number is free")
    }

    /// Creates the folder `path`, which must not contain a run yet.
    pub fn create_at(path: &Path) -> io::Result<Self> {
        if path.is_file() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of that name"));
        }
        fs::create_dir_all(path)?;
        let folder = Self { path: path.to_owned() };
        if folder.plan().exists() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} already holds a run; use `playself resume` to continue it", path.display()),
            ));
        }
        Ok(folder)
    }

    /// Opens the folder of an existing run.
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = Self { path: path.to_owned() };
        if folder.plan().is_file() {
            return Ok(folder);
        }
        let parent = path.parent().map(|parent| Self { path: parent.to_owned() });
        let shown = path.display();
        let message = match parent {
            Some(parent) if path.is_file() && parent.plan().is_file() => {
                format!("{shown} is not a run folder but a file in one: name {}", parent.path.display())
            }
            _ if path.is_file() => format!("{shown} is not a run folder: it is a file"),
            _ if path.exists() => format!("{shown} is not a run folder: it has no plan.toml"),
            _ => format!("{shown} does not exist"),
        };
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }

    /// Opens the newest run in the folder `results`.
    pub fn newest(results: &Path) -> io::Result<Self> {
        let mut newest = None;
        for entry in fs::read_dir(results).into_iter().flatten().flatten() {
            let folder = Self { path: entry.path() };
            // The plan is written once, before the first game.
            let Ok(planned) = fs::metadata(folder.plan()).and_then(|found| found.modified()) else {
                continue;
            };
            let key = (planned, entry.file_name());
            if newest.as_ref().is_none_or(|(known, _)| key > *known) {
                newest = Some((key, folder));
            }
        }
        newest.map(|(_, folder)| folder).ok_or_else(|| {
            let message = format!("there is no run in {}: name a run folder", results.display());
            io::Error::new(io::ErrorKind::NotFound, message)
        })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the plan, which is sufficient to repeat the run.
    pub fn plan(&self) -> PathBuf {
        self.path.join("plan.toml")
    }

    /// Returns the path of the journal, from which the other files are derived.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.ndjson")
    }

    /// Returns the path of the games.
    pub fn games(&self) -> PathBuf {
        self.path.join("games.pgn")
    }

    /// Returns the path of the table of the machines of a fleet.
    pub fn workers(&self) -> PathBuf {
        self.path.join("workers.csv")
    }

    /// Returns the path of the counted pairs.
    pub fn pairs(&self) -> PathBuf {
        self.path.join("pairs.csv")
    }

    /// Returns whether the derived files contain games.
    pub fn holds_games(&self) -> bool {
        let pgn = fs::metadata(self.games()).is_ok_and(|found| found.len() > 0);
        // The header of the table is written before any pair.
        let rows = || open_own(&self.pairs()).is_ok_and(|file| BufReader::new(file).lines().nth(1).is_some());
        pgn || rows()
    }

    /// Returns whether the run was published without its records: it has a summary, and neither journal nor games. A folder
    /// with games has lost its journal.
    pub fn is_published(&self) -> bool {
        self.summary().is_file() && !self.journal().exists() && !self.holds_games()
    }

    /// Returns the path of the summary.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// Returns the path of the HTML report.
    pub fn page(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// Returns the path of the fault bundles.
    pub fn faults(&self) -> PathBuf {
        self.path.join("faults")
    }

    /// Returns the path of the copies of programs, kept while the run is not finished.
    pub fn programs(&self) -> PathBuf {
        self.path.join("programs")
    }

    /// Returns the path of the output of a detached run.
    pub fn log(&self) -> PathBuf {
        self.path.join("run.log")
    }

    /// Returns the path of the JSON events of a detached run.
    pub fn events(&self) -> PathBuf {
        self.path.join("events.ndjson")
    }

    /// Returns the path of the control socket.
    pub fn socket(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// Returns the path of the tuning trials.
    pub fn trials(&self) -> PathBuf {
        self.path.join("trials.csv")
    }

    /// Returns whether this is a tuning run, in which the score of the two sides is no measure of strength.
    pub fn is_tuning(&self) -> bool {
        self.trials().exists()
    }

    /// Returns the path of the best weights found by a tuning run.
    pub fn weights(&self) -> PathBuf {
        self.path.join("weights.toml")
    }

    /// Returns the path of the weights that passed the acceptance test.
    pub fn accepted(&self) -> PathBuf {
        self.path.join("accepted.toml")
    }

    /// Returns the path of the acceptance test's run folder.
    pub fn acceptance(&self) -> PathBuf {
        self.path.join("accept")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_in_the_same_second_get_different_folders_with_safe_names() {
        let root = tempfile::tempdir().unwrap();
        let first = RunFolder::create(root.path(), "20260101-000000", "../a b").unwrap();
        let second = RunFolder::create(root.path(), "20260101-000000", "../a b").unwrap();
        assert_eq!(first.path(), root.path().join("20260101-000000-..-a-b"));
        assert_eq!(second.path(), root.path().join("20260101-000000-..-a-b-2"));
    }

    #[test]
    fn the_newest_run_is_the_one_that_was_planned_last() {
        let root = tempfile::tempdir().unwrap();
        assert!(RunFolder::newest(root.path()).unwrap_err().to_string().contains("there is no run in"));
        let planned = |name: &str, seconds: u64| {
            let folder = RunFolder::create_at(&root.path().join(name)).unwrap();
            fs::write(folder.plan(), "").unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            fs::File::options().write(true).open(folder.plan()).unwrap().set_modified(time).unwrap();
        };
        planned("b", 200);
        planned("a", 300);
        planned("c", 100);
        fs::create_dir(root.path().join("z-not-a-run")).unwrap();
        assert_eq!(RunFolder::newest(root.path()).unwrap().path(), root.path().join("a"));
    }

    #[test]
    fn a_folder_without_a_plan_is_not_a_run_folder() {
        let root = tempfile::tempdir().unwrap();
        let error_of = |path: &Path| RunFolder::open(path).unwrap_err().to_string();
        assert!(error_of(root.path()).contains("no plan.toml"));
        assert!(error_of(&root.path().join("nowhere")).ends_with("nowhere does not exist"));
    }
}
