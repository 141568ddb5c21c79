//! `playself watch RUN_DIR`.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use playself::commands::{Failure, Key, Keys, OrFailure, answer, panel_status, watched_run};
use playself::report::{AnsiScreen, Ink, PanelSize, Trend, closing_text, is_dumb_terminal, panel};
use playself::run::{Advance, RunOutcome, RunReader, plan_from_toml};

use crate::run_dir::AnyRunDir;

/// Time between two looks at the run.
const REFRESH: Duration = Duration::from_millis(250);

/// Show the live panel of a run, in any terminal; a finished run is shown once.
///
/// `q`, Escape and Ctrl-C leave the view; the run continues.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    run: AnyRunDir,
    /// Show the panel once; the default if standard output is not a terminal
    #[arg(long)]
    once: bool,
}

impl WatchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let folder = watched_run(self.run.folder()?);
        let path = folder.plan();
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))
            .or_fault()?;
        let plan = plan_from_toml(&text).or_fault()?;
        self.watch(RunReader::new(folder, plan, &text))
    }

    fn watch(&self, mut reader: RunReader) -> Result<ExitCode, Failure> {
        let mut trend = Trend::default();
        let mut screen = AnsiScreen::new(io::stdout());
        let redrawn = !self.once && io::stdout().is_terminal() && !is_dumb_terminal();
        let keys = redrawn.then(Keys::listen);
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
            if keys.is_none() && advance == Advance::More {
                continue;
            }
            let status = panel_status(&reader);
            let view = reader.view();
            let size = if redrawn { PanelSize::of(io::stdout()) } else { PanelSize::default() };
            let lines = panel(&view, &trend, &status, ink, size);
            let Some(keys) = &keys else {
                // With its colours.
                writeln!(io::stdout(), "{}", lines.join("\n")).map_err(Failure::Output)?;
                return Ok(ExitCode::SUCCESS);
            };
            screen.draw(&lines, size.columns).map_err(Failure::Output)?;
            if status.phase.is_none() && advance == Advance::Unchanged {
                screen.clear().map_err(Failure::Output)?;
                let outcome = view.state.outcome().unwrap_or(RunOutcome::Interrupted);
                answer(closing_text(&outcome, &view).trim_end())?;
                return Ok(ExitCode::SUCCESS);
            }
            let pause = if advance == Advance::More { Duration::ZERO } else { REFRESH };
            match keys.wait(pause) {
                Some(Key::Quit) => return Ok(ExitCode::SUCCESS),
                Some(Key::Interrupt) => return Ok(ExitCode::from(Failure::INTERRUPTED_STATUS)),
                None => {}
            }
        }
    }
}
