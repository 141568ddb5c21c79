//! Runs that belong to no terminal.
//!
//! `--detach` starts the same program again, with `--detached` in its place, and waits. The second process checks everything
//! on the terminal of the user. Once the run folder exists, it leaves the session of the terminal, continues its output in
//! files of the run folder and reports to the first process, which ends. Until then, Ctrl-C ends both.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use nix::fcntl::OFlag;
use nix::sys::socket::{GetSockOpt, sockopt};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use serde_json::json;

use crate::commands::console::{Console, answer};
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::shell_word::shell_word;
use crate::player::close_descriptors_at_exec;
use crate::store::RunFolder;

/// The flag of a user who wants a run in the background.
const ASKED: &str = "--detach";

/// The flag of the process that becomes that run.
const MADE: &str = "--detached";

/// What that process sends once the run is on its own.
const DETACHED: &[u8] = b"detached";

/// Whether a run stays with the terminal it was started from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Session {
    /// It ends with the terminal.
    #[default]
    Attached,
    /// It leaves the terminal once its folder exists.
    Detached,
}

/// Starts `program` again with `arguments` and returns once its run is on its own, or has failed to start. The result is the
/// exit status.
pub fn start_detached(program: &Path, arguments: Vec<OsString>) -> Result<u8, Failure> {
    let replaced =
        arguments.into_iter().map(|argument| if argument == ASKED { MADE.into() } else { argument });
    let (mut ours, theirs) = UnixStream::pair().context("no connection to the run").or_fault()?;
    // A run of many hours must not hold a lock or a pipe of the shell that started it.
    close_descriptors_at_exec();
    let mut command = Command::new(program);
    command.args(replaced).stdin(Stdio::from(OwnedFd::from(theirs)));
    let mut child = command.spawn().context("the run cannot be started").or_fault()?;
    // The command holds the other end, and its end must be noticed.
    drop(command);
    let mut message = Vec::new();
    // A broken connection means the same as a closed one: the process has ended.
    let _ = ours.read_to_end(&mut message);
    if message == DETACHED {
        return Ok(0);
    }
    let status = child.wait().or_fault()?;
    let killed = if status.signal().is_some() { Failure::INTERRUPTED_STATUS } else { Failure::FAULT_STATUS };
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(killed))
}

/// Makes this process, started by [`start_detached`], independent of its terminal. Its output continues in files of `folder`.
pub(super) fn leave_terminal(folder: &RunFolder, console: Console) -> Result<(), Failure> {
    let log = append(&folder.log()).context("the log cannot be created").or_fault()?;
    let events = match console {
        Console::Json => append(&folder.events()).context("the events cannot be written").or_fault()?,
        Console::Text | Console::Silent => log.try_clone().or_fault()?,
    };
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null").or_fault()?;
    let mut parent = parent().or_usage()?;
    announce(folder, console)?;
    // This process is not the first of its group, so it can always begin a session.
    setsid().context("no new session").or_fault()?;
    parent.write_all(DETACHED).map_err(|_| Failure::Interrupted("the run was not started".to_owned()))?;
    dup2_stdin(&nothing).or_fault()?;
    dup2_stdout(&events).or_fault()?;
    dup2_stderr(&log).or_fault()
}

fn append(path: &Path) -> io::Result<File> {
    // A link that someone has put there is not followed.
    let flags = OFlag::O_NOFOLLOW.bits();
    File::options().create(true).append(true).mode(0o600).custom_flags(flags).open(path)
}

/// Returns the connection to the process that started this one.
fn parent() -> anyhow::Result<UnixStream> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    // Standard input is something else if a user calls this.
    sockopt::SockType.get(&stdin).with_context(|| format!("{MADE} is set by {ASKED} alone; use that"))?;
    Ok(UnixStream::from(stdin))
}

fn announce(folder: &RunFolder, console: Console) -> Result<(), Failure> {
    let process = std::process::id();
    if console == Console::Json {
        return answer(json!({
            "event": "detached",
            "folder": folder.path(),
            "process": process,
            "log": folder.log(),
            "events": folder.events(),
        }));
    }
    let path = shell_word(folder.path());
    console.print(&format!(
        "Detached: process {process} plays the run in {}\n  watch it  playself watch {path}\n  stop it   playself stop \
         {path}\n  its log   {}\n  all runs  playself list",
        folder.path().display(),
        folder.log().display()
    ));
    Ok(())
}
