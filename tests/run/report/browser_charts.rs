//! Charts, tables and the list of games in a real browser: values at the cursor, zoom, export, sorting and filters.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::{Browser, Served};
use crate::report::browser_pages::assert_fits;
use crate::report::page::sample_page;
use crate::run::{Bench, FAKE, PLAYSELF, finish};

/// The same page as a program would write it after this many pairs.
fn open_sample(browser: &Browser, pairs: u64, plies: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    fs::write(&path, sample_page(pairs, plies)).unwrap();
    browser.open_file(&path);
    folder
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

/// Moves the mouse over a chart, to these shares of its plot area, with the button pressed in between if there are two.
fn drag(browser: &Browser, figure: &str, shares: &[f64]) {
    let script = format!(
        "const svg = document.querySelector('#{figure} svg'); svg.scrollIntoView({{ block: 'center' }}); \
         const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal; \
         const [left, top, right, floor] = svg.dataset.plot.split(' ').map(Number); \
         return {shares:?}.map((share) => [Math.round(box.left + (left + share * (right - left)) * box.width / view.width), \
         Math.round(box.top + (top + floor) / 2 * box.height / view.height)])"
    );
    let places = browser.run(&script);
    let moves: Vec<Value> = places
        .as_array()
        .unwrap()
        .iter()
        .map(|place| json!({ "type": "pointerMove", "duration": 30, "x": place[0], "y": place[1] }))
        .collect();
    let mut actions = vec![moves[0].clone()];
    if moves.len() > 1 {
        actions.push(json!({ "type": "pointerDown", "button": 0 }));
        actions.extend_from_slice(&moves[1..]);
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
    }
    browser.mouse(&actions);
}

fn ticks(browser: &Browser, figure: &str) -> Vec<String> {
    let script = format!(
        "return [...document.querySelectorAll('#{figure} .axes text')].filter(t => t.getAttribute('text-anchor') === 'middle') \
         .map(t => t.textContent)"
    );
    let found = browser.run(&script);
    found.as_array().unwrap().iter().map(|tick| tick.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_chart_shows_values_at_the_cursor_zooms_hides_layers_and_is_saved() {
    let Some(browser) = browser() else { return };
    let _folder = open_sample(&browser, 200, 20);
    browser.resize(1280, 900);
    // The ratio after pair n of the sample is n thousandths.
    drag(&browser, "llr", &[0.5]);
    let tip = browser.text("#llr .tip");
    assert!(tip.contains("pairs 100") && tip.contains("LLR +0.10"), "{tip}");
    let whole = ticks(&browser, "llr");
    assert_eq!(whole.first().map(String::as_str), Some("0"));
    assert!(whole.iter().all(|tick| tick.parse::<u64>().is_ok()), "pairs are whole numbers: {whole:?}");
    assert_eq!(whole.last().map(String::as_str), Some("200"), "the last pair has a tick");
    drag(&browser, "llr", &[0.25, 0.4, 0.5]);
    let zoomed = ticks(&browser, "llr");
    let inside = |tick: &String| (45..=105).contains(&tick.parse::<u64>().unwrap());
    assert!(zoomed.len() > 1 && zoomed.iter().all(inside), "{zoomed:?}");
    browser.run("[...document.querySelectorAll('#llr .tools button')].find(b => b.textContent === 'Reset zoom').click()");
    assert_eq!(ticks(&browser, "llr"), whole);
    // A click in the legend hides a layer.
    let hidden = "return getComputedStyle(document.querySelector('#llr [data-name^=H1]')).display";
    assert_ne!(browser.run(hidden), "none");
    browser.run("document.querySelector('#llr .toggle').click()");
    assert_eq!(browser.run(hidden), "none");
    browser.run("document.querySelector('#llr .toggle').click()");
    for kind in ["svg", "png"] {
        exported(&browser, kind);
    }
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
}

/// Presses the export button and checks the saved content, which is caught before the browser stores it.
fn exported(browser: &Browser, kind: &str) {
    browser.run(
        "window.saved = null; const make = URL.createObjectURL; URL.createObjectURL = (content) => { window.saved = content; return make(content); }; \
         HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };",
    );
    let label = kind.to_uppercase();
    browser.run(&format!(
        "[...document.querySelectorAll('#elo .tools button')].find(b => b.textContent === '{label}').click()"
    ));
    browser.wait("the chart is saved", "return Boolean(window.saved)");
    assert_eq!(browser.run("return window.savedAs"), format!("elo.{kind}"));
    assert!(browser.run("return window.saved.size").as_u64().unwrap() > 2000, "{kind}");
    browser.run("window.content = null; window.saved.text().then((text) => { window.content = text; })");
    browser.wait("the content is read", "return window.content !== null");
    let content = browser.run("return window.content.slice(0, 4000)");
    let content = content.as_str().unwrap();
    if kind == "svg" {
        assert!(
            content.contains("width=\"720\"") && content.contains("#1f66b3") && !content.contains("var(--"),
            "{content}"
        );
    } else {
        assert!(content.contains("PNG"), "{content}");
    }
}

#[test]
fn tables_are_sorted_and_filtered_and_games_are_found() {
    let Some(browser) = browser() else { return };
    let _folder = open_sample(&browser, 40, 20);
    let column = |number: usize| {
        let script = format!(
            "return [...document.querySelectorAll('#opening-table tbody tr')].filter(r => !r.hidden).map(r => \
             Number(r.cells[{number}].textContent.replace(',', '')))"
        );
        let cells = browser.run(&script);
        cells.as_array().unwrap().iter().map(|cell| cell.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    browser.run("document.querySelectorAll('#opening-table th button')[0].click()");
    assert!(column(0).is_sorted_by(|one, other| one >= other), "{:?}", column(0));
    browser.run("document.querySelectorAll('#opening-table th button')[0].click()");
    assert!(column(0).is_sorted(), "{:?}", column(0));
    let all = column(0).len();
    browser.run(
        "const field = document.querySelector('#results .filter input'); field.value = '12.1'; \
         field.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    assert!(column(0).len() < all && !column(0).is_empty());
    let found = || browser.text("#found");
    let filter = |name: &str, value: &str| {
        browser.run(&format!(
            "const field = document.getElementById('game-filter').elements['{name}']; field.value = '{value}'; \
             field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        ));
    };
    assert_eq!(found(), "80 games");
    filter("result", "1-0");
    assert!(found().ends_with("of 80 games"), "{}", found());
    filter("result", "");
    browser.run("document.querySelectorAll('#game-list tbody tr')[2].click()");
    assert!(browser.text("#viewer [data-part=who]").starts_with("2.1: "));
    assert_eq!(
        browser.run("return document.querySelectorAll('#viewer [data-part=moves] tbody tr').length"),
        20
    );
    assert!(
        browser.text("#viewer [data-part=moves] tbody").contains("1. Nf3"),
        "moves are in algebraic notation"
    );
    browser.run("document.querySelectorAll('#viewer [data-part=moves] tbody tr')[1].click()");
    let ply = browser.text("#viewer [data-part=ply]");
    assert!(ply.contains("1… Nf6") && ply.contains("depth 12") && ply.contains("3,000 nodes"), "{ply}");
    assert_eq!(browser.run("return document.querySelectorAll('#viewer .men use').length"), 32);
    assert_eq!(browser.console_errors(), [""; 0], "the console has no errors");
}

/// Pages of every kind, from nothing to a thousand games.
#[test]
fn no_page_has_an_error_in_the_console() {
    let Some(browser) = browser() else { return };
    for games in [0, 1, 2, 7, 500] {
        let _folder = open_sample(&browser, games, 30);
        assert_eq!(browser.console_errors(), [""; 0], "{games} pairs");
        assert_eq!(browser.run("return document.querySelectorAll('h1').length"), 1);
    }
    let bench = Bench::new();
    let book = bench.path("book.epd");
    let engine = |name: &str, salt: u64| {
        format!("[[engines]]\nengine = \"{FAKE}\"\nname = \"{name}\"\nargs = [\"--salt\", \"{salt}\"]\n")
    };
    let games =
        format!("[games]\ndepth = 1\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 20\n", book.display());
    let tournament = format!("seed = 1\n{}{}{}{games}", engine("a", 1), engine("b", 2), engine("c", 3));
    fs::write(bench.path("cup.toml"), tournament.replace("[games]", "[games]\nmax_pairs = 9")).unwrap();
    let (status, printed) = finish(&mut bench.start(&bench.path("cup.toml"), "cup"));
    assert_eq!(status, 0, "{printed}");
    browser.open_file(&bench.path("cup/report.html"));
    assert_eq!(browser.console_errors(), [""; 0], "a tournament");
    assert_eq!(browser.run("return document.querySelectorAll('#cross-table tbody tr').length"), 3);
    assert_eq!(browser.run("return document.querySelectorAll('#superiority tbody td').length"), 9);
    assert_eq!(browser.text("h1"), "No engine of 3 leads after 18 games", "all games are drawn");
    // The same standings are on the page of a server.
    let served =
        Served::start(Command::new(PLAYSELF).arg("serve").arg(bench.path("cup")).args(["--at", "0"]));
    browser.open(&served.url("/run/cup/"));
    browser.wait(
        "standings are shown",
        "return document.querySelectorAll('#standings-table tbody tr').length === 3",
    );
    browser.wait("games are listed", "return document.getElementById('found').textContent === '18 games'");
    browser.run("document.querySelector('#game-list tbody tr').click()");
    browser.wait("the game opens", "return document.querySelectorAll('#viewer .men use').length > 0");
    assert_eq!(browser.console_errors(), [""; 0], "the page of a server");
    // A tuning run without intervals.
    let tune = format!(
        "name = \"t\"\nseed = 1\nengine = \"builtin\"\n[tune]\ngames = 40\nparameters = [\"tempo_*\"]\n\
         [games]\nnodes = 40\nconcurrency = 2\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 20\n",
        book.display()
    );
    fs::write(bench.path("tune.toml"), tune).unwrap();
    let mut command = Command::new(PLAYSELF);
    let (status, printed) =
        finish(command.current_dir(bench.folder.path()).args(["tune", "tune.toml", "--run-dir", "tuned"]));
    assert_eq!(status, 0, "{printed}");
    browser.open_file(&bench.path("tuned/report.html"));
    assert_eq!(browser.console_errors(), [""; 0], "a tuning run");
    assert!(browser.text("#as-uci").starts_with("setoption name "), "{}", browser.text("#as-uci"));
}

/// Cuts the journal of a run behind its first `games` games, as a kill would, and writes its page again.
fn cut_to(bench: &Bench, run: &str, games: usize) {
    let journal = bench.read(run, "journal.ndjson");
    let ends: Vec<usize> = journal.match_indices('\n').map(|(at, _)| at + 1).collect();
    let is_game = |end: &&usize| {
        let line = journal[..**end - 1].rsplit('\n').next().unwrap_or_default();
        line.contains("\"type\":\"game\"")
    };
    let first_game = ends.iter().position(|end| is_game(&end)).expect("a game was played");
    let cut = match games {
        // The records before the first game state the run and its sessions.
        0 => ends[first_game - 1],
        number => *ends.iter().filter(is_game).nth(number - 1).expect("enough games"),
    };
    let path = bench.path(run);
    let mut verify = Command::new(PLAYSELF);
    let (status, printed) =
        finish(verify.arg("verify").arg(&path).args(["--cut-journal-at", &cut.to_string()]));
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = finish(Command::new(PLAYSELF).arg("report").arg(&path));
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn pages_of_matches_and_tests_have_no_error_and_fit_a_phone_whatever_the_number_of_games() {
    assert_pages(["match", "test"]);
}

#[test]
fn pages_of_tournaments_and_tunings_have_no_error_and_fit_a_phone_whatever_the_number_of_games() {
    assert_pages(["cup", "tuned"]);
}

/// Looks at runs of two kinds, with a thousand games and killed after few, as a report, on a server and compared: no page
/// has an error in the console or is wider than a phone.
fn assert_pages(kinds: [&str; 2]) {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let engine = |table: &str, name: &str| {
        let long = "_name_without_a_space".repeat(3);
        format!(
            "{table}\nengine = \"{FAKE}\"\nname = \"{name}{long}\"\nargs = [\"--salt\", \"{}\"]\n",
            name.len()
        )
    };
    let games = format!(
        "[games]\ndepth = 1\nmax_pairs = 500\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 3\n",
        bench.path("book.epd").display()
    );
    let pair = format!("{}{}{games}", engine("[candidate]", "a"), engine("[baseline]", "bb"));
    let three = ["a", "bb", "ccc"].map(|name| engine("[[engines]]", name)).concat();
    let tune = "engine = \"builtin\"\n[tune]\ngames = 1000\nparameters = [\"tempo_*\"]\n[games]\nnodes = 10\n\
                [adjudicate]\nmax_moves = 3\n";
    for name in kinds {
        let (command, config) = match name {
            "match" => ("match", pair.clone()),
            "test" => ("sprt", format!("{pair}[sprt]\nelo = [0.0, 1.0]\n")),
            "cup" => ("match", format!("{three}depth = 2\n{games}")),
            _ => ("tune", tune.to_owned()),
        };
        fs::write(bench.path(&format!("{name}.toml")), format!("name = \"{name}\"\nseed = 1\n{config}"))
            .unwrap();
        let mut call = Command::new(PLAYSELF);
        let (config, run) = (format!("{name}.toml"), format!("results/{name}"));
        let call = call.current_dir(bench.folder.path()).args([command, &*config, "--run-dir", &*run]);
        // A large table would be cleared before each of these short games.
        let (status, printed) = finish(call.args(["--option", "Hash=1"]));
        assert!([0, 1, 3].contains(&status), "{name}: {printed}");
    }
    let results = bench.path("results");
    let serve = || Served::start(Command::new(PLAYSELF).arg("serve").arg(&results).args(["--at", "0"]));
    let page = bench.path("compared.html");
    for games in [1000, 7, 2, 1, 0] {
        for name in kinds {
            let run = format!("results/{name}");
            if games < 1000 {
                cut_to(&bench, &run, games);
            }
            browser.open_file(&bench.path(&run).join("report.html"));
            assert_eq!(browser.console_errors(), [""; 0], "{name} after {games} games");
            assert_eq!(browser.run("return document.querySelectorAll('h1').length"), 1, "{name}, {games}");
            if [1000, 0].contains(&games) {
                assert_fits(&browser, &format!("{name} after {games} games"));
            }
        }
        let served = serve();
        browser.open(&served.url("/"));
        browser
            .wait("all runs are listed", "return document.querySelectorAll('#runs tbody tr').length === 2");
        assert_fits(&browser, "the list of runs");
        for name in kinds {
            browser.open(&served.url(&format!("/run/{name}/")));
            browser.wait("the head is shown", "return Boolean(document.querySelector('#head h1'))");
            if [1000, 0].contains(&games) {
                assert_fits(&browser, &format!("the served page of {name} after {games} games"));
            }
        }
        if kinds.contains(&"cup") {
            browser.open(&served.url("/run/cup/"));
            browser.wait(
                "the limits of most engines come before the exceptions",
                "return document.querySelector('.conditions')?.textContent.includes('Time controldepth 1; ccc_')",
            );
        }
        assert_eq!(browser.console_errors(), [""; 0], "served after {games} games");
        let mut compare = Command::new(PLAYSELF);
        let runs = kinds.map(|name| results.join(name));
        let (status, printed) = finish(compare.arg("report").args(runs).arg("--page").arg(&page));
        assert_eq!(status, 0, "{printed}");
        browser.open_file(&page);
        assert_eq!(browser.console_errors(), [""; 0], "compared after {games} games");
        assert_fits(&browser, "the comparison");
    }
}

/// The standings of a tournament in progress change without a reload.
#[test]
fn the_standings_of_a_tournament_in_progress_are_live() {
    let Some(browser) = browser() else { return };
    let bench = Bench::new();
    let engine = |name: &str, salt: u64| {
        format!(
            "[[engines]]\nengine = \"{FAKE}\"\nname = \"{name}\"\nargs = [\"--salt\", \"{salt}\", \"--sleep-ms\", \"3\"]\n"
        )
    };
    let config = format!(
        "seed = 1\n{}{}{}[games]\ndepth = 1\nmax_pairs = 3000\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 12\n",
        engine("a", 1),
        engine("b", 2),
        engine("c", 3),
        bench.path("book.epd").display()
    );
    fs::write(bench.path("cup.toml"), config).unwrap();
    let served = Served::start(bench.start(&bench.path("cup.toml"), "cup").arg("--serve=0"));
    browser.open(&served.url("/run/cup/"));
    let games = "[...document.querySelectorAll('#standings-table tbody tr')] \
                 .map((row) => Number(row.cells[3].textContent.replace(',', ''))).reduce((a, b) => a + b, 0)";
    browser.wait("standings are shown", &format!("return {games} > 0"));
    let before = browser.run(&format!("return {games}")).as_u64().unwrap();
    browser.wait("the standings change", &format!("return {games} > {before} + 8"));
    assert_eq!(browser.run("return document.querySelectorAll('#standings-table tbody tr').length"), 3);
    assert_eq!(browser.console_errors(), [""; 0]);
}

/// A report of a million games: size and time until the browser has drawn it.
#[test]
#[ignore = "takes a minute; just test-million-games runs it"]
fn a_million_games_are_shown_within_two_seconds() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    let began = Instant::now();
    fs::write(&path, sample_page(500_000, 80)).unwrap();
    let written = began.elapsed();
    let began = Instant::now();
    browser.open_file(&path);
    browser.wait("the list is there", "return document.querySelectorAll('#game-list tbody tr').length > 0");
    let opened = began.elapsed();
    eprintln!("{} bytes, made in {written:?}, shown in {opened:?}", fs::metadata(&path).unwrap().len());
    assert!(opened < Duration::from_secs(2), "{opened:?}");
    assert!(fs::metadata(&path).unwrap().len() < 3_000_000);
    assert_eq!(browser.console_errors(), [""; 0]);
}
