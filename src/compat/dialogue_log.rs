//! `-log` and `-debug`: every line to and from the engines, and lines of the program itself.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::compat::console::{LineHandle, LineWriter};
use crate::compat::invocation::{LogArgs, LogLevel};
use crate::player::{DialogueListener, LineSender, TappedLine};
use crate::run::StopHandle;
use crate::store::{OutputStart, UtcDate, open_output};

/// Opens the file of `-log`. A thread of its own writes it, so that a slow disk is not charged to an engine's clock, and a
/// log that cannot be written disturbs no game.
pub(super) fn open_log(args: &LogArgs) -> io::Result<LineWriter> {
    let mut path = args.out.file.clone();
    if args.compressed {
        let now = UtcDate::now();
        let (date, time) = (now.pgn_date().replace('.', "-"), now.time_of_day().replace(':', "."));
        path = PathBuf::from(format!("{}{date}T.{time}.gz", path.display()));
    }
    let append = args.out.append && !args.compressed;
    let start = if append { OutputStart::Append } else { OutputStart::Empty };
    let file = open_output(&path, start)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let out: Box<dyn Write + Send> =
        if args.compressed { Box::new(GzEncoder::new(file, Compression::default())) } else { Box::new(file) };
    Ok(LineWriter::new(out, StopHandle::default()))
}

/// Writes every line of the dialogue with the engines.
pub(super) struct DialogueLog {
    lines: LineHandle,
    form: Form,
}

/// How a line is written.
enum Form {
    /// `[Engine] [12:26:46.383501] <  1> name ---> text`.
    Fastchess,
    /// `1234 >name(0): text`, of these engines alone unless there are none.
    Cutechess(Instant, Vec<String>),
}

impl DialogueLog {
    /// The lines of `-log`.
    pub(super) fn logged(lines: LineHandle) -> Self {
        Self { lines, form: Form::Fastchess }
    }

    /// The lines of `-debug`, of all engines or only of those named.
    pub(super) fn printed(lines: LineHandle, engines: Vec<String>) -> Self {
        Self { lines, form: Form::Cutechess(Instant::now(), engines) }
    }
}

impl DialogueListener for DialogueLog {
    fn line(&self, line: &TappedLine<'_>) {
        let TappedLine { engine, process, sender, line } = *line;
        let head = match &self.form {
            Form::Fastchess => {
                let arrow = if sender == LineSender::Engine { "--->" } else { "<---" };
                format!("[Engine] [{}] <{process:>20}>  {engine} {arrow} ", time_of_day())
            }
            Form::Cutechess(_, engines)
                if !engines.is_empty() && engines.iter().all(|name| name != engine) =>
            {
                return;
            }
            Form::Cutechess(begun, _) => {
                let arrow = if sender == LineSender::Engine { '<' } else { '>' };
                format!("{} {arrow}{engine}({process}): ", begun.elapsed().as_millis())
            }
        };
        match self.form {
            Form::Fastchess => self.lines.put_raw([head.as_bytes(), line, b"\n"].concat()),
            Form::Cutechess(..) => self.lines.put(&format!("{head}{}\n", String::from_utf8_lossy(line))),
        }
    }
}

/// Lines of the program itself in the file of `-log`.
#[derive(Clone, Debug)]
pub(super) struct ProgramLog {
    lines: LineHandle,
    /// Less important lines are left out.
    level: LogLevel,
}

impl ProgramLog {
    pub(super) fn new(lines: LineHandle, level: LogLevel) -> Self {
        Self { lines, level }
    }

    /// Writes a line: `[WARN  ] [12:26:46.383501] <                    > fastchess --- text`.
    pub(super) fn note(&self, level: LogLevel, text: &str) {
        let label = match level {
            LogLevel::Trace => "TRACE",
            LogLevel::Info => "INFO",
            LogLevel::Warning => "WARN",
            LogLevel::Error => "ERR",
            LogLevel::Fatal => "FATAL",
        };
        if level >= self.level {
            let line = format!("[{label:<6}] [{}] <{:>20}> fastchess --- {text}\n", time_of_day(), "");
            self.lines.put(&line);
        }
    }
}

/// Returns the time of the day with microseconds.
fn time_of_day() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let date = UtcDate::from_unix(since.as_secs() as i64);
    format!("{}.{:06}", date.time_of_day(), since.subsec_micros())
}
