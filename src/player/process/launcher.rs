//! Starting of engine processes.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::player::process::guardian::{Guardian, GuardianProgram};
use crate::player::process::orphans::{ENGINE_VARIABLE, RUN_VARIABLE, kill_tagged};
use crate::player::process::scratch_dir::ScratchDir;
use crate::player::process::spawn::{Confinement, Spawner};
use crate::player::{EngineSpec, ProcessTransport, WorkingDir};

/// Starts engines, tags their processes, and makes sure that none is left at the end.
#[derive(Debug)]
pub struct Launcher {
    run: String,
    guardian: Option<Arc<Guardian>>,
    starts: Semaphore,
    spawner: Spawner,
    started: AtomicU64,
}

/// Reason why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The program is missing, not permitted or not executable: a mistake in the plan.
    #[error("cannot be started: {0}")]
    Program(#[source] io::Error),
    /// The system has no process, memory or descriptor left: a failure of the host, not of the engine.
    #[error("the system refused to start it: {0}")]
    Resources(#[source] io::Error),
}

impl Launcher {
    /// Creates a launcher for one run. With a guardian, its engines do not even survive a SIGKILL of the harness. The
    /// launcher must outlive its engines: the kernel kills them together with the thread that started them.
    pub fn new(guardian: Option<&GuardianProgram>) -> io::Result<Self> {
        static LAUNCHERS: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let number = LAUNCHERS.fetch_add(1, Ordering::Relaxed);
        let run = format!("{:x}-{now:x}-{number}", std::process::id());
        let guardian = guardian.map(|program| Guardian::start(program, &run)).transpose()?.map(Arc::new);
        // More concurrent starts would make each other miss the start limit, and take processors from engines whose
        // clock is running.
        let starts = available_parallelism().map_or(4, usize::from).max(4);
        Ok(Self {
            run,
            guardian,
            starts: Semaphore::new(starts),
            spawner: Spawner::start()?,
            started: AtomicU64::new(0),
        })
    }

    /// Waits for permission to start an engine; the permit is held until its first reply.
    pub async fn start_permit(&self) -> SemaphorePermit<'_> {
        self.starts.acquire().await.expect("the semaphore is never closed")
    }

    /// Starts the process of an engine, with `args` appended to those of its specification. Must be called inside a
    /// `LocalSet`.
    pub async fn launch<S: AsRef<OsStr>>(
        &self,
        spec: &EngineSpec,
        args: &[S],
        cpus: &[usize],
    ) -> Result<ProcessTransport, LaunchError> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let tag = format!("{}-{number}", self.run);
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).args(args);
        command.env(RUN_VARIABLE, &self.run).env(ENGINE_VARIABLE, &tag);
        command.envs(spec.env.iter().map(|(name, value)| (name, value)));
        let dir = match &spec.dir {
            WorkingDir::Inherited => None,
            WorkingDir::Path(path) => {
                command.current_dir(path);
                None
            }
            WorkingDir::Private => {
                let dir = ScratchDir::create(&tag).map_err(LaunchError::Resources)?;
                command.current_dir(dir.path());
                Some(dir)
            }
        };
        // A file that the user named receives everything, and is the evidence after a failure.
        command.stderr(match &spec.stderr {
            Some(path) => Stdio::from(
                OpenOptions::new().create(true).append(true).open(path).map_err(LaunchError::Program)?,
            ),
            None => Stdio::piped(),
        });
        let confinement = Confinement { sandbox: spec.sandbox, cpus: cpus.to_vec() };
        let child = self.spawner.spawn(command, confinement).await.map_err(LaunchError::from_spawn)?;
        Ok(ProcessTransport::new(child, dir, tag, self.guardian.clone(), spec.timeouts.stderr_bytes))
    }

    /// Returns a warning for the user, at most once in the life of a launcher.
    pub fn take_warning(&self) -> Option<&'static str> {
        let lost = self.guardian.as_ref().is_some_and(|guardian| guardian.take_loss());
        lost.then_some(
            "the guardian process has ended or does not respond; engines may outlive a crash of this program",
        )
    }

    /// Kills all remaining processes with the tag of this run; returns their number.
    pub fn kill_orphans(&self) -> u64 {
        kill_tagged(RUN_VARIABLE, &self.run)
    }
}

impl LaunchError {
    fn from_spawn(error: io::Error) -> Self {
        use nix::libc::{EAGAIN, EMFILE, ENFILE, ENOMEM, ETXTBSY};
        match error.raw_os_error() {
            Some(EAGAIN | EMFILE | ENFILE | ENOMEM | ETXTBSY) => Self::Resources(error),
            _ => Self::Program(error),
        }
    }
}
