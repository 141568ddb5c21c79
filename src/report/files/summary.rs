//! A run's result in numbers: `summary.json`.

use crate::game::EngineIndex;
use serde::Serialize;

use crate::run::{MatchScore, RunView};

use crate::stats::{Estimate, Hypothesis, Pentanomial};

/// The result of a run from the candidate's side. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    pub verdict: &'static str,
    pub faults: u64,
    pub seconds: f64,
    pub voids: u64,
    pub after_stop: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<TableRow>,
}

/// An engine's line in a tournament of more than two.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The summary of a run as it stands.
    pub fn of(view: &RunView<'_>) -> Self {
        let RunView { plan, state, seconds } = *view;
        let standings = state.standings();
        let score =
            if plan.engines.len() == 2 { *standings.main() } else { standings.of(EngineIndex::CANDIDATE) };
        let estimate = Estimate::of(&score.pentanomial);
        let bounds = plan.sprt.map(|sprt| sprt.bounds());
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
            verdict: match (plan.sprt, state.decision()) {
                (None, _) => "none",
                (Some(_), None) => "undecided",
                (Some(_), Some(decision)) => match decision.accepted {
                    Hypothesis::Null => "H0",
                    Hypothesis::Alternative => "H1",
                },
            },
            faults: standings.faults(),
            seconds,
            voids: state.voids(),
            after_stop: state.after_stop(),
            table: if plan.engines.len() > 2 { table(view) } else { Vec::new() },
        }
    }
}

/// All engines, the strongest first.
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
