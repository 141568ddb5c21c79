//! Paths that a command takes from its process.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::SearchPaths;
use crate::player::GuardianProgram;

/// Returns the number of processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The program that runs the built-in engine and the guardian, and the folder of engine files.
#[derive(Clone, Debug)]
pub struct Environment {
    program: PathBuf,
    guardian: PathBuf,
    engine_files: PathBuf,
    kept_programs: Vec<PathBuf>,
    fleet: Option<FleetAccess>,
}

/// How to reach the server of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetAccess {
    /// Its address.
    pub url: String,
    /// File with the key of this machine.
    pub key: Option<PathBuf>,
    /// File with the certificate of the server's authority.
    pub ca: Option<PathBuf>,
    /// Whether a connection to another machine may be unencrypted.
    pub encryption: Encryption,
}

/// Whether a connection to another machine must be encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// It must.
    #[default]
    Required,
    /// It need not.
    Optional,
}

impl Environment {
    /// Returns the environment of this process: its program, and `configs/engines` in the working directory.
    pub fn current() -> io::Result<Self> {
        // The guardian can be started after the file of this program has been replaced or deleted.
        let guardian = GuardianProgram::ourselves().program;
        Ok(Self { guardian, ..Self::of_program(std::env::current_exe()?) })
    }

    /// Returns an environment with another `playself` as the program, for runs started inside a test or another tool.
    pub fn of_program(program: PathBuf) -> Self {
        Self {
            guardian: program.clone(),
            program,
            engine_files: PathBuf::from("configs/engines"),
            kept_programs: Vec::new(),
            fleet: None,
        }
    }

    /// Returns the environment of a run that may use the copies of programs in this folder.
    #[must_use]
    pub fn with_kept_programs(&self, folder: PathBuf) -> Self {
        Self { kept_programs: vec![folder], ..self.clone() }
    }

    /// Returns the folders with copies of programs that new runs may use.
    pub(super) fn kept_programs(&self) -> &[PathBuf] {
        &self.kept_programs
    }

    /// Lets the workers of a fleet play runs, if there is one.
    #[must_use]
    pub fn on_fleet(self, fleet: Option<FleetAccess>) -> Self {
        Self { fleet, ..self }
    }

    /// Returns the fleet that plays runs.
    pub fn fleet(&self) -> Option<&FleetAccess> {
        self.fleet.as_ref()
    }

    /// Returns the paths where engine names are looked up.
    pub fn search_paths(&self) -> SearchPaths {
        SearchPaths { this_program: self.program.clone(), engines: self.engine_files.clone() }
    }

    /// Returns the path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the process that kills left-over engines if this one is killed.
    pub fn guardian(&self) -> GuardianProgram {
        GuardianProgram { program: self.guardian.clone(), args: vec![GuardianProgram::ARGUMENT.to_owned()] }
    }
}
