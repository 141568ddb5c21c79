//! Training data in the form that the loss needs: for each sample, the sparse coefficients of its evaluation.

use std::thread;

use crate::chess::{Color, Position};
use crate::engine::Weights;
use crate::engine::eval::{Coefficients, FULL_PHASE, FULL_SCALE, scale_by_halfmove_clock};
use crate::texel::loss::Scale;
use crate::texel::training_set::Labelled;

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
    pub(super) start: usize,
    pub(super) terms: u16,
    pub(super) danger: [u16; 2],
    /// Contribution of one centipawn of the middlegame and of the endgame value to the score.
    pub(super) shares: [f32; 2],
    /// White's expected points.
    pub(super) target: f32,
    /// White's points in the game or games.
    points: f32,
    /// White's score of a search; NaN without one.
    search: f32,
}

/// How the target of a position is mixed from its result and the score of its search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMix {
    /// Weight of the game result; the rest is the weight of the expected points at the score of the search.
    pub result_share: f64,
    /// Scale that converts scores of searches to expected points. It differs from that of the evaluation, because a search
    /// knows more.
    pub search_scale: Scale,
}

impl Dataset {
    /// Evaluates all positions with `threads` threads; their targets are the results. Known endings, whose score does not
    /// depend on weights, and invalid positions are left out.
    pub fn new(positions: &[Labelled], weights: &Weights, threads: usize) -> Self {
        let chunk_size = positions.len().div_ceil(threads.max(1)).max(1);
        let parts: Vec<Self> = thread::scope(|scope| {
            let workers: Vec<_> = positions
                .chunks(chunk_size)
                .map(|chunk| scope.spawn(move || Self::of_chunk(chunk, weights)))
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

    /// Replaces the targets by mixtures of results and scores.
    #[must_use]
    pub fn with_targets(mut self, mix: TargetMix) -> Self {
        for row in &mut self.rows {
            row.target = mix.target(row) as f32;
        }
        self
    }

    /// Returns the scale at which the scores of searches fit the results best; `None` without scores.
    pub fn search_scale(&self) -> Option<Scale> {
        let scored: Vec<(f64, f64)> = self
            .rows
            .iter()
            .filter(|row| !row.search.is_nan())
            .map(|row| (f64::from(row.search), f64::from(row.points)))
            .collect();
        (!scored.is_empty()).then(|| Scale::fit_to(&scored))
    }

    /// Returns the points of every row in its game.
    pub(super) fn points(&self) -> impl Iterator<Item = f32> {
        self.rows.iter().map(|row| row.points)
    }

    fn of_chunk(positions: &[Labelled], weights: &Weights) -> Self {
        let mut part = Self::default();
        for labelled in positions {
            if let Ok(position) = labelled.position.unpack() {
                part.add(&position, labelled, weights);
            }
        }
        part
    }

    fn add(&mut self, position: &Position, labelled: &Labelled, weights: &Weights) {
        let coefficients = Coefficients::of(position, weights);
        let Some(taper) = coefficients.taper else { return };
        let start = self.slots.len();
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
            target: labelled.points,
            points: labelled.points,
            search: labelled.score.unwrap_or(f32::NAN),
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
        let shift = self.slots.len();
        self.slots.extend_from_slice(&part.slots);
        self.counts.extend_from_slice(&part.counts);
        self.rows.extend(part.rows.iter().map(|row| Row { start: row.start + shift, ..*row }));
    }
}

impl TargetMix {
    fn target(&self, row: &Row) -> f64 {
        let result = f64::from(row.points);
        if row.search.is_nan() {
            return result;
        }
        let expected = self.search_scale.expected(f64::from(row.search));
        self.result_share * result + (1.0 - self.result_share) * expected
    }
}
