//! What each role may send and receive. The server enforces it.

use crate::fleet::nats::access::Role;
use crate::fleet::nats::jetstream::{JOBS, OBJECT_PREFIX, OBJECTS, RUNS};
use crate::fleet::nats::names::{PREFIX, subject};

/// Subjects that a role may publish to and subscribe to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Permissions {
    /// Subjects to publish to.
    pub publish: Vec<String>,
    /// Subjects to subscribe to.
    pub subscribe: Vec<String>,
}

impl Permissions {
    /// Returns the permissions of a role.
    ///
    /// A worker's name is part of every subject that it writes, so it cannot report under another one. It cannot make
    /// consumers either: with one, it could read the reports of others.
    pub fn of(role: &Role) -> Self {
        let inbox = format!("{}.>", role.inbox_prefix());
        match role {
            Role::Coordinator => Self {
                publish: vec![
                    // Another program with this key asks about the workers of a run.
                    inbox.clone(),
                    format!("{PREFIX}.>"),
                    format!("{OBJECT_PREFIX}.>"),
                    "$JS.API.>".to_owned(),
                    "$JS.ACK.>".to_owned(),
                ],
                subscribe: vec![inbox, subject::beats(), format!("{PREFIX}.ask.*")],
            },
            Role::Worker(name) => Self {
                publish: vec![
                    format!("{PREFIX}.res.*.{name}.>"),
                    subject::beat(name),
                    format!("$JS.API.CONSUMER.MSG.NEXT.{JOBS}.*"),
                    format!("$JS.ACK.{JOBS}.>"),
                    format!("$JS.API.DIRECT.GET.{RUNS}.>"),
                    format!("$JS.API.DIRECT.GET.{OBJECTS}"),
                    format!("$JS.API.DIRECT.GET.{OBJECTS}.>"),
                    format!("$JS.API.STREAM.INFO.{RUNS}"),
                ],
                subscribe: vec![inbox, subject::notices(), subject::answer(name)],
            },
        }
    }
}
