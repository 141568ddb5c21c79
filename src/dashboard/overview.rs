//! The list of all runs: finished ones from their summaries, running ones from their control sockets.

use std::collections::HashMap;
use std::fs::File;
use std::time::{Duration, Instant, SystemTime};

use askama::Template;

use crate::dashboard::catalogue::{Catalogue, ListedRun};
use crate::dashboard::control;
use crate::dashboard::page_parts::PageParts;
use crate::dashboard::sources::Source;
use crate::dashboard::url::url_segment;
use crate::journal::ends_finished;
use crate::report::comparison::{by_strength, comparison_chart};
use crate::report::markup::render;
use crate::report::{Summary, grouped};
use crate::run::control::ControlRequest;

/// Largest number of runs in the list, which has the newest ones.
const MAX_LISTED: usize = 500;

/// Largest number of runs in the chart.
const MAX_COMPARED: usize = 40;

/// Time between two updates of the list.
const UPDATE_EVERY: Duration = Duration::from_millis(1000);

/// The source of the list of runs.
pub(super) struct Overview {
    catalogue: Catalogue,
    /// Summary of each run and the time of its file.
    known: HashMap<String, (SystemTime, Summary)>,
    due: Instant,
}

/// A run in the list.
struct RunLine {
    id: String,
    phase: String,
    running: bool,
    tuning: bool,
    run: Option<Summary>,
}

impl Overview {
    pub(super) fn new(catalogue: Catalogue) -> Self {
        Self { catalogue, known: HashMap::new(), due: Instant::now() }
    }

    fn line(&mut self, listed: ListedRun) -> RunLine {
        let ListedRun { id, folder } = listed;
        let changed = std::fs::metadata(folder.summary()).and_then(|about| about.modified()).ok();
        if let Some(changed) = changed
            && self.known.get(&id).is_none_or(|(then, _)| *then != changed)
            && let Ok(text) = std::fs::read_to_string(folder.summary())
            && let Ok(run) = serde_json::from_str::<Summary>(&text)
        {
            let run = if folder.is_tuning() { run.without_strength() } else { run };
            self.known.insert(id.clone(), (changed, run));
        }
        let run = self.known.get(&id).map(|(_, run)| run.clone());
        // A killed run leaves its socket behind, and requests to it fail.
        let status = control::status_of(&folder, ControlRequest::Status);
        let phase = match &status {
            Some(status) => {
                let of = status.max_pairs.map(|most| format!(" of {most}")).unwrap_or_default();
                format!("{}, pair {}{of}", status.phase.word(), status.pairs)
            }
            None if File::open(folder.journal()).and_then(ends_finished).unwrap_or(false) => {
                "finished".to_owned()
            }
            None => "stopped".to_owned(),
        };
        let running = status.is_some();
        RunLine { id, phase, running, tuning: folder.is_tuning(), run }
    }
}

impl Source for Overview {
    fn update(&mut self, parts: &mut PageParts) {
        if Instant::now() < self.due {
            return;
        }
        let listed = self.catalogue.list();
        let hidden = listed.len().saturating_sub(MAX_LISTED);
        let mut lines: Vec<RunLine> =
            listed.into_iter().take(MAX_LISTED).map(|listed| self.line(listed)).collect();
        lines.sort_by_key(|line| !line.running);
        parts.put_markup("runs", &table(&lines, hidden));
        let runs: Vec<Summary> = lines
            .iter()
            .filter_map(|line| line.run.clone())
            .filter(|run| run.elo.is_some())
            .take(MAX_COMPARED)
            .collect();
        let chart = if runs.len() < 2 {
            String::new()
        } else {
            render(&Compared { chart: comparison_chart(&by_strength(runs)) })
        };
        parts.put_markup("compared", &chart);
        self.due = Instant::now() + UPDATE_EVERY;
    }
}

#[derive(Template)]
#[template(path = "compared.html")]
struct Compared {
    chart: String,
}

#[derive(Template)]
#[template(path = "run_table.html")]
struct RunTable<'a> {
    rows: Vec<RunRow<'a>>,
    /// Number of older runs that are not listed.
    hidden: usize,
}

/// The text of one row.
struct RunRow<'a> {
    url: String,
    id: &'a str,
    phase: &'a str,
    result: String,
    candidate: &'a str,
    baseline: &'a str,
}

fn table(lines: &[RunLine], hidden: usize) -> String {
    render(&RunTable { rows: lines.iter().map(row).collect(), hidden })
}

fn row(line: &RunLine) -> RunRow<'_> {
    let (result, candidate, baseline) = match &line.run {
        Some(run) if line.tuning => (format!("tuning, {} pairs", grouped(run.pairs)), "", ""),
        Some(run) => (run.sentence(), run.candidate.as_str(), run.baseline.as_str()),
        None => ("–".to_owned(), "", ""),
    };
    RunRow { url: url_segment(&line.id), id: &line.id, phase: &line.phase, result, candidate, baseline }
}
