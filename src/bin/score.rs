//! `score`: the evaluation of a position, term by term.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use playself::chess::Position;
use playself::cli::usage;
use playself::commands::{Failure, OrFailure, answer};
use playself::engine::Declared;
use playself::engine::eval::{Breakdown, breakdown};
use playself::frontend::options::EngineOptions;

/// Score a position term by term, in centipawns from White's side
#[derive(Debug, Parser)]
#[command(name = "score", version)]
struct Cli {
    /// Position [default: the initial position]
    #[arg(long)]
    fen: Option<String>,
    /// Weights, as `name = value` lines; weights that the file omits keep their defaults
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
    /// One weight, applied after the file; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Print all weights as a weights file instead of a score
    #[arg(long)]
    print_weights: bool,
}

fn main() -> ExitCode {
    match usage::parse::<Cli>() {
        Ok(cli) => usage::exit_code("score", cli.run()),
        Err(status) => status,
    }
}

impl Cli {
    fn run(&self) -> Result<ExitCode, Failure> {
        let weights =
            EngineOptions::load(self.weights.as_deref(), &self.set).map_err(Failure::usage)?.weights;
        if self.print_weights {
            answer(weights.to_text().trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let position = match &self.fen {
            Some(fen) => Position::from_fen(fen).context("--fen").or_usage()?,
            None => Position::startpos(),
        };
        let terms = breakdown(&position, &weights);
        answer(if self.json { json(&terms) } else { table(&position, &terms) })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn json(breakdown: &Breakdown) -> String {
    let terms: Vec<_> = breakdown
        .terms
        .iter()
        .map(|term| {
            serde_json::json!({
                "name": term.name, "white": term.white, "black": term.black, "total": term.total
            })
        })
        .collect();
    serde_json::json!({ "score_cp": breakdown.score_cp, "phase": breakdown.phase, "terms": terms })
        .to_string()
}

fn table(position: &Position, breakdown: &Breakdown) -> String {
    let mut text =
        format!("{}\n\n{:<28}{:>8}{:>8}{:>8}\n", position.to_fen(), "term", "white", "black", "total");
    let rule = format!("{}\n", "-".repeat(52));
    text += &rule;
    for term in &breakdown.terms {
        text += &format!("{:<28}{:>8}{:>8}{:>+8}\n", term.name, term.white, term.black, term.total);
    }
    let phase = format!("phase {} of 24", breakdown.phase);
    text + &rule + &format!("{:<28}{:>16}{:>+8}", "score (centipawns)", phase, breakdown.score_cp)
}
