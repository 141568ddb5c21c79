//! `playself book`: openings made by the built-in engine, and books checked and described.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use playself::chess::{GameLine, Position};
use playself::engine::{Limits, Score, Searcher, StopFlag, Unobserved};
use playself::opening::{
    Book, BookBuilder, BookFormat, BookOptions, Description, Recipe, ScoreWindow, Variant,
};

/// Make a book of openings, or check one.
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

/// Make a book: random legal openings whose score, searched by the built-in engine, is inside a window.
///
/// Every position comes once, and White is ahead in as many as Black is. The same arguments make the same book.
#[derive(Debug, Args)]
struct MakeArgs {
    /// The file to write, in EPD.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// How many openings; an odd number becomes the next even one.
    #[arg(long, value_name = "N", default_value = "3000")]
    count: NonZeroUsize,

    /// Random moves from the start.
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: u32,

    /// How far ahead one side should be, whichever it is, in centipawns.
    #[arg(long, value_name = "MIN,MAX", default_value = "0,40", value_parser = window)]
    window: ScoreWindow,

    /// Nodes of the search that judges a candidate.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,

    /// What the random moves come from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Start from the 960 positions of Chess960.
    #[arg(long)]
    chess960: bool,

    /// Searches at a time; the book does not depend on it.
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,
}

/// Check every opening of a book and describe it; exit status 2 if one cannot be used.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The book: .epd or .pgn, also as .gz, .zst or .zip.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What the file is, if its name and content do not tell.
    #[arg(long, value_enum, default_value_t = FormatName::Guess)]
    format: FormatName,

    /// Look at no more than this many moves of each opening.
    #[arg(long, value_name = "N")]
    plies: Option<u32>,

    /// Print one JSON object instead.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Guess,
    Epd,
    Pgn,
}

fn window(text: &str) -> Result<ScoreWindow, String> {
    let (min, max) = text.split_once(',').ok_or("two numbers with a comma between them are due")?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|error| format!("`{text}`: {error}"));
    let (min, max) = (number(min)?, number(max)?);
    ScoreWindow::new(min, max).ok_or_else(|| format!("{min} is more than {max}"))
}

impl BookArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Make(args) => args.run(),
            Action::Check(args) => args.run(),
        }
    }
}

impl MakeArgs {
    fn run(self) -> anyhow::Result<ExitCode> {
        // Found out now rather than after minutes of search.
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        if !folder.unwrap_or(Path::new(".")).is_dir() {
            bail!("{}: its folder does not exist", self.out.display());
        }
        let variant = if self.chess960 { Variant::Chess960 } else { Variant::Standard };
        let recipe = Recipe { seed: self.seed, plies: self.plies, variant };
        let mut builder = BookBuilder::new(self.window, self.count.get());
        let mut judges: Vec<Judge> =
            (0..self.threads.get()).map(|_| Judge::new(self.nodes, self.window)).collect();
        let mut attempts = 0;
        while !builder.is_full() {
            let before = builder.len();
            // A line of progress every so many batches is enough.
            for _ in 0..16 {
                if !builder.is_full() {
                    self.gather(&recipe, attempts, &mut judges, &mut builder);
                    attempts += BATCH;
                }
            }
            writeln!(io::stderr(), "{} openings of {attempts} candidates", builder.len())?;
            if builder.len() == before && attempts > 100_000 {
                bail!("{attempts} candidates gave {before} openings: widen --window or change --plies");
            }
        }
        let mut text = builder.into_lines().join("\n");
        text.push('\n');
        fs::write(&self.out, text).with_context(|| format!("{} cannot be written", self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Judges a batch of candidates side by side, and offers them in the order of their attempts.
    fn gather(&self, recipe: &Recipe, first: u64, judges: &mut [Judge], builder: &mut BookBuilder) {
        let candidates: Vec<Position> = (first..first + BATCH)
            .filter_map(|attempt| recipe.candidate(attempt))
            .filter(|position| builder.is_new(position))
            .collect();
        let share = candidates.len().div_ceil(judges.len()).max(1);
        let scores: Vec<Option<i32>> = thread::scope(|scope| {
            let running: Vec<_> = candidates
                .chunks(share)
                .zip(judges)
                .map(|(part, judge)| {
                    scope.spawn(|| part.iter().map(|position| judge.score(position)).collect::<Vec<_>>())
                })
                .collect();
            running.into_iter().flat_map(|thread| thread.join().expect("a judge does not panic")).collect()
        });
        for (position, score) in candidates.iter().zip(scores) {
            if let Some(score) = score {
                builder.offer(position, score);
            }
        }
    }
}

/// Candidates judged before the builder is looked at.
const BATCH: u64 = 64;

/// The built-in engine at a fixed number of nodes, which is the same everywhere.
struct Judge {
    searcher: Searcher,
    nodes: u64,
    window: ScoreWindow,
}

impl Judge {
    fn new(nodes: u64, window: ScoreWindow) -> Self {
        Self { searcher: Searcher::new(4), nodes, window }
    }

    /// Centipawns for the side to move; `None` if out of reach of the window, or a mate.
    fn score(&mut self, position: &Position) -> Option<i32> {
        // Most candidates are far off, which a short look tells.
        let glance = self.search(position, self.nodes / 16)?;
        if !self.window.widened(150).contains(glance) {
            return None;
        }
        self.search(position, self.nodes)
    }

    fn search(&mut self, position: &Position, nodes: u64) -> Option<i32> {
        self.searcher.new_game();
        let line = GameLine::new(*position);
        let report =
            self.searcher.search(&line, &Limits::nodes(nodes.max(1)), &StopFlag::new(), &mut Unobserved);
        match report.score {
            Score::Cp(centipawns) => Some(centipawns),
            Score::Mate(_) => None,
        }
    }
}

impl CheckArgs {
    fn run(self) -> anyhow::Result<ExitCode> {
        let format = match self.format {
            FormatName::Guess => BookFormat::Guess,
            FormatName::Epd => BookFormat::Epd,
            FormatName::Pgn => BookFormat::Pgn,
        };
        let options = BookOptions { plies: self.plies, ..BookOptions::default() };
        let book = Book::open(&self.file, format, options)?;
        let described = Description::of(&book)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&described)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let format = if described.format == BookFormat::Pgn { "PGN" } else { "EPD" };
        let rules = if described.variant == Variant::Chess960 { "Chess960" } else { "standard chess" };
        writeln!(out, "{}", self.file.display())?;
        writeln!(out, "  format    {format}, {rules}")?;
        writeln!(
            out,
            "  openings  {}, leading to {} different positions",
            described.openings, described.different
        )?;
        writeln!(out, "  to move   White {}, Black {}", described.white_to_move, described.black_to_move)?;
        writeln!(
            out,
            "  moves     {} to {} half-moves before the engines take over",
            described.fewest_plies, described.most_plies
        )?;
        writeln!(out, "  sha256    {}", described.sha256)?;
        Ok(ExitCode::SUCCESS)
    }
}
