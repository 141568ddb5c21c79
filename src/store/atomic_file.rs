//! Replacement of whole files that survives a power cut.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failpoint::{self, Point};
use crate::store::random_name::random_name;

/// Last part of the name of a file that is being written.
const DRAFT: &str = "draft";

/// Replaces the file at `path` as a whole: a reader sees the old or the new contents, also after a power cut.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace(path, |draft| draft.write_all(contents)).map_err(|why| with_path(path, &why))
}

/// Copies the file `from` to `path` with its permissions, as a whole: several processes that do so at once leave one of their
/// copies, and never a mixture.
pub fn copy_whole(from: &Path, path: &Path) -> io::Result<()> {
    let copy = |draft: &mut File| {
        let mut source = File::open(from)?;
        io::copy(&mut source, draft)?;
        draft.set_permissions(source.metadata()?.permissions())
    };
    replace(path, copy).map_err(|why| with_path(path, &why))
}

/// Removes files that killed processes were writing in `folder`. No other process may be writing there.
pub fn remove_drafts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_draft(&entry.path()) {
            // Best effort: a draft is never read.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Errors of the system do not contain the path.
fn with_path(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("{}: {why}", path.display()))
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let draft = draft_of(path);
    // An existing file or link of that name is never written to.
    let mut file = File::create_new(&draft)?;
    let written = write(&mut file).and_then(|()| file.sync_all()).and_then(|()| {
        failpoint::pass(Point::BeforeRename);
        fs::rename(&draft, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written?;
    failpoint::pass(Point::AfterRename);
    sync_parent(path)
}

/// Returns `.NAME.RANDOM.draft` in the folder of `path`.
fn draft_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.{DRAFT}", random_name()))
}

fn is_draft(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && path.extension().is_some_and(|end| end == DRAFT)
}

/// Makes the directory entry of `path` durable; without it, a power cut may remove a new file.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(parent)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn files_are_replaced_whole_and_links_at_old_names_of_drafts_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("plan.toml"), folder.path().join("other"));
        fs::write(&other, "other").unwrap();
        symlink(&other, folder.path().join("plan.draft")).unwrap();
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(&other).unwrap()),
            (b"two".to_vec(), b"other".to_vec())
        );
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
        copy_whole(&other, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        assert!(write_whole(&folder.path().join("missing/x"), b"").is_err());
        assert!(!fs::read_dir(folder.path()).unwrap().flatten().any(|entry| is_draft(&entry.path())));
    }

    #[test]
    fn drafts_of_killed_processes_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let draft = draft_of(&folder.path().join("plan.toml"));
        let mine = folder.path().join("my.draft");
        for path in [&draft, &mine] {
            fs::write(path, "x").unwrap();
        }
        remove_drafts(folder.path());
        assert!(!draft.exists() && mine.exists());
    }
}
