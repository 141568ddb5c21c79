//! Answers of engines about one position, as text and as JSON.

use std::fmt::Write;

use serde_json::json;

use crate::chess::{BoardStyle, BoardText, Color};
use crate::commands::Asked;
use crate::report::grouped;

/// Returns the board, the move that was played and a line for each engine.
pub fn asked_text(asked: &Asked) -> String {
    let position = &asked.position;
    let mut text =
        BoardText { position, last: None, bottom: Color::White, style: BoardStyle::Plain }.draw(&[]);
    let _ = writeln!(text, "{}", position.to_fen());
    match &asked.played {
        Some((mv, comment)) if comment.is_empty() => {
            let _ = writeln!(text, "Played: {mv}");
        }
        Some((mv, comment)) => {
            let _ = writeln!(text, "Played: {mv} ({comment})");
        }
        None => text.push_str("The record of the game ends here.\n"),
    }
    let width = asked.answers.iter().map(|engine| engine.name.chars().count()).max().unwrap_or(0).max(6);
    let _ = writeln!(text, "{:<width$}  move     score  depth         nodes    time", "engine");
    for engine in &asked.answers {
        let score = engine.score.as_deref().unwrap_or("–");
        let depth = engine.depth.map_or("–".to_owned(), |depth| depth.to_string());
        let nodes = engine.nodes.map_or("–".to_owned(), grouped);
        let time = engine.took.as_secs_f64();
        let _ = writeln!(
            text,
            "{:<width$}  {:<7} {score:>6}  {depth:>5}  {nodes:>12}  {time:>5.2}s",
            engine.name, engine.mv
        );
    }
    text.push_str("Scores are from White's side.");
    text
}

/// Returns the position and the answers as one JSON object.
pub fn asked_json(asked: &Asked) -> String {
    let answers: Vec<_> = asked
        .answers
        .iter()
        .map(|engine| {
            json!({
                "engine": engine.name, "move": engine.mv, "score": engine.score, "depth": engine.depth,
                "nodes": engine.nodes, "seconds": engine.took.as_secs_f64(),
            })
        })
        .collect();
    json!({
        "fen": asked.position.to_fen(),
        "played": asked.played.as_ref().map(|(mv, _)| mv),
        "answers": answers,
    })
    .to_string()
}
