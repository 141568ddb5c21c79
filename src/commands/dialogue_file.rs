//! A file with everything that is sent between the harness and its engines, on request.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::player::{DialogueListener, DialogueTap, LineSender, TappedLine};
use crate::store::{OutputStart, open_output};

/// Longest time that a line stays in memory while lines follow it.
const FLUSH_EVERY: Duration = Duration::from_millis(500);

/// The file, one line of text for each line of the dialogue.
struct DialogueFile(Mutex<LogState>);

struct LogState {
    out: BufWriter<File>,
    began: Instant,
    flushed: Instant,
}

/// Creates the file, or empties it, and returns what passes the dialogue to it.
pub(super) fn dialogue_file(path: &Path) -> io::Result<DialogueTap> {
    let now = Instant::now();
    let state =
        LogState { out: BufWriter::new(open_output(path, OutputStart::Empty)?), began: now, flushed: now };
    Ok(DialogueTap::new(Arc::new(DialogueFile(Mutex::new(state)))))
}

impl DialogueListener for DialogueFile {
    /// Writes seconds since the start, engine and process, direction, text. A disk that is full loses lines and does not
    /// disturb the game.
    fn line(&self, line: &TappedLine<'_>) {
        let arrow = if line.sender == LineSender::Harness { '>' } else { '<' };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let seconds = now.duration_since(log.began).as_secs_f64();
        let _ = write!(log.out, "{seconds:.6} {}#{} {arrow} ", line.engine, line.process);
        let _ = log.out.write_all(line.line).and_then(|()| log.out.write_all(b"\n"));
        if now.duration_since(log.flushed) >= FLUSH_EVERY {
            log.flushed = now;
            let _ = log.out.flush();
        }
    }
}
