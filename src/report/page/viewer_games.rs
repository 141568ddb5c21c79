//! The games in a page for its viewer, up to a size limit.

use serde::Serialize;

use crate::chess::{Color, MoveStyle, PgnGame};
use crate::game::{GameId, GameOfPair, GameRecord, Score};

/// Largest size of the games in a page; with charts and text a page stays below 3 MB.
const MAX_BYTES: usize = 2_000_000;
/// Part of the limit that is reserved for games that ended by a fault, which users look for first.
const FAULT_SHARE: usize = MAX_BYTES / 4;

/// Value of a mate in the viewer.
const MATE: i32 = 32_000;

/// A game in the format of the viewer. The keys are short because there are thousands of games.
#[derive(Serialize)]
struct ShelvedGame<'a> {
    /// `pair.game`.
    r: String,
    w: &'a str,
    b: &'a str,
    /// The result.
    s: &'a str,
    /// The reason of the result.
    e: String,
    /// The start position as FEN.
    f: &'a str,
    /// The moves in coordinate notation.
    m: String,
    /// Evaluations from White's side in centipawns, mates as ±32000; `null` if the engine sent none.
    v: Vec<Option<i32>>,
}

impl ShelvedGame<'_> {
    fn json(&self) -> String {
        // Markup in a name must not end the script element that contains the data.
        serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c")
    }
}

/// Converts a game of `games.pgn` to the format of the viewer. Returns `None` if the game is incomplete.
pub(super) fn shelved_from_pgn(game: &PgnGame) -> Option<String> {
    let is_complete = game.tag("PlyCount")?.parse::<usize>() == Ok(game.moves.len());
    let style = match game.tag("Variant") {
        Some("fischerandom") => MoveStyle::Chess960,
        _ => MoveStyle::Standard,
    };
    let mut position = game.start;
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    for ply in &game.moves {
        moves.push(position.coordinate(ply.mv, style));
        let score = score_in(&ply.comment);
        scores.push(if position.turn() == Color::White { score } else { score.map(|score| -score) });
        position = position.play(ply.mv);
    }
    let shelved = ShelvedGame {
        r: game.tag("Round")?.to_owned(),
        w: game.tag("White")?,
        b: game.tag("Black")?,
        s: game.result?.text(),
        e: game.tag("Reason").unwrap_or_default().to_owned(),
        f: &game.start.to_fen(),
        m: moves.join(" "),
        v: scores,
    };
    is_complete.then(|| shelved.json())
}

/// Returns the score at the start of a comment such as `+0.35/12 0.057s, n=42103`, in centipawns from the mover's side.
fn score_in(comment: &str) -> Option<i32> {
    let text = comment.split(['/', ' ', ',']).next()?;
    if let Some(mate) = text.strip_prefix("+M").or_else(|| text.strip_prefix("-M")) {
        let _plies: u32 = mate.parse().ok()?;
        return Some(if text.starts_with('-') { -MATE } else { MATE });
    }
    let sign_is_there = text.starts_with(['+', '-']);
    let pawns: f64 = text.parse().ok()?;
    sign_is_there.then(|| ((100.0 * pawns).round() as i32).clamp(-MATE, MATE))
}

/// The games of a page: the first ones up to the limit, and games that ended by a fault beyond it.
#[derive(Clone, Debug, Default)]
pub struct GameShelf {
    games: Vec<String>,
    bytes: usize,
    offered: u64,
}

impl GameShelf {
    /// Adds a game if the limit allows it.
    pub fn offer(&mut self, pair: u64, game: GameOfPair, record: &GameRecord, engines: &[String]) {
        self.offered += 1;
        let limit = if record.failed_engine().is_some() { MAX_BYTES } else { MAX_BYTES - FAULT_SHARE };
        if self.bytes >= limit {
            return;
        }
        let name = |index: u16| engines.get(usize::from(index)).map_or("?", String::as_str);
        let shelved = ShelvedGame {
            r: GameId { pair, game }.to_string(),
            w: name(record.white.0),
            b: name(record.black.0),
            s: record.ending.result.text(),
            e: record.ending.termination.to_string(),
            f: &record.start_fen,
            m: record.moves.iter().map(|ply| ply.mv.as_str()).collect::<Vec<_>>().join(" "),
            v: white_scores(record),
        };
        let json = shelved.json();
        self.bytes += json.len();
        self.games.push(json);
    }

    /// Returns the shelf with the requested games first.
    pub fn with(&self, requested: &[String]) -> Self {
        let head = |json: &str| json.split_once(',').map(|(round, _)| round.to_owned());
        let kept = |json: &&String| !requested.iter().any(|other| head(other) == head(json));
        Self {
            games: requested.iter().chain(self.games.iter().filter(kept)).cloned().collect(),
            bytes: self.bytes,
            offered: self.offered,
        }
    }

    /// Returns the number of games that were offered.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Returns the number of games on the shelf.
    pub fn kept(&self) -> u64 {
        self.games.len() as u64
    }

    /// Returns the games as a JSON array that is safe inside a script element.
    pub fn json(&self) -> String {
        format!("[{}]", self.games.join(",\n"))
    }
}

fn white_scores(record: &GameRecord) -> Vec<Option<i32>> {
    let black_first = record.start_fen.split(' ').nth(1) == Some("b");
    let scores = record.moves.iter().enumerate().map(|(place, ply)| {
        let mover_is_white = (place % 2 == 0) != black_first;
        let score = match ply.score? {
            Score::Cp(cp) => cp.clamp(-MATE, MATE),
            Score::Mate(moves) if moves < 0 => -MATE,
            Score::Mate(_) => MATE,
        };
        Some(if mover_is_white { score } else { -score })
    });
    scores.collect()
}
