//! How a book is made: random legal openings, of which a judge's score decides which are kept.

use std::collections::HashSet;

use crate::chess::{Color, Epd, EpdOperation, Position};
use crate::opening::Variant;
use crate::opening::chess960::chess960_start;
use crate::opening::order::mixed;

/// How far ahead one side should be, whichever it is, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreWindow {
    min: u32,
    max: u32,
}

impl ScoreWindow {
    /// A window from `min` to `max`, both included; `None` if it is empty.
    pub fn new(min: u32, max: u32) -> Option<Self> {
        (min <= max).then_some(Self { min, max })
    }

    /// Whether a score, of either sign, is inside.
    pub fn holds(self, centipawns: i32) -> bool {
        (self.min..=self.max).contains(&centipawns.unsigned_abs())
    }

    /// The window with both ends moved outwards.
    pub fn widened(self, by: u32) -> Self {
        Self { min: self.min.saturating_sub(by), max: self.max.saturating_add(by) }
    }
}

/// What candidates for a book look like; the same recipe gives the same candidates everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// What the random moves come from.
    pub seed: u64,
    /// Random moves from the start.
    pub plies: u32,
    /// Standard chess from its start, or Chess960 from any of its starts.
    pub variant: Variant,
}

impl Recipe {
    /// The candidate of one attempt; `None` if the walk ended early or in check, where little is left to choose.
    pub fn candidate(&self, attempt: u64) -> Option<Position> {
        let mut state = mixed(self.seed ^ mixed(attempt));
        let mut below = |limit: usize| {
            state = mixed(state);
            // The bias of the remainder is one in 2^55 for the few moves of a position.
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

/// A book in the making: different positions, as many in which White is ahead as in which Black is.
#[derive(Debug)]
pub struct Harvest {
    window: ScoreWindow,
    half: usize,
    seen: HashSet<u64>,
    white_ahead: Vec<String>,
    black_ahead: Vec<String>,
}

impl Harvest {
    /// Will hold `count` openings, rounded up to an even number.
    pub fn new(window: ScoreWindow, count: usize) -> Self {
        let half = count.div_ceil(2);
        Self { window, half, seen: HashSet::new(), white_ahead: Vec::new(), black_ahead: Vec::new() }
    }

    /// Whether this position was not offered before.
    pub fn is_new(&self, position: &Position) -> bool {
        !self.seen.contains(&position.key())
    }

    /// Takes a position that is new, inside the window, and on the side that still has room. `score` is in centipawns
    /// for the side to move. A level position goes to the side that has fewer.
    pub fn offer(&mut self, position: &Position, score: i32) {
        if !self.seen.insert(position.key()) || !self.window.holds(score) {
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

    /// Whether both sides have their share.
    pub fn is_full(&self) -> bool {
        self.len() == 2 * self.half
    }

    /// How many are kept so far.
    pub fn len(&self) -> usize {
        self.white_ahead.len() + self.black_ahead.len()
    }

    /// Whether none is kept yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The book as EPD lines, the two sides in turn, so that any stretch of it is fair.
    pub fn into_lines(self) -> Vec<String> {
        self.white_ahead.into_iter().zip(self.black_ahead).flat_map(<[String; 2]>::from).collect()
    }
}

/// The position with its clocks and its score for the side to move, under EPD's own names for them.
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
    fn the_same_recipe_gives_the_same_candidates_and_another_seed_others() {
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
        assert!(starts.len() > 40, "Chess960 candidates begin at many starts");
    }

    #[test]
    fn a_harvest_holds_each_position_once_and_both_sides_equally() {
        let window = ScoreWindow::new(10, 60).unwrap();
        let mut harvest = Harvest::new(window, 20);
        let mut attempt = 0;
        while !harvest.is_full() {
            attempt += 1;
            let Some(position) = RECIPE.candidate(attempt) else { continue };
            // A made-up judge that mostly likes White.
            let whites = [20, 30, 90, -40, 5][(attempt % 5) as usize];
            let score = if position.turn() == Color::White { whites } else { -whites };
            harvest.offer(&position, score);
            assert!(!harvest.is_new(&position));
            harvest.offer(&position, score);
        }
        let lines = harvest.into_lines();
        assert_eq!(lines.len(), 20);
        let unique: HashSet<&String> = lines.iter().collect();
        assert_eq!(unique.len(), 20);
        for (n, line) in lines.iter().enumerate() {
            let epd = Epd::parse(line).unwrap();
            let score: i32 = epd.operands("ce").unwrap()[0].parse().unwrap();
            let whites = if epd.position.turn() == Color::White { score } else { -score };
            assert_eq!(whites > 0, n % 2 == 0, "{line}");
            assert!(window.holds(score), "{line}");
            assert_eq!(epd.position.fullmove_number(), 4, "{line}");
        }
    }

    #[test]
    fn a_window_looks_at_either_sign() {
        let window = ScoreWindow::new(70, 120).unwrap();
        assert!(window.holds(-70) && window.holds(120) && !window.holds(0) && !window.holds(i32::MIN));
        assert!(window.widened(50).holds(20) && window.widened(100).holds(0));
        assert_eq!(ScoreWindow::new(2, 1), None);
    }
}
