//! `playself rate FILE…`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use playself::commands::{Failure, OrFailure, RateRequest, answer, rate};
use playself::report::RatingExtras;

/// Rate the players of PGN files and runs: Elo with errors from all games together.
///
/// The ratings are those under which the results are most likely, with draws and the advantage of White fitted to the
/// same games (Davidson's model; small differences are on the usual logistic scale). Errors are half-widths of 95 %
/// intervals, relative to the mean of all players, or to the anchors. LOS is the probability that a player is stronger
/// than the next one. Players that cannot be compared are in groups of their own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself rate games.pgn
  playself rate results/* --anchor base=2800 --los --cross-table
  playself rate gauntlet.pgn --prior 2 --csv > ratings.csv")]
pub(crate) struct RateCommand {
    /// PGN files and run folders
    #[arg(value_name = "FILE", required = true)]
    sources: Vec<PathBuf>,
    /// Fix the rating of a player; may be repeated
    #[arg(long = "anchor", value_name = "NAME=ELO", value_parser = anchor)]
    anchors: Vec<(String, f64)>,
    /// Mean rating of players without an anchor among them
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true, value_parser = rating)]
    average: f64,
    /// Draws that each player is assumed to have played before, so that even players with only wins have a rating (2 in
    /// BayesElo)
    #[arg(long, value_name = "DRAWS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = draws)]
    prior: f64,
    /// Advantage of White in Elo [default: fitted]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, value_parser = rating)]
    white_advantage: Option<f64>,
    /// Also print the probability for every two players that one is stronger
    #[arg(long)]
    los: bool,
    /// Also print the results of every two players
    #[arg(long)]
    cross_table: bool,
    /// Print one line of CSV per player instead of a table
    #[arg(long)]
    csv: bool,
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

impl RateCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let names: BTreeSet<&str> = self.anchors.iter().map(|(name, _)| name.as_str()).collect();
        if names.len() < self.anchors.len() {
            return Err(Failure::usage("--anchor: a player has one rating only"));
        }
        let table = rate(&RateRequest {
            sources: self.sources,
            anchors: self.anchors,
            average: self.average,
            prior_draws: self.prior,
            white_advantage: self.white_advantage,
        })?;
        if self.json {
            answer(serde_json::to_string(&table).or_fault()?)?;
        } else if self.csv {
            answer(table.csv().or_fault()?)?;
        } else {
            answer(table.text(RatingExtras { los: self.los, cross_table: self.cross_table }))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, elo) = text.rsplit_once('=').ok_or("expected NAME=ELO, such as base=2800")?;
    Ok((name.to_owned(), rating(elo)?))
}

fn rating(text: &str) -> Result<f64, String> {
    let elo: f64 = text.parse().map_err(|_| format!("`{text}` is not a rating"))?;
    if elo.is_finite() { Ok(elo) } else { Err("a rating is a finite number".to_owned()) }
}

fn draws(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(draws) if (0.0..=1000.0).contains(&draws) => Ok(draws),
        _ => Err(format!("`{text}` is not a number from 0 to 1000")),
    }
}
