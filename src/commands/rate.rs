//! Ratings of the players of PGN files and runs.

use std::path::PathBuf;

use crate::commands::failure::{Failure, OrFailure};
use crate::commands::game_results::GameResults;
use crate::report::RatingTable;
use crate::stats::{DRAW_DEVIATION, Elo, RatingOptions, WHITE_DEVIATION};

/// What is rated, and how.
#[derive(Clone, Debug)]
pub struct RateRequest {
    /// PGN files and run folders.
    pub sources: Vec<PathBuf>,
    /// Players whose ratings are given.
    pub anchors: Vec<(String, f64)>,
    /// Mean rating where there is no anchor.
    pub average: f64,
    /// Draws that each player is assumed to have played before.
    pub prior_draws: f64,
    /// Advantage of White, if it is given.
    pub white_advantage: Option<f64>,
}

/// Rates all players of the sources together.
pub fn rate(request: &RateRequest) -> Result<RatingTable, Failure> {
    let results = GameResults::read(&request.sources)?;
    if results.names().is_empty() {
        return Err(Failure::usage("there is no game with a result to rate"));
    }
    let mut anchors = Vec::new();
    for (name, elo) in &request.anchors {
        let player = results
            .player(name)
            .ok_or_else(|| Failure::usage(format_args!("--anchor: no game has a player `{name}`")))?;
        anchors.push((player, Elo(*elo)));
    }
    let options = RatingOptions {
        prior_draws: request.prior_draws,
        anchors,
        average: Elo(request.average),
        white_advantage: request.white_advantage.map(Elo),
        draw_deviation: Some(DRAW_DEVIATION),
        white_deviation: Some(WHITE_DEVIATION),
    };
    let ratings = results.tournament.rate(&options).or_fault()?;
    Ok(RatingTable::new(results.names(), &results.tournament, &ratings, results.ignored, request.prior_draws))
}
