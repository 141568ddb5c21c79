//! `playself status|pause|continue|concurrency|stop RUN_DIR`: a run spoken to from another terminal.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use playself::run::control::with_short_path;
use playself::store::RunFolder;

use crate::launch::{FAULT, RunDir, Show};

/// A run gives its answer at once or not at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tell how a running run stands, as JSON
#[derive(Debug, clap::Args)]
pub(crate) struct StatusCommand {
    #[command(flatten)]
    run: RunDir,
}

/// Let a running run finish its games and start no more
#[derive(Debug, clap::Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    run: RunDir,
}

/// End a pause
#[derive(Debug, clap::Args)]
pub(crate) struct ContinueCommand {
    #[command(flatten)]
    run: RunDir,
}

/// Change how many pairs a running run plays at the same time
#[derive(Debug, clap::Args)]
pub(crate) struct ConcurrencyCommand {
    #[command(flatten)]
    run: RunDir,
    /// Pairs at the same time from now on
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
}

/// Let a running run finish its games and stop; it can be resumed
#[derive(Debug, clap::Args)]
pub(crate) struct StopCommand {
    #[command(flatten)]
    run: RunDir,
}

impl StatusCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ask(&self.run, "status")
    }
}

impl PauseCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ask(&self.run, "pause")
    }
}

impl ContinueCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ask(&self.run, "continue")
    }
}

impl ConcurrencyCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ask(&self.run, &format!("concurrency {}", self.number))
    }
}

impl StopCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ask(&self.run, "stop")
    }
}

/// Puts one request to the run and prints its answer.
fn ask(run: &RunDir, request: &str) -> anyhow::Result<ExitCode> {
    let folder = RunFolder::open(&run.path)?;
    let path = run.path.display();
    let answer = converse(&folder, request).map_err(|why| {
        let kind = why.downcast_ref::<io::Error>().map(io::Error::kind);
        match kind {
            // No socket, or one that a killed run has left behind.
            Some(io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => anyhow::anyhow!(
                "{path} is not running: `playself report` tells how it stands, `playself resume` goes on with it"
            ),
            _ => why.context(format!("{path} does not answer")),
        }
    });
    match answer {
        Ok(answer) => {
            let refused = serde_json::from_str::<serde_json::Value>(&answer)
                .is_ok_and(|answer| answer.get("error").is_some());
            Show::Human.say(answer.trim_end());
            Ok(if refused { ExitCode::from(FAULT) } else { ExitCode::SUCCESS })
        }
        Err(why) => {
            crate::complain(&why);
            Ok(ExitCode::from(FAULT))
        }
    }
}

/// What the run answers to one request.
pub(crate) fn converse(folder: &RunFolder, request: &str) -> anyhow::Result<String> {
    let mut stream = with_short_path(&folder.socket(), |path| UnixStream::connect(path))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{request}")?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    anyhow::ensure!(!answer.is_empty(), "it closed the line");
    Ok(answer)
}
