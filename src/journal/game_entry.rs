//! A finished game as stored in the journal: all data of a [`GameRecord`] in a fifth of the space.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::{
    Clock, Ending, EngineIndex, GameOfPair, GameRecord, MoveSource, MoveText, PlyRecord, Score, SearchExtra,
    TimeControl, Variant, Warning,
};

use super::packed;

/// A game of a pair in packed form. Clocks are not stored, because they follow from the time control and the times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Index of the pair in the schedule.
    pub pair: u64,
    /// Attempt at the pair.
    pub attempt: u32,
    /// Game of the pair.
    pub game: GameOfPair,
    /// Engine that played White.
    pub white: EngineIndex,
    /// Engine that played Black.
    pub black: EngineIndex,
    /// Index of the opening in its book.
    pub opening: u64,
    /// Position before the first move.
    pub fen: String,
    /// Castling rules.
    #[serde(default, skip_serializing_if = "is_standard")]
    pub variant: Variant,
    /// Number of moves that came from the opening.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub book: usize,
    /// Indices of the half-moves that came from the book of an engine.
    #[serde(rename = "ob", default, skip_serializing_if = "Vec::is_empty")]
    engine_book: Vec<usize>,
    /// All moves in coordinates, without separators; promotions in capitals.
    pub moves: String,
    /// Packed scores; a mate score is preceded by `#`.
    #[serde(rename = "s", default, skip_serializing_if = "String::is_empty")]
    scores: String,
    #[serde(rename = "d", default, skip_serializing_if = "String::is_empty")]
    depths: String,
    #[serde(rename = "sd", default, skip_serializing_if = "String::is_empty")]
    seldepths: String,
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    nodes: String,
    /// Packed times in microseconds.
    #[serde(rename = "t", default, skip_serializing_if = "String::is_empty")]
    times: String,
    /// Further details of searches with the index of their half-move.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    extras: Vec<(usize, Box<SearchExtra>)>,
    /// Result and reason.
    pub ending: Ending,
    /// Start in UTC, milliseconds since 1970.
    pub started: u64,
    /// Duration in milliseconds.
    pub took: u64,
    /// Irregularities that did not affect the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Hash of the start and all moves, by which equal games are recognised; 0 in records of older versions.
    #[serde(rename = "h", default)]
    pub move_hash: u64,
    /// The machine of the fleet that played it, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Factor of the time control on that machine, in millionths, if the limits of the plan were scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
}

/// Engines, result and irregularities of a game; the other fields of the record are not parsed.
#[derive(Deserialize)]
pub(super) struct GameOutline {
    pair: u64,
    attempt: u32,
    game: GameOfPair,
    white: EngineIndex,
    black: EngineIndex,
    opening: u64,
    ending: Ending,
    started: u64,
    took: u64,
    #[serde(rename = "h", default)]
    move_hash: u64,
    #[serde(default)]
    by: Option<String>,
    #[serde(default)]
    warnings: Vec<Warning>,
}

impl From<GameOutline> for GameEntry {
    fn from(outline: GameOutline) -> Self {
        let GameOutline { pair, attempt, game, white, black, opening, ending, started, took, .. } = outline;
        let GameOutline { move_hash, by, warnings, .. } = outline;
        Self {
            pair,
            attempt,
            game,
            white,
            black,
            opening,
            fen: String::new(),
            variant: Variant::Standard,
            book: 0,
            engine_book: Vec::new(),
            moves: String::new(),
            scores: String::new(),
            depths: String::new(),
            seldepths: String::new(),
            nodes: String::new(),
            times: String::new(),
            extras: Vec::new(),
            ending,
            started,
            took,
            warnings,
            move_hash,
            by,
            scale_ppm: None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_standard(variant: &Variant) -> bool {
    *variant == Variant::Standard
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The columns of a game are inconsistent, so another program has written it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the moves of a recorded game cannot be read")]
pub struct Unreadable;

impl GameEntry {
    /// Packs a game.
    pub fn pack(pair: u64, attempt: u32, game: GameOfPair, record: &GameRecord) -> Self {
        let plies = &record.moves;
        let moves: String = plies.iter().map(|ply| pack_move(ply.mv)).collect();
        Self {
            pair,
            attempt,
            game,
            white: record.white,
            black: record.black,
            opening: record.opening,
            fen: record.start_fen.clone(),
            variant: record.variant,
            book: plies.iter().take_while(|ply| ply.source == MoveSource::Book).count(),
            engine_book: (0..plies.len()).filter(|&at| plies[at].source == MoveSource::EngineBook).collect(),
            move_hash: move_hash(&record.start_fen, &moves),
            moves,
            scores: pack_scores(plies),
            depths: pack_column(plies, |ply| ply.depth.map(u64::from)),
            seldepths: pack_column(plies, |ply| {
                let (depth, seldepth) = (i64::from(ply.depth.unwrap_or(0)), i64::from(ply.seldepth?));
                Some(packed::zigzag(seldepth - depth))
            }),
            nodes: pack_column(plies, |ply| ply.nodes),
            times: pack_column(plies, |ply| (ply.time_us > 0).then_some(ply.time_us)),
            extras: plies.iter().enumerate().filter_map(|(at, ply)| Some((at, ply.extra.clone()?))).collect(),
            ending: record.ending.clone(),
            started: record.started_unix_ms,
            took: record.duration_ms,
            warnings: record.warnings.clone(),
            by: None,
            scale_ppm: None,
        }
    }

    /// Returns the number of half-moves.
    pub fn plies(&self) -> usize {
        // A move has four characters; a promotion has a fifth, which is the only capital.
        (self.moves.len() - self.moves.bytes().filter(u8::is_ascii_uppercase).count()) / 4
    }

    /// Unpacks the game, given the limits of White and Black in the plan.
    pub fn unpack(&self, limits: [TimeControl; 2]) -> Result<GameRecord, Unreadable> {
        let texts = unpack_moves(&self.moves)?;
        let count = texts.len();
        let scores = unpack_scores(&self.scores, count)?;
        let depths = unpack_column(&self.depths, count)?;
        let seldepths = unpack_column(&self.seldepths, count)?;
        let nodes = unpack_column(&self.nodes, count)?;
        let times = unpack_column(&self.times, count)?;
        let mut clocks = limits.map(|limits| Clock::new(limits.scaled(self.scale_ppm)));
        let mut mover = usize::from(self.fen.split(' ').nth(1) == Some("b"));
        let mut moves = Vec::with_capacity(count);
        for (at, mv) in texts.into_iter().enumerate() {
            let source = match at {
                _ if at < self.book => MoveSource::Book,
                _ if self.engine_book.contains(&at) => MoveSource::EngineBook,
                _ => MoveSource::Engine,
            };
            let time_us = times[at].unwrap_or(0);
            let clock_left_us = match source {
                MoveSource::Book | MoveSource::EngineBook => None,
                MoveSource::Engine => charge(&mut clocks[mover], time_us),
            };
            let depth = depths[at].and_then(|depth| u16::try_from(depth).ok());
            let seldepth = seldepths[at].and_then(|beyond| {
                u16::try_from(i64::from(depth.unwrap_or(0)) + packed::unzigzag(beyond)).ok()
            });
            let (score, nodes) = (scores[at], nodes[at]);
            let extra = None;
            moves.push(PlyRecord {
                mv,
                source,
                time_us,
                clock_left_us,
                score,
                depth,
                seldepth,
                nodes,
                extra,
            });
            mover = 1 - mover;
        }
        for (at, extra) in &self.extras {
            moves.get_mut(*at).ok_or(Unreadable)?.extra = Some(extra.clone());
        }
        Ok(GameRecord {
            white: self.white,
            black: self.black,
            opening: self.opening,
            start_fen: self.fen.clone(),
            variant: self.variant,
            moves,
            ending: self.ending.clone(),
            started_unix_ms: self.started,
            duration_ms: self.took,
            warnings: self.warnings.clone(),
        })
    }
}

/// FNV-1a of the start and the moves, cut to the 53 bits that every JSON reader represents exactly.
fn move_hash(fen: &str, moves: &str) -> u64 {
    let bytes = fen.bytes().chain([b'\n']).chain(moves.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash >> 11
}

fn charge(clock: &mut Clock, time_us: u64) -> Option<u64> {
    // A recorded move was in time; a late one never becomes part of a game.
    let _ = clock.charge(Duration::from_micros(time_us));
    clock.left().map(|left| u64::try_from(left.as_micros()).unwrap_or(u64::MAX))
}

fn pack_move(mv: MoveText) -> String {
    let text = mv.as_str();
    match text.split_at_checked(4) {
        Some((squares, promotion)) => format!("{squares}{}", promotion.to_ascii_uppercase()),
        None => text.to_owned(),
    }
}

fn unpack_moves(mut moves: &str) -> Result<Vec<MoveText>, Unreadable> {
    let mut texts = Vec::with_capacity(moves.len() / 4);
    while !moves.is_empty() {
        let promotes = moves.as_bytes().get(4).is_some_and(u8::is_ascii_uppercase);
        let (text, rest) = moves.split_at_checked(if promotes { 5 } else { 4 }).ok_or(Unreadable)?;
        texts.push(MoveText::new(&text.to_ascii_lowercase()).ok_or(Unreadable)?);
        moves = rest;
    }
    Ok(texts)
}

fn pack_column(plies: &[PlyRecord], number: impl Fn(&PlyRecord) -> Option<u64>) -> String {
    let mut column = String::new();
    if plies.iter().any(|ply| number(ply).is_some()) {
        for ply in plies {
            packed::push(&mut column, number(ply));
        }
    }
    column
}

fn unpack_column(mut column: &str, count: usize) -> Result<Vec<Option<u64>>, Unreadable> {
    if column.is_empty() {
        return Ok(vec![None; count]);
    }
    let numbers = (0..count).map(|_| packed::pop(&mut column)).collect::<Option<_>>();
    numbers.filter(|_| column.is_empty()).ok_or(Unreadable)
}

fn pack_scores(plies: &[PlyRecord]) -> String {
    let mut column = String::new();
    if plies.iter().any(|ply| ply.score.is_some()) {
        for ply in plies {
            let (mark, number) = match ply.score {
                None => ("", None),
                Some(Score::Cp(cp)) => ("", Some(cp)),
                Some(Score::Mate(moves)) => ("#", Some(moves)),
            };
            column.push_str(mark);
            packed::push(&mut column, number.map(|number| packed::zigzag(i64::from(number))));
        }
    }
    column
}

fn unpack_scores(mut column: &str, count: usize) -> Result<Vec<Option<Score>>, Unreadable> {
    if column.is_empty() {
        return Ok(vec![None; count]);
    }
    let mut next = || {
        let mate = column.strip_prefix('#');
        column = mate.unwrap_or(column);
        let number = packed::pop(&mut column).ok_or(Unreadable)?;
        let Some(number) = number else { return Ok(None) };
        let number = i32::try_from(packed::unzigzag(number)).map_err(|_| Unreadable)?;
        Ok(Some(if mate.is_some() { Score::Mate(number) } else { Score::Cp(number) }))
    };
    let scores = (0..count).map(|_| next()).collect::<Result<_, Unreadable>>()?;
    if column.is_empty() { Ok(scores) } else { Err(Unreadable) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameResult, Termination};

    fn ply(mv: &str, at: u32) -> PlyRecord {
        PlyRecord {
            mv: MoveText::new(mv).unwrap(),
            source: MoveSource::Engine,
            time_us: u64::from(at) * 12_345 + 1,
            clock_left_us: None,
            score: Some(if at.is_multiple_of(7) { Score::Mate(-3) } else { Score::Cp(35 - 11 * at as i32) }),
            depth: Some(12),
            seldepth: Some(20 + at as u16),
            nodes: Some(20_000 + u64::from(at)),
            extra: (at == 2).then(|| Box::new(SearchExtra { nps: Some(7), ..SearchExtra::default() })),
        }
    }

    /// Returns the game as a player with a clock would have recorded it.
    fn record(limits: TimeControl) -> GameRecord {
        let mut moves: Vec<PlyRecord> = ["e2e4", "c7c5", "g1f3", "d7d6", "b7b8q", "e1g1"]
            .iter()
            .zip(0..)
            .map(|(mv, at)| ply(mv, at))
            .collect();
        moves[0] = PlyRecord {
            source: MoveSource::Book,
            time_us: 0,
            score: None,
            depth: None,
            seldepth: None,
            nodes: None,
            ..moves[0].clone()
        };
        moves[3] = PlyRecord { mv: moves[3].mv, source: MoveSource::EngineBook, ..moves[0].clone() };
        let mut clocks = [Clock::new(limits), Clock::new(limits)];
        for (at, ply) in moves.iter_mut().enumerate().filter(|(_, ply)| ply.source.is_engine()) {
            ply.clock_left_us = charge(&mut clocks[at % 2], ply.time_us);
        }
        GameRecord {
            white: EngineIndex(1),
            black: EngineIndex(0),
            opening: 77,
            start_fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            variant: Variant::Standard,
            moves,
            ending: Ending {
                result: GameResult::BlackWins,
                termination: Termination::IllegalMove { text: "a1a1".to_owned() },
            },
            started_unix_ms: 1_700_000_000_000,
            duration_ms: 1234,
            warnings: vec![Warning::Garbage { count: 2, line: "hello".to_owned(), by: EngineIndex(0) }],
        }
    }

    #[test]
    fn an_unpacked_game_equals_the_packed_one_including_clocks() {
        for limits in [TimeControl::clock("2/8+0.08".parse().unwrap()), TimeControl::nodes(20_000)] {
            let game = record(limits);
            let entry = GameEntry::pack(5, 1, GameOfPair::Second, &game);
            let json = serde_json::to_string(&entry).unwrap();
            let entry: GameEntry = serde_json::from_str(&json).unwrap();
            assert_eq!(entry.unpack([limits; 2]), Ok(game));
            assert_eq!(entry.plies(), 6);
        }
    }

    #[test]
    fn an_outline_keeps_engines_result_and_irregularities() {
        let entry = GameEntry::pack(5, 1, GameOfPair::Second, &record(TimeControl::nodes(20_000)));
        let json = serde_json::to_string(&entry).unwrap();
        let outline: GameEntry = serde_json::from_str::<GameOutline>(&json).unwrap().into();
        let facts =
            |entry: &GameEntry| (entry.pair, entry.white, entry.ending.clone(), entry.warnings.clone());
        assert_eq!(facts(&outline), facts(&entry));
        assert_eq!((outline.warnings.len(), outline.plies()), (1, 0));
    }

    #[test]
    fn a_game_of_eighty_plies_with_clocks_and_scores_takes_less_than_two_kilobytes() {
        let mut game = record(TimeControl::clock("8+0.08".parse().unwrap()));
        game.moves = (0..80).map(|at| ply("e2e4", at)).collect();
        let json = serde_json::to_string(&GameEntry::pack(123_456, 0, GameOfPair::First, &game)).unwrap();
        assert!(json.len() < 2000, "{} bytes", json.len());
    }

    #[test]
    fn columns_of_the_wrong_length_are_refused() {
        let entry = GameEntry::pack(0, 0, GameOfPair::First, &record(TimeControl::UNLIMITED));
        let limits = [TimeControl::UNLIMITED; 2];
        for (case, bad) in [
            ("a superfluous character", GameEntry { nodes: format!("{}A", entry.nodes), ..entry.clone() }),
            (
                "a truncated move",
                GameEntry { moves: entry.moves[..entry.moves.len() - 1].to_owned(), ..entry.clone() },
            ),
            ("too few scores", GameEntry { scores: "A".to_owned(), ..entry.clone() }),
        ] {
            assert_eq!(bad.unpack(limits), Err(Unreadable), "{case}");
        }
    }
}
