//! The folder that holds everything about one run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a run and the names of the files in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes a new folder `root/STAMP-NAME`, with a number behind it if that one is taken.
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

    /// Makes exactly this folder, which must not hold a run yet.
    pub fn create_at(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        let folder = Self { path: path.to_owned() };
        if folder.plan().exists() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} already holds a run; `playself resume` goes on with it", path.display()),
            ));
        }
        Ok(folder)
    }

    /// The folder of an existing run.
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = Self { path: path.to_owned() };
        if folder.plan().is_file() {
            return Ok(folder);
        }
        let path = path.display();
        let message = if folder.path.exists() {
            format!("{path} is not a run folder: it has no plan.toml")
        } else {
            format!("{path} does not exist")
        };
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything needed to repeat the run.
    pub fn plan(&self) -> PathBuf {
        self.path.join("plan.toml")
    }

    /// The truth.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.ndjson")
    }

    /// The games.
    pub fn games(&self) -> PathBuf {
        self.path.join("games.pgn")
    }

    /// The counted pairs.
    pub fn pairs(&self) -> PathBuf {
        self.path.join("pairs.csv")
    }

    /// Whether its files tell of games that were played.
    pub fn holds_games(&self) -> bool {
        let pgn = fs::metadata(self.games()).is_ok_and(|found| found.len() > 0);
        // The first line of the table is there before any pair is.
        let rows = || fs::read_to_string(self.pairs()).is_ok_and(|text| text.lines().nth(1).is_some());
        pgn || rows()
    }

    /// The result.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// The page to look at.
    pub fn page(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// What engine faults left behind.
    pub fn faults(&self) -> PathBuf {
        self.path.join("faults")
    }

    /// Where a running run listens to its user.
    pub fn socket(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// The tuning trials.
    pub fn trials(&self) -> PathBuf {
        self.path.join("trials.csv")
    }

    /// Whether the run tunes: the score of its two sides then says nothing about strength.
    pub fn is_tuning(&self) -> bool {
        self.trials().exists()
    }

    /// The best weights a tuning run knows.
    pub fn weights(&self) -> PathBuf {
        self.path.join("weights.toml")
    }

    /// The weights that passed their test.
    pub fn accepted(&self) -> PathBuf {
        self.path.join("accepted.toml")
    }

    /// The run that tests tuned weights.
    pub fn acceptance(&self) -> PathBuf {
        self.path.join("accept")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_one_second_get_two_folders_with_safe_names() {
        let root = tempfile::tempdir().unwrap();
        let first = RunFolder::create(root.path(), "20260101-000000", "../a b").unwrap();
        let second = RunFolder::create(root.path(), "20260101-000000", "../a b").unwrap();
        assert_eq!(first.path(), root.path().join("20260101-000000-..-a-b"));
        assert_eq!(second.path(), root.path().join("20260101-000000-..-a-b-2"));
    }

    #[test]
    fn a_folder_without_a_plan_is_no_run() {
        let root = tempfile::tempdir().unwrap();
        let told = |path: &Path| RunFolder::open(path).unwrap_err().to_string();
        assert!(told(root.path()).contains("no plan.toml"));
        assert!(told(&root.path().join("nowhere")).ends_with("nowhere does not exist"));
    }
}
