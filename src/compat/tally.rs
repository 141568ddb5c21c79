//! Results by engine and matchup, as the lines of other match runners need them.

use crate::chess::Color;
use crate::game::{EngineIndex, GameResult};
use crate::journal::GameEntry;
use crate::run::CountedPair;
use crate::stats::{GameScore, Trinomial};

/// Results of one engine against another, or against all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) wins: u64,
    pub(super) losses: u64,
    pub(super) draws: u64,
    /// Pairs by their two results: both lost, a loss and a draw, one each, both drawn, a win and a draw, both won.
    pub(super) pairs: [u64; 6],
}

impl Results {
    pub(super) fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    pub(super) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Pairs by the points of the engine: 0 to 2.
    pub(super) fn pentanomial(&self) -> [u64; 5] {
        let [lost, half, split, drawn, three, won] = self.pairs;
        [lost, half, split + drawn, three, won]
    }

    pub(super) fn trinomial(&self) -> Trinomial {
        Trinomial { wins: self.wins, draws: self.draws, losses: self.losses }
    }

    fn game(&mut self, score: GameScore) {
        match score {
            GameScore::Win => self.wins += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Loss => self.losses += 1,
        }
    }

    fn pair(&mut self, first: GameScore, second: GameScore) {
        let place = match (first.min(second), first.max(second)) {
            (GameScore::Loss, GameScore::Loss) => 0,
            (GameScore::Loss, GameScore::Draw) => 1,
            (GameScore::Loss, GameScore::Win) => 2,
            (GameScore::Draw, GameScore::Draw) => 3,
            (GameScore::Draw, GameScore::Win) => 4,
            _ => 5,
        };
        self.pairs[place] += 1;
    }

    fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        self.pairs.iter_mut().zip(other.pairs).for_each(|(count, more)| *count += more);
    }
}

/// All results: each engine against each other, from both sides.
#[derive(Clone, Debug)]
pub(super) struct ScoreTable {
    engines: usize,
    results: Vec<Results>,
}

impl ScoreTable {
    pub(super) fn new(engines: usize) -> Self {
        Self { engines, results: vec![Results::default(); engines * engines] }
    }

    /// Results of `one` against `other`.
    pub(super) fn of(&self, one: EngineIndex, other: EngineIndex) -> Results {
        self.results[one.get() * self.engines + other.get()]
    }

    /// Results of an engine against all others.
    pub(super) fn all_of(&self, engine: EngineIndex) -> Results {
        let row = &self.results[engine.get() * self.engines..][..self.engines];
        row.iter().fold(Results::default(), |mut sum, results| {
            sum.add(results);
            sum
        })
    }

    /// Counts a game.
    pub(super) fn game(&mut self, game: &GameEntry) {
        for (engine, other) in [(game.white, game.black), (game.black, game.white)] {
            self.results[engine.get() * self.engines + other.get()].game(score(game, engine));
        }
    }

    /// Counts a pair and its games.
    pub(super) fn pair(&mut self, pair: &CountedPair) {
        pair.games.iter().for_each(|game| self.game(game));
        let [one, two] = &pair.games[..] else { return };
        for (engine, other) in [(one.white, one.black), (one.black, one.white)] {
            let results = &mut self.results[engine.get() * self.engines + other.get()];
            results.pair(score(one, engine), score(two, engine));
        }
    }
}

/// Returns the score of an engine in a game that it played.
pub(super) fn score(game: &GameEntry, engine: EngineIndex) -> GameScore {
    let side = if game.white == engine { Color::White } else { Color::Black };
    match game.ending.result {
        GameResult::Draw => GameScore::Draw,
        won if won == GameResult::win_of(side) => GameScore::Win,
        _ => GameScore::Loss,
    }
}
