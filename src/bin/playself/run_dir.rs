//! The argument of commands that work on an existing run.

use std::path::PathBuf;

/// A run folder.
#[derive(Debug, clap::Args)]
pub(crate) struct RunDir {
    /// Run folder
    #[arg(value_name = "RUN_DIR")]
    pub(crate) path: PathBuf,
}
