//! `playself report RUN_DIR`: how a run stands, and its page written anew.

use std::fs::{self, File};
use std::process::ExitCode;

use playself::config::plan_from_toml;
use playself::experiment::{Known, Outcome, RunView, replay, sha256_of};
use playself::report::{RunFolder, Summary, closing, write_page};

use crate::launch::{FAULT, RunDir, Show};

/// Tell how a run stands, finished or not, and write its page report.html
#[derive(Debug, clap::Args)]
pub(crate) struct ReportCommand {
    #[command(flatten)]
    run: RunDir,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl ReportCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let folder = RunFolder::open(&self.run.path)?;
        match self.tell(&folder) {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(why) => {
                crate::complain(&why);
                Ok(ExitCode::from(FAULT))
            }
        }
    }

    fn tell(&self, folder: &RunFolder) -> anyhow::Result<()> {
        let text = fs::read_to_string(folder.plan())?;
        let plan = plan_from_toml(&text)?;
        // No lock is taken: a run that is being played can be looked at.
        let journal = File::open(folder.journal())?;
        let replayed = replay(journal, &plan, &sha256_of(text.as_bytes()), Known::default(), |_, _| {})?;
        let view = RunView { plan: &plan, state: &replayed.state, seconds: replayed.time.seconds() };
        if self.json {
            Show::Human.say(&serde_json::to_string(&Summary::of(&view))?);
        } else {
            let outcome = replayed.state.outcome().unwrap_or(Outcome::Interrupted);
            Show::Human.say(closing(&outcome, &view).trim_end());
        }
        write_page(folder, &plan, &text)?;
        if !self.json {
            Show::Human.say(&format!("Page: {}", folder.page().display()));
        }
        Ok(())
    }
}
