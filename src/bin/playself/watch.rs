//! `playself watch RUN_DIR`: a run in the terminal, as it goes.

use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use playself::commands::{Console, Failure, OrFailure};
use playself::report::{AnsiScreen, BoardLine, Ink, PanelNews, Trend, closing, panel};
use playself::run::control::{ControlAnswer, ControlRequest, request};
use playself::run::{Advance, RunOutcome, RunReader, plan_from_toml};
use playself::store::RunFolder;

use crate::run_dir::RunDir;

/// How long a run may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How often the run is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Show a run in the terminal as it goes, from any terminal; a finished run is shown once
#[derive(Debug, clap::Args)]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    run: RunDir,
    /// Show it once and leave; so does a run watched into a pipe or a file
    #[arg(long)]
    once: bool,
}

impl WatchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let folder = RunFolder::open(&self.run.path).or_usage()?;
        self.watch(&folder).or_fault()?;
        Ok(ExitCode::SUCCESS)
    }

    fn watch(&self, folder: &RunFolder) -> anyhow::Result<()> {
        let text = fs::read_to_string(folder.plan())?;
        let mut reader = RunReader::new(folder.clone(), plan_from_toml(&text)?, &text);
        let mut trend = Trend::default();
        let mut screen = AnsiScreen::new(io::stdout());
        let once = self.once || !io::stdout().is_terminal();
        let ink = if io::stdout().is_terminal() { Ink::for_terminal() } else { Ink::Plain };
        loop {
            let advance = reader.advance(|pair, view| trend.note(pair, view))?;
            if advance == Advance::Restarted {
                trend = Trend::default();
                continue;
            }
            if let Some(why) = reader.damage() {
                anyhow::bail!("{why}; `playself verify` says more");
            }
            if once && advance == Advance::More {
                continue;
            }
            let news = look(&reader);
            let view = reader.view();
            let lines = panel(&view, &trend, &news, ink);
            if once {
                Console::Text.print(&lines.join("\n"));
                return Ok(());
            }
            screen.draw(&lines)?;
            if news.phase == "not running" && advance == Advance::Unchanged {
                screen.clear()?;
                let outcome = view.state.outcome().unwrap_or(RunOutcome::Interrupted);
                Console::Text.print(closing(&outcome, &view).trim_end());
                return Ok(());
            }
            if advance != Advance::More {
                sleep(LOOK_EVERY);
            }
        }
    }
}

/// What the run itself reports: its phase and the games in progress.
fn look(reader: &RunReader) -> PanelNews {
    let last = reader.incidents().next_back().map(|incident| incident.text.clone());
    let answered = request(reader.folder(), ControlRequest::Boards, TIMEOUT);
    let Ok(ControlAnswer::Status(status)) = answered else {
        return PanelNews { phase: "not running".to_owned(), games: Vec::new(), last };
    };
    let games = status.boards.into_iter().flatten().map(|game| BoardLine {
        round: game.round,
        names: [game.white, game.black],
        plies: game.plies,
        last: game.last,
        score: game.score,
    });
    PanelNews { phase: status.phase.word().to_owned(), games: games.collect(), last }
}
