//! The openings of a plan.

use crate::opening::{Book, BookFormat, BookOptions, Opening};
use crate::run::{Openings, Plan};

/// The book of a plan, or the initial position for every round.
pub(super) struct PlannedOpenings(Option<Book>);

impl PlannedOpenings {
    /// Opens the book and checks all its openings.
    pub(super) fn open(plan: &Plan) -> anyhow::Result<Self> {
        let Some(planned) = &plan.openings else { return Ok(Self(None)) };
        let options = BookOptions {
            order: planned.order,
            share: planned.share,
            seed: plan.seed,
            start: planned.start,
            take: planned.take,
            plies: planned.plies,
            variant: planned.variant,
            ..BookOptions::default()
        };
        Ok(Self(Some(Book::open(&planned.file.path, BookFormat::Guess, options)?)))
    }
}

/// Openings that are looked at for set-up positions: a book nearly always has one kind.
const SAMPLE: u64 = 64;

impl PlannedOpenings {
    /// Returns the first position among the first openings that is not the starting position.
    pub(super) fn set_up_position(&self) -> Option<String> {
        let fens = (0..SAMPLE).filter_map(|round| self.opening(round).ok()).map(|opening| opening.fen);
        fens.into_iter().find(|fen| fen != Opening::START_FEN)
    }
}

impl Openings for PlannedOpenings {
    fn opening(&self, place: u64) -> Result<Opening, String> {
        match &self.0 {
            Some(book) => book.opening(place).map_err(|error| error.to_string()),
            None => Ok(Opening::start()),
        }
    }
}
