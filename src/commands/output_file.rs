//! Files written by commands that work for minutes first.

use std::path::Path;

use crate::commands::failure::Failure;

/// Refuses an output path whose folder does not exist, before any work is done for it.
pub(super) fn require_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::usage(format_args!(
        "{} cannot be written: the folder {} does not exist",
        path.display(),
        folder.display()
    )))
}
