//! Gathers a run's counted pairs for its page, live or from the journal.

use crate::experiment::{CountedPair, Plan, RunView};
use crate::game::GameOfPair;
use crate::player::EngineIndex;
use crate::report::Summary;
use crate::report::chart::{grouped, signed};
use crate::report::page::{GameShelf, MatchPicture, PageContext, VerdictWord, match_page, verdict_sentence};

/// What a page needs of every counted pair; feed it all of them, in order, and ask for the page.
#[derive(Clone, Debug)]
pub struct PageCollector {
    picture: MatchPicture,
    shelf: GameShelf,
}

impl PageCollector {
    /// For a run of this plan.
    pub fn new(plan: &Plan) -> Self {
        let engines = plan.engines.iter().map(|engine| engine.spec.name.clone()).collect();
        Self { picture: MatchPicture::new(engines), shelf: GameShelf::default() }
    }

    /// Takes in one pair. Games that cannot be read are left out: `playself verify` is the place to tell of them.
    pub fn count(&mut self, plan: &Plan, pair: &CountedPair) {
        let unpacked =
            pair.games.each_ref().map(|entry| entry.unpack(plan.limits_of(entry.white, entry.black)));
        let [Ok(first), Ok(second)] = unpacked else { return };
        let involves_candidate = first.side_of(EngineIndex::CANDIDATE).is_some();
        if involves_candidate {
            self.picture.count(pair.pair, [&first, &second], pair.score, pair.llr);
        }
        let engines = self.picture.engines().to_vec();
        for (game, record) in GameOfPair::BOTH.into_iter().zip([&first, &second]) {
            self.shelf.offer(pair.pair, game, record, &engines);
        }
    }

    /// The charts' data as gathered so far.
    pub fn picture(&self) -> &MatchPicture {
        &self.picture
    }

    /// The page of the run as it stands. `plan_text` is `plan.toml`, `written` the moment in UTC.
    pub fn page(&self, view: &RunView<'_>, plan_text: &str, written: &str) -> String {
        let summary = Summary::of(view);
        let context = PageContext {
            name: view.plan.name.clone(),
            sentence: verdict_sentence(
                summary.elo.zip(summary.elo_error),
                summary.pairs,
                VerdictWord::from_summary(summary.verdict),
            ),
            figures: figures(&summary),
            bounds: view.plan.sprt.map(|sprt| sprt.bounds()),
            plan: plan_text.to_owned(),
            repeat: "playself match plan.toml".to_owned(),
            written: written.to_owned(),
        };
        match_page(&context, &self.picture, &self.shelf)
    }
}

fn figures(summary: &Summary) -> Vec<(String, String)> {
    let with_error = |value: Option<f64>, error: Option<f64>| match (value, error) {
        (Some(value), Some(error)) => format!("{} ± {error:.1}", signed(value, 1)),
        _ => "–".to_owned(),
    };
    let percent =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0));
    let mut figures = vec![
        ("Elo", with_error(summary.elo, summary.elo_error)),
        ("Normalized Elo", with_error(summary.nelo, summary.nelo_error)),
        ("Superiority (LOS)", percent(summary.los)),
        ("Games", grouped(summary.games)),
        ("Won – drawn – lost", format!("{} – {} – {}", summary.wins, summary.draws, summary.losses)),
        ("Even pairs", percent(summary.draw_ratio)),
        ("Faults", grouped(summary.faults)),
        ("Playing time", duration(summary.seconds)),
    ];
    if let (Some(llr), Some(lower), Some(upper)) = (summary.llr, summary.llr_lower, summary.llr_upper) {
        figures.push(("LLR", format!("{} ({} to {})", signed(llr, 2), signed(lower, 2), signed(upper, 2))));
    }
    figures.into_iter().map(|(label, value)| (label.to_owned(), value)).collect()
}

/// Hours, minutes and seconds.
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}
