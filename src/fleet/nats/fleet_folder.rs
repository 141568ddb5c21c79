//! The folder of a private fleet: configuration of its server, certificates and keys.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::fleet::nats::access::{DEFAULT_PORT, Role};
use crate::fleet::nats::certificates::{Authority, CertificateError};
use crate::fleet::nats::names::WorkerName;
use crate::fleet::nats::permissions::Permissions;
use crate::store::write_whole;

/// Largest message; a report has at most half of it.
const LARGEST_MESSAGE: u64 = 1 << 20;

/// Address that a server listens on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Listen {
    /// Host or address; `0.0.0.0` means all of the machine.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Default for Listen {
    fn default() -> Self {
        Self { host: "0.0.0.0".to_owned(), port: DEFAULT_PORT }
    }
}

impl std::str::FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not HOST:PORT");
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let fits = |letter: char| letter.is_ascii_alphanumeric() || ".-:".contains(letter);
        let valid = !host.is_empty() && host.chars().all(fits);
        let port = port.parse().ok().filter(|port| valid && *port > 0).ok_or_else(wrong)?;
        Ok(Self { host: host.to_owned(), port })
    }
}

/// Why a folder of a fleet could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder is not one of a fleet.
    #[error("{} is not the folder of a fleet; `playself fleet init` makes one", .0.display())]
    NoFleet(PathBuf),
    /// There is such a worker.
    #[error("the fleet has a worker {0}; `playself fleet drop` removes it")]
    WorkerExists(WorkerName),
    /// There is no such worker.
    #[error("the fleet has no worker {0}")]
    NoWorker(WorkerName),
    /// Its server runs.
    #[error("the server of {} runs already", .0.display())]
    Served(PathBuf),
    /// A file could not be read or written.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Io(PathBuf, io::Error),
    /// A certificate could not be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A key could not be made.
    #[error("a key could not be made: {0}")]
    Key(String),
}

/// What a folder of a fleet is about; everything else follows from it and the secrets.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Record {
    listen: Listen,
    /// Names and addresses of the machine, in the certificate of the server.
    hosts: Vec<String>,
    store_bytes: u64,
    coordinator: String,
    workers: BTreeMap<WorkerName, String>,
}

/// The folder of a private fleet.
#[derive(Clone, Debug)]
pub struct FleetFolder {
    dir: PathBuf,
    record: Record,
}

impl FleetFolder {
    /// Makes a fleet in a folder. A folder that has one keeps its keys and gets the new address.
    pub fn init(
        dir: &Path,
        listen: &Listen,
        hosts: &[String],
        store_bytes: u64,
    ) -> Result<Self, FolderError> {
        let workers = dir.join("workers");
        DirBuilder::new().recursive(true).mode(0o700).create(&workers).map_err(|why| at(&workers, why))?;
        let dir = dir.canonicalize().map_err(|why| at(dir, why))?;
        let earlier = match Self::open(&dir) {
            Ok(folder) => Some(folder),
            Err(FolderError::NoFleet(_)) => None,
            Err(error) => return Err(error),
        };
        let authority = match fs::read_to_string(dir.join("ca.key")) {
            Ok(key) => Authority::from_key(&key)?,
            Err(_) => {
                let authority = Authority::generate()?;
                write_secret(&dir.join("ca.key"), &authority.key_pem())?;
                authority
            }
        };
        if !dir.join("ca.pem").exists() {
            write(&dir.join("ca.pem"), authority.certificate_pem())?;
        }
        let server = authority.issue(hosts)?;
        write_secret(&dir.join("server.key"), &server.key_pem)?;
        write(&dir.join("server.pem"), &server.certificate_pem)?;
        let record = match earlier {
            Some(folder) => Record { listen: listen.clone(), hosts: hosts.to_vec(), ..folder.record },
            None => Record {
                listen: listen.clone(),
                hosts: hosts.to_vec(),
                store_bytes,
                coordinator: new_key(
                    &dir.join("coordinator.nk"),
                    "coordinator",
                    authority.certificate_pem(),
                )?,
                workers: BTreeMap::new(),
            },
        };
        let folder = Self { dir, record };
        folder.save()?;
        Ok(folder)
    }

    /// Opens the folder of a fleet.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        let file = dir.join("fleet.json");
        let text = match fs::read_to_string(&file) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                return Err(FolderError::NoFleet(dir.to_owned()));
            }
            text => text.map_err(|why| at(&file, why))?,
        };
        let record = serde_json::from_str(&text).map_err(|why| at(&file, why.into()))?;
        Ok(Self { dir: dir.canonicalize().map_err(|why| at(dir, why))?, record })
    }

    /// Adds a worker, and returns the file with its key.
    pub fn add(&mut self, name: &WorkerName) -> Result<PathBuf, FolderError> {
        if self.record.workers.contains_key(name) {
            return Err(FolderError::WorkerExists(name.clone()));
        }
        let ca = self.dir.join("ca.pem");
        let certificate = fs::read_to_string(&ca).map_err(|why| at(&ca, why))?;
        let file = self.key_of(name);
        let public = new_key(&file, &format!("worker {name}"), &certificate)?;
        self.record.workers.insert(name.clone(), public);
        self.save()?;
        Ok(file)
    }

    /// Removes a worker. Its key is refused once the server has read its configuration again.
    pub fn remove(&mut self, name: &WorkerName) -> Result<(), FolderError> {
        if self.record.workers.remove(name).is_none() {
            return Err(FolderError::NoWorker(name.clone()));
        }
        self.save()?;
        let file = self.key_of(name);
        match fs::remove_file(&file) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(at(&file, why)),
            _ => Ok(()),
        }
    }

    /// Locks the folder for a server, which this process is about to become: a second one would spoil the store. The lock ends
    /// with the server.
    pub fn lock_for_server(&self) -> Result<File, FolderError> {
        let file = self.dir.join("server.lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(|why| at(&file, why))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Served(self.dir.clone())),
            Err(TryLockError::Error(why)) => return Err(at(&file, why)),
        }
        // The program of the server inherits it.
        fcntl(&lock, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|why| at(&file, why.into()))?;
        Ok(lock)
    }

    /// Lets the server that runs with this folder read its configuration again; returns whether there is one.
    pub fn reload(&self) -> Result<bool, FolderError> {
        let file = self.dir.join("nats.pid");
        let Some(pid) = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok()) else {
            return Ok(false);
        };
        // After a crash, another process may have the number.
        let config = self.config_file();
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if !arguments
            .split(|byte| *byte == 0)
            .any(|argument| argument == config.as_os_str().as_encoded_bytes())
        {
            return Ok(false);
        }
        kill(Pid::from_raw(pid), Signal::SIGHUP).map_err(|why| at(&file, why.into()))?;
        Ok(true)
    }

    /// Returns the configuration of the server.
    pub fn config_file(&self) -> PathBuf {
        self.dir.join("nats.conf")
    }

    /// Returns the file with the key of the coordinator.
    pub fn coordinator_key(&self) -> PathBuf {
        self.dir.join("coordinator.nk")
    }

    /// Returns the workers.
    pub fn workers(&self) -> impl Iterator<Item = &WorkerName> {
        self.record.workers.keys()
    }

    /// Returns the address for other machines.
    pub fn url(&self) -> String {
        let Record { listen, hosts, .. } = &self.record;
        let unspecified = ["0.0.0.0", "::"].contains(&listen.host.as_str());
        let host = if unspecified { hosts.first().unwrap_or(&listen.host) } else { &listen.host };
        match host.contains(':') {
            true => format!("nats://[{host}]:{}", listen.port),
            false => format!("nats://{host}:{}", listen.port),
        }
    }

    fn key_of(&self, name: &WorkerName) -> PathBuf {
        self.dir.join("workers").join(format!("{name}.nk"))
    }

    fn save(&self) -> Result<(), FolderError> {
        let record = serde_json::to_string_pretty(&self.record).expect("a record is always JSON");
        write(&self.dir.join("fleet.json"), &record)?;
        write(&self.config_file(), &server_config(&self.dir, &self.record))
    }
}

/// Returns the text of the server's configuration.
fn server_config(dir: &Path, record: &Record) -> String {
    // Paths are quoted as in JSON, which the server reads.
    let path = |name: &str| format!("{:?}", dir.join(name).display().to_string());
    let user = |key: &str, role: &Role| {
        let Permissions { publish, subscribe } = Permissions::of(role);
        let list = |subjects: Vec<String>| format!("{subjects:?}");
        format!(
            "    {{ nkey: {key}, permissions: {{\n      publish: {}\n      subscribe: {} }} }}\n",
            list(publish),
            list(subscribe)
        )
    };
    let mut users = user(&record.coordinator, &Role::Coordinator);
    for (name, key) in &record.workers {
        users.push_str(&user(key, &Role::Worker(name.clone())));
    }
    format!(
        "# Written by `playself fleet`, which overwrites changes.\n\
         server_name: playself\n\
         host: {:?}\n\
         port: {}\n\
         max_payload: {LARGEST_MESSAGE}\n\
         pid_file: {}\n\
         tls {{ cert_file: {}, key_file: {}, timeout: 5 }}\n\
         jetstream {{ store_dir: {}, max_memory_store: 67108864, max_file_store: {} }}\n\
         authorization {{\n  timeout: 5\n  users: [\n{users}  ]\n}}\n",
        record.listen.host,
        record.listen.port,
        path("nats.pid"),
        path("server.pem"),
        path("server.key"),
        path("store"),
        record.store_bytes,
    )
}

/// Returns the name of the worker that a key file was made for.
pub fn worker_of_key(file: &Path) -> Option<WorkerName> {
    let text = fs::read_to_string(file).ok()?;
    let name = text.lines().next()?.strip_prefix(KEY_HEAD)?.strip_prefix("worker ")?;
    WorkerName::try_from(name.trim().to_owned()).ok()
}

/// Beginning of a key file.
pub(super) const KEY_HEAD: &str = "# playself ";

/// Writes a new key with the certificate of the fleet, and returns the public part.
fn new_key(file: &Path, owner: &str, certificate: &str) -> Result<String, FolderError> {
    let key = nkeys::KeyPair::new_user();
    let seed = key.seed().map_err(|why| FolderError::Key(why.to_string()))?;
    write_secret(file, &format!("{KEY_HEAD}{owner}\n{seed}\n{certificate}"))?;
    Ok(key.public_key())
}

fn write(file: &Path, text: &str) -> Result<(), FolderError> {
    write_whole(file, text.as_bytes()).map_err(|why| at(file, why))
}

/// Writes a file that only this user may read.
fn write_secret(file: &Path, text: &str) -> Result<(), FolderError> {
    let _ = fs::remove_file(file);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    })
    .map_err(|why| at(file, why))
}

fn at(path: &Path, why: io::Error) -> FolderError {
    FolderError::Io(path.to_owned(), why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn worker(name: &str) -> WorkerName {
        WorkerName::try_from(name.to_owned()).unwrap()
    }

    #[test]
    fn addresses_to_listen_on_are_host_and_port() {
        for (text, host, port) in
            [("10.0.0.5:4222", "10.0.0.5", 4222), ("[::1]:1", "::1", 1), ("a.b:99", "a.b", 99)]
        {
            assert_eq!(text.parse(), Ok(Listen { host: host.to_owned(), port }), "{text}");
        }
        for text in ["", "host", ":4222", "host:0", "host:99999", "a b:1", "a\"b:1"] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_worker_is_added_once_and_removed_once_and_its_key_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let fleet = dir.path().join("fleet");
        assert!(matches!(FleetFolder::open(&fleet), Err(FolderError::NoFleet(_))));
        let hosts = ["fleet.example".to_owned(), "10.1.2.3".to_owned()];
        let mut folder = FleetFolder::init(&fleet, &Listen::default(), &hosts, 1 << 30).unwrap();
        assert_eq!(folder.url(), "nats://fleet.example:4222");
        let key = folder.add(&worker("box")).unwrap();
        assert_eq!(worker_of_key(&key), Some(worker("box")));
        assert_eq!(worker_of_key(&folder.coordinator_key()), None);
        assert!(
            fs::metadata(&key).unwrap().permissions().mode().trailing_zeros() >= 7,
            "only its owner may read it"
        );
        assert!(matches!(folder.add(&worker("box")), Err(FolderError::WorkerExists(_))));
        let config = fs::read_to_string(folder.config_file()).unwrap();
        assert!(config.contains("ps.v1.res.*.box.>") && !config.contains("accounts"), "{config}");
        let mut again = FleetFolder::open(&fleet).unwrap();
        again.remove(&worker("box")).unwrap();
        assert!(!key.exists());
        assert!(!fs::read_to_string(folder.config_file()).unwrap().contains("box"));
        assert!(matches!(again.remove(&worker("box")), Err(FolderError::NoWorker(_))));
        assert!(!again.reload().unwrap(), "no server runs");
    }

    #[test]
    fn a_second_init_changes_the_address_and_keeps_keys_and_authority() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        let mut folder =
            FleetFolder::init(dir.path(), &Listen::default(), &["a".to_owned()], 1 << 30).unwrap();
        folder.add(&worker("box")).unwrap();
        let before = [read("ca.pem"), read("coordinator.nk"), read("workers/box.nk")];
        let server = read("server.pem");
        let listen = Listen { host: "10.0.0.9".to_owned(), port: 5000 };
        let folder = FleetFolder::init(dir.path(), &listen, &["10.0.0.9".to_owned()], 1 << 30).unwrap();
        assert_eq!(folder.url(), "nats://10.0.0.9:5000");
        assert_eq!(folder.workers().collect::<Vec<_>>(), [&worker("box")]);
        assert_eq!(before, [read("ca.pem"), read("coordinator.nk"), read("workers/box.nk")]);
        assert_ne!(server, read("server.pem"));
    }
}
