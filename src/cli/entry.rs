//! The start of a program on a system with little to give: small stacks, few threads, few file descriptors.

use std::any::Any;
use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::panic;
use std::process::{Command, ExitCode};
use std::thread;

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};

use crate::commands::{Console, Failure};
use crate::run::survive_file_limit;

/// The stack that every command is known to run with.
const STACK: usize = 8 << 20;
/// A main thread with less than this (`ulimit -s`) does not run commands itself.
const ENOUGH: u64 = 4 << 20;
/// The variable with the size of the stacks of threads that do not choose their own, and the least size that is accepted.
const THREAD_STACK: &str = "RUST_MIN_STACK";
const ENOUGH_FOR_THREADS: usize = 1 << 20;

/// Runs a program and returns its exit status. If the system has no thread or no file descriptor left, the program reports
/// that in one sentence and returns the status of a fault.
pub fn run(program: fn() -> ExitCode) -> ExitCode {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| match shortage(info.payload()) {
        Some(why) => Console::Text.print_progress(&why),
        None => usual(info),
    }));
    if has_small_thread_stacks() {
        let error = start_again_with_usual_stacks();
        Console::Text.print_progress(&format!("playself: {THREAD_STACK} is too small: {error}"));
        return ExitCode::from(Failure::FAULT_STATUS);
    }
    let result = panic::catch_unwind(|| {
        // Without it, a write beyond the limit ends the program without a message.
        let _ = survive_file_limit();
        match getrlimit(Resource::RLIMIT_STACK) {
            Ok((soft, _)) if soft < ENOUGH => on_larger_stack(program),
            _ => program(),
        }
    });
    result.unwrap_or_else(|payload| match shortage(&*payload) {
        Some(_) => ExitCode::from(Failure::FAULT_STATUS),
        None => panic::resume_unwind(payload),
    })
}

fn has_small_thread_stacks() -> bool {
    let size = env::var(THREAD_STACK).ok().and_then(|size| size.parse::<usize>().ok());
    size.is_some_and(|size| size < ENOUGH_FOR_THREADS)
}

/// Replaces this process by the same program without the variable, and returns why that failed.
fn start_again_with_usual_stacks() -> io::Error {
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    match env::current_exe() {
        Ok(program) => Command::new(program).arg0(name).args(arguments).env_remove(THREAD_STACK).exec(),
        Err(error) => error,
    }
}

/// Runs the program on a thread whose stack does not depend on the limit of the main thread.
fn on_larger_stack(program: fn() -> ExitCode) -> ExitCode {
    let thread = match thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(program) {
        Ok(thread) => thread,
        Err(error) => {
            Console::Text.print_progress(&no_thread_left(&error.to_string()));
            return ExitCode::from(Failure::FAULT_STATUS);
        }
    };
    // Signals are for the thread that does the work: it may hold them back for a while.
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&SigSet::all()), None);
    thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// Returns the sentence for a panic whose reason is that the system refused a thread or a file descriptor.
fn shortage(payload: &dyn Any) -> Option<String> {
    let text =
        payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied())?;
    if ["failed to spawn thread", "OS can't spawn"].iter().any(|part| text.contains(part)) {
        return Some(no_thread_left(text));
    }
    let refused = text.contains("Too many open files");
    refused.then(|| format!("playself: the system has no file descriptor left (ulimit -n): {text}"))
}

fn no_thread_left(why: &str) -> String {
    format!("playself: the system has no thread left (ulimit -u): {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_thread_or_descriptor_is_distinguished_from_a_defect() {
        let refused: Box<dyn Any + Send> = Box::new("failed to spawn thread: Os { code: 11 }".to_owned());
        assert!(shortage(&*refused).is_some_and(|text| text.contains("no thread left")));
        let refused: Box<dyn Any + Send> = Box::new("no socket: Too many open files".to_owned());
        assert!(shortage(&*refused).is_some_and(|text| text.contains("no file descriptor left")));
        let defect: Box<dyn Any + Send> = Box::new("index out of bounds");
        assert_eq!(shortage(&*defect), None);
    }
}
