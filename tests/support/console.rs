//! A program with pipes for its input, output and errors.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Far longer than any answer takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
}

impl Program {
    pub(crate) fn start(path: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built with this test");
        let (send, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut errors = child.stderr.take().expect("piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let input = child.stdin.take();
        Self { child, input, lines, errors: Some(errors) }
    }

    /// Sends a line; a program that has exited does not receive it.
    pub(crate) fn send_line(&mut self, text: &str) {
        self.send(format!("{text}\n").as_bytes());
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Returns the next line, or `None` once the program has closed its output.
    pub(crate) fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {TIMEOUT:?}"),
        }
    }

    /// Returns all lines up to and including the first that starts with `prefix`.
    pub(crate) fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("ended before `{prefix}`; it printed {seen:?}"));
            let last = line.starts_with(prefix);
            seen.push(line);
            if last {
                return seen;
            }
        }
    }

    /// Closes the program's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the input and returns the remaining lines, the exit status and standard error.
    pub(crate) fn finish(mut self) -> (Vec<String>, ExitStatus, String) {
        self.close_input();
        let lines = std::iter::from_fn(|| self.line()).collect();
        let deadline = Instant::now() + TIMEOUT;
        let status = loop {
            match self.child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None if Instant::now() > deadline => panic!("closed its output but did not end"),
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let errors = self.errors.take().expect("taken once").join().expect("reading does not panic");
        (lines, status, errors)
    }

    /// Resident memory in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("the program is running");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the kernel reports VmRSS");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("VmRSS is in kB")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // After a failed test the program may still be running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
