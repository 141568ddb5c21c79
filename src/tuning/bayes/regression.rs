//! All that pairs say about strength as a quadratic of all parameters together, in sums that a pair adds to.
//!
//! Every pair perturbs all parameters at once, each by the toss of its own coin. Seen along one parameter, the others
//! then only add noise, so each parameter has a regression of its own: its slope against the places of all
//! parameters. The coefficients of these regressions are the rows of the matrix of curvatures.

use serde::{Deserialize, Serialize};

/// The sums of the regressions of all parameters; lengths are in half ranges, counted from the starting values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RegressionSums {
    size: usize,
    /// Of each parameter, the squares of its perturbations.
    pub(super) weight: Vec<f64>,
    /// Of each parameter, those times the places of all.
    pub(super) weight_at: Vec<f64>,
    /// Of each parameter, those times the products of two places.
    pub(super) weight_at_both: Vec<f64>,
    /// Of each parameter, its perturbations times what they won.
    pub(super) slope: Vec<f64>,
    /// Of each parameter, those times the places of all.
    pub(super) slope_at: Vec<f64>,
}

impl RegressionSums {
    /// Nothing known about so many parameters.
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

    /// How many parameters there are.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Makes what is known count `fade` times as much as before, and adds a pair between places `plus` and `minus` whose score
    /// was worth `elo` to plus, and which says as much as `share` of a pair between equals.
    pub(in crate::tuning) fn learn(&mut self, fade: f64, plus: &[f64], minus: &[f64], elo: f64, share: f64) {
        let size = self.size;
        let at: Vec<f64> = plus.iter().zip(minus).map(|(plus, minus)| (plus + minus) / 2.0).collect();
        for row in 0..size {
            let distance = plus[row] - minus[row];
            let (weight, slope) = (share * distance * distance, share * distance * elo);
            let add = |sum: &mut f64, part: f64| *sum = *sum * fade + part;
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
