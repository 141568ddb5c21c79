//! Reading finished and running runs for reports.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::commands::failure::{Failure, OrFailure};
use crate::game::GameId;
use crate::journal::LockedFile;
use crate::report::chart::standalone;
use crate::report::comparison::forum_block;
use crate::report::page::shelved_game;
use crate::report::{RunPage, Summary, closing_text, interim_text, score_block};
use crate::run::{RunOutcome, RunView, plan_from_toml};
use crate::store::{RunFolder, read_text};

/// A run that was read to the end of its journal.
pub struct ReadRun {
    /// The run and its page.
    pub page: RunPage,
    /// Whether a process was playing the run when reading began.
    pub is_playing: bool,
}

impl ReadRun {
    /// Reads the run in `folder`. Takes no lock, so a run in play can be read.
    pub fn read(folder: &RunFolder) -> Result<Self, Failure> {
        // Asked before the journal is read: a run that ends meanwhile is reported as it was.
        let is_playing = LockedFile::is_held(&folder.journal());
        Ok(Self { page: read_page(folder).or_fault()?, is_playing })
    }

    /// Returns the result as text, or the current score of a run in play.
    pub fn result_text(&self) -> String {
        let view = self.page.reader().view();
        match view.state.outcome() {
            Some(outcome) => closing_text(&outcome, &view),
            None if self.is_playing => interim_text(&view),
            None => closing_text(&RunOutcome::Interrupted, &view),
        }
    }

    /// Returns the result in the layout that is pasted into forums.
    pub fn forum_text(&self) -> String {
        forum_text(&self.page.reader().view())
    }

    /// Returns the summary.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.page.reader().view())
    }

    /// Writes `report.html`, with `games` first in its viewer.
    pub fn write_page(&self, games: &[GameId]) -> Result<(), Failure> {
        let folder = self.page.reader().folder();
        let games = games.iter().map(|&game| viewer_game(folder, game)).collect::<Result<_, _>>()?;
        self.page
            .write(games)
            .with_context(|| format!("{} cannot be written", folder.page().display()))
            .or_fault()
    }
}

fn read_page(folder: &RunFolder) -> anyhow::Result<RunPage> {
    ensure!(
        folder.journal().exists(),
        "{} is missing: a report needs it. Restore it; games.pgn, pairs.csv and summary.json can be read without it",
        folder.journal().display()
    );
    let text =
        read_text(&folder.plan()).with_context(|| format!("{} cannot be read", folder.plan().display()))?;
    Ok(RunPage::read_whole(folder.clone(), plan_from_toml(&text)?, &text)?)
}

/// Returns a game as the page's viewer reads it.
fn viewer_game(folder: &RunFolder, game: GameId) -> Result<String, Failure> {
    shelved_game(&folder.games(), game.pair, game.game)
        .with_context(|| format!("{} cannot be read", folder.games().display()))
        .or_fault()?
        .ok_or_else(|| Failure::usage(format_args!("the run has no game {game}")))
}

fn forum_text(view: &RunView<'_>) -> String {
    if view.plan.is_tuning() {
        // Both sides are the same engine with trial values, so their score is not a strength.
        return score_block(view);
    }
    let book = view.plan.openings.as_ref().and_then(|book| book.file.path.file_name());
    let book = book.map_or("no book".into(), |name| name.to_string_lossy());
    forum_block(&Summary::of(view), &view.plan.engines[0].limits.to_string(), &book)
}

/// Returns the summary of the run in `folder`: that of `summary.json` if it is as new as the journal. A tuning run has no
/// strengths to compare.
pub fn run_summary(folder: &RunFolder) -> Result<Summary, Failure> {
    let summary =
        read_summary(folder).map_err(|failure| failure.context(folder.path().display().to_string()))?;
    Ok(if folder.is_tuning() { summary.without_strength() } else { summary })
}

fn read_summary(folder: &RunFolder) -> Result<Summary, Failure> {
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    match (changed(&folder.summary()), changed(&folder.journal())) {
        (Ok(summary), Ok(journal)) if summary >= journal => {
            let text = read_text(&folder.summary()).or_fault()?;
            serde_json::from_str(&text).context("summary.json cannot be read").or_fault()
        }
        _ => Ok(ReadRun::read(folder)?.summary()),
    }
}

/// Writes charts, each with its name, as SVG files into `folder`. Returns their paths.
pub fn write_charts(folder: &Path, charts: &[(String, String)]) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))
        .or_fault()?;
    let write = |(name, svg): &(String, String)| {
        let path = folder.join(format!("{name}.svg"));
        fs::write(&path, standalone(svg)).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    };
    charts.iter().map(write).collect::<anyhow::Result<_>>().or_fault()
}
