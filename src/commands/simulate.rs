//! Simulated tests and tuning runs, summarised over many repetitions.

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::report::chart::{ForestChart, ForestRow, Tone, standalone};
use crate::stats::{
    Counting, Elo, ExactCourse, GameModel, GameVariance, Hypothesis, OperatingCurve, PairOdds, SprtConfig,
    SprtSimulation,
};
use crate::tuning::{Method, SimulatedRun, TuneSimulation};

/// A sequential test to be repeated on simulated pairs.
#[derive(Clone, Debug)]
pub struct SimulatedTest {
    /// The test.
    pub config: SprtConfig,
    /// Model of the games.
    pub games: GameModel,
    /// True strength of the candidate, on the scale of the test.
    pub elo: f64,
    /// Number of repetitions.
    pub runs: u64,
    /// Number of pairs in play at once.
    pub concurrency: NonZeroUsize,
    /// Random seed.
    pub seed: u64,
}

/// Results of repeated tests. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct SimulatedTestSummary {
    pub runs: u64,
    pub accepted_h1: u64,
    pub accepted_h0: u64,
    pub mean_pairs: Option<f64>,
    pub p95_pairs: Option<f64>,
}

impl SimulatedTest {
    /// Runs the tests.
    pub fn run(&self) -> SimulatedTestSummary {
        let Self { config, concurrency, seed, runs, .. } = *self;
        let (_, odds) = self.truth();
        let tests =
            SprtSimulation { config, odds, seed, concurrency, counting: Counting::Schedule }.run(runs);
        let accepted_h1 = tests.iter().filter(|test| test.accepted == Hypothesis::Alternative).count() as u64;
        let mut lengths: Vec<u64> = tests.iter().map(|test| test.seen.pairs()).collect();
        lengths.sort_unstable();
        let total: u64 = lengths.iter().sum();
        let p95 = lengths.get((lengths.len() * 95).div_ceil(100).saturating_sub(1));
        SimulatedTestSummary {
            runs,
            accepted_h1,
            accepted_h0: runs - accepted_h1,
            mean_pairs: (runs > 0).then(|| total as f64 / runs as f64),
            p95_pairs: p95.map(|&pairs| pairs as f64),
        }
    }

    /// Returns the computed course of the tests; `None` if every pair ends the same way.
    pub fn forecast(&self) -> Option<ExactCourse> {
        let (truth, odds) = self.truth();
        self.config.exact_course(&odds).or_else(|| {
            let curve = OperatingCurve::new(&self.config, GameVariance::measured(odds.game_variance())?);
            let curve = curve.with_overshoot();
            Some(ExactCourse {
                passes: curve.pass_probability(truth),
                pairs: curve.expected_pairs(truth),
                pairs_p95: curve.pairs_quantile(truth, 0.95) as u64,
            })
        })
    }

    fn truth(&self) -> (Elo, PairOdds) {
        let truth = self.games.difference(self.config.model, self.elo);
        (truth, self.games.odds(truth))
    }
}

/// One simulated tuning run. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct SimulatedTuning {
    pub run: u64,
    pub start_elo: f64,
    pub final_elo: f64,
    pub games: u64,
}

impl SimulatedTuning {
    /// Summarises run number `run`.
    pub fn of(run: u64, result: &SimulatedRun) -> Self {
        Self { run, start_elo: result.start.0, final_elo: result.end.0, games: 2 * result.pairs }
    }
}

/// Results of simulated tuning runs. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct SimulatedTuningSummary {
    pub runs: u64,
    pub mean_start_elo: f64,
    pub mean_final_elo: f64,
    pub final_elo_error: f64,
    pub worse: u64,
    pub p5_final_elo: f64,
    pub mean_games: f64,
    pub coverage: Option<f64>,
}

impl SimulatedTuningSummary {
    /// Summarises `runs`; `None` if there are none.
    pub fn of(runs: &[SimulatedRun]) -> Option<Self> {
        let count = runs.len() as f64;
        let mean = |value: fn(&SimulatedRun) -> f64| runs.iter().map(value).sum::<f64>() / count;
        let mut ends: Vec<f64> = runs.iter().map(|run| run.end.0).collect();
        ends.sort_by(f64::total_cmp);
        let intervals = mean(|run| f64::from(run.intervals));
        Some(Self {
            runs: runs.len() as u64,
            mean_start_elo: mean(|run| run.start.0),
            mean_final_elo: mean(|run| run.end.0),
            final_elo_error: standard_error(&ends),
            worse: runs.iter().filter(|run| run.end.0 < run.start.0 - WORSE).count() as u64,
            p5_final_elo: *ends.get(runs.len() / 20)?,
            mean_games: mean(|run| 2.0 * run.pairs as f64),
            coverage: (intervals > 0.0).then(|| mean(|run| f64::from(run.covering_intervals)) / intervals),
        })
    }
}

/// Elo below the start from which on a run counts as worse than its start.
const WORSE: f64 = 0.25;

/// Returns the standard error of the mean; 0 of a single value.
fn standard_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if count > 1.0 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 }
}

/// Tuning methods on the same landscape.
#[derive(Clone, Debug)]
pub struct ComparedMethods {
    /// The methods with their results, the best first.
    pub rows: Vec<(String, SimulatedTuningSummary)>,
}

impl ComparedMethods {
    /// Simulates `runs` runs of each method with the same seeds.
    pub fn run(simulation: &TuneSimulation, methods: &[(String, Method)], runs: u64) -> Self {
        let summary = |(name, method): &(String, Method)| {
            let simulation = TuneSimulation { method: method.clone(), ..simulation.clone() };
            Some((name.clone(), SimulatedTuningSummary::of(&simulation.run(runs))?))
        };
        let mut rows: Vec<_> = methods.iter().filter_map(summary).collect();
        rows.sort_by(|one, other| other.1.mean_final_elo.total_cmp(&one.1.mean_final_elo));
        Self { rows }
    }

    /// Returns the results as a table.
    pub fn table(&self) -> String {
        let mut text =
            format!("{:<16} {:>9} {:>7} {:>9} {:>7} {:>8}\n", "method", "Elo", "±", "5 %", "worse", "games");
        for (name, row) in &self.rows {
            let SimulatedTuningSummary { mean_final_elo, p5_final_elo, worse, mean_games, .. } = row;
            let error = 2.0 * row.final_elo_error;
            text += &format!(
                "{name:<16} {mean_final_elo:>9.2} {error:>7.2} {p5_final_elo:>9.2} {worse:>7} {mean_games:>8.0}\n"
            );
        }
        if let Some((_, row)) = self.rows.first() {
            text += &format!(
                "The start is at {:.2} Elo, the optimum at 0. ± is two standard errors of {} runs; worse: runs that ended more \
                 than {WORSE} Elo below the start.\n",
                row.mean_start_elo, row.runs
            );
        }
        text
    }

    /// Returns the results as JSON, a line for each method.
    pub fn json_lines(&self) -> Vec<String> {
        let line = |(method, summary): &(String, SimulatedTuningSummary)| {
            let mut line = serde_json::to_value(summary).unwrap_or_default();
            line["method"] = method.as_str().into();
            line.to_string()
        };
        self.rows.iter().map(line).collect()
    }

    /// Returns the results as an SVG chart.
    pub fn chart(&self, landscape: &str) -> String {
        let row = |(name, summary): &(String, SimulatedTuningSummary)| {
            let (value, error) = (summary.mean_final_elo, 2.0 * summary.final_elo_error);
            let ends = [value - error, value + error];
            ForestRow { label: name.clone(), value, ends, tone: Tone::Main }
        };
        let rows = self.rows.iter().map(row).collect();
        let title = format!("Strength after tuning on {landscape}");
        standalone(&ForestChart { title, x_label: "Elo, 0 at the optimum".into(), rows }.svg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_quantile_of_twenty_runs_is_the_second_worst() {
        let run = |end: f64| SimulatedRun {
            start: Elo(-10.0),
            end: Elo(end),
            pairs: 50,
            gain: None,
            intervals: 0,
            covering_intervals: 0,
        };
        let runs: Vec<SimulatedRun> = (0..20).map(|number| run(-f64::from(number))).collect();
        let summary = SimulatedTuningSummary::of(&runs).unwrap();
        assert_eq!((summary.p5_final_elo, summary.mean_games, summary.coverage), (-18.0, 100.0, None));
        assert_eq!(SimulatedTuningSummary::of(&[]), None);
        // The standard deviation of 0 to 19 is 5.916.
        assert!((summary.final_elo_error - 5.916 / 20f64.sqrt()).abs() < 1e-3);
        assert_eq!(summary.worse, 9);
    }

    #[test]
    fn every_method_plays_the_same_landscape_and_the_best_comes_first() {
        let standard = crate::tuning::standard_landscapes().swap_remove(1);
        let names = ["fishtest", "bayes", "clop", "schedule-free", "cma-es"];
        let methods: Vec<_> = names
            .iter()
            .map(|name| {
                let method = Method::named(name, standard.landscape.space(), 1_000);
                ((*name).to_owned(), method.expect("a known method"))
            })
            .collect();
        let simulation = TuneSimulation {
            landscape: standard.landscape,
            games: standard.games,
            method: methods[0].1.clone(),
            pairs: 1_000,
            lookahead: crate::tuning::Lookahead::default(),
            seed: 1,
        };
        let compared = ComparedMethods::run(&simulation, &methods, 2);
        assert_eq!(compared.rows.len(), names.len());
        assert!(compared.rows.is_sorted_by(|one, other| one.1.mean_final_elo >= other.1.mean_final_elo));
        let (table, chart) = (compared.table(), compared.chart("L2"));
        assert!(names.iter().all(|name| table.contains(name) && chart.contains(name)), "{table}");
        assert!(table.contains("The start is at -5.86 Elo"), "{table}");
        let lines = compared.json_lines();
        assert!(
            lines.len() == names.len() && lines.iter().all(|line| line.contains("\"method\":")),
            "{lines:?}"
        );
    }
}
