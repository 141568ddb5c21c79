//! A tuning run: scale fitted once, Adam on mini-batches, held-out loss after each epoch, shorter steps where it rests.

use crate::engine::{Declared, Spec, Weights};
use crate::texel::adam::Adam;
use crate::texel::dataset::{Dataset, Origin};
use crate::texel::loss::{Model, Scale};
use crate::texel::sample::Sample;

/// How a run is to go.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Threads to work with.
    pub threads: usize,
    /// Positions per step.
    pub batch: usize,
    /// Passes over the data at most.
    pub epochs: usize,
    /// Epochs without a better held-out loss before the run goes on from its best weights with shorter steps.
    pub patience: usize,
    /// The first steps' length, in declared steps of each weight.
    pub pace: f64,
    /// How many declared steps a weight is expected to lie from its start; the rarer a weight counts, the closer it
    /// stays. `None` lets every weight go where the data pull it.
    pub spread: Option<f64>,
    /// How many neighbouring positions tell about as much as one, because they come from one game.
    pub kinship: f64,
    /// The share of the game's result in the target; the rest comes from the search's score.
    pub result_share: f64,
    /// The scale; fitted to the starting weights if `None`.
    pub scale: Option<Scale>,
    /// Whether a number may be changed.
    pub tunes: fn(&Spec) -> bool,
    /// Shuffles the data.
    pub seed: u64,
}

impl Plan {
    /// A plan for a million positions and all weights.
    pub fn with_threads(threads: usize) -> Self {
        Self {
            threads,
            batch: 16_384,
            epochs: 60,
            patience: 3,
            pace: 0.25,
            spread: Some(12.0),
            kinship: 20.0,
            result_share: 0.7,
            scale: None,
            tunes: |spec| spec.section != "scaling",
            seed: 1,
        }
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochReport {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean loss on the positions learnt from, during the epoch.
    pub loss: f64,
    /// Mean loss on the positions held out, after it.
    pub held_out: f64,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The best weights, rounded.
    pub weights: Weights,
    /// The scale used.
    pub scale: Scale,
    /// Positions learnt from and held out.
    pub positions: [usize; 2],
    /// Held-out loss of the starting weights and of the tuned ones, rounded, both evaluated afresh.
    pub held_out: [f64; 2],
    /// Epochs run.
    pub epochs: usize,
    /// Weights that no position pulled at: nothing in the data shows them, or they count only in products with others that
    /// are 0.
    pub unmoved: Vec<&'static str>,
}

/// One held-out block in this many.
const HELD_OUT: usize = 12;
/// How much shorter steps become when the held-out loss rests.
const COOLING: f64 = 0.3;
/// A run ends when its steps have become so short, as a share of the first.
const COLD: f64 = 0.005;

/// Tunes `start` to the samples. Tells `observer` of every epoch.
pub fn tune(
    samples: &[Sample],
    start: &Weights,
    plan: &Plan,
    observer: &mut dyn FnMut(EpochReport),
) -> Tuned {
    let (learnt, held_out) = Dataset::split(samples, HELD_OUT);
    let mut origin = Origin { result_share: 1.0, scale: Scale(1.0) };
    let by_result = Dataset::new(&held_out, start, origin, plan.threads);
    let mut model = Model::of(start);
    let scale = plan.scale.unwrap_or_else(|| Scale::fit(&model, &by_result, plan.threads));
    origin = Origin { result_share: plan.result_share, scale };
    let learnt = Dataset::new(&learnt, start, origin, plan.threads);
    let checked = Dataset::new(&held_out, start, origin, plan.threads);
    let before = model.loss(&checked, scale, plan.threads);

    let mut best = (before, model.clone());
    let mut run = Run::new(&learnt, &model, plan);
    let (mut epochs, mut rested, mut warmth) = (0, 0, 1.0);
    while epochs < plan.epochs && warmth >= COLD {
        epochs += 1;
        let loss = run.epoch(&mut model, &learnt, scale, plan, plan.pace * warmth);
        let held_out = model.loss(&checked, scale, plan.threads);
        observer(EpochReport { epoch: epochs, loss, held_out });
        if held_out < best.0 {
            best = (held_out, model.clone());
            rested = 0;
        } else {
            rested += 1;
        }
        // Long steps wander around the optimum; from the best place met on the way, shorter ones come closer.
        if rested == plan.patience {
            (rested, warmth) = (0, warmth * COOLING);
            model = best.1.clone();
            run.adam = Adam::new(model.cells.len());
        }
    }
    let weights = best.1.rounded();
    let afresh = Dataset::new(&held_out, &weights, origin, plan.threads);
    let after = Model::of(&weights).loss(&afresh, scale, plan.threads);
    Tuned {
        weights,
        scale,
        positions: [learnt.len(), checked.len()],
        held_out: [before, after],
        epochs,
        unmoved: run.unmoved(),
    }
}

/// The state that lasts over epochs.
struct Run {
    adam: Adam,
    order: Vec<u32>,
    start: Vec<f64>,
    units: Vec<f64>,
    pulled: Vec<bool>,
    dice: u64,
}

impl Run {
    fn new(data: &Dataset, model: &Model, plan: &Plan) -> Self {
        let unit = |spec: &Spec| if (plan.tunes)(spec) { f64::from(spec.step) } else { 0.0 };
        Self {
            adam: Adam::new(model.cells.len()),
            order: (0..data.len() as u32).collect(),
            start: model.cells.clone(),
            units: Weights::specs().iter().map(unit).collect(),
            pulled: vec![false; model.cells.len()],
            dice: plan.seed,
        }
    }

    /// The names of the weights that might have been changed and that no position pulled at.
    fn unmoved(&self) -> Vec<&'static str> {
        let cells = Weights::specs().iter().zip(&self.units).zip(&self.pulled);
        cells
            .filter(|((_, unit), pulled)| **unit > 0.0 && !**pulled)
            .map(|((spec, _), _)| spec.name.as_str())
            .collect()
    }

    /// One pass over the data; gives the mean loss on the way.
    fn epoch(&mut self, model: &mut Model, data: &Dataset, scale: Scale, plan: &Plan, pace: f64) -> f64 {
        self.shuffle();
        let mut sum = 0.0;
        for batch in self.order.chunks(plan.batch.max(1)) {
            let mut gradient = model.gradient(data, batch, scale, plan.threads);
            sum += gradient.loss * batch.len() as f64;
            for (pulled, slope) in self.pulled.iter_mut().zip(&gradient.slopes) {
                *pulled |= *slope != 0.0;
            }
            if let Some(spread) = plan.spread {
                self.hold_back(&mut gradient.slopes, model, spread, plan.kinship / data.len() as f64);
            }
            self.adam.step(&mut model.cells, &gradient.slopes, &self.units, pace);
            for (cell, spec) in model.cells.iter_mut().zip(Weights::specs()) {
                *cell = cell.clamp(f64::from(spec.min), f64::from(spec.max));
            }
        }
        sum / data.len().max(1) as f64
    }

    /// Adds the slope of a normal prior around the start, `spread` declared steps wide.
    fn hold_back(&self, slopes: &mut [f64], model: &Model, spread: f64, share: f64) {
        for (index, slope) in slopes.iter_mut().enumerate() {
            let width = spread * self.units[index];
            if width > 0.0 {
                *slope += share * (model.cells[index] - self.start[index]) / (width * width);
            }
        }
    }

    fn shuffle(&mut self) {
        for index in (1..self.order.len()).rev() {
            let other = splitmix(&mut self.dice) % (index as u64 + 1);
            self.order.swap(index, other as usize);
        }
    }
}

/// The next of a stream of well-mixed numbers.
pub(super) fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
