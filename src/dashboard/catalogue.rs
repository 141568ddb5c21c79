//! The runs that can be looked at, by the names they have in addresses.

use std::path::{Path, PathBuf};

use crate::run::Plan;
use crate::store::RunFolder;

/// Reads a `plan.toml`. The page knows plans, not how files spell them.
pub type PlanReader = fn(&str) -> Result<Plan, String>;

/// What the run that tests a tuning run's weights adds to its name.
const ACCEPTANCE: &str = "~accept";

/// Where the runs are.
#[derive(Clone, Debug)]
enum Place {
    /// A folder of run folders.
    Results(PathBuf),
    /// One run, and its acceptance test if there is one.
    Single(RunFolder),
}

/// A list of runs that is read anew each time somebody looks.
#[derive(Clone, Debug)]
pub struct Catalogue {
    place: Place,
    read_plan: PlanReader,
}

/// A run that can be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its name in addresses.
    pub(super) id: String,
    pub(super) folder: RunFolder,
}

impl Catalogue {
    /// All runs in a folder of results.
    pub fn results(folder: &Path, read_plan: PlanReader) -> Self {
        Self { place: Place::Results(folder.to_owned()), read_plan }
    }

    /// One run.
    pub fn single(folder: RunFolder, read_plan: PlanReader) -> Self {
        Self { place: Place::Single(folder), read_plan }
    }

    /// The runs, newest first as far as names begin with a date.
    pub(super) fn list(&self) -> Vec<Listed> {
        let mut folders = match &self.place {
            Place::Single(folder) => vec![folder.clone()],
            Place::Results(root) => {
                let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
                entries.filter_map(|entry| RunFolder::open(&entry.path()).ok()).collect()
            }
        };
        folders.sort_by(|one, other| other.path().file_name().cmp(&one.path().file_name()));
        folders.iter().flat_map(with_acceptance).collect()
    }

    /// The run of this name. A name is only ever compared, never made into a path.
    pub(super) fn find(&self, id: &str) -> Option<RunFolder> {
        self.list().into_iter().find(|listed| listed.id == id).map(|listed| listed.folder)
    }

    /// The only run, where there is one by nature.
    pub(super) fn only(&self) -> Option<String> {
        match &self.place {
            Place::Single(folder) => Some(id_of(folder)),
            Place::Results(_) => None,
        }
    }

    /// The plan of a run with its text.
    pub(super) fn plan_of(&self, folder: &RunFolder) -> Result<(Plan, String), String> {
        let text = std::fs::read_to_string(folder.plan()).map_err(|why| why.to_string())?;
        Ok(((self.read_plan)(&text)?, text))
    }
}

/// The name of a tuning run's acceptance test.
pub(super) fn acceptance_id(id: &str) -> String {
    format!("{id}{ACCEPTANCE}")
}

fn with_acceptance(folder: &RunFolder) -> Vec<Listed> {
    let id = id_of(folder);
    let test = RunFolder::open(&folder.acceptance()).ok();
    let test = test.map(|folder| Listed { id: acceptance_id(&id), folder });
    std::iter::once(Listed { id, folder: folder.clone() }).chain(test).collect()
}

fn id_of(folder: &RunFolder) -> String {
    let name = folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "run".to_owned())
}

/// A name as a part of an address.
pub(super) fn url_part(id: &str) -> String {
    let mut text = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_name_alone_and_never_by_path() {
        let root = tempfile::tempdir().unwrap();
        for name in ["20260101-a", "20260102-b", "no-run", "20260102-b/accept"] {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
            if name != "no-run" {
                std::fs::write(root.path().join(name).join("plan.toml"), "").unwrap();
            }
        }
        let catalogue = Catalogue::results(root.path(), |_| Err("not read".to_owned()));
        let ids: Vec<String> = catalogue.list().into_iter().map(|listed| listed.id).collect();
        assert_eq!(ids, ["20260102-b", "20260102-b~accept", "20260101-a"]);
        assert!(catalogue.find("20260101-a").is_some());
        for foreign in ["", ".", "..", "20260102-b/accept", "../20260101-a", "no-run", "20260101-a\0"] {
            assert_eq!(catalogue.find(foreign), None, "{foreign}");
        }
        assert_eq!(url_part("a b/ü"), "a%20b%2F%C3%BC");
    }
}
