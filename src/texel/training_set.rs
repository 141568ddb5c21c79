//! Training positions in memory: grouped by game, without duplicates, and split such that no game is on both sides.

use std::collections::HashMap;

use crate::chess::PackedPosition;
use crate::texel::sample::Sample;
use crate::texel::tuner::splitmix;

/// A position with what is known about its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// The position.
    pub position: PackedPosition,
    /// White's points: of one game, or the mean of several games with the same position.
    pub points: f32,
    /// White's score of a search in centipawns; the mean if there are several.
    pub score: Option<f32>,
    /// Number of the game.
    pub game: u32,
}

/// How the positions of files become training positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Largest number of positions of one game; `None` for all. They are spread over the game.
    pub per_game: Option<usize>,
}

/// Training positions in the order of their games.
#[derive(Clone, Debug, Default)]
pub struct TrainingSet {
    positions: Vec<Labelled>,
    /// Number of positions that equal an earlier one and were merged with it.
    pub duplicates: usize,
}

impl TrainingSet {
    /// Selects and merges the samples, whose games are consecutive.
    pub fn new(samples: &[Sample], selection: Selection) -> Self {
        let mut set = Merged::default();
        for game in samples.chunk_by(|one, other| one.game == other.game) {
            let wanted = selection.per_game.unwrap_or(usize::MAX).min(game.len());
            // The middles of equal parts of the game.
            let spread = (0..wanted).map(|index| (2 * index + 1) * game.len() / (2 * wanted));
            spread.for_each(|index| set.add(&game[index]));
        }
        Self { positions: set.positions, duplicates: set.duplicates }
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns all positions.
    pub fn positions(&self) -> &[Labelled] {
        &self.positions
    }

    /// Splits the positions into a training set and a held-out set, which gets about one of `one_in` games. Which games
    /// these are depends on their numbers alone.
    pub fn split(&self, one_in: u64) -> (Vec<Labelled>, Vec<Labelled>) {
        self.positions.iter().partition(|position| {
            let mut state = u64::from(position.game);
            one_in == 0 || !splitmix(&mut state).is_multiple_of(one_in)
        })
    }
}

/// Positions that are merged as they are added.
#[derive(Default)]
struct Merged {
    positions: Vec<Labelled>,
    /// Number of samples of each position, with and without a score.
    counts: Vec<[u32; 2]>,
    seen: HashMap<[u8; PackedPosition::BYTES], usize>,
    duplicates: usize,
}

impl Merged {
    fn add(&mut self, sample: &Sample) {
        let (points, score) = (sample.points() as f32, sample.score.map(f32::from));
        let next = self.positions.len();
        let index = *self.seen.entry(sample.position.without_move_number().to_bytes()).or_insert(next);
        if index == next {
            self.positions.push(Labelled { position: sample.position, points, score, game: sample.game });
            self.counts.push([1, u32::from(score.is_some())]);
            return;
        }
        self.duplicates += 1;
        let (known, [count, scored]) = (&mut self.positions[index], &mut self.counts[index]);
        *count += 1;
        known.points += (points - known.points) / *count as f32;
        if let Some(score) = score {
            *scored += 1;
            let before = known.score.unwrap_or(score);
            known.score = Some(before + (score - before) / *scored as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;
    use crate::game::GameResult;

    fn sample(fen: &str, game: u32, result: GameResult, score: Option<i16>) -> Sample {
        Sample { game, ..Sample::new(&Position::from_fen(fen).unwrap(), score, result) }
    }

    fn king_moves(game: u32, count: usize) -> Vec<Sample> {
        let fen = |clock: usize| format!("4k3/8/8/8/8/8/4P3/4K3 w - - {clock} {}", 10 + clock);
        (0..count).map(|clock| sample(&fen(clock), game, GameResult::Draw, None)).collect()
    }

    #[test]
    fn equal_positions_of_several_games_become_one_with_the_mean_of_their_results() {
        let (one, other) = ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 30", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 50");
        let set = TrainingSet::new(
            &[
                sample(one, 0, GameResult::WhiteWins, Some(100)),
                sample(other, 1, GameResult::Draw, None),
                sample(one, 2, GameResult::WhiteWins, Some(200)),
                sample(one, 3, GameResult::Draw, Some(300)),
            ],
            Selection::default(),
        );
        assert_eq!((set.len(), set.duplicates), (1, 3));
        let merged = set.positions()[0];
        assert_eq!((merged.points, merged.score, merged.game), (0.75, Some(200.0), 0));
    }

    #[test]
    fn a_game_contributes_at_most_the_limit_spread_over_its_length() {
        let set = TrainingSet::new(&king_moves(0, 40), Selection { per_game: Some(4) });
        let clocks: Vec<u32> = set
            .positions()
            .iter()
            .map(|position| position.position.unpack().unwrap().halfmove_clock().into())
            .collect();
        assert_eq!(clocks, [5, 15, 25, 35]);
        assert_eq!(TrainingSet::new(&king_moves(0, 3), Selection { per_game: Some(4) }).len(), 3);
    }

    #[test]
    fn no_game_is_on_both_sides_of_the_split() {
        let position = Sample::new(&Position::startpos(), None, GameResult::Draw).position;
        let labelled: Vec<Labelled> = (0..1200u32)
            .map(|index| Labelled { position, points: 0.5, score: None, game: index / 3 })
            .collect();
        let set = TrainingSet { positions: labelled, duplicates: 0 };
        let (training, held_out) = set.split(12);
        assert_eq!(training.len() + held_out.len(), 1200);
        assert!((20..=50).contains(&(held_out.len() / 3)), "{}", held_out.len());
        assert!(held_out.iter().all(|one| training.iter().all(|other| one.game != other.game)));
    }
}
