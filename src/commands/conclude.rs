//! What follows the end of a run: a summary in Markdown, and the command of `on_end`.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::commands::console::Console;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::start::Finished;
use crate::report::{Summary, summary_markdown};
use crate::store::{OutputStart, open_output};

/// Time that the command of `on_end` may take.
const HOOK_TIME: Duration = Duration::from_secs(60);

/// Time between two looks at that command.
const HOOK_POLL: Duration = Duration::from_millis(10);

/// What the user asked for at the end of a run.
#[derive(Clone, Debug, Default)]
pub struct Conclusion {
    /// File to which the summary is appended in Markdown.
    pub summary_md: Option<PathBuf>,
}

impl Conclusion {
    /// Writes the summary and runs the command of the plan. `status` is the exit status that follows from the run; a command
    /// that fails does not change it.
    pub fn conclude(&self, run: &Finished, status: u8, console: Console) -> Result<(), Failure> {
        let summary = Summary::read(&run.folder).ok();
        if let (Some(path), Some(summary)) = (&self.summary_md, &summary) {
            append(path, &summary_markdown(summary, &run.plan))
                .with_context(|| format!("{} cannot be written", path.display()))
                .or_fault()?;
        }
        if let Some(command) = &run.plan.on_end {
            let result = summary.map_or_else(String::new, |summary| summary.sentence());
            let variables = [
                ("PLAYSELF_RUN", run.folder.path().display().to_string()),
                ("PLAYSELF_NAME", run.plan.name.clone()),
                ("PLAYSELF_STATUS", status.to_string()),
                ("PLAYSELF_OUTCOME", run.outcome.word().to_owned()),
                ("PLAYSELF_RESULT", result),
            ];
            if let Err(why) = run_hook(command, &variables, HOOK_TIME) {
                console.print(&format!("Warning: on_end: {why:#}"));
            }
        }
        Ok(())
    }
}

/// Appends text to a file, which is created if it does not exist.
fn append(path: &Path, text: &str) -> io::Result<()> {
    open_output(path, OutputStart::Append)?.write_all(text.as_bytes())
}

/// Runs a command without a shell. Its output goes to standard error, because standard output may be JSON. After `limit` it
/// is killed with all its children.
fn run_hook(command: &str, variables: &[(&str, String)], limit: Duration) -> anyhow::Result<()> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words.with_context(|| format!("`{command}` is not a command line"))?;
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .process_group(0)
        .spawn()
        .with_context(|| format!("`{}` cannot be started", words[0]))?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    let started = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return judged(&words[0], status),
            None if started.elapsed() >= limit => {
                let _ = killpg(group, Signal::SIGKILL);
                child.wait()?;
                anyhow::bail!("`{}` was killed after {} s", words[0], limit.as_secs());
            }
            None => std::thread::sleep(HOOK_POLL),
        }
    }
}

fn judged(program: &str, status: ExitStatus) -> anyhow::Result<()> {
    anyhow::ensure!(status.success(), "`{program}` failed: {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_hook_gets_its_variables_without_a_shell_and_its_failure_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        let variables = [("PLAYSELF_STATUS", "3".to_owned())];
        let command = format!("sh -c 'echo $PLAYSELF_STATUS > {}'", file.display());
        run_hook(&command, &variables, HOOK_TIME).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "3\n");
        let failed =
            |command: &str| run_hook(command, &[], Duration::from_millis(200)).unwrap_err().to_string();
        assert_eq!(failed("false"), "`false` failed: exit status: 1");
        assert!(failed("no-such-program-anywhere").contains("cannot be started"));
        assert!(failed("echo 'open").contains("is not a command line"));
        assert!(failed("sleep 30").contains("was killed after"));
    }
}
