//! `playself serve RESULTS_DIR`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use playself::commands::{Failure, OrFailure, serve};
use playself::dashboard::{Catalogue, ServeAddress};
use playself::store::RunFolder;

/// Serve live pages of all runs in a folder, finished and running.
///
/// Prints the address with a token; only a page opened with the token can control a run. At an address that other
/// machines can reach, reading needs the token as well.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeCommand {
    /// Folder of run folders, or one run folder
    #[arg(value_name = "RESULTS_DIR", default_value = "results")]
    results: PathBuf,
    /// Address: PORT, HOST or HOST:PORT; the default is reachable from this machine only
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    at: ServeAddress,
}

impl ServeCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        if !self.results.is_dir() {
            let folder = self.results.display();
            return Err(if self.results.exists() {
                Failure::usage(format_args!("{folder} is not a folder"))
            } else {
                Failure::usage(format_args!(
                    "there is no folder {folder}: play a run first, or name the folder of your runs"
                ))
            });
        }
        // The folder of one run is served as that run.
        let catalogue = match RunFolder::open(&self.results) {
            Ok(folder) => Catalogue::Single(folder),
            Err(_) => Catalogue::Results(self.results),
        };
        let server = serve(&self.at, catalogue, 0)?;
        server.wait().context("the server stopped").or_fault()?;
        Ok(ExitCode::SUCCESS)
    }
}
