//! Board diagrams as text, with colours on terminals that support them.

use std::fmt::Write;

use crate::chess::{Color, Move, Piece, PieceKind, Position, Square};

/// The style of a board diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardStyle {
    /// Box-drawing lines and figurines.
    Plain,
    /// Figurines on coloured squares.
    Colour,
}

/// A board diagram.
#[derive(Clone, Copy, Debug)]
pub struct BoardText<'a> {
    /// The position.
    pub position: &'a Position,
    /// The last move, whose squares are marked.
    pub last: Option<Move>,
    /// The side whose back rank is at the bottom.
    pub bottom: Color,
    /// How it is drawn.
    pub style: BoardStyle,
}

/// Colours of the 256-colour palette: squares, squares of the last move, a king in check, and pieces.
///
/// The squares have medium brightness: terminals draw no outlines, so pieces of both colours must be visible on them.
mod palette {
    pub(super) const LIGHT: u8 = 137;
    pub(super) const DARK: u8 = 94;
    pub(super) const LIGHT_LAST: u8 = 107;
    pub(super) const DARK_LAST: u8 = 64;
    pub(super) const CHECK: u8 = 160;
    pub(super) const WHITE_PIECE: u8 = 231;
    pub(super) const BLACK_PIECE: u8 = 16;
}

const PLAIN_TOP: &str = "   ┌───┬───┬───┬───┬───┬───┬───┬───┐";
const PLAIN_MIDDLE: &str = "   ├───┼───┼───┼───┼───┼───┼───┼───┤";
const PLAIN_BOTTOM: &str = "   └───┴───┴───┴───┴───┴───┴───┴───┘";

impl BoardText<'_> {
    /// Number of lines of a board in colour.
    pub const COLOUR_LINES: usize = 9;
    /// Number of columns of a board in colour.
    pub const COLOUR_COLUMNS: usize = 27;
    /// Number of lines of a plain board.
    pub const PLAIN_LINES: usize = 18;
    /// Number of columns of a plain board.
    pub const PLAIN_COLUMNS: usize = 36;

    /// Draws the board, with `beside[i]` to the right of the i-th rank from the top.
    pub fn draw(&self, beside: &[String]) -> String {
        let mut text = String::new();
        for row in 0..8u8 {
            if self.style == BoardStyle::Plain {
                text += if row == 0 { PLAIN_TOP } else { PLAIN_MIDDLE };
                text.push('\n');
            }
            let rank = self.oriented(7 - row);
            let _ = write!(text, " {} ", rank + 1);
            for column in 0..8 {
                self.square(&mut text, Square::at(self.oriented(column), rank));
            }
            if self.style == BoardStyle::Plain {
                text.push('│');
            }
            match beside.get(usize::from(row)) {
                Some(note) if !note.is_empty() => {
                    let _ = writeln!(text, "   {note}");
                }
                _ => text.push('\n'),
            }
        }
        let (gap, margin) = match self.style {
            BoardStyle::Plain => {
                let _ = writeln!(text, "{PLAIN_BOTTOM}");
                ("   ", "     ")
            }
            BoardStyle::Colour => ("  ", "    "),
        };
        let files = (0..8).map(|column| Square::at(self.oriented(column), 0).file_letter().to_string());
        let _ = writeln!(text, "{margin}{}", files.collect::<Vec<_>>().join(gap));
        text
    }

    /// Converts a column or row of the diagram, counted from the left or the bottom, to a file or rank.
    const fn oriented(&self, line: u8) -> u8 {
        match self.bottom {
            Color::White => line,
            Color::Black => 7 - line,
        }
    }

    fn square(&self, text: &mut String, square: Square) {
        let piece = self.position.piece_at(square);
        let _ = match self.style {
            BoardStyle::Plain => {
                let (open, close) = if self.is_marked(square) { ('[', ']') } else { (' ', ' ') };
                write!(text, "│{open}{}{close}", piece.map_or(' ', outlined))
            }
            BoardStyle::Colour => {
                let background = self.background(square, piece);
                let foreground = match piece {
                    Some(Piece { color: Color::White, .. }) => palette::WHITE_PIECE,
                    _ => palette::BLACK_PIECE,
                };
                let figurine = piece.map_or(' ', |piece| solid(piece.kind));
                write!(text, "\x1b[48;5;{background};38;5;{foreground}m {figurine} \x1b[0m")
            }
        };
    }

    fn is_marked(&self, square: Square) -> bool {
        self.last.is_some_and(|mv| square == mv.from() || square == mv.to())
    }

    fn background(&self, square: Square, piece: Option<Piece>) -> u8 {
        let checked =
            self.position.in_check() && piece == Some(Piece::new(self.position.turn(), PieceKind::King));
        let light = (square.file() + square.rank()) % 2 == 1;
        match (checked, self.is_marked(square), light) {
            (true, ..) => palette::CHECK,
            (false, true, true) => palette::LIGHT_LAST,
            (false, true, false) => palette::DARK_LAST,
            (false, false, true) => palette::LIGHT,
            (false, false, false) => palette::DARK,
        }
    }
}

/// Returns the solid figurine of a piece, for text whose colour shows the side.
pub const fn solid(kind: PieceKind) -> char {
    match kind {
        PieceKind::Pawn => '♟',
        PieceKind::Knight => '♞',
        PieceKind::Bishop => '♝',
        PieceKind::Rook => '♜',
        PieceKind::Queen => '♛',
        PieceKind::King => '♚',
    }
}

/// Returns the figurine of a piece: outlined for White, solid for Black.
pub const fn outlined(piece: Piece) -> char {
    match (piece.color, piece.kind) {
        (Color::Black, kind) => solid(kind),
        (Color::White, PieceKind::Pawn) => '♙',
        (Color::White, PieceKind::Knight) => '♘',
        (Color::White, PieceKind::Bishop) => '♗',
        (Color::White, PieceKind::Rook) => '♖',
        (Color::White, PieceKind::Queen) => '♕',
        (Color::White, PieceKind::King) => '♔',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram(position: &Position, bottom: Color, style: BoardStyle) -> BoardText<'_> {
        BoardText { position, last: None, bottom, style }
    }

    #[test]
    fn the_board_is_drawn_from_the_requested_side() {
        let start = Position::startpos();
        let from_white = diagram(&start, Color::White, BoardStyle::Plain).draw(&[]);
        let ranks: Vec<&str> = from_white.lines().filter(|line| line.contains('│')).collect();
        assert_eq!(ranks.len(), 8);
        assert!(ranks[0].starts_with(" 8 │ ♜ │ ♞ │ ♝ │ ♛ │ ♚ "), "{}", ranks[0]);
        assert!(ranks[7].starts_with(" 1 │ ♖ "), "{}", ranks[7]);
        let from_black = diagram(&start, Color::Black, BoardStyle::Plain).draw(&[]);
        let ranks: Vec<&str> = from_black.lines().filter(|line| line.contains('│')).collect();
        assert!(ranks[0].starts_with(" 1 │ ♖ │ ♘ │ ♗ │ ♔ │ ♕ "), "{}", ranks[0]);
        assert!(from_black.trim_end().ends_with("b   a"));
    }

    #[test]
    fn the_last_move_is_marked_on_both_its_squares() {
        let start = Position::startpos();
        let mv = start.parse_san("e4").unwrap();
        let after = start.play(mv);
        let marked = BoardText { last: Some(mv), ..diagram(&after, Color::White, BoardStyle::Plain) };
        assert_eq!(marked.draw(&[]).matches('[').count(), 2);
        assert!(marked.draw(&[]).contains("[♙]"));
    }

    #[test]
    fn only_a_coloured_diagram_contains_escape_sequences() {
        let start = Position::startpos();
        assert!(!diagram(&start, Color::White, BoardStyle::Plain).draw(&["note".into()]).contains('\x1b'));
        let coloured = diagram(&start, Color::White, BoardStyle::Colour).draw(&["note".into()]);
        assert_eq!(coloured.matches("\x1b[48;5;").count(), 64);
        assert_eq!(coloured.lines().count(), 9);
    }
}
