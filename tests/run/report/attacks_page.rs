//! Attacks on the live page: crowds, silence, foreign machines, links, hostile journals.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::browser::{Served, http, try_http};
use crate::run::{Bench, Match, PLAYSELF, finish, wait_for};

/// Plays a short run in the folder `results/NAME`.
fn finished_run(bench: &Bench, name: &str) {
    let config = bench.config(name, &Match { pairs: 2, ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, &format!("results/{name}")));
    assert_eq!(status, 0, "{printed}");
}

fn serve(bench: &Bench, more: &[&str]) -> Served {
    Served::start(Command::new(PLAYSELF).arg("serve").arg(bench.path("results")).args(more))
}

/// The first event of the page at `path`, or the end of the stream.
fn first_event(served: &Served, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path}events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", served.port).unwrap();
    let (mut text, mut part) = (String::new(), [0; 4096]);
    while !text.contains("data: ") {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(read) => text.push_str(&String::from_utf8_lossy(&part[..read])),
        }
    }
    text
}

#[test]
fn row_132_a_crowd_of_idle_connections_takes_no_descriptor_of_the_games() {
    let bench = Bench::new();
    let slow = ["--sleep-ms", "3"];
    let wanted =
        Match { pairs: 120, candidate: &slow, baseline: &slow, games: "concurrency = 8", ..Match::default() };
    let config = bench.config("crowd", &wanted);
    let start = bench.start(&config, "run");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 256; exec \"$@\"", "sh", PLAYSELF]).args(start.get_args());
    let served = Served::start(command.arg("--serve=0").current_dir(bench.folder.path()));
    let crowd: Vec<TcpStream> =
        (0..400).map_while(|_| TcpStream::connect(("127.0.0.1", served.port)).ok()).collect();
    assert!(crowd.len() >= 390, "{} connections", crowd.len());
    wait_for("the end of the run", 60, || {
        fs::read_to_string(bench.path("run/journal.ndjson")).is_ok_and(|text| text.contains("\"finished\""))
    });
    let journal = bench.read("run", "journal.ndjson");
    assert_eq!(journal.matches("\"type\":\"void\"").count(), 0, "{journal}");
}

#[test]
fn row_133_silent_and_half_requests_are_disconnected_and_the_page_answers_others() {
    let bench = Bench::new();
    finished_run(&bench, "one");
    let served = serve(&bench, &["--at", "0"]);
    let began = Instant::now();
    let mut crowd = Vec::new();
    for number in 0..400 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", served.port)) else { break };
        // Every second connection sends half a request.
        if number % 2 == 0 {
            let _ = write!(stream, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", served.port);
        }
        crowd.push(stream);
    }
    // A byte now and then does not extend the time of a request.
    let mut dripping = TcpStream::connect(("127.0.0.1", served.port)).ok();
    wait_for("an answer", 35, || {
        if let Some(stream) = &mut dripping {
            let _ = stream.write_all(b"G");
        }
        std::thread::sleep(Duration::from_millis(200));
        try_http(served.port, "GET", "/", &[], "").is_ok_and(|response| response.status == 200)
    });
    assert!(began.elapsed() < Duration::from_secs(35));
    drop(crowd);
}

#[test]
fn row_134_a_page_that_other_machines_can_reach_needs_its_token_for_reading() {
    let bench = Bench::new();
    finished_run(&bench, "one");
    let mut command = Command::new(PLAYSELF);
    command.arg("serve").arg(bench.path("results")).args(["--at", "0.0.0.0:0"]);
    let mut process = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut errors = process.stderr.take().unwrap();
    let mut printed = String::new();
    let mut byte = [0; 1];
    while !printed.contains("this machine only") {
        assert_eq!(errors.read(&mut byte).unwrap(), 1, "{printed}");
        printed.push(char::from(byte[0]));
    }
    assert!(printed.contains("Warning: other machines can reach the live page"), "{printed}");
    let url = printed.lines().next().unwrap().strip_prefix("Live page: ").unwrap();
    let (address, token) = url.split_once("/?token=").unwrap();
    let port: u16 = address.rsplit_once(':').unwrap().1.parse().unwrap();
    let get = |path: &str, headers: &[(&str, &str)]| http(port, "GET", path, headers, "");
    for path in
        ["/", "/run/one/", "/run/one/plan.toml", "/run/one/events", "/live.js", "/?token=0", "/nowhere"]
    {
        assert_eq!(get(path, &[]).status, 401, "{path}");
    }
    let welcome = get(&format!("/?token={token}"), &[]);
    assert_eq!(
        (welcome.status, welcome.header("location")),
        (303, Some(format!("/#token={token}").as_str()))
    );
    let cookie = welcome.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(get("/run/one/plan.toml", &[("Cookie", pair)]).status, 200);
    assert_eq!(get("/run/one/plan.toml", &[("x-playself-token", token)]).status, 200);
    assert_eq!(get("/run/one/plan.toml", &[("Cookie", &pair[..pair.len() - 1])]).status, 401);
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn row_135_values_of_the_environment_of_engines_are_shown_nowhere() {
    let bench = Bench::new();
    let config = bench
        .config("secret", &Match { pairs: 2, candidate: &["--on", "on go#2: exit 3"], ..Match::default() });
    let text = fs::read_to_string(&config).unwrap();
    let env = "env = { API_KEY = \"s3cretvalue\" }\n[baseline]";
    fs::write(&config, text.replace("[baseline]", env)).unwrap();
    fs::create_dir(bench.path("results")).unwrap();
    let (_, printed) = finish(bench.start(&config, "results/secret").arg("--json"));
    assert!(!printed.contains("s3cretvalue"), "{printed}");
    let run = bench.path("results/secret");
    assert!(fs::read_to_string(run.join("plan.toml")).unwrap().contains("s3cretvalue"), "the owner has it");
    for name in ["report.html", "summary.json", "games.pgn"] {
        assert!(!fs::read_to_string(run.join(name)).unwrap().contains("s3cretvalue"), "{name}");
    }
    let bundles: Vec<_> = fs::read_dir(run.join("faults")).unwrap().flatten().collect();
    assert!(!bundles.is_empty());
    for bundle in &bundles {
        assert!(!fs::read_to_string(bundle.path()).unwrap().contains("s3cretvalue"));
    }
    let served = serve(&bench, &["--at", "0"]);
    for path in ["plan.toml", "report.html"] {
        let response = http(served.port, "GET", &format!("/run/secret/{path}"), &[], "");
        assert_eq!((response.status, response.body.contains("s3cretvalue")), (200, false), "{path}");
        assert!(response.body.contains("API_KEY"), "{path}: the name is no secret");
    }
}

#[test]
fn row_136_links_and_special_files_in_run_folders_are_neither_sent_nor_quoted_nor_waited_for() {
    let bench = Bench::new();
    for name in ["good", "linked", "piped", "foreign-plan", "big"] {
        finished_run(&bench, name);
    }
    let secret = bench.path("secret");
    fs::write(&secret, "top = s3cretvalue\n").unwrap();
    let folder = |name: &str| bench.path("results").join(name);
    for file in ["games.pgn", "pairs.csv", "summary.json", "report.html"] {
        fs::remove_file(folder("linked").join(file)).unwrap();
        symlink(&secret, folder("linked").join(file)).unwrap();
    }
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::copy(&secret, bench.path("elsewhere/pair1-game1-try1.json")).unwrap();
    symlink(bench.path("elsewhere"), folder("linked").join("faults")).unwrap();
    symlink(folder("good"), folder("linked").join("accept")).unwrap();
    fs::remove_file(folder("piped").join("journal.ndjson")).unwrap();
    mkfifo(&folder("piped").join("journal.ndjson"), Mode::S_IRWXU).unwrap();
    fs::remove_file(folder("foreign-plan").join("plan.toml")).unwrap();
    symlink(&secret, folder("foreign-plan").join("plan.toml")).unwrap();
    fs::write(folder("big").join("plan.toml"), "top = s3cretvalue").unwrap();
    symlink(folder("good"), folder("whole-folder")).unwrap();
    let served = serve(&bench, &["--at", "0"]);
    let list = first_event(&served, "/");
    for (name, listed) in
        [("good", true), ("linked", true), ("piped", false), ("foreign-plan", false), ("whole-folder", false)]
    {
        assert_eq!(list.contains(&format!("run/{name}/")), listed, "{name}: {list}");
    }
    for path in [
        "linked/games.pgn",
        "linked/pairs.csv",
        "linked/summary.json",
        "linked/report.html",
        "linked/faults/pair1-game1-try1.json",
        "linked/game/1.1",
        "linked~accept/plan.toml",
        "foreign-plan/plan.toml",
        "foreign-plan/report.html",
        "piped/report.html",
        "big/plan.toml",
        "big/report.html",
        "good/control.sock",
    ] {
        let response = http(served.port, "GET", &format!("/run/{path}"), &[], "");
        assert!(!response.body.contains("s3cretvalue"), "{path}: {}", response.body);
    }
    for path in ["/run/big/", "/run/linked/", "/run/foreign-plan/"] {
        assert!(!first_event(&served, path).contains("s3cretvalue"), "{path}");
    }
}

#[test]
fn row_137_a_journal_without_line_ends_and_sockets_without_answers_do_not_delay_the_list() {
    let bench = Bench::new();
    for name in ["good", "endless", "silent"] {
        finished_run(&bench, name);
    }
    let journal = bench.path("results/endless/journal.ndjson");
    fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(1 << 34).unwrap();
    // A socket that accepts connections and never answers.
    let _socket = UnixListener::bind(bench.path("results/silent/control.sock")).unwrap();
    let served = serve(&bench, &["--at", "0"]);
    let began = Instant::now();
    let list = first_event(&served, "/");
    assert!(list.contains("run/good/") && list.contains("run/endless/"), "{list}");
    assert!(began.elapsed() < Duration::from_secs(10));
    let page = first_event(&served, "/run/endless/");
    assert!(page.contains("status"), "{page}");
    std::thread::sleep(Duration::from_secs(2));
    let response = http(served.port, "GET", "/run/good/plan.toml", &[], "");
    assert_eq!(response.status, 200);
    assert!(served.resident_mb() < 200, "{} MB", served.resident_mb());
}

/// Sends bytes and returns the first line of the answer, which must arrive soon.
fn first_line(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // The server may answer before everything is sent, and close.
    let _ = stream.write_all(bytes);
    let (mut text, mut part) = (Vec::new(), [0; 4096]);
    while !text.contains(&b'\n') {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(read) => text.extend_from_slice(&part[..read]),
        }
    }
    assert!(!text.windows(6).any(|window| window == b"root:x"), "a file of the system was sent");
    String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn rows_91_to_94_no_request_gets_more_than_its_answer() {
    let bench = Bench::new();
    finished_run(&bench, "one");
    let served = serve(&bench, &["--at", "0"]);
    let own = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\n{own}\r\n");
    let with = |headers: &str| format!("GET / HTTP/1.1\r\n{headers}\r\n");
    let post =
        |headers: &str, body: &str| format!("POST /run/one/control HTTP/1.1\r\n{own}{headers}\r\n{body}");
    let port = served.port;
    let requests: Vec<(&str, String, &[&str])> = vec![
        ("HTTP/1.0", format!("GET / HTTP/1.0\r\n{own}\r\n"), &["200"]),
        ("no host", with(""), &["421"]),
        ("a second host", with(&format!("{own}Host: evil\r\n")), &["421"]),
        ("a first host", with(&format!("Host: evil\r\n{own}")), &["421"]),
        ("the same host twice", with(&format!("{own}{own}")), &["421"]),
        ("a foreign server in the line", get("http://evil/"), &["421"]),
        ("this server in the line", get(&format!("http://127.0.0.1:{port}/")), &["200"]),
        ("a host with an end", with(&format!("Host: 127.0.0.1:{port}.evil\r\n")), &["421"]),
        ("a host with a user", with(&format!("Host: a@127.0.0.1:{port}\r\n")), &["421"]),
        ("a host with a path", with(&format!("Host: evil/127.0.0.1:{port}\r\n")), &["421"]),
        ("another port", with("Host: 127.0.0.1:1\r\n"), &["421"]),
        ("a short address", with(&format!("Host: 0:{port}\r\n")), &["421"]),
        ("a null origin", with(&format!("{own}Origin: null\r\n")), &["403"]),
        ("an origin with a user", with(&format!("{own}Origin: http://127.0.0.1:{port}@evil\r\n")), &["403"]),
        ("dots", get("/run/../../etc/passwd"), &["404"]),
        ("escaped dots", get("/run/%2e%2e/%2e%2e/etc/passwd"), &["404"]),
        ("escaped slashes", get("/run/one/..%2f..%2f..%2fetc%2fpasswd"), &["404"]),
        ("dots escaped twice", get("/run/%252e%252e/plan.toml"), &["404"]),
        ("an escaped zero", get("/run/one/plan.toml%00.html"), &["404"]),
        ("a zero", "GET /run/one\0 HTTP/1.1\r\n\r\n".to_owned(), &["400"]),
        ("backslashes", get("/run\\..\\..\\etc"), &["400", "404"]),
        ("slashes", get("//run//one//plan.toml"), &["404"]),
        ("an escape that is none", get("/run/%zz/plan.toml"), &["400", "404"]),
        ("bytes that are no text", get("/run/%ff%fe/plan.toml"), &["400", "404"]),
        ("the journal", get("/run/one/journal.ndjson"), &["404"]),
        ("kept programs", get("/run/one/programs/x"), &["404"]),
        ("the socket", get("/run/one/control.sock"), &["404"]),
        ("the log", get("/run/one/run.log"), &["404"]),
        ("a fault with dots", get("/run/one/faults/..%2fplan.toml"), &["404"]),
        ("a long path", get(&format!("/{}", "a".repeat(200_000))), &["414"]),
        ("a long header", with(&format!("{own}X: {}\r\n", "a".repeat(600_000))), &["431"]),
        ("many headers", with(&format!("{own}{}", "X: a\r\n".repeat(20_000))), &["431"]),
        ("TRACE", format!("TRACE / HTTP/1.1\r\n{own}\r\n"), &["405"]),
        ("CONNECT", format!("CONNECT evil:80 HTTP/1.1\r\n{own}\r\n"), &["404", "421"]),
        ("OPTIONS", format!("OPTIONS * HTTP/1.1\r\n{own}\r\n"), &["404", "405"]),
        ("PUT", format!("PUT /run/one/plan.toml HTTP/1.1\r\n{own}Content-Length: 1\r\n\r\nx"), &["405"]),
        ("DELETE", format!("DELETE /run/one/ HTTP/1.1\r\n{own}\r\n"), &["405"]),
        ("small letters", format!("get / HTTP/1.1\r\n{own}\r\n"), &["405"]),
        ("TLS", "\x16\x03\x01\x02\0\x01\0\x01\r\n\r\n".to_owned(), &["400"]),
        ("HTTP/0.9", "GET /\r\n\r\n".to_owned(), &["400"]),
        ("HTTP/9.9", format!("GET / HTTP/9.9\r\n{own}\r\n"), &["400"]),
        ("no token", post("Content-Length: 4\r\n", "stop"), &["401"]),
        ("an empty token", post("Authorization: Bearer \r\nContent-Length: 4\r\n", "stop"), &["401"]),
        (
            "a token of another kind",
            post("Authorization: Basic eDp5\r\nContent-Length: 4\r\n", "stop"),
            &["401"],
        ),
        ("two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"), &["400"]),
        ("a length below zero", post("Content-Length: -1\r\n", ""), &["400"]),
        (
            "a length without end",
            post("Content-Length: 99999999999\r\n", &"x".repeat(300_000)),
            &["401", "413"],
        ),
        (
            "length and chunks",
            post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            &["400", "401"],
        ),
        (
            "a chunk without end",
            post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\nabc"),
            &["400", "401"],
        ),
        ("a folded header", with(&format!("{own}X: a\r\n b\r\n")), &["400"]),
        ("a space before the colon", with("Host : 127.0.0.1\r\n"), &["400"]),
        (
            "a thousand ranges",
            get("/run/one/games.pgn")
                .replace("\r\n\r\n", &format!("\r\nRange: bytes=0-0{}\r\n\r\n", ",1-1".repeat(1000))),
            &["200", "206", "416"],
        ),
        (
            "a range beyond all",
            get("/run/one/games.pgn").replace("\r\n\r\n", "\r\nRange: bytes=99999999999999999999-\r\n\r\n"),
            &["200", "416"],
        ),
        ("an upgrade", with(&format!("{own}Upgrade: h2c\r\nConnection: Upgrade\r\n")), &["200"]),
        ("many cookies", with(&format!("{own}Cookie: {}\r\n", "a=b; ".repeat(10_000))), &["200"]),
        ("many parameters", get(&format!("/?{}", "a=%ff&".repeat(8_000))), &["200"]),
    ];
    for (name, request, allowed) in &requests {
        let line = first_line(port, request.as_bytes());
        let status = line.split(' ').nth(1).unwrap_or("none");
        assert!(allowed.contains(&status), "{name}: {line}");
    }
    // None of them has stopped the page or filled its memory.
    assert_eq!(http(port, "GET", "/run/one/plan.toml", &[], "").status, 200);
    assert!(served.resident_mb() < 150, "{} MB", served.resident_mb());
}
