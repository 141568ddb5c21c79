//! Reading finished and running runs for reports.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::commands::failure::{Failure, OrFailure};
use crate::commands::tuned_values::test_command;
use crate::game::GameId;
use crate::journal::LockedFile;
use crate::report::chart::standalone;
use crate::report::comparison::{ComparedRun, forum_block};
use crate::report::page::shelved_game;
use crate::report::{RunPage, Summary, closing_text, interim_text, score_block, setting_text};
use crate::run::{RunOutcome, plan_from_toml};
use crate::store::{RunFolder, read_text, write_whole};

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
        if let Some(summary) = self.page.published() {
            let name = &view.plan.name;
            return format!(
                "{name}: {}\n{}\nThe journal is not in the folder: this is the summary.\n",
                summary.sentence(),
                setting_text(view.plan)
            );
        }
        let text = match view.state.outcome() {
            Some(outcome) => closing_text(&outcome, &view),
            None if self.is_playing => interim_text(&view),
            None => closing_text(&RunOutcome::Interrupted, &view),
        };
        let command =
            test_command(view.plan, view.state, view.state.outcome().as_ref(), self.page.reader().folder());
        text + &self.outcome_line() + &command.map_or_else(String::new, |command| command + "\n")
    }

    /// Returns the result in the layout that is pasted into forums.
    pub fn forum_text(&self) -> String {
        let view = self.page.reader().view();
        let summary = self.summary();
        if !view.plan.is_tuning() {
            return forum_block(&summary, &setting_text(view.plan));
        }
        let test = summary.tuning.as_ref().and_then(|tuning| tuning.test.as_deref());
        let accept = view.plan.acceptance();
        let block = test.zip(accept).map(|(test, accept)| forum_block(test, &accept.limits.to_string()));
        // Both sides of the tuning are the same engine with trial values, so their score is not a strength.
        score_block(&view) + &self.outcome_line() + &block.unwrap_or_default()
    }

    /// Returns the outcome of a tuning run with its acceptance test as a line.
    fn outcome_line(&self) -> String {
        self.summary().tuning.map_or(String::new(), |tuning| {
            format!("Outcome: {}\n", tuning.sentence(self.page.reader().view().state.counted()))
        })
    }

    /// Returns the summary, with the outcome of a tuning run.
    pub fn summary(&self) -> Summary {
        self.page.summary()
    }

    /// Writes `report.html`, with `games` first in its viewer.
    pub fn write_page(&self, games: &[GameId]) -> Result<(), Failure> {
        let folder = self.page.reader().folder();
        let games = games.iter().map(|&game| viewer_game(folder, game)).collect::<Result<_, _>>()?;
        self.page.write(games).context("the page cannot be written").or_fault()
    }
}

fn read_page(folder: &RunFolder) -> anyhow::Result<RunPage> {
    let is_published = folder.is_published();
    ensure!(
        is_published || folder.journal().exists(),
        "{} is missing: a report needs it. Restore it; games.pgn, pairs.csv and summary.json can be read without it",
        folder.journal().display()
    );
    let is_empty = || fs::metadata(folder.journal()).is_ok_and(|journal| journal.len() == 0);
    ensure!(
        is_published || !is_empty() || !folder.holds_games(),
        "{} is empty: it has no record of the games in games.pgn and pairs.csv. Restore it",
        folder.journal().display()
    );
    let text =
        read_text(&folder.plan()).with_context(|| format!("{} cannot be read", folder.plan().display()))?;
    let plan = plan_from_toml(&text)?;
    Ok(if is_published {
        // It consists of its plan and its summary alone.
        RunPage::new(folder.clone(), plan, &text)
    } else {
        RunPage::read_whole(folder.clone(), plan, &text)?
    })
}

/// Returns a game as the page's viewer reads it.
fn viewer_game(folder: &RunFolder, game: GameId) -> Result<String, Failure> {
    shelved_game(&folder.games(), game.pair, game.game)
        .with_context(|| format!("{} cannot be read", folder.games().display()))
        .or_fault()?
        .ok_or_else(|| Failure::usage(format_args!("the run has no game {game}")))
}

/// Returns the run in `folder` for a comparison whose page links to it by `link`.
pub fn compared_run(folder: &RunFolder, link: String) -> Result<ComparedRun, Failure> {
    let summary = run_summary(folder)?;
    let plan = plan_from_toml(&read_text(&folder.plan()).or_fault()?).or_fault()?;
    let name = folder.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(ComparedRun::new(&plan, &name, link, summary))
}

/// Opens run folders. A folder of run folders stands for those. With several paths, those that are neither are left out and
/// named in the second list: a shell expands `results/*` to all files there.
pub fn open_runs(paths: &[PathBuf]) -> Result<(Vec<RunFolder>, Vec<String>), Failure> {
    let (mut folders, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        match RunFolder::open(path) {
            Ok(folder) => folders.push(folder),
            Err(why) => match runs_in(path) {
                runs if !runs.is_empty() => folders.extend(runs),
                _ if paths.len() > 1 && path.exists() => {
                    others.push(format!("{} is not a run folder", path.display()));
                }
                _ => return Err(Failure::usage(why)),
            },
        }
    }
    if folders.is_empty() {
        return Err(Failure::usage(others.join("\n")));
    }
    Ok((folders, others))
}

/// Returns the run folders in a folder, by name.
fn runs_in(path: &Path) -> Vec<RunFolder> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut runs: Vec<RunFolder> = entries.filter_map(|entry| RunFolder::open(&entry.path()).ok()).collect();
    runs.sort_by(|one, other| one.path().cmp(other.path()));
    runs
}

/// Returns the summary of the run in `folder`: that of `summary.json` if it is as new as the journal. The strength of a tuning run
/// is that of its acceptance test.
pub fn run_summary(folder: &RunFolder) -> Result<Summary, Failure> {
    read_summary(folder).map_err(|failure| failure.context(folder.path().display().to_string()))
}

fn read_summary(folder: &RunFolder) -> Result<Summary, Failure> {
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    match (changed(&folder.summary()), changed(&folder.journal())) {
        (Ok(summary), Ok(journal)) if summary < journal => Ok(ReadRun::read(folder)?.summary()),
        (Ok(_), Ok(_)) => Summary::read(folder).context("summary.json cannot be read").or_fault(),
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
        write_whole(&path, standalone(svg).as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    };
    charts.iter().map(write).collect::<anyhow::Result<_>>().or_fault()
}
