//! Pages in a real browser: what they show, what they refuse to run, and who may steer.
//!
//! Needs Debian's `chromium` and `chromium-driver`; where they are absent the claims are skipped with a message.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

mod browser_support;
mod run_support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use browser_support::{Browser, http, try_http};
use run_support::{Bench, FAKE, PLAYSELF, finish, wait_for};
use serde_json::Value;

/// Names that would be markup in a careless page.
const EVIL: [&str; 2] = ["<img src=x onerror=window.pwned=1>", "</script><script>window.pwned=2</script>"];

/// A test between two fake engines with evil names, one of which makes an illegal move now and then.
fn evil_config(bench: &Bench, pairs: u64, delay_ms: u64) -> std::path::PathBuf {
    let text = format!(
        "name = \"<b>evil</b>\"\nseed = 5\n\
         [candidate]\nengine = \"{FAKE}\"\nname = \"{}\"\nargs = [\"--salt\", \"1\", \"--sleep-ms\", \"{delay_ms}\"]\n\
         [baseline]\nengine = \"{FAKE}\"\nname = \"{}\"\nargs = [\"--salt\", \"2\", \"--sleep-ms\", \"{delay_ms}\"]\n\
         [games]\ndepth = 1\nopenings = \"{}\"\nmax_pairs = {pairs}\nconcurrency = 2\n\
         [adjudicate]\nmax_moves = 30\n[sprt]\nelo = [0.0, 5.0]\n",
        EVIL[0],
        EVIL[1],
        bench.path("book.epd").display(),
    );
    let path = bench.path("evil.toml");
    fs::write(&path, text).unwrap();
    path
}

/// A command with a live page: its process, its port and its token.
struct Served {
    process: Child,
    port: u16,
    token: String,
}

impl Served {
    fn start(command: &mut Command) -> Self {
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let line =
            lines.find_map(|line| line.unwrap().strip_prefix("Live page: ").map(str::to_owned)).unwrap();
        // Whoever stops reading would block the run.
        std::thread::spawn(move || lines.for_each(drop));
        let (url, token) = line.split_once("#token=").unwrap();
        let port = url.trim_end_matches('/').rsplit_once(':').unwrap().1.parse().unwrap();
        Self { process, port, token: token.to_owned() }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn browser() -> Option<Browser> {
    match Browser::start() {
        Ok(browser) => Some(browser),
        Err(missing) => {
            #[expect(clippy::print_stderr, reason = "a skipped claim must say so")]
            {
                eprintln!("SKIPPED: {missing}");
            }
            None
        }
    }
}

/// The heights of a curve as drawn.
fn heights(browser: &Browser, figure: &str) -> Vec<f64> {
    let path =
        browser.run(&format!("return document.querySelector('#{figure} path.path').getAttribute('d')"));
    let path = path.as_str().unwrap();
    path[1..].split('L').map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect()
}

/// The column of `pairs.csv` with this name.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let place = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|row| row.unwrap()[place].parse().unwrap()).collect()
}

/// Fails unless `drawn` is a straight-line picture of `values`: upside down, and exact to the tenth it is drawn to.
fn assert_pictures(drawn: &[f64], values: &[f64]) {
    assert_eq!(drawn.len(), values.len(), "a point for each pair");
    let by_value = |one: &usize, other: &usize| values[*one].total_cmp(&values[*other]);
    let low = (0..values.len()).min_by(by_value).unwrap();
    let high = (0..values.len()).max_by(by_value).unwrap();
    let scale = (drawn[high] - drawn[low]) / (values[high] - values[low]);
    assert!(scale < 0.0, "up is more");
    for (drawn_at, value) in drawn.iter().zip(values) {
        let expected = drawn[low] + scale * (value - values[low]);
        assert!((drawn_at - expected).abs() < 0.2, "{value} is drawn at {drawn_at}, not at {expected}");
    }
}

fn figures(browser: &Browser) -> Vec<(String, String)> {
    let script = "return [...document.querySelectorAll('.figures div')].map(d => [d.querySelector('dt').textContent, \
                  d.querySelector('dd').textContent])";
    let told = browser.run(script);
    let rows = told.as_array().unwrap().iter();
    rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].as_str().unwrap().to_owned())).collect()
}

/// A number as pages write it.
fn signed(value: &Value, decimals: usize) -> String {
    let text = format!("{:+.decimals$}", value.as_f64().unwrap());
    let zero = text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if zero { text[1..].to_owned() } else { text.replace('-', "\u{2212}") }
}

fn assert_figures_equal_summary(shown: &[(String, String)], summary: &Value) {
    let error = |name: &str| format!("{:.1}", summary[name].as_f64().unwrap());
    let expected = [
        ("Elo", format!("{} ± {}", signed(&summary["elo"], 1), error("elo_error"))),
        ("Normalized Elo", format!("{} ± {}", signed(&summary["nelo"], 1), error("nelo_error"))),
        ("Superiority (LOS)", format!("{:.1} %", 100.0 * summary["los"].as_f64().unwrap())),
        ("Games", summary["games"].to_string()),
        ("Won – drawn – lost", format!("{} – {} – {}", summary["wins"], summary["draws"], summary["losses"])),
        ("Even pairs", format!("{:.1} %", 100.0 * summary["draw_ratio"].as_f64().unwrap())),
        ("Faults", summary["faults"].to_string()),
        (
            "LLR",
            format!(
                "{} ({} to {})",
                signed(&summary["llr"], 2),
                signed(&summary["llr_lower"], 2),
                signed(&summary["llr_upper"], 2)
            ),
        ),
    ];
    for (label, value) in expected {
        let told = shown.iter().find(|(shown, _)| shown == label).map(|(_, value)| value.as_str());
        assert_eq!(told, Some(value.as_str()), "{label}");
    }
}

/// Nothing on the page is wider than the page, however narrow.
fn assert_fits(browser: &Browser, page: &str) {
    for width in [1280, 390] {
        browser.resize(width, 900);
        let over =
            browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(over, 0, "{page} at {width} pixels");
    }
}

#[test]
fn the_report_shows_the_run_and_runs_nothing_that_stands_in_names() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let (status, said) = finish(&mut bench.start(&evil_config(&bench, 24, 0), "run"));
    assert!([0, 1, 3].contains(&status), "{said}");
    browser.open_file(&bench.path("run/report.html"));
    assert_eq!(browser.complaints(), [""; 0], "the console is silent");
    assert!(browser.run("return window.pwned === undefined").as_bool().unwrap(), "a name was run");
    assert!(browser.text(".engines").contains(EVIL[0]) && browser.text(".engines").contains(EVIL[1]));
    assert_pictures(&heights(&browser, "llr"), &column(&bench.read("run", "pairs.csv"), "llr"));
    let summary: Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    assert_figures_equal_summary(&figures(&browser), &summary);
    // Markup from data that got in all the same would not be run.
    browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=3\">')");
    std::thread::sleep(Duration::from_millis(200));
    assert!(
        browser.run("return window.pwned === undefined").as_bool().unwrap(),
        "the policy let a handler run"
    );
    assert!(browser.complaints().iter().any(|line| line.contains("Content Security Policy")));
    // The viewer follows the keyboard.
    browser.run("document.getElementById('board').focus()");
    let step = "document.getElementById('viewer').dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true}))";
    browser.run(step);
    assert!(browser.text("#ply").starts_with("0 /"), "{}", browser.text("#ply"));
    assert_fits(&browser, "the report");
}

#[test]
fn the_live_page_follows_the_run_and_only_the_token_steers_it() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let served = Served::start(bench.start(&evil_config(&bench, 4000, 4), "run").arg("--serve=0"));
    let page = served.url("/run/run/");
    browser.open(&page);
    browser.wait("the page fills", "return document.querySelectorAll('#head .figures div').length > 5");
    browser.wait("boards are shown", "return document.querySelectorAll('#boards figure').length === 2");
    assert!(browser.text("#boards").contains(EVIL[0]), "names are text");
    assert!(
        browser.run("return document.getElementById('steer').offsetParent === null").as_bool().unwrap(),
        "no token, no buttons"
    );
    live_updates_arrive_within_a_second(&browser, &bench);
    foreigners_are_refused(&served);
    // With the token the buttons are there and work; the token leaves the address bar.
    browser.open("about:blank");
    browser.open(&format!("{page}#token={}", served.token));
    browser.wait("buttons are shown", "return document.getElementById('steer').offsetParent !== null");
    assert_eq!(browser.run("return location.hash"), "");
    browser.run("document.querySelector('[data-order=pause]').click()");
    browser.wait("the run is paused", "return document.getElementById('phase').textContent === 'paused'");
    browser.run("document.querySelector('[data-order=continue]').click()");
    browser.wait("the run goes on", "return document.getElementById('phase').textContent === 'playing'");
    assert!(browser.run("return window.pwned === undefined").as_bool().unwrap(), "a name was run");
    assert_eq!(browser.complaints(), [""; 0], "the console is silent");
    assert_fits(&browser, "the live page");
}

fn live_updates_arrive_within_a_second(browser: &Browser, bench: &Bench) {
    let rows = || bench.read("run", "journal.ndjson").matches("\"type\":\"game\"").count();
    let before: f64 = browser
        .run("return Number(document.querySelector('#sure path.path')?.dataset.points || 0)")
        .as_f64()
        .unwrap();
    let games = rows();
    wait_for("another pair", 10, || rows() >= games + 4);
    let took = browser.wait(
        "the curve grows",
        &format!("return Number(document.querySelector('#sure path.path')?.dataset.points || 0) > {before}"),
    );
    assert!(took < Duration::from_secs(1), "{took:?} after the pair was on record");
}

fn foreigners_are_refused(served: &Served) {
    let post =
        |headers: &[(&str, &str)]| http(served.port, "POST", "/run/run/control", headers, "pause").status;
    assert_eq!(post(&[]), 401);
    assert_eq!(post(&[("X-Playself-Token", "0123456789abcdef0123456789abcdef")]), 401);
    let token = ("X-Playself-Token", served.token.as_str());
    assert_eq!(post(&[token, ("Origin", "http://evil.example")]), 403);
    assert_eq!(post(&[token, ("Origin", "null")]), 403);
    assert_eq!(post(&[token, ("Host", "evil.example")]), 421);
    let get = |path: &str, headers: &[(&str, &str)]| http(served.port, "GET", path, headers, "");
    let rebound = format!("evil.example:{}", served.port);
    assert_eq!(get("/run/run/", &[("Host", rebound.as_str())]).status, 421);
    for path in [
        "/run/nobody/",
        "/run/run/journal.ndjson",
        "/run/run/..%2Fevil.toml",
        "/run/run/faults/..%2Fplan.toml",
    ] {
        assert_eq!(get(path, &[]).status, 404, "{path}");
    }
    let page = get("/run/run/", &[]);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.status, 200);
    assert!(!page.body.contains(&served.token), "the page does not tell the token");
}

#[test]
fn past_and_running_runs_stand_side_by_side() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let config = evil_config(&bench, 12, 0);
    for run in ["results/past", "results/older"] {
        fs::create_dir_all(bench.path("results")).unwrap();
        let (status, said) = finish(&mut bench.start(&config, run));
        assert!([0, 1, 3].contains(&status), "{said}");
    }
    let mut running = run_support::spawn(&mut bench.start(&evil_config(&bench, 4000, 4), "results/running"));
    let served =
        Served::start(Command::new(PLAYSELF).arg("serve").arg(bench.path("results")).args(["--at", "0"]));
    browser.open(&served.url("/"));
    browser.wait("all runs are listed", "return document.querySelectorAll('#runs tbody tr').length === 3");
    browser.wait(
        "the running one plays",
        "return document.querySelector('#runs tbody tr').textContent.includes('playing')",
    );
    assert!(browser.text("#compared").contains("Compared"));
    assert_fits(&browser, "the list of runs");
    browser.open(&served.url("/run/past/"));
    browser.wait("a past run is shown", "return document.getElementById('phase').textContent === 'finished'");
    let summary: Value = serde_json::from_str(&bench.read("results/past", "summary.json")).unwrap();
    assert_figures_equal_summary(&figures(&browser), &summary);
    browser.open(&served.url("/run/running/report.html"));
    assert!(browser.text("h1").contains("Elo"), "a run in play has a report as well");
    assert_eq!(browser.complaints(), [""; 0], "the console is silent");
    running.kill().unwrap();
    running.wait().unwrap();
}

#[test]
fn a_thousand_idle_watchers_are_capped_and_the_page_still_answers() {
    let bench = Bench::new();
    let served = Served::start(bench.start(&evil_config(&bench, 4000, 4), "run").arg("--serve=0"));
    wait_for("the run begins", 10, || bench.path("run/journal.ndjson").exists());
    let mut idle = Vec::new();
    for _ in 0..1000 {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        let asked = write!(stream, "GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", served.port);
        if asked.is_ok() {
            idle.push(stream);
        }
    }
    // Some connections are closed for being too many; once a few watchers leave there is room again.
    let games = || bench.read("run", "journal.ndjson").matches("\"type\":\"game\"").count();
    let before = games();
    let begun = Instant::now();
    wait_for("games go on", 20, || games() > before + 4);
    assert!(begun.elapsed() < Duration::from_secs(20));
    idle.truncate(300);
    wait_for("there is room again", 10, || {
        try_http(served.port, "GET", "/style.css", &[], "").is_ok_and(|answer| answer.status == 200)
    });
}
