//! Accumulates the counted pairs of a run and builds its page.

use crate::game::{EngineIndex, GameOfPair, PairId};
use crate::report::number_text::{duration, estimate_text, grouped, signed};
use crate::report::page::charts::{self, ChartDetail};
use crate::report::page::html::{PageContext, Section, whole_page};
use crate::report::page::match_sections::{
    fault_section, game_section, result_section, table_section, test_section, time_section,
};
use crate::report::page::tuning_boards::{boards, safe_id};
use crate::report::page::tuning_data::TuningData;
use crate::report::page::tuning_sections::{
    Acceptance, gain_chart, gain_section, path_chart, path_section, tuning_sentence, weights_section,
};
use crate::report::page::{GameShelf, MatchData};
use crate::report::{Summary, Verdict};
use crate::run::{CountedPair, Plan, RunOutcome, RunView};
use crate::tuning::{ParameterEffect, Tuner, TuningReport};

/// The content of a page that comes from counted pairs, which have to be passed in order.
#[derive(Clone, Debug)]
pub struct PageBuilder {
    match_data: MatchData,
    tuning: Option<TuningData>,
    shelf: GameShelf,
}

/// The content of a page that does not come from the journal.
#[derive(Clone, Debug, Default)]
pub struct PageSetting {
    /// Text of `plan.toml`.
    pub plan_text: String,
    /// The acceptance test of a tuning run, once it has a result.
    pub acceptance: Option<Acceptance>,
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
        let unpacked =
            pair.games.each_ref().map(|entry| entry.unpack(view.plan.limits_of(entry.white, entry.black)));
        let [Ok(first), Ok(second)] = unpacked else { return };
        let id = PairId { index: pair.pair, attempt: pair.games[0].attempt };
        if first.side_of(EngineIndex::CANDIDATE).is_some() {
            self.match_data.count(id, [&first, &second], pair.score, pair.llr);
        }
        for (game, record) in GameOfPair::BOTH.into_iter().zip([&first, &second]) {
            self.shelf.offer(pair.pair, game, record, self.match_data.engines());
        }
    }

    /// Returns the data of the charts.
    pub fn match_data(&self) -> &MatchData {
        &self.match_data
    }

    /// Returns the text of the page outside its sections.
    pub fn context(&self, view: &RunView<'_>, setting: &PageSetting) -> PageContext {
        let summary = Summary::of(view);
        let report = view.state.tuner().map(Tuner::final_report);
        let (sentence, figures) = match &report {
            Some(report) => (tuning_sentence(report), tuning_figures(report, &summary)),
            None => {
                let mut sentence = summary.sentence();
                // A test that has not reached its limit may still decide.
                if summary.verdict == Verdict::Undecided
                    && view.state.outcome() != Some(RunOutcome::Undecided)
                {
                    sentence.push_str(" so far");
                }
                (sentence, match_figures(&summary))
            }
        };
        let command = match (view.plan.tuner(), &view.plan.sprt()) {
            (Some(_), _) => "tune",
            (None, Some(_)) => "sprt",
            (None, None) => "match",
        };
        PageContext {
            name: view.plan.name.clone(),
            sentence,
            engines: match view.plan.tuner() {
                // Both sides are the engine that is tuned.
                Some(_) => vec![view.plan.engines[0].named.clone()],
                None => self.match_data.engines().to_vec(),
            },
            figures,
            plan: setting.plan_text.clone(),
            repeat: format!("playself {command} plan.toml"),
            written: setting.written.clone(),
        }
    }

    /// Returns the sections between head and viewer.
    pub fn sections(&self, view: &RunView<'_>, setting: &PageSetting, detail: ChartDetail) -> Vec<Section> {
        let mut sections = Vec::new();
        match (&self.tuning, view.state.tuner()) {
            (Some(tuning), Some(tuner)) => {
                let report = tuner.final_report();
                let path = tuning.path_to(&report);
                sections.push(gain_section(&report, &path, setting.acceptance.as_ref()));
                sections.push(weights_section(&report, &path));
                sections.push(path_section(&report, &path));
            }
            _ => {
                let rows = Summary::of(view).table;
                if !rows.is_empty() {
                    sections.push(table_section(&rows));
                }
                let bounds = view.plan.sprt().map(|sprt| sprt.bounds());
                sections.push(test_section(&self.match_data, bounds, detail));
                sections.push(result_section(&self.match_data));
            }
        }
        sections.extend([
            game_section(&self.match_data),
            time_section(&self.match_data),
            fault_section(&self.match_data),
        ]);
        sections
    }

    /// Returns the page of the pairs counted so far.
    pub fn page(&self, view: &RunView<'_>, setting: &PageSetting) -> String {
        let sections = self.sections(view, setting, ChartDetail::Full);
        whole_page(&self.context(view, setting), &sections, &self.shelf.with(&setting.requested))
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
            let bounds = view.plan.sprt().map(|sprt| sprt.bounds());
            let llr =
                bounds.and_then(|bounds| charts::llr_chart(&self.match_data, bounds, ChartDetail::Full));
            plots.extend(llr.map(|svg| ("llr".to_owned(), svg)));
            plots.extend(
                charts::elo_chart(&self.match_data, ChartDetail::Full).map(|svg| ("elo".to_owned(), svg)),
            );
            plots.push(("pentanomial".to_owned(), charts::pentanomial_chart(&self.match_data)));
            plots.push(("colours".to_owned(), charts::colour_chart(&self.match_data)));
        }
        plots.push(("lengths".to_owned(), charts::length_chart(&self.match_data)));
        plots
    }
}

fn match_figures(summary: &Summary) -> Vec<(String, String)> {
    let percent =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0));
    let mut figures = vec![
        ("Elo", summary.elo_text()),
        ("Normalized Elo", estimate_text(summary.nelo, summary.nelo_error)),
        ("Likelihood of superiority", percent(summary.los)),
        ("Games", grouped(summary.games)),
        (
            "Won – drawn – lost",
            format!("{} – {} – {}", grouped(summary.wins), grouped(summary.draws), grouped(summary.losses)),
        ),
        ("Even pairs", percent(summary.draw_ratio)),
        ("Faults", grouped(summary.faults)),
        ("Playing time", duration(summary.seconds)),
    ];
    if let (Some(llr), Some(lower), Some(upper)) = (summary.llr, summary.llr_lower, summary.llr_upper) {
        figures.push(("LLR", format!("{} ({} to {})", signed(llr, 2), signed(lower, 2), signed(upper, 2))));
    }
    figures.into_iter().map(|(label, value)| (label.to_owned(), value)).collect()
}

fn tuning_figures(report: &TuningReport, summary: &Summary) -> Vec<(String, String)> {
    let dead = report.parameters.iter().filter(|weight| weight.effect == ParameterEffect::NotSeen).count();
    let gain = report
        .gain
        .map_or_else(|| "–".to_owned(), |gain| format!("{} ± {:.1}", signed(gain.elo.0, 1), gain.error.0));
    let left = report.remaining_loss.map_or_else(|| "–".to_owned(), |left| format!("{:.1}", left.0));
    let figures = [
        ("Estimated gain, Elo", gain),
        ("Remaining gain, Elo", left),
        ("Weights", report.parameters.len().to_string()),
        ("Weights without effect", dead.to_string()),
        ("Pairs", grouped(summary.pairs)),
        ("Games", grouped(summary.games)),
        ("Faults", grouped(summary.faults)),
        ("Playing time", duration(summary.seconds)),
    ];
    figures.into_iter().map(|(label, value)| (label.to_owned(), value)).collect()
}
