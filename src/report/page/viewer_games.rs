//! The games a page carries for its viewer, within a budget.

use serde::Serialize;

use crate::chess::{Color, MoveStyle, PgnGame};
use crate::game::{GameId, GameOfPair, GameRecord, Score};

/// Bytes of games a page carries at most; with charts and text it stays under 3 MB.
const BUDGET: usize = 2_000_000;
/// A share of the budget kept for games that ended by a fault, which people look for first.
const FAULT_SHARE: usize = BUDGET / 4;

/// What a mate is worth in the viewer's numbers.
const MATE: i32 = 32_000;

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

impl ShelvedGame<'_> {
    fn json(&self) -> String {
        // Markup inside a name must not end the element that carries the data.
        serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c")
    }
}

/// A game of a `games.pgn` as the viewer reads it; `None` if it is not whole.
pub(super) fn shelved_from_pgn(game: &PgnGame) -> Option<String> {
    let whole = game.tag("PlyCount")?.parse::<usize>() == Ok(game.moves.len());
    let style = match game.tag("Variant") {
        Some("fischerandom") => MoveStyle::Chess960,
        _ => MoveStyle::Standard,
    };
    let mut position = game.start;
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    for ply in &game.moves {
        moves.push(position.coordinate(ply.mv, style));
        let told = told_score(&ply.comment);
        scores.push(if position.turn() == Color::White { told } else { told.map(|score| -score) });
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
    whole.then(|| shelved.json())
}

/// The score at the head of a comment such as `+0.35/12 0.057s, n=42103`, in centipawns from the mover's side.
fn told_score(comment: &str) -> Option<i32> {
    let text = comment.split(['/', ' ', ',']).next()?;
    if let Some(mate) = text.strip_prefix("+M").or_else(|| text.strip_prefix("-M")) {
        let _plies: u32 = mate.parse().ok()?;
        return Some(if text.starts_with('-') { -MATE } else { MATE });
    }
    let sign_is_there = text.starts_with(['+', '-']);
    let pawns: f64 = text.parse().ok()?;
    sign_is_there.then(|| ((100.0 * pawns).round() as i32).clamp(-MATE, MATE))
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

    /// The same shelf with games that were asked for in front.
    pub fn with(&self, asked: &[String]) -> Self {
        let head = |json: &str| json.split_once(',').map(|(round, _)| round.to_owned());
        let kept = |json: &&String| !asked.iter().any(|other| head(other) == head(json));
        Self {
            games: asked.iter().chain(self.games.iter().filter(kept)).cloned().collect(),
            bytes: self.bytes,
            seen: self.seen,
        }
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
