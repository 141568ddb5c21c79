//! A fleet of many machines, connected by a NATS server.

mod access;
mod blobs;
mod build;
mod cache;
mod certificates;
mod connection;
mod fleet_folder;
mod jetstream;
pub mod messages;
mod names;
mod objects;
mod permissions;
mod settings;
mod speed;
mod target;

pub use access::{Access, DEFAULT_PORT, Role};
pub use blobs::{BlobError, Building, ShippedEngine, get_bytes, publish_engines, put_bytes};
pub use cache::{Cache, MOST_CACHE_BYTES, ProvideError};
pub use certificates::CertificateError;
pub use connection::{ConnectError, Connection, Incoming, Link, NatsError, Subscription};
pub use fleet_folder::{FleetFolder, FolderError, Listen, worker_of_key};
pub use jetstream::{Delivery, Pulled, Puller, StoredMessage, StreamLimits};
pub use names::{BadName, PREFIX, RunId, WorkerName, subject};
pub use objects::ObjectError;
pub use permissions::Permissions;
pub use settings::{Backoff, Timing};
pub use speed::{DriftWatch, Probed, Reference, check_signature, probe, reference, scale_ppm};
pub use target::{SCRIPT, runs, target, target_of};
