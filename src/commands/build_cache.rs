//! Engines built from revisions of a project, cached by commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::commands::failure::{Failure, OrFailure};
use crate::config::EngineEntry;
use crate::store::sha256_of;

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

    /// Builds in a temporary checkout and keeps only the program.
    fn build_into(&self, commit: &str, kept: &Path) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("{} cannot be created", self.folder.display()))
            .or_fault()?;
        let folder = self.folder.canonicalize().or_fault()?;
        let checkout = folder.join(format!("checkout-{commit}-{}", std::process::id()));
        let place = checkout.display().to_string();
        self.git(&["worktree", "add", "--detach", "--force", &place, commit])?;
        let built = self.build_in(&checkout).and_then(|made| keep(&made, kept).or_fault());
        // The checkout is removed whether the build succeeded or not.
        let _ = self.git(&["worktree", "remove", "--force", &place]);
        built
    }

    /// Runs the build command in `checkout` and returns the program it made.
    fn build_in(&self, checkout: &Path) -> Result<PathBuf, Failure> {
        let build = &self.build;
        let mut shell = Command::new("sh");
        // Standard output belongs to the run, whose JSON other programs read.
        shell.args(["-c", build]).current_dir(checkout).stdout(io::stderr());
        let status = shell.status().context("sh cannot be run").or_fault()?;
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
        let output =
            git.arg("-C").arg(&self.repo).args(args).output().context("git cannot be run").or_fault()?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::usage(format_args!("git {}: {}", args[0], reason.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Copies a program into the cache under a temporary name first, so that the cache never holds half of one.
fn keep(made: &Path, kept: &Path) -> anyhow::Result<()> {
    let folder = kept.parent().context("a cached program has a folder")?;
    fs::create_dir_all(folder)?;
    let draft = folder.join("draft");
    fs::copy(made, &draft)?;
    fs::rename(&draft, kept)?;
    Ok(())
}
