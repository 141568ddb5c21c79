//! An evolution strategy: separable CMA-ES (Ros and Hansen, 2008), with a match against the mean as the fitness of each
//! individual.

use serde::{Deserialize, Serialize};

use crate::stats::{PairScore, Random};
use crate::tuning::space::{Parameter, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// Generations of a run.
const GENERATIONS: u64 = 40;
/// First step size, in half ranges.
const FIRST_STEP: f64 = 0.3;

/// An individual of the population.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Individual {
    number: u64,
    /// Its position in half ranges from the start, and the mean that it plays against.
    at: Vec<f64>,
    mean: Vec<f64>,
    scored: u64,
    points: f64,
}

/// A run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::tuning) struct CmaEs {
    mean: Vec<f64>,
    variances: Vec<f64>,
    step: f64,
    step_path: Vec<f64>,
    path: Vec<f64>,
    size: usize,
    pairs_each: u64,
    individuals: Vec<Individual>,
    finished: Vec<Individual>,
}

impl CmaEs {
    /// Creates a run of `pairs` pairs without scores.
    pub(in crate::tuning) fn new(space: &Space, pairs: u64) -> Self {
        let count = space.len();
        let size = 4 + (3.0 * (count as f64).ln()) as usize;
        Self {
            mean: vec![0.0; count],
            variances: vec![1.0; count],
            step: FIRST_STEP,
            step_path: vec![0.0; count],
            path: vec![0.0; count],
            size,
            pairs_each: (pairs / (GENERATIONS * size as u64)).max(1),
            individuals: Vec::new(),
            finished: Vec::new(),
        }
    }

    pub(in crate::tuning) fn propose(&mut self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let number = id.0 / self.pairs_each;
        if self.individuals.last().is_none_or(|last| last.number != number) {
            let mut random = Random::of_item(seed, number);
            let draw = |(mean, variance): (&f64, &f64)| mean + self.step * variance.sqrt() * random.normal();
            let at = self.mean.iter().zip(&self.variances).map(draw).collect();
            let mean = self.mean.clone();
            self.individuals.push(Individual { number, at, mean, scored: 0, points: 0.0 });
        }
        let individual = self.individuals.last().expect("an individual was added if there was none");
        let mut random = Random::of_item(seed ^ 1, id.0);
        let mut settings = |at: &[f64]| {
            let value = |(parameter, at): (&Parameter, &f64)| {
                parameter.rounded(parameter.start + at * parameter.range() / 2.0, random.unit())
            };
            Settings(space.parameters().iter().zip(at).map(value).collect())
        };
        Trial { id, plus: settings(&individual.at), minus: settings(&individual.mean) }
    }

    pub(in crate::tuning) fn learn(&mut self, trial: &Trial, score: PairScore) {
        let number = trial.id.0 / self.pairs_each;
        let Some(index) = self.individuals.iter().position(|individual| individual.number == number) else {
            return;
        };
        let individual = &mut self.individuals[index];
        individual.scored += 1;
        individual.points += score.points();
        if individual.scored == self.pairs_each {
            let individual = self.individuals.remove(index);
            self.finished.push(individual);
        }
        if self.finished.len() >= self.size {
            self.next_generation();
        }
    }

    pub(in crate::tuning) fn best(&self, space: &Space) -> Settings {
        let value = |(parameter, at): (&Parameter, &f64)| parameter.start + at * parameter.range() / 2.0;
        let values: Vec<f64> = space.parameters().iter().zip(&self.mean).map(value).collect();
        space.nearest(&values)
    }

    fn next_generation(&mut self) {
        let mut population: Vec<Individual> = self.finished.drain(..).collect();
        population.sort_by(|one, other| other.points.total_cmp(&one.points));
        let (count, parents) = (self.mean.len() as f64, self.size / 2);
        let raw: Vec<f64> =
            (0..parents).map(|rank| (parents as f64 + 0.5).ln() - (rank as f64 + 1.0).ln()).collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        // The constants of Hansen's tutorial; covariances learn faster because only variances are learned.
        let step_rate = (effective + 2.0) / (count + effective + 5.0);
        let damping = 1.0 + 2.0 * ((effective - 1.0) / (count + 1.0)).sqrt().max(1.0) - 2.0 + step_rate;
        let path_rate = (4.0 + effective / count) / (count + 4.0 + 2.0 * effective / count);
        let faster = (count + 2.0) / 3.0;
        let rank_one = (faster * 2.0 / ((count + 1.3).powi(2) + effective)).min(0.5);
        let rank_many = (faster * 2.0 * (effective - 2.0 + 1.0 / effective)
            / ((count + 2.0).powi(2) + effective))
            .clamp(0.0, 1.0 - rank_one);
        let old = self.mean.clone();
        let mut length = 0.0;
        for (index, &old) in old.iter().enumerate() {
            let moves: Vec<f64> =
                population[..parents].iter().map(|one| (one.at[index] - old) / self.step).collect();
            let moved: f64 = weights.iter().zip(&moves).map(|(weight, step)| weight * step).sum();
            self.mean[index] = old + self.step * moved;
            let deviation = self.variances[index].sqrt();
            let step_path = &mut self.step_path[index];
            *step_path = (1.0 - step_rate) * *step_path
                + (step_rate * (2.0 - step_rate) * effective).sqrt() * moved / deviation;
            length += *step_path * *step_path;
            let path = &mut self.path[index];
            *path = (1.0 - path_rate) * *path + (path_rate * (2.0 - path_rate) * effective).sqrt() * moved;
            let spread: f64 = weights.iter().zip(&moves).map(|(weight, step)| weight * step * step).sum();
            self.variances[index] = (1.0 - rank_one - rank_many) * self.variances[index]
                + rank_one * *path * *path
                + rank_many * spread;
        }
        let expected = count.sqrt() * (1.0 - 1.0 / (4.0 * count) + 1.0 / (21.0 * count * count));
        self.step *= (step_rate / damping * (length.sqrt() / expected - 1.0)).exp();
        self.step = self.step.clamp(1e-3, 1.0);
    }
}
