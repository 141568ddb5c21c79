//! Results of the counted pairs.

use crate::chess::Color;
use crate::game::{EngineIndex, GameResult, Termination, Warning};
use crate::journal::GameEntry;

use crate::stats::{Estimate, GameScore, PairScore, Pentanomial, SprtConfig, Strength, Trinomial};

use crate::run::schedule::Fixture;

/// The results of one matchup, from the side of its first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// By pairs.
    pub pentanomial: Pentanomial,
    /// By games.
    pub games: Trinomial,
}

impl MatchScore {
    /// Counts the games of an encounter; a single game is no pair.
    fn count(&mut self, games: &[GameScore]) -> Option<PairScore> {
        games.iter().for_each(|&game| self.games.count(game));
        let [first, second] = games else { return None };
        let score = PairScore::of(*first, *second);
        self.pentanomial.count(score);
        Some(score)
    }

    /// The estimate by pairs, or by games where there are no pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::of(&self.pentanomial).or_else(|| Estimate::of(&self.games))
    }

    /// The strength by pairs, or by games where there are no pairs; corrected for the stopping rule of a test.
    pub fn strength(&self, test: Option<SprtConfig>) -> Option<Strength> {
        match test {
            Some(test) => {
                Strength::of_test(&self.pentanomial, &test).or_else(|| Strength::of_test(&self.games, &test))
            }
            None => Strength::of(&self.pentanomial).or_else(|| Strength::of(&self.games)),
        }
    }

    /// The share of drawn pairs, or of drawn games where there are no pairs.
    pub fn draw_ratio(&self) -> Option<f64> {
        self.pentanomial.draw_ratio().or_else(|| self.games.draw_ratio())
    }

    /// The results from the other side.
    pub fn reversed(&self) -> Self {
        let [a, b, c, d, e] = self.pentanomial.0;
        let Trinomial { wins, draws, losses } = self.games;
        Self {
            pentanomial: Pentanomial([e, d, c, b, a]),
            games: Trinomial { wins: losses, draws, losses: wins },
        }
    }

    /// Both results together.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (count, more) in sum.pentanomial.0.iter_mut().zip(other.pentanomial.0) {
            *count += more;
        }
        sum.games.wins += other.games.wins;
        sum.games.draws += other.games.draws;
        sum.games.losses += other.games.losses;
        sum
    }
}

/// The faults of one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Games lost on time.
    pub timeouts: u64,
    /// Games lost by a crash, a stall or a protocol violation.
    pub crashes: u64,
    /// Games lost by an illegal move.
    pub illegal_moves: u64,
}

/// Games in which engines waited for a processor while their clocks ran.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StarvedGames {
    by_engine: Vec<u64>,
    /// Games in which at least one of both engines did.
    all: u64,
}

impl FaultCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.timeouts + self.crashes + self.illegal_moves
    }
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standings {
    matchups: Vec<([EngineIndex; 2], MatchScore)>,
    faults: Vec<FaultCounts>,
    starved: StarvedGames,
}

impl Standings {
    /// Nothing played yet.
    pub fn new(matchups: &[[EngineIndex; 2]], engines: usize) -> Self {
        Self {
            matchups: matchups.iter().map(|&engines| (engines, MatchScore::default())).collect(),
            faults: vec![FaultCounts::default(); engines],
            starved: StarvedGames { by_engine: vec![0; engines], all: 0 },
        }
    }

    /// Counts an encounter and returns the score of the first engine of its fixture, if it has two games.
    pub fn count(&mut self, fixture: &Fixture, games: &[GameEntry]) -> Option<PairScore> {
        let scores: Vec<GameScore> = games.iter().map(|game| score_of(game, fixture.engines[0])).collect();
        for game in games {
            self.note_fault(game);
            self.note_starved(game);
        }
        self.matchups[fixture.matchup].1.count(&scores)
    }

    fn note_starved(&mut self, game: &GameEntry) {
        let starved = game.warnings.iter().filter(|warning| matches!(warning, Warning::Starved { .. }));
        let engines: Vec<EngineIndex> = starved.map(Warning::by).collect();
        self.starved.all += u64::from(!engines.is_empty());
        for engine in engines {
            self.starved.by_engine[engine.get()] += 1;
        }
    }

    fn note_fault(&mut self, game: &GameEntry) {
        let Some(side) = game.ending.failed_side() else { return };
        let engine = match side {
            Color::White => game.white,
            Color::Black => game.black,
        };
        let faults = &mut self.faults[engine.get()];
        match &game.ending.termination {
            termination if termination.is_time_loss() => faults.timeouts += 1,
            Termination::IllegalMove { .. } => faults.illegal_moves += 1,
            _ => faults.crashes += 1,
        }
    }

    /// The first matchup: candidate against baseline.
    pub fn main(&self) -> &MatchScore {
        &self.matchups[0].1
    }

    /// Every matchup with its results.
    pub fn matchups(&self) -> &[([EngineIndex; 2], MatchScore)] {
        &self.matchups
    }

    /// All results of one engine, from its side.
    pub fn of(&self, engine: EngineIndex) -> MatchScore {
        self.matchups.iter().fold(MatchScore::default(), |sum, (engines, score)| {
            if engines[0] == engine {
                sum.plus(score)
            } else if engines[1] == engine {
                sum.plus(&score.reversed())
            } else {
                sum
            }
        })
    }

    /// The faults of one engine.
    pub fn faults_of(&self, engine: EngineIndex) -> FaultCounts {
        self.faults[engine.get()]
    }

    /// The faults of all engines.
    pub fn faults(&self) -> u64 {
        self.faults.iter().map(FaultCounts::total).sum()
    }

    /// Games in which this engine waited for a processor for a considerable share of its time.
    pub fn starved_games_of(&self, engine: EngineIndex) -> u64 {
        self.starved.by_engine[engine.get()]
    }

    /// Games in which at least one engine did.
    pub fn starved_games(&self) -> u64 {
        self.starved.all
    }

    /// Pairs counted, over all matchups.
    pub fn pairs(&self) -> u64 {
        self.matchups.iter().map(|(_, score)| score.pentanomial.pairs()).sum()
    }

    /// Games counted, over all matchups.
    pub fn games(&self) -> u64 {
        self.matchups.iter().map(|(_, score)| score.games.games()).sum()
    }
}

/// The score of `engine` in a game it played.
fn score_of(game: &GameEntry, engine: EngineIndex) -> GameScore {
    let white = match game.ending.result {
        GameResult::WhiteWins => GameScore::Win,
        GameResult::BlackWins => GameScore::Loss,
        GameResult::Draw => GameScore::Draw,
    };
    if game.white == engine { white } else { white.reversed() }
}
