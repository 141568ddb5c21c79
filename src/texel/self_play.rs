//! Training positions from our own games: the engine against itself at a fixed number of nodes.

use crate::chess::{Color, GameLine, Outcome, Position};
use crate::engine::{Limits, Score, Searcher, StopFlag, Unobserved, Weights};
use crate::game::GameResult;
use crate::texel::sample::Sample;
use crate::texel::tuner::splitmix;

/// How games are played.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    /// The engine's weights.
    pub weights: Weights,
    /// Nodes for each move.
    pub nodes: u64,
    /// Random legal plies at the start of each game; every second game has one more.
    pub random_plies: usize,
    /// Game k is the same for the same seed, weights and nodes.
    pub seed: u64,
}

/// One game's harvest.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Its quiet positions in order.
    pub samples: Vec<Sample>,
    /// How it ended.
    pub result: GameResult,
    /// Its length, random plies included.
    pub plies: usize,
}

/// A lead that both sides see for [`AGREED_PLIES`] plies is a win.
const WON: i32 = 1200;
/// Plies in a row that a verdict must stand for.
const AGREED_PLIES: u32 = 5;
/// A score this small for [`DEAD_PLIES`] plies, late in the game, is a draw.
const DEAD: i32 = 8;
const DEAD_PLIES: u32 = 14;
const DEAD_FROM: usize = 80;
/// Longer games are drawn.
const MAX_PLIES: usize = 400;
/// After the random plies neither side may lead by more than this.
const BALANCED: i32 = 250;
/// Scores beyond this say nothing that a weight decides.
const LEARNABLE: i32 = 2000;

impl SelfPlay {
    /// A searcher for games of this kind; one for each thread.
    pub fn searcher(&self) -> Searcher {
        let mut searcher = Searcher::new(4);
        searcher.set_weights(self.weights.clone());
        searcher
    }

    /// Plays the game with this number; `None` if its random start is no fair one or `stop` was raised.
    pub fn play(&self, number: u64, searcher: &mut Searcher, stop: &StopFlag) -> Option<PlayedGame> {
        searcher.new_game();
        let mut line = self.random_start(number)?;
        let mut samples = Vec::new();
        let (mut won, mut dead) = (0, 0);
        let random = line.moves().len();
        loop {
            if let Some(outcome) = line.outcome() {
                return Some(finish(&samples, result_of(outcome), line.moves().len()));
            }
            let position = *line.current();
            let report = searcher.search(&line, &Limits::nodes(self.nodes), stop, &mut Unobserved);
            if stop.is_stopped() {
                return None;
            }
            let best = report.best?;
            let score = match report.score {
                Score::Cp(score) => score,
                Score::Mate(moves) => {
                    if moves > 0 {
                        30_000
                    } else {
                        -30_000
                    }
                }
            };
            let white = if position.turn() == Color::White { score } else { -score };
            if line.moves().len() == random && score.abs() > BALANCED {
                return None;
            }
            if !position.in_check() && !best.is_tactical() && score.abs() < LEARNABLE {
                samples.push((position, white as i16));
            }
            won = if white.abs() >= WON { won + white.signum() } else { 0 };
            dead = if white.abs() <= DEAD && line.moves().len() >= DEAD_FROM { dead + 1 } else { 0 };
            line.push(best);
            let decided = match () {
                () if won.unsigned_abs() >= AGREED_PLIES && won > 0 => Some(GameResult::WhiteWins),
                () if won.unsigned_abs() >= AGREED_PLIES => Some(GameResult::BlackWins),
                () if dead >= DEAD_PLIES || line.moves().len() >= MAX_PLIES => Some(GameResult::Draw),
                () => None,
            };
            if let Some(result) = decided {
                return Some(finish(&samples, result, line.moves().len()));
            }
        }
    }

    fn random_start(&self, number: u64) -> Option<GameLine> {
        let mut dice = self.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mut line = GameLine::new(Position::startpos());
        for _ in 0..self.random_plies + (number % 2) as usize {
            line.push(line.current().pick_legal_move(|count| splitmix(&mut dice) % count)?);
        }
        line.outcome().is_none().then_some(line)
    }
}

fn result_of(outcome: Outcome) -> GameResult {
    match outcome {
        Outcome::Win { winner: Color::White, .. } => GameResult::WhiteWins,
        Outcome::Win { winner: Color::Black, .. } => GameResult::BlackWins,
        Outcome::Draw(_) => GameResult::Draw,
    }
}

fn finish(positions: &[(Position, i16)], result: GameResult, plies: usize) -> PlayedGame {
    let samples =
        positions.iter().map(|(position, score)| Sample::new(position, Some(*score), result)).collect();
    PlayedGame { samples, result, plies }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_depends_on_nothing_but_its_plan_and_number() {
        let games = SelfPlay { weights: Weights::default(), nodes: 60, random_plies: 6, seed: 3 };
        let (mut first, mut second) = (games.searcher(), games.searcher());
        let stop = StopFlag::new();
        let played: Vec<_> = (0..8).filter_map(|number| games.play(number, &mut first, &stop)).collect();
        assert!(!played.is_empty(), "some random starts are fair");
        let again: Vec<_> =
            (0..8).rev().filter_map(|number| games.play(number, &mut second, &stop)).collect();
        for (one, other) in played.iter().zip(again.iter().rev()) {
            assert_eq!((&one.samples, one.result, one.plies), (&other.samples, other.result, other.plies));
        }
        assert!(played.iter().flat_map(|game| &game.samples).all(|sample| sample.score.is_some()));
    }
}
