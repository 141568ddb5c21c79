//! Books of the engines, from which the harness plays for them.

use std::sync::Arc;

use crate::chess::{ByColor, GameLine, Move};
use crate::opening::PolyglotBook;
use crate::player::EngineBookPlan;

/// The book of an engine, read.
#[derive(Clone, Debug)]
pub struct EngineBook {
    book: Arc<PolyglotBook>,
    /// Half-moves of a game after which the book is closed.
    plies: usize,
}

impl EngineBook {
    /// Opens a book as deep as the plan of its engine allows.
    pub fn new(book: Arc<PolyglotBook>, plan: &EngineBookPlan) -> Self {
        Self { book, plies: 2 * plan.depth as usize }
    }
}

/// The books of both sides of a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineBooks<'a> {
    /// The book of each side that has one.
    pub sides: ByColor<Option<&'a EngineBook>>,
    /// Seed of all choices.
    pub seed: u64,
}

impl EngineBooks<'_> {
    /// Returns the move that the book of the side to move has chosen, if it has one. A move that repeats a position is none:
    /// the books of two engines could go on for ever.
    pub fn choose(&self, line: &GameLine) -> Option<Move> {
        let position = line.current();
        let EngineBook { book, plies } = self.sides[position.turn()]?;
        let played = line.moves().len();
        if played >= *plies {
            return None;
        }
        let mv = book.choose(position, self.seed, played)?;
        let key = position.play(mv).key();
        line.keys().all(|earlier| earlier != key).then_some(mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveStyle, Position};
    use crate::opening::polyglot_key;

    /// Returns a book with one move for each position of a line.
    fn book(moves: &[&str]) -> PolyglotBook {
        let mut position = Position::startpos();
        let mut entries: Vec<[u8; 16]> = Vec::new();
        for text in moves {
            let mv = position.parse_coordinate(text, MoveStyle::Standard).unwrap();
            let bits = (mv.to().index() | mv.from().index() << 6) as u16;
            let mut entry = [0; 16];
            entry[..8].copy_from_slice(&polyglot_key(&position).to_be_bytes());
            entry[8..10].copy_from_slice(&bits.to_be_bytes());
            entry[11] = 1;
            entries.push(entry);
            position = position.play(mv);
        }
        entries.sort_unstable();
        PolyglotBook::parse(&entries.concat()).unwrap()
    }

    fn played(books: &EngineBooks<'_>, moves: &[&str]) -> Option<String> {
        let mut line = GameLine::new(Position::startpos());
        for text in moves {
            line.push(line.current().parse_coordinate(text, MoveStyle::Standard).unwrap());
        }
        books.choose(&line).map(|mv| line.current().coordinate(mv, MoveStyle::Standard))
    }

    #[test]
    fn a_book_is_used_by_its_side_up_to_its_depth_and_never_to_repeat_a_position() {
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let book = Arc::new(book(&shuffle));
        let open = |depth| EngineBook::new(Arc::clone(&book), &EngineBookPlan { file: "b".into(), depth });
        let (shallow, deep) = (open(1), open(9));
        let books = EngineBooks { sides: ByColor { white: Some(&shallow), black: Some(&deep) }, seed: 5 };
        let expect = [Some("g1f3"), Some("g8f6"), None, None];
        for (count, expected) in expect.into_iter().enumerate() {
            assert_eq!(played(&books, &shuffle[..count]).as_deref(), expected, "after {count} half-moves");
        }
        let only_black = EngineBooks { sides: ByColor { white: None, black: Some(&deep) }, seed: 5 };
        assert_eq!(played(&only_black, &[]), None);
        assert_eq!(played(&only_black, &["g1f3"]).as_deref(), Some("g8f6"));
        assert_eq!(played(&only_black, &["e2e4"]), None, "not in the book");
    }
}
