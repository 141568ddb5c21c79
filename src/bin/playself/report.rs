//! `playself report RUN_DIR…`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use playself::cli::game_id::game_id;
use playself::cli::number_lists::error_rate;
use playself::commands::{Failure, OrFailure, ReadRun, answer, compared_run, open_runs, write_charts};
use playself::game::GameId;
use playself::report::comparison::{
    by_strength, comparison_chart, comparison_lines, comparison_page, comparison_table, discovery_text,
};
use playself::stats::ErrorRate;
use playself::store::{RunFolder, write_output};

use crate::run_dir::run_path;

/// Print the result of a run, finished or not, and write its page report.html.
///
/// With several runs, prints one table and one chart, the strongest candidate first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself report results/20260131-120000-knight-mobility
  playself report RUN --svg plots        the charts as files, for papers
  playself report RUN --game 4711.2      shows this game first in the page
  playself report RUN --forum            a block of text to paste into a forum
  playself report results/* --page week.html")]
pub(crate) struct ReportCommand {
    /// Run folders, or `last` for the newest one in results
    #[arg(value_name = "RUN_DIR", default_value = "last", value_hint = clap::ValueHint::DirPath)]
    runs: Vec<PathBuf>,
    /// Print the summary as JSON, one line for each run
    #[arg(long)]
    json: bool,
    /// Print only a block of text to paste into a forum
    #[arg(long, conflicts_with = "json")]
    forum: bool,
    /// Write the charts as SVG files into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// With several tests: which candidates are stronger if at most this share of such calls may be wrong
    #[arg(long, value_name = "RATE", value_parser = error_rate)]
    fdr: Option<ErrorRate>,
    /// Show this game first in the page's viewer: the number of its pair, and 1 or 2; may be repeated
    #[arg(long, value_name = "PAIR.GAME", value_parser = game_id)]
    game: Vec<GameId>,
    /// Write the comparison of several runs to this file as a page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl ReportCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let runs = self.runs.iter().map(|path| run_path(path)).collect::<Result<Vec<_>, _>>()?;
        let (folders, others) = open_runs(&runs)?;
        others.iter().for_each(|other| print_note(other));
        match &folders[..] {
            [folder] if self.page.is_none() && self.fdr.is_none() => self.report(folder)?,
            _ if !self.game.is_empty() => return Err(Failure::usage("--game needs exactly one run")),
            several => self.compare(several)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Files come first: a closed pipe does not prevent them, and a page that cannot be written does not hide the result.
    fn report(&self, folder: &RunFolder) -> Result<(), Failure> {
        let run = ReadRun::read(folder)?;
        let written = run.write_page(&self.game);
        let charts = self.write_charts(&run.page.builder().plots(&run.page.reader().view()))?;
        if self.json {
            return answer(serde_json::to_string(&run.summary()).or_fault()?).and(written);
        }
        if self.forum {
            return answer(run.forum_text().trim_end()).and(written);
        }
        answer(run.result_text().trim_end())?;
        print_charts(&charts)?;
        written?;
        answer(format_args!("Page: {}", folder.page().display()))
    }

    fn compare(&self, folders: &[RunFolder]) -> Result<(), Failure> {
        let link = |folder: &RunFolder| folder.page().display().to_string();
        let runs = folders.iter().map(|folder| compared_run(folder, link(folder)));
        let runs = by_strength(runs.collect::<Result<Vec<_>, _>>()?);
        let charts = self.write_charts(&[("comparison".to_owned(), comparison_chart(&runs))])?;
        if let Some(path) = &self.page {
            write_output(path, comparison_page(&runs, None).as_bytes())
                .context("the page cannot be written")
                .or_fault()?;
        }
        if self.json {
            return runs.iter().try_for_each(|run| answer(serde_json::to_string(&run.summary).or_fault()?));
        }
        if self.forum {
            return folders.iter().try_for_each(|folder| answer(ReadRun::read(folder)?.forum_text()));
        }
        answer(format_args!("{}\n{}", comparison_table(&runs), comparison_lines(&runs).trim_end()))?;
        if let Some(rate) = self.fdr {
            answer(format_args!("\n{}", discovery_text(&runs, rate.get()).trim_end()))?;
        }
        print_charts(&charts)?;
        self.page.iter().try_for_each(|path| answer(format_args!("Page: {}", path.display())))
    }

    fn write_charts(&self, charts: &[(String, String)]) -> Result<Vec<PathBuf>, Failure> {
        self.svg.as_ref().map_or(Ok(Vec::new()), |folder| write_charts(folder, charts))
    }
}

/// Prints a note to standard error, where it does not mix with the answer.
fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "Note: {text}");
}

fn print_charts(paths: &[PathBuf]) -> Result<(), Failure> {
    paths.iter().try_for_each(|path| answer(format_args!("Plot: {}", path.display())))
}
