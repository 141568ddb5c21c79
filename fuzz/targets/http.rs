//! The parts of HTTP requests that the live page parses itself: addresses, hosts, origins, cookies, queries, names, orders.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::dashboard::{ServeAddress, fuzz_request};
use playself::report::page::parse_round;
use playself::run::control::{ControlRequest, MAX_CONCURRENCY};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default();
    let _ = next().parse::<ServeAddress>();
    if let Ok(request) = next().parse::<ControlRequest>() {
        assert_eq!(request.to_string().parse(), Ok(request));
        if let ControlRequest::Concurrency(number) = request {
            assert!((1..=MAX_CONCURRENCY).contains(&number));
        }
    }
    let _ = parse_round(next());
    fuzz_request([next(), next(), next(), next(), next()]);
});
