//! The run's page, written when the run ends.

use std::fs::File;
use std::io;

use crate::experiment::{Known, Moment, Observer, Plan, RunEvent, RunView, replay, sha256_of};

use super::page::PageCollector;
use super::run_folder::{RunFolder, write_whole};

/// Journals up to this many bytes are read within a second or so. Whoever stops a longer run does not wait for its page:
/// `playself report` writes it, and so does the run's own end.
const QUICK: u64 = 32 << 20;

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

impl PageObserver {
    /// Whether a run that stops in the middle can have its page without making anybody wait.
    fn is_quick(&self) -> io::Result<bool> {
        Ok(std::fs::metadata(self.folder.journal())?.len() < QUICK)
    }
}

impl Observer for PageObserver {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Finished(outcome) if outcome.is_final() || self.is_quick()? => {
                write_page(&self.folder, view.plan, &self.plan_text)
            }
            _ => Ok(()),
        }
    }
}

/// Writes the page of the run in `folder` from its journal.
pub fn write_page(folder: &RunFolder, plan: &Plan, plan_text: &str) -> io::Result<()> {
    let mut collector = PageCollector::new(plan);
    let journal = File::open(folder.journal())?;
    let replayed = replay(journal, plan, &sha256_of(plan_text.as_bytes()), Known::default(), |event, _| {
        if let RunEvent::Counted(pair) = event {
            collector.count(plan, pair);
        }
    })
    .map_err(io::Error::other)?;
    let view = RunView { plan, state: &replayed.state, seconds: replayed.time.seconds() };
    let page = collector.page(&view, plan_text, &Moment::now().stamp());
    write_whole(&folder.page(), page.as_bytes())
}
