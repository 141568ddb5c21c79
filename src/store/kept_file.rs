//! Files that must stay the same while a run is played, and copies of them for the case that they do not.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::store::FileHash;
use crate::store::file_hash::FileStamp;
use crate::store::random_name::random_name;

/// A file as it was when a run was planned. It may be replaced while the run is played, by a build for example.
#[derive(Debug)]
pub struct KeptFile {
    file: FileHash,
    /// The copy, or why there is none.
    copy: Result<PathBuf, String>,
    /// Whether it could be executed, as a program can.
    executable: bool,
    /// The stamp under which the file is known to have the planned content.
    known: Mutex<Option<FileStamp>>,
}

impl KeptFile {
    /// Copies the file into `folder`, under its hash, unless such a copy is already there. If the file has changed since the
    /// run was planned, the copy is taken from one of the folders `others`; without one it is an error. An unchanged file can
    /// be used without a copy.
    pub fn keep(file: &FileHash, folder: &Path, others: &[PathBuf]) -> io::Result<Self> {
        let stamp = FileStamp::of(&file.path).ok();
        let change = file.changed();
        let copy = file.copy_in(folder);
        let has_planned_content =
            |path: &Path| FileHash { path: path.to_owned(), sha256: file.sha256.clone() }.changed().is_none();
        let known = if change.is_none() { stamp } else { None };
        let executable = is_executable(&file.path);
        let kept = |copy| Self { file: file.clone(), copy, executable, known: Mutex::new(known) };
        if has_planned_content(&copy) {
            return Ok(kept(Ok(copy)));
        }
        let source = match &change {
            None => file.path.clone(),
            Some(why) => {
                let mut copies = others.iter().map(|folder| file.copy_in(folder));
                copies
                    .find(|path| has_planned_content(path))
                    .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, why.clone()))?
            }
        };
        let copied = fs::create_dir_all(folder).and_then(|()| copy_file(&source, &copy));
        match copied {
            Err(error) if change.is_none() => return Ok(kept(Err(error.to_string()))),
            copied => copied?,
        }
        // A source that did not change while it was copied need not be read again.
        let untouched = stamp.filter(|stamp| change.is_none() && !stamp.is_recent());
        let is_same = untouched.is_some() && FileStamp::of(&file.path).ok() == untouched;
        if !is_same && !has_planned_content(&copy) {
            let message = format!("{} is being written", file.path.display());
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        Ok(kept(Ok(copy)))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Returns the copy of the file, or why there is none.
    pub fn copy(&self) -> Result<&Path, String> {
        let copy = self.copy.as_deref().map_err(Clone::clone)?;
        let hash = FileHash { path: copy.to_owned(), ..self.file.clone() };
        match hash.changed() {
            None => Ok(copy),
            Some(why) => Err(why),
        }
    }

    /// Returns why there is no copy of the file, if there is none.
    pub fn lack(&self) -> Option<&str> {
        self.copy.as_ref().err().map(String::as_str)
    }

    /// Returns whether nothing has happened to the file since it was last known to have the planned content.
    pub fn is_untouched(&self) -> bool {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.is_some() && FileStamp::of(&self.file.path).ok() == known
    }

    /// Reads the file and describes how it differs from what was planned, if it does.
    pub fn change(&self) -> Option<String> {
        let stamp = FileStamp::of(&self.file.path).ok();
        let lost = || {
            let lost = self.executable && !is_executable(&self.file.path);
            lost.then(|| format!("{} can no longer be executed", self.file.path.display()))
        };
        let change = self.file.changed().or_else(lost);
        if change.is_none() {
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
        }
        change
    }
}

/// Copies a file, as a whole or not at all. A second name of the same file would cost nothing, but a file that is written to in
/// its place changes under both. A copy need not survive a power cut: it is compared with its hash before it is used.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let draft = to.with_extension(format!("{}.draft", random_name()));
    let copied = copy_contents(from, &draft).and_then(|()| fs::rename(&draft, to));
    if copied.is_err() {
        let _ = fs::remove_file(&draft);
    }
    copied
}

fn copy_contents(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(if is_executable(to) { 0o500 } else { 0o400 }))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces a file as a build does: by another one of the same name.
    fn replace(path: &Path, contents: &str) {
        let draft = path.with_extension("new");
        fs::write(&draft, contents).unwrap();
        fs::rename(&draft, path).unwrap();
    }

    #[test]
    fn row_186_a_file_written_in_its_place_is_noticed_and_its_copy_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.py");
        fs::write(&path, "one").unwrap();
        let hash = FileHash::of(&path).unwrap();
        let kept = KeptFile::keep(&hash, &folder.path().join("programs"), &[]).unwrap();
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        // The same length and the same time, as a careful copy has it.
        fs::write(&path, "two").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
        assert!(!kept.is_untouched() && kept.change().unwrap().contains("has changed"));
        let copy = kept.copy().unwrap();
        assert_eq!(
            (fs::read_to_string(copy).unwrap().as_str(), copy.extension().unwrap()),
            ("one", "py".as_ref())
        );
        fs::set_permissions(copy, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(copy, "bad").unwrap();
        assert!(kept.copy().unwrap_err().contains("has changed"), "a damaged copy is not used");
    }

    #[test]
    fn a_replaced_file_is_noticed_and_its_copy_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copies) = (folder.path().join("engine"), folder.path().join("programs"));
        fs::write(&path, "one").unwrap();
        let hash = FileHash::of(&path).unwrap();
        let kept = KeptFile::keep(&hash, &copies, &[]).unwrap();
        assert!(kept.is_untouched() && kept.change().is_none());
        replace(&path, "two");
        assert!(!kept.is_untouched() && kept.change().unwrap().contains("has changed"));
        assert_eq!(fs::read_to_string(kept.copy().unwrap()).unwrap(), "one");
        fs::remove_file(&path).unwrap();
        assert!(!kept.is_untouched() && kept.change().unwrap().contains("can no longer be read"));
        fs::write(&path, "one").unwrap();
        assert!(!kept.is_untouched() && kept.change().is_none() && kept.is_untouched(), "it is back");
    }

    #[test]
    fn row_186_a_program_that_can_no_longer_be_executed_is_replaced_by_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let hash = FileHash::of(&path).unwrap();
        let kept = KeptFile::keep(&hash, &folder.path().join("programs"), &[]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!kept.is_untouched() && kept.change().unwrap().contains("can no longer be executed"));
        assert!(is_executable(kept.copy().unwrap()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(kept.change().is_none() && kept.is_untouched(), "it is back");
    }

    #[test]
    fn a_file_that_has_changed_before_is_kept_from_another_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        fs::write(&path, "one").unwrap();
        let hash = FileHash::of(&path).unwrap();
        KeptFile::keep(&hash, &first, &[]).unwrap();
        replace(&path, "two");
        assert!(KeptFile::keep(&hash, &second, &[]).unwrap_err().to_string().contains("has changed"));
        let kept = KeptFile::keep(&hash, &second, std::slice::from_ref(&first)).unwrap();
        assert_eq!(fs::read_to_string(kept.copy().unwrap()).unwrap(), "one");
        fs::set_permissions(first.join(&hash.sha256), fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(first.join(&hash.sha256), "bad").unwrap();
        let third = folder.path().join("third");
        assert!(KeptFile::keep(&hash, &third, &[first]).is_err(), "a damaged copy is not used");
    }
}
