//! Pages in a real browser: contents, markup in names, accessibility and access control.
//!
//! Needs the Debian packages `chromium` and `chromium-driver`; without them the tests are skipped with a message.

use std::fs;
use std::io::{Read, Write};
use std::process::Command;
use std::time::Duration;

use crate::browser::{Browser, Served, http};
use crate::machine;
use crate::run::{Bench, FAKE, PLAYSELF, finish, spawn, wait_for};
use serde_json::Value;

/// The line with the players of the game in the viewer, and the one with its current move.
const WHO: &str = "#viewer [data-part=who]";
const PLY: &str = "#viewer [data-part=ply]";

/// A script that returns whether the viewer shows this game.
fn shows(round: &str) -> String {
    format!("return document.querySelector({WHO:?}).textContent.startsWith('{round}: ')")
}

/// Names that would be markup if a page did not escape them.
const HOSTILE: [&str; 2] = ["<img src=x onerror=window.pwned=1>", "</script><script>window.pwned=2</script>"];

/// A test between two fake engines with hostile names.
fn hostile_config(bench: &Bench, pairs: u64, delay_ms: u64) -> std::path::PathBuf {
    let text = format!(
        "name = \"<b>evil</b>\"\nseed = 5\n\
         [candidate]\nengine = \"{FAKE}\"\nname = \"{}\"\nargs = [\"--salt\", \"1\", \"--sleep-ms\", \"{delay_ms}\"]\n\
         [baseline]\nengine = \"{FAKE}\"\nname = \"{}\"\nargs = [\"--salt\", \"2\", \"--sleep-ms\", \"{delay_ms}\"]\n\
         [games]\ndepth = 1\nopenings = \"{}\"\nmax_pairs = {pairs}\nconcurrency = 2\n\
         [adjudicate]\nmax_moves = 30\n[sprt]\nelo = [0.0, 5.0]\n",
        HOSTILE[0],
        HOSTILE[1],
        bench.path("book.epd").display(),
    );
    let path = bench.path("evil.toml");
    fs::write(&path, text).unwrap();
    path
}

fn browser() -> Option<Browser> {
    match Browser::start() {
        Ok(browser) => Some(browser),
        Err(missing) => {
            #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
            {
                eprintln!("SKIPPED: {missing}");
            }
            None
        }
    }
}

/// The vertical coordinates of a drawn curve.
fn heights(browser: &Browser, figure: &str) -> Vec<f64> {
    let path =
        browser.run(&format!("return document.querySelector('#{figure} path.path').getAttribute('d')"));
    let path = path.as_str().unwrap();
    // The curve begins before the first pair.
    path[1..].split('L').skip(1).map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect()
}

/// The column of `pairs.csv` with this name.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let place = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|row| row.unwrap()[place].parse().unwrap()).collect()
}

/// Fails unless `drawn` is `values` on a linear scale, upside down, exact to the drawn tenth.
fn assert_drawn_to_scale(drawn: &[f64], values: &[f64]) {
    assert_eq!(drawn.len(), values.len(), "one point per pair");
    let by_value = |one: &usize, other: &usize| values[*one].total_cmp(&values[*other]);
    let low = (0..values.len()).min_by(by_value).unwrap();
    let high = (0..values.len()).max_by(by_value).unwrap();
    let scale = (drawn[high] - drawn[low]) / (values[high] - values[low]);
    assert!(scale < 0.0, "larger values are higher");
    for (drawn_at, value) in drawn.iter().zip(values) {
        let expected = drawn[low] + scale * (value - values[low]);
        assert!((drawn_at - expected).abs() < 0.2, "{value} is drawn at {drawn_at}, not at {expected}");
    }
}

fn figures(browser: &Browser) -> Vec<(String, String)> {
    let script = "return [...document.querySelectorAll('.figures div')].map(d => [d.querySelector('dt').textContent, \
                  d.querySelector('dd').textContent])";
    let figures = browser.run(script);
    let rows = figures.as_array().unwrap().iter();
    rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].as_str().unwrap().to_owned())).collect()
}

/// A number in the format of the pages.
fn signed(value: &Value, decimals: usize) -> String {
    let text = format!("{:+.decimals$}", value.as_f64().unwrap());
    let zero = text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if zero { text[1..].to_owned() } else { text.replace('-', "\u{2212}") }
}

/// The strength of a summary in the format of the pages: with an error, or with an interval that is not symmetric.
fn strength(summary: &Value) -> String {
    let number = |name: &str| summary[name].as_f64();
    match (number("elo"), number("elo_lower"), number("elo_upper")) {
        (Some(elo), Some(lower), Some(upper)) => {
            let (below, above) = (elo - lower, upper - elo);
            if (below - above).abs() <= 0.1 * (below + above) {
                return format!("{} ± {:.1}", signed(&summary["elo"], 1), (below + above) / 2.0);
            }
            let [elo, lower, upper] = ["elo", "elo_lower", "elo_upper"].map(|name| signed(&summary[name], 0));
            format!("{elo} ({lower} to {upper})")
        }
        (_, Some(_), None) => format!("> {}", signed(&summary["elo_lower"], 0)),
        (_, None, Some(_)) => format!("< {}", signed(&summary["elo_upper"], 0)),
        _ => "–".to_owned(),
    }
}

fn assert_figures_equal_summary(shown: &[(String, String)], summary: &Value) {
    let nelo = summary["nelo_error"]
        .as_f64()
        .map_or_else(|| "–".to_owned(), |error| format!("{} ± {error:.1}", signed(&summary["nelo"], 1)));
    let expected = [
        ("Elo", strength(summary)),
        ("Normalized Elo", nelo),
        ("Likelihood of superiority", format!("{:.1} %", 100.0 * summary["los"].as_f64().unwrap())),
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
        let found = shown.iter().find(|(shown, _)| shown == label).map(|(_, value)| value.as_str());
        assert_eq!(found, Some(value.as_str()), "{label}");
    }
}

/// Fails if anything on the page is wider than the window.
pub(crate) fn assert_fits(browser: &Browser, page: &str) {
    for width in [1280, 390] {
        browser.resize(width, 900);
        let over =
            browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(over, 0, "{page} at {width} pixels");
    }
}

/// Row 93 of `docs/faults.md`.
#[test]
fn the_report_shows_the_run_and_executes_no_markup_from_names() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let (status, printed) = finish(&mut bench.start(&hostile_config(&bench, 24, 0), "run"));
    assert!([0, 1, 3].contains(&status), "{printed}");
    browser.open_file(&bench.path("run/report.html"));
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
    assert!(browser.run("return window.pwned === undefined").as_bool().unwrap(), "a name was executed");
    assert!(browser.text(".engines").contains(HOSTILE[0]) && browser.text(".engines").contains(HOSTILE[1]));
    assert_drawn_to_scale(&heights(&browser, "llr"), &column(&bench.read("run", "pairs.csv"), "llr"));
    let summary: Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    assert_figures_equal_summary(&figures(&browser), &summary);
    // Even markup that reached the page would not be executed.
    browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=3\">')");
    std::thread::sleep(Duration::from_millis(200));
    assert!(
        browser.run("return window.pwned === undefined").as_bool().unwrap(),
        "the policy allowed a handler"
    );
    assert!(browser.console_errors().iter().any(|line| line.contains("Content Security Policy")));
    assert_fits(&browser, "the report");
}

/// Charts without a description, fields without a label and buttons without a text.
const UNLABELLED: &str = "return [...document.querySelectorAll('svg:not([aria-hidden]), [role=img]')] \
    .filter(e => e.checkVisibility() && (e.getAttribute('aria-label') || '').length < 10).map(e => e.outerHTML.slice(0, 90)) \
    .concat([...document.querySelectorAll('input, select')].filter(e => !e.labels.length && !e.ariaLabel).map(e => e.outerHTML)) \
    .concat([...document.querySelectorAll('button')].filter(e => !e.textContent.trim()).map(e => e.outerHTML))";

/// Every text with a contrast below 4.5 : 1, as the browser paints it. Text on bars and boards of charts is checked in
/// `tests/report/contrast.rs`.
const LOW_CONTRAST: &str = "const parts = (text) => (text.match(/[\\d.]+/g) || []).map(Number); \
    const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; \
        return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); }; \
    const ground = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); \
        if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; }; \
    const faint = [], all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); \
    while (all.nextNode()) { const e = all.currentNode.parentElement, text = all.currentNode.data.trim(); \
        if (!text || !e.checkVisibility() || e.closest('script, style, noscript, desc, title, option, .squares')) continue; \
        const drawn = e.closest('svg'); \
        if (drawn && (e.matches('.on') || drawn.querySelector('[fill-opacity]'))) continue; \
        const style = getComputedStyle(e), one = light(parts(drawn ? style.fill : style.color)), other = light(ground(e)); \
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05); \
        if (ratio < 4.5) faint.push(text.slice(0, 30) + ' ' + ratio.toFixed(2)); } return faint";

/// Fails unless charts have descriptions, fields have labels, and text has enough contrast, in light and dark.
fn assert_accessible(browser: &Browser, page: &str) {
    let none = Value::Array(Vec::new());
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        assert_eq!(browser.run(UNLABELLED), none, "{page}, {scheme}");
        assert_eq!(browser.run(LOW_CONTRAST), none, "{page}, {scheme}");
    }
    browser.prefer("");
    assert_eq!(browser.run("return document.documentElement.lang"), "en");
    assert_eq!(browser.run("return document.querySelectorAll('h1').length"), 1, "{page} has one heading");
}

/// The names of all elements that the Tab key reaches.
fn reached_by_keyboard(browser: &Browser) -> Vec<String> {
    browser.run("document.activeElement.blur()");
    let mut reached = Vec::new();
    for _ in 0..400 {
        browser.press("\u{e004}");
        let here = browser.run(
            "const e = document.activeElement; return e === document.body ? null : \
             [[...document.querySelectorAll('*')].indexOf(e), e.id || e.dataset.part || e.getAttribute('href') || e.tagName]",
        );
        if here.is_null() || reached.first() == Some(&here) {
            break;
        }
        reached.push(here);
    }
    reached.iter().map(|each| each[1].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_report_works_with_a_screen_reader_and_a_keyboard() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let config = hostile_config(&bench, 24, 0);
    let blunders = "\"--salt\", \"1\", \"--on\", \"on go#100: reply bestmove a1a1\",";
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("\"--salt\", \"1\",", blunders)).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert!([0, 1, 3].contains(&status), "{printed}");
    browser.open_file(&bench.path("run/report.html"));
    assert!(
        browser.text("#fault-table").contains("played a1a1, which is not a legal move"),
        "faults are in words"
    );
    assert_accessible(&browser, "the report");
    let reached = reached_by_keyboard(&browser);
    for name in ["wanted", "show", "board", "first", "back", "forward", "last", "SUMMARY"] {
        assert!(reached.iter().any(|each| each == name), "{name} is not among {reached:?}");
    }
    for link in ["#game-", "faults/pair"] {
        assert!(reached.iter().any(|each| each.starts_with(link)), "{link} is not among {reached:?}");
    }
    // The viewer reacts to the arrow keys and to the number of a game.
    browser.run("document.querySelector('#viewer [data-part=board]').focus()");
    browser.press("\u{e011}");
    assert!(browser.text(PLY).starts_with("0 /"), "{}", browser.text(PLY));
    browser.press("\u{e014}");
    assert!(browser.text(PLY).starts_with("1 /"), "{}", browser.text(PLY));
    browser.run("document.getElementById('wanted').focus()");
    for key in ["7", ".", "2", "\u{e007}"] {
        browser.press(key);
    }
    assert!(browser.text(WHO).starts_with("7.2: "), "{}", browser.text(WHO));
    // The links in tables open a game as well.
    let link = browser.text("#opening-table a");
    browser.run("document.querySelector('#opening-table a').click()");
    browser.wait("the linked game is shown", &shows(&link));
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
}

#[test]
fn the_live_page_follows_the_run_and_only_the_token_controls_it() {
    let Some(browser) = browser() else { return };
    let _machine = machine::reserve();
    let bench = Bench::new();
    let served = Served::start(bench.start(&hostile_config(&bench, 4000, 4), "run").arg("--serve=0"));
    let page = served.url("/run/run/");
    browser.open(&page);
    browser.wait("the page fills", "return document.querySelectorAll('#head .figures div').length > 5");
    browser.wait("boards are shown", "return document.querySelectorAll('#boards figure svg').length === 2");
    assert!(browser.text("#boards").contains(HOSTILE[0]), "names are shown as text");
    assert!(
        browser.run("return document.getElementById('steer').offsetParent === null").as_bool().unwrap(),
        "without a token there are no buttons"
    );
    the_live_board_can_be_stepped_back(&browser);
    live_updates_arrive_within_a_second(&browser, &bench);
    foreign_requests_are_refused(&served);
    // With the token the buttons are shown and work, and the token is removed from the address bar.
    browser.open("about:blank");
    browser.open(&format!("{page}#token={}", served.token));
    browser.wait("buttons are shown", "return document.getElementById('steer').offsetParent !== null");
    assert_eq!(browser.run("return location.hash"), "");
    browser.run("document.querySelector('[data-order=pause]').click()");
    browser.wait("the run is paused", "return document.getElementById('phase').textContent === 'paused'");
    browser.run("document.querySelector('[data-order=continue]').click()");
    browser.wait("the run continues", "return document.getElementById('phase').textContent === 'playing'");
    assert!(browser.run("return window.pwned === undefined").as_bool().unwrap(), "a name was executed");
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
    assert_fits(&browser, "the live page");
}

/// The large board shows a game in progress with its moves and what the engines sent.
fn the_live_board_can_be_stepped_back(browser: &Browser) {
    let moves = "document.querySelectorAll('#live-viewer [data-part=moves] tbody tr').length";
    browser.wait("a game in progress has moves", &format!("return {moves} > 3"));
    // The game may end between the click and the look; the next one is then stepped back.
    let first = "document.querySelector('#live-viewer [data-part=first]').click()";
    let ply = "document.querySelector('#live-viewer [data-part=ply]').textContent";
    browser
        .wait("the board is stepped back to the start", &format!("{first}; return {ply}.startsWith('0 /')"));
    browser.run("document.getElementById('dialogue').open = true");
    browser.wait(
        "the dialogue is shown",
        "return document.getElementById('lines').textContent.includes('bestmove')",
    );
}

fn live_updates_arrive_within_a_second(browser: &Browser, bench: &Bench) {
    let rows = || bench.read("run", "journal.ndjson").matches("\"type\":\"game\"").count();
    browser.wait("a curve is drawn", "return Boolean(document.querySelector('#sure path.path'))");
    let points = "Number(document.querySelector('#sure path.path')?.dataset.points || 0)";
    // A busy machine delays single updates, so the median of five counts.
    let mut delays: Vec<Duration> = (0..5)
        .map(|_| {
            let before = browser.run(&format!("return {points}")).as_f64().unwrap();
            let games = rows();
            wait_for("another pair", 10, || rows() >= games + 4);
            browser.wait("the curve grows", &format!("return {points} > {before}"))
        })
        .collect();
    delays.sort();
    assert!(delays[2] < Duration::from_secs(1), "{delays:?} after the pairs were on record");
}

fn foreign_requests_are_refused(served: &Served) {
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
        "/run/absent/",
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
    assert!(!page.body.contains(&served.token), "the page does not contain the token");
}

#[test]
fn past_and_running_runs_are_listed_together() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let config = hostile_config(&bench, 12, 0);
    for run in ["results/past", "results/older"] {
        fs::create_dir_all(bench.path("results")).unwrap();
        let (status, printed) = finish(&mut bench.start(&config, run));
        assert!([0, 1, 3].contains(&status), "{printed}");
    }
    let mut running = spawn(&mut bench.start(&hostile_config(&bench, 4000, 4), "results/running"));
    let served =
        Served::start(Command::new(PLAYSELF).arg("serve").arg(bench.path("results")).args(["--at", "0"]));
    browser.open(&served.url("/"));
    browser.wait("all runs are listed", "return document.querySelectorAll('#runs tbody tr').length === 3");
    browser.wait(
        "the running one plays",
        "return document.querySelector('#runs tbody tr').textContent.includes('playing')",
    );
    runs_are_filtered_and_compared(&browser, &served);
    assert_accessible(&browser, "the list of runs");
    assert_fits(&browser, "the list of runs");
    browser.open(&served.url("/run/past/"));
    browser.wait("a past run is shown", "return document.getElementById('phase').textContent === 'finished'");
    let summary: Value = serde_json::from_str(&bench.read("results/past", "summary.json")).unwrap();
    assert_figures_equal_summary(&figures(&browser), &summary);
    assert_accessible(&browser, "the page of a past run");
    // Every game can be shown, although none is part of the page.
    for (round, shown) in [("12.2", "12.2"), ("3", "3.1")] {
        browser.run(&format!(
            "document.getElementById('wanted').value = '{round}'; document.getElementById('show').click()"
        ));
        browser.wait("the game is shown", &shows(shown));
        assert!(browser.text(WHO).contains(HOSTILE[0]), "names are shown as text");
    }
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
    assert_eq!(http(served.port, "GET", "/run/past/game/13.1", &[], "").status, 404);
    browser.open(&served.url("/run/running/report.html"));
    assert!(browser.text("h1").contains("Elo"), "a running run has a report as well");
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
    running.kill().unwrap();
    running.wait().unwrap();
}

/// The form above the list hides runs, and ticked runs are compared on a page of their own.
fn runs_are_filtered_and_compared(browser: &Browser, served: &Served) {
    let visible =
        "return [...document.querySelectorAll('#run-table tbody tr')].filter(r => !r.hidden).length";
    browser.run(
        "const f = document.getElementById('run-filter').elements; f.text.value = 'older'; \
                 f.text.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    assert_eq!(browser.run(visible), 1, "only the run that was searched for");
    browser.run("const f = document.getElementById('run-filter').elements; f.text.value = ''; f.from.value = '2999-01-01'; \
                 f.text.dispatchEvent(new Event('input', { bubbles: true }))");
    assert_eq!(browser.run(visible), 0, "no run is that new");
    browser.run(
        "const f = document.getElementById('run-filter').elements; f.from.value = ''; \
                 f.text.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    assert_eq!(browser.run(visible), 3);
    browser.run(
        "for (const id of ['past', 'older']) document.querySelector(`[data-run=${id}]`).click(); \
                 document.getElementById('compare').click()",
    );
    browser.wait(
        "two runs are compared",
        "return document.querySelectorAll('#comparison-table tbody tr').length === 2",
    );
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
    browser.open(&served.url("/"));
    browser.wait("the list is back", "return document.querySelectorAll('#runs tbody tr').length === 3");
}

#[test]
fn a_page_states_that_the_run_which_served_it_has_ended() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let served = Served::start(bench.start(&hostile_config(&bench, 12, 4), "run").arg("--serve=0"));
    // A busy machine may need longer to open the page than the run takes.
    let ask = |what: &str| finish(Command::new(PLAYSELF).arg(what).arg(bench.path("run"))).0 == 0;
    wait_for("a pause", 10, || ask("pause"));
    browser.open(&served.url("/run/run/"));
    let phase = "document.getElementById('phase').textContent";
    browser.wait("the run is paused", &format!("return {phase}.startsWith('paused')"));
    assert!(ask("continue"));
    browser.wait(
        "the program ends",
        &format!("return {phase}.startsWith('finished. The program that served this page has ended')"),
    );
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
}

#[test]
fn a_page_reconnects_to_its_server_and_waits_for_a_free_stream() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let (status, printed) = finish(&mut bench.start(&hostile_config(&bench, 4, 0), "run"));
    assert!([0, 1, 3].contains(&status), "{printed}");
    let serve = |port: u16| {
        let at = port.to_string();
        Served::start(Command::new(PLAYSELF).arg("serve").arg(bench.path("run")).args(["--at", &at]))
    };
    let served = serve(0);
    let port = served.port;
    browser.open(&served.url("/run/run/"));
    let connected = |word: &str| format!("return document.body.dataset.connected === '{word}'");
    browser.wait("the page is connected", &connected("yes"));
    drop(served);
    browser.wait("the page notices", &connected("no"));
    assert!(browser.text("#phase").contains("does not answer"), "{}", browser.text("#phase"));
    let served = serve(port);
    browser.wait("the page is connected again", &connected("yes"));
    // Other clients take every stream while the page is closed.
    browser.open("about:blank");
    let stream = |_| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(stream, "GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        (answer == *b"HTTP/1.1 200").then_some(stream)
    };
    let others: Vec<_> = (0..300).map_while(stream).collect();
    assert!(others.len() < 300, "the number of streams is limited");
    browser.open(&served.url("/run/run/"));
    browser.wait("the page is refused", &connected("no"));
    assert!(browser.text("#phase").contains("too many watchers"), "{}", browser.text("#phase"));
    drop(others);
    browser.wait("the page gets a stream", &connected("yes"));
}
