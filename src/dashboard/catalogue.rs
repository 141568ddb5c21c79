//! The runs that the server shows, by the names in their URLs.

use std::cmp::Reverse;
use std::fs::{self, DirEntry};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use crate::run::{Plan, plan_from_toml};
use crate::store::{RunFolder, UtcDate, read_own};

/// The longest plan that is shown; one of 10,000 weights has a tenth of it.
const MAX_PLAN: u64 = 32 << 20;

/// Suffix of the name of an acceptance test, after the name of its tuning run.
const ACCEPTANCE: &str = "~accept";

/// The runs of a results folder or a single run. The list is read from the file system on every request.
#[derive(Clone, Debug)]
pub enum Catalogue {
    /// A folder of run folders.
    Results(PathBuf),
    /// One run, and its acceptance test if there is one.
    Single(RunFolder),
}

/// A run that the server shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedRun {
    /// Name of the run in URLs.
    pub(super) id: String,
    pub(super) folder: RunFolder,
}

impl Catalogue {
    /// Returns the runs, the newest first.
    pub(super) fn list(&self) -> Vec<ListedRun> {
        let mut folders: Vec<RunFolder> = match self {
            Self::Single(folder) => vec![folder.clone()],
            Self::Results(root) => {
                let entries = fs::read_dir(root).into_iter().flatten().flatten();
                entries.filter(is_folder).filter_map(|entry| RunFolder::open(&entry.path()).ok()).collect()
            }
        };
        folders.retain(has_own_files);
        folders.sort_by_cached_key(|folder| Reverse((started(folder), id_of(folder))));
        folders.iter().flat_map(with_acceptance).collect()
    }

    /// Returns the folder of the run `id`. The name is compared with the list and never used as a path.
    pub(super) fn find(&self, id: &str) -> Option<RunFolder> {
        self.list().into_iter().find(|listed| listed.id == id).map(|listed| listed.folder)
    }

    /// Returns the name of the run if the catalogue is a single run.
    pub(super) fn only(&self) -> Option<String> {
        match self {
            Self::Single(folder) => Some(id_of(folder)),
            Self::Results(_) => None,
        }
    }
}

/// Reads the plan of a run and returns it with its text.
pub(super) fn plan_of(folder: &RunFolder) -> Result<(Plan, String), String> {
    let text = read_own(&folder.plan(), MAX_PLAN).map_err(|why| format!("plan.toml: {why}"))?;
    // The reason of the parser quotes the text, which may not be a plan at all.
    let plan = plan_from_toml(&text).map_err(|_| "plan.toml is not a plan of this program")?;
    Ok((plan, text))
}

/// Returns when a run began, as `20260131-235959`: what its name begins with, otherwise the time of its plan, which is written
/// once.
pub(super) fn started(folder: &RunFolder) -> String {
    let is_stamp = |text: &&str| {
        let (date, time) = text.split_once('-').unwrap_or_default();
        let are_digits =
            |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        are_digits(date, 8) && are_digits(time, 6)
    };
    if let Some(stamp) = id_of(folder).get(..STAMP_LENGTH).filter(is_stamp) {
        return stamp.to_owned();
    }
    let time = fs::metadata(folder.plan()).and_then(|about| about.modified()).ok();
    let seconds =
        time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    UtcDate::from_unix(i64::try_from(seconds).unwrap_or(0)).stamp()
}

/// Length of `20260131-235959`.
const STAMP_LENGTH: usize = 15;

/// Returns whether the plan and the journal of a run, as far as they exist, are files of its own. A link or a pipe in their
/// place may lead anywhere, or never end.
fn has_own_files(folder: &RunFolder) -> bool {
    [folder.plan(), folder.journal()]
        .iter()
        .all(|path| fs::symlink_metadata(path).map_or(true, |about| about.is_file()))
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Returns the name of the acceptance test of the tuning run `id`.
pub(super) fn acceptance_id(id: &str) -> String {
    format!("{id}{ACCEPTANCE}")
}

fn with_acceptance(folder: &RunFolder) -> Vec<ListedRun> {
    let id = id_of(folder);
    let is_own = fs::symlink_metadata(folder.acceptance()).is_ok_and(|about| about.is_dir());
    let test = RunFolder::open(&folder.acceptance()).ok().filter(|test| is_own && has_own_files(test));
    let test = test.map(|folder| ListedRun { id: acceptance_id(&id), folder });
    std::iter::once(ListedRun { id, folder: folder.clone() }).chain(test).collect()
}

fn id_of(folder: &RunFolder) -> String {
    let name = folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "run".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_name_and_never_by_path() {
        let root = tempfile::tempdir().unwrap();
        for name in ["20260101-a", "20260102-b", "no-run", "20260102-b/accept"] {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
            if name != "no-run" {
                std::fs::write(root.path().join(name).join("plan.toml"), "").unwrap();
            }
        }
        let catalogue = Catalogue::Results(root.path().to_owned());
        let ids: Vec<String> = catalogue.list().into_iter().map(|listed| listed.id).collect();
        assert_eq!(ids, ["20260102-b", "20260102-b~accept", "20260101-a"]);
        assert!(catalogue.find("20260101-a").is_some());
        for foreign in ["", ".", "..", "20260102-b/accept", "../20260101-a", "no-run", "20260101-a\0"] {
            assert_eq!(catalogue.find(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn runs_are_listed_by_the_time_of_their_start_whatever_their_names() {
        let root = tempfile::tempdir().unwrap();
        for name in ["20010101-120000-old", "mine", "20990101-120000-future", "20010101-late"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
            std::fs::write(root.path().join(name).join("plan.toml"), "").unwrap();
        }
        let catalogue = Catalogue::Results(root.path().to_owned());
        let ids: Vec<String> = catalogue.list().into_iter().map(|listed| listed.id).collect();
        assert_eq!(ids.first().map(String::as_str), Some("20990101-120000-future"));
        assert_eq!(ids.last().map(String::as_str), Some("20010101-120000-old"));
    }
}
