//! The run's page, written when the run ends.

use std::fs::File;
use std::io;

use crate::experiment::{Moment, Observer, Plan, RunEvent, RunView, replay, sha256_of};

use super::page::PageCollector;
use super::run_folder::{RunFolder, write_whole};

/// Writes `report.html` at the end, from the journal: while games are played it costs nothing.
pub struct PageObserver {
    folder: RunFolder,
    plan_text: String,
}

impl PageObserver {
    /// For the run in `folder`.
    pub fn new(folder: &RunFolder, plan_text: &str) -> Self {
        Self { folder: folder.clone(), plan_text: plan_text.to_owned() }
    }
}

impl Observer for PageObserver {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Finished(_) => write_page(&self.folder, view.plan, &self.plan_text),
            _ => Ok(()),
        }
    }
}

/// Writes the page of the run in `folder` from its journal.
pub fn write_page(folder: &RunFolder, plan: &Plan, plan_text: &str) -> io::Result<()> {
    let mut collector = PageCollector::new(plan);
    let journal = File::open(folder.journal())?;
    let replayed = replay(journal, plan, &sha256_of(plan_text.as_bytes()), 0, |event, _| {
        if let RunEvent::Counted(pair) = event {
            collector.count(plan, pair);
        }
    })
    .map_err(io::Error::other)?;
    let view = RunView { plan, state: &replayed.state, seconds: replayed.time.seconds() };
    let page = collector.page(&view, plan_text, &Moment::now().stamp());
    write_whole(&folder.page(), page.as_bytes())
}
