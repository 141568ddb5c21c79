//! `playself serve RESULTS_DIR`, and the page of a run that is being played.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use playself::commands::{Failure, OrFailure, announce};
use playself::dashboard::{Catalogue, ServeAddress, Server};
use playself::store::RunFolder;

/// Serve the pages of all runs in a folder, past and running, side by side
#[derive(Debug, clap::Args)]
pub(crate) struct ServeCommand {
    /// Folder of run folders
    #[arg(value_name = "RESULTS_DIR", default_value = "results")]
    results: PathBuf,
    /// Where to serve: PORT, HOST or HOST:PORT; this machine only unless told otherwise
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    at: ServeAddress,
}

impl ServeCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        if !self.results.is_dir() {
            return Err(Failure::usage(format_args!("{} is not a folder", self.results.display())));
        }
        // The folder of one run is served as that run.
        let catalogue = match RunFolder::open(&self.results) {
            Ok(folder) => Catalogue::Single(folder),
            Err(_) => Catalogue::Results(self.results),
        };
        let server = Server::start(&self.at, catalogue).or_usage()?;
        announce(&server);
        server.wait().context("the server stopped").or_fault()?;
        Ok(ExitCode::SUCCESS)
    }
}
