//! Sums over pairs from which strength is estimated as a quadratic function of all parameters.
//!
//! Every pair perturbs all parameters at once, each with an independent random sign. For one parameter, the others then
//! only add noise, so there is one regression per parameter: of its slope on the offsets of all parameters. The
//! coefficients of these regressions are the rows of the curvature matrix.

use serde::{Deserialize, Serialize};

/// The sums of the regressions of all parameters; one row per parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RegressionSums {
    size: usize,
    /// Squared perturbations of each parameter.
    pub(super) weight: Vec<f64>,
    /// Squared perturbations of each parameter, times the offset of every parameter.
    pub(super) weight_at: Vec<f64>,
    /// Squared perturbations of each parameter, times the product of every two offsets.
    pub(super) weight_at_both: Vec<f64>,
    /// Perturbations of each parameter, times the observed Elo.
    pub(super) slope: Vec<f64>,
    /// Perturbations of each parameter, times the observed Elo and the offset of every parameter.
    pub(super) slope_at: Vec<f64>,
}

impl RegressionSums {
    /// Creates empty sums for `size` parameters.
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            weight: vec![0.0; size],
            weight_at: vec![0.0; size * size],
            weight_at_both: vec![0.0; size * size * size],
            slope: vec![0.0; size],
            slope_at: vec![0.0; size * size],
        }
    }

    /// Returns the number of parameters.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Multiplies the weight of all pairs so far by `decay`, and adds a pair between the offsets `plus` and `minus`, with
    /// an observed advantage of `elo` for plus and `information` relative to a pair between equal sides.
    pub(in crate::tuning) fn learn(
        &mut self,
        decay: f64,
        plus: &[f64],
        minus: &[f64],
        elo: f64,
        information: f64,
    ) {
        let size = self.size;
        let at: Vec<f64> = plus.iter().zip(minus).map(|(plus, minus)| (plus + minus) / 2.0).collect();
        for row in 0..size {
            let distance = plus[row] - minus[row];
            let (weight, slope) = (information * distance * distance, information * distance * elo);
            let add = |sum: &mut f64, part: f64| *sum = *sum * decay + part;
            add(&mut self.weight[row], weight);
            add(&mut self.slope[row], slope);
            let columns = row * size..(row + 1) * size;
            for (sum, &at) in self.weight_at[columns.clone()].iter_mut().zip(&at) {
                add(sum, weight * at);
            }
            for (sum, &at) in self.slope_at[columns.clone()].iter_mut().zip(&at) {
                add(sum, slope * at);
            }
            for (column, &first) in columns.zip(&at) {
                let both = &mut self.weight_at_both[column * size..(column + 1) * size];
                for (sum, &second) in both.iter_mut().zip(&at) {
                    add(sum, weight * first * second);
                }
            }
        }
    }
}
