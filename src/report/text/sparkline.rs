//! The trend of a run as a line of small bars.

use crate::report::Summary;
use crate::run::{CountedPair, RunView};

/// Largest number of values kept, enough for any sparkline.
const MOST: usize = 128;

/// The Elo estimate and the log-likelihood ratio over the pairs.
#[derive(Clone, Debug)]
pub struct Trend {
    every: u64,
    elo: Vec<f64>,
    llr: Vec<f64>,
}

impl Default for Trend {
    fn default() -> Self {
        Self { every: 1, elo: Vec::new(), llr: Vec::new() }
    }
}

impl Trend {
    /// Records a counted pair.
    pub fn note(&mut self, pair: &CountedPair, view: &RunView<'_>) {
        if !pair.pair.is_multiple_of(self.every) {
            return;
        }
        let elo = match view.state.tuner() {
            Some(tuner) => tuner.report().gain.map(|gain| gain.elo.0),
            None => Summary::of(view).elo,
        };
        self.elo.extend(elo);
        self.llr.extend(pair.llr);
        if self.elo.len().max(self.llr.len()) >= MOST {
            self.every *= 2;
            for values in [&mut self.elo, &mut self.llr] {
                let mut place = 0;
                values.retain(|_| {
                    place += 1;
                    place % 2 == 1
                });
            }
        }
    }

    /// Returns the Elo estimates, the oldest first.
    pub fn elo(&self) -> &[f64] {
        &self.elo
    }

    /// Returns the log-likelihood ratios, the oldest first; empty without a test.
    pub fn llr(&self) -> &[f64] {
        &self.llr
    }
}

/// Returns at most `width` bars that show `values` on a scale from `low` to `high`.
pub fn sparkline(values: &[f64], (low, high): (f64, f64), width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let width = width.min(values.len());
    let span = if high > low { high - low } else { 1.0 };
    (0..width)
        .map(|place| {
            // Every bar covers the same number of values.
            let value = values[(place + 1) * values.len() / width - 1];
            let share = ((value - low) / span).clamp(0.0, 1.0);
            BARS[((share * 7.0).round() as usize).min(7)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_shows_all_values_within_its_width() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let line = sparkline(&values, (0.0, 99.0), 8);
        assert_eq!(line, "▂▃▄▄▅▆▇█");
        assert_eq!(sparkline(&values[..3], (0.0, 2.0), 8), "▁▅█");
        assert_eq!(sparkline(&[], (0.0, 1.0), 8), "");
        assert_eq!(sparkline(&[5.0], (5.0, 5.0), 8), "▁");
    }
}
