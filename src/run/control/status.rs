//! Answers of a running run, as JSON.

use serde::{Deserialize, Serialize};

use crate::chess::{Color, MoveStyle};
use crate::fleet::Member;
use crate::game::{LiveGame, LiveSearch, MoveText, Score};
use crate::run::plan::Plan;
use crate::stats::Pentanomial;

/// Boards in an answer at most.
const MAX_BOARDS: usize = 64;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunPhase {
    /// It starts pairs.
    Playing,
    /// It starts no pairs until it is continued.
    Paused,
    /// It finishes the pairs in play, then ends.
    Stopping,
}

impl RunPhase {
    /// The word used in JSON, panels and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Playing => "playing",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
        }
    }
}

/// The state of a running run. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct RunStatus {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<Vec<BoardStatus>>,
    pub concurrency: usize,
    pub draws: u64,
    pub faults: u64,
    pub llr: Option<f64>,
    pub losses: u64,
    pub max_pairs: Option<u64>,
    pub name: String,
    pub pairs: u64,
    pub pentanomial: Pentanomial,
    pub phase: RunPhase,
    pub playing: usize,
    pub seconds: f64,
    pub voids: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<(u64, Option<String>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    pub wins: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<Member>,
}

/// A game in progress. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct BoardStatus {
    pub black: String,
    #[serde(default)]
    pub chess960: bool,
    pub clocks_ms: [Option<u64>; 2],
    #[serde(default)]
    pub depths: [Option<u16>; 2],
    #[serde(default)]
    pub dialogue: [Vec<String>; 2],
    pub fen: String,
    pub last: Option<String>,
    #[serde(default)]
    pub moves: String,
    #[serde(default)]
    pub nodes: [Option<u64>; 2],
    pub plies: usize,
    pub round: String,
    pub score: Option<String>,
    #[serde(default)]
    pub scores: [Option<String>; 2],
    #[serde(default)]
    pub searches: Vec<MoveSearch>,
    pub since_ms: u64,
    pub slot: usize,
    #[serde(default)]
    pub start: String,
    pub white: String,
}

/// What was reported with a move of a game in progress: score from White's side, depth and nodes.
pub type MoveSearch = (Option<String>, Option<u16>, Option<u64>);

impl BoardStatus {
    /// The games in progress, in the order of their slots.
    pub(in crate::run) fn all(plan: &Plan, games: &[LiveGame]) -> Vec<Self> {
        games.iter().take(MAX_BOARDS).map(|game| Self::of(plan, game)).collect()
    }

    fn of(plan: &Plan, game: &LiveGame) -> Self {
        let last_mover = !game.position.turn();
        let clock = |color: Color| game.clocks[color].map(|left| left.as_millis() as u64);
        let score_of = |color: Color| Some(from_white(game.searches[color]?.score?, color));
        let moves: Vec<&str> = game.moves.iter().map(MoveText::as_str).collect();
        Self {
            chess960: game.style == MoveStyle::Chess960,
            dialogue: Color::ALL.map(|color| game.dialogue[color].clone()),
            depths: Color::ALL.map(|color| game.searches[color]?.depth),
            nodes: Color::ALL.map(|color| game.searches[color]?.nodes),
            scores: Color::ALL.map(score_of),
            searches: move_searches(game),
            moves: moves.join(" "),
            start: game.start.to_fen(),
            slot: game.slot,
            round: game.game_id().to_string(),
            white: plan.name_of(game.white).to_owned(),
            black: plan.name_of(game.black).to_owned(),
            fen: game.position.to_fen(),
            last: game.last_move.map(|mv| mv.to_string()),
            plies: game.plies,
            score: game.score.map(|score| from_white(score, last_mover)),
            clocks_ms: [clock(Color::White), clock(Color::Black)],
            since_ms: game.moved_at.elapsed().as_millis() as u64,
        }
    }
}

/// Returns the search of each move of the game.
fn move_searches(game: &LiveGame) -> Vec<MoveSearch> {
    let movers = [game.start.turn(), !game.start.turn()].into_iter().cycle();
    let searches = game.line_searches.iter().zip(movers);
    let text = |search: &LiveSearch, by: Color| search.score.map(|score| from_white(score, by));
    searches.map(|(search, by)| (text(search, by), search.depth, search.nodes)).collect()
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ControlAnswer {
    /// The run did what was asked; this is its state now.
    Status(Box<RunStatus>),
    /// The run refused.
    Error {
        /// Why.
        error: String,
    },
}

impl ControlAnswer {
    /// A refusal for this reason.
    pub fn error(reason: impl std::fmt::Display) -> Self {
        Self::Error { error: reason.to_string() }
    }
}

/// A score from White's side: pawns, or `#` and moves to mate.
pub fn from_white(score: Score, by: Color) -> String {
    let sign = if by == Color::White { 1 } else { -1 };
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) * f64::from(sign) / 100.0),
        Score::Mate(moves) => format!("#{}", moves.saturating_mul(sign)),
    }
}
