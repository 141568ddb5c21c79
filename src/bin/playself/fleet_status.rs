//! `playself fleet status URL` and `playself fleet ban|free RUN_DIR WORKER`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use playself::cli::number_lists::count;
use playself::commands::{Failure, FleetStatus, OrFailure, RunOnFleet, WorkerOnFleet, answer, fleet_status};
use playself::fleet::nats::Access;
use playself::run::control::{ControlRequest, MemberName};

use crate::control::send;
use crate::run_dir::RunDir;

/// Show the runs and the workers of a fleet
///
/// Workers report every ten seconds, so the command listens a little longer than that.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Address of the server, nats://HOST:PORT
    url: String,
    /// File with the key of the coordinator
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// File with the certificate of the fleet, if the key file does not contain it
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Accept a server on another machine without TLS
    #[arg(long)]
    insecure: bool,
    /// Seconds to listen to the workers
    #[arg(long, value_name = "SECONDS", default_value = "11", value_parser = count(1..=3600))]
    listen: usize,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// A run and a worker of its fleet.
#[derive(Debug, Args)]
pub(crate) struct RunAndWorker {
    #[command(flatten)]
    run: RunDir,
    /// Name of the worker
    worker: MemberName,
}

impl RunAndWorker {
    pub(crate) fn request(self, what: fn(MemberName) -> ControlRequest) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, what(self.worker))
    }
}

impl StatusArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let access = Access { url: self.url, key: self.key, ca: self.ca, insecure: self.insecure };
        let status = fleet_status(&access, Duration::from_secs(self.listen as u64))?;
        match self.json {
            true => answer(serde_json::to_string(&status).or_fault()?),
            false => print(&status),
        }
    }
}

fn print(status: &FleetStatus) -> Result<(), Failure> {
    answer(format_args!("nats-server {}", status.server_version))?;
    if let Some(warning) = &status.warning {
        answer(format_args!("Warning: {warning}"))?;
    }
    answer(format_args!("\n{} runs", status.runs.len()))?;
    for run in &status.runs {
        answer(run_line(run))?;
    }
    let slots: usize = status.workers.iter().map(|worker| worker.slots).sum();
    answer(format_args!("\n{} workers with {slots} slots", status.workers.len()))?;
    status.workers.iter().try_for_each(|worker| answer(worker_line(worker)))
}

fn run_line(run: &RunOnFleet) -> String {
    let of = run.pairs.map(|pairs| format!(" of {pairs}")).unwrap_or_default();
    let waits = match &run.waits_for {
        Some((pair, Some(worker))) => format!(", waits for pair {pair} on {worker}"),
        Some((pair, None)) => format!(", waits for pair {pair}"),
        None => String::new(),
    };
    format!(
        "  {}  {:<6}  {}{of} pairs counted, {} in flight, priority {}, weight {}{waits}  {}",
        run.run,
        format!("{:?}", run.state).to_lowercase(),
        run.counted,
        run.flying,
        run.priority,
        run.weight,
        run.name
    )
}

fn worker_line(worker: &WorkerOnFleet) -> String {
    let run = worker.run.as_ref().map_or_else(|| "idle".to_owned(), ToString::to_string);
    let speed = worker.nps.map(|nps| format!(", {nps} nodes/s")).unwrap_or_default();
    let factor =
        worker.scale_ppm.map(|ppm| format!(", times x {:.2}", f64::from(ppm) / 1e6)).unwrap_or_default();
    let trouble = worker.trouble.as_ref().map(|why| format!(", {why}")).unwrap_or_default();
    format!(
        "  {:<16}  {:<13}  {} of {} slots busy, {} results waiting{speed}{factor}{trouble}  {run}",
        worker.name.as_str(),
        worker.target,
        worker.slots - worker.free.min(worker.slots),
        worker.slots,
        worker.waiting
    )
}
