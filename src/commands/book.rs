//! Opening books: random openings selected by the built-in engine.

use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use anyhow::Context;

use crate::chess::Position;
use crate::commands::console::Console;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::output_file::require_folder_of;
use crate::commands::position_scorer::PositionScorer;
use crate::opening::{BookBuilder, Recipe, ScoreWindow, write_book};

/// Candidates scored before the book is looked at again.
const BATCH: u64 = 64;

/// Batches between two lines of progress.
const BATCHES_PER_REPORT: usize = 16;

/// If no candidate of a whole report was accepted after this many, none will be.
const HOPELESS_AFTER: u64 = 100_000;

/// Most candidates are far outside the window, which a search of this share of the nodes shows.
const QUICK_SHARE: u64 = 16;

/// Centipawns by which the score of the quick search may miss the window.
const QUICK_MARGIN: u32 = 150;

/// Parameters of a book.
#[derive(Clone, Copy, Debug)]
pub struct BookRequest {
    /// Source of the candidates.
    pub recipe: Recipe,
    /// Accepted scores.
    pub window: ScoreWindow,
    /// Number of openings; an odd number becomes the next even one.
    pub count: NonZeroUsize,
    /// Nodes of the search that scores a candidate.
    pub nodes: u64,
    /// Number of searches at once; the book does not depend on it.
    pub threads: NonZeroUsize,
}

/// Makes a book and writes it to `path` as EPD, compressed if the name ends in `.gz`. Progress is printed on standard error.
pub fn make_book(request: &BookRequest, path: &Path, console: Console) -> Result<(), Failure> {
    require_folder_of(path)?;
    let mut builder = BookBuilder::new(request.window, request.count.get());
    let mut scorers: Vec<Scorer> = (0..request.threads.get()).map(|_| Scorer::new(request)).collect();
    let mut attempts = 0;
    while !builder.is_full() {
        let before = builder.len();
        for _ in 0..BATCHES_PER_REPORT {
            if !builder.is_full() {
                add_batch(&request.recipe, attempts, &mut scorers, &mut builder);
                attempts += BATCH;
            }
        }
        console.print_progress(&format!("{} openings of {attempts} candidates", builder.len()));
        if builder.len() == before && attempts > HOPELESS_AFTER {
            return Err(Failure::usage(format_args!(
                "{attempts} candidates gave {before} openings: widen --window or change --plies"
            )));
        }
    }
    let mut text = builder.into_lines().join("\n");
    text.push('\n');
    write_book(path, &text).with_context(|| format!("{} cannot be written", path.display())).or_fault()
}

/// Scores a batch of candidates in parallel, then offers them in the order of their attempts.
fn add_batch(recipe: &Recipe, first: u64, scorers: &mut [Scorer], builder: &mut BookBuilder) {
    let candidates: Vec<Position> = (first..first + BATCH)
        .filter_map(|attempt| recipe.candidate(attempt))
        .filter(|position| builder.is_new(position))
        .collect();
    let share = candidates.len().div_ceil(scorers.len()).max(1);
    let scores: Vec<Option<i32>> = thread::scope(|scope| {
        let running: Vec<_> = candidates
            .chunks(share)
            .zip(scorers)
            .map(|(part, scorer)| {
                scope.spawn(|| part.iter().map(|position| scorer.score(position)).collect::<Vec<_>>())
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a search does not panic")).collect()
    });
    for (position, score) in candidates.iter().zip(scores) {
        if let Some(score) = score {
            builder.offer(position, score);
        }
    }
}

/// Scores candidates, most of them only roughly.
struct Scorer {
    scorer: PositionScorer,
    nodes: u64,
    window: ScoreWindow,
}

impl Scorer {
    fn new(request: &BookRequest) -> Self {
        Self { scorer: PositionScorer::new(), nodes: request.nodes, window: request.window }
    }

    /// Returns centipawns for the side to move; `None` if the score is far outside the window or a mate.
    fn score(&mut self, position: &Position) -> Option<i32> {
        let quick = self.scorer.score(position, self.nodes / QUICK_SHARE)?;
        if !self.window.widened(QUICK_MARGIN).contains(quick) {
            return None;
        }
        self.scorer.score(position, self.nodes)
    }
}
