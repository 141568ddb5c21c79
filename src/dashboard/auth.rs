//! The token of control requests, and the check of `Host` and `Origin` headers.

use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::str::FromStr;

/// Port if the user names none.
const DEFAULT_PORT: u16 = 8037;

/// Number of ports after the default one that are tried if it is in use.
const FALLBACK_PORTS: u16 = 20;

/// The address of the live page, parsed from `8080`, `127.0.0.1:8080`, `[::1]:8080` or `desk.local:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeAddress {
    host: String,
    /// `None` for the default port or one of the fallbacks.
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
        let invalid = || format!("`{text}` is not an address; write PORT, HOST or HOST:PORT");
        if let Ok(port) = text.parse() {
            return Ok(Self { port: Some(port), ..Self::default() });
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
            return Err(format!("`{text}` is not a port; ports are 0 to 65535"));
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && text.parse::<IpAddr>().is_err() => {
                (host, Some(port.parse().map_err(|_| invalid())?))
            }
            _ => (text, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.ends_with(".toml") {
            return Err(format!("`{text}` is a file, not an address; write the file before --serve"));
        }
        if host.is_empty() || host.contains(char::is_whitespace) || host.contains('/') {
            return Err(invalid());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl ServeAddress {
    /// Binds the first free port of the address.
    pub(super) fn bind(&self) -> io::Result<TcpListener> {
        let host = self.host.as_str();
        match self.port {
            Some(port) => TcpListener::bind((host, port)),
            None => (DEFAULT_PORT..=DEFAULT_PORT + FALLBACK_PORTS)
                .find_map(|port| TcpListener::bind((host, port)).ok())
                .map_or_else(|| TcpListener::bind((host, 0)), Ok),
        }
    }

    /// Returns the host as it is written in a URL. For all addresses of the machine it is one that others can use.
    pub(super) fn url_host(&self) -> String {
        let Ok(address) = self.host.parse::<IpAddr>() else { return self.host.clone() };
        let reachable = if address.is_unspecified() { outward_address(address) } else { address };
        match reachable {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        }
    }
}

/// Returns the address from which this machine would send to another network, or the loopback address if it has no network.
/// Nothing is sent: connecting a datagram socket only selects its route.
fn outward_address(unspecified: IpAddr) -> IpAddr {
    // Addresses for documentation (RFC 5737 and RFC 3849), which belong to no machine.
    let (elsewhere, loopback): (IpAddr, IpAddr) = match unspecified {
        IpAddr::V4(_) => (Ipv4Addr::new(192, 0, 2, 1).into(), Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(_) => (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(), Ipv6Addr::LOCALHOST.into()),
    };
    let selected = UdpSocket::bind((unspecified, 0)).and_then(|socket| {
        socket.connect((elsewhere, 9))?;
        socket.local_addr()
    });
    selected.map_or(loopback, |selected| selected.ip())
}

/// The host names that requests may use. A foreign page that resolves its own name to this machine (DNS rebinding)
/// still sends that name, and is refused.
#[derive(Clone, Debug)]
pub(super) struct HostCheck {
    named: String,
    port: u16,
}

impl HostCheck {
    pub(super) fn new(address: &ServeAddress, port: u16) -> Self {
        Self { named: address.host.to_ascii_lowercase(), port }
    }

    /// Returns whether a `Host` header, or the authority of an `Origin`, names this server: an IP address, `localhost`
    /// or the configured name, with the right port.
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

    /// Returns whether requests from this origin are allowed. A request without an origin does not come from a page.
    pub(super) fn allows_origin(&self, origin: Option<&str>) -> bool {
        origin.is_none_or(|origin| {
            origin.strip_prefix("http://").is_some_and(|authority| self.is_ours(authority))
        })
    }
}

/// The secret of control requests: 128 random bits, printed only to the user who started the server.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Returns a new token from `/dev/urandom`.
    pub fn fresh() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the text of the token.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether `given` is the token, in a time that does not depend on the position of the first difference.
    pub(super) fn is(&self, given: &str) -> bool {
        let (ours, given) = (self.0.as_bytes(), given.as_bytes());
        let difference = ours
            .iter()
            .enumerate()
            .fold(0, |sum, (place, byte)| sum | (byte ^ given.get(place).copied().unwrap_or(!byte)));
        std::hint::black_box(difference) == 0 && ours.len() == given.len()
    }
}

/// What a request must know to be answered.
#[derive(Clone)]
pub(super) struct Access {
    token: Token,
    /// Set if other machines can reach the server: reading needs the token as well. Cookies do not distinguish ports, so the
    /// name of the cookie does.
    cookie: Option<String>,
}

impl Access {
    /// Returns the access to a server bound to `address`. What only this machine can reach is open for reading.
    pub(super) fn new(token: Token, address: SocketAddr) -> Self {
        let public = !address.ip().to_canonical().is_loopback();
        Self { token, cookie: public.then(|| format!("playself-{}", address.port())) }
    }

    pub(super) fn token(&self) -> &Token {
        &self.token
    }

    pub(super) fn reading_needs_token(&self) -> bool {
        self.cookie.is_some()
    }

    /// Returns the token in a query such as `token=0123&x=1`, if it is right.
    pub(super) fn token_in_query(&self, query: &str) -> bool {
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        given.is_some_and(|given| self.token.is(given))
    }

    /// Returns whether the values of the `Cookie` header and of the token header allow reading.
    pub(super) fn allows_reading(&self, cookies: &str, given: &str) -> bool {
        let Some(name) = &self.cookie else { return true };
        let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        self.token.is(given) || pairs.any(|(key, value)| key == name && self.token.is(value))
    }

    /// Returns the `Set-Cookie` header that allows a browser to read, or `None` if it needs none.
    pub(super) fn cookie(&self) -> Option<String> {
        let name = self.cookie.as_ref()?;
        Some(format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", self.token.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_hosts_and_both_are_addresses() {
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
        for invalid in ["", "host:port", "a b:1", "http://x:1", "match.toml"] {
            assert!(invalid.parse::<ServeAddress>().is_err(), "{invalid}");
        }
    }

    /// Rows 91 and 92 of `docs/faults.md`; `tests/run/report/browser_pages.rs` checks the statuses.
    #[test]
    fn only_the_names_of_this_server_with_its_port_are_valid_hosts() {
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
        assert!(host_check.allows_origin(None) && host_check.allows_origin(Some("http://localhost:8037")));
        for foreign in ["http://evil.example", "null", "https://localhost:8037", "http://localhost:1"] {
            assert!(!host_check.allows_origin(Some(foreign)), "{foreign}");
        }
    }

    #[test]
    fn a_server_beyond_this_machine_needs_the_token_for_reading() {
        let access = |address: &str| Access::new(Token("0123abcd".to_owned()), address.parse().unwrap());
        for local in ["127.0.0.1:80", "127.9.9.9:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            assert!(access(local).allows_reading("", ""), "{local}");
        }
        for public in ["0.0.0.0:80", "192.168.1.2:80", "[::]:80"] {
            let access = access(public);
            assert!(!access.allows_reading("", ""), "{public}");
            assert!(
                access.allows_reading("a=b; playself-80=0123abcd", "")
                    && access.allows_reading("", "0123abcd")
            );
            for wrong in
                ["playself-80=0123abc", "playself-81=0123abcd", "0123abcd", "xplayself-80=0123abcd", "=", ";"]
            {
                assert!(!access.allows_reading(wrong, ""), "{wrong}");
            }
            assert!(access.token_in_query("x=1&token=0123abcd") && !access.token_in_query("token=0123abcd0"));
            assert!(access.cookie().unwrap().starts_with("playself-80=0123abcd; "));
        }
    }

    #[test]
    fn a_token_is_long_random_and_compared_exactly() {
        let (one, other) = (Token::fresh().unwrap(), Token::fresh().unwrap());
        assert_eq!(one.text().len(), 32);
        assert_ne!(one.text(), other.text());
        assert!(one.is(one.text()));
        for wrong in ["", other.text(), &one.text()[..31], &format!("{}0", one.text())] {
            assert!(!one.is(wrong), "{wrong}");
        }
    }
}
