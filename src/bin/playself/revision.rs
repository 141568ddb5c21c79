//! Flags of engines that are built from revisions.

use std::path::PathBuf;

use playself::commands::{BuildCache, Failure};
use playself::config::EngineEntry;

/// Revisions to build and compare.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RevisionFlags {
    /// Build the candidate from this revision
    #[arg(long, help_heading = "Revisions", value_name = "REV", requires = "build")]
    candidate_rev: Option<String>,
    /// Build the baseline from this revision
    #[arg(long, help_heading = "Revisions", value_name = "REV", requires = "build")]
    baseline_rev: Option<String>,
    /// Repository of the project
    #[arg(long, help_heading = "Revisions", value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Command that builds the project, run by the shell in a checkout of the revision
    #[arg(long, help_heading = "Revisions", value_name = "COMMAND")]
    build: Option<String>,
    /// Program that the build makes, as a path inside the project
    #[arg(long, help_heading = "Revisions", value_name = "PATH", requires = "build")]
    program: Option<PathBuf>,
    /// Folder of built programs, one for each commit and build command
    #[arg(long, help_heading = "Revisions", value_name = "DIR", default_value = "results/builds")]
    build_cache: PathBuf,
}

impl RevisionFlags {
    /// Returns the candidate and the baseline, as far as they are built from revisions.
    pub(crate) fn build(&self) -> Result<(Option<EngineEntry>, Option<EngineEntry>), Failure> {
        let built = |revision: &Option<String>| revision.as_deref().map(|rev| self.engine(rev)).transpose();
        Ok((built(&self.candidate_rev)?, built(&self.baseline_rev)?))
    }

    /// Returns whether an engine is to be built.
    pub(crate) fn are_given(&self) -> bool {
        self.candidate_rev.is_some() || self.baseline_rev.is_some()
    }

    fn engine(&self, revision: &str) -> Result<EngineEntry, Failure> {
        let (Some(build), Some(program)) = (self.build.clone(), self.program.clone()) else {
            return Err(Failure::usage("a revision needs --build COMMAND and --program PATH"));
        };
        let (repo, folder) = (self.repo.clone(), self.build_cache.clone());
        BuildCache { repo, build, program, folder }.engine(revision)
    }
}
