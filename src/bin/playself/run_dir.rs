//! The argument of commands that work on an existing run.

use std::path::{Path, PathBuf};

use playself::commands::{Failure, OrFailure};
use playself::store::{RESULTS, RunFolder};

/// The name of the newest run.
const LAST: &str = "last";

/// A run folder.
#[derive(Debug, clap::Args)]
pub(crate) struct RunDir {
    /// Run folder, or `last` for the newest one in results
    #[arg(value_name = "RUN_DIR", value_hint = clap::ValueHint::DirPath)]
    path: PathBuf,
}

/// A run folder that may be left out.
#[derive(Debug, clap::Args)]
pub(crate) struct AnyRunDir {
    /// Run folder [default: `last`, the newest one in results]
    #[arg(value_name = "RUN_DIR", value_hint = clap::ValueHint::DirPath)]
    path: Option<PathBuf>,
}

impl RunDir {
    pub(crate) fn folder(&self) -> Result<RunFolder, Failure> {
        open(&self.path)
    }
}

impl AnyRunDir {
    pub(crate) fn folder(&self) -> Result<RunFolder, Failure> {
        open(self.path.as_deref().unwrap_or(Path::new(LAST)))
    }
}

fn open(path: &Path) -> Result<RunFolder, Failure> {
    let path = run_path(path)?;
    if !path.exists() {
        let shown = path.display();
        return Err(Failure::usage(format!(
            "{shown} does not exist; `playself list` shows the runs in results"
        )));
    }
    RunFolder::open(&path).or_usage()
}

/// Returns the run that stands in the place of a configuration file, or `None` of a file.
pub(crate) fn folder_of(path: &Path) -> Result<Option<RunFolder>, Failure> {
    let path = run_path(path)?;
    if path.is_dir() { RunFolder::open(&path).map(Some).or_usage() } else { Ok(None) }
}

/// Returns the path of a run that may be named `last`, or by the name of its folder in results. A path that exists is meant
/// before both.
pub(crate) fn run_path(path: &Path) -> Result<PathBuf, Failure> {
    if path.exists() {
        return Ok(path.to_owned());
    }
    if path == Path::new(LAST) {
        return Ok(RunFolder::newest(Path::new(RESULTS)).or_usage()?.path().to_owned());
    }
    let is_name = path.components().count() == 1;
    let in_results = is_name.then(|| RunFolder::open(&Path::new(RESULTS).join(path)).ok()).flatten();
    Ok(in_results.map_or_else(|| path.to_owned(), |folder| folder.path().to_owned()))
}
