//! Flags of the server of a fleet.

use std::path::PathBuf;

use crate::commands::{Encryption, FleetAccess};
use crate::run::{FleetPlan, Plan};

/// The fleet that plays a run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FleetFlags {
    /// Let the workers of a fleet play, connected by the NATS server at this address, e.g. nats://host:4222
    #[arg(long, value_name = "URL", help_heading = "Fleet")]
    fleet: Option<String>,
    /// Key and certificate of the server.
    #[command(flatten)]
    credentials: CredentialFlags,
}

/// How to get into a fleet.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CredentialFlags {
    /// File with the key of this machine in the fleet
    #[arg(long, value_name = "FILE", help_heading = "Fleet")]
    key: Option<PathBuf>,
    /// File with the certificate of the authority of the server
    #[arg(long, value_name = "FILE", help_heading = "Fleet")]
    ca: Option<PathBuf>,
    /// Accept a server on another machine without encryption
    #[arg(long, help_heading = "Fleet")]
    insecure: bool,
}

impl CredentialFlags {
    /// Returns how to reach the server at `url`.
    pub fn access(&self, url: String) -> FleetAccess {
        let encryption = if self.insecure { Encryption::Optional } else { Encryption::Required };
        FleetAccess { url, key: self.key.clone(), ca: self.ca.clone(), encryption }
    }
}

impl FleetFlags {
    /// Returns the address of the command line without secrets, as plans record it.
    pub fn shown_url(&self) -> Option<String> {
        let url = self.fleet.as_ref()?;
        let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
        Some(format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, place)| place)))
    }

    /// Returns the fleet of the command line.
    pub fn access(&self) -> Option<FleetAccess> {
        self.fleet.clone().map(|url| self.credentials.access(url))
    }

    /// Returns the fleet of the command line, or that of a run file.
    pub fn access_or(&self, settings: &FleetPlan) -> Option<FleetAccess> {
        let url = self.fleet.clone().or_else(|| settings.url.clone())?;
        let mut access = self.credentials.access(url);
        access.key = access.key.or_else(|| settings.key.clone());
        access.ca = access.ca.or_else(|| settings.ca.clone());
        Some(access)
    }

    /// Returns the fleet of the command line, or that of a plan.
    pub fn access_for(&self, plan: &Plan) -> Option<FleetAccess> {
        self.access_or(&plan.fleet)
    }
}
