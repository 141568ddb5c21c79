//! A game in progress as a board, with clocks, evaluations and the last moves beside it.

use std::time::{Duration, Instant};

use crate::chess::{BoardStyle, BoardText, Color, Move, MoveStyle, Position};
use crate::game::{LiveGame, LiveSearch};
use crate::report::text::ansi_screen::Ink;
use crate::report::text::panel::fit;
use crate::run::Plan;
use crate::run::control::{BoardStatus, from_white};

/// Rows beside the board that list moves.
const MOVE_ROWS: usize = 6;
/// Columns of a full move.
const MOVE_COLUMNS: usize = 20;
/// Columns beside the board below which nothing can be shown there.
const LEAST_BESIDE: usize = 30;
/// Columns between board and text.
const GAP: usize = 3;

/// A game in progress, ready to be drawn.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// White's name, then Black's.
    names: [String; 2],
    clocks: [Option<Duration>; 2],
    /// Evaluation from White's side and depth.
    evaluations: [Option<String>; 2],
    position: Position,
    line: Vec<(Position, Move)>,
}

impl BoardView {
    /// Returns the view of a game of this process.
    pub fn of_game(game: &LiveGame, plan: &Plan, now: Instant) -> Self {
        let evaluation = |color: Color| game.searches[color].and_then(|search| evaluation(search, color));
        Self {
            names: [game.white, game.black].map(|engine| plan.name_of(engine).to_owned()),
            clocks: Color::ALL.map(|color| game.clock_at(color, now)),
            evaluations: Color::ALL.map(evaluation),
            position: game.position,
            line: game.line(),
        }
    }

    /// Returns the view of a game that another process reports; `None` if its position cannot be read.
    pub fn of_status(status: &BoardStatus) -> Option<Self> {
        let position = Position::from_fen(&status.fen).ok()?;
        let style = if status.chess960 { MoveStyle::Chess960 } else { MoveStyle::Standard };
        let mut line = Vec::new();
        if let Ok(mut before) = Position::from_fen(&status.start) {
            for text in status.moves.split_whitespace() {
                let Ok(mv) = before.parse_coordinate(text, style) else { break };
                line.push((before, mv));
                before = before.play(mv);
            }
        }
        let since = Duration::from_millis(status.since_ms);
        let mover = position.turn().index();
        let clock = |side: usize| {
            let left = Duration::from_millis(status.clocks_ms[side]?);
            Some(if side == mover { left.saturating_sub(since) } else { left })
        };
        Some(Self {
            names: [status.white.clone(), status.black.clone()],
            clocks: [clock(0), clock(1)],
            evaluations: [0, 1].map(|side| {
                let score = status.scores[side].clone()?;
                Some(with_depth(score, status.depths[side]))
            }),
            position,
            line,
        })
    }

    /// Returns the number of lines that the board needs.
    pub(super) fn height(ink: Ink) -> usize {
        match ink {
            Ink::Colour => BoardText::COLOUR_LINES,
            Ink::Plain => BoardText::PLAIN_LINES,
        }
    }

    /// Draws the board at most `width` columns wide; `None` if it does not fit.
    pub(super) fn draw(&self, ink: Ink, width: usize) -> Option<Vec<String>> {
        let (style, board) = match ink {
            Ink::Colour => (BoardStyle::Colour, BoardText::COLOUR_COLUMNS),
            Ink::Plain => (BoardStyle::Plain, BoardText::PLAIN_COLUMNS),
        };
        let beside = width.checked_sub(board + GAP).filter(|columns| *columns >= LEAST_BESIDE)?;
        let mut notes = vec![self.player(Color::Black, ink, beside)];
        notes.extend(move_list(&self.line, beside / MOVE_COLUMNS, ink));
        notes.resize(7, String::new());
        notes.push(self.player(Color::White, ink, beside));
        let last = self.line.last().map(|(_, mv)| *mv);
        let text = BoardText { position: &self.position, last, bottom: Color::White, style };
        Some(text.draw(&notes).lines().map(str::to_owned).collect())
    }

    fn player(&self, color: Color, ink: Ink, width: usize) -> String {
        let side = color.index();
        let to_move = self.position.turn() == color;
        let clock = self.clocks[side].map_or(String::new(), clock_text);
        let evaluation = self.evaluations[side].as_deref().unwrap_or("");
        let right = format!("{clock:>8} {evaluation:>12}");
        let mark = if to_move { '▸' } else { ' ' };
        let room = width.saturating_sub(right.chars().count() + 3);
        let name = format!("{mark} {:<room$}", fit(&self.names[side], room));
        let name = if to_move { ink.strong(&name) } else { name };
        format!("{name} {right}")
    }
}

/// Returns the evaluation and depth of a search, as in `+0.35 d12`.
fn evaluation(search: LiveSearch, color: Color) -> Option<String> {
    Some(with_depth(from_white(search.score?, color), search.depth))
}

fn with_depth(score: String, depth: Option<u16>) -> String {
    match depth {
        Some(depth) => format!("{score} d{depth}"),
        None => score,
    }
}

/// Returns the time as `0:07.4`, or without tenths from ten minutes.
fn clock_text(left: Duration) -> String {
    let tenths = left.as_millis() / 100;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    match minutes {
        0..10 => format!("{minutes}:{seconds:02}.{}", tenths % 10),
        10..60 => format!("{minutes}:{seconds:02}"),
        _ => format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60),
    }
}

/// Returns the last full moves in SAN, downwards in `columns` columns.
fn move_list(line: &[(Position, Move)], columns: usize, ink: Ink) -> Vec<String> {
    let full_moves = MOVE_ROWS * columns.max(1);
    let mut cells: Vec<String> = Vec::new();
    // One half-move more than is shown, so that the first cell is whole.
    for (before, mv) in &line[line.len().saturating_sub(2 * full_moves + 1)..] {
        let (san, number) = (before.san(*mv), before.fullmove_number());
        match (before.turn(), cells.last_mut()) {
            (Color::White, _) => cells.push(format!("{number:>3}. {san:<7}")),
            (Color::Black, Some(cell)) => cell.push_str(&format!(" {san}")),
            (Color::Black, None) => cells.push(format!("{number:>3}. {:<7} {san}", "…")),
        }
    }
    let cells = cells.split_off(cells.len().saturating_sub(full_moves));
    let rows = cells.len().min(MOVE_ROWS);
    let row = |row: usize| {
        let text: String =
            cells.iter().skip(row).step_by(MOVE_ROWS).map(|cell| format!("{cell:<MOVE_COLUMNS$}")).collect();
        ink.soft(text.trim_end())
    };
    (0..rows).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(moves: &str) -> BoardView {
        let mut position = Position::startpos();
        let mut line = Vec::new();
        for word in moves.split_whitespace() {
            let mv = position.parse_san(word).unwrap();
            line.push((position, mv));
            position = position.play(mv);
        }
        BoardView {
            names: ["new".to_owned(), "an engine with a name that is much too long".to_owned()],
            clocks: [Some(Duration::from_millis(7_440)), None],
            evaluations: [Some("+0.35 d12".to_owned()), None],
            position,
            line,
        }
    }

    #[test]
    fn clocks_evaluations_and_moves_are_beside_the_board() {
        let lines = view("e4 e5 Nf3").draw(Ink::Plain, 79).unwrap();
        assert_eq!(lines.len(), BoardText::PLAIN_LINES);
        assert!(lines.iter().all(|line| line.chars().count() <= 79), "{lines:#?}");
        assert!(lines[1].contains("▸ an engine with …"), "{}", lines[1]);
        assert!(lines[3].ends_with("  1. e4      e5"), "{}", lines[3]);
        assert!(lines[5].ends_with("  2. Nf3"), "{}", lines[5]);
        assert!(lines[15].contains("  new ") && lines[15].ends_with("0:07.4    +0.35 d12"), "{}", lines[15]);
    }

    #[test]
    fn a_narrow_terminal_gets_no_board() {
        assert!(view("e4").draw(Ink::Colour, 50).is_none());
        assert_eq!(view("e4").draw(Ink::Colour, 60).map(|lines| lines.len()), Some(9));
    }

    #[test]
    fn long_games_show_their_last_moves_in_columns() {
        let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(10);
        let rows = move_list(&view(&shuffle).line, 2, Ink::Plain);
        assert_eq!(rows.len(), MOVE_ROWS);
        assert!(rows[0].starts_with("  9. ") && rows[0].contains(" 15. "), "{rows:#?}");
        assert!(rows[5].contains(" 20. Ng1     Ng8"), "{rows:#?}");
    }

    #[test]
    fn clocks_show_tenths_while_they_matter() {
        for (seconds, text) in [(7.44, "0:07.4"), (599.9, "9:59.9"), (600.0, "10:00"), (3_725.0, "1:02:05")] {
            assert_eq!(clock_text(Duration::from_secs_f64(seconds)), text);
        }
    }
}
