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
    RunFolder::open(&run_path(path)?).or_usage()
}

/// Returns the path of a run that may be named `last`. A folder of that name is meant before the newest run.
pub(crate) fn run_path(path: &Path) -> Result<PathBuf, Failure> {
    if path == Path::new(LAST) && !path.exists() {
        return Ok(RunFolder::newest(Path::new(RESULTS)).or_usage()?.path().to_owned());
    }
    Ok(path.to_owned())
}
