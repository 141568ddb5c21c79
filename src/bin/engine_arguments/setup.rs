//! How our engine is set up from a command line, in each of the programs that are it.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;

use playself::frontend::options::EngineOptions;
use playself::protocol::Words;

/// How the engine is set up before anybody talks to it.
#[derive(Debug, clap::Args)]
pub(crate) struct SetupArgs {
    /// Weights and search parameters from a file of `name = integer` lines
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// One weight or search parameter; may be given again, and comes after the file
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB")]
    hash: Option<u32>,
}

impl SetupArgs {
    /// The options these arguments ask for, or what is wrong with them.
    pub(crate) fn options(&self) -> Result<EngineOptions, String> {
        let mut options = EngineOptions::default();
        if let Some(path) = &self.weights {
            let wrong = |what: &dyn Display| format!("{}: {what}", path.display());
            let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
            options.read_file(&text).map_err(|mistakes| wrong(&mistakes))?;
        }
        for assignment in &self.set {
            options.assign(assignment).map_err(|error| format!("--set: {error}"))?;
        }
        if let Some(megabytes) = self.hash {
            let value = megabytes.to_string();
            options.set(Words::new("Hash"), Some(&value)).map_err(|error| format!("--hash: {error}"))?;
        }
        Ok(options)
    }
}

/// Says what is wrong with a call.
#[expect(clippy::print_stderr, reason = "a program that cannot start says why")]
pub(crate) fn complain(program: &str, mistake: &str) {
    eprintln!("{program}: {mistake}");
}
