//! Moves of a game in SAN.

use crate::chess::{Color, Move, MoveStyle, Position};
use crate::game::Variant;
use crate::journal::GameEntry;
use crate::run::Plan;

/// Returns a move with its number: `23. Nf3`, `23… Nf6`.
pub fn numbered_move(before: &Position, mv: Move) -> String {
    let dots = if before.turn() == Color::White { "." } else { "…" };
    format!("{}{dots} {}", before.fullmove_number(), before.san(mv))
}

/// Returns the moves of a finished game in lines of at most `width` columns; nothing if it cannot be replayed.
pub(super) fn san_lines(plan: &Plan, game: &GameEntry, width: usize) -> Vec<String> {
    let Ok(record) = game.unpack(plan.limits_of(game.white, game.black)) else { return Vec::new() };
    let Ok(mut position) = Position::from_fen(&record.start_fen) else { return Vec::new() };
    let style = match record.variant {
        Variant::Standard => MoveStyle::Standard,
        Variant::Chess960 => MoveStyle::Chess960,
    };
    let mut lines = vec![String::new()];
    for (at, ply) in record.moves.iter().enumerate() {
        let Ok(mv) = position.parse_coordinate(ply.mv.as_str(), style) else { break };
        let word = if at == 0 || position.turn() == Color::White {
            numbered_move(&position, mv)
        } else {
            position.san(mv)
        };
        position = position.play(mv);
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}
