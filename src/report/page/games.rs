//! The games a page carries for its viewer, within a budget.

use serde::Serialize;

use crate::game::{GameOfPair, GameRecord};
use crate::player::Score;

/// Bytes of games a page carries at most; with charts and text it stays under 3 MB.
const BUDGET: usize = 2_000_000;
/// A share of the budget kept for games that ended by a fault, which people look for first.
const FAULT_SHARE: usize = BUDGET / 4;

/// One game as the viewer reads it; the keys are short because there are thousands.
#[derive(Serialize)]
struct ShelvedGame<'a> {
    /// `pair.game`.
    r: String,
    w: &'a str,
    b: &'a str,
    /// The score.
    s: &'a str,
    /// The reason.
    e: String,
    /// The position it starts from.
    f: &'a str,
    /// Its moves, in coordinates.
    m: String,
    /// Evaluations from White's side in centipawns, mates as ±32000; `null` where none was told.
    v: Vec<Option<i32>>,
}

/// Games collected for a page: the earliest that fit, and faulty ones beyond.
#[derive(Clone, Debug, Default)]
pub struct GameShelf {
    games: Vec<String>,
    bytes: usize,
    seen: u64,
}

impl GameShelf {
    /// Offers a game; it is kept if there is room.
    pub fn offer(&mut self, pair: u64, game: GameOfPair, record: &GameRecord, engines: &[String]) {
        self.seen += 1;
        let room = if record.failed_engine().is_some() { BUDGET } else { BUDGET - FAULT_SHARE };
        if self.bytes >= room {
            return;
        }
        let name = |index: u16| engines.get(usize::from(index)).map_or("?", String::as_str);
        let shelved = ShelvedGame {
            r: format!("{}.{}", pair + 1, game.number()),
            w: name(record.white.0),
            b: name(record.black.0),
            s: record.ending.result.text(),
            e: record.ending.termination.to_string(),
            f: &record.start_fen,
            m: record.moves.iter().map(|ply| ply.mv.as_str()).collect::<Vec<_>>().join(" "),
            v: white_scores(record),
        };
        // Markup inside a name must not end the element that carries the data.
        let json = serde_json::to_string(&shelved).unwrap_or_default().replace('<', "\\u003c");
        self.bytes += json.len();
        self.games.push(json);
    }

    /// How many games were offered.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many are on the shelf.
    pub fn kept(&self) -> u64 {
        self.games.len() as u64
    }

    /// The games as a JSON array that is safe inside a page.
    pub fn json(&self) -> String {
        format!("[{}]", self.games.join(",\n"))
    }
}

fn white_scores(record: &GameRecord) -> Vec<Option<i32>> {
    const MATE: i32 = 32_000;
    let black_first = record.start_fen.split(' ').nth(1) == Some("b");
    let scores = record.moves.iter().enumerate().map(|(place, ply)| {
        let mover_is_white = (place % 2 == 0) != black_first;
        let told = match ply.score? {
            Score::Cp(cp) => cp.clamp(-MATE, MATE),
            Score::Mate(moves) if moves < 0 => -MATE,
            Score::Mate(_) => MATE,
        };
        Some(if mover_is_white { told } else { -told })
    });
    scores.collect()
}
