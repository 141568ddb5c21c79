//! The current state of a run for a terminal panel.

use std::time::Duration;

use crate::chess::{MoveStyle, Position};
use crate::report::{BoardLine, BoardView, PanelStatus, TuningSummary, numbered_move};
use crate::run::RunReader;
use crate::run::control::{BoardStatus, ControlAnswer, ControlRequest, request};
use crate::store::RunFolder;

/// Time that a run may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Asks the run for its phase and the games in progress.
pub fn panel_status(reader: &RunReader) -> PanelStatus {
    let last_incident = reader.incidents().next_back().map(|incident| incident.text.clone());
    let answered = request(reader.folder(), ControlRequest::Boards, TIMEOUT);
    let Ok(ControlAnswer::Status(status)) = answered else {
        return PanelStatus { last_incident, outcome: tuning_outcome(reader), ..PanelStatus::default() };
    };
    let boards = status.boards.unwrap_or_default();
    let uncounted = reader.view().state.uncounted_games().count() as u64;
    let board = if status.concurrency == 1 { boards.first().and_then(BoardView::of_status) } else { None };
    let games = boards.into_iter().map(|game| BoardLine {
        last: last_move(&game),
        round: game.round,
        names: [game.white, game.black],
        score: game.score,
    });
    PanelStatus {
        phase: Some(status.phase),
        seconds: Some(status.seconds),
        games: games.collect(),
        uncounted,
        board,
        last_incident,
        outcome: None,
    }
}

/// Returns the outcome of a tuning run that has ended.
fn tuning_outcome(reader: &RunReader) -> Option<String> {
    let view = reader.view();
    view.state.outcome()?;
    let summary = TuningSummary::of(&view, reader.folder())?;
    Some(summary.sentence(view.state.counted()))
}

/// Returns the run to watch: the acceptance test of a tuning run while it is played, otherwise the run itself.
pub fn watched_run(folder: RunFolder) -> RunFolder {
    match RunFolder::open(&folder.acceptance()) {
        Ok(test) if request(&test, ControlRequest::Status, TIMEOUT).is_ok() => test,
        _ => folder,
    }
}

/// Returns the last move of a game in progress with its number, in SAN.
fn last_move(game: &BoardStatus) -> Option<String> {
    let last = game.last.as_deref()?;
    let style = if game.chess960 { MoveStyle::Chess960 } else { MoveStyle::Standard };
    let mut position = Position::from_fen(&game.start).ok()?;
    let mut words = game.moves.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mv = position.parse_coordinate(word, style).ok()?;
        if words.peek().is_none() {
            return Some(numbered_move(&position, mv));
        }
        position = position.play(mv);
    }
    Some(last.to_owned())
}
