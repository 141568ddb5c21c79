//! A Texel tuning run: Adam on mini-batches, with a learning rate that decays when the held-out loss stops improving.

use crate::engine::{Declared, Spec, Weights};
use crate::texel::adam::Adam;
use crate::texel::dataset::{Dataset, TargetMix};
use crate::texel::loss::{Model, Scale};
use crate::texel::training_set::TrainingSet;

/// The configuration of a run.
#[derive(Clone, Debug)]
pub struct TexelPlan {
    /// Number of threads.
    pub threads: usize,
    /// Positions per mini-batch.
    pub batch: usize,
    /// Maximum number of epochs.
    pub epochs: usize,
    /// Epochs without a lower held-out loss after which the run continues from its best weights with a lower learning rate.
    pub patience: usize,
    /// Initial learning rate, in declared steps of each weight.
    pub learning_rate: f64,
    /// Standard deviation of a normal prior around the starting weights, in declared steps; the less often a weight counts,
    /// the closer it stays to its start. `None` for no prior.
    pub spread: Option<f64>,
    /// Number of neighbouring positions that carry as much information as one, because they come from the same game.
    pub correlated_positions: f64,
    /// Weight of the game result in the target; the rest is the weight of the search score.
    pub result_share: f64,
    /// The scale of the evaluation; fitted to the starting weights on the training set if `None`.
    pub scale: Option<Scale>,
    /// Whether a number may be changed.
    pub tunes: fn(&Spec) -> bool,
    /// Random seed of the order of positions.
    pub seed: u64,
}

impl TexelPlan {
    /// Returns the defaults, made for a million positions and all weights but those of scaling.
    pub fn with_threads(threads: usize) -> Self {
        Self {
            threads,
            batch: 16_384,
            epochs: 60,
            patience: 3,
            learning_rate: 0.25,
            spread: Some(12.0),
            correlated_positions: 20.0,
            result_share: 0.7,
            scale: None,
            tunes: |spec| spec.section != "scaling",
            seed: 1,
        }
    }
}

/// The state of a run after an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochReport {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// Mean loss on the training set during the epoch.
    pub loss: f64,
    /// Mean loss on the held-out set after the epoch.
    pub held_out: f64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The best weights, rounded.
    pub weights: Weights,
    /// The scale of the evaluation that was used.
    pub scale: Scale,
    /// The scale of the scores of searches; `None` without scores.
    pub search_scale: Option<Scale>,
    /// Number of positions in the training set and in the held-out set.
    pub positions: [usize; 2],
    /// Held-out loss of the starting weights and of the rounded tuned weights, each with its own evaluation of the
    /// positions.
    pub held_out: [f64; 2],
    /// Held-out loss of the rounded tuned weights if the results alone are the targets, at a scale fitted to the training
    /// set: comparable between runs with different targets.
    pub held_out_results: f64,
    /// Number of epochs.
    pub epochs: usize,
    /// Weights whose gradient was always 0: they do not occur in the data, or only in products with weights that are 0.
    pub unmoved: Vec<&'static str>,
}

/// About one of this many games is held out.
const HELD_OUT: u64 = 12;
/// Factor of the learning rate when the held-out loss stops improving.
const RATE_DECAY: f64 = 0.3;
/// A run ends when the learning rate is below this fraction of the initial one.
const MIN_RATE: f64 = 0.005;

/// Tunes the weights, beginning with `start`, on the positions. Calls `observer` after every epoch.
pub fn tune(
    positions: &TrainingSet,
    start: &Weights,
    plan: &TexelPlan,
    observer: &mut dyn FnMut(EpochReport),
) -> Tuned {
    let (training, held_out) = positions.split(HELD_OUT);
    let training = Dataset::new(&training, start, plan.threads);
    let mut model = Model::of(start);
    let scale = plan.scale.unwrap_or_else(|| Scale::fit(&model, &training, plan.threads));
    let search_scale = training.search_scale();
    let mix = TargetMix { result_share: plan.result_share, search_scale: search_scale.unwrap_or(scale) };
    let training = training.with_targets(mix);
    let checked = Dataset::new(&held_out, start, plan.threads).with_targets(mix);
    let before = model.loss(&checked, scale, plan.threads);

    let mut best = (before, model.clone());
    let mut run = Run::new(&training, &model, plan);
    let (mut epochs, mut stale_epochs, mut rate) = (0, 0, 1.0);
    while epochs < plan.epochs && rate >= MIN_RATE {
        epochs += 1;
        let loss = run.epoch(&mut model, &training, scale, plan, plan.learning_rate * rate);
        let held_out = model.loss(&checked, scale, plan.threads);
        observer(EpochReport { epoch: epochs, loss, held_out });
        if held_out < best.0 {
            best = (held_out, model.clone());
            stale_epochs = 0;
        } else {
            stale_epochs += 1;
        }
        // Large steps oscillate around the optimum; smaller ones from the best weights so far come closer.
        if stale_epochs == plan.patience {
            (stale_epochs, rate) = (0, rate * RATE_DECAY);
            model = best.1.clone();
            run.adam = Adam::new(model.cells.len());
        }
    }
    let weights = best.1.rounded();
    let reevaluated = Dataset::new(&held_out, &weights, plan.threads).with_targets(mix);
    let tuned = Model::of(&weights);
    let after = tuned.loss(&reevaluated, scale, plan.threads);
    let own_scale = Scale::fit(&tuned, &training, plan.threads);
    Tuned {
        weights,
        scale,
        search_scale,
        held_out_results: tuned.result_loss(&reevaluated, own_scale, plan.threads),
        positions: [training.len(), checked.len()],
        held_out: [before, after],
        epochs,
        unmoved: run.unmoved(),
    }
}

/// The state of a run.
struct Run {
    adam: Adam,
    order: Vec<u32>,
    start: Vec<f64>,
    /// The declared step of each weight; 0 if it is not tuned.
    units: Vec<f64>,
    /// Whether the gradient of each weight was ever different from 0.
    has_gradient: Vec<bool>,
    random_state: u64,
}

impl Run {
    fn new(data: &Dataset, model: &Model, plan: &TexelPlan) -> Self {
        let unit = |spec: &Spec| if (plan.tunes)(spec) { f64::from(spec.step) } else { 0.0 };
        Self {
            adam: Adam::new(model.cells.len()),
            order: (0..data.len() as u32).collect(),
            start: model.cells.clone(),
            units: Weights::specs().iter().map(unit).collect(),
            has_gradient: vec![false; model.cells.len()],
            random_state: plan.seed,
        }
    }

    /// Returns the names of the tuned weights whose gradient was always 0.
    fn unmoved(&self) -> Vec<&'static str> {
        let cells = Weights::specs().iter().zip(&self.units).zip(&self.has_gradient);
        cells
            .filter(|((_, unit), has_gradient)| **unit > 0.0 && !**has_gradient)
            .map(|((spec, _), _)| spec.name.as_str())
            .collect()
    }

    /// Runs one pass over the data; returns the mean loss during the pass.
    fn epoch(
        &mut self,
        model: &mut Model,
        data: &Dataset,
        scale: Scale,
        plan: &TexelPlan,
        learning_rate: f64,
    ) -> f64 {
        self.shuffle();
        let mut sum = 0.0;
        for batch in self.order.chunks(plan.batch.max(1)) {
            let mut gradient = model.gradient(data, batch, scale, plan.threads);
            sum += gradient.loss * batch.len() as f64;
            for (has_gradient, slope) in self.has_gradient.iter_mut().zip(&gradient.slopes) {
                *has_gradient |= *slope != 0.0;
            }
            if let Some(spread) = plan.spread {
                self.add_prior(
                    &mut gradient.slopes,
                    model,
                    spread,
                    plan.correlated_positions / data.len() as f64,
                );
            }
            self.adam.step(&mut model.cells, &gradient.slopes, &self.units, learning_rate);
            for (cell, spec) in model.cells.iter_mut().zip(Weights::specs()) {
                *cell = cell.clamp(f64::from(spec.min), f64::from(spec.max));
            }
        }
        sum / data.len().max(1) as f64
    }

    /// Adds the gradient of a normal prior around the start with a standard deviation of `spread` declared steps.
    fn add_prior(&self, slopes: &mut [f64], model: &Model, spread: f64, share: f64) {
        for (index, slope) in slopes.iter_mut().enumerate() {
            let width = spread * self.units[index];
            if width > 0.0 {
                *slope += share * (model.cells[index] - self.start[index]) / (width * width);
            }
        }
    }

    fn shuffle(&mut self) {
        for index in (1..self.order.len()).rev() {
            let other = splitmix(&mut self.random_state) % (index as u64 + 1);
            self.order.swap(index, other as usize);
        }
    }
}

/// Returns the next number of the SplitMix64 generator.
pub(super) fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
