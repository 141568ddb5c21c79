//! Single keys from a terminal, without waiting for Enter.

use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

/// A key that a view reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `q` or Escape.
    Quit,
    /// Ctrl-C.
    Interrupt,
}

/// Standard input as a source of keys. The terminal gets its settings back when this is dropped.
pub struct Keys {
    before: Option<Termios>,
}

impl Keys {
    /// Reads keys from standard input, if it is a terminal.
    pub fn listen() -> Self {
        Self { before: read_single_keys() }
    }

    /// Waits up to `limit` for a key.
    pub fn wait(&self, limit: Duration) -> Option<Key> {
        if self.before.is_none() {
            std::thread::sleep(limit);
            return None;
        }
        let stdin = io::stdin();
        let mut asked = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        let limit = PollTimeout::try_from(limit).unwrap_or(PollTimeout::ZERO);
        if poll(&mut asked, limit).is_ok_and(|ready| ready > 0) {
            let mut byte = [0];
            return match stdin.lock().read(&mut byte) {
                Ok(1) => key(byte[0]),
                // The terminal is gone.
                _ => Some(Key::Quit),
            };
        }
        None
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, before);
        }
    }
}

fn key(byte: u8) -> Option<Key> {
    match byte {
        b'q' | b'Q' | 0x1b => Some(Key::Quit),
        0x03 => Some(Key::Interrupt),
        _ => None,
    }
}

/// Switches off line editing, echo and the keys that send signals. Returns the settings before that.
fn read_single_keys() -> Option<Termios> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return None;
    }
    let before = tcgetattr(&stdin).ok()?;
    let mut raw = before.clone();
    raw.local_flags -= LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG;
    tcsetattr(&stdin, SetArg::TCSANOW, &raw).ok()?;
    Some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_mean_nothing_are_ignored() {
        let keys: Vec<Option<Key>> = b"qQ\x1b\x03x\n".iter().map(|byte| key(*byte)).collect();
        let (quit, none) = (Some(Key::Quit), None);
        assert_eq!(keys, [quit, quit, quit, Some(Key::Interrupt), none, none]);
    }
}
