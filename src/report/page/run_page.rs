//! A run that is read from its folder, together with its page.

use std::fs;
use std::io;

use crate::report::Summary;
use crate::report::page::{Acceptance, PageBuilder, PageSetting};
use crate::run::{Advance, Plan, RunReader};
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
            plan_text: self.reader.plan_text().to_owned(),
            acceptance: acceptance_of(self.reader.folder()),
            written: date_and_time(&UtcDate::now().stamp()),
            requested: Vec::new(),
        }
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        self.builder.page(&self.reader.view(), &self.setting())
    }

    /// Writes the page to `report.html`, with `games` first in its viewer.
    ///
    /// The games are those of [`shelved_game`](crate::report::page::shelved_game).
    pub fn write(&self, games: Vec<String>) -> io::Result<()> {
        let setting = PageSetting { requested: games, ..self.setting() };
        let page = self.builder.page(&self.reader.view(), &setting);
        write_whole(&self.reader.folder().page(), page.as_bytes())
    }
}

/// Converts `20260131-235959` to `2026-01-31 23:59:59`.
fn date_and_time(stamp: &str) -> String {
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    format!("{}-{}-{} {}:{}:{}", part(0, 4), part(4, 6), part(6, 8), part(9, 11), part(11, 13), part(13, 15))
}

/// Returns the current result of the acceptance test of a tuning run, if one was started.
fn acceptance_of(folder: &RunFolder) -> Option<Acceptance> {
    let test = RunFolder::open(&folder.acceptance()).ok()?;
    let text = fs::read_to_string(test.summary()).ok()?;
    let summary: Summary = serde_json::from_str(&text).ok()?;
    Some(Acceptance { sentence: summary.sentence(), link: "accept/report.html".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_written_as_date_and_time() {
        assert_eq!(date_and_time("20260131-235959"), "2026-01-31 23:59:59");
    }
}
