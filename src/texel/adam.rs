//! The Adam optimiser (Kingma and Ba): stochastic gradient descent with an adaptive step for each parameter.

/// The state of the optimiser: moving averages of the gradient and of its square.
pub(super) struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

/// Decay rate of the mean (beta 1).
const MEAN_DECAY: f64 = 0.9;
/// Decay rate of the mean square (beta 2).
const SQUARE_DECAY: f64 = 0.999;

impl Adam {
    pub(super) fn new(cells: usize) -> Self {
        Self { mean: vec![0.0; cells], square: vec![0.0; cells], steps: 0 }
    }

    /// Moves each cell against its gradient, by about `learning_rate` times its unit while the gradient keeps its sign.
    pub(super) fn step(&mut self, cells: &mut [f64], gradient: &[f64], units: &[f64], learning_rate: f64) {
        self.steps += 1;
        let mean_correction = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_correction = 1.0 - SQUARE_DECAY.powi(self.steps);
        for (index, cell) in cells.iter_mut().enumerate() {
            let slope = gradient[index];
            self.mean[index] = MEAN_DECAY * self.mean[index] + (1.0 - MEAN_DECAY) * slope;
            self.square[index] = SQUARE_DECAY * self.square[index] + (1.0 - SQUARE_DECAY) * slope * slope;
            let deviation = (self.square[index] / square_correction).sqrt();
            if deviation > 0.0 {
                *cell -=
                    learning_rate * units[index] * (self.mean[index] / mean_correction) / (deviation + 1e-12);
            }
        }
    }
}
