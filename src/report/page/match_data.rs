//! The data of the page of a match or test, accumulated pair by pair.

use std::collections::BTreeMap;

use crate::chess::Color;
use crate::game::{GameId, GameOfPair, GameRecord, MoveSource, PairId, fault_in_words};
use crate::report::page::openings::OpeningResults;
use crate::run::fault_file_name;
use crate::stats::{PairScore, Pentanomial, Trinomial};

/// The use of time of one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineUse {
    /// Number of moves that the engine chose.
    pub moves: u64,
    /// Time for these moves, in microseconds.
    pub time_us: u64,
    /// Longest time for one move, in microseconds.
    pub longest_us: u64,
    /// Shortest time left on the clock after a move, in microseconds; `None` without a clock.
    pub least_left_us: Option<u64>,
    nodes: u64,
    node_time_us: u64,
    depth_sum: u64,
    depths: u64,
}

impl EngineUse {
    /// Returns the nodes per second over the moves that reported nodes.
    pub fn nps(&self) -> Option<u64> {
        (self.node_time_us > 0).then(|| (self.nodes as f64 * 1e6 / self.node_time_us as f64) as u64)
    }

    /// Returns the mean depth over the moves that reported one.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.depths > 0).then(|| self.depth_sum as f64 / self.depths as f64)
    }
}

/// A game that ended by a fault of an engine or on time.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultRow {
    /// The game.
    pub game: GameId,
    /// The try at the pair, from 0.
    pub attempt: u32,
    /// Name of the engine at fault.
    pub engine: String,
    /// Reason of the result in words.
    pub reason: String,
    /// The last moves before the fault, in coordinates.
    pub last_moves: String,
}

impl FaultRow {
    /// Returns the name of the file in `faults/` with the details.
    pub fn file_name(&self) -> String {
        fault_file_name(self.game, self.attempt)
    }
}

/// Largest number of faults on a page; the journal contains all of them.
const MAX_FAULTS: usize = 200;

/// The counted pairs of a match.
#[derive(Clone, Debug)]
pub struct MatchData {
    engines: Vec<String>,
    scores: Vec<PairScore>,
    llr: Vec<f64>,
    /// Number of pairs by points of the candidate.
    pub pentanomial: Pentanomial,
    /// Games of the candidate with White; in a tournament all games, from White's side.
    pub with_white: Trinomial,
    /// Games of the candidate with Black.
    pub with_black: Trinomial,
    /// Number of games by reason of the result.
    pub endings: BTreeMap<&'static str, u64>,
    /// Number of games by length: key 0 is 0 to 19 plies, 1 is 20 to 39, …
    pub lengths: BTreeMap<u64, u64>,
    /// Results by opening.
    pub openings: OpeningResults,
    /// Use of time of each engine, in the order of the plan.
    pub use_of_time: Vec<EngineUse>,
    /// The first faults, in the order of the games.
    pub faults: Vec<FaultRow>,
    /// Number of all faults.
    pub fault_count: u64,
}

impl MatchData {
    /// Returns the data without pairs for these engines, the candidate first.
    pub fn new(engines: Vec<String>) -> Self {
        let use_of_time = vec![EngineUse::default(); engines.len()];
        Self {
            engines,
            scores: Vec::new(),
            llr: Vec::new(),
            pentanomial: Pentanomial::default(),
            with_white: Trinomial::default(),
            with_black: Trinomial::default(),
            endings: BTreeMap::new(),
            lengths: BTreeMap::new(),
            openings: OpeningResults::default(),
            use_of_time,
            faults: Vec::new(),
            fault_count: 0,
        }
    }

    /// Returns whether the run has more than two engines, none of which is the candidate.
    pub fn is_tournament(&self) -> bool {
        self.engines.len() > 2
    }

    /// Counts a pair. `llr` is the log-likelihood ratio after it, if there is a test.
    pub fn count(&mut self, pair: PairId, games: [&GameRecord; 2], score: PairScore, llr: Option<f64>) {
        self.scores.push(score);
        self.llr.extend(llr);
        self.pentanomial.count(score);
        for (game, record) in GameOfPair::BOTH.into_iter().zip(games) {
            self.count_game(pair, game, record);
        }
        self.openings.count(pair.index, games, (!self.is_tournament()).then_some(score));
    }

    fn count_game(&mut self, pair: PairId, game: GameOfPair, record: &GameRecord) {
        let (tally, side) = match game {
            // Without a candidate, all games are counted from White's side.
            _ if self.engines.len() > 2 => (&mut self.with_white, Color::White),
            GameOfPair::First => (&mut self.with_white, Color::White),
            GameOfPair::Second => (&mut self.with_black, Color::Black),
        };
        match record.ending.result.half_points(side) {
            2 => tally.wins += 1,
            1 => tally.draws += 1,
            _ => tally.losses += 1,
        }
        *self.endings.entry(record.ending.termination.kind()).or_default() += 1;
        *self.lengths.entry(record.moves.len() as u64 / 20).or_default() += 1;
        self.count_time(record);
        if let Some(failed) = record.failed_engine() {
            self.fault_count += 1;
            if self.faults.len() < MAX_FAULTS {
                let engine = self.engines.get(usize::from(failed.0)).cloned().unwrap_or_default();
                self.faults.push(FaultRow {
                    game: GameId { pair: pair.index, game },
                    attempt: pair.attempt,
                    engine,
                    reason: fault_in_words(&record.ending.termination.to_string()),
                    last_moves: last_moves(record),
                });
            }
        }
    }

    fn count_time(&mut self, record: &GameRecord) {
        let black_first = record.start_fen.split(' ').nth(1) == Some("b");
        let mut mover = if black_first { Color::Black } else { Color::White };
        for ply in &record.moves {
            let engine = record.engine(mover);
            mover = !mover;
            if ply.source != MoveSource::Engine {
                continue;
            }
            let Some(used) = self.use_of_time.get_mut(usize::from(engine.0)) else { continue };
            used.moves += 1;
            used.time_us += ply.time_us;
            used.longest_us = used.longest_us.max(ply.time_us);
            used.least_left_us = used.least_left_us.into_iter().chain(ply.clock_left_us).min();
            if let Some(nodes) = ply.nodes {
                used.nodes += nodes;
                used.node_time_us += ply.time_us;
            }
            if let Some(depth) = ply.depth {
                used.depth_sum += u64::from(depth);
                used.depths += 1;
            }
        }
    }

    /// Returns the names of the engines, the candidate first.
    pub fn engines(&self) -> &[String] {
        &self.engines
    }

    /// Returns the number of counted pairs.
    pub fn pairs(&self) -> u64 {
        self.scores.len() as u64
    }

    /// Returns the score of each pair, in order.
    pub fn scores(&self) -> &[PairScore] {
        &self.scores
    }

    /// Returns the log-likelihood ratio after each pair; empty without a test.
    pub fn llr(&self) -> &[f64] {
        &self.llr
    }
}

/// Returns the last moves of a game in coordinates.
fn last_moves(record: &GameRecord) -> String {
    const SHOWN: usize = 4;
    let moves = &record.moves[record.moves.len().saturating_sub(SHOWN)..];
    moves.iter().map(|ply| ply.mv.as_str()).collect::<Vec<_>>().join(" ")
}
