//! The list of all runs: finished ones from their summaries, running ones from their control sockets.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use askama::Template;

use crate::dashboard::catalogue::{Catalogue, ListedRun, plan_of, started};
use crate::dashboard::control;
use crate::dashboard::page_parts::PageParts;
use crate::dashboard::sources::Source;
use crate::dashboard::url::url_segment;
use crate::journal::is_finished;
use crate::report::markup::render;
use crate::report::{CompletionReason, Summary, brief_conditions, counted, engine_conditions, grouped};
use crate::run::control::{ControlRequest, RunStatus};
use crate::store::RunFolder;

/// Largest number of runs in the list, which has the newest ones.
const MAX_LISTED: usize = 500;

/// Time that a run has to answer the list; those that are too busy for it are asked again after [`SILENCE`].
const ANSWER_WITHIN: Duration = Duration::from_millis(300);

/// Time until a socket that did not answer is asked again.
const SILENCE: Duration = Duration::from_secs(15);

/// Time between two updates of the list.
const UPDATE_EVERY: Duration = Duration::from_millis(1000);

/// The source of the list of runs.
pub(super) struct Overview {
    catalogue: Catalogue,
    /// Summary of each run and the time of its file.
    known: HashMap<String, (SystemTime, Summary)>,
    facts: HashMap<String, RunFacts>,
    /// Sockets that did not answer, and when.
    silent: HashMap<String, Instant>,
    due: Instant,
}

/// What does not change of a run: its engines, its conditions and its date.
#[derive(Clone, Debug, Default)]
struct RunFacts {
    engines: String,
    conditions: String,
    date: String,
    /// Hour and minute of its start, if that is known.
    time: String,
}

impl RunFacts {
    fn of(folder: &RunFolder) -> Self {
        let Ok((plan, _)) = plan_of(folder) else { return Self::default() };
        let engines: Vec<String> = engine_conditions(&plan).into_iter().map(|engine| engine.name).collect();
        Self {
            engines: engines.join(", "),
            conditions: brief_conditions(&plan),
            time: time_of(&started(folder), &plan.date).unwrap_or_default(),
            date: plan.date.replace('.', "-"),
        }
    }
}

/// Returns hour and minute of a time such as `20260131-235959`, if it is one of this day.
fn time_of(stamp: &str, day: &str) -> Option<String> {
    let (date, time) = stamp.split_once('-')?;
    let time = format!("{}:{}", time.get(..2)?, time.get(2..4)?);
    (date == day.replace('.', "")).then_some(time)
}

/// A run in the list.
struct RunLine {
    id: String,
    phase: String,
    running: bool,
    tuning: bool,
    facts: RunFacts,
    run: Option<Summary>,
}

impl Overview {
    pub(super) fn new(catalogue: Catalogue) -> Self {
        Self {
            catalogue,
            known: HashMap::new(),
            facts: HashMap::new(),
            silent: HashMap::new(),
            due: Instant::now(),
        }
    }

    /// Asks a run for its state, unless its socket has just failed to answer in time.
    fn status_of(&mut self, id: &str, folder: &RunFolder) -> Option<RunStatus> {
        if self.silent.get(id).is_some_and(|since| since.elapsed() < SILENCE) {
            return None;
        }
        let began = Instant::now();
        let status = control::status_within(folder, ControlRequest::Status, ANSWER_WITHIN);
        self.silent.remove(id);
        if status.is_none() && began.elapsed() >= ANSWER_WITHIN {
            self.silent.insert(id.to_owned(), Instant::now());
        }
        status
    }

    fn line(&mut self, listed: ListedRun) -> RunLine {
        let ListedRun { id, folder } = listed;
        // A run that was killed has a journal without a summary, or with an older one.
        let changed = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
        let changed = changed(&folder.summary()).or_else(|| changed(&folder.journal()));
        // The outcome of a tuning run also changes with its acceptance test.
        if let Some(changed) = changed
            && (folder.is_tuning() || self.known.get(&id).is_none_or(|(then, _)| *then != changed))
            && let Ok(run) = Summary::read_latest(&folder)
        {
            self.known.insert(id.clone(), (changed, run));
        }
        let run = self.known.get(&id).map(|(_, run)| run.clone());
        let facts = self.facts.entry(id.clone()).or_insert_with(|| RunFacts::of(&folder)).clone();
        // A killed run leaves its socket behind, and requests to it fail.
        let status = self.status_of(&id, &folder);
        let phase = match &status {
            Some(status) => {
                let of = status.max_pairs.map(|most| format!(" of {}", grouped(most))).unwrap_or_default();
                format!("{}, pair {}{of}", status.phase.word(), grouped(status.pairs))
            }
            None if run.as_ref().is_some_and(awaits_test) => "in test".to_owned(),
            None if is_finished(&folder) => "finished".to_owned(),
            // Its socket is open, so it was not killed; the machine may be overloaded.
            None if self.silent.contains_key(&id) => "not answering".to_owned(),
            None => "stopped".to_owned(),
        };
        RunLine { running: status.is_some(), tuning: folder.is_tuning(), id, phase, facts, run }
    }
}

/// Returns whether only the acceptance test of a tuning run is left to play.
fn awaits_test(run: &Summary) -> bool {
    run.completion.as_ref().is_some_and(|found| found.reason == CompletionReason::AcceptanceTest)
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
        parts.put_markup("runs", &render(&RunTable { rows: lines.iter().map(row).collect(), hidden }));
        self.due = Instant::now() + UPDATE_EVERY;
    }
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
    engines: &'a str,
    conditions: &'a str,
    date: &'a str,
    time: &'a str,
    /// Whether the run can be compared with others.
    has_strength: bool,
}

fn row(line: &RunLine) -> RunRow<'_> {
    let result = match &line.run {
        Some(run) if line.tuning && run.tuning.is_none() => format!("tuning, {}", counted(run.pairs, "pair")),
        Some(run) if run.faults > 0 => format!("{}; {}", run.sentence(), counted(run.faults, "fault")),
        Some(run) => run.sentence(),
        None => "–".to_owned(),
    };
    RunRow {
        url: url_segment(&line.id),
        id: &line.id,
        phase: &line.phase,
        result,
        engines: &line.facts.engines,
        conditions: &line.facts.conditions,
        date: &line.facts.date,
        time: &line.facts.time,
        has_strength: line
            .run
            .as_ref()
            .map(Summary::strength)
            .is_some_and(|run| run.elo.or(run.elo_lower).or(run.elo_upper).is_some()),
    }
}
