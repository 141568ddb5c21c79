//! A run that is read from its folder, together with its page.

use std::io;

use crate::report::Summary;
use crate::report::files::write_summary;
use crate::report::page::head::page_context;
use crate::report::page::html::{PageContext, Section, whole_page};
use crate::report::page::{ChartDetail, PageBuilder, PageSetting};
use crate::run::{Advance, Plan, RunReader, shown_plan};
use crate::store::{RunFolder, UtcDate, write_whole};

/// A reader of a run, and the page builder that it feeds.
pub struct RunPage {
    reader: RunReader,
    builder: PageBuilder,
}

impl RunPage {
    /// Returns the page of the run in `folder` with nothing read yet.
    pub fn new(folder: RunFolder, plan: Plan, plan_text: &str) -> Self {
        Self { builder: PageBuilder::new(&plan), reader: RunReader::new(folder, plan, plan_text) }
    }

    /// Reads the run in `folder` to the end of its journal.
    ///
    /// Fails if the journal is damaged or belongs to another plan.
    pub fn read_whole(folder: RunFolder, plan: Plan, plan_text: &str) -> io::Result<Self> {
        let mut builder = PageBuilder::new(&plan);
        let reader = RunReader::read_whole(folder, plan, plan_text, |pair, view| builder.count(view, pair))?;
        Ok(Self { reader, builder })
    }

    /// Reads the next step of the journal into the page.
    pub fn advance(&mut self) -> io::Result<Advance> {
        let builder = &mut self.builder;
        let advance = self.reader.advance(|pair, view| builder.count(view, pair))?;
        if advance == Advance::Restarted {
            self.builder = PageBuilder::new(self.reader.view().plan);
        }
        Ok(advance)
    }

    /// Returns the reader.
    pub fn reader(&self) -> &RunReader {
        &self.reader
    }

    /// Returns the page builder.
    pub fn builder(&self) -> &PageBuilder {
        &self.builder
    }

    /// Returns the content of the page that does not come from the journal.
    pub fn setting(&self) -> PageSetting {
        PageSetting {
            plan_text: shown_plan(self.reader.plan_text()),
            folder: self.reader.folder().clone(),
            test_link: "accept/report.html".to_owned(),
            written: date_and_time(&UtcDate::now().stamp()),
            requested: Vec::new(),
        }
    }

    /// Returns the summary of a run that was published without its records, or `None` of any other.
    pub fn published(&self) -> Option<Summary> {
        let folder = self.reader.folder();
        folder.is_published().then(|| Summary::read(folder).ok()).flatten()
    }

    /// Returns the text of the page outside its sections.
    pub fn context(&self, setting: &PageSetting) -> PageContext {
        let view = self.reader.view();
        let Some(summary) = self.published() else { return self.builder.context(&view, setting) };
        let gap = "The journal of this run is not in its folder: only the summary can be shown, without charts and games.";
        PageContext { gap: Some(gap.to_owned()), ..page_context(view.plan, &summary, &[], setting) }
    }

    /// Returns the sections of the page; none without a journal.
    pub fn sections(&self, setting: &PageSetting, detail: ChartDetail) -> Vec<Section> {
        match self.published() {
            Some(_) => Vec::new(),
            None => self.builder.sections(&self.reader.view(), setting, detail),
        }
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        self.html_with(&self.setting())
    }

    fn html_with(&self, setting: &PageSetting) -> String {
        let sections = self.sections(setting, ChartDetail::Full);
        whole_page(&self.context(setting), &sections, &self.builder.shelf(&setting.requested))
    }

    /// Returns the summary with the outcome of a tuning run.
    pub fn summary(&self) -> Summary {
        self.published().unwrap_or_else(|| Summary::whole(&self.reader.view(), self.reader.folder()))
    }

    /// Writes `summary.json`, which includes the acceptance test of a tuning run.
    pub fn write_summary(&self) -> io::Result<()> {
        write_summary(self.reader.folder(), &self.summary())
    }

    /// Writes the page to `report.html`, with `games` first in its viewer.
    ///
    /// The games are those of [`shelved_game`](crate::report::page::shelved_game).
    pub fn write(&self, games: Vec<String>) -> io::Result<()> {
        let setting = PageSetting { requested: games, ..self.setting() };
        let page = self.html_with(&setting);
        write_whole(&self.reader.folder().page(), page.as_bytes())
    }
}

/// Converts `20260131-235959` to `2026-01-31 23:59:59`.
fn date_and_time(stamp: &str) -> String {
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    format!("{}-{}-{} {}:{}:{}", part(0, 4), part(4, 6), part(6, 8), part(9, 11), part(11, 13), part(13, 15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_written_as_date_and_time() {
        assert_eq!(date_and_time("20260131-235959"), "2026-01-31 23:59:59");
    }
}
