//! A board drawn with letters and, on a terminal that has them, colours.

use std::fmt::Write;

use crate::chess::{Color, Move, Piece, PieceKind, Position, Square};

/// What a picture may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Lines and figurines.
    Plain,
    /// Figurines on coloured squares.
    Colour,
}

/// What is to be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picture<'a> {
    pub(super) position: &'a Position,
    /// The move that led here, to be marked.
    pub(super) last: Option<Move>,
    /// Whose back rank is at the bottom.
    pub(super) bottom: Color,
    pub(super) paint: Paint,
}

/// Colours of the 256-colour palette: squares, the last move's squares, a king in check, and the men.
///
/// Squares are of middling brightness: terminals draw no outlines, so both inks must show on all of them.
mod palette {
    pub(super) const LIGHT: u8 = 137;
    pub(super) const DARK: u8 = 94;
    pub(super) const LIGHT_LAST: u8 = 107;
    pub(super) const DARK_LAST: u8 = 64;
    pub(super) const CHECK: u8 = 160;
    pub(super) const WHITE_MAN: u8 = 231;
    pub(super) const BLACK_MAN: u8 = 16;
}

const PLAIN_TOP: &str = "   ┌───┬───┬───┬───┬───┬───┬───┬───┐";
const PLAIN_MIDDLE: &str = "   ├───┼───┼───┼───┼───┼───┼───┼───┤";
const PLAIN_BOTTOM: &str = "   └───┴───┴───┴───┴───┴───┴───┴───┘";

impl Picture<'_> {
    /// The board, line by line, with `beside[i]` to the right of its i-th rank from the top.
    pub(super) fn draw(&self, beside: &[String]) -> String {
        let mut text = String::new();
        for row in 0..8u8 {
            if self.paint == Paint::Plain {
                text += if row == 0 { PLAIN_TOP } else { PLAIN_MIDDLE };
                text.push('\n');
            }
            let rank = self.seen_from_bottom(7 - row);
            let _ = write!(text, " {} ", rank + 1);
            for column in 0..8 {
                self.square(&mut text, Square::at(self.seen_from_bottom(column), rank));
            }
            if self.paint == Paint::Plain {
                text.push('│');
            }
            match beside.get(usize::from(row)) {
                Some(note) if !note.is_empty() => {
                    let _ = writeln!(text, "   {note}");
                }
                _ => text.push('\n'),
            }
        }
        let (gap, margin) = match self.paint {
            Paint::Plain => {
                let _ = writeln!(text, "{PLAIN_BOTTOM}");
                ("   ", "     ")
            }
            Paint::Colour => ("  ", "    "),
        };
        let files =
            (0..8).map(|column| Square::at(self.seen_from_bottom(column), 0).file_letter().to_string());
        let _ = writeln!(text, "{margin}{}", files.collect::<Vec<_>>().join(gap));
        text
    }

    /// A file or rank counted from the left or the bottom, as this picture turns the board.
    const fn seen_from_bottom(&self, line: u8) -> u8 {
        match self.bottom {
            Color::White => line,
            Color::Black => 7 - line,
        }
    }

    fn square(&self, text: &mut String, square: Square) {
        let man = self.position.piece_at(square);
        let marked = self.last.is_some_and(|mv| square == mv.from() || square == mv.to());
        let _ = match self.paint {
            Paint::Plain => {
                let (open, close) = if marked { ('[', ']') } else { (' ', ' ') };
                write!(text, "│{open}{}{close}", man.map_or(' ', outlined))
            }
            Paint::Colour => {
                let ground = self.ground(square, man, marked);
                let ink = match man {
                    Some(Piece { color: Color::White, .. }) => palette::WHITE_MAN,
                    _ => palette::BLACK_MAN,
                };
                let man = man.map_or(' ', |man| solid(man.kind));
                write!(text, "\x1b[48;5;{ground};38;5;{ink}m {man} \x1b[0m")
            }
        };
    }

    fn ground(&self, square: Square, man: Option<Piece>, marked: bool) -> u8 {
        let checked =
            self.position.in_check() && man == Some(Piece::new(self.position.turn(), PieceKind::King));
        let light = (square.file() + square.rank()) % 2 == 1;
        match (checked, marked, light) {
            (true, ..) => palette::CHECK,
            (false, true, true) => palette::LIGHT_LAST,
            (false, true, false) => palette::DARK_LAST,
            (false, false, true) => palette::LIGHT,
            (false, false, false) => palette::DARK,
        }
    }
}

/// The figurine of a man of either colour, for ink that tells the colour.
pub(super) const fn solid(kind: PieceKind) -> char {
    match kind {
        PieceKind::Pawn => '♟',
        PieceKind::Knight => '♞',
        PieceKind::Bishop => '♝',
        PieceKind::Rook => '♜',
        PieceKind::Queen => '♛',
        PieceKind::King => '♚',
    }
}

/// The figurine of a man, White's being hollow.
pub(super) const fn outlined(man: Piece) -> char {
    match (man.color, man.kind) {
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

    fn picture(position: &Position, bottom: Color, paint: Paint) -> Picture<'_> {
        Picture { position, last: None, bottom, paint }
    }

    #[test]
    fn the_board_is_seen_from_the_side_asked_for() {
        let start = Position::startpos();
        let from_white = picture(&start, Color::White, Paint::Plain).draw(&[]);
        let ranks: Vec<&str> = from_white.lines().filter(|line| line.contains('│')).collect();
        assert_eq!(ranks.len(), 8);
        assert!(ranks[0].starts_with(" 8 │ ♜ │ ♞ │ ♝ │ ♛ │ ♚ "), "{}", ranks[0]);
        assert!(ranks[7].starts_with(" 1 │ ♖ "), "{}", ranks[7]);
        let from_black = picture(&start, Color::Black, Paint::Plain).draw(&[]);
        let ranks: Vec<&str> = from_black.lines().filter(|line| line.contains('│')).collect();
        assert!(ranks[0].starts_with(" 1 │ ♖ │ ♘ │ ♗ │ ♔ │ ♕ "), "{}", ranks[0]);
        assert!(from_black.trim_end().ends_with("b   a"));
    }

    #[test]
    fn the_last_move_is_marked_on_both_its_squares() {
        let start = Position::startpos();
        let mv = start.parse_san("e4").unwrap();
        let after = start.play(mv);
        let marked = Picture { last: Some(mv), ..picture(&after, Color::White, Paint::Plain) };
        assert_eq!(marked.draw(&[]).matches('[').count(), 2);
        assert!(marked.draw(&[]).contains("[♙]"));
    }

    #[test]
    fn only_a_coloured_picture_holds_colour_codes() {
        let start = Position::startpos();
        assert!(!picture(&start, Color::White, Paint::Plain).draw(&["note".into()]).contains('\x1b'));
        let coloured = picture(&start, Color::White, Paint::Colour).draw(&["note".into()]);
        assert_eq!(coloured.matches("\x1b[48;5;").count(), 64);
        assert_eq!(coloured.lines().count(), 9);
    }
}
