//! `playself stats`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::number_lists::integers;
use playself::cli::test_flags::TestFlags;
use playself::commands::{CorrectedStats, CountedStats, Failure, OrFailure, ResultStats, answer};
use playself::report::Verdict;
use playself::stats::{Bounds, Pentanomial, SprtConfig, Trinomial};

/// A larger count is taken for a typing error.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// Compute strength, error and test verdict from counted results.
///
/// Counts are those of the candidate. Errors are half-widths of 95 % intervals. With --elo0 and --elo1, also prints the
/// log-likelihood ratio and the verdict of the sequential test.
#[derive(Debug, clap::Args)]
#[command(
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
            answer(table(&stats, &counted, test).or_fault()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(stats: &ResultStats, counted: &str, test: Option<SprtConfig>) -> Result<String, std::fmt::Error> {
    // Rounded before it is formatted, so that a number that rounds to zero has no minus sign.
    let rounded = |value: f64| format!("{:.2}", (100.0 * value).round() / 100.0 + 0.0);
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), rounded);
    let percent = |value: Option<f64>| number(value.map(|value| 100.0 * value));
    let mut text = format!("Counted      {counted}");
    write!(text, "\nScore        {} %", percent(stats.score))?;
    match (stats.elo, stats.elo_lower, stats.elo_upper, stats.nelo) {
        (Some(elo), Some(lower), Some(upper), None) => {
            let [elo, lower, upper] = [elo, lower, upper].map(rounded);
            write!(text, "\nElo          {elo} [{lower}, {upper}]")?;
        }
        (None, Some(lower), None, _) => write!(text, "\nElo          > {}", rounded(lower))?,
        (None, None, Some(upper), _) => write!(text, "\nElo          < {}", rounded(upper))?,
        _ => write!(text, "\nElo          {} ± {}", number(stats.elo), number(stats.elo_error))?,
    }
    write!(text, "\nnElo         {} ± {}", number(stats.nelo), number(stats.nelo_error))?;
    write!(text, "\nLOS          {} %", percent(stats.los))?;
    write!(text, "\nDraw ratio   {} %", percent(stats.draw_ratio))?;
    write!(text, "\nPairs ratio  {}", number(stats.pairs_ratio))?;
    let Some(test) = test else { return Ok(text) };
    let (Bounds { lower, upper }, [elo0, elo1]) = (test.bounds(), test.hypotheses.into());
    let (llr, model) = (number(stats.llr), test.model);
    write!(text, "\nLLR          {llr} ({lower:.2}, {upper:.2})  {model} [{elo0}, {elo1}]")?;
    match stats.verdict {
        Verdict::Undecided => write!(text, "\nVerdict      undecided, play on")?,
        accepted => write!(text, "\nVerdict      {accepted} accepted")?,
    }
    if let Some(CorrectedStats { elo_corrected, elo_corrected_lower, elo_corrected_upper }) = stats.corrected
    {
        let [elo, lower, upper] = [elo_corrected, elo_corrected_lower, elo_corrected_upper].map(rounded);
        write!(text, "\nElo, corrected for the stopping rule: {elo} [{lower}, {upper}]")?;
    }
    Ok(text)
}
