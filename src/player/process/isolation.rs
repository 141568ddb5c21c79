//! Engines in a namespace of their own, made by bubblewrap (`bwrap`).

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program that makes the namespaces. It needs no privilege where the system allows namespaces of users.
pub(super) const PROGRAM: &str = "bwrap";

/// Folders in which other programs keep temporary files and sockets; an engine has empty ones of its own.
const HIDDEN: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// Namespaces of their own for processes, network, users, messages and names; everything ends with the parent. In a session of
/// its own, an engine has no terminal into which it could type.
const NAMESPACES: [&str; 5] = ["--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL"];

/// The file system as it is, to be read only.
const READ_ONLY: [&str; 7] = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/// What an isolated program must see although it is in a hidden folder.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The program.
    pub(super) program: &'a Path,
    /// Its arguments; those that name a file are seen.
    pub(super) args: &'a [OsString],
    /// The folder it runs in.
    pub(super) dir: &'a Path,
    /// Whether it may write there.
    pub(super) dir_is_private: bool,
}

/// Returns the arguments of [`PROGRAM`] that start an isolated program.
pub(super) fn isolated(view: &View<'_>) -> Vec<OsString> {
    let mut words: Vec<OsString> = NAMESPACES.iter().chain(&READ_ONLY).map(OsString::from).collect();
    let hidden = hidden_folders();
    for folder in hidden.iter().filter(|folder| folder.is_dir()) {
        words.extend(["--tmpfs".into(), folder.into()]);
    }
    let is_hidden = |path: &Path| hidden.iter().any(|folder| path.starts_with(folder));
    let program_folder = view.program.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = view.args.iter().map(Path::new).filter(|path| path.is_absolute() && path.exists());
    // A whole hidden folder is not shown because a program lies directly in it.
    let shown = program_folder.filter(|folder| !hidden.iter().any(|hidden| hidden == folder));
    let shown = shown.into_iter().chain([view.program]).chain(files);
    for path in shown.filter(|path| is_hidden(path)) {
        words.extend(["--ro-bind".into(), path.into(), path.into()]);
    }
    match view.dir_is_private {
        true => words.extend(["--bind".into(), view.dir.into(), view.dir.into()]),
        false if is_hidden(view.dir) => {
            words.extend(["--ro-bind".into(), view.dir.into(), view.dir.into()]);
        }
        false => {}
    }
    words.extend(["--chdir".into(), view.dir.into(), "--".into(), view.program.into()]);
    words.extend(view.args.iter().cloned());
    words
}

fn hidden_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = HIDDEN.iter().map(PathBuf::from).collect();
    let own = env::temp_dir();
    // A temporary folder such as $HOME/tmp; `/` or a relative path would hide too much or nothing.
    if own.is_absolute()
        && own.components().count() > 2
        && !folders.iter().any(|folder| own.starts_with(folder))
    {
        folders.push(own);
    }
    folders
}

/// Returns why this system does not allow isolated engines, if it does not.
pub fn check_isolation() -> Result<(), String> {
    let probe = View { program: Path::new("true"), args: &[], dir: Path::new("/"), dir_is_private: false };
    let tried = Command::new(PROGRAM).args(isolated(&probe)).stdin(Stdio::null()).output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(format!("this system does not allow it: {message}"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err("it needs the program bwrap (package bubblewrap), which is not installed".to_owned())
        }
        Err(error) => Err(format!("{PROGRAM} cannot be started: {error}")),
    }
}

/// Returns the arguments as they are passed on.
pub(super) fn words<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> impl Iterator<Item = OsString> {
    args.into_iter().map(|word| word.as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_files_in_hidden_folders_are_shown_and_nothing_else_of_them() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let net = folder.path().join("net");
        std::fs::write(&net, "").unwrap();
        let program = folder.path().join("engine");
        let args = ["--net".into(), net.clone().into_os_string(), "/tmp/missing".into()];
        let view = View { program: &program, args: &args, dir: Path::new("/"), dir_is_private: false };
        let words = isolated(&view);
        let bound: Vec<&OsString> =
            words.windows(2).filter(|pair| pair[0] == "--ro-bind").map(|pair| &pair[1]).collect();
        assert_eq!(bound, ["/".as_ref(), folder.path().as_os_str(), program.as_os_str(), net.as_os_str()]);
        assert!(words.windows(2).any(|pair| pair[0] == "--tmpfs" && pair[1] == "/tmp"));
        assert!(words.iter().any(|word| word == "--new-session"), "an engine must not have the terminal");
        assert!(words.ends_with(&[
            program.clone().into(),
            "--net".into(),
            net.into(),
            "/tmp/missing".into()
        ]));
        let direct = View { program: Path::new("/tmp/engine"), args: &[], ..view };
        assert!(!isolated(&direct).windows(2).any(|pair| pair[0] == "--ro-bind" && pair[1] == "/tmp"));
    }
}
