//! The run's page, written when the run ends.

use std::io;

use crate::experiment::{Moment, Observer, Plan, RunEvent, RunView};

use super::page::PageCollector;
use super::run_folder::{RunFolder, write_whole};

/// Gathers counted pairs and writes `report.html` at the end.
pub struct PageObserver {
    folder: RunFolder,
    plan_text: String,
    collector: PageCollector,
}

impl PageObserver {
    /// For the run in `folder`.
    pub fn new(folder: &RunFolder, plan: &Plan, plan_text: &str) -> Self {
        Self { folder: folder.clone(), plan_text: plan_text.to_owned(), collector: PageCollector::new(plan) }
    }
}

impl Observer for PageObserver {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Counted(pair) => {
                self.collector.count(view.plan, pair);
                Ok(())
            }
            RunEvent::Finished(_) => {
                let page = self.collector.page(view, &self.plan_text, &Moment::now().stamp());
                write_whole(&self.folder.page(), page.as_bytes())
            }
            _ => Ok(()),
        }
    }
}
