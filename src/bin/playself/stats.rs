//! `playself stats`: what counts say about strength, and what a test makes of them.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::ValueEnum;
use playself::stats::{
    Bounds, CorrectedElo, EloModel, ErrorRate, Estimate, Hypotheses, Hypothesis, Pentanomial, SprtConfig,
    Tally, Trinomial,
};
use serde::Serialize;

/// More games than this are a slip of the keyboard.
const MOST_COUNTED: u64 = 1_000_000_000_000;

/// Tell strength, its error and a test's verdict from counted results.
///
/// Counts are the candidate's. Errors are half-widths of 95 % intervals.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  playself stats --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2"
)]
pub(crate) struct StatsCommand {
    #[command(flatten)]
    counts: Counts,

    /// The strength of H0; with --elo1, tell the test's log-likelihood ratio and verdict.
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,

    /// The strength of H1, above --elo0.
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,

    #[command(flatten)]
    test: TestFlags,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Counts {
    /// Pairs that scored 0, 0.5, 1, 1.5 and 2 points.
    #[arg(long, value_name = "LL,LD,MID,WD,WW", allow_hyphen_values = true)]
    pentanomial: Option<String>,

    /// Single games won, drawn and lost.
    #[arg(long, value_name = "W,D,L", allow_hyphen_values = true)]
    wdl: Option<String>,
}

/// How sure a test is to be, and on which scale it measures.
#[derive(Debug, clap::Args)]
pub(crate) struct TestFlags {
    /// The accepted chance of passing a candidate of strength H0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,

    /// The accepted chance of failing a candidate of strength H1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,

    /// The scale of --elo0 and --elo1.
    #[arg(long, value_enum, default_value_t = Scale::Normalized)]
    model: Scale,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scale {
    /// Plain Elo.
    Logistic,
    /// Elo in units of a game's deviation; a test's length depends on nothing else.
    Normalized,
    /// BayesElo, stretched by the draw rate.
    Bayesian,
}

impl TestFlags {
    /// The test between two strengths.
    pub(crate) fn config(&self, elo0: f64, elo1: f64) -> anyhow::Result<SprtConfig> {
        Ok(SprtConfig {
            hypotheses: Hypotheses::new(elo0, elo1)?,
            model: match self.model {
                Scale::Logistic => EloModel::Logistic,
                Scale::Normalized => EloModel::Normalized,
                Scale::Bayesian => EloModel::Bayesian,
            },
            alpha: ErrorRate::new(self.alpha).context("--alpha")?,
            beta: ErrorRate::new(self.beta).context("--beta")?,
        })
    }
}

impl StatsCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let test = match (self.elo0, self.elo1) {
            (Some(elo0), Some(elo1)) => Some(self.test.config(elo0, elo1)?),
            _ => None,
        };
        let report = if let Some(text) = &self.counts.pentanomial {
            let counts = Pentanomial(numbers(text).context("--pentanomial")?);
            Report::of(&counts, test, format!("{} games in {} pairs", counts.games(), counts.pairs()))
        } else {
            let text = self.counts.wdl.as_deref().unwrap_or_default();
            let [wins, draws, losses] = numbers(text).context("--wdl")?;
            let counts = Trinomial { wins, draws, losses };
            Report::of(
                &counts,
                test,
                format!("{} games: {wins} won, {draws} drawn, {losses} lost", counts.games()),
            )
        };
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            report.table(&mut out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Exactly `N` whole numbers between commas.
fn numbers<const N: usize>(text: &str) -> anyhow::Result<[u64; N]> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut counts = [0; N];
    if parts.len() != N {
        bail!("`{text}` has {} numbers where {N} are needed", parts.len());
    }
    for (count, part) in counts.iter_mut().zip(parts) {
        *count = match part.parse() {
            Ok(number) if number <= MOST_COUNTED => number,
            Ok(_) => bail!("`{part}` in `{text}` is too large; counts go up to {MOST_COUNTED}"),
            Err(_) => {
                bail!("`{part}` in `{text}` is not a count; write whole numbers from 0, like 40,32,69,18,36")
            }
        };
    }
    Ok(counts)
}

#[derive(Debug, Serialize)]
struct Report {
    games: u64,
    score: Option<f64>,
    elo: Option<f64>,
    elo_error: Option<f64>,
    los: Option<f64>,
    nelo: Option<f64>,
    nelo_error: Option<f64>,
    draw_ratio: Option<f64>,
    pairs_ratio: Option<f64>,
    llr: Option<f64>,
    llr_lower: Option<f64>,
    llr_upper: Option<f64>,
    verdict: &'static str,
    #[serde(flatten)]
    corrected: Option<Corrected>,
    #[serde(skip)]
    counted: String,
    #[serde(skip)]
    test: Option<SprtConfig>,
}

#[derive(Debug, Serialize)]
struct Corrected {
    elo_corrected: f64,
    elo_corrected_lower: f64,
    elo_corrected_upper: f64,
}

impl Report {
    fn of(counts: &impl Tally, test: Option<SprtConfig>, counted: String) -> Self {
        let estimate = Estimate::of(counts);
        let llr = test.map(|test| test.llr(counts));
        let bounds = test.map(|test| test.bounds());
        let accepted = test.zip(llr).map(|(test, llr)| test.judge(llr));
        let corrected = test.filter(|_| accepted.flatten().is_some()).and_then(|test| test.corrected(counts));
        Self {
            games: counts.games_counted(),
            score: estimate.map(|estimate| estimate.score),
            elo: estimate.map(|estimate| estimate.elo.0),
            elo_error: estimate.map(|estimate| estimate.elo_error.0),
            los: estimate.map(|estimate| estimate.los),
            nelo: estimate.map(|estimate| estimate.nelo.0),
            nelo_error: estimate.map(|estimate| estimate.nelo_error.0),
            draw_ratio: estimate.map(|estimate| estimate.draw_ratio),
            pairs_ratio: estimate.and_then(|estimate| estimate.pairs_ratio),
            llr,
            llr_lower: bounds.map(|bounds| bounds.lower),
            llr_upper: bounds.map(|bounds| bounds.upper),
            verdict: match accepted {
                None => "none",
                Some(None) => "undecided",
                Some(Some(Hypothesis::Null)) => "H0",
                Some(Some(Hypothesis::Alternative)) => "H1",
            },
            corrected: corrected.map(|CorrectedElo { elo, lower, upper, .. }| Corrected {
                elo_corrected: elo.0,
                elo_corrected_lower: lower.0,
                elo_corrected_upper: upper.0,
            }),
            counted,
            test,
        }
    }

    fn table(&self, out: &mut impl Write) -> io::Result<()> {
        // Rounded first: the minus of a number that is told as zero says nothing.
        let rounded = |value: f64| format!("{:.2}", (100.0 * value).round() / 100.0 + 0.0);
        let told = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), rounded);
        let percent = |value: Option<f64>| told(value.map(|value| 100.0 * value));
        writeln!(out, "Counted      {}", self.counted)?;
        writeln!(out, "Score        {} %", percent(self.score))?;
        writeln!(out, "Elo          {} ± {}", told(self.elo), told(self.elo_error))?;
        writeln!(out, "nElo         {} ± {}", told(self.nelo), told(self.nelo_error))?;
        writeln!(out, "LOS          {} %", percent(self.los))?;
        writeln!(out, "Draw ratio   {} %", percent(self.draw_ratio))?;
        writeln!(out, "Pairs ratio  {}", told(self.pairs_ratio))?;
        let Some(test) = self.test else { return Ok(()) };
        let (Bounds { lower, upper }, [elo0, elo1]) = (test.bounds(), test.hypotheses.into());
        writeln!(
            out,
            "LLR          {} ({lower:.2}, {upper:.2})  {} [{elo0}, {elo1}]",
            told(self.llr),
            test.model
        )?;
        match self.verdict {
            "undecided" => writeln!(out, "Verdict      undecided, play on")?,
            accepted => writeln!(out, "Verdict      {accepted} accepted")?,
        }
        if let Some(Corrected { elo_corrected, elo_corrected_lower, elo_corrected_upper }) = self.corrected {
            let [elo, lower, upper] = [elo_corrected, elo_corrected_lower, elo_corrected_upper].map(rounded);
            writeln!(out, "Elo, allowing for the early stop: {elo} [{lower}, {upper}]")?;
        }
        Ok(())
    }
}
