//! Writes the page of a run when the run ends.

use std::io;

use crate::report::page::RunPage;
use crate::run::{Observer, Output, Plan, RunEvent, RunView};
use crate::store::RunFolder;

/// Size of a journal that is read within about a second. A run that is stopped with a longer one ends without a page;
/// `playself report` writes it, and so does the final end of the run.
const QUICK: u64 = 32 << 20;

/// Writes `report.html` at the end from the journal, so that the page costs nothing while games are played.
pub struct PageObserver {
    folder: RunFolder,
    plan_text: String,
}

impl PageObserver {
    /// Returns the observer for the run in `folder`.
    pub fn new(folder: &RunFolder, plan_text: &str) -> Self {
        Self { folder: folder.clone(), plan_text: plan_text.to_owned() }
    }

    /// Returns whether the page of an interrupted run can be written without a noticeable delay.
    fn is_quick(&self) -> io::Result<bool> {
        Ok(std::fs::metadata(self.folder.journal())?.len() < QUICK)
    }
}

impl Observer for PageObserver {
    fn output(&self) -> Output {
        Output::Files
    }

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
    RunPage::read_whole(folder.clone(), plan.clone(), plan_text)?.write(Vec::new())
}
