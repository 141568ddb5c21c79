//! Opening files that a user names or a run folder holds: regular files only, of bounded size where they are read whole.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::sys::statfs::{DEBUGFS_MAGIC, PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, fstatfs};

/// The largest text file that is read whole: configurations, plans, summaries, weights.
const MAX_TEXT: u64 = 256 << 20;

/// Opens a regular file for reading. A device, a pipe or a socket is refused before it is opened: opening a pipe waits for a
/// writer, and reading a device may never end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    refuse_special(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // The path may have changed in between.
    refuse_special(&file.metadata()?)?;
    refuse_kernel(&file)?;
    Ok(file)
}

/// Reads a regular file of text, up to a size that no configuration has.
pub fn read_text(path: &Path) -> io::Result<String> {
    let file = open_regular(path)?;
    let mut text = String::new();
    let read = file.take(MAX_TEXT + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => io::Error::new(error.kind(), "it is not a text in UTF-8"),
        _ => error,
    })?;
    if read as u64 > MAX_TEXT {
        let message = format!("the file is larger than {} MiB", MAX_TEXT >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// Opens a regular file that belongs to its folder: like [`open_regular`], and a symbolic link is refused, because it may
/// lead anywhere.
pub fn open_own(path: &Path) -> io::Result<File> {
    refuse_special(&fs::symlink_metadata(path)?)?;
    // Neither a link nor a pipe that takes the place of the file in between is opened.
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    refuse_special(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that belongs to its folder for reading and writing, and creates it if it is missing. Like [`open_own`], it
/// refuses links and special files: writing through a link would destroy another file. Errors name the path.
pub fn open_own_to_write(path: &Path) -> io::Result<File> {
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).custom_flags(flags);
    let opened = fs::symlink_metadata(path).map_or(Ok(()), |found| refuse_special(&found)).and_then(|()| {
        let file = options.open(path)?;
        refuse_special(&file.metadata()?)?;
        Ok(file)
    });
    opened.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Reads a file that belongs to its folder, of at most `most` bytes. Bytes that are not UTF-8 are replaced.
pub fn read_own(path: &Path, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    if open_own(path)?.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        let message = format!("the file is larger than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Refuses what the kernel shows as regular files: reading them may wait for ever (`/proc/kmsg`) or return the whole memory
/// (`/proc/kcore`).
fn refuse_kernel(file: &File) -> io::Result<()> {
    let system = fstatfs(file)?.filesystem_type();
    if [PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC].contains(&system) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a file of the kernel"));
    }
    Ok(())
}

fn refuse_special(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => "it is a directory",
        kind if kind.is_symlink() => "it is a symbolic link",
        _ => "it is not a regular file",
    };
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
        let of_kernel = ["/proc/kmsg", "/proc/kcore", "/proc/self/status"].map(Path::new);
        let odd = [Path::new("/dev/zero"), Path::new("/dev/urandom"), folder.path(), &pipe];
        for path in odd.into_iter().chain(of_kernel).filter(|path| path.exists()) {
            assert_eq!(
                read_text(path).unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{}",
                path.display()
            );
        }
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_text(&link).unwrap(), "text", "a user may name a link");
        for foreign in [Path::new("/dev/zero"), folder.path(), &pipe, &link] {
            let kind = read_own(foreign, 100).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::InvalidInput, "{}", foreign.display());
        }
        for foreign in [folder.path(), &pipe, &link] {
            let error = open_own_to_write(foreign).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{}: it is ", foreign.display())), "{error}");
        }
        open_own_to_write(&folder.path().join("new")).unwrap();
        assert_eq!(read_own(&file, 4).unwrap(), "text");
        assert_eq!(read_own(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_text(&file).unwrap(), "text");
        assert_eq!(read_text(&folder.path().join("missing")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
