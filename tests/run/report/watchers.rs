//! Many watchers of a live page: all follow the run, none delays it, and their number is limited.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::browser::{Served, http, try_http};
use crate::machine;
use crate::run::{Bench, Match, wait_for};
use serde_json::Value;

/// Maximum number of simultaneous streams of a server.
const MOST_STREAMS: usize = 256;

/// A run with a live page that lasts longer than any test.
fn served(bench: &Bench) -> Served {
    let slow = ["--sleep-ms", "4"];
    let wanted = Match {
        pairs: 40_000,
        candidate: &slow,
        baseline: &slow,
        games: "concurrency = 2",
        ..Match::default()
    };
    let served = Served::start(bench.start(&bench.config("long", &wanted), "run").arg("--serve=0"));
    wait_for("the run begins", 20, || bench.path("run/journal.ndjson").exists());
    served
}

fn games(bench: &Bench) -> usize {
    bench.read("run", "journal.ndjson").matches("\"type\":\"game\"").count()
}

/// Opens a stream of events, or returns the status of the refusal.
fn watch(port: u16) -> io::Result<Result<BufReader<TcpStream>, u16>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    write!(stream, "GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    match status.ok_or_else(|| io::Error::other("the connection was closed"))? {
        200 => {
            assert!(head.contains("text/event-stream"), "{head}");
            Ok(Ok(reader))
        }
        refused => Ok(Err(refused)),
    }
}

/// Reads the stream up to the next number of counted pairs.
fn next_pairs(watcher: &mut BufReader<TcpStream>) -> u64 {
    loop {
        let mut line = String::new();
        assert!(watcher.read_line(&mut line).unwrap() > 0, "the stream is open");
        if let Some(data) = line.strip_prefix("data: ") {
            let parts: Value = serde_json::from_str(data).unwrap();
            if let Some(pairs) = parts["status"]["pairs"].as_u64() {
                return pairs;
            }
        }
    }
}

#[test]
fn a_hundred_watchers_follow_the_run_while_some_never_read() {
    let _machine = machine::reserve();
    let bench = Bench::new();
    let served = served(&bench);
    let mut watchers: Vec<_> = (0..100).map(|_| watch(served.port).unwrap().unwrap()).collect();
    let reading = watchers.split_off(20);
    let readers: Vec<_> = reading
        .into_iter()
        .map(|mut watcher| {
            std::thread::spawn(move || {
                let first = next_pairs(&mut watcher);
                while next_pairs(&mut watcher) < first + 2 {}
            })
        })
        .collect();
    for reader in readers {
        reader.join().unwrap();
    }
    let before = games(&bench);
    wait_for("further games", 60, || games(&bench) > before + 4);
    assert!(!bench.path("run/faults").exists(), "no game had a fault");
    drop(watchers);
}

#[test]
fn row_96_a_thousand_idle_streams_are_capped_and_do_not_disturb_pages_or_games() {
    let _machine = machine::reserve();
    let bench = Bench::new();
    let served = served(&bench);
    let (mut kept, mut refused) = (Vec::new(), 0);
    for _ in 0..1000 {
        match watch(served.port) {
            Ok(Ok(stream)) => kept.push(stream),
            Ok(Err(status)) => {
                assert_eq!(status, 503);
                refused += 1;
            }
            // Beyond the limit of connections the server closes them unread.
            Err(_) => refused += 1,
        }
    }
    assert_eq!((kept.len(), refused), (MOST_STREAMS, 1000 - MOST_STREAMS));
    // Pages are served although all streams are taken.
    for path in ["/run/run/", "/style.css", "/run/run/summary.json"] {
        let status = || try_http(served.port, "GET", path, &[], "").map(|answer| answer.status);
        wait_for(path, 20, || status().is_ok_and(|status| status == 200));
    }
    let before = games(&bench);
    wait_for("further games", 60, || games(&bench) > before + 4);
    assert!(!bench.path("run/faults").exists(), "no game had a fault");
    // A closed stream makes room for a new one.
    assert_eq!(http(served.port, "GET", "/run/run/events", &[], "").status, 503);
    drop(kept.pop());
    wait_for("there is room again", 30, || watch(served.port).is_ok_and(|answer| answer.is_ok()));
}
