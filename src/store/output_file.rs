//! Opening files that a user names for output.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::store::write_whole;

/// Where output begins in a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStart {
    /// The file is emptied.
    Empty,
    /// After what the file contains.
    Append,
}

/// Files of a run that no output may replace; its page is made from them.
const FILES_OF_A_RUN: [&str; 6] =
    ["journal.ndjson", "plan.toml", "games.pgn", "pairs.csv", "trials.csv", "summary.json"];

/// Refuses a file that is certainly not meant for output: a program, or the record of a run.
fn refuse_precious(path: &Path) -> io::Result<()> {
    let Ok(real) = path.canonicalize() else { return Ok(()) };
    if !real.is_file() {
        return Ok(());
    }
    let refuse = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let is_of_a_run = FILES_OF_A_RUN.iter().any(|name| real.ends_with(name))
        && real.parent().is_some_and(|folder| {
            folder.join("plan.toml").is_file() && folder.join("journal.ndjson").is_file()
        });
    if is_of_a_run {
        return refuse("it belongs to a run; name another file");
    }
    let mut start = [0; 4];
    let is_program = File::open(&real).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && (start == *b"\x7fELF" || start.starts_with(b"#!"));
    if is_program { refuse("it is a program; name another file") } else { Ok(()) }
}

/// Opens a file for output, and creates it if it is missing. A pipe that no program reads is an error: opening it as usual
/// would wait for a reader, perhaps for ever.
pub fn open_output(path: &Path, start: OutputStart) -> io::Result<File> {
    refuse_precious(path)?;
    let mut options = File::options();
    match start {
        OutputStart::Empty => options.write(true).truncate(true),
        OutputStart::Append => options.append(true),
    };
    let opened = options.create(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path);
    let file = opened.map_err(|error| match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENXIO) => io::Error::new(error.kind(), "it is a pipe that no program reads"),
        _ => error,
    })?;
    // From here on a reader may be slow.
    let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
    fcntl(&file, FcntlArg::F_SETFL(flags.difference(OFlag::O_NONBLOCK)))?;
    Ok(file)
}

/// Writes a file that a user names: a regular file is replaced as a whole, also where a link leads to it. A device or a pipe
/// (`/dev/stdout`, `/dev/null`) is written to and stays what it is.
pub fn write_output(path: &Path, contents: &[u8]) -> io::Result<()> {
    refuse_precious(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    match fs::metadata(path) {
        Ok(found) if found.is_file() => write_whole(&path.canonicalize()?, contents),
        Ok(_) => open_output(path, OutputStart::Empty)
            .and_then(|mut file| file.write_all(contents))
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
        Err(_) => write_whole(path, contents),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    #[test]
    fn row_123_a_pipe_for_output_is_used_only_if_a_program_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        let error = open_output(&pipe, OutputStart::Append).unwrap_err();
        assert!(error.to_string().contains("no program reads"), "{error}");
        let options = || File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).clone();
        let mut reader = options().open(&pipe).unwrap();
        open_output(&pipe, OutputStart::Empty).unwrap().write_all(b"text").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        for (start, expected) in
            [(OutputStart::Append, "a"), (OutputStart::Append, "aa"), (OutputStart::Empty, "a")]
        {
            open_output(&file, start).unwrap().write_all(b"a").unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        }
    }

    #[test]
    fn row_246_programs_and_files_of_a_run_are_never_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let link = folder.path().join("link");
        let precious = [
            place("engine", "\x7fELF..."),
            place("script", "#!/bin/sh\n"),
            place("plan.toml", ""),
            link.clone(),
        ];
        let alone = place("journal.ndjson", "{}\n");
        symlink(&alone, &link).unwrap();
        for path in precious.iter().chain([&alone]) {
            let before = fs::read(path).unwrap();
            let error = write_output(path, b"new").unwrap_err();
            assert!(error.to_string().contains("name another file"), "{error}");
            for start in [OutputStart::Empty, OutputStart::Append] {
                assert!(open_output(path, start).is_err(), "{}", path.display());
            }
            assert_eq!(fs::read(path).unwrap(), before, "{}", path.display());
        }
        // The same names elsewhere are ordinary files.
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("games.pgn"), "old").unwrap();
        write_output(&elsewhere.path().join("games.pgn"), b"new").unwrap();
        write_output(&place("page.html", "old"), b"new").unwrap();
    }

    #[test]
    fn row_123_output_replaces_regular_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
        symlink(&file, &link).unwrap();
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        write_output(&file, b"old").unwrap();
        write_output(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(write_output(&pipe, b"x").is_err() && write_output(folder.path(), b"x").is_err());
        assert!(!fs::symlink_metadata(&pipe).unwrap().is_file());
        let null = Path::new("/dev/null");
        write_output(null, b"x").unwrap();
        assert!(!fs::symlink_metadata(null).unwrap().is_file());
    }
}
