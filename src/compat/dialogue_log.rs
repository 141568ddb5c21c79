//! `-log` and `-debug`: every line to and from the engines.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::compat::command::LogArgs;
use crate::player::{DialogueListener, LineSender, TappedLine};
use crate::store::UtcDate;

/// Writes lines on a thread of its own, so that a slow disk is not charged to an engine's clock.
pub(super) struct DialogueLog {
    lines: Mutex<Sender<String>>,
    form: Form,
}

/// How a line is written.
enum Form {
    /// `[Engine] [12:26:46.383501] <  1> name ---> text`.
    Fastchess,
    /// `1234 >name(0): text`.
    Cutechess(Instant),
}

impl DialogueLog {
    /// Opens the file of `-log`.
    pub(super) fn file(args: &LogArgs) -> io::Result<Self> {
        let mut path = args.out.file.clone();
        if args.compressed {
            path = PathBuf::from(format!("{}{}.gz", path.display(), UtcDate::now().stamp()));
        }
        let append = args.out.append && !args.compressed;
        let file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(&path);
        let file =
            file.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        let out: Box<dyn Write + Send> = if args.compressed {
            Box::new(GzEncoder::new(file, Compression::default()))
        } else {
            Box::new(file)
        };
        Ok(Self { lines: Mutex::new(writer(out)), form: Form::Fastchess })
    }

    /// The log of `-debug`, printed through `print`.
    pub(super) fn printed(print: Sender<String>) -> Self {
        Self { lines: Mutex::new(print), form: Form::Cutechess(Instant::now()) }
    }
}

/// Starts the thread that writes the lines; it ends, and completes a compressed file, with the last sender.
fn writer(mut out: Box<dyn Write + Send>) -> Sender<String> {
    let (lines, waiting) = channel::<String>();
    thread::spawn(move || {
        for line in waiting {
            if out.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
        let _ = out.flush();
    });
    lines
}

impl DialogueListener for DialogueLog {
    fn line(&self, line: &TappedLine<'_>) {
        let TappedLine { engine, process, sender, line } = *line;
        let text = String::from_utf8_lossy(line);
        let line = match &self.form {
            Form::Fastchess => {
                let arrow = if sender == LineSender::Engine { "--->" } else { "<---" };
                format!("[Engine] [{}] <{process:>20}>  {engine} {arrow} {text}\n", time_of_day())
            }
            Form::Cutechess(begun) => {
                let arrow = if sender == LineSender::Engine { '<' } else { '>' };
                format!("{} {arrow}{engine}({process}): {text}\n", begun.elapsed().as_millis())
            }
        };
        if let Ok(lines) = self.lines.lock() {
            let _ = lines.send(line);
        }
    }
}

/// Returns the time of the day with microseconds.
fn time_of_day() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let date = UtcDate::from_unix(since.as_secs() as i64);
    format!("{}.{:06}", date.time_of_day(), since.subsec_micros())
}
