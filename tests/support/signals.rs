//! Actions of signals in processes that a test starts.

use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::signal::{SigHandler, Signal, signal};

/// Restores the default action of SIGHUP, SIGINT and SIGTERM in the process of `command`.
///
/// Tests ignore SIGHUP under `nohup` and SIGINT as a background job of a script. Child processes inherit that, and a run
/// leaves a signal ignored that is ignored at its start.
pub(crate) fn with_default_signals(command: &mut Command) -> &mut Command {
    let restore = || {
        for number in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
            #[expect(unsafe_code, reason = "nix has no safe way to change the action of a signal")]
            // SAFETY: no handler is installed; only the default action is restored.
            unsafe { signal(number, SigHandler::SigDfl) }?;
        }
        Ok(())
    };
    #[expect(unsafe_code, reason = "code between fork and exec is always unsafe")]
    // SAFETY: the closure only calls `sigaction`, which is async-signal-safe.
    unsafe {
        command.pre_exec(restore)
    }
}
