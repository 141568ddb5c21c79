//! The result of a run in numbers: `summary.json`.

use serde::{Deserialize, Serialize};

use crate::game::EngineIndex;
use crate::report::number_text::estimate_text;
use crate::report::verdict::{Verdict, verdict_sentence};
use crate::run::{MatchScore, RunView};
use crate::stats::{Estimate, Pentanomial};

/// The result of a run from the candidate's side. Its keys are a contract; a `summary.json` may have more or, where a
/// default is given, fewer of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole")]
pub struct Summary {
    pub name: String,
    pub candidate: String,
    pub baseline: String,
    pub pairs: u64,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub pentanomial: Pentanomial,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    pub nelo: Option<f64>,
    pub nelo_error: Option<f64>,
    pub los: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub llr: Option<f64>,
    pub llr_lower: Option<f64>,
    pub llr_upper: Option<f64>,
    pub verdict: Verdict,
    #[serde(default)]
    pub faults: u64,
    #[serde(default)]
    pub seconds: f64,
    #[serde(default)]
    pub voids: u64,
    #[serde(default)]
    pub after_stop: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<TableRow>,
}

/// The row of an engine in a tournament of more than two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are those of the summary")]
pub struct TableRow {
    pub name: String,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub pentanomial: Pentanomial,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    pub faults: u64,
}

impl Summary {
    /// Returns the summary of the pairs counted so far.
    pub fn of(view: &RunView<'_>) -> Self {
        let RunView { plan, state, seconds } = *view;
        let standings = state.standings();
        let score =
            if plan.engines.len() == 2 { *standings.main() } else { standings.of(EngineIndex::CANDIDATE) };
        let estimate = Estimate::of(&score.pentanomial);
        let bounds = plan.sprt().map(|sprt| sprt.bounds());
        let baseline: Vec<&str> = plan.engines[1..].iter().map(|engine| engine.spec.name.as_str()).collect();
        Self {
            name: plan.name.clone(),
            candidate: plan.name_of(EngineIndex::CANDIDATE).to_owned(),
            baseline: baseline.join(", "),
            pairs: score.pentanomial.pairs(),
            games: score.games.games(),
            wins: score.games.wins,
            draws: score.games.draws,
            losses: score.games.losses,
            pentanomial: score.pentanomial,
            elo: estimate.and_then(|estimate| finite(estimate.elo.0)),
            elo_error: estimate.and_then(|estimate| finite(estimate.elo_error.0)),
            nelo: estimate.and_then(|estimate| finite(estimate.nelo.0)),
            nelo_error: estimate.and_then(|estimate| finite(estimate.nelo_error.0)),
            los: estimate.and_then(|estimate| finite(estimate.los)),
            draw_ratio: estimate.and_then(|estimate| finite(estimate.draw_ratio)),
            llr: state.llr().and_then(finite),
            llr_lower: bounds.map(|bounds| bounds.lower),
            llr_upper: bounds.map(|bounds| bounds.upper),
            verdict: match (plan.sprt(), state.decision()) {
                (None, _) => Verdict::NoTest,
                (Some(_), decision) => Verdict::of_test(decision.map(|decision| decision.accepted)),
            },
            faults: standings.faults(),
            seconds,
            voids: state.voids(),
            after_stop: state.after_stop(),
            table: if plan.engines.len() > 2 { table(view) } else { Vec::new() },
        }
    }

    /// Removes the strengths: the two sides of a tuning run are the same engine with trial values.
    pub fn without_strength(self) -> Self {
        Self { elo: None, elo_error: None, nelo: None, nelo_error: None, los: None, ..self }
    }

    /// Returns the result in one sentence: `+4.1 ± 2.9 Elo after 8,412 pairs: accepted`.
    pub fn sentence(&self) -> String {
        verdict_sentence(self.elo.zip(self.elo_error), self.pairs, self.verdict)
    }

    /// Returns the Elo difference with its error.
    pub(in crate::report) fn elo_text(&self) -> String {
        estimate_text(self.elo, self.elo_error)
    }
}

impl TableRow {
    /// Returns the Elo difference with its error.
    pub(in crate::report) fn elo_text(&self) -> String {
        estimate_text(self.elo, self.elo_error)
    }
}

/// Returns the row of every engine, the strongest first.
pub fn table(view: &RunView<'_>) -> Vec<TableRow> {
    let standings = view.state.standings();
    let row = |index: u16| {
        let engine = EngineIndex(index);
        let MatchScore { pentanomial, games } = standings.of(engine);
        let estimate = Estimate::of(&pentanomial);
        TableRow {
            name: view.plan.name_of(engine).to_owned(),
            games: games.games(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            pentanomial,
            elo: estimate.and_then(|estimate| finite(estimate.elo.0)),
            elo_error: estimate.and_then(|estimate| finite(estimate.elo_error.0)),
            faults: standings.faults_of(engine).total(),
        }
    };
    let mut rows: Vec<TableRow> = (0..view.plan.engines.len()).map(|index| row(index as u16)).collect();
    rows.sort_by(|one, other| other.elo.partial_cmp(&one.elo).unwrap_or(std::cmp::Ordering::Equal));
    rows
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_without_the_keys_that_came_later_can_be_read() {
        let old = r#"{"name":"n","candidate":"a","baseline":"b","pairs":1,"games":2,"wins":1,"draws":1,"losses":0,
            "pentanomial":[0,0,0,1,0],"elo":1.5,"elo_error":null,"nelo":null,"nelo_error":null,"los":0.5,
            "llr":null,"llr_lower":null,"llr_upper":null,"verdict":"none","unknown":7}"#;
        let summary: Summary = serde_json::from_str(old).unwrap();
        assert_eq!((summary.elo, summary.verdict, summary.faults), (Some(1.5), Verdict::NoTest, 0));
        assert_eq!(summary.without_strength().elo, None);
    }
}
