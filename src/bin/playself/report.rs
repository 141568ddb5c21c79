//! `playself report RUN_DIR…`: how a run stands, its page and its plots; or several runs side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use playself::game::{GameId, GameOfPair};
use playself::journal::LockedFile;
use playself::report::chart::standalone;
use playself::report::comparison::{
    by_strength, comparison_chart, comparison_lines, comparison_page, comparison_table, forum_block,
};
use playself::report::page::{parse_round, shelved_game};
use playself::report::{RunPage, Summary, closing, score_block, standing};
use playself::run::{RunOutcome, RunView, plan_from_toml};
use playself::store::{RunFolder, write_whole};

use playself::commands::{Console, Failure, OrFailure};

/// Tell how a run stands, finished or not, and write its page report.html.
///
/// With several runs: one table and one chart, the strongest candidate first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself report results/20260131-120000-knight-mobility
  playself report RUN --svg plots          the charts as files, for papers and forums
  playself report RUN --game 4711.2        that game is the first in the page's viewer
  playself report RUN --forum              a block of text in the layout that forums paste
  playself report results/* --page week.html")]
pub(crate) struct ReportCommand {
    /// Folders of runs
    #[arg(value_name = "RUN_DIR", required = true)]
    runs: Vec<PathBuf>,
    /// Print the summary as JSON, one line a run
    #[arg(long)]
    json: bool,
    /// Print the block that forums paste, and nothing else
    #[arg(long, conflicts_with = "json")]
    forum: bool,
    /// Write the charts as SVG files into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Put this game in front of the page's viewer, by the number of its pair and 1 or 2; may be given more than once
    #[arg(long, value_name = "PAIR.GAME", value_parser = round)]
    game: Vec<(u64, GameOfPair)>,
    /// Write the comparison of several runs as a page to this file
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl ReportCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let folders =
            self.runs.iter().map(|path| RunFolder::open(path)).collect::<Result<Vec<RunFolder>, _>>();
        match &folders.or_usage()?[..] {
            [folder] if self.page.is_none() => match self.games_of(folder).or_fault()? {
                (_, Some(missing)) => {
                    return Err(Failure::usage(format_args!("the run has no game {missing}")));
                }
                (games, None) => self.tell(folder, games).or_fault()?,
            },
            _ if !self.game.is_empty() => return Err(Failure::usage("--game goes with the page of one run")),
            several => self.compare(several).or_fault()?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The games that were asked for as the page's viewer reads them, and the name of one that there is not.
    fn games_of(&self, folder: &RunFolder) -> anyhow::Result<(Vec<String>, Option<String>)> {
        let mut games = Vec::new();
        for &(pair, game) in &self.game {
            let found = shelved_game(&folder.games(), pair, game)
                .with_context(|| format!("{} cannot be read", folder.games().display()))?;
            match found {
                Some(game) => games.push(game),
                None => return Ok((games, Some(GameId { pair, game }.to_string()))),
            }
        }
        Ok((games, None))
    }

    fn tell(&self, folder: &RunFolder, games: Vec<String>) -> anyhow::Result<()> {
        // Asked before the run is read: one that ends meanwhile is told as it was.
        let playing = LockedFile::is_held(&folder.journal());
        let page = read_run(folder)?;
        let view = page.reader().view();
        if self.json {
            Console::Text.print(&serde_json::to_string(&Summary::of(&view))?);
        } else if self.forum {
            Console::Text.print(forum_text(&view).trim_end());
        } else {
            let told = match view.state.outcome() {
                Some(outcome) => closing(&outcome, &view),
                None if playing => standing(&view),
                None => closing(&RunOutcome::Interrupted, &view),
            };
            Console::Text.print(told.trim_end());
        }
        page.write(games).with_context(|| format!("{} cannot be written", folder.page().display()))?;
        let plots = page.builder().plots(&view);
        self.write_plots(&plots)?;
        if !self.json && !self.forum {
            Console::Text.print(&format!("Page: {}", folder.page().display()));
        }
        Ok(())
    }

    fn compare(&self, folders: &[RunFolder]) -> anyhow::Result<()> {
        let mut runs = Vec::new();
        for folder in folders {
            if self.forum {
                Console::Text.print(&forum_text(&read_run(folder)?.reader().view()));
            }
            runs.push(compared(folder).with_context(|| folder.path().display().to_string())?);
        }
        let runs = by_strength(runs);
        if self.json {
            for run in &runs {
                Console::Text.print(&serde_json::to_string(run)?);
            }
        } else if !self.forum {
            Console::Text.print(&format!(
                "{}\n{}",
                comparison_table(&runs),
                comparison_lines(&runs).trim_end()
            ));
        }
        self.write_plots(&[("comparison".to_owned(), comparison_chart(&runs))])?;
        if let Some(path) = &self.page {
            write_whole(path, comparison_page(&runs).as_bytes())
                .with_context(|| format!("{} cannot be written", path.display()))?;
            if !self.json && !self.forum {
                Console::Text.print(&format!("Page: {}", path.display()));
            }
        }
        Ok(())
    }

    fn write_plots(&self, plots: &[(String, String)]) -> anyhow::Result<()> {
        let Some(folder) = &self.svg else { return Ok(()) };
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        for (name, svg) in plots {
            let path = folder.join(format!("{name}.svg"));
            fs::write(&path, standalone(svg))
                .with_context(|| format!("{} cannot be written", path.display()))?;
            if !self.json && !self.forum {
                Console::Text.print(&format!("Plot: {}", path.display()));
            }
        }
        Ok(())
    }
}

fn round(text: &str) -> Result<(u64, GameOfPair), String> {
    parse_round(text).ok_or_else(|| "write the number of a pair and 1 or 2, such as 12.1".to_owned())
}

/// The run in `folder`, read to the end of its journal. No lock is taken: a run that is being played can be looked at.
fn read_run(folder: &RunFolder) -> anyhow::Result<RunPage> {
    anyhow::ensure!(
        folder.journal().exists(),
        "{} is missing: the run can only be told from it. Bring it back; games.pgn, pairs.csv and summary.json are read \
         without it, as far as they are there",
        folder.journal().display()
    );
    let text = fs::read_to_string(folder.plan())?;
    Ok(RunPage::read_whole(folder.clone(), plan_from_toml(&text)?, &text)?)
}

/// The run's summary, worked out anew unless the file is as new as the journal.
fn compared(folder: &RunFolder) -> anyhow::Result<Summary> {
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    let summary = match (changed(&folder.summary()), changed(&folder.journal())) {
        (Ok(summary), Ok(journal)) if summary >= journal => {
            serde_json::from_str(&fs::read_to_string(folder.summary())?)?
        }
        _ => Summary::of(&read_run(folder)?.reader().view()),
    };
    Ok(if folder.is_tuning() { summary.without_strength() } else { summary })
}

fn forum_text(view: &RunView<'_>) -> String {
    if view.plan.is_tuning() {
        // The score of a tuner's trials against each other is nobody's strength.
        return score_block(view);
    }
    let book = view.plan.openings.as_ref().and_then(|book| book.file.path.file_name());
    let book = book.map_or("no book".into(), |name| name.to_string_lossy());
    forum_block(&Summary::of(view), &view.plan.engines[0].limits.to_string(), &book)
}
