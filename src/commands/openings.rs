//! The openings of a plan.

use crate::chess::Position;
use crate::commands::position_scorer::PositionScorer;
use crate::opening::{AfterBook, Book, BookFormat, BookOptions, Extension, Opening};
use crate::run::{Openings, Plan};

/// Nodes of the search that scores a fresh opening.
const NODES: u64 = 400;

/// The book of a plan, or the initial position, and what follows when all openings were used.
pub(super) struct PlannedOpenings {
    book: Option<Book>,
    after_book: AfterBook,
    seed: u64,
    /// Created for the first fresh opening.
    scorer: Option<PositionScorer>,
}

impl PlannedOpenings {
    /// Opens the book and checks all its openings.
    pub(super) fn open(plan: &Plan) -> anyhow::Result<Self> {
        let book = match &plan.openings {
            Some(planned) => {
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
                Some(Book::open(&planned.file.path, BookFormat::Guess, options)?)
            }
            None => None,
        };
        Ok(Self { book, after_book: plan.after_book, seed: plan.seed, scorer: None })
    }

    /// Returns the number of rounds before an opening is used again.
    pub(super) fn rounds(&self) -> u64 {
        self.book.as_ref().map_or(1, |book| book.usable() - book.turn_and_cycle(0).0.min(book.usable()))
    }

    /// Returns the opening of a round as the book has it, and the position after its moves.
    fn used(&self, round: u64) -> Result<(Opening, Position), String> {
        let Some(book) = &self.book else { return Ok((Opening::start(), Position::startpos())) };
        let opening = book.opening(round).map_err(|error| error.to_string())?;
        let (end, _) = book.end_position(opening.index).map_err(|error| error.to_string())?;
        Ok((opening, end))
    }

    /// Returns an opening that was used before, extended by random moves.
    fn fresh(&mut self, round: u64, turn: u64, cycle: u64) -> Result<Opening, String> {
        let (opening, end) = self.used(round)?;
        let scorer = self.scorer.get_or_insert_with(PositionScorer::new);
        let extension = Extension { seed: self.seed, turn, cycle };
        let moves = extension.moves(&end, |position| scorer.score(position, NODES));
        // An opening that cannot be extended is one move from its end, and no better than a repeated one.
        Ok(opening.extended(&end, &moves.unwrap_or_default()))
    }
}

/// Openings that are looked at for set-up positions: a book nearly always has one kind.
const SAMPLE: u64 = 64;

impl PlannedOpenings {
    /// Returns the first position among the first openings that is not the starting position.
    pub(super) fn set_up_position(&self) -> Option<String> {
        let fens = (0..SAMPLE).filter_map(|round| self.used(round).ok()).map(|(opening, _)| opening.fen);
        fens.into_iter().find(|fen| fen != Opening::START_FEN)
    }
}

impl Openings for PlannedOpenings {
    fn opening(&mut self, round: u64) -> Result<Option<Opening>, String> {
        let (turn, cycle) = self.book.as_ref().map_or((round, round), |book| book.turn_and_cycle(round));
        match self.after_book {
            AfterBook::Stop if cycle > 0 => Ok(None),
            AfterBook::Extend if cycle > 0 => self.fresh(round, turn, cycle).map(Some),
            _ => self.used(round).map(|(opening, _)| Some(opening)),
        }
    }
}
