//! `score`: what the evaluation thinks of a position, term by term, from White's side.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use playself::chess::Position;
use playself::cli::usage;
use playself::engine::eval::{Breakdown, breakdown};
use playself::engine::{Declared, Weights};

/// Exit status for a wrong call, a wrong position or a wrong weights file.
const USAGE: u8 = 2;

/// Score a position term by term, in centipawns from White's side.
#[derive(Debug, Parser)]
#[command(name = "score", version)]
struct Cli {
    /// The position; the start of a game if left out.
    #[arg(long)]
    fen: Option<String>,
    /// A file of weights, `name = value` on each line; what it leaves out keeps its default.
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
    /// One weight, set after the file is read; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// One line of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Print all weights as a file instead of a score.
    #[arg(long)]
    print_weights: bool,
}

fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            ExitCode::from(USAGE)
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let weights = weights_of(cli.weights.as_deref(), &cli.set)?;
    let text = if cli.print_weights {
        weights.to_text()
    } else {
        let position = match &cli.fen {
            Some(fen) => Position::from_fen(fen)?,
            None => Position::startpos(),
        };
        let told = breakdown(&position, &weights);
        if cli.json { json(&told) } else { table(&position, &told) }
    };
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// The default weights with a file, then single assignments, on top.
fn weights_of(file: Option<&Path>, assignments: &[String]) -> anyhow::Result<Weights> {
    let mut weights = Weights::default();
    if let Some(path) = file {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("could not read {name}"))?;
        weights.read_text(&text).with_context(|| format!("{name} is no weights file"))?;
    }
    for assignment in assignments {
        weights.assign(assignment).with_context(|| format!("--set {assignment}"))?;
    }
    Ok(weights)
}

fn json(told: &Breakdown) -> String {
    let terms: Vec<_> = told
        .terms
        .iter()
        .map(|term| {
            serde_json::json!({
                "name": term.name, "white": term.white, "black": term.black, "total": term.total
            })
        })
        .collect();
    let line = serde_json::json!({ "score_cp": told.score_cp, "phase": told.phase, "terms": terms });
    format!("{line}\n")
}

fn table(position: &Position, told: &Breakdown) -> String {
    let mut text =
        format!("{}\n\n{:<28}{:>8}{:>8}{:>8}\n", position.to_fen(), "term", "white", "black", "total");
    let rule = format!("{}\n", "-".repeat(52));
    text += &rule;
    for term in &told.terms {
        text += &format!("{:<28}{:>8}{:>8}{:>+8}\n", term.name, term.white, term.black, term.total);
    }
    let phase = format!("phase {} of 24", told.phase);
    text + &rule + &format!("{:<28}{:>16}{:>+8}\n", "score (centipawns)", phase, told.score_cp)
}

#[expect(clippy::print_stderr, reason = "the one place where a failed call says why")]
fn complain(failure: &anyhow::Error) {
    eprintln!("score: {failure:#}");
}
