//! `playself init`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use playself::cli::questions::{ask_choice, ask_text, can_ask};
use playself::commands::{
    Environment, Failure, InitKind, InitRequest, OrFailure, answer, found_engines, run_file_text,
};
use playself::store::write_whole;

/// Write a first run file for your engine: a match, a test, a tuning run or a CI job
///
/// On a terminal, asks for what is not given, and offers the engines that it finds in PATH, /usr/games and this folder. Only
/// the engines that are chosen are started.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself init
  playself init sprt --engine ./my-engine --against stockfish
  playself init tune --engine builtin --out - | head -20")]
pub(crate) struct InitCommand {
    /// What the file is for
    #[arg(value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    /// Your engine: a path, a command line, or a name in PATH
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Engine to play against [default: builtin]
    #[arg(long, value_name = "ENGINE")]
    against: Option<String>,
    /// Clock
    #[arg(long, value_name = "TC", default_value = "8+0.08")]
    tc: String,
    /// File to write, or - for standard output [default: KIND.toml]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// A match of two engines
    Match,
    /// A sequential test: is one engine stronger than the other?
    Sprt,
    /// Tuning of an engine's numbers, with a test of the result
    Tune,
    /// A workflow of GitHub Actions that tests every pull request
    Ci,
}

impl InitCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let kind = self.kind()?;
        let engine = self.engine()?;
        let against = match (&self.against, kind) {
            (Some(against), _) => against.clone(),
            (None, InitKind::Match | InitKind::Sprt) if self.asks() => {
                ask_text("Engine to play against", "builtin").or_fault()?
            }
            (None, _) => "builtin".to_owned(),
        };
        let text = run_file_text(&InitRequest { kind, engine, against, tc: self.tc }, &environment)?;
        let path = self.out.unwrap_or_else(|| PathBuf::from(kind.file_name()));
        if path == Path::new("-") {
            answer(text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        if path.exists() {
            return Err(Failure::usage(format_args!(
                "{} exists already; name another --out",
                path.display()
            )));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), std::fs::create_dir_all).or_fault()?;
        write_whole(&path, text.as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))
            .or_fault()?;
        answer(format_args!("Written: {}; its first line is the command that plays it", path.display()))?;
        Ok(ExitCode::SUCCESS)
    }

    fn asks(&self) -> bool {
        self.engine.is_none() && can_ask()
    }

    fn kind(&self) -> Result<InitKind, Failure> {
        let kind = match self.kind {
            Some(kind) => kind,
            None if can_ask() => {
                let names = ["match", "sprt", "tune", "ci"].map(str::to_owned);
                let name = ask_choice("What is the file for?", &names, "sprt").or_fault()?;
                Kind::from_str(&name, true).map_err(Failure::usage)?
            }
            None => return Err(Failure::usage("name what the file is for: match, sprt, tune or ci")),
        };
        Ok(match kind {
            Kind::Match => InitKind::Match,
            Kind::Sprt => InitKind::Sprt,
            Kind::Tune => InitKind::Tune,
            Kind::Ci => InitKind::Ci,
        })
    }

    fn engine(&self) -> Result<String, Failure> {
        match &self.engine {
            Some(engine) => Ok(engine.clone()),
            None if can_ask() => {
                let found: Vec<String> =
                    found_engines().iter().map(|path| path.display().to_string()).collect();
                ask_choice("Your engine: a number, a path or a command line", &found, "builtin").or_fault()
            }
            None => Err(Failure::usage("name your engine: --engine PATH")),
        }
    }
}
