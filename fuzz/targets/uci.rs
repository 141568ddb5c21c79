//! UCI lines in both directions: what engines send to the harness, and what a user interface sends to an engine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::protocol::uci::{Command, Reply};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        let reply = Reply::parse(line);
        if let Reply::Info(info) = reply {
            let _ = format!("{:?}", info.read());
        }
        let _ = format!("{:?} {:?}", Reply::parse(line), Command::parse(line));
    }
});
