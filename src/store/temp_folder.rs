//! Temporary folders of unpredictable name.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::store::random_name::{is_random_name, random_name};

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
                Err(error) => {
                    let text = format!("no temporary folder can be created in {}: {error}", root.display());
                    return Err(io::Error::new(error.kind(), text));
                }
            }
        }
    }

    /// Creates a folder where files outlive a restart of the machine: in `TMPDIR` or else `/var/tmp`, if possible.
    pub fn create_lasting(prefix: &str) -> io::Result<Self> {
        let chosen = std::env::var_os("TMPDIR").is_some_and(|path| !path.is_empty());
        if !chosen && let Ok(folder) = Self::create_in(Path::new("/var/tmp"), prefix) {
            return Ok(folder);
        }
        Self::create(prefix)
    }

    /// Leaves the folder where it is, for a later process.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    /// Takes over a folder that an earlier process kept, to remove it when dropped. Returns `None` for everything that is
    /// not such a folder: another name or owner, other permissions, a link, or anything in it but `content`.
    pub fn take_over(path: &Path, prefix: &str, content: &str) -> Option<Self> {
        let random = path.file_name()?.to_str()?.strip_prefix(prefix)?.strip_prefix('-')?;
        let found = fs::symlink_metadata(path).ok()?;
        let own = found.is_dir()
            && found.uid() == nix::unistd::geteuid().as_raw()
            && found.mode() & 0o777 == 0o700
            && is_random_name(random);
        let alone =
            fs::read_dir(path).ok()?.all(|entry| entry.is_ok_and(|entry| entry.file_name() == content));
        (own && alone).then(|| Self { path: path.to_owned() })
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

    #[test]
    fn only_a_kept_folder_with_nothing_else_in_it_is_taken_over() {
        let root = TempFolder::create("playself-test").unwrap();
        let kept = |prefix: &str| {
            let folder = TempFolder::create_in(root.path(), prefix).unwrap();
            let path = folder.path().to_owned();
            fs::create_dir(path.join("run")).unwrap();
            folder.keep();
            path
        };
        let (own, crowded, open, named) =
            (kept("p"), kept("p"), kept("p"), kept("p").with_file_name("p-home"));
        fs::write(crowded.join("thesis.tex"), "").unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        DirBuilder::new().mode(0o700).create(&named).unwrap();
        let link = root.path().join(format!("p-{}", random_name()));
        std::os::unix::fs::symlink(&own, &link).unwrap();
        let missing = root.path().join(format!("p-{}", random_name()));
        for path in [crowded.clone(), open, named, link, missing, kept("q"), "/".into(), "..".into()] {
            assert!(TempFolder::take_over(&path, "p", "run").is_none(), "{}", path.display());
        }
        drop(TempFolder::take_over(&own, "p", "run").expect("the folder that was kept"));
        assert!(!own.exists() && crowded.join("thesis.tex").exists());
    }
}
