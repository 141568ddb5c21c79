//! The result of a run in numbers: `summary.json`.

use std::io;

use serde::{Deserialize, Serialize};

use crate::game::EngineIndex;
use crate::report::files::completion::Completion;
use crate::report::files::tuning_summary::TuningSummary;
use crate::report::files::workers_table::{WorkerRow, worker_rows};
use crate::report::number_text::{estimate_text, grouped, interval_text};
use crate::report::run_ratings::run_ratings;
use crate::report::verdict::{Verdict, verdict_sentence};
use crate::run::{MatchScore, RunOutcome, RunView};
use crate::stats::Pentanomial;
use crate::store::{RunFolder, read_own};

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
    #[serde(default)]
    pub elo_lower: Option<f64>,
    #[serde(default)]
    pub elo_upper: Option<f64>,
    pub nelo: Option<f64>,
    pub nelo_error: Option<f64>,
    pub los: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub llr: Option<f64>,
    pub llr_lower: Option<f64>,
    pub llr_upper: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypotheses: Option<[f64; 2]>,
    pub verdict: Verdict,
    #[serde(default)]
    pub faults: u64,
    #[serde(default)]
    pub seconds: f64,
    #[serde(default)]
    pub voids: u64,
    #[serde(default)]
    pub after_stop: u64,
    #[serde(default)]
    pub repeated_pairs: u64,
    #[serde(default)]
    pub starved_games: u64,
    #[serde(default)]
    pub completion: Option<Completion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<TableRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningSummary>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRow>,
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
    #[serde(default)]
    pub rating: Option<f64>,
    #[serde(default)]
    pub rating_error: Option<f64>,
    #[serde(default)]
    pub elo_lower: Option<f64>,
    #[serde(default)]
    pub elo_upper: Option<f64>,
    pub faults: u64,
}

/// Smallest share of games with a disturbance that is stated beside the result, as one in this many games.
pub(in crate::report) const NOTED_SHARE: u64 = 20;

impl Summary {
    /// Returns the summary of the pairs counted so far. The two sides of a tuning run are the same engine with trial values,
    /// so their score against each other is no strength, and the summary has none; [`Summary::whole`] adds its outcome.
    pub fn of(view: &RunView<'_>) -> Self {
        let RunView { plan, state, seconds } = *view;
        let standings = state.standings();
        let score =
            if plan.engines.len() == 2 { *standings.main() } else { standings.of(EngineIndex::CANDIDATE) };
        let strength = score.strength(plan.sprt()).filter(|_| !plan.is_tuning());
        let bounds = state.bounds();
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
            elo: strength.and_then(|strength| finite(strength.elo?.0)),
            elo_error: strength.and_then(|strength| finite(strength.error()?.0)),
            elo_lower: strength.and_then(|strength| finite(strength.lower?.0)),
            elo_upper: strength.and_then(|strength| finite(strength.upper?.0)),
            nelo: strength.and_then(|strength| finite(strength.nelo?.0.0)),
            nelo_error: strength.and_then(|strength| finite(strength.nelo?.1.0)),
            los: strength.and_then(|strength| finite(strength.los)),
            draw_ratio: score.draw_ratio().filter(|_| !plan.is_tuning()),
            llr: state.llr().and_then(finite),
            llr_lower: bounds.map(|bounds| bounds.lower),
            llr_upper: bounds.map(|bounds| bounds.upper),
            hypotheses: plan.sprt().map(|sprt| [sprt.hypotheses.null(), sprt.hypotheses.alternative()]),
            verdict: match (plan.sprt(), state.decision()) {
                (None, _) => Verdict::NoTest,
                (Some(_), decision) => Verdict::of_test(decision.map(|decision| decision.accepted)),
            },
            faults: standings.faults(),
            seconds,
            voids: state.voids(),
            after_stop: state.after_stop(),
            repeated_pairs: state.repeated_pairs(),
            starved_games: standings.starved_games(),
            completion: Some(Completion::of(view, state.outcome().as_ref())),
            table: if plan.engines.len() > 2 { table(view) } else { Vec::new() },
            tuning: None,
            workers: worker_rows(state.fleet()),
        }
    }

    /// Returns the summary with the outcome of a tuning run, whose acceptance test is in `folder`. Takes longer than
    /// [`Summary::of`], because the tuner estimates all its parameters.
    pub fn whole(view: &RunView<'_>, folder: &RunFolder) -> Self {
        let mut summary = Self { tuning: TuningSummary::of(view, folder), ..Self::of(view) };
        summary.take_test();
        summary
    }

    /// Returns the summary of a run that ended as `outcome` states, which the state does not know if the journal was read
    /// again.
    pub(super) fn ended(self, view: &RunView<'_>, outcome: &RunOutcome) -> Self {
        let mut summary = Self { completion: Some(Completion::of(view, Some(outcome))), ..self };
        summary.take_test();
        summary
    }

    /// The longest summary; that of a tournament of a hundred engines has a tenth of it.
    pub(super) const MAX_BYTES: u64 = 32 << 20;

    /// Reads the summary of the run in `folder`, with the present state of its acceptance test if it is a tuning run.
    pub fn read(folder: &RunFolder) -> io::Result<Self> {
        let summary: Self = serde_json::from_str(&read_own(&folder.summary(), Self::MAX_BYTES)?)?;
        let mut summary = summary.with_interval();
        if folder.is_tuning() {
            summary = summary.without_strength();
        }
        if let Some(tuning) = &mut summary.tuning {
            tuning.read_test(folder);
        }
        summary.take_test();
        Ok(summary)
    }

    /// The verdict about tuned values is that of their test, and the run is complete once the test is.
    fn take_test(&mut self) {
        let Some(tuning) = &self.tuning else { return };
        if let Some(test) = &tuning.test {
            self.verdict = test.verdict;
        }
        if let Some(completion) = &mut self.completion {
            completion.take_acceptance(tuning.acceptance);
        }
    }

    /// Returns the summary with the ends of the interval, which those of old versions do not have.
    pub(super) fn with_interval(self) -> Self {
        if let (Some(elo), Some(error), None, None) =
            (self.elo, self.elo_error, self.elo_lower, self.elo_upper)
        {
            return Self { elo_lower: Some(elo - error), elo_upper: Some(elo + error), ..self };
        }
        self
    }

    /// Removes the strengths, which the summaries of tuning runs of old versions have.
    fn without_strength(self) -> Self {
        let (elo, elo_error, elo_lower, elo_upper) = (None, None, None, None);
        Self { elo, elo_error, elo_lower, elo_upper, nelo: None, nelo_error: None, los: None, ..self }
    }

    /// Returns the summary that measures strength: that of the acceptance test of a tuning run, otherwise this one.
    pub fn strength(&self) -> &Self {
        self.tuning.as_ref().and_then(|tuning| tuning.test.as_deref()).unwrap_or(self)
    }

    /// Returns the result in one sentence: `+4.1 ± 2.9 Elo after 8,412 pairs: accepted`.
    pub fn sentence(&self) -> String {
        if let Some(tuning) = &self.tuning {
            return tuning.sentence(self.pairs);
        }
        if let Some(leader) = self.table.first() {
            return self.tournament_sentence(leader);
        }
        let limit = if self.is_decided_at_limit() { " at the limit of pairs" } else { "" };
        verdict_sentence(&self.elo_text(), self.pairs, self.verdict) + limit
    }

    /// Returns whether the test accepted H1 at its limit of pairs, without reaching a bound.
    pub(super) fn is_decided_at_limit(&self) -> bool {
        let is_inside = self.llr.zip(self.llr_upper).is_some_and(|(llr, upper)| llr < upper);
        self.verdict == Verdict::Accepted && is_inside
    }

    /// Returns the state of a tournament in one sentence.
    fn tournament_sentence(&self, leader: &TableRow) -> String {
        let games = self.all_games();
        if leader.rating.is_none() {
            return format!("{} engines, no pair counted yet", self.table.len());
        }
        let games = grouped(games);
        let is_equal = |row: &TableRow| row.rating.is_some_and(|rating| leader.rating <= Some(rating + 0.05));
        let lead = if leader.wins == leader.games {
            // Such a rating has no upper limit.
            format!(", having won all of its {} games,", grouped(leader.games))
        } else if self.table.get(1).is_some_and(is_equal) {
            return format!("No engine of {} leads after {games} games", self.table.len());
        } else {
            format!(" with {} Elo", leader.rating_text())
        };
        format!("{} leads {} engines{lead} after {games} games", leader.name, self.table.len())
    }

    /// Returns the number of games, of all engines of a tournament.
    pub(in crate::report) fn all_games(&self) -> u64 {
        if self.table.is_empty() {
            self.games
        } else {
            self.table.iter().map(|row| row.games).sum::<u64>() / 2
        }
    }

    /// Returns what the machine did to the result, if engines waited for a processor in a considerable share of the games.
    pub(in crate::report) fn starvation(&self) -> Option<String> {
        let games = self.all_games();
        let is_noted = self.starved_games > 0 && self.starved_games.saturating_mul(NOTED_SHARE) >= games;
        is_noted.then(|| {
            format!(
                "{} of {} games were played while an engine waited for a processor on its clock, so the result also \
                 measures what else the machine did; play again with fewer games at a time or without other work",
                grouped(self.starved_games),
                grouped(games)
            )
        })
    }

    /// Returns the Elo difference with its error or interval.
    pub(in crate::report) fn elo_text(&self) -> String {
        interval_text(self.elo, self.elo_lower, self.elo_upper)
    }
}

impl TableRow {
    /// Returns the rating from all results of the tournament, above its mean, with its error.
    pub(in crate::report) fn rating_text(&self) -> String {
        estimate_text(self.rating, self.rating_error)
    }

    /// Returns the share of the points, in per cent.
    pub(in crate::report) fn score_text(&self) -> String {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        if self.games == 0 {
            "–".to_owned()
        } else {
            format!("{:.1} %", 100.0 * points / self.games as f64)
        }
    }
}

/// Returns the row of every engine, the strongest first.
pub fn table(view: &RunView<'_>) -> Vec<TableRow> {
    let standings = view.state.standings();
    let ratings = run_ratings(view.plan.engines.len(), standings.matchups());
    let row = |index: u16| {
        let engine = EngineIndex(index);
        let score = standings.of(engine);
        let (MatchScore { pentanomial, games }, strength) = (score, score.strength(None));
        let rating = ratings.as_ref().filter(|_| games.games() > 0).map(|all| all.rating(engine.get()));
        TableRow {
            name: view.plan.name_of(engine).to_owned(),
            games: games.games(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            pentanomial,
            elo: strength.and_then(|strength| finite(strength.elo?.0)),
            elo_error: strength.and_then(|strength| finite(strength.error()?.0)),
            elo_lower: strength.and_then(|strength| finite(strength.lower?.0)),
            elo_upper: strength.and_then(|strength| finite(strength.upper?.0)),
            rating: rating.and_then(|rating| finite(rating.value)),
            rating_error: rating.and_then(|rating| rating.error).and_then(finite),
            faults: standings.faults_of(engine).total(),
        }
    };
    let mut rows: Vec<TableRow> = (0..view.plan.engines.len()).map(|index| row(index as u16)).collect();
    let rank = |row: &TableRow| row.rating.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
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
        assert_eq!(summary.strength().elo, Some(1.5));
        let with_error = Summary { elo_error: Some(0.5), ..summary }.with_interval();
        assert_eq!(with_error.elo_text(), "+1.5 ± 0.5");
    }

    fn read(end: &str) -> Summary {
        let start = r#"{"name":"n","candidate":"a","baseline":"b","pairs":600,"games":1200,"wins":600,"draws":0,"losses":600,
            "pentanomial":[0,0,600,0,0],"elo":3.0,"elo_error":2.0,"nelo":null,"nelo_error":null,"los":0.5"#;
        serde_json::from_str::<Summary>(&format!("{start},{end}}}")).unwrap().with_interval()
    }

    #[test]
    fn the_sentence_states_that_no_bound_was_reached() {
        for (llr, verdict, expected) in [
            (2.95, "H1", "+3.0 ± 2.0 Elo after 600 pairs: accepted"),
            (1.31, "H1", "+3.0 ± 2.0 Elo after 600 pairs: accepted at the limit of pairs"),
            (-2.95, "H0", "+3.0 ± 2.0 Elo after 600 pairs: rejected"),
            (1.31, "undecided", "+3.0 ± 2.0 Elo after 600 pairs: undecided"),
        ] {
            let end =
                format!("\"llr\":{llr},\"llr_lower\":-2.94,\"llr_upper\":2.94,\"verdict\":\"{verdict}\"");
            assert_eq!(read(&end).sentence(), expected);
        }
    }

    #[test]
    fn the_leader_of_a_tournament_is_rated_unless_it_has_won_everything() {
        let sentence = |wins: u64, losses: u64, second: f64| {
            let [row, other] = [300.0, second].map(|rating| {
                format!(
                    "{{\"name\":\"x\",\"games\":8,\"wins\":{wins},\"draws\":0,\"losses\":{losses},\"pentanomial\":[0,0,4,0,0],\
                     \"elo\":null,\"elo_error\":null,\"rating\":{rating},\"rating_error\":90.0,\"faults\":0}}"
                )
            });
            read(&format!(
                "\"llr\":null,\"llr_lower\":null,\"llr_upper\":null,\"verdict\":\"none\",\"table\":[{row},{other}]"
            ))
            .sentence()
        };
        assert_eq!(sentence(7, 1, 299.0), "x leads 2 engines with +300.0 ± 90.0 Elo after 8 games");
        assert_eq!(sentence(4, 4, 300.0), "No engine of 2 leads after 8 games");
        assert_eq!(sentence(8, 0, -300.0), "x leads 2 engines, having won all of its 8 games, after 8 games");
    }
}
