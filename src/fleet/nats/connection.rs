//! A connection to the server of a fleet. The only file that names the client library; what JetStream is asked is in
//! `jetstream.rs`.

use std::collections::hash_map::RandomState;
use std::error::Error;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{
    Client, ClientError, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Request, RequestErrorKind,
    ServerError, Subscriber,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_stream::StreamExt;

use crate::fleet::nats::access::{Access, Role, ServerUrl, UrlSecret};
use crate::fleet::nats::fleet_folder::KEY_HEAD;
use crate::fleet::nats::settings::Backoff;

/// Oldest server that has everything a fleet uses.
const OLDEST_SERVER: [u64; 3] = [2, 9, 10];
/// Oldest server without the known defects that a fleet works around.
const ADVISED_SERVER: [u64; 3] = [2, 10, 27];
/// Time in which a connection must be made and accepted.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time without traffic after which the server is asked for a sign of life; a connection without three of them is
/// given up.
const PING_INTERVAL: Duration = Duration::from_secs(15);

/// Why a connection could not be made.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ConnectError {
    /// The URL or a file of the call is wrong.
    #[error("{0}")]
    Usage(String),
    /// The server or this machine refuses, and would refuse again: key, TLS, version.
    #[error("{0}")]
    Refused(String),
    /// No server answers; another attempt may succeed.
    #[error("{0}")]
    Unreachable(String),
}

/// Whether the server can be reached at the moment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Link {
    /// Connected.
    Up,
    /// Not connected; the connection is being made again.
    Down,
    /// The server refuses this machine, for this reason.
    Refused(String),
}

/// Why a request to the server failed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NatsError {
    /// Another program wrote in between.
    #[error("another program wrote it first")]
    Conflict,
    /// The server has no room for it.
    #[error("the server has no room: {0}")]
    Full(String),
    /// There is no such stream, consumer or message.
    #[error("the server does not have it")]
    Missing,
    /// The server did not answer in time.
    #[error("the server did not answer in time")]
    Timeout,
    /// The connection was closed.
    #[error("the connection is closed")]
    Closed,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// A message that arrived.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// Subject that it was sent to.
    pub subject: String,
    /// Content.
    pub payload: Vec<u8>,
    /// Subject for the answer.
    pub(super) reply: Option<String>,
    /// Status of an answer of the server.
    pub(super) status: Option<u16>,
    /// What the status means.
    pub(super) description: String,
    headers: Option<HeaderMap>,
}

impl Incoming {
    /// Returns the first value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.as_ref()?.get(name).map(async_nats::HeaderValue::as_str)
    }
}

impl From<async_nats::Message> for Incoming {
    fn from(message: async_nats::Message) -> Self {
        Self {
            subject: message.subject.to_string(),
            payload: message.payload.to_vec(),
            reply: message.reply.map(|reply| reply.to_string()),
            status: message.status.map(|status| status.as_u16()),
            description: message.description.unwrap_or_default(),
            headers: message.headers,
        }
    }
}

/// Messages of one subject. It survives reconnects.
#[derive(Debug)]
pub struct Subscription(Subscriber);

impl Subscription {
    /// Waits for the next message; `None` when the connection was closed. May be cancelled without a loss.
    pub async fn next(&mut self) -> Option<Incoming> {
        self.0.next().await.map(Incoming::from)
    }
}

/// A connection to the server of a fleet, made again as often as it is lost. Copies share it.
#[derive(Clone, Debug)]
pub struct ServerConnection {
    client: Client,
    link: watch::Receiver<Link>,
    request_timeout: Duration,
}

impl ServerConnection {
    /// Connects. A server that does not answer is tried again until `connect_timeout` is over; a refusal is final.
    pub async fn open(
        access: &Access,
        role: &Role,
        backoff: &Backoff,
        connect_timeout: Duration,
    ) -> Result<Self, ConnectError> {
        Self::open_noting(access, role, backoff, connect_timeout, |_| ()).await
    }

    /// Connects as [`open`](Self::open) does, and calls `note` with the reason when the first attempt has failed and is repeated.
    pub async fn open_noting(
        access: &Access,
        role: &Role,
        backoff: &Backoff,
        connect_timeout: Duration,
        note: impl FnOnce(&str),
    ) -> Result<Self, ConnectError> {
        let give_up = Instant::now().checked_add(connect_timeout);
        let (mut pause, mut note) = (backoff.first, Some(note));
        loop {
            match Self::attempt(access, role, backoff).await {
                Err(ConnectError::Unreachable(why))
                    if give_up.is_none_or(|end| Instant::now() + pause < end) =>
                {
                    if let Some(note) = note.take() {
                        note(&why);
                    }
                    sleep(pause / 2 + random_below(pause / 2)).await;
                    pause = (pause * 2).min(backoff.longest);
                }
                outcome => return outcome,
            }
        }
    }

    async fn attempt(access: &Access, role: &Role, backoff: &Backoff) -> Result<Self, ConnectError> {
        let url = ServerUrl::parse(&access.url).map_err(ConnectError::Usage)?;
        let (report, link) = watch::channel(Link::Down);
        let options = options(access, role, &url, report, backoff.reconnect_jitter)?;
        let address = url.to_string();
        let deadline = Instant::now() + 2 * CONNECT_TIMEOUT;
        let client = match timeout_at(deadline, options.connect(&address)).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(explain(&error, access, &url)),
            Err(_) => return Err(ConnectError::Unreachable(format!("{url} did not answer in time"))),
        };
        let mut connection = Self { client, link, request_timeout: backoff.request_timeout };
        let up = connection.link.wait_for(|link| *link != Link::Down);
        if timeout_at(deadline, up).await.is_err() {
            return Err(ConnectError::Unreachable(format!("{url} did not answer in time")));
        }
        let version = connection.version();
        if version_number(&version).is_none_or(|number| number < OLDEST_SERVER) {
            let oldest = OLDEST_SERVER.map(|part| part.to_string()).join(".");
            let why = format!("{url} runs nats-server {version}; a fleet needs {oldest} or newer");
            return Err(ConnectError::Refused(why));
        }
        Ok(connection)
    }

    /// Returns whether the server can be reached, now and later.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }

    /// Returns the version of the server.
    pub fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Returns a warning if the server is old enough to have known defects.
    pub fn old_server_warning(&self) -> Option<String> {
        let version = self.version();
        let old = version_number(&version).is_some_and(|number| number < ADVISED_SERVER);
        let advised = ADVISED_SERVER.map(|part| part.to_string()).join(".");
        old.then(|| {
            format!(
                "nats-server {version} stops silently when its disk is full and keeps finished jobs after a kill; \
                 {advised} or newer is advised"
            )
        })
    }

    /// Waits before another attempt: as long as stated, or until a lost connection was made again.
    pub(super) async fn pause(&self, time: Duration) {
        let mut link = self.link.clone();
        if *link.borrow_and_update() == Link::Up {
            sleep(time).await;
        } else {
            let _ = timeout(time, link.wait_for(|link| *link == Link::Up)).await;
        }
    }

    /// Sends a message without an answer. It is lost while there is no connection.
    pub async fn publish(&self, subject: String, payload: Vec<u8>) -> Result<(), NatsError> {
        // The library would keep it, and signs of life would arrive when they are not true any more.
        if *self.link.borrow() != Link::Up {
            return Err(NatsError::Closed);
        }
        let sent = timeout(self.request_timeout, self.client.publish(subject, payload.into())).await;
        sent.map_err(|_| NatsError::Timeout)?.map_err(|error| NatsError::Other(error.to_string()))
    }

    /// Sends a message whose answers arrive at `reply`.
    pub async fn publish_with_reply(
        &self,
        subject: String,
        reply: String,
        payload: Vec<u8>,
    ) -> Result<(), NatsError> {
        if *self.link.borrow() != Link::Up {
            return Err(NatsError::Closed);
        }
        let sending = self.client.publish_with_reply(subject, reply, payload.into());
        let sent = timeout(self.request_timeout, sending).await;
        sent.map_err(|_| NatsError::Timeout)?.map_err(|error| NatsError::Other(error.to_string()))
    }

    /// Sends a message and waits for the answer.
    pub(super) async fn request(
        &self,
        subject: String,
        headers: &[(&str, String)],
        payload: Vec<u8>,
    ) -> Result<Incoming, NatsError> {
        let mut request = Request::new().payload(payload.into()).timeout(Some(self.request_timeout));
        if !headers.is_empty() {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.as_str());
            }
            request = request.headers(map);
        }
        let mut link = self.link.clone();
        let was_up = *link.borrow_and_update() == Link::Up;
        let answer = tokio::select! {
            answer = timeout(2 * self.request_timeout, self.client.send_request(subject, request)) => answer,
            // Question or answer is lost with its connection.
            _ = link.changed(), if was_up => return Err(NatsError::Timeout),
        };
        match answer.map_err(|_| NatsError::Timeout)? {
            Ok(message) => Ok(message.into()),
            Err(error) => Err(match error.kind() {
                RequestErrorKind::TimedOut => NatsError::Timeout,
                // No stream takes the subject: the store of the server was wiped.
                RequestErrorKind::NoResponders => NatsError::Missing,
                RequestErrorKind::InvalidSubject | RequestErrorKind::MaxPayloadExceeded => {
                    NatsError::Other(error.to_string())
                }
                RequestErrorKind::Other => NatsError::Closed,
            }),
        }
    }

    /// Receives all messages of a subject from now on.
    pub async fn subscribe(&self, subject: String) -> Result<Subscription, NatsError> {
        let made = timeout(self.request_timeout, self.client.subscribe(subject)).await;
        made.map_err(|_| NatsError::Timeout)?
            .map(Subscription)
            .map_err(|error| NatsError::Other(error.to_string()))
    }

    /// Returns a subject for answers to this connection only.
    pub fn new_inbox(&self) -> String {
        self.client.new_inbox()
    }

    /// Waits until everything that was sent has left this machine, or for some seconds.
    pub async fn flush(&self) {
        let _ = timeout(self.request_timeout, self.client.flush()).await;
    }
}

fn options(
    access: &Access,
    role: &Role,
    url: &ServerUrl,
    report: watch::Sender<Link>,
    jitter: Duration,
) -> Result<ConnectOptions, ConnectError> {
    let known = Arc::new(AtomicBool::new(false));
    let connected = Arc::clone(&known);
    let key = access.key.clone();
    let mut options = ConnectOptions::new()
        .name(format!("playself {role}"))
        .custom_inbox_prefix(role.inbox_prefix())
        .connection_timeout(CONNECT_TIMEOUT)
        .ping_interval(PING_INTERVAL)
        // The address that works from here is the one of the call, not what the server calls itself.
        .ignore_discovered_servers()
        // Ten thousand workers that lost one server must not come back in the same moment.
        .reconnect_delay_callback(move |_| match connected.load(Ordering::Relaxed) {
            true => random_below(jitter),
            false => Duration::ZERO,
        })
        .event_callback(move |event| {
            if event == Event::Connected {
                known.store(true, Ordering::Relaxed);
            }
            let gone = key.as_ref().filter(|path| matches!(event, Event::ClientError(_)) && !path.exists());
            let gone = gone.map(|path| Link::Refused(format!("{} is gone", path.display())));
            if let Some(link) = gone.or_else(|| link_after(&event)) {
                // A refusal stays: the server closes the connection right after it.
                report.send_if_modified(|now| {
                    let stays = matches!(now, Link::Refused(_)) && link == Link::Down;
                    let changes = !stays && *now != link;
                    if changes {
                        *now = link.clone();
                    }
                    changes
                });
            }
            std::future::ready(())
        });
    let mut ca = access.ca.clone();
    if let Some(path) = &access.key {
        let text = fs::read_to_string(path)
            .map_err(|error| ConnectError::Usage(format!("{}: {error}", path.display())))?;
        if ca.is_none() && text.contains("-----BEGIN CERTIFICATE-----") {
            ca = Some(path.clone());
        }
        check_owner(path, &text, role)?;
        let seed = text.lines().map(str::trim).find(|line| line.starts_with("SU"));
        let seed = seed.ok_or_else(|| {
            ConnectError::Usage(format!("{} does not contain the seed of an nkey (SU…)", path.display()))
        })?;
        options = options.nkey(seed.to_owned());
    }
    options = match &url.secret {
        Some(UrlSecret::Token(token)) => options.token(token.clone()),
        Some(UrlSecret::UserAndPassword(user, password)) => {
            options.user_and_password(user.clone(), password.clone())
        }
        None => options,
    };
    if let Some(path) = &ca {
        fs::metadata(path).map_err(|error| ConnectError::Usage(format!("{}: {error}", path.display())))?;
        options = options.add_root_certificates(path.clone());
    }
    Ok(options.require_tls(ca.is_some() || access.must_encrypt(url)))
}

/// Refuses a key that was made for another role: the server would leave requests without an answer.
fn check_owner(path: &Path, key: &str, role: &Role) -> Result<(), ConnectError> {
    let owner = key.lines().next().and_then(|line| line.strip_prefix(KEY_HEAD)).map(str::trim);
    let advice = match (owner, role) {
        (None, _) => return Ok(()),
        (Some(owner), role) if owner == role.to_string() => return Ok(()),
        (Some(_), Role::Coordinator) => "a run needs the key of the coordinator, coordinator.nk".to_owned(),
        (Some("coordinator"), Role::Worker(name)) => {
            format!("a worker needs a key of its own: playself fleet add DIR {name}")
        }
        (Some(_), Role::Worker(name)) => {
            format!("this worker is named {name}; omit --name, or name the key of {name}")
        }
    };
    let owner = owner.unwrap_or_default();
    Err(ConnectError::Usage(format!("{} is the key of {owner}: {advice}", path.display())))
}

fn link_after(event: &Event) -> Option<Link> {
    let refused = "the server does not accept the key or token of this machine (any more)";
    match event {
        Event::Connected => Some(Link::Up),
        Event::Disconnected | Event::Closed => Some(Link::Down),
        Event::ServerError(ServerError::AuthorizationViolation) => Some(Link::Refused(refused.to_owned())),
        Event::ClientError(ClientError::Other(text)) if text.contains("authorization violation") => {
            Some(Link::Refused(refused.to_owned()))
        }
        _ => None,
    }
}

/// Turns an error of the library into one that names the cause and what to do.
fn explain(error: &async_nats::ConnectError, access: &Access, url: &ServerUrl) -> ConnectError {
    let mut causes = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // Many errors contain their cause.
        if !causes.contains(&cause.to_string()) {
            causes = format!("{causes}: {cause}");
        }
        source = cause.source();
    }
    let ca = access.ca.as_ref().or(access.key.as_ref()).map_or_else(
        || "the certificates of this system; name the key of this machine with --key FILE, or the certificate of the \
             fleet with --ca FILE"
                .to_owned(),
        |path| path.display().to_string(),
    );
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            let means = match (&access.key, &url.secret) {
                (Some(path), _) => format!("the key in {}", path.display()),
                (None, Some(_)) => "the token of the URL".to_owned(),
                (None, None) => "a connection without a key; name one with --key FILE".to_owned(),
            };
            ConnectError::Refused(format!("{url} does not accept {means}"))
        }
        ConnectErrorKind::ServerParse => ConnectError::Usage(format!("{url}: {causes}")),
        _ if causes.contains("invalid peer certificate") => {
            ConnectError::Refused(format!("the TLS certificate of {url} does not match {ca} ({causes})"))
        }
        _ if causes.contains("InvalidContentType") || causes.contains("tls handshake eof") => {
            let advice = if access.ca.is_none() && access.key.is_none() && !url.tls {
                "; --insecure does without"
            } else {
                ""
            };
            ConnectError::Refused(format!("{url} does not offer TLS{advice}"))
        }
        ConnectErrorKind::Tls => ConnectError::Refused(format!("TLS with {url}: {causes}")),
        _ => ConnectError::Unreachable(format!("{url} cannot be reached ({causes})")),
    }
}

fn version_number(version: &str) -> Option<[u64; 3]> {
    let release = version.split('-').next()?;
    let mut parts = release.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Returns a random time below `limit`.
fn random_below(limit: Duration) -> Duration {
    // Every state starts with other keys, which come from the random numbers of the system.
    let bits = RandomState::new().build_hasher().finish();
    limit.mul_f64((bits >> 11) as f64 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version_number("2.9.10"), Some([2, 9, 10]));
        assert_eq!(version_number("2.12.0-RC.1"), Some([2, 12, 0]));
        assert!(version_number("2.10.3").unwrap() > OLDEST_SERVER);
        assert!(version_number("2.9.9").unwrap() < OLDEST_SERVER);
        assert_eq!(version_number("unknown"), None);
    }

    #[test]
    fn random_times_stay_below_their_limit_and_differ() {
        let times: Vec<Duration> = (0..100).map(|_| random_below(Duration::from_secs(5))).collect();
        assert!(times.iter().all(|time| *time < Duration::from_secs(5)));
        assert!(times.iter().any(|time| *time > Duration::from_secs(4)), "{times:?}");
        assert!(times.iter().any(|time| *time < Duration::from_secs(1)), "{times:?}");
    }
}
