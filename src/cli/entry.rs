//! The start of a program on a system with little to give: small stacks, few threads.

use std::any::Any;
use std::panic;
use std::process::ExitCode;
use std::thread;

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};

use crate::commands::{Console, Failure};
use crate::run::survive_file_limit;

/// The stack that every command is known to run with.
const STACK: usize = 8 << 20;
/// A main thread with less than this (`ulimit -s`) does not run commands itself.
const ENOUGH: u64 = 4 << 20;

/// Runs a program and returns its exit status. If the system has no thread left, the program reports that in one sentence
/// and returns the status of a fault.
pub fn run(program: fn() -> ExitCode) -> ExitCode {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| match lacks_threads(info.payload()) {
        Some(why) => Console::Text.print_progress(&why),
        None => usual(info),
    }));
    // Without it, a write beyond the limit ends the program without a message.
    let _ = survive_file_limit();
    let result = panic::catch_unwind(|| match getrlimit(Resource::RLIMIT_STACK) {
        Ok((soft, _)) if soft < ENOUGH => on_larger_stack(program),
        _ => program(),
    });
    result.unwrap_or_else(|payload| match lacks_threads(&*payload) {
        Some(_) => ExitCode::from(Failure::FAULT_STATUS),
        None => panic::resume_unwind(payload),
    })
}

/// Runs the program on a thread whose stack does not depend on the limit of the main thread.
fn on_larger_stack(program: fn() -> ExitCode) -> ExitCode {
    let thread = match thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(program) {
        Ok(thread) => thread,
        Err(error) => {
            Console::Text.print_progress(&shortage(&error.to_string()));
            return ExitCode::from(Failure::FAULT_STATUS);
        }
    };
    // Signals are for the thread that does the work: it may hold them back for a while.
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&SigSet::all()), None);
    thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// Returns the sentence for a panic whose reason is that the system refused a thread.
fn lacks_threads(payload: &dyn Any) -> Option<String> {
    let text =
        payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied())?;
    let refused = ["failed to spawn thread", "OS can't spawn"].iter().any(|part| text.contains(part));
    refused.then(|| shortage(text))
}

fn shortage(why: &str) -> String {
    format!("playself: the system has no thread left (ulimit -u): {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_thread_is_distinguished_from_a_defect() {
        let refused: Box<dyn Any + Send> = Box::new("failed to spawn thread: Os { code: 11 }".to_owned());
        assert!(lacks_threads(&*refused).is_some_and(|text| text.contains("no thread left")));
        let defect: Box<dyn Any + Send> = Box::new("index out of bounds");
        assert_eq!(lacks_threads(&*defect), None);
    }
}
