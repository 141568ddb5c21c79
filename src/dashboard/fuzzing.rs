//! Entry of the fuzz target `http`; only compiled for it.

use crate::dashboard::auth::{Access, HostCheck, ServeAddress, Token};
use crate::dashboard::files::is_bundle_name;

/// Passes the texts of a request through every check: host, origin, cookies, query and the name of a file.
pub fn fuzz_request([host, origin, cookies, query, name]: [&str; 5]) {
    let hosts = HostCheck::new(&ServeAddress::default(), 8037);
    if hosts.is_ours(host) {
        assert!(host.ends_with(":8037"), "{host}");
    }
    if hosts.allows_origin(Some(origin)) {
        assert!(origin.starts_with("http://") && origin.ends_with(":8037"), "{origin}");
    }
    let Ok(token) = Token::fresh() else { return };
    let access = Access::new(token.clone(), ([0, 0, 0, 0], 8037).into());
    assert!(!access.allows_reading(cookies, query), "a random token was guessed");
    assert!(!access.token_in_query(query), "a random token was guessed");
    assert!(access.allows_reading(&format!("{cookies}; playself-8037={}", token.text()), ""), "{cookies}");
    if is_bundle_name(name) {
        assert!(!name.contains(['/', '\\', '\0']) && !name.contains(".."), "{name}");
    }
}
