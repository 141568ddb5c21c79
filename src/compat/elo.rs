//! Elo differences by the formulas of fastchess and cutechess-cli.

use statrs::function::erf::erf;

use crate::compat::tally::Results;
use crate::stats::Z_95;

/// An estimate from games or pairs. Before the first result all of it is not a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceElo {
    pub(super) elo: f64,
    pub(super) error: f64,
    pub(super) nelo: f64,
    pub(super) nelo_error: f64,
    /// Likelihood of superiority, in per cent.
    pub(super) los: f64,
}

impl SurfaceElo {
    /// The estimate from pairs, whose two games are not independent.
    pub(super) fn of_pairs(results: &Results) -> Self {
        let counts = results.pentanomial().map(|count| count as f64);
        Self::of(&counts, &[0.0, 0.25, 0.5, 0.75, 1.0], 2.0)
    }

    /// The estimate from games, as if they were independent.
    pub(super) fn of_games(results: &Results) -> Self {
        let counts = [results.losses, results.draws, results.wins].map(|count| count as f64);
        Self::of(&counts, &[0.0, 0.5, 1.0], 1.0)
    }

    fn of(counts: &[f64], scores: &[f64], games_each: f64) -> Self {
        let total: f64 = counts.iter().sum();
        let mean = counts.iter().zip(scores).map(|(count, score)| count / total * score).sum::<f64>();
        let deviation = |(count, score): (&f64, &f64)| count / total * (score - mean) * (score - mean);
        let variance = counts.iter().zip(scores).map(deviation).sum::<f64>();
        let spread = Z_95 * (variance / total).sqrt();
        let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
        let nelo =
            |score: f64| (score - 0.5) / (games_each * variance).sqrt() * (800.0 / std::f64::consts::LN_10);
        Self {
            elo: elo(mean),
            error: (elo(mean + spread) - elo(mean - spread)) / 2.0,
            nelo: nelo(mean),
            nelo_error: (nelo(mean + spread) - nelo(mean - spread)) / 2.0,
            los: 50.0 * (1.0 - erf_of(-(mean - 0.5) / (2.0 * variance / total).sqrt())),
        }
    }
}

/// Returns the likelihood of superiority of cutechess-cli, in per cent: from decided games alone.
pub(super) fn decided_los(results: &Results) -> f64 {
    let (wins, losses) = (results.wins as f64, results.losses as f64);
    100.0 * (0.5 + 0.5 * erf_of((wins - losses) / (2.0 * (wins + losses)).sqrt()))
}

/// The error function, defined for everything that a division can yield.
fn erf_of(value: f64) -> f64 {
    match value {
        nan if nan.is_nan() => nan,
        infinite if infinite.is_infinite() => infinite.signum(),
        finite => erf(finite),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compat::printf::fixed;

    #[test]
    fn the_published_block_of_fastchess_is_reproduced() {
        let results = Results { wins: 159, losses: 181, draws: 50, pairs: [40, 32, 69, 0, 18, 36] };
        let elo = SurfaceElo::of_pairs(&results);
        let texts = [elo.elo, elo.error, elo.nelo, elo.nelo_error, elo.los].map(|value| fixed(value, 2));
        assert_eq!(texts, ["-19.62", "32.94", "-20.64", "34.48", "12.03"]);
    }

    #[test]
    fn the_published_line_of_cutechess_is_reproduced() {
        let results = Results { wins: 118, losses: 103, draws: 279, pairs: [0; 6] };
        let elo = SurfaceElo::of_games(&results);
        assert_eq!(
            (fixed(elo.elo, 1), fixed(decided_los(&results), 1)),
            ("10.4".to_owned(), "84.4".to_owned())
        );
    }

    #[test]
    fn nothing_played_is_not_a_number_and_a_clean_sheet_is_infinite() {
        assert!(SurfaceElo::of_pairs(&Results::default()).elo.is_nan());
        let clean = SurfaceElo::of_games(&Results { wins: 3, ..Results::default() });
        assert_eq!(fixed(clean.elo, 2), "inf");
        assert_eq!(fixed(clean.los, 2), "100.00");
    }
}
