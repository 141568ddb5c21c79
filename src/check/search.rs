//! The record of one search.

use std::time::Duration;

use tokio::time::Instant;

use crate::chess::{Move, MoveStyle, Position};
use crate::player::ReceivedLine;
use crate::protocol::uci::{Command, Info, InfoBound, InfoScore, Reply, Start};

/// Most lines that are kept of one search.
const MOST_LINES: usize = 20_000;

/// A search and what the engine reported about it.
#[derive(Clone, Debug)]
pub(super) struct Search {
    started: Instant,
    /// `info` lines with their times.
    pub(super) infos: Vec<(Instant, String)>,
    /// The move of `bestmove`; empty if it names none.
    pub(super) best: Option<String>,
    /// When `bestmove` was read.
    pub(super) ended: Option<Instant>,
}

impl Search {
    pub(super) fn new(started: Instant) -> Self {
        Self { started, infos: Vec::new(), best: None, ended: None }
    }

    /// Takes a line of the engine.
    pub(super) fn take(&mut self, line: &ReceivedLine) {
        match Reply::parse(&line.text) {
            Reply::Info(_) if self.infos.len() < MOST_LINES => {
                self.infos.push((line.at, line.text.clone()));
            }
            Reply::BestMove { best, .. } => {
                self.best = Some(best.unwrap_or_default().to_owned());
                self.ended = Some(line.at);
            }
            _ => {}
        }
    }

    /// Returns the time from `go` to `bestmove`.
    pub(super) fn took(&self) -> Duration {
        self.ended.map_or(Duration::ZERO, |at| at.saturating_duration_since(self.started))
    }

    /// Returns the reports, oldest first, with their texts.
    pub(super) fn reports(&self) -> impl Iterator<Item = Info<'_>> {
        self.infos.iter().filter_map(|(_, text)| match Reply::parse(text) {
            Reply::Info(line) => Some(line.read()),
            _ => None,
        })
    }

    /// Returns the last reported number of nodes.
    pub(super) fn nodes(&self) -> Option<u64> {
        self.reports().filter_map(|info| info.nodes).last()
    }

    /// Returns the last depth that was reported with a score.
    pub(super) fn depth(&self) -> Option<u32> {
        self.reports().filter(|info| info.score.is_some()).filter_map(|info| info.depth).last()
    }

    /// Returns the last score.
    pub(super) fn score(&self) -> Option<InfoScore> {
        self.reports()
            .filter(|info| info.multipv.is_none_or(|rank| rank == 1))
            .filter_map(|info| info.score)
            .last()
    }

    /// Returns the first move of the last complete line.
    pub(super) fn expected(&self) -> Option<String> {
        let exact = self.reports().filter(|info| {
            info.bound == InfoBound::Exact
                && info.multipv.is_none_or(|rank| rank == 1)
                && info.score.is_some()
        });
        exact.filter_map(|info| info.pv).last().and_then(|line| line.iter().next()).map(str::to_owned)
    }

    /// Describes how far the search has come, for messages.
    pub(super) fn progress(&self) -> String {
        match (self.nodes(), self.depth()) {
            (Some(nodes), Some(depth)) => format!("; it had reported {nodes} nodes and depth {depth}"),
            (Some(nodes), None) => format!("; it had reported {nodes} nodes"),
            _ => String::new(),
        }
    }
}

/// The position of a `position` command.
pub(super) fn position_of(command: &str, style: MoveStyle) -> Option<Position> {
    let Command::Position { start, moves } = Command::parse(command) else { return None };
    let mut position = match start {
        Start::Standard => Position::startpos(),
        Start::Fen(fen) => Position::from_fen(&fen.to_string()).ok()?,
    };
    for word in moves {
        position = position.play(position.parse_coordinate(word, style).ok()?);
    }
    Some(position)
}

/// Returns the legal move that a text names.
pub(super) fn legal_move(position: &Position, text: &str, style: MoveStyle) -> Option<Move> {
    position.parse_coordinate(text, style).ok()
}
