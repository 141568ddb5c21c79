//! Arguments that configure the built-in engine.

use std::path::PathBuf;

use crate::frontend::options::EngineOptions;
use crate::protocol::Words;

/// Configuration of the engine.
#[derive(Debug, clap::Args)]
pub struct SetupArgs {
    /// Weights and search parameters, as `name = value` lines; those that the file omits keep their defaults
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// One weight or search parameter, applied after the file; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Size of the transposition table in MiB [default: 16]
    #[arg(long, value_name = "MB")]
    hash: Option<u32>,
}

impl SetupArgs {
    /// Returns the options that these arguments set, or the mistake in them.
    pub fn options(&self) -> Result<EngineOptions, String> {
        let mut options = EngineOptions::load(self.weights.as_deref(), &self.set)?;
        if let Some(megabytes) = self.hash {
            let value = megabytes.to_string();
            options.set(Words::new("Hash"), Some(&value)).map_err(|error| format!("--hash: {error}"))?;
        }
        Ok(options)
    }
}
