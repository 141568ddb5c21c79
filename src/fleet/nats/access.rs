//! Where the server of a fleet is, and how to get in.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use crate::fleet::nats::names::WorkerName;

/// Port of a server whose URL names none.
pub const DEFAULT_PORT: u16 = 4222;

/// How to reach the server of a fleet.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Access {
    /// URL of the server: `nats://[TOKEN@]HOST[:PORT]` or `tls://…`.
    pub url: String,
    /// File with the nkey of this machine; it may contain the certificate, too.
    pub key: Option<PathBuf>,
    /// File with the certificate that must have signed the one of the server.
    pub ca: Option<PathBuf>,
    /// Whether a server on another machine is accepted without TLS.
    pub insecure: bool,
}

impl Access {
    /// Returns whether a connection without TLS is out of the question: the URL asks for it, or the server is on
    /// another machine and the user has not allowed it.
    pub(super) fn must_encrypt(&self, url: &ServerUrl) -> bool {
        url.tls || !(url.is_loopback() || self.insecure)
    }
}

/// What a connection is for; decides where its replies arrive and which permissions it needs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Role {
    /// Gives out pairs and counts results.
    Coordinator,
    /// Plays pairs.
    Worker(WorkerName),
}

impl Role {
    /// Returns the prefix of the subjects at which replies arrive.
    pub fn inbox_prefix(&self) -> String {
        match self {
            Self::Coordinator => "_INBOX_coordinator".to_owned(),
            Self::Worker(name) => format!("_INBOX_{name}"),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coordinator => f.write_str("coordinator"),
            Self::Worker(name) => write!(f, "worker {name}"),
        }
    }
}

/// A secret that was part of a URL.
#[derive(Clone, Eq, PartialEq)]
pub(super) enum UrlSecret {
    Token(String),
    UserAndPassword(String, String),
}

/// A URL of a server, in parts.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct ServerUrl {
    pub(super) tls: bool,
    pub(super) secret: Option<UrlSecret>,
    pub(super) host: String,
    pub(super) port: u16,
}

impl ServerUrl {
    /// Parses a URL; the error states what is wrong with it.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let wrong =
            |why: &str| format!("{why}; the address of a server looks like nats://HOST:{DEFAULT_PORT}");
        let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
        let tls = match scheme {
            "nats" => false,
            "tls" => true,
            _ => return Err(wrong(&format!("{scheme}:// is not a scheme of NATS"))),
        };
        let (secret, place) = match rest.rsplit_once('@') {
            None => (None, rest),
            Some((secret, place)) => (Some(secret), place),
        };
        let secret = secret.filter(|secret| !secret.is_empty()).map(|secret| match secret.split_once(':') {
            Some((user, password)) => UrlSecret::UserAndPassword(user.to_owned(), password.to_owned()),
            None => UrlSecret::Token(secret.to_owned()),
        });
        let place = place.trim_end_matches('/');
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => match place.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, None),
            },
        };
        if host.is_empty() || host.contains(char::is_whitespace) || host.contains('/') {
            return Err(wrong("the host is missing or not valid"));
        }
        let port = match port {
            None => DEFAULT_PORT,
            Some(port) => port.parse().map_err(|_| wrong(&format!("{port:?} is not a port")))?,
        };
        Ok(Self { tls, secret, host: host.to_owned(), port })
    }

    /// Returns whether the server is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

/// The URL without its secret.
impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "tls" } else { "nats" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

/// Leaves out the secret of the URL.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url =
            ServerUrl::parse(&self.url).map_or_else(|_| "(not a URL)".to_owned(), |url| url.to_string());
        f.debug_struct("Access")
            .field("url", &url)
            .field("key", &self.key)
            .field("ca", &self.ca)
            .field("insecure", &self.insecure)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (text, tls, host, port) in [
            ("nats://127.0.0.1:4999", false, "127.0.0.1", 4999),
            ("nats://fleet.example", false, "fleet.example", 4222),
            ("fleet.example:5000", false, "fleet.example", 5000),
            ("tls://[::1]:4223/", true, "::1", 4223),
            ("nats://[fe80::1]", false, "fe80::1", 4222),
        ] {
            let url = ServerUrl::parse(text).unwrap();
            assert_eq!((url.tls, url.host.as_str(), url.port), (tls, host, port), "{text}");
        }
        for text in ["http://host", "nats://", "nats://host:port", "nats://:4222", "nats://a b", "nats://h/x"]
        {
            assert!(ServerUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_secret_of_a_url_is_used_and_never_shown() {
        let url = ServerUrl::parse("nats://s3cret@host").unwrap();
        assert!(url.secret == Some(UrlSecret::Token("s3cret".to_owned())));
        assert_eq!(url.to_string(), "nats://host:4222");
        let url = ServerUrl::parse("nats://user:p@ss@host").unwrap();
        assert!(url.secret == Some(UrlSecret::UserAndPassword("user".to_owned(), "p@ss".to_owned())));
        let access = Access { url: "nats://s3cret@host".to_owned(), ..Access::default() };
        assert!(!format!("{access:?}").contains("s3cret"));
    }

    #[test]
    fn nothing_leaves_the_machine_unencrypted_unless_the_user_allows_it() {
        for (url, insecure, expected) in [
            ("nats://127.0.0.1", false, false),
            ("tls://127.0.0.1", true, true),
            ("nats://10.0.0.1", false, true),
            ("nats://10.0.0.1", true, false),
            ("nats://localhost.example", false, true),
        ] {
            let access = Access { url: url.to_owned(), insecure, ..Access::default() };
            assert_eq!(access.must_encrypt(&ServerUrl::parse(url).unwrap()), expected, "{url}, {insecure}");
        }
    }

    #[test]
    fn only_addresses_of_this_machine_are_loopback() {
        for (host, expected) in
            [("127.0.0.1", true), ("localhost", true), ("[::1]", true), ("10.0.0.1", false), ("fleet", false)]
        {
            assert_eq!(ServerUrl::parse(host).unwrap().is_loopback(), expected, "{host}");
        }
    }
}
