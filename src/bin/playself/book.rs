//! `playself book make|check`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use playself::cli::choices::choice;
use playself::cli::number_lists::{integers, positive_count};
use playself::commands::{BookRequest, Console, Failure, OrFailure, answer, make_book};
use playself::opening::{Book, BookFormat, BookOptions, Description, Recipe, ScoreWindow, Variant};

/// Make a book of openings, or check one
#[derive(Debug, Args)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Make(MakeArgs),
    Check(CheckArgs),
}

/// Make a book of random legal openings whose score is inside a window.
///
/// The built-in engine scores every candidate. No position occurs twice, and White is ahead as often as Black. The same
/// arguments make the same book on every machine.
#[derive(Debug, Args)]
struct MakeArgs {
    /// EPD file to write; compressed if its name ends in .gz
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of openings; an odd number becomes the next even one
    #[arg(long, value_name = "N", default_value = "3000", value_parser = positive_count(100_000_000))]
    count: NonZeroUsize,
    /// Number of random moves from the start, in plies
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: u32,
    /// Advantage of either side, in centipawns
    #[arg(long, value_name = "MIN,MAX", default_value = "0,40", value_parser = window)]
    window: ScoreWindow,
    /// Nodes of the search that scores a candidate
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Start from the 960 positions of Chess960
    #[arg(long)]
    chess960: bool,
    /// Number of searches at once; the book does not depend on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive_count(1024))]
    threads: NonZeroUsize,
}

/// Check every opening of a book and describe the book; exit status 2 if an opening cannot be used
#[derive(Debug, Args)]
struct CheckArgs {
    /// Book: .epd or .pgn, also with .gz, .zst or .zip
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the file; by default taken from its name and content
    #[arg(long, value_name = "FORMAT", value_parser = choice::<BookFormat>(), default_value = "guess")]
    format: BookFormat,
    /// Use at most this many plies of each opening
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

fn window(text: &str) -> Result<ScoreWindow, String> {
    let [min, max] = integers(text)?;
    ScoreWindow::new(min, max).ok_or_else(|| format!("MIN {min} is above MAX {max}"))
}

impl BookArgs {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.action {
            Action::Make(args) => args.run(),
            Action::Check(args) => args.run(),
        }
    }
}

impl MakeArgs {
    fn run(self) -> Result<ExitCode, Failure> {
        let Self { count, plies, window, nodes, seed, threads, .. } = self;
        let variant = if self.chess960 { Variant::Chess960 } else { Variant::Standard };
        let request = BookRequest { recipe: Recipe { seed, plies, variant }, window, count, nodes, threads };
        make_book(&request, &self.out, Console::Text)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl CheckArgs {
    fn run(self) -> Result<ExitCode, Failure> {
        let options = BookOptions { plies: self.plies, ..BookOptions::default() };
        let book = Book::open(&self.file, self.format, options)
            .and_then(|book| Description::of(&book))
            .or_usage()?;
        if self.json {
            answer(serde_json::to_string(&book).or_fault()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let format = if book.format == BookFormat::Pgn { "PGN" } else { "EPD" };
        let rules = if book.variant == Variant::Chess960 { "Chess960" } else { "standard chess" };
        answer(format_args!("{}\n  format    {format}, {rules}", self.file.display()))?;
        answer(format_args!(
            "  openings  {}, with {} distinct end positions",
            book.openings, book.different
        ))?;
        answer(format_args!("  to move   White {}, Black {}", book.white_to_move, book.black_to_move))?;
        answer(format_args!("  length    {} to {} plies", book.fewest_plies, book.most_plies))?;
        answer(format_args!("  sha256    {}", book.sha256)).map(|()| ExitCode::SUCCESS)
    }
}
