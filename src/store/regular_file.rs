//! Opening files that a user names: regular files only, of bounded size where they are read whole.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The largest text file that is read whole: configurations, plans, summaries, weights.
const MAX_TEXT: u64 = 256 << 20;

/// Opens a regular file for reading. A device, a pipe or a socket is refused before it is opened: opening a pipe waits for a
/// writer, and reading a device may never end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    refuse_special(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // The path may have changed in between.
    refuse_special(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of text, up to a size that no configuration has.
pub fn read_text(path: &Path) -> io::Result<String> {
    let file = open_regular(path)?;
    let mut text = String::new();
    if file.take(MAX_TEXT + 1).read_to_string(&mut text)? as u64 > MAX_TEXT {
        let message = format!("the file is larger than {} MiB", MAX_TEXT >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

fn refuse_special(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = if metadata.is_dir() { "it is a directory" } else { "it is not a regular file" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;

    #[test]
    fn devices_pipes_and_directories_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        for path in [Path::new("/dev/zero"), Path::new("/dev/urandom"), folder.path(), &pipe] {
            assert_eq!(
                read_text(path).unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{}",
                path.display()
            );
        }
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        assert_eq!(read_text(&file).unwrap(), "text");
        assert_eq!(read_text(&folder.path().join("missing")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
