//! `playself watch RUN_DIR`.

use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Context;
use playself::commands::{Failure, OrFailure, answer, panel_status};
use playself::report::{AnsiScreen, Ink, Trend, closing_text, panel};
use playself::run::{Advance, RunOutcome, RunReader, plan_from_toml};
use playself::store::RunFolder;

use crate::run_dir::RunDir;

/// Time between two looks at the run.
const REFRESH: Duration = Duration::from_millis(250);

/// Show the live panel of a run, in any terminal; a finished run is shown once
#[derive(Debug, clap::Args)]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    run: RunDir,
    /// Show the panel once; the default if standard output is not a terminal
    #[arg(long)]
    once: bool,
}

impl WatchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let folder = RunFolder::open(&self.run.path).or_usage()?;
        let path = folder.plan();
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))
            .or_fault()?;
        let plan = plan_from_toml(&text).or_fault()?;
        self.watch(RunReader::new(folder, plan, &text))?;
        Ok(ExitCode::SUCCESS)
    }

    fn watch(&self, mut reader: RunReader) -> Result<(), Failure> {
        let mut trend = Trend::default();
        let mut screen = AnsiScreen::new(io::stdout());
        let once = self.once || !io::stdout().is_terminal();
        let ink = if io::stdout().is_terminal() { Ink::for_terminal() } else { Ink::Plain };
        loop {
            let advance = reader.advance(|pair, view| trend.note(pair, view)).or_fault()?;
            if advance == Advance::Restarted {
                trend = Trend::default();
                continue;
            }
            if let Some(damage) = reader.damage() {
                return Err(Failure::fault(format_args!("{damage}; `playself verify` reports the details")));
            }
            if once && advance == Advance::More {
                continue;
            }
            let status = panel_status(&reader);
            let view = reader.view();
            let lines = panel(&view, &trend, &status, ink);
            if once {
                return answer(lines.join("\n"));
            }
            screen.draw(&lines).map_err(Failure::Output)?;
            if status.phase.is_none() && advance == Advance::Unchanged {
                screen.clear().map_err(Failure::Output)?;
                let outcome = view.state.outcome().unwrap_or(RunOutcome::Interrupted);
                return answer(closing_text(&outcome, &view).trim_end());
            }
            if advance != Advance::More {
                sleep(REFRESH);
            }
        }
    }
}
