//! Strength and test verdict of counted results.

use std::path::PathBuf;

use serde::Serialize;

use crate::commands::failure::Failure;
use crate::commands::game_results::GameResults;
use crate::report::{Verdict, counted};
use crate::stats::{Pentanomial, SprtConfig, Strength, Tally, Trinomial};

/// Estimates from counted results. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct ResultStats {
    pub games: u64,
    pub score: Option<f64>,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    pub elo_lower: Option<f64>,
    pub elo_upper: Option<f64>,
    pub los: Option<f64>,
    pub nelo: Option<f64>,
    pub nelo_error: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub pairs_ratio: Option<f64>,
    pub llr: Option<f64>,
    pub llr_lower: Option<f64>,
    pub llr_upper: Option<f64>,
    pub verdict: Verdict,
    #[serde(flatten)]
    pub corrected: Option<CorrectedStats>,
}

/// Strength by a sequential test, corrected for its stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct CorrectedStats {
    pub elo_corrected: f64,
    pub elo_corrected_lower: f64,
    pub elo_corrected_upper: f64,
}

impl ResultStats {
    /// Estimates the strength from `counts` and judges them by `test`, if there is one.
    pub fn of(counts: &impl Tally, test: Option<SprtConfig>) -> Self {
        let strength = Strength::of(counts);
        let reading = test.map(|test| test.reading(counts));
        let corrected =
            test.and_then(|test| Strength::of_test(counts, &test)).filter(|strength| !strength.is_few);
        Self {
            games: counts.games_counted(),
            score: counts.score(),
            elo: strength.and_then(|strength| Some(strength.elo?.0)),
            elo_error: strength.and_then(|strength| Some(strength.error()?.0)),
            elo_lower: strength.and_then(|strength| Some(strength.lower?.0)),
            elo_upper: strength.and_then(|strength| Some(strength.upper?.0)),
            los: strength.map(|strength| strength.los),
            nelo: strength.and_then(|strength| Some(strength.nelo?.0.0)),
            nelo_error: strength.and_then(|strength| Some(strength.nelo?.1.0)),
            draw_ratio: counts.draw_ratio(),
            pairs_ratio: counts.pairs_ratio(),
            llr: reading.map(|reading| reading.llr),
            llr_lower: reading.map(|reading| reading.bounds.lower),
            llr_upper: reading.map(|reading| reading.bounds.upper),
            verdict: reading.map_or(Verdict::NoTest, |reading| Verdict::of_test(reading.accepted())),
            corrected: corrected.filter(|corrected| Some(*corrected) != strength).and_then(|corrected| {
                Some(CorrectedStats {
                    elo_corrected: corrected.elo?.0,
                    elo_corrected_lower: corrected.lower?.0,
                    elo_corrected_upper: corrected.upper?.0,
                })
            }),
        }
    }
}

/// Estimates with a description of what was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedStats {
    /// The estimates.
    pub stats: ResultStats,
    /// What was counted, in words.
    pub counted: String,
}

impl CountedStats {
    /// Estimates from pairs of games; `whose` names the player, if it is known.
    pub fn of_pairs(counts: Pentanomial, whose: Option<&str>, test: Option<SprtConfig>) -> Self {
        let (games, pairs) = (counted(counts.games(), "game"), counted(counts.pairs(), "pair"));
        let counted = format!("{games} in {pairs}{}", of(whose));
        Self { stats: ResultStats::of(&counts, test), counted }
    }

    /// Estimates from single games; `whose` names the player, if it is known.
    pub fn of_games(counts: Trinomial, whose: Option<&str>, test: Option<SprtConfig>) -> Self {
        let Trinomial { wins, draws, losses } = counts;
        let games = counts.games();
        let games = counted(games, "game");
        let counted = format!("{games}{}: {wins} won, {draws} drawn, {losses} lost", of(whose));
        Self { stats: ResultStats::of(&counts, test), counted }
    }

    /// Estimates from the games of one player of a PGN file, by default of White in the first game: by pairs if every
    /// round has one game with each colour, otherwise by games.
    pub fn of_pgn(path: PathBuf, player: Option<&str>, test: Option<SprtConfig>) -> Result<Self, Failure> {
        let results = GameResults::read(&[path])?;
        let number = match player {
            Some(name) => results.player(name).ok_or_else(|| format!("no game has a player `{name}`")),
            None if results.names().is_empty() => Err("there is no game with a result".to_owned()),
            None => Ok(0),
        };
        let number = number.map_err(Failure::usage)?;
        let (whose, counts) = (Some(results.names()[number].as_str()), results.of_player(number));
        Ok(match counts.pairs {
            Some(pairs) => Self::of_pairs(pairs, whose, test),
            None => Self::of_games(counts.games, whose, test),
        })
    }
}

fn of(whose: Option<&str>) -> String {
    whose.map(|name| format!(" of {name}")).unwrap_or_default()
}
