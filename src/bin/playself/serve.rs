//! `playself serve RESULTS_DIR`, and the page of a run that is being played.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use playself::dashboard::{Catalogue, ServeAddress, Server};
use playself::store::RunFolder;

use crate::launch::{FAULT, Show};

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
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        anyhow::ensure!(self.results.is_dir(), "{} is not a folder", self.results.display());
        // The folder of one run is served as that run.
        let catalogue = match RunFolder::open(&self.results) {
            Ok(folder) => Catalogue::Single(folder),
            Err(_) => Catalogue::Results(self.results),
        };
        let server = Server::start(&self.at, catalogue)?;
        announce(&server);
        match server.wait().context("the server stopped") {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(why) => {
                crate::complain(&why);
                Ok(ExitCode::from(FAULT))
            }
        }
    }
}

/// Serves the page of the run in `folder` while it is played, if that was asked for.
pub(crate) fn serve_run(
    address: Option<&ServeAddress>,
    folder: &RunFolder,
) -> anyhow::Result<Option<Server>> {
    let Some(address) = address else { return Ok(None) };
    let server = Server::start(address, Catalogue::Single(folder.clone()))?;
    announce(&server);
    Ok(Some(server))
}

/// Says where to look; on standard error, where it disturbs no program.
fn announce(server: &Server) {
    Show::Json.say(&format!("Live page: {}", server.steering_url()));
}
