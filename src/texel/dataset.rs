//! Samples turned into what the loss needs: sparse coefficients of every weight, taken down from the evaluation.

use std::thread;

use crate::chess::{Color, Position};
use crate::engine::Weights;
use crate::engine::eval::{Coefficients, FULL_PHASE, FULL_SCALE, scale_by_halfmove_clock};
use crate::texel::sample::Sample;

/// Neighbouring samples come from the same games; they are kept or held out together, in blocks of this many.
const BLOCK: usize = 256;

/// Positions as rows of coefficients.
///
/// A row's entries are three runs: the terms (White's count less Black's), then the danger of White's king, then that
/// of Black's. What the evaluation decides by comparing (where a king is best sheltered, who leads) stays as it
/// was with the weights the data set was made with.
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
    /// What one centipawn of the middlegame and of the endgame half adds to the score.
    pub(super) shares: [f32; 2],
    /// White's expected points.
    pub(super) target: f32,
}

/// What the targets are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// The weight of the game's result; the rest is what the search's score promised.
    pub result_share: f64,
    /// Points per score, as [`Scale::expected`](crate::texel::Scale::expected) has it.
    pub scale: crate::texel::Scale,
}

impl Dataset {
    /// Takes down every sample with `threads` threads; known endings, which no weight decides, are left out, and so
    /// are records that hold no position.
    pub fn new(samples: &[Sample], weights: &Weights, origin: Origin, threads: usize) -> Self {
        let share = samples.len().div_ceil(threads.max(1)).max(1);
        let parts: Vec<Self> = thread::scope(|scope| {
            let workers: Vec<_> = samples
                .chunks(share)
                .map(|chunk| scope.spawn(move || Self::of_chunk(chunk, weights, origin)))
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("taking down does not panic")).collect()
        });
        let mut whole = Self::default();
        parts.into_iter().for_each(|part| whole.append(&part));
        whole
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Splits the samples into those to learn from and, about one block in `one_in`, those held out.
    pub fn split(samples: &[Sample], one_in: usize) -> (Vec<Sample>, Vec<Sample>) {
        let (mut learnt, mut held_out) = (Vec::new(), Vec::new());
        for (index, block) in samples.chunks(BLOCK).enumerate() {
            let chosen = one_in > 0 && index % one_in == one_in / 2;
            if chosen { &mut held_out } else { &mut learnt }.extend_from_slice(block);
        }
        (learnt, held_out)
    }

    fn of_chunk(samples: &[Sample], weights: &Weights, origin: Origin) -> Self {
        let mut part = Self::default();
        for sample in samples {
            if let Ok(position) = sample.position.unpack() {
                part.add(&position, sample, weights, origin);
            }
        }
        part
    }

    fn add(&mut self, position: &Position, sample: &Sample, weights: &Weights, origin: Origin) {
        let taken = Coefficients::of(position, weights);
        let Some(shares) = taken.taper else { return };
        let start = self.slots.len() as u32;
        let [white, black] = &taken.terms;
        let terms = self.run(white.iter().zip(black).map(|(white, black)| white - black));
        let danger = Color::ALL.map(|us| self.run(taken.danger[us.index()].iter().copied()));
        // The clock fades a score by the same share whatever it is.
        const WHOLE: i32 = 100_000;
        let faded = scale_by_halfmove_clock(WHOLE, position.halfmove_clock(), weights.fifty_moves_stretch);
        let share = |phase: i32, scale: i32| {
            let whole = f64::from(FULL_PHASE) * f64::from(FULL_SCALE);
            (f64::from(phase * scale) / whole * f64::from(faded) / f64::from(WHOLE)) as f32
        };
        self.rows.push(Row {
            start,
            terms,
            danger,
            shares: [share(shares.phase, shares.scale[0]), share(FULL_PHASE - shares.phase, shares.scale[1])],
            target: origin.target(sample) as f32,
        });
    }

    /// Appends the counts that are not 0; tells how many.
    fn run(&mut self, counts: impl Iterator<Item = i32>) -> u16 {
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

impl Origin {
    fn target(&self, sample: &Sample) -> f64 {
        let result = sample.points();
        match sample.score {
            Some(score) => {
                let promised = self.scale.expected(f64::from(score));
                self.result_share * result + (1.0 - self.result_share) * promised
            }
            None => result,
        }
    }
}
