//! How our engine is set up from a command line, in each of the programs that are it.

use std::path::PathBuf;

use crate::frontend::options::EngineOptions;
use crate::protocol::Words;

/// How the engine is set up before anybody talks to it.
#[derive(Debug, clap::Args)]
pub struct SetupArgs {
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
    pub fn options(&self) -> Result<EngineOptions, String> {
        let mut options = EngineOptions::load(self.weights.as_deref(), &self.set)?;
        if let Some(megabytes) = self.hash {
            let value = megabytes.to_string();
            options.set(Words::new("Hash"), Some(&value)).map_err(|error| format!("--hash: {error}"))?;
        }
        Ok(options)
    }
}

/// Says what is wrong with a call.
#[expect(clippy::print_stderr, reason = "a program that cannot start says why")]
pub(super) fn complain(program: &str, mistake: &str) {
    eprintln!("{program}: {mistake}");
}
