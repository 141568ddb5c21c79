//! `playself worker`: plays pairs of the runs of a fleet on this machine.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;

use crate::commands::console::Console;
use crate::commands::environment::{Environment, FleetAccess, processors};
use crate::commands::failure::{Failure, OrFailure};
use crate::fleet::LocalFleet;
use crate::fleet::nats::{
    Access, Backoff, Building, ConnectError, Engines, Note, RunChoice, SandboxMode, Stay, StopRequest,
    Timing, Worker, WorkerConfig, WorkerEnd, WorkerError, WorkerName, target, worker_of_key,
};
use crate::run::{Interrupt, Interrupts};

/// How many pairs a worker plays at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkerSlots {
    /// One for each processor.
    #[default]
    Auto,
    /// This many.
    Exactly(usize),
}

/// What a worker was asked to be.
#[derive(Clone, Debug)]
pub struct WorkerRequest {
    /// How to reach the server.
    pub access: FleetAccess,
    /// Its name; that of its key, or of the machine, without one.
    pub name: Option<String>,
    /// Pairs at once.
    pub slots: WorkerSlots,
    /// Megabytes for the hash tables of all engines.
    pub memory_mb: Option<u64>,
    /// Folder for engines and results.
    pub cache: PathBuf,
    /// Whether engines are confined.
    pub sandbox: SandboxMode,
    /// Whether it builds engines.
    pub build: Building,
    /// Which runs it plays.
    pub choice: RunChoice,
    /// When it ends.
    pub stay: Stay,
    /// Longest pause between two attempts to reach the server.
    pub retry: Duration,
    /// Time after which it may serve another run of the same priority.
    pub turn: Duration,
    /// Form of its messages.
    pub console: Console,
}

/// Exit status of a worker that left at once.
const LEFT_AT_ONCE: u8 = 130;

/// Time that pairs have to be finished after SIGTERM.
const LEAVING: Duration = Duration::from_secs(10);

/// Shortest time without a job after which a worker looks at other runs: coming back costs it the examination of the engines.
const SHORTEST_IDLE: Duration = Duration::from_secs(1);

/// Plays pairs until it is asked to leave; returns the exit status.
pub fn work(request: WorkerRequest, environment: &Environment) -> Result<u8, Failure> {
    let console = request.console;
    let url = request.access.url.clone();
    let config = configuration(request, environment)?;
    LocalFleet::reserve(config.slots).or_usage()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
    let left = runtime.block_on(async {
        let (leave, mut leaving) = unbounded_channel();
        let (notes, mut noted) = unbounded_channel();
        let mut interrupts = Interrupts::listen().or_fault()?;
        console.print_progress(&format!("connecting to {url}"));
        tokio::spawn(async move {
            loop {
                let interrupt = interrupts.next().await;
                let _ = leave.send(StopRequest::Drain);
                if interrupt == Interrupt::Leaving {
                    let leave = leave.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(LEAVING).await;
                        let _ = leave.send(StopRequest::Now);
                    });
                }
            }
        });
        let printing = tokio::spawn(async move {
            while let Some(note) = noted.recv().await {
                print(console, &note);
            }
        });
        let ended = async {
            match Worker::start(config, notes, &mut leaving).await? {
                Some(worker) => worker.run(leaving).await,
                None => Ok(WorkerEnd::Drained),
            }
        };
        let ended = ended.await;
        let _ = printing.await;
        ended.map_err(failure)
    })?;
    Ok(match left {
        WorkerEnd::Drained => 0,
        WorkerEnd::AtOnce => LEFT_AT_ONCE,
    })
}

fn print(console: Console, note: &Note) {
    match console {
        Console::Json => {
            let line = serde_json::json!({ "event": note.event, "text": note.text });
            let _ = crate::commands::console::answer(line.to_string());
        }
        Console::Text | Console::Silent => console.print_progress(&note.text),
    }
}

fn failure(error: WorkerError) -> Failure {
    match error {
        WorkerError::Connect(ConnectError::Usage(_)) => Failure::usage(error),
        WorkerError::Connect(_) | WorkerError::Spool(_) | WorkerError::Refused(_) => Failure::fault(error),
    }
}

fn configuration(request: WorkerRequest, environment: &Environment) -> Result<WorkerConfig, Failure> {
    let access = Access::from(&request.access);
    let of_key = || access.key.as_deref().and_then(worker_of_key);
    let name = match request.name {
        Some(name) => WorkerName::try_from(name).or_usage()?,
        None => of_key().map_or_else(host_name, Ok)?,
    };
    let backoff = Backoff::default();
    let longest = request.retry;
    Ok(WorkerConfig {
        name,
        slots: match request.slots {
            WorkerSlots::Auto => processors(),
            WorkerSlots::Exactly(slots) => slots,
        },
        memory_mb: request.memory_mb,
        engines: Engines {
            target: target(),
            cache: request.cache.clone(),
            sandbox: request.sandbox,
            build: request.build,
            guardian: environment.guardian(),
        },
        cache: request.cache,
        access,
        choice: request.choice,
        stay: request.stay,
        backoff: Backoff {
            first: backoff.first.min(longest),
            longest,
            reconnect_jitter: backoff.reconnect_jitter.min(longest),
            ..backoff
        },
        timing: {
            let timing = Timing::default();
            Timing {
                idle: timing.idle.min(longest.max(SHORTEST_IDLE)),
                beat: timing.beat.min(longest),
                turn: request.turn,
                ..timing
            }
        },
    })
}

/// Returns the name of this machine as far as it fits into a name of a worker.
fn host_name() -> Result<WorkerName, Failure> {
    let host = nix::unistd::gethostname().or_fault()?.to_string_lossy().to_lowercase();
    let plain: String = host
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .take(32)
        .collect();
    WorkerName::try_from(plain).or_usage()
}
