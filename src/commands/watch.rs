//! The current state of a run for a terminal panel.

use std::time::Duration;

use crate::report::{BoardLine, PanelStatus};
use crate::run::RunReader;
use crate::run::control::{ControlAnswer, ControlRequest, request};

/// Time that a run may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Asks the run for its phase and the games in progress.
pub fn panel_status(reader: &RunReader) -> PanelStatus {
    let last_incident = reader.incidents().next_back().map(|incident| incident.text.clone());
    let answered = request(reader.folder(), ControlRequest::Boards, TIMEOUT);
    let Ok(ControlAnswer::Status(status)) = answered else {
        return PanelStatus { phase: None, games: Vec::new(), last_incident };
    };
    let games = status.boards.into_iter().flatten().map(|game| BoardLine {
        round: game.round,
        names: [game.white, game.black],
        plies: game.plies,
        last: game.last,
        score: game.score,
    });
    PanelStatus { phase: Some(status.phase), games: games.collect(), last_incident }
}
