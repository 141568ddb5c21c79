//! Engines built from revisions of a project, cached by commit.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::commands::console::Console;
use crate::commands::failure::{Failure, OrFailure};
use crate::config::EngineEntry;
use crate::run::HeldSignals;
use crate::store::{TempFolder, copy_whole, remove_drafts, sha256_of};

/// First part of the names of checkouts.
const CHECKOUT: &str = "checkout";

/// Time that a build has to end after SIGTERM.
const TERM_TIME: Duration = Duration::from_secs(2);

/// Variables by which git is given another repository than that of the current folder.
const REPOSITORY_VARIABLES: [&str; 9] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A project, the way to build it, and the folder where built programs are kept.
#[derive(Clone, Debug)]
pub struct BuildCache {
    /// Repository of the project.
    pub repo: PathBuf,
    /// Command that builds the project, run by the shell in its folder.
    pub build: String,
    /// The program that the build makes, as a path inside the project.
    pub program: PathBuf,
    /// Folder of built programs.
    pub folder: PathBuf,
}

impl BuildCache {
    /// Returns the engine of `revision`, built unless the cache has it.
    pub fn engine(&self, revision: &str) -> Result<EngineEntry, Failure> {
        let commit = self.commit_of(revision)?;
        let file_name =
            self.program.file_name().ok_or_else(|| Failure::usage("--program does not name a file"))?;
        let recipe = sha256_of(format!("{}\n{}", self.build, self.program.display()).as_bytes());
        let kept = self.folder.join(format!("{commit}-{}", &recipe[..8])).join(file_name);
        if !kept.is_file() {
            self.build_into(&commit, &kept).map_err(|failure| {
                failure.context(format!("revision {revision} ({commit}) could not be built"))
            })?;
        }
        let mut entry = EngineEntry::named(&kept.display().to_string());
        let short = &commit[..commit.len().min(10)];
        entry.name =
            Some(if commit.starts_with(revision) { short.to_owned() } else { format!("{revision}-{short}") });
        Ok(entry)
    }

    fn commit_of(&self, revision: &str) -> Result<String, Failure> {
        // A revision that looks like an option must not become one.
        let wanted = format!("{revision}^{{commit}}");
        let commit = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).map_err(
            |failure| failure.context(format!("{} has no revision `{revision}`", self.repo.display())),
        )?;
        Ok(commit.trim().to_owned())
    }

    /// Builds in a temporary checkout and keeps only the program, unless another process does so first.
    fn build_into(&self, commit: &str, kept: &Path) -> Result<(), Failure> {
        let folder = kept.parent().ok_or_else(|| Failure::usage("--program does not name a file"))?;
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be created", folder.display()))
            .or_fault()?;
        // From here on a signal is noticed between two steps, so that every step is undone.
        let mut signals = HeldSignals::hold().context("signals cannot be held back").or_fault()?;
        let _lock = self.lock(folder, &mut signals)?;
        if kept.is_file() {
            return Ok(());
        }
        let folder = folder.canonicalize().or_fault()?;
        // The lock proves that no other process is building here.
        self.remove_stale(&folder);
        let checkout = TempFolder::create_in(&folder, CHECKOUT).or_fault()?;
        let place = checkout.path().display().to_string();
        let built = self
            .git(&["worktree", "add", "--detach", "--force", &place, commit])
            .and_then(|_| self.build_in(checkout.path(), &mut signals))
            .and_then(|made| copy_whole(&made, kept).or_fault());
        // The checkout is removed whether the build succeeded or not.
        let _ = self.git(&["worktree", "remove", "--force", &place]);
        drop(checkout);
        let _ = self.git(&["worktree", "prune"]);
        built
    }

    /// Waits until this process is the only one that builds into `folder`.
    fn lock(&self, folder: &Path, signals: &mut HeldSignals) -> Result<File, Failure> {
        let lock = File::options().create(true).truncate(false).write(true).open(folder.join("lock"));
        let lock = lock.context("the lock of the build cannot be created").or_fault()?;
        let mut reported = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(why)) => {
                    return Err(why).context("the build cannot be locked").or_fault();
                }
                Err(TryLockError::WouldBlock) => {}
            }
            if !reported {
                Console::Text.print_progress("Waiting for another process that builds the same revision");
                reported = true;
            }
            wait(signals)?;
        }
    }

    /// Removes checkouts that a killed process has left.
    fn remove_stale(&self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(CHECKOUT) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        remove_drafts(folder);
    }

    /// Runs the build command in `checkout` and returns the program it made. A signal ends the build.
    fn build_in(&self, checkout: &Path, signals: &mut HeldSignals) -> Result<PathBuf, Failure> {
        let build = &self.build;
        let mut shell = Command::new("sh");
        // Standard output belongs to the run, whose JSON other programs read.
        for name in REPOSITORY_VARIABLES {
            shell.env_remove(name);
        }
        shell.args(["-c", build]).current_dir(checkout).stdin(Stdio::null()).stdout(io::stderr());
        // In a group of its own, so that everything it starts can be ended with it.
        let mut child = shell.process_group(0).spawn().context("sh cannot be run").or_fault()?;
        let status = loop {
            if let Some(status) = child.try_wait().or_fault()? {
                break status;
            }
            wait(signals).inspect_err(|_| end_group(&mut child))?;
        };
        // What it has left running in the background ends with it.
        let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM);
        if !status.success() {
            return Err(Failure::usage(format_args!("`{build}` ended with {status}")));
        }
        let made = checkout.join(&self.program);
        if !made.is_file() {
            return Err(Failure::usage(format_args!("`{build}` did not make {}", self.program.display())));
        }
        Ok(made)
    }

    fn git(&self, args: &[&str]) -> Result<String, Failure> {
        let mut git = Command::new("git");
        // In a group of its own, so that Ctrl-C does not leave half a checkout.
        git.arg("-C").arg(&self.repo).args(args).stdin(Stdio::null()).process_group(0);
        // In a hook, git describes the repository of the hook in the environment, which is stronger than the folder.
        for name in REPOSITORY_VARIABLES {
            git.env_remove(name);
        }
        let output = git.output().context("git cannot be run").or_fault()?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::usage(format_args!("git {}: {}", args[0], reason.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Waits a moment. Fails if a signal asks this process to end.
fn wait(signals: &mut HeldSignals) -> Result<(), Failure> {
    thread::sleep(Duration::from_millis(20));
    if signals.has_arrived() {
        return Err(Failure::Interrupted("the build was interrupted".to_owned()));
    }
    Ok(())
}

/// Ends a build and everything in its process group.
fn end_group(child: &mut Child) {
    let group = Pid::from_raw(child.id().cast_signed());
    // A group that has ended meanwhile needs no signal.
    let _ = killpg(group, Signal::SIGTERM);
    let deadline = Instant::now() + TERM_TIME;
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(Duration::from_millis(20));
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}
