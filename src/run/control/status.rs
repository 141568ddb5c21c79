//! What is on the boards of a running run, as JSON for whoever asks.

use crate::game::LiveGame;
use serde_json::{Value, json};

use crate::chess::Color;

use crate::player::Score;

use crate::run::plan::Plan;

/// Boards told at most; nobody looks at more.
const MOST: usize = 64;

/// The games in progress, in the order of their slots.
pub(in crate::run) fn boards(plan: &Plan, games: &[LiveGame]) -> Value {
    games.iter().take(MOST).map(|game| board(plan, game)).collect()
}

fn board(plan: &Plan, game: &LiveGame) -> Value {
    let last_mover = !game.position.turn();
    let clock = |color: Color| game.clocks[color].map(|left| left.as_millis() as u64);
    json!({
        "slot": game.slot,
        "round": game.game_id().to_string(),
        "white": plan.name_of(game.white),
        "black": plan.name_of(game.black),
        "fen": game.position.to_fen(),
        "last": game.last_move.map(|mv| mv.to_string()),
        "plies": game.plies,
        "score": game.score.map(|score| from_white(score, last_mover)),
        "clocks_ms": [clock(Color::White), clock(Color::Black)],
        "since_ms": game.moved_at.elapsed().as_millis() as u64,
    })
}

/// A score as White reads it: pawns, or `#` and moves to mate.
pub fn from_white(score: Score, by: Color) -> String {
    let turned = if by == Color::White { 1 } else { -1 };
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) * f64::from(turned) / 100.0),
        Score::Mate(moves) => format!("#{}", moves.saturating_mul(turned)),
    }
}
