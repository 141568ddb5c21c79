//! `playself worker URL`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use playself::cli::choices::choice;
use playself::cli::fleet_flags::CredentialFlags;
use playself::commands::{Console, Environment, Failure, OrFailure, WorkerRequest, WorkerSlots, work};
use playself::fleet::nats::{Building, RunChoice, SandboxMode, Stay};

/// Play pairs for the runs of a fleet on this machine.
///
/// Takes jobs from the NATS server at URL, plays them with the engines that the run sends along, and reports the games. The
/// first Ctrl-C finishes the pairs in play, the second stops at once.
///
/// Exit status: 0 left as asked, 2 wrong call, 4 refused by server, run or machine, 130 left at once.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkerCommand {
    /// Address of the server, e.g. nats://host:4222
    #[arg(value_name = "URL")]
    url: String,
    /// Name of this worker [default: that of its key, or of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    credentials: CredentialFlags,
    /// Number of pairs played at once, or auto for one per processor
    #[arg(long, value_name = "N", default_value = "auto", value_parser = slots)]
    slots: WorkerSlots,
    /// Refuse runs whose hash tables need more in all slots together
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Folder for engines and unanswered results [default: ~/.cache/playself]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Whether engines are confined
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = choice::<SandboxMode>())]
    sandbox: SandboxMode,
    /// Run the build commands of runs that have no program for this machine
    #[arg(long)]
    build: bool,
    /// Play only runs without a clock, on a machine with other work
    #[arg(long)]
    untimed: bool,
    /// Leave when no run has a job
    #[arg(long)]
    once: bool,
    /// Longest pause between two attempts to reach the server, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    retry: f64,
    /// Time after which another run of the same priority may be served, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    turn: f64,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

fn slots(text: &str) -> Result<WorkerSlots, String> {
    match text.parse() {
        Ok(slots @ 1..=playself::run::control::MAX_CONCURRENCY) => Ok(WorkerSlots::Exactly(slots)),
        _ if text == "auto" => Ok(WorkerSlots::Auto),
        _ => Err("expected auto or a number of pairs".to_owned()),
    }
}

impl WorkerCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/playself"));
        let cache = self.cache.or_else(home);
        let cache = cache.ok_or_else(|| Failure::usage("there is no home folder: set --cache"))?;
        if !(0.01..=86_400.0).contains(&self.retry) {
            return Err(Failure::usage("--retry must be from 0.01 to 86400 seconds"));
        }
        if !(0.01..=86_400.0).contains(&self.turn) {
            return Err(Failure::usage("--turn must be from 0.01 to 86400 seconds"));
        }
        let request = WorkerRequest {
            access: self.credentials.access(self.url),
            name: self.name,
            slots: self.slots,
            memory_mb: self.memory,
            cache,
            sandbox: self.sandbox,
            build: if self.build { Building::Allowed } else { Building::Refused },
            choice: if self.untimed { RunChoice::Untimed } else { RunChoice::All },
            stay: if self.once { Stay::UntilIdle } else { Stay::UntilAsked },
            retry: Duration::from_secs_f64(self.retry),
            turn: Duration::from_secs_f64(self.turn),
            console: Console::of_flag(self.json),
        };
        work(request, &environment).map(ExitCode::from)
    }
}
