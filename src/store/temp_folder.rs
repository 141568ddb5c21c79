//! Temporary folders of unpredictable name.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::store::random_name::random_name;

/// A new folder for this user alone, removed when dropped.
///
/// Its name cannot be guessed and an existing folder is never used, so no one else can prepare its contents.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
}

impl TempFolder {
    /// Creates a folder in the system's temporary folder whose name begins with `prefix`.
    pub fn create(prefix: &str) -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir(), prefix)
    }

    /// Creates a folder in `root` whose name begins with `prefix`.
    pub fn create_in(root: &Path, prefix: &str) -> io::Result<Self> {
        loop {
            let path = root.join(format!("{prefix}-{}", random_name()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Leaves the folder where it is, for a later process.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // Best effort: the system clears its temporary folder, too.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn temporary_folders_differ_belong_to_their_user_and_vanish() {
        let (one, other) =
            (TempFolder::create("playself-test").unwrap(), TempFolder::create("playself-test").unwrap());
        assert_ne!(one.path(), other.path());
        let mode = fs::metadata(one.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && other.path().exists());
    }
}
