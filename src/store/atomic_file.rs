//! Replacement of whole files that survives a power cut.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::failpoint::{self, Point};

/// Replaces the file at `path` as a whole: a reader sees the old or the new contents, also after a power cut.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Errors of the system do not contain the path.
    replace(path, contents).map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())))
}

fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = fs::File::create(&draft)?;
    file.write_all(contents)?;
    file.sync_all()?;
    drop(file);
    failpoint::pass(Point::BeforeRename);
    fs::rename(&draft, path)?;
    failpoint::pass(Point::AfterRename);
    sync_parent(path)
}

/// Makes the directory entry of `path` durable; without it, a power cut may remove a new file.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(parent)?.sync_all()
}
