//! A run spoken to over the socket in its folder.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::Value;

use crate::run::control::{ControlRequest, with_short_path};
use crate::store::RunFolder;

/// A run answers at once or not at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longer answers are nobody's.
const LONGEST_ANSWER: u64 = 1 << 20;

/// Puts one request to the run in `folder`; an error means that it is not running, or too busy to answer.
pub(super) fn ask(folder: &RunFolder, request: ControlRequest) -> io::Result<Value> {
    let mut stream = with_short_path(&folder.socket(), |path| UnixStream::connect(path))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    writeln!(stream, "{request}")?;
    let mut answer = String::new();
    BufReader::new(stream.take(LONGEST_ANSWER)).read_line(&mut answer)?;
    serde_json::from_str(&answer).map_err(io::Error::other)
}

/// A request that steers a run, as a page words it; looking is not steering.
pub(super) fn steering(text: &str) -> Result<ControlRequest, String> {
    match text.parse()? {
        ControlRequest::Status | ControlRequest::Boards => {
            Err("known orders: pause, continue, concurrency N, stop".to_owned())
        }
        request => Ok(request),
    }
}
