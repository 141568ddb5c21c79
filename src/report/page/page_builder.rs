//! Accumulates the counted pairs of a run and builds its page.

use crate::game::{GameOfPair, PairId};
use crate::journal::GameEntry;
use crate::report::number_text::grouped;
use crate::report::page::charts::{self, ChartDetail};
use crate::report::page::head::page_context;
use crate::report::page::html::{PageContext, Section};
use crate::report::page::match_sections::{
    fault_section, game_section, result_section, test_section, time_section,
};
use crate::report::page::tournament_sections::{rating_chart, standings_section};
use crate::report::page::tuning_boards::{boards, safe_id};
use crate::report::page::tuning_data::TuningData;
use crate::report::page::tuning_sections::{
    gain_chart, gain_section, path_chart, path_section, weights_section,
};
use crate::report::page::{GameShelf, MatchData};
use crate::report::{Summary, TuningSummary, Verdict};
use crate::run::{CountedPair, Plan, RunOutcome, RunView};
use crate::store::RunFolder;

/// The content of a page that comes from counted pairs, which have to be passed in order.
#[derive(Clone, Debug)]
pub struct PageBuilder {
    match_data: MatchData,
    tuning: Option<TuningData>,
    shelf: GameShelf,
}

/// The content of a page that does not come from the journal.
#[derive(Clone, Debug)]
pub struct PageSetting {
    /// Text of `plan.toml`.
    pub plan_text: String,
    /// Folder of the run, with the acceptance test of a tuning run.
    pub folder: RunFolder,
    /// URL of the page of the acceptance test, relative to this page.
    pub test_link: String,
    /// Time of writing in UTC.
    pub written: String,
    /// Games that come first in the viewer, in its format.
    pub requested: Vec<String>,
}

impl PageBuilder {
    /// Returns a builder without pairs for a run of this plan.
    pub fn new(plan: &Plan) -> Self {
        let engines = plan.engines.iter().map(|engine| engine.spec.name.clone()).collect();
        Self {
            match_data: MatchData::new(engines),
            tuning: plan.tuner().map(TuningData::new),
            shelf: GameShelf::default(),
        }
    }

    /// Counts a pair. Games that cannot be read are skipped; `playself verify` reports them.
    pub fn count(&mut self, view: &RunView<'_>, pair: &CountedPair) {
        if let (Some(tuning), Some(tuner)) = (&mut self.tuning, view.state.tuner()) {
            tuning.count(tuner);
        }
        let unpack = |entry: &GameEntry| entry.unpack(view.plan.limits_of(entry.white, entry.black));
        let Ok(games) = pair.games.iter().map(unpack).collect::<Result<Vec<_>, _>>() else {
            return;
        };
        let id = PairId::both(pair.pair, pair.games[0].attempt);
        // The charts are about pairs; a run of single games has none.
        if let ([first, second], Some(score)) = (&games[..], pair.score) {
            self.match_data.count(id, [first, second], score, pair.llr);
        }
        for (game, record) in GameOfPair::BOTH.into_iter().zip(&games) {
            let limits = view.plan.limits_of(record.white, record.black);
            self.shelf.offer(pair.pair, game, record, self.match_data.engines(), limits);
        }
    }

    /// Returns the data of the charts.
    pub fn match_data(&self) -> &MatchData {
        &self.match_data
    }

    /// Returns the text of the page outside its sections.
    pub fn context(&self, view: &RunView<'_>, setting: &PageSetting) -> PageContext {
        let summary = Summary::whole(view, &setting.folder);
        let mut context = page_context(view.plan, &summary, view.state.hosts(), setting);
        // A test that has not reached its limit may still decide.
        if summary.tuning.is_none()
            && summary.verdict == Verdict::Undecided
            && view.state.outcome() != Some(RunOutcome::Undecided)
        {
            context.sentence.push_str(" so far");
        }
        context.unfinished = unfinished(view);
        context
    }

    /// Returns the sections between head and viewer.
    pub fn sections(&self, view: &RunView<'_>, setting: &PageSetting, detail: ChartDetail) -> Vec<Section> {
        let mut sections = Vec::new();
        match (&self.tuning, view.state.tuner()) {
            (Some(tuning), Some(tuner)) => {
                let report = tuner.final_report();
                let path = tuning.path_to(&report);
                let outcome = TuningSummary::of(view, &setting.folder);
                sections.push(gain_section(&report, &path, outcome.as_ref(), &setting.test_link));
                sections.push(weights_section(&report, &path));
                sections.push(path_section(&report, &path));
            }
            _ => {
                let rows = Summary::of(view).table;
                if rows.is_empty() {
                    let (sprt, note) = (view.plan.sprt(), limit_note(view));
                    sections.push(test_section(&self.match_data, sprt.as_ref(), note, detail));
                } else {
                    sections.push(standings_section(view, &rows));
                }
                sections.push(result_section(&self.match_data));
            }
        }
        sections.extend([
            game_section(&self.match_data),
            time_section(&self.match_data),
            fault_section(&self.match_data, Some(&setting.folder.faults())),
        ]);
        sections
    }

    /// Returns the games of the page, the requested ones first.
    pub fn shelf(&self, requested: &[String]) -> GameShelf {
        self.shelf.with(requested)
    }

    /// Returns every chart of the run with its file name without extension.
    pub fn plots(&self, view: &RunView<'_>) -> Vec<(String, String)> {
        let mut plots = Vec::new();
        if let (Some(tuning), Some(tuner)) = (&self.tuning, view.state.tuner()) {
            let report = tuner.final_report();
            let path = tuning.path_to(&report);
            plots.extend(gain_chart(&report, &path).map(|svg| ("gain".to_owned(), svg)));
            for board in boards(&report) {
                plots.push((format!("board-{}-{}", safe_id(&board.table), board.when), board.map.svg()));
            }
            for (place, weight) in report.parameters.iter().enumerate() {
                plots.push((
                    format!("weight-{}", safe_id(&weight.name)),
                    path_chart(weight, &path, place).svg(),
                ));
            }
        } else {
            let sprt = view.plan.sprt();
            let llr = sprt.and_then(|sprt| charts::llr_chart(&self.match_data, &sprt, ChartDetail::Full));
            plots.extend(llr.map(|svg| ("llr".to_owned(), svg)));
            let elo = charts::elo_chart(&self.match_data, view.plan.sprt().as_ref(), ChartDetail::Full);
            plots.extend(elo.filter(|_| !self.match_data.is_tournament()).map(|svg| ("elo".to_owned(), svg)));
            if self.match_data.is_tournament() {
                plots.push(("ratings".to_owned(), rating_chart(&Summary::of(view).table)));
            } else {
                plots.push(("pentanomial".to_owned(), charts::pentanomial_chart(&self.match_data)));
            }
            plots.push(("colours".to_owned(), charts::colour_chart(&self.match_data)));
        }
        plots.push(("lengths".to_owned(), charts::length_chart(&self.match_data)));
        plots
    }
}

/// Returns the note that the run has not ended, and why.
fn unfinished(view: &RunView<'_>) -> Option<String> {
    let counted = grouped(view.state.counted());
    let of = view.plan.last_pair().map(|last| format!(" of {}", grouped(last))).unwrap_or_default();
    match view.state.outcome() {
        Some(outcome) if outcome.is_final() => None,
        Some(RunOutcome::Faulty(why)) => Some(format!(
            "A fault stopped the run after {counted}{of} pairs: {why}. playself resume continues it."
        )),
        _ => Some(format!(
            "The run is not finished: {counted}{of} pairs are counted. playself resume continues it."
        )),
    }
}

/// Returns the note that a test has accepted H1 without reaching a bound.
fn limit_note(view: &RunView<'_>) -> Option<String> {
    view.state.decided_at_limit().then(|| {
        "No bound was reached. At its limit of pairs a test spends what is left of its α, and accepts H1 from a smaller \
         ratio on."
            .to_owned()
    })
}
