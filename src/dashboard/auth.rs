//! Who may ask what: the token, and the Host and Origin that a request must name.

use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, TcpListener};
use std::str::FromStr;

/// The port where nobody named one.
const USUAL_PORT: u16 = 8037;

/// Ports after the usual one that are tried if others have it.
const NEIGHBOURS: u16 = 20;

/// Where the page is served, as a user writes it: `8080`, `127.0.0.1:8080`, `[::1]:8080`, `desk.local:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeAddress {
    host: String,
    /// `None` for the usual one or a neighbour.
    port: Option<u16>,
}

impl Default for ServeAddress {
    fn default() -> Self {
        Self { host: "127.0.0.1".to_owned(), port: None }
    }
}

impl FromStr for ServeAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let nonsense = || format!("`{text}` is not an address; write PORT, HOST or HOST:PORT");
        if let Ok(port) = text.parse() {
            return Ok(Self { port: Some(port), ..Self::default() });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && text.parse::<IpAddr>().is_err() => {
                (host, Some(port.parse().map_err(|_| nonsense())?))
            }
            _ => (text, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.ends_with(".toml") {
            return Err(format!("`{text}` is a file, not an address; name the file before --serve"));
        }
        if host.is_empty() || host.contains(char::is_whitespace) || host.contains('/') {
            return Err(nonsense());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl ServeAddress {
    /// The first free place among those that were meant.
    pub(super) fn bind(&self) -> io::Result<TcpListener> {
        let host = self.host.as_str();
        match self.port {
            Some(port) => TcpListener::bind((host, port)),
            None => (USUAL_PORT..=USUAL_PORT + NEIGHBOURS)
                .find_map(|port| TcpListener::bind((host, port)).ok())
                .map_or_else(|| TcpListener::bind((host, 0)), Ok),
        }
    }

    /// The host as a URL spells it.
    pub(super) fn url_host(&self) -> String {
        match self.host.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => "127.0.0.1".to_owned(),
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => self.host.clone(),
        }
    }
}

/// The names under which requests may reach us. A page elsewhere that makes a browser resolve its own name to this
/// machine still sends that name, and is refused.
#[derive(Clone, Debug)]
pub(super) struct HostCheck {
    named: String,
    port: u16,
}

impl HostCheck {
    pub(super) fn new(address: &ServeAddress, port: u16) -> Self {
        Self { named: address.host.to_ascii_lowercase(), port }
    }

    /// Whether a `Host` header, or the authority of an `Origin`, is ours: an address, `localhost` or the name we were
    /// told to serve under, with our port.
    pub(super) fn is_ours(&self, authority: &str) -> bool {
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && !port.ends_with(']') => (host, port.parse().ok()),
            _ => (authority, Some(80)),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = bare.to_ascii_lowercase();
        let known = host == "localhost" || host == self.named || bare.parse::<IpAddr>().is_ok();
        known && port == Some(self.port)
    }

    /// Whether a request may come from this origin; one that names none does not come from a page.
    pub(super) fn may_come_from(&self, origin: Option<&str>) -> bool {
        origin.is_none_or(|origin| {
            origin.strip_prefix("http://").is_some_and(|authority| self.is_ours(authority))
        })
    }
}

/// The secret that steers runs: 128 bits, told to whoever started the server and to nobody else.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A fresh one, from the system's source of randomness.
    pub fn fresh() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether `given` is it; takes as long for a near miss as for a far one.
    pub(super) fn is(&self, given: &str) -> bool {
        let (ours, given) = (self.0.as_bytes(), given.as_bytes());
        let difference = ours
            .iter()
            .enumerate()
            .fold(0, |sum, (place, byte)| sum | (byte ^ given.get(place).copied().unwrap_or(!byte)));
        std::hint::black_box(difference) == 0 && ours.len() == given.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, host, port) in [
            ("8080", "127.0.0.1", Some(8080)),
            ("0.0.0.0:99", "0.0.0.0", Some(99)),
            ("[::1]:7", "::1", Some(7)),
            ("::1", "::1", None),
            ("desk.local", "desk.local", None),
            ("desk.local:1", "desk.local", Some(1)),
        ] {
            let address: ServeAddress = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
        }
        for nonsense in ["", "host:port", "a b:1", "http://x:1", "match.toml"] {
            assert!(nonsense.parse::<ServeAddress>().is_err(), "{nonsense}");
        }
    }

    /// Rows 91 and 92 of `docs/faults.md`; `tests/report/browser_pages.rs` checks the statuses.
    #[test]
    fn only_our_own_names_and_bare_addresses_with_our_port_are_hosts() {
        let host_check = HostCheck::new(&"Desk.local:8037".parse().unwrap(), 8037);
        for ours in ["127.0.0.1:8037", "localhost:8037", "LOCALHOST:8037", "[::1]:8037", "desk.local:8037"] {
            assert!(host_check.is_ours(ours), "{ours}");
        }
        for foreign in [
            "evil.example:8037",
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:8037",
            "",
            ":8037",
        ] {
            assert!(!host_check.is_ours(foreign), "{foreign}");
        }
        assert!(host_check.may_come_from(None) && host_check.may_come_from(Some("http://localhost:8037")));
        for foreign in ["http://evil.example", "null", "https://localhost:8037", "http://localhost:1"] {
            assert!(!host_check.may_come_from(Some(foreign)), "{foreign}");
        }
    }

    #[test]
    fn a_token_is_long_fresh_and_exact() {
        let (one, other) = (Token::fresh().unwrap(), Token::fresh().unwrap());
        assert_eq!(one.text().len(), 32);
        assert_ne!(one.text(), other.text());
        assert!(one.is(one.text()));
        for wrong in ["", other.text(), &one.text()[..31], &format!("{}0", one.text())] {
            assert!(!one.is(wrong), "{wrong}");
        }
    }
}
