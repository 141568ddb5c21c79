//! Training data in the form that the loss needs: for each sample, the sparse coefficients of its evaluation.

use std::thread;

use crate::chess::{Color, Position};
use crate::engine::Weights;
use crate::engine::eval::{Coefficients, FULL_PHASE, FULL_SCALE, scale_by_halfmove_clock};
use crate::texel::sample::Sample;

/// Size of the blocks of consecutive samples that are used for training or held out together, because neighbouring samples
/// come from the same game.
const BLOCK: usize = 256;

/// Positions as rows of coefficients.
///
/// The entries of a row are three runs: the terms (White's count minus Black's), the danger of White's king, and the danger
/// of Black's king. Decisions that the evaluation makes by comparison (the best shelter of a king, the leading side) stay
/// as they were with the weights with which the data set was created.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    pub(super) slots: Vec<u16>,
    pub(super) counts: Vec<i16>,
    pub(super) rows: Vec<Row>,
}

/// One position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) start: u32,
    pub(super) terms: u16,
    pub(super) danger: [u16; 2],
    /// Contribution of one centipawn of the middlegame and of the endgame value to the score.
    pub(super) shares: [f32; 2],
    /// White's expected points.
    pub(super) target: f32,
}

/// How the target of a sample is mixed from its result and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMix {
    /// Weight of the game result; the rest is the weight of the expected points at the score of the search.
    pub result_share: f64,
    /// Scale that converts scores to expected points.
    pub scale: crate::texel::Scale,
}

impl Dataset {
    /// Evaluates all samples with `threads` threads. Known endings, whose score does not depend on weights, and invalid
    /// positions are left out.
    pub fn new(samples: &[Sample], weights: &Weights, mix: TargetMix, threads: usize) -> Self {
        let chunk_size = samples.len().div_ceil(threads.max(1)).max(1);
        let parts: Vec<Self> = thread::scope(|scope| {
            let workers: Vec<_> = samples
                .chunks(chunk_size)
                .map(|chunk| scope.spawn(move || Self::of_chunk(chunk, weights, mix)))
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("evaluation does not panic")).collect()
        });
        let mut whole = Self::default();
        parts.into_iter().for_each(|part| whole.append(&part));
        whole
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the data set has no positions.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Splits the samples into a training set and a held-out set, which gets one of `one_in` blocks.
    pub fn split(samples: &[Sample], one_in: usize) -> (Vec<Sample>, Vec<Sample>) {
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for (index, block) in samples.chunks(BLOCK).enumerate() {
            let is_held_out = one_in > 0 && index % one_in == one_in / 2;
            if is_held_out { &mut held_out } else { &mut training }.extend_from_slice(block);
        }
        (training, held_out)
    }

    fn of_chunk(samples: &[Sample], weights: &Weights, mix: TargetMix) -> Self {
        let mut part = Self::default();
        for sample in samples {
            if let Ok(position) = sample.position.unpack() {
                part.add(&position, sample, weights, mix);
            }
        }
        part
    }

    fn add(&mut self, position: &Position, sample: &Sample, weights: &Weights, mix: TargetMix) {
        let coefficients = Coefficients::of(position, weights);
        let Some(taper) = coefficients.taper else { return };
        let start = self.slots.len() as u32;
        let [white, black] = &coefficients.terms;
        let terms = self.push_run(white.iter().zip(black).map(|(white, black)| white - black));
        let danger = Color::ALL.map(|us| self.push_run(coefficients.danger[us.index()].iter().copied()));
        // The halfmove clock multiplies every score by the same factor; compute it with a large score.
        const LARGE: i32 = 100_000;
        let scaled = scale_by_halfmove_clock(LARGE, position.halfmove_clock(), weights.fifty_moves_stretch);
        let share = |phase: i32, scale: i32| {
            let full = f64::from(FULL_PHASE) * f64::from(FULL_SCALE);
            (f64::from(phase * scale) / full * f64::from(scaled) / f64::from(LARGE)) as f32
        };
        self.rows.push(Row {
            start,
            terms,
            danger,
            shares: [share(taper.phase, taper.scale[0]), share(FULL_PHASE - taper.phase, taper.scale[1])],
            target: mix.target(sample) as f32,
        });
    }

    /// Appends the counts that are not 0, and returns their number.
    fn push_run(&mut self, counts: impl Iterator<Item = i32>) -> u16 {
        let before = self.slots.len();
        for (slot, count) in counts.enumerate() {
            if count != 0 {
                self.slots.push(slot as u16);
                self.counts.push(count.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
            }
        }
        (self.slots.len() - before) as u16
    }

    fn append(&mut self, part: &Self) {
        let shift = self.slots.len() as u32;
        self.slots.extend_from_slice(&part.slots);
        self.counts.extend_from_slice(&part.counts);
        self.rows.extend(part.rows.iter().map(|row| Row { start: row.start + shift, ..*row }));
    }
}

impl TargetMix {
    fn target(&self, sample: &Sample) -> f64 {
        let result = sample.points();
        match sample.score {
            Some(score) => {
                let expected = self.scale.expected(f64::from(score));
                self.result_share * result + (1.0 - self.result_share) * expected
            }
            None => result,
        }
    }
}
