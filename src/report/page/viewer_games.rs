//! The games in a page for its viewer, up to a size limit.

use serde::Serialize;

use crate::chess::{Color, Move, MoveStyle, PgnGame, Position};
use crate::game::{GameId, GameOfPair, GameRecord, MoveSource, Score, TimeControl, Variant};

/// Largest size of the games in a page; with charts and text a page stays below 3 MB.
const MAX_BYTES: usize = 2_000_000;
/// Part of the limit that is reserved for games that ended by a fault, which users look for first.
const FAULT_SHARE: usize = MAX_BYTES / 4;

/// Value of a mate in the viewer.
pub(super) const MATE: i32 = 32_000;

/// A game in the format of the viewer. The keys are short because there are thousands of games. Columns have a value for
/// each half-move, or `null`; a column without any value is empty.
#[derive(Default, Serialize)]
pub(super) struct ShelvedGame<'a> {
    /// `pair.game`.
    pub(super) r: String,
    pub(super) w: &'a str,
    pub(super) b: &'a str,
    /// The result.
    pub(super) s: &'a str,
    /// The reason of the result.
    pub(super) e: String,
    /// Number of the opening, from 1; 0 if it is not known.
    pub(super) o: u64,
    /// Number of half-moves.
    pub(super) l: usize,
    /// Number of half-moves from the opening book.
    pub(super) x: usize,
    /// The start position as FEN.
    pub(super) f: &'a str,
    /// The moves in coordinates without separators, promotions as capitals.
    pub(super) m: String,
    /// The moves in standard algebraic notation, separated by spaces.
    pub(super) n: String,
    /// Evaluations from White's side in centipawns, mates as ±32000.
    pub(super) v: Vec<Option<i32>>,
    /// Depths.
    pub(super) d: Vec<Option<u16>>,
    /// Times in milliseconds.
    pub(super) t: Vec<Option<u64>>,
    /// Nodes.
    pub(super) k: Vec<Option<u64>>,
    /// Clocks of White and Black in milliseconds, of a game in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) c: Option<[Option<u64>; 2]>,
    /// The last lines to and from the engines of White and Black, of a game in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<&'a [Vec<String>; 2]>,
}

impl ShelvedGame<'_> {
    pub(super) fn json(mut self) -> String {
        drop_empty(&mut self.v);
        drop_empty(&mut self.d);
        drop_empty(&mut self.t);
        drop_empty(&mut self.k);
        // Markup in a name must not end the script element that contains the data.
        serde_json::to_string(&self).unwrap_or_default().replace('<', "\\u003c")
    }
}

/// Empties a column without a value.
fn drop_empty<T>(column: &mut Vec<Option<T>>) {
    if column.iter().all(Option::is_none) {
        column.clear();
    }
}

/// The moves of a game in both notations.
#[derive(Debug)]
pub(super) struct MoveTexts {
    pub(super) packed: String,
    pub(super) san: Vec<String>,
    pub(super) position: Position,
}

impl MoveTexts {
    pub(super) fn new(start: Position) -> Self {
        Self { packed: String::new(), san: Vec::new(), position: start }
    }

    /// Adds a move. Returns the side that made it.
    pub(super) fn push(&mut self, mv: Move, style: MoveStyle) -> Color {
        let mover = self.position.turn();
        self.packed.push_str(&pack(&self.position.coordinate(mv, style)));
        self.san.push(self.position.san(mv));
        self.position = self.position.play(mv);
        mover
    }
}

/// Returns a move with its promotion as a capital, so that moves need no separator.
fn pack(text: &str) -> String {
    let (squares, promotion) = text.split_at(text.len().min(4));
    format!("{squares}{}", promotion.to_ascii_uppercase())
}

/// Converts a game of `games.pgn` to the format of the viewer. Returns `None` if the game is incomplete.
pub(super) fn shelved_from_pgn(game: &PgnGame) -> Option<String> {
    let is_complete = game.tag("PlyCount")?.parse::<usize>() == Ok(game.moves.len());
    let style = match game.tag("Variant") {
        Some("fischerandom") => MoveStyle::Chess960,
        _ => MoveStyle::Standard,
    };
    let mut texts = MoveTexts::new(game.start);
    let start = game.start.to_fen();
    let mut shelved = ShelvedGame {
        r: game.tag("Round")?.to_owned(),
        w: game.tag("White")?,
        b: game.tag("Black")?,
        s: game.result?.text(),
        e: game.tag("Reason").unwrap_or_default().to_owned(),
        l: game.moves.len(),
        x: game.moves.iter().take_while(|ply| ply.comment == "book").count(),
        f: &start,
        ..ShelvedGame::default()
    };
    for ply in &game.moves {
        let mover = texts.push(ply.mv, style);
        let found = Comment::parse(&ply.comment);
        shelved.v.push(found.score.map(|score| if mover == Color::White { score } else { -score }));
        shelved.d.push(found.depth);
        shelved.t.push(found.time_ms);
        shelved.k.push(found.nodes);
    }
    (shelved.m, shelved.n) = (texts.packed, texts.san.join(" "));
    is_complete.then(|| shelved.json())
}

/// The search results in the comment of a move.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comment {
    /// In centipawns from the mover's side.
    score: Option<i32>,
    depth: Option<u16>,
    time_ms: Option<u64>,
    nodes: Option<u64>,
}

impl Comment {
    /// Reads a comment such as `+0.35/12 0.057s, tl=7.611s, n=42103`.
    fn parse(text: &str) -> Self {
        let mut found = Self::default();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            if let Some(nodes) = word.strip_prefix("n=") {
                found.nodes = nodes.parse().ok();
            } else if let Some(seconds) = word.strip_suffix('s').filter(|_| !word.contains('=')) {
                found.time_ms = seconds.parse::<f64>().ok().map(|seconds| (1e3 * seconds).round() as u64);
            } else if word.starts_with(['+', '-']) {
                let (score, depth) = word.split_once('/').unwrap_or((word, ""));
                (found.score, found.depth) = (score_of(score), depth.parse().ok());
            }
        }
        found
    }
}

/// Parses `+0.35` or `-M4` to centipawns from the mover's side.
fn score_of(text: &str) -> Option<i32> {
    if let Some(mate) = text.strip_prefix("+M").or_else(|| text.strip_prefix("-M")) {
        let _plies: u32 = mate.parse().ok()?;
        return Some(if text.starts_with('-') { -MATE } else { MATE });
    }
    let pawns: f64 = text.parse().ok()?;
    Some(((100.0 * pawns).round() as i32).clamp(-MATE, MATE))
}

/// The games of a page: the first ones up to the limit, and games that ended by a fault beyond it.
#[derive(Clone, Debug, Default)]
pub struct GameShelf {
    games: Vec<String>,
    bytes: usize,
    offered: u64,
}

impl GameShelf {
    /// Adds a game if the limit allows it. Times are included only under a time limit, as in `games.pgn`.
    pub fn offer(
        &mut self,
        pair: u64,
        game: GameOfPair,
        record: &GameRecord,
        engines: &[String],
        limits: [TimeControl; 2],
    ) {
        self.offered += 1;
        let limit = if record.failed_engine().is_some() { MAX_BYTES } else { MAX_BYTES - FAULT_SHARE };
        if self.bytes >= limit {
            return;
        }
        let name = |index: u16| engines.get(usize::from(index)).map_or("?", String::as_str);
        let mut shelved = ShelvedGame {
            r: GameId { pair, game }.to_string(),
            w: name(record.white.0),
            b: name(record.black.0),
            s: record.ending.result.text(),
            e: record.ending.termination.to_string(),
            o: record.opening + 1,
            l: record.moves.len(),
            x: record.moves.iter().take_while(|ply| ply.source == MoveSource::Book).count(),
            f: &record.start_fen,
            ..ShelvedGame::default()
        };
        write_moves(&mut shelved, record, limits);
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

/// Writes the moves of a record up to the first one that cannot be played; the program records only legal ones.
fn write_moves(shelved: &mut ShelvedGame<'_>, record: &GameRecord, limits: [TimeControl; 2]) {
    let Ok(start) = Position::from_fen(&record.start_fen) else { return };
    let style = match record.variant {
        Variant::Standard => MoveStyle::Standard,
        Variant::Chess960 => MoveStyle::Chess960,
    };
    let mut texts = MoveTexts::new(start);
    for ply in &record.moves {
        let Ok(mv) = texts.position.parse_coordinate(ply.mv.as_str(), style) else { break };
        let mover = texts.push(mv, style);
        let score = ply.score.map(|score| match score {
            Score::Cp(cp) => cp.clamp(-MATE, MATE),
            Score::Mate(moves) if moves < 0 => -MATE,
            Score::Mate(_) => MATE,
        });
        shelved.v.push(score.map(|score| if mover == Color::White { score } else { -score }));
        shelved.d.push(ply.depth);
        let is_timed = limits[mover.index()].is_timed() && ply.source == MoveSource::Engine;
        shelved.t.push(is_timed.then_some(ply.time_us.div_ceil(1000)));
        shelved.k.push(ply.nodes);
    }
    (shelved.m, shelved.n) = (texts.packed, texts.san.join(" "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_results_are_read_from_comments() {
        let whole = Comment { score: Some(35), depth: Some(12), time_ms: Some(57), nodes: Some(42_103) };
        assert_eq!(Comment::parse("+0.35/12 0.057s, tl=7.611s, n=42103, sd=20"), whole);
        assert_eq!(
            Comment::parse("-M4/3, n=9"),
            Comment { score: Some(-MATE), depth: Some(3), nodes: Some(9), ..Comment::default() }
        );
        assert_eq!(Comment::parse("book"), Comment::default());
        assert_eq!(Comment::parse(""), Comment::default());
    }
}
