//! `playself watch RUN_DIR`: a run in the terminal, as it goes.

use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use playself::report::{AnsiScreen, BoardLine, Ink, PanelNews, Trend, closing, panel};
use playself::run::control::ControlRequest;
use playself::run::{Advance, RunOutcome, RunReader, plan_from_toml};
use playself::store::RunFolder;
use serde_json::Value;

use crate::control::converse;
use crate::launch::{FAULT, RunDir, Show};

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
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let folder = RunFolder::open(&self.run.path)?;
        match self.watch(&folder) {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(why) => {
                crate::complain(&why);
                Ok(ExitCode::from(FAULT))
            }
        }
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
                Show::Human.say(&lines.join("\n"));
                return Ok(());
            }
            screen.draw(&lines)?;
            if news.phase == "not running" && advance == Advance::Unchanged {
                screen.clear()?;
                let outcome = view.state.outcome().unwrap_or(RunOutcome::Interrupted);
                Show::Human.say(closing(&outcome, &view).trim_end());
                return Ok(());
            }
            if advance != Advance::More {
                sleep(LOOK_EVERY);
            }
        }
    }
}

/// What the run itself says: what it is doing, and what is on its boards.
fn look(reader: &RunReader) -> PanelNews {
    let last = reader.incidents().next_back().map(|incident| incident.text.clone());
    let answer = converse(reader.folder(), &ControlRequest::Boards.to_string())
        .ok()
        .and_then(|answer| serde_json::from_str::<Value>(&answer).ok())
        .filter(|answer| answer["error"].is_null());
    let Some(answer) = answer else {
        return PanelNews { phase: "not running".to_owned(), games: Vec::new(), last };
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let games = answer["boards"].as_array().into_iter().flatten().map(|game| BoardLine {
        round: text(&game["round"]).unwrap_or_default(),
        names: [text(&game["white"]).unwrap_or_default(), text(&game["black"]).unwrap_or_default()],
        plies: game["plies"].as_u64().unwrap_or(0) as usize,
        last: text(&game["last"]),
        score: text(&game["score"]),
    });
    PanelNews { phase: text(&answer["phase"]).unwrap_or_default(), games: games.collect(), last }
}
