//! Engines built from revisions of a project, kept in a cache by commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use playself::config::EngineEntry;

/// Two revisions to build and compare.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RevisionFlags {
    /// Build the candidate from this revision
    #[arg(long, help_heading = "Revisions", value_name = "REV", requires = "build")]
    candidate_rev: Option<String>,
    /// Build the baseline from this revision
    #[arg(long, help_heading = "Revisions", value_name = "REV", requires = "build")]
    baseline_rev: Option<String>,
    /// The project's repository
    #[arg(long, help_heading = "Revisions", value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Command that builds the project, run by the shell in its folder
    #[arg(long, help_heading = "Revisions", value_name = "COMMAND")]
    build: Option<String>,
    /// The program that the build makes, as a path inside the project
    #[arg(long, help_heading = "Revisions", value_name = "PATH", requires = "build")]
    program: Option<PathBuf>,
    /// Where built programs are kept, by commit
    #[arg(long, help_heading = "Revisions", value_name = "DIR", default_value = "results/builds")]
    build_cache: PathBuf,
}

impl RevisionFlags {
    /// Builds what is asked for and not in the cache yet.
    pub(crate) fn build(&self) -> anyhow::Result<(Option<EngineEntry>, Option<EngineEntry>)> {
        let built = |revision: &Option<String>| revision.as_deref().map(|rev| self.engine(rev)).transpose();
        Ok((built(&self.candidate_rev)?, built(&self.baseline_rev)?))
    }

    fn engine(&self, revision: &str) -> anyhow::Result<EngineEntry> {
        let (Some(build), Some(program)) = (&self.build, &self.program) else {
            bail!("--build COMMAND and --program PATH say how a revision becomes an engine");
        };
        let commit = self.commit_of(revision)?;
        let file_name = program.file_name().context("--program names no file")?;
        let recipe = playself::store::sha256_of(format!("{build}\n{}", program.display()).as_bytes());
        let kept = self.build_cache.join(format!("{commit}-{}", &recipe[..8])).join(file_name);
        if !kept.is_file() {
            self.build_into(&commit, build, program, &kept)
                .with_context(|| format!("revision {revision} ({commit}) could not be built"))?;
        }
        let mut entry = EngineEntry::named(&kept.display().to_string());
        let short = &commit[..commit.len().min(10)];
        entry.name =
            Some(if commit.starts_with(revision) { short.to_owned() } else { format!("{revision}-{short}") });
        Ok(entry)
    }

    fn commit_of(&self, revision: &str) -> anyhow::Result<String> {
        // A revision that looks like an option must not become one.
        let wanted = format!("{revision}^{{commit}}");
        let commit = git(&self.repo, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
            .with_context(|| format!("{} has no revision `{revision}`", self.repo.display()))?;
        Ok(commit.trim().to_owned())
    }

    /// Builds in a checkout of its own, which is gone afterwards, and keeps the program alone.
    fn build_into(&self, commit: &str, build: &str, program: &Path, kept: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(&self.build_cache)?;
        let checkout =
            self.build_cache.canonicalize()?.join(format!("checkout-{commit}-{}", std::process::id()));
        let place = checkout.display().to_string();
        git(&self.repo, &["worktree", "add", "--detach", "--force", &place, commit])?;
        let built = (|| {
            // Standard output is for what the run has to say, above all where programs read it.
            let mut shell = Command::new("sh");
            shell.args(["-c", build]).current_dir(&checkout).stdout(io::stderr());
            let status = shell.status()?;
            ensure!(status.success(), "`{build}` ended with {status}");
            let made = checkout.join(program);
            ensure!(made.is_file(), "`{build}` did not make {}", program.display());
            let folder = kept.parent().context("a kept program has a folder")?;
            fs::create_dir_all(folder)?;
            let draft = folder.join("draft");
            fs::copy(&made, &draft)?;
            fs::rename(&draft, kept)?;
            Ok(())
        })();
        // The checkout goes whether the build worked or not.
        let _ = git(&self.repo, &["worktree", "remove", "--force", &place]);
        built
    }
}

fn git(repo: &Path, args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").arg("-C").arg(repo).args(args).output().context("git cannot be run")?;
    ensure!(output.status.success(), "git {}: {}", args[0], String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
