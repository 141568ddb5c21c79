//! `playself fleet init|add|drop|serve|status|ban|free`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use playself::commands::{Failure, OrFailure, add_worker, answer, drop_worker, init_fleet, serve_fleet};
use playself::fleet::nats::{Listen, WorkerName};
use playself::run::control::ControlRequest;

use crate::fleet_status::{RunAndWorker, StatusArgs};

/// Make and manage a private fleet: many machines that play one run
///
/// docs/fleet.md walks through it.
#[derive(Debug, Args)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Init(InitArgs),
    /// Add a worker, and print what to run on its machine
    Add(WorkerArgs),
    /// Remove a worker: a running server closes its connection, and its key is worthless
    Drop(WorkerArgs),
    /// Run the server of a fleet: the program nats-server, in the foreground
    Serve {
        /// Folder of the fleet
        dir: PathBuf,
    },
    Status(StatusArgs),
    /// Give a worker no more pairs of a run; what it is playing goes to others
    Ban(RunAndWorker),
    /// Give a worker pairs of a run again
    Free(RunAndWorker),
}

/// Make the folder of a fleet: configuration of the server, certificates and the key of the coordinator
///
/// A folder that has a fleet keeps its keys, and gets the new address.
#[derive(Debug, Args)]
struct InitArgs {
    /// Folder of the fleet
    dir: PathBuf,
    /// Address of the server; workers connect to it [default: 0.0.0.0:4222, every address of this machine]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<Listen>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct WorkerArgs {
    /// Folder of the fleet
    dir: PathBuf,
    /// Name of the worker: lower-case letters, digits and hyphens
    #[arg(value_parser = worker_name)]
    name: WorkerName,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl FleetArgs {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.action {
            Action::Init(args) => init(&args)?,
            Action::Add(args) => add(&args)?,
            Action::Drop(args) => drop(&args)?,
            Action::Serve { dir } => match serve_fleet(&dir)? {},
            Action::Status(args) => args.run()?,
            Action::Ban(args) => return args.request(ControlRequest::Ban),
            Action::Free(args) => return args.request(ControlRequest::Free),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn init(args: &InitArgs) -> Result<(), Failure> {
    let fleet = init_fleet(&args.dir, &args.listen.clone().unwrap_or_default())?;
    if args.json {
        return answer(serde_json::to_string(&fleet).or_fault()?);
    }
    let (dir, url, key) = (args.dir.display(), &fleet.url, fleet.coordinator_key.display());
    answer(format_args!("A fleet at {url} in {dir}. Next:\n"))?;
    answer(format_args!("  playself fleet serve {dir}       run its server"))?;
    answer(format_args!("  playself fleet add {dir} NAME    add a worker"))?;
    answer(format_args!("  playself sprt CONFIG.toml --fleet {url} --key {key}"))
}

fn add(args: &WorkerArgs) -> Result<(), Failure> {
    let worker = add_worker(&args.dir, &args.name)?;
    if args.json {
        return answer(serde_json::to_string(&worker).or_fault()?);
    }
    let (name, url) = (&worker.name, &worker.url);
    answer(format_args!("Copy the key of {name} to its machine, for example with"))?;
    answer(format_args!("  scp {} {name}:", worker.key.display()))?;
    answer("and start the worker there:")?;
    answer(format_args!("  playself worker {url} --key {name}.nk"))
}

fn drop(args: &WorkerArgs) -> Result<(), Failure> {
    let gone = drop_worker(&args.dir, &args.name)?;
    if args.json {
        return answer(serde_json::to_string(&gone).or_fault()?);
    }
    let when = if gone.server_reloaded { "now" } else { "when its server starts" };
    answer(format_args!("{} is out of the fleet {when}", gone.name))
}

fn worker_name(text: &str) -> Result<WorkerName, String> {
    WorkerName::try_from(text.to_owned()).map_err(|error| error.to_string())
}
