//! What an engine needs on other machines beside its program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Files that go with an engine to other machines. On this one only `files` matter: they must not change during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shipment {
    /// Files that it reads: networks, weights, books of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// Its program for other kinds of machines, by target (`aarch64-linux`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binaries: BTreeMap<String, PathBuf>,
    /// How it is built where no program fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlan>,
}

/// A revision of a repository, and how it becomes a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourcePlan {
    /// The repository.
    pub repo: PathBuf,
    /// The revision.
    pub rev: String,
    /// Command that builds it, run by the shell in the folder of the files.
    pub build: String,
    /// The program that the build makes, as a path inside that folder.
    pub program: String,
}

impl Shipment {
    /// Returns whether there is nothing but the program.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
