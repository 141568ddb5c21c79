//! The loss of weights on a data set, and its exact gradient.

use std::thread;

use crate::engine::eval::{Phases, SLOTS, WeightSlot, Weights, danger_curve, weight_slots};
use crate::engine::{Declared, Spec};
use crate::texel::dataset::{Dataset, Row};

/// The constant `k` that converts centipawns to expected points: 1 / (1 + 10^(-k · score / 400)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale(pub f64);

impl Scale {
    /// Returns White's expected points at a score.
    pub fn expected(self, score: f64) -> f64 {
        1.0 / (1.0 + (-self.slope() * score).exp())
    }

    /// Returns the factor of the score in the exponent of base e.
    fn slope(self) -> f64 {
        self.0 * std::f64::consts::LN_10 / 400.0
    }

    /// Returns the scale at which the scores of the model fit the results best. The loss has a single minimum as a function
    /// of the scale, so bisection of its derivative finds it.
    pub fn fit(model: &Model, data: &Dataset, threads: usize) -> Self {
        let scores = model.scores(data, threads);
        let pairs: Vec<(f64, f64)> =
            scores.into_iter().zip(data.points()).map(|(score, points)| (score, f64::from(points))).collect();
        Self::fit_to(&pairs)
    }

    /// Returns the scale at which scores fit points best, given both.
    pub(super) fn fit_to(pairs: &[(f64, f64)]) -> Self {
        let (mut low, mut high) = (0.01, 8.0);
        for _ in 0..40 {
            let middle = Self((low + high) / 2.0);
            let derivative: f64 =
                pairs.iter().map(|(score, points)| (middle.expected(*score) - points) * score).sum();
            if derivative > 0.0 { high = middle.0 } else { low = middle.0 }
        }
        Self((low + high) / 2.0)
    }
}

/// Weights as real numbers, one per number of the table of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The values, in the order of [`Weights::specs`].
    pub cells: Vec<f64>,
}

/// The mean loss on a data set and its gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// Mean cross-entropy, in nats.
    pub loss: f64,
    /// Derivative of the loss with respect to each cell.
    pub slopes: Vec<f64>,
}

/// A middlegame and an endgame value for each slot.
type Halves = Vec<[f64; 2]>;

impl Model {
    /// Creates a model with the values of `weights`.
    pub fn of(weights: &Weights) -> Self {
        Self { cells: (0..Weights::specs().len()).map(|index| f64::from(weights.cell(index))).collect() }
    }

    /// Returns the nearest weights, each within its declared range.
    pub fn rounded(&self) -> Weights {
        let mut weights = Weights::default();
        for (index, (cell, Spec { min, max, .. })) in self.cells.iter().zip(Weights::specs()).enumerate() {
            weights.set_cell(index, (cell.round() as i32).clamp(*min, *max));
        }
        weights
    }

    /// Returns White's score of every row.
    pub fn scores(&self, data: &Dataset, threads: usize) -> Vec<f64> {
        let halves = self.halves();
        let parts = in_parts(&data.rows, threads, |rows| {
            rows.iter().map(|row| Forward::of(row, data, &halves).score).collect::<Vec<_>>()
        });
        parts.concat()
    }

    /// Returns the mean loss.
    pub fn loss(&self, data: &Dataset, scale: Scale, threads: usize) -> f64 {
        let scores = self.scores(data, threads);
        let sum: f64 =
            scores.iter().zip(&data.rows).map(|(score, row)| cross_entropy(scale, *score, row.target)).sum();
        sum / data.len().max(1) as f64
    }

    /// Returns the mean loss if the results are the targets.
    pub fn result_loss(&self, data: &Dataset, scale: Scale, threads: usize) -> f64 {
        let scores = self.scores(data, threads);
        let sum: f64 = scores
            .iter()
            .zip(data.points())
            .map(|(score, points)| cross_entropy(scale, *score, points))
            .sum();
        sum / data.len().max(1) as f64
    }

    /// Returns the mean loss on the given rows and its gradient.
    pub fn gradient(&self, data: &Dataset, rows: &[u32], scale: Scale, threads: usize) -> Gradient {
        let halves = self.halves();
        let parts = in_parts(rows, threads, |rows| {
            let mut slopes: Halves = vec![[0.0; 2]; SLOTS];
            let mut loss = 0.0;
            for &index in rows {
                let row = &data.rows[index as usize];
                let forward = Forward::of(row, data, &halves);
                loss += cross_entropy(scale, forward.score, row.target);
                forward.add_slopes(row, data, scale, &mut slopes);
            }
            (loss, slopes)
        });
        let count = rows.len().max(1) as f64;
        let loss = parts.iter().map(|(loss, _)| loss).sum::<f64>() / count;
        let slope = |WeightSlot { slot, phases }: &WeightSlot| {
            let sum = |half: usize| parts.iter().map(|(_, slopes)| slopes[*slot][half]).sum::<f64>() / count;
            match phases {
                Phases::Both => sum(0) + sum(1),
                Phases::Middlegame => sum(0),
                Phases::Endgame => sum(1),
            }
        };
        Gradient { loss, slopes: weight_slots().iter().map(slope).collect() }
    }

    fn halves(&self) -> Halves {
        let mut halves = vec![[0.0; 2]; SLOTS];
        for (cell, WeightSlot { slot, phases }) in self.cells.iter().zip(weight_slots()) {
            match phases {
                Phases::Both => halves[*slot] = [*cell; 2],
                Phases::Middlegame => halves[*slot][0] = *cell,
                Phases::Endgame => halves[*slot][1] = *cell,
            }
        }
        halves
    }
}

fn cross_entropy(scale: Scale, score: f64, target: f32) -> f64 {
    // ln(1 + e^x) without overflow; the loss is ln(1 + e^x) - target · x.
    let x = scale.slope() * score;
    x.max(0.0) + (-x.abs()).exp().ln_1p() - f64::from(target) * x
}

/// Runs `work` on equal parts of `items`, each in its own thread.
fn in_parts<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let chunk_size = items.len().div_ceil(threads.max(1)).max(1);
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = items.chunks(chunk_size).map(|part| scope.spawn(move || work(part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("arithmetic does not panic")).collect()
    })
}

/// The score of one row, and the intermediate values that its gradient needs.
struct Forward {
    score: f64,
    /// Derivative of the score with respect to the danger of each king.
    danger_slopes: [f64; 2],
}

impl Forward {
    fn of(row: &Row, data: &Dataset, halves: &[[f64; 2]]) -> Self {
        let shares = row.shares.map(f64::from);
        let start = row.start;
        let terms = start + usize::from(row.terms);
        let mut sums = [0.0; 2];
        for (slot, count) in data.slots[start..terms].iter().zip(&data.counts[start..terms]) {
            let value = halves[usize::from(*slot)];
            sums[0] += value[0] * f64::from(*count);
            sums[1] += value[1] * f64::from(*count);
        }
        let mut danger_slopes = [0.0; 2];
        let mut from = terms;
        for (side, length) in row.danger.into_iter().enumerate() {
            let to = from + usize::from(length);
            let counted = data.slots[from..to].iter().zip(&data.counts[from..to]);
            let danger: f64 =
                counted.map(|(slot, count)| halves[usize::from(*slot)][0] * f64::from(*count)).sum();
            let ([middlegame, endgame], slopes) = danger_curve(danger);
            // The danger of White's king lowers White's score, that of Black's king raises it.
            let sign = if side == 0 { -1.0 } else { 1.0 };
            sums[0] += sign * middlegame;
            sums[1] += sign * endgame;
            danger_slopes[side] = sign * (slopes[0] * shares[0] + slopes[1] * shares[1]);
            from = to;
        }
        Self { score: sums[0] * shares[0] + sums[1] * shares[1], danger_slopes }
    }

    fn add_slopes(&self, row: &Row, data: &Dataset, scale: Scale, slopes: &mut [[f64; 2]]) {
        let score_slope = (scale.expected(self.score) - f64::from(row.target)) * scale.slope();
        let [middlegame, endgame] = row.shares.map(|share| f64::from(share) * score_slope);
        let start = row.start;
        let terms = start + usize::from(row.terms);
        for (slot, count) in data.slots[start..terms].iter().zip(&data.counts[start..terms]) {
            let slope = &mut slopes[usize::from(*slot)];
            slope[0] += middlegame * f64::from(*count);
            slope[1] += endgame * f64::from(*count);
        }
        let mut from = terms;
        for (length, danger_slope) in row.danger.into_iter().zip(self.danger_slopes) {
            let to = from + usize::from(length);
            if danger_slope != 0.0 {
                for (slot, count) in data.slots[from..to].iter().zip(&data.counts[from..to]) {
                    slopes[usize::from(*slot)][0] += score_slope * danger_slope * f64::from(*count);
                }
            }
            from = to;
        }
    }
}
