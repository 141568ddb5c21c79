//! Generation of books: random legal openings, selected by score.

use std::collections::HashSet;

use crate::chess::{Color, Epd, EpdOperation, Position};
use crate::opening::Variant;
use crate::opening::chess960::chess960_start;
use crate::opening::order::mixed;

/// A range of absolute scores in centipawns: the accepted advantage of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreWindow {
    min: u32,
    max: u32,
}

impl ScoreWindow {
    /// Creates a window from `min` to `max`, both included. Returns `None` if it is empty.
    pub fn new(min: u32, max: u32) -> Option<Self> {
        (min <= max).then_some(Self { min, max })
    }

    /// Returns whether the absolute value of a score is in the window.
    pub fn contains(self, centipawns: i32) -> bool {
        (self.min..=self.max).contains(&centipawns.unsigned_abs())
    }

    /// Returns the window with both ends moved outwards.
    pub fn widened(self, by: u32) -> Self {
        Self { min: self.min.saturating_sub(by), max: self.max.saturating_add(by) }
    }
}

/// Parameters of the candidates for a book. The same recipe gives the same candidates on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The seed of the random moves.
    pub seed: u64,
    /// The number of random moves.
    pub plies: u32,
    /// The variant: standard chess, or Chess960 from a random starting position.
    pub variant: Variant,
}

impl Recipe {
    /// Returns the candidate of one attempt. Returns `None` if the game ended early, or if the position is in check,
    /// which leaves few moves.
    pub fn candidate(&self, attempt: u64) -> Option<Position> {
        let mut state = mixed(self.seed ^ mixed(attempt));
        let mut below = |limit: usize| {
            state = mixed(state);
            // The modulo bias is 1 in 2^55 for the few moves of a position.
            (state % limit as u64) as usize
        };
        let mut position = match self.variant {
            Variant::Standard => Position::startpos(),
            Variant::Chess960 => chess960_start(below(960) as u16),
        };
        for _ in 0..self.plies {
            position = position.play(position.pick_legal_move(|count| below(count as usize) as u64)?);
        }
        (!position.in_check() && position.has_legal_move()).then_some(position)
    }
}

/// Collects distinct positions for a book, the same number with White ahead as with Black ahead.
#[derive(Debug)]
pub struct BookBuilder {
    window: ScoreWindow,
    half: usize,
    seen: HashSet<u64>,
    white_ahead: Vec<String>,
    black_ahead: Vec<String>,
}

impl BookBuilder {
    /// Creates a builder for a book of `count` openings, rounded up to an even number.
    pub fn new(window: ScoreWindow, count: usize) -> Self {
        let half = count.div_ceil(2);
        Self { window, half, seen: HashSet::new(), white_ahead: Vec::new(), black_ahead: Vec::new() }
    }

    /// Returns whether the position has not been offered before.
    pub fn is_new(&self, position: &Position) -> bool {
        !self.seen.contains(&position.key())
    }

    /// Adds a position if it is new, its score is in the window, and the side that is ahead has not reached its half.
    /// `score` is in centipawns for the side to move. A position with score 0 counts for the side that has fewer.
    pub fn offer(&mut self, position: &Position, score: i32) {
        if !self.seen.insert(position.key()) || !self.window.contains(score) {
            return;
        }
        let whites = score * if position.turn() == Color::White { 1 } else { -1 };
        let to_white =
            if whites == 0 { self.white_ahead.len() <= self.black_ahead.len() } else { whites > 0 };
        let side = if to_white { &mut self.white_ahead } else { &mut self.black_ahead };
        if side.len() < self.half {
            side.push(line(position, score));
        }
    }

    /// Returns whether both halves are complete.
    pub fn is_full(&self) -> bool {
        self.len() == 2 * self.half
    }

    /// Returns the number of positions added so far.
    pub fn len(&self) -> usize {
        self.white_ahead.len() + self.black_ahead.len()
    }

    /// Returns whether no position has been added yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the book as EPD lines. The two halves alternate, so that every section of the book is balanced.
    pub fn into_lines(self) -> Vec<String> {
        self.white_ahead.into_iter().zip(self.black_ahead).flat_map(<[String; 2]>::from).collect()
    }
}

/// Returns the position as an EPD line with its clocks (`hmvc`, `fmvn`) and its score for the side to move (`ce`).
fn line(position: &Position, score: i32) -> String {
    let operation =
        |opcode: &str, operand: String| EpdOperation { opcode: opcode.to_owned(), operands: vec![operand] };
    let operations = vec![
        operation("hmvc", position.halfmove_clock().to_string()),
        operation("fmvn", position.fullmove_number().to_string()),
        operation("ce", score.to_string()),
    ];
    Epd { position: *position, operations }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: Recipe = Recipe { seed: 7, plies: 6, variant: Variant::Standard };

    #[test]
    fn candidates_depend_only_on_the_recipe() {
        let fens = |recipe: Recipe| -> Vec<String> {
            (0..50)
                .filter_map(|attempt| recipe.candidate(attempt))
                .map(|position| position.to_fen())
                .collect()
        };
        assert_eq!(fens(RECIPE), fens(RECIPE));
        assert_ne!(fens(RECIPE), fens(Recipe { seed: 8, ..RECIPE }));
        assert!(fens(RECIPE).len() > 40);
        assert!((0..50).filter_map(|n| RECIPE.candidate(n)).all(|position| position.fullmove_number() == 4));
        let starts: HashSet<String> =
            fens(Recipe { plies: 0, variant: Variant::Chess960, ..RECIPE }).into_iter().collect();
        assert!(starts.len() > 40, "Chess960 candidates have many starting positions");
    }

    #[test]
    fn a_book_contains_each_position_once_and_both_sides_equally() {
        let window = ScoreWindow::new(10, 60).unwrap();
        let mut builder = BookBuilder::new(window, 20);
        let mut attempt = 0;
        while !builder.is_full() {
            attempt += 1;
            let Some(position) = RECIPE.candidate(attempt) else { continue };
            // Artificial scores that mostly favour White.
            let whites = [20, 30, 90, -40, 5][(attempt % 5) as usize];
            let score = if position.turn() == Color::White { whites } else { -whites };
            builder.offer(&position, score);
            assert!(!builder.is_new(&position));
            builder.offer(&position, score);
        }
        let lines = builder.into_lines();
        assert_eq!(lines.len(), 20);
        let unique: HashSet<&String> = lines.iter().collect();
        assert_eq!(unique.len(), 20);
        for (n, line) in lines.iter().enumerate() {
            let epd = Epd::parse(line).unwrap();
            let score: i32 = epd.operands("ce").unwrap()[0].parse().unwrap();
            let whites = if epd.position.turn() == Color::White { score } else { -score };
            assert_eq!(whites > 0, n % 2 == 0, "{line}");
            assert!(window.contains(score), "{line}");
            assert_eq!(epd.position.fullmove_number(), 4, "{line}");
        }
    }

    #[test]
    fn a_window_ignores_the_sign_of_a_score() {
        let window = ScoreWindow::new(70, 120).unwrap();
        assert!(window.contains(-70) && window.contains(120));
        assert!(!window.contains(0) && !window.contains(i32::MIN));
        assert!(window.widened(50).contains(20) && window.widened(100).contains(0));
        assert_eq!(ScoreWindow::new(2, 1), None);
    }
}
