//! `playself fleet status URL` and `playself fleet ban|free RUN_DIR WORKER`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use playself::cli::number_lists::count;
use playself::commands::{Failure, FleetStatus, OrFailure, RunOnFleet, WorkerOnFleet, answer, fleet_status};
use playself::fleet::Member;
use playself::fleet::nats::Access;
use playself::report::counted;
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
    answer(format_args!("\n{}", counted(status.runs.len() as u64, "run")))?;
    for run in &status.runs {
        answer(run_line(run))?;
        // What workers do is listed below; here is why some of them do not play it.
        let plays = |worker: &&Member| ["playing", "idle"].contains(&worker.state.as_str());
        for Member { name, state, .. } in run.workers.iter().filter(|worker| !plays(worker)) {
            answer(format_args!("      {name}: {state}"))?;
        }
    }
    let slots: usize = status.workers.iter().map(|worker| worker.slots).sum();
    let workers = counted(status.workers.len() as u64, "worker");
    answer(format_args!("\n{workers} with {}", counted(slots as u64, "slot")))?;
    status.workers.iter().try_for_each(|worker| answer(worker_line(worker, status.conduct_of(worker))))
}

fn run_line(status: &RunOnFleet) -> String {
    let RunOnFleet { run, name, counted, flying, priority, weight, .. } = status;
    let state = format!("{:?}", status.state).to_lowercase();
    let of = status.pairs.map(|pairs| format!(" of {pairs}")).unwrap_or_default();
    let waits = match &status.waits_for {
        Some((pair, Some(worker))) => format!(", waits for pair {} on {worker}", pair + 1),
        Some((pair, None)) => format!(", waits for pair {}", pair + 1),
        None => String::new(),
    };
    format!(
        "  {run}  {state:<6}  {counted}{of} pairs counted, {flying} in flight, priority {priority}, weight {weight}{waits}  {name}"
    )
}

fn worker_line(worker: &WorkerOnFleet, conduct: Option<&Member>) -> String {
    let run = worker.run.as_ref().map_or_else(|| "idle".to_owned(), ToString::to_string);
    let text = Option::unwrap_or_default;
    let speed: String = text(worker.nps.map(|nps| format!(", {nps} nodes/s")));
    let factor: String = text(worker.scale_ppm.map(|ppm| format!(", times x {:.2}", f64::from(ppm) / 1e6)));
    let conduct: String = text(conduct.map(|Member { pairs, forfeits, faults, voids, residual, .. }| {
        let residual: String = text(residual.map(|residual| format!(", residual {residual:.1}")));
        format!(", {pairs} pairs, {forfeits} forfeits, {faults} faults, {voids} void{residual}")
    }));
    let trouble: String = text(worker.trouble.as_ref().map(|why| format!(", {why}")));
    format!(
        "  {:<16}  {:<13}  {} of {} slots busy, {} waiting{speed}{factor}{conduct}{trouble}  {run}",
        worker.name.as_str(),
        worker.target,
        worker.slots - worker.free.min(worker.slots),
        worker.slots,
        counted(worker.waiting as u64, "result")
    )
}
