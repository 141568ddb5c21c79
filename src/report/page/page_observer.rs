//! The run's page, written when the run ends.

use std::fs;
use std::io;

use crate::run::{Observer, Plan, RunEvent, RunView, Trace};
use crate::store::UtcDate;

use crate::report::Summary;
use crate::report::follower::RunFollower;
use crate::report::page::{Acceptance, PageSetting};
use crate::store::{RunFolder, write_whole};

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
    fn leaves(&self) -> Trace {
        Trace::Files
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
    write_page_of(&RunFollower::read_whole(folder.clone(), plan.clone(), plan_text)?)
}

/// Writes the page of a run that has been read already.
pub fn write_page_of(follower: &RunFollower) -> io::Result<()> {
    write_whole(&follower.folder().page(), page_of(follower).as_bytes())
}

/// The same with these games in front of its viewer, as [`shelved_game`](crate::report::page::shelved_game) tells them.
pub fn write_page_with(follower: &RunFollower, games: Vec<String>) -> io::Result<()> {
    let setting = PageSetting { asked: games, ..setting_of(follower) };
    let page = follower.collector().page(&follower.view(), &setting);
    write_whole(&follower.folder().page(), page.as_bytes())
}

/// The page of a run that has been read already.
pub fn page_of(follower: &RunFollower) -> String {
    follower.collector().page(&follower.view(), &setting_of(follower))
}

/// What the run's page says beyond its journal.
pub fn setting_of(follower: &RunFollower) -> PageSetting {
    PageSetting {
        plan_text: follower.plan_text().to_owned(),
        acceptance: acceptance_of(follower.folder()),
        written: written(&UtcDate::now().stamp()),
        asked: Vec::new(),
    }
}

/// `20260131-235959` as people write it.
fn written(stamp: &str) -> String {
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    format!("{}-{}-{} {}:{}:{}", part(0, 4), part(4, 6), part(6, 8), part(9, 11), part(11, 13), part(13, 15))
}

/// The test of a tuning run's weights, as far as it has been played.
fn acceptance_of(folder: &RunFolder) -> Option<Acceptance> {
    let test = RunFolder::open(&folder.acceptance()).ok()?;
    let text = fs::read_to_string(test.summary()).ok()?;
    let summary: Summary = serde_json::from_str(&text).ok()?;
    Some(Acceptance { sentence: summary.sentence(), link: "accept/report.html".to_owned() })
}
