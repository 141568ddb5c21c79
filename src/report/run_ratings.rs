//! Ratings of all engines of a run from all its results together.

use crate::game::EngineIndex;
use crate::run::MatchScore;
use crate::stats::{DRAW_DEVIATION, Elo, RatingOptions, Ratings, Tournament};

/// Draws that each engine is assumed to have played before: finite ratings even after a clean sweep.
const PRIOR_DRAWS: f64 = 1.0;

/// Returns the ratings of `engines` engines, whose mean is 0, or `None` before the first game.
pub(super) fn run_ratings(engines: usize, matchups: &[([EngineIndex; 2], MatchScore)]) -> Option<Ratings> {
    let mut tournament = Tournament::new(engines);
    for ([one, other], score) in matchups {
        tournament.add_matchup(one.get(), other.get(), &score.games, &score.pentanomial);
    }
    // The advantage of White cancels in pairs with reversed colours.
    let options = RatingOptions {
        prior_draws: PRIOR_DRAWS,
        white_advantage: Some(Elo(0.0)),
        draw_deviation: Some(DRAW_DEVIATION),
        ..RatingOptions::default()
    };
    let played = tournament.white().games() > 0;
    played.then(|| tournament.rate(&options).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Pentanomial, Trinomial};

    fn matchup(one: u16, other: u16, counts: [u64; 5]) -> ([EngineIndex; 2], MatchScore) {
        // Even pairs are two draws, all others a win or a loss and the rest drawn.
        let [lost, less, even, more, won] = counts;
        let games =
            Trinomial { wins: more + 2 * won, draws: less + 2 * even + more, losses: less + 2 * lost };
        let score = MatchScore { pentanomial: Pentanomial(counts), games };
        ([EngineIndex(one), EngineIndex(other)], score)
    }

    #[test]
    fn two_engines_have_the_elo_difference_of_their_score() {
        // 60 %: 70.4 Elo.
        let ratings = run_ratings(2, &[matchup(0, 1, [0, 2000, 2000, 6000, 0])]).unwrap();
        let difference = ratings.difference(0, 1).unwrap().value;
        assert!((difference - 70.4).abs() < 1.0, "{difference}");
        assert!(ratings.los(0, 1).unwrap() > 0.999);
    }

    #[test]
    fn results_against_third_engines_count_and_a_clean_sweep_stays_finite() {
        let matchups = [
            matchup(0, 1, [0, 0, 10, 10, 0]),
            matchup(1, 2, [0, 0, 0, 0, 10]),
            matchup(0, 2, [0, 0, 0, 0, 0]),
        ];
        let ratings = run_ratings(3, &matchups).unwrap();
        let [first, second, third] = [0, 1, 2].map(|player| ratings.rating(player));
        assert!(first.value > second.value && second.value > third.value, "{first:?} {second:?} {third:?}");
        assert!(third.value.is_finite() && third.error > second.error, "the loser is known least");
        assert!((first.value + second.value + third.value).abs() < 1e-6, "the mean is 0");
        assert!((ratings.los(0, 2).unwrap() + ratings.los(2, 0).unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn an_engine_that_won_every_decided_game_is_stronger_and_its_error_is_finite() {
        let matchups =
            [matchup(0, 1, [0, 0, 2, 1, 3]), matchup(0, 2, [0, 0, 0, 0, 6]), matchup(1, 2, [0, 0, 0, 1, 5])];
        let ratings = run_ratings(3, &matchups).unwrap();
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            assert!(ratings.los(one, other).unwrap() > 0.9, "{:?}", ratings.difference(one, other));
        }
        assert!((0..3).all(|player| ratings.rating(player).error.unwrap() < 450.0), "{ratings:?}");
    }

    #[test]
    fn more_games_make_narrower_errors() {
        let error = |times: u64| {
            let counts = [2, 5, 20, 6, 2].map(|count| count * times);
            run_ratings(2, &[matchup(0, 1, counts)]).unwrap().rating(0).error.unwrap()
        };
        assert!((error(1) / error(100) - 10.0).abs() < 1.0, "{} {}", error(1), error(100));
        assert!(run_ratings(2, &[matchup(0, 1, [0; 5])]).is_none());
    }
}
