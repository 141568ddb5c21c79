//! `playself stats`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::number_lists::integers;
use playself::cli::test_flags::TestFlags;
use playself::commands::{CountedStats, Failure, OrFailure, answer};
use playself::stats::{Pentanomial, Trinomial};

use crate::stats_text::stats_text;

/// A larger count is taken for a typing error.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// Compute strength, error and test verdict from counted results.
///
/// Counts are those of the candidate. Errors are half-widths of 95 % intervals. With --elo0 and --elo1, also prints the
/// log-likelihood ratio and the verdict of the sequential test.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "playself stats [OPTIONS] --pentanomial <LL,LD,MID,WD,WW>\n       playself stats [OPTIONS] --wdl <W,D,L>\n       playself stats [OPTIONS] --pgn <FILE>",
    after_help = "Example:\n  playself stats --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2"
)]
pub(crate) struct StatsCommand {
    #[command(flatten)]
    counts: Counts,
    /// Player of --pgn whose results are counted [default: White of the first game]
    #[arg(long, value_name = "NAME", requires = "pgn")]
    candidate: Option<String>,
    /// Strength of H0
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Strength of H1, above --elo0
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    #[command(flatten)]
    test: TestFlags,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Counts {
    /// Number of pairs that scored 0, 0.5, 1, 1.5 and 2 points
    #[arg(long, value_name = "LL,LD,MID,WD,WW", allow_hyphen_values = true, value_parser = counts::<5>)]
    pentanomial: Option<[u64; 5]>,
    /// Number of single games won, drawn and lost
    #[arg(long, value_name = "W,D,L", allow_hyphen_values = true, value_parser = counts::<3>)]
    wdl: Option<[u64; 3]>,
    /// Count the games of a PGN file: by pairs if every round has one game with each colour, otherwise single games
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
}

fn counts<const N: usize>(text: &str) -> Result<[u64; N], String> {
    let counts: [u64; N] = integers(text)?;
    match counts.iter().find(|&&count| count > MAX_COUNT) {
        Some(count) => Err(format!("{count} is too large: counts go up to {MAX_COUNT}")),
        None => Ok(counts),
    }
}

impl StatsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let test = match (self.elo0, self.elo1) {
            (Some(elo0), Some(elo1)) => Some(self.test.config(elo0, elo1).or_usage()?),
            _ => None,
        };
        let Counts { pentanomial, wdl, pgn } = self.counts;
        let CountedStats { stats, counted } = match (pentanomial, wdl, pgn) {
            (Some(counts), ..) => CountedStats::of_pairs(Pentanomial(counts), None, test),
            (None, _, Some(path)) => CountedStats::of_pgn(path, self.candidate.as_deref(), test)?,
            (None, counts, None) => {
                let [wins, draws, losses] = counts.unwrap_or_default();
                CountedStats::of_games(Trinomial { wins, draws, losses }, None, test)
            }
        };
        if self.json {
            answer(serde_json::to_string(&stats).or_fault()?)?;
        } else {
            answer(stats_text(&stats, &counted, test).or_fault()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
