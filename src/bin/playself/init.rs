//! `playself init`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use playself::cli::choices::{Choices, choice, named};
use playself::cli::questions::{ask_choice, ask_text, can_ask};
use playself::commands::{
    Environment, Failure, InitKind, InitRequest, OrFailure, answer, found_engines, run_file_text,
};
use playself::store::write_output;

/// Write a first run file for your engine: a match, a test, a tuning run or a CI job
///
/// On a terminal, asks for what is not given, and offers the engines that it finds in PATH, /usr/games, this folder and its
/// folders target/release, src, build and bin. Only the engines that are chosen are started.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself init
  playself init sprt --engine ./my-engine --against stockfish
  playself init tune --engine builtin --out - | head -20")]
pub(crate) struct InitCommand {
    /// What the file is for
    #[arg(value_name = "KIND", value_parser = choice::<InitKind>())]
    kind: Option<InitKind>,
    /// Your engine: a path, a command line, or a name in PATH; for ci, the program that its build makes
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Engine to play against in a match or a test [default: builtin]
    #[arg(long, value_name = "ENGINE")]
    against: Option<String>,
    /// Clock
    #[arg(long, value_name = "TC", default_value = "8+0.08")]
    tc: String,
    /// File to write, or - for standard output [default: KIND.toml; for ci, .github/workflows/strength.yml]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
        let to_output = self.out.as_deref() == Some(Path::new("-"));
        let path = self.out.filter(|_| !to_output).unwrap_or_else(|| PathBuf::from(kind.file_name()));
        let request = InitRequest { kind, engine, against, tc: self.tc, file: path.clone() };
        let text = run_file_text(&request, &environment)?;
        if to_output {
            answer(text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let shown = path.display();
        if path.exists() {
            return Err(Failure::usage(format_args!("{shown} exists already; name another --out")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), std::fs::create_dir_all).or_fault()?;
        let written = write_output(&path, text.as_bytes());
        written.context("the run file cannot be written").or_fault()?;
        match kind {
            InitKind::Ci => {
                answer(format_args!("Written: {shown}; adapt the lines that are marked with <-"))?;
            }
            _ => answer(format_args!("Written: {shown}\nTo play it: {}", request.command()))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn asks(&self) -> bool {
        self.engine.is_none() && can_ask()
    }

    fn kind(&self) -> Result<InitKind, Failure> {
        match self.kind {
            Some(kind) => Ok(kind),
            None if can_ask() => {
                let names: Vec<String> =
                    InitKind::WORDS.iter().map(|(_, name, _)| (*name).to_owned()).collect();
                let name = ask_choice("What is the file for?", &names, "sprt").or_fault()?;
                named(&name)
                    .ok_or_else(|| Failure::usage(format_args!("`{name}` is none of {}", names.join(", "))))
            }
            None => Err(Failure::usage("name what the file is for: match, sprt, tune or ci")),
        }
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
