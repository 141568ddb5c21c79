//! Training positions from games of the built-in engine against itself, with a fixed number of nodes per move.

use crate::chess::{Color, GameLine, Outcome, Position};
use crate::engine::{Limits, Score, Searcher, StopFlag, Unobserved, Weights};
use crate::game::GameResult;
use crate::texel::sample::Sample;
use crate::texel::tuner::splitmix;

/// The configuration of the games.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    /// Weights of the engine.
    pub weights: Weights,
    /// Nodes per move.
    pub nodes: u64,
    /// Number of random legal plies at the start of each game; every second game has one more.
    pub random_plies: usize,
    /// Random seed; game `k` is the same for the same seed, weights and nodes.
    pub seed: u64,
}

/// A finished game with its training positions.
#[derive(Clone, Debug)]
pub struct SelfPlayGame {
    /// The quiet positions, in order.
    pub samples: Vec<Sample>,
    /// Result of the game.
    pub result: GameResult,
    /// Length of the game, including the random plies.
    pub plies: usize,
}

/// A game is adjudicated as win_plies if the score is at least this for [`WIN_PLIES`] consecutive plies.
const WIN_SCORE: i32 = 1200;
const WIN_PLIES: u32 = 5;
/// A game is adjudicated as drawn if the score is at most this for [`DRAW_PLIES`] consecutive plies, from ply
/// [`DRAW_FROM`] on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: u32 = 14;
const DRAW_FROM: usize = 80;
/// A game that reaches this length is a draw.
const MAX_PLIES: usize = 400;
/// Maximum score after the random plies; other games are discarded.
const MAX_START_SCORE: i32 = 250;
/// Positions with a higher score are not used: no weight is decisive there.
const MAX_SAMPLE_SCORE: i32 = 2000;

impl SelfPlay {
    /// Creates a searcher for these games; each thread needs one.
    pub fn searcher(&self) -> Searcher {
        let mut searcher = Searcher::new(4);
        searcher.set_weights(self.weights.clone());
        searcher
    }

    /// Plays game number `number`; returns `None` if its random start is unbalanced, or if `stop` was set.
    pub fn play(&self, number: u64, searcher: &mut Searcher, stop: &StopFlag) -> Option<SelfPlayGame> {
        searcher.new_game();
        let mut line = self.random_start(number)?;
        let mut samples = Vec::new();
        let (mut win_plies, mut draw_plies) = (0, 0);
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
            if line.moves().len() == random && score.abs() > MAX_START_SCORE {
                return None;
            }
            if !position.in_check() && !best.is_tactical() && score.abs() < MAX_SAMPLE_SCORE {
                samples.push((position, white as i16));
            }
            win_plies = if white.abs() >= WIN_SCORE { win_plies + white.signum() } else { 0 };
            draw_plies =
                if white.abs() <= DRAW_SCORE && line.moves().len() >= DRAW_FROM { draw_plies + 1 } else { 0 };
            line.push(best);
            let decided = match () {
                () if win_plies.unsigned_abs() >= WIN_PLIES && win_plies > 0 => Some(GameResult::WhiteWins),
                () if win_plies.unsigned_abs() >= WIN_PLIES => Some(GameResult::BlackWins),
                () if draw_plies >= DRAW_PLIES || line.moves().len() >= MAX_PLIES => Some(GameResult::Draw),
                () => None,
            };
            if let Some(result) = decided {
                return Some(finish(&samples, result, line.moves().len()));
            }
        }
    }

    fn random_start(&self, number: u64) -> Option<GameLine> {
        let mut random_state = self.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mut line = GameLine::new(Position::startpos());
        for _ in 0..self.random_plies + (number % 2) as usize {
            line.push(line.current().pick_legal_move(|count| splitmix(&mut random_state) % count)?);
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

fn finish(positions: &[(Position, i16)], result: GameResult, plies: usize) -> SelfPlayGame {
    let samples =
        positions.iter().map(|(position, score)| Sample::new(position, Some(*score), result)).collect();
    SelfPlayGame { samples, result, plies }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_depends_only_on_its_configuration_and_number() {
        let games = SelfPlay { weights: Weights::default(), nodes: 60, random_plies: 6, seed: 3 };
        let (mut first, mut second) = (games.searcher(), games.searcher());
        let stop = StopFlag::new();
        let played: Vec<_> = (0..8).filter_map(|number| games.play(number, &mut first, &stop)).collect();
        assert!(!played.is_empty(), "some random starts are balanced");
        let again: Vec<_> =
            (0..8).rev().filter_map(|number| games.play(number, &mut second, &stop)).collect();
        for (one, other) in played.iter().zip(again.iter().rev()) {
            assert_eq!((&one.samples, one.result, one.plies), (&other.samples, other.result, other.plies));
        }
        assert!(played.iter().flat_map(|game| &game.samples).all(|sample| sample.score.is_some()));
    }
}
