//! A private fleet: its folder, keys and server.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::commands::failure::Failure;
use crate::fleet::nats::{FleetFolder, FolderError, Listen, WorkerName};

/// Most storage that a server is given.
const MOST_STORE_BYTES: u64 = 16 << 30;
/// Program of the server.
const SERVER: &str = "nats-server";
/// Variable with the processors that the server uses. One is enough for thousands of workers, and much of what a job costs a server
/// that has several is waking threads up that find nothing to do.
const PROCESSORS: &str = "GOMAXPROCS";

/// A fleet that was made.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct NewFleet {
    pub folder: PathBuf,
    pub url: String,
    pub coordinator_key: PathBuf,
    pub workers: Vec<WorkerName>,
}

/// A worker that was added.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct NewWorker {
    pub name: WorkerName,
    pub key: PathBuf,
    pub url: String,
    pub server_reloaded: bool,
}

/// A worker that was removed.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct DroppedWorker {
    pub name: WorkerName,
    pub server_reloaded: bool,
}

/// Makes a fleet in `dir`, or gives the one that is there a new address.
pub fn init_fleet(dir: &Path, listen: &Listen) -> Result<NewFleet, Failure> {
    let hosts = hosts(listen);
    let folder = FleetFolder::init(dir, listen, &hosts, store_bytes(dir)).map_err(failure)?;
    folder.reload().map_err(failure)?;
    Ok(NewFleet {
        url: folder.url(),
        coordinator_key: folder.coordinator_key(),
        workers: folder.workers().cloned().collect(),
        folder: dir.to_owned(),
    })
}

/// Adds a worker to the fleet in `dir`, and lets a running server accept it.
pub fn add_worker(dir: &Path, name: &WorkerName) -> Result<NewWorker, Failure> {
    let mut folder = FleetFolder::open(dir).map_err(failure)?;
    let key = folder.add(name).map_err(failure)?;
    let server_reloaded = folder.reload().map_err(failure)?;
    Ok(NewWorker { name: name.clone(), key, url: folder.url(), server_reloaded })
}

/// Removes a worker from the fleet in `dir`; a running server closes its connection.
pub fn drop_worker(dir: &Path, name: &WorkerName) -> Result<DroppedWorker, Failure> {
    let mut folder = FleetFolder::open(dir).map_err(failure)?;
    folder.remove(name).map_err(failure)?;
    Ok(DroppedWorker { name: name.clone(), server_reloaded: folder.reload().map_err(failure)? })
}

/// Becomes the server of the fleet in `dir`; returns only if it cannot be started.
pub fn serve_fleet(dir: &Path) -> Result<std::convert::Infallible, Failure> {
    let folder = FleetFolder::open(dir).map_err(failure)?;
    let program = server_program().ok_or_else(|| {
        Failure::fault(format_args!("{SERVER} is not installed (on Debian: apt-get install {SERVER})"))
    })?;
    let _lock = folder.lock_for_server().map_err(failure)?;
    let mut server = Command::new(&program);
    server.arg("-c").arg(folder.config_file());
    if std::env::var_os(PROCESSORS).is_none() {
        server.env(PROCESSORS, "1");
    }
    let why = server.exec();
    Err(Failure::fault(format_args!("{}: {why}", program.display())))
}

/// Returns the program of the server, which Debian installs where not every user looks.
fn server_program() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&paths).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(SERVER)).find(|path| path.is_file())
}

/// Returns the names and addresses of this machine for the certificate of the server, that for other machines first.
fn hosts(listen: &Listen) -> Vec<String> {
    let mut hosts = Vec::new();
    let mut add = |host: String| {
        if !host.is_empty() && !hosts.contains(&host) {
            hosts.push(host);
        }
    };
    if !["0.0.0.0", "::"].contains(&listen.host.as_str()) {
        add(listen.host.clone());
    }
    let (addresses, loopback): (Vec<_>, Vec<_>) =
        addresses().into_iter().partition(|address| !address.is_loopback());
    let (four, six): (Vec<_>, Vec<_>) = addresses.into_iter().partition(std::net::IpAddr::is_ipv4);
    four.into_iter().chain(six).for_each(|address| add(address.to_string()));
    add(nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned());
    add("localhost".to_owned());
    add("127.0.0.1".to_owned());
    loopback.into_iter().for_each(|address| add(address.to_string()));
    hosts
}

fn addresses() -> Vec<std::net::IpAddr> {
    let interfaces = nix::ifaddrs::getifaddrs().into_iter().flatten();
    let address = |interface: nix::ifaddrs::InterfaceAddress| {
        let storage = interface.address?;
        let four = storage.as_sockaddr_in().map(|four| four.ip().into());
        // Addresses of one link only are worthless in a URL.
        let six = storage
            .as_sockaddr_in6()
            .map(nix::sys::socket::SockaddrIn6::ip)
            .filter(|six| !six.is_unicast_link_local());
        four.or(six.map(Into::into))
    };
    interfaces.filter_map(address).collect()
}

/// Returns the storage for the server: most of what is free, for a server whose disk is full stops without a word.
fn store_bytes(dir: &Path) -> u64 {
    let existing = dir.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let existing = if existing.as_os_str().is_empty() { Path::new(".") } else { existing };
    let free = nix::sys::statvfs::statvfs(existing)
        .map_or(MOST_STORE_BYTES, |disk| disk.blocks_available() * disk.fragment_size());
    (free / 5 * 4).min(MOST_STORE_BYTES)
}

fn failure(error: FolderError) -> Failure {
    match error {
        FolderError::NoFleet(_) | FolderError::WorkerExists(_) | FolderError::NoWorker(_) => {
            Failure::Usage(error.into())
        }
        error => Failure::Fault(error.into()),
    }
}
