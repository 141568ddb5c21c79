//! Simulated tests and tuning runs, summarised over many repetitions.

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::stats::{
    Counting, Elo, GameModel, GameVariance, Hypothesis, OperatingCurve, PairOdds, SprtConfig, SprtSimulation,
};
use crate::tuning::SimulatedRun;

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

    /// Returns the computed probability to pass and the computed mean length in pairs, or `None` if every pair ends the
    /// same way.
    pub fn forecast(&self) -> Option<(f64, f64)> {
        let (truth, odds) = self.truth();
        let curve = OperatingCurve::new(&self.config, GameVariance::measured(odds.game_variance())?);
        let curve = curve.with_overshoot();
        Some((curve.pass_probability(truth), curve.expected_pairs(truth)))
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
            p5_final_elo: *ends.get(runs.len() / 20)?,
            mean_games: mean(|run| 2.0 * run.pairs as f64),
            coverage: (intervals > 0.0).then(|| mean(|run| f64::from(run.covering_intervals)) / intervals),
        })
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
    }
}
