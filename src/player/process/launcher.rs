//! Starting of engine processes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::player::inherited_variables::inherited_variables;
use crate::player::process::control_group::ControlGroup;
use crate::player::process::guardian::{Guardian, GuardianProgram};
use crate::player::process::isolation::{self, View};
use crate::player::process::orphans::kill_marked;
use crate::player::process::process::Supervision;
use crate::player::process::run_mark::RunMark;
use crate::player::process::scratch_dir::{Remover, ScratchDir};
use crate::player::process::spawn::{Confinement, Spawner};
use crate::player::process::sweeper::Sweeper;
use crate::player::{EngineSpec, ProcessTransport, WorkingDir};
use crate::store::{OutputStart, open_output};

/// Starts engines, marks their processes, and makes sure that none is left at the end.
#[derive(Debug)]
pub struct Launcher {
    mark: RunMark,
    guardian: Option<Arc<Guardian>>,
    /// Where the system allows it, a control group of all engines.
    group: Option<ControlGroup>,
    starts: Semaphore,
    spawner: Spawner,
    sweeper: Sweeper,
    /// Present once an engine has had a private directory.
    remover: OnceLock<Remover>,
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
        Self::start(guardian).map_err(|error| {
            let message = format!("the threads and processes around engines cannot be started: {error}");
            io::Error::new(error.kind(), message)
        })
    }

    fn start(guardian: Option<&GuardianProgram>) -> io::Result<Self> {
        let mark = RunMark::new();
        let group = ControlGroup::create(mark.text());
        let guardian = guardian
            .map(|program| Guardian::start(program, &mark, group.as_ref()))
            .transpose()?
            .map(Arc::new);
        // More concurrent starts would make each other miss the start limit, and take processors from engines whose
        // clock is running.
        let starts = available_parallelism().map_or(4, usize::from).max(4);
        Ok(Self {
            sweeper: Sweeper::start(mark.clone())?,
            mark,
            guardian,
            group,
            starts: Semaphore::new(starts),
            spawner: Spawner::start()?,
            remover: OnceLock::new(),
            started: AtomicU64::new(0),
        })
    }

    /// Creates a private directory for an engine process.
    fn scratch_dir(&self, engine: u64) -> io::Result<ScratchDir> {
        let remover = match self.remover.get() {
            Some(remover) => remover,
            None => {
                let new = Remover::start()?;
                self.remover.get_or_init(|| new)
            }
        };
        ScratchDir::create(&self.mark.engine_text(engine), remover)
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
        let engine = RunMark::engine_number(self.started.fetch_add(1, Ordering::Relaxed));
        let dir = match &spec.dir {
            WorkingDir::Private => Some(self.scratch_dir(engine).map_err(LaunchError::Resources)?),
            WorkingDir::Inherited | WorkingDir::Path(_) => None,
        };
        let mut command = command(spec, args, dir.as_ref()).map_err(LaunchError::Program)?;
        command.env_clear().envs(inherited_variables(&spec.inherit_env, std::env::vars_os()));
        command.envs(spec.env.iter().map(|(name, value)| (name, value)));
        command.envs(self.mark.variables(engine));
        // A file that the user named receives everything, and is the evidence after a failure.
        command.stderr(match &spec.stderr {
            Some(path) => {
                Stdio::from(open_output(path, OutputStart::Append).map_err(LaunchError::from_spawn)?)
            }
            None => Stdio::piped(),
        });
        let confinement = Confinement {
            sandbox: spec.sandbox,
            cpus: cpus.to_vec(),
            mark: self.mark.limit(engine),
            group: self.group.as_ref().and_then(ControlGroup::entrance),
        };
        let supervision =
            Supervision::begin(engine, spec.sandbox.isolation, self.sweeper.clone(), self.guardian.clone());
        let child = self.spawner.spawn(command, confinement).await.map_err(LaunchError::from_spawn)?;
        Ok(ProcessTransport::new(child, dir, supervision, spec.timeouts.stderr_bytes))
    }

    /// Returns a warning for the user, at most once in the life of a launcher.
    pub fn take_warning(&self) -> Option<&'static str> {
        let lost = self.guardian.as_ref().is_some_and(|guardian| guardian.take_loss());
        lost.then_some(
            "the guardian process has ended or does not respond; engines may outlive a crash of this program",
        )
    }
}

/// Returns the command of an engine: its program, or the one that isolates it.
fn command<S: AsRef<OsStr>>(
    spec: &EngineSpec,
    args: &[S],
    private: Option<&ScratchDir>,
) -> io::Result<Command> {
    let dir = match (&spec.dir, private) {
        (_, Some(private)) => Some(private.path()),
        (WorkingDir::Path(path), None) => Some(path.as_path()),
        (_, None) => None,
    };
    if spec.sandbox.isolation.is_off() {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).args(args);
        dir.map(|dir| command.current_dir(dir));
        return Ok(command);
    }
    let words: Vec<OsString> = isolation::words(&spec.args).chain(isolation::words(args)).collect();
    let dir = dir.map_or_else(std::env::current_dir, |dir| Ok(dir.to_owned()))?;
    let view = View { program: &spec.program, args: &words, dir: &dir, dir_is_private: private.is_some() };
    let mut command = Command::new(isolation::PROGRAM);
    command.args(isolation::isolated(&view));
    Ok(command)
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // The guardian does this if there is one; it may have been killed.
        if self.guardian.as_ref().is_none_or(|guardian| guardian.is_lost()) {
            if let Some(group) = &self.group {
                group.kill();
            }
            kill_marked(&self.mark, |_| true);
        }
        // Nothing writes to private directories any more.
        self.remover.take();
        // Ends the guardian, unless an engine process has not ended yet.
        self.guardian = None;
        if let Some(group) = self.group.take() {
            group.remove();
        }
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
