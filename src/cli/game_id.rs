//! Games of a run on the command line.

use crate::game::GameId;
use crate::report::page::parse_round;

/// Parses the number of a pair and 1 or 2, such as `12.1`.
pub fn game_id(text: &str) -> Result<GameId, String> {
    let (pair, game) = parse_round(text)
        .ok_or_else(|| format!("expected the number of a pair and 1 or 2, such as 12.1, got `{text}`"))?;
    Ok(GameId { pair, game })
}
