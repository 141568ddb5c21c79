//! Adam: steps along a noisy gradient, each weight at its own pace.

/// Its memory of the gradient's mean and of its square.
pub(super) struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

/// How fast the mean forgets.
const MEAN_KEPT: f64 = 0.9;
/// How fast the square forgets.
const SQUARE_KEPT: f64 = 0.999;

impl Adam {
    pub(super) fn new(cells: usize) -> Self {
        Self { mean: vec![0.0; cells], square: vec![0.0; cells], steps: 0 }
    }

    /// Moves each cell against its slope, by about `pace` times its own unit while the slope keeps its sign.
    pub(super) fn step(&mut self, cells: &mut [f64], slopes: &[f64], units: &[f64], pace: f64) {
        self.steps += 1;
        let mean_seen = 1.0 - MEAN_KEPT.powi(self.steps);
        let square_seen = 1.0 - SQUARE_KEPT.powi(self.steps);
        for (index, cell) in cells.iter_mut().enumerate() {
            let slope = slopes[index];
            self.mean[index] = MEAN_KEPT * self.mean[index] + (1.0 - MEAN_KEPT) * slope;
            self.square[index] = SQUARE_KEPT * self.square[index] + (1.0 - SQUARE_KEPT) * slope * slope;
            let spread = (self.square[index] / square_seen).sqrt();
            if spread > 0.0 {
                *cell -= pace * units[index] * (self.mean[index] / mean_seen) / (spread + 1e-12);
            }
        }
    }
}
