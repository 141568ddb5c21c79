//! Record of a finished game, complete enough to replay, print and judge it again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chess::Color;
use crate::game::{EngineIndex, Termination, Warning};
use crate::opening::{Opening, Variant};
use crate::player::{MoveText, Score, SearchExtra};

/// Result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// 1-0.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// 0-1.
    #[serde(rename = "0-1")]
    BlackWins,
    /// 1/2-1/2.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// Returns the result in which this side wins.
    pub fn win_of(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// Returns the winner, if any.
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::WhiteWins => Some(Color::White),
            Self::BlackWins => Some(Color::Black),
            Self::Draw => None,
        }
    }

    /// Returns the score of this side in half points: 0, 1 or 2.
    pub fn half_points(self, side: Color) -> u8 {
        match self.winner() {
            None => 1,
            Some(winner) if winner == side => 2,
            Some(_) => 0,
        }
    }

    /// Returns the result as PGN writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A result and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ending {
    /// The result.
    pub result: GameResult,
    /// The reason.
    #[serde(flatten)]
    pub termination: Termination,
}

impl Ending {
    /// Returns the side that failed, if the game ended by a fault of an engine or on time.
    pub fn failed_side(&self) -> Option<Color> {
        match &self.termination {
            Termination::TimeForfeitWithoutMate { flag } => flag.map(Color::from),
            fault if fault.is_engine_fault() || matches!(fault, Termination::TimeForfeit { .. }) => {
                self.result.winner().map(|winner| !winner)
            }
            _ => None,
        }
    }
}

/// One half-move: the move, and the data that the engine reported about it.
///
/// The keys are short because a journal contains millions of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The move, in the coordinate notation of the game's variant.
    #[serde(rename = "m")]
    pub mv: MoveText,
    /// Origin of the move.
    #[serde(rename = "b", default, skip_serializing_if = "MoveSource::is_engine")]
    pub source: MoveSource,
    /// Time from writing the question to reading the answer, in microseconds; 0 for book moves.
    #[serde(rename = "t", default, skip_serializing_if = "is_zero")]
    pub time_us: u64,
    /// Time left on the mover's clock after the move, increment included.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub clock_left_us: Option<u64>,
    /// Score from the mover's point of view.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Depth of the last report.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u16>,
    /// Selective depth.
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u16>,
    /// Nodes searched.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Further details, if the plan asks for them.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Box<SearchExtra>>,
}

/// Origin of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveSource {
    /// The engine to move.
    #[default]
    Engine,
    /// The opening.
    Book,
    /// The book of the engine to move.
    #[serde(rename = "ownbook")]
    EngineBook,
}

impl MoveSource {
    /// Returns whether an engine has chosen the move.
    pub fn is_engine(&self) -> bool {
        *self == Self::Engine
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Engine that played White.
    pub white: EngineIndex,
    /// Engine that played Black.
    pub black: EngineIndex,
    /// Index of the opening in its book.
    pub opening: u64,
    /// Position before the first of `moves`.
    pub start_fen: String,
    /// Castling rules.
    #[serde(default)]
    pub variant: Variant,
    /// All half-moves, book moves first, without an illegal move.
    pub moves: Vec<PlyRecord>,
    /// Result and reason.
    pub ending: Ending,
    /// Start in UTC, milliseconds since 1970; for tags only, nothing is computed from it.
    pub started_unix_ms: u64,
    /// Time from the first question to the end.
    pub duration_ms: u64,
    /// Irregularities that did not affect the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl GameRecord {
    /// Returns the engine that played this side.
    pub fn engine(&self, color: Color) -> EngineIndex {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// Returns the opening that the game started from, without its name.
    pub fn opening(&self) -> Opening {
        let from_book = self.moves.iter().take_while(|ply| ply.source == MoveSource::Book);
        Opening {
            index: self.opening,
            label: String::new(),
            fen: self.start_fen.clone(),
            moves: from_book.map(|ply| ply.mv.as_str().to_owned()).collect(),
            variant: self.variant,
        }
    }

    /// Returns the side of this engine, if it played.
    pub fn side_of(&self, engine: EngineIndex) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.engine(color) == engine)
    }

    /// Returns the score of this engine in half points; `None` if it did not play.
    pub fn half_points(&self, engine: EngineIndex) -> Option<u8> {
        self.side_of(engine).map(|side| self.ending.result.half_points(side))
    }

    /// Returns the engine that failed, if any (time forfeits included).
    pub fn failed_engine(&self) -> Option<EngineIndex> {
        self.ending.failed_side().map(|side| self.engine(side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_unchanged_after_serialisation() {
        let ply = PlyRecord {
            mv: MoveText::new("e7e8q").unwrap(),
            source: MoveSource::Engine,
            time_us: 12,
            clock_left_us: None,
            score: Some(Score::Mate(-3)),
            depth: Some(7),
            seldepth: None,
            nodes: Some(900),
            extra: None,
        };
        let book = PlyRecord { source: MoveSource::Book, time_us: 0, score: None, ..ply.clone() };
        let record = GameRecord {
            white: EngineIndex(0),
            black: EngineIndex(1),
            opening: 4,
            start_fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
            variant: Variant::Chess960,
            moves: vec![book, ply],
            ending: Ending {
                result: GameResult::WhiteWins,
                termination: Termination::IllegalMove { text: "a1a1".into() },
            },
            started_unix_ms: 1,
            duration_ms: 2,
            warnings: vec![Warning::StrayLine { count: 2, by: EngineIndex(1) }],
        };
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<GameRecord>(&json).unwrap(), record);
        assert!(json.contains(r#""result":"1-0","reason":"illegal_move","text":"a1a1""#), "{json}");
        assert_eq!(record.failed_engine(), Some(EngineIndex(1)));
        assert_eq!(record.half_points(EngineIndex(0)), Some(2));
    }
}
