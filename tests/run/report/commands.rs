//! `playself report` and `playself watch`: pages, plots, comparisons, the forum block and the panel.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{Bench, Match, PLAYSELF, finish};

fn playself(bench: &Bench, args: &[&str]) -> (i32, String) {
    finish(Command::new(PLAYSELF).args(args).current_dir(bench.folder.path()))
}

#[test]
fn a_run_is_reported_as_a_page_plots_a_forum_block_and_a_panel() {
    let bench = Bench::new();
    let config =
        bench.config("patch", &Match { pairs: 12, rest: "[sprt]\nelo = [0.0, 5.0]", ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert!([0, 1, 3].contains(&status), "{printed}");

    let (status, printed) = playself(&bench, &["report", "run", "--svg", "plots"]);
    assert_eq!(status, 0, "{printed}");
    for name in ["llr", "elo", "pentanomial", "colours", "lengths"] {
        let plot = fs::read_to_string(bench.path(&format!("plots/{name}.svg"))).unwrap();
        assert!(plot.starts_with("<?xml") && plot.contains("</svg>") && !plot.contains("var("), "{name}");
    }

    // The page states how to repeat the run, and that works.
    let page = bench.read("run", "report.html");
    assert!(page.contains("playself sprt plan.toml"));
    let (again, printed) = playself(&bench, &["sprt", "run/plan.toml", "--run-dir", "again"]);
    assert!([0, 1, 3].contains(&again), "{printed}");
    assert_eq!(bench.read("run", "pairs.csv"), bench.read("again", "pairs.csv"));

    // Every game can be shown in the viewer.
    assert!(page.contains("All 24 games are in this page"));
    assert!(page.contains("[{\"r\":\"1.1\""));
    let (status, printed) = playself(&bench, &["report", "run", "--game", "12.2", "--game", "3.1"]);
    assert_eq!(status, 0, "{printed}");
    let page = bench.read("run", "report.html");
    assert!(page.contains("[{\"r\":\"12.2\""), "the game that was asked for comes first");
    assert_eq!(page.matches("{\"r\":\"12.2\"").count(), 1, "and only once");
    assert_eq!(page.matches("{\"r\":\"").count(), 24);
    for (nonsense, status) in [("13.1", 2), ("12", 2), ("1.3", 2)] {
        let (found, printed) = playself(&bench, &["report", "run", "--game", nonsense]);
        assert!(found == status && printed.contains(nonsense), "{nonsense}: {found} {printed}");
    }

    let (status, block) = playself(&bench, &["report", "run", "--forum"]);
    assert_eq!(status, 0, "{block}");
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines.len(), 5, "{block}");
    assert!(lines[0].starts_with("new vs old (") && lines[0].contains("book.epd"), "{block}");
    assert!(lines[1].starts_with("Elo   | ") && lines[2].starts_with("LLR   | "), "{block}");

    let (status, panel) = playself(&bench, &["watch", "run"]);
    assert_eq!(status, 0, "{panel}");
    assert!(panel.contains("patch: new vs old") && panel.contains("not running"), "{panel}");
    assert!(panel.contains("24 of 24") && panel.contains("LLR"), "{panel}");
    assert!(panel.lines().all(|line| line.chars().count() <= 80), "{panel}");
    assert!(!panel.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn several_runs_are_compared_in_a_table_and_a_chart_strongest_first() {
    let bench = Bench::new();
    for (name, candidate) in [("weak", ["--salt", "1"]), ("strong", ["--salt", "3"])] {
        let config = bench.config(name, &Match { pairs: 8, candidate: &candidate, ..Match::default() });
        assert_eq!(finish(&mut bench.start(&config, name)).0, 0);
    }
    let (status, printed) =
        playself(&bench, &["report", "weak", "strong", "--svg", "plots", "--page", "week.html"]);
    assert_eq!(status, 0, "{printed}");
    let (status, json) = playself(&bench, &["report", "weak", "strong", "--json"]);
    assert_eq!(status, 0, "{json}");
    let runs: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(runs[0]["elo"].as_f64() >= runs[1]["elo"].as_f64(), "{json}");
    let best = runs[0]["name"].as_str().unwrap();
    let rows: Vec<&str> = printed.lines().collect();
    assert!(rows[0].starts_with("run ") && rows[1].starts_with(best), "{printed}");
    assert!(printed.contains('●'), "the chart as text: {printed}");
    let page = fs::read_to_string(bench.path("week.html")).unwrap();
    assert!(page.contains("2 runs compared") && page.contains("<svg"), "{page}");
    assert!(bench.path("plots/comparison.svg").exists());
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let bench = Bench::new();
    for command in ["report", "watch"] {
        let (status, printed) = playself(&bench, &[command, "."]);
        assert_eq!(status, 2, "{command}: {printed}");
        assert!(printed.contains("no plan.toml"), "{command}: {printed}");
    }
}

#[test]
fn the_page_of_a_tuning_run_shows_the_values_of_weights_toml() {
    let bench = Bench::new();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd.gz");
    let config = format!(
        "name = \"tuned\"\nseed = 1\nengine = \"builtin\"\n[tune]\ngames = 160\nparameters = [\"tempo_mg\", \"knight_value\"]\n\
         [games]\nnodes = 40\nconcurrency = 2\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 20\n",
        book.display()
    );
    fs::write(bench.path("tuned.toml"), config).unwrap();
    let (status, printed) = playself(&bench, &["tune", "tuned.toml", "--run-dir", "run"]);
    assert_eq!(status, 0, "{printed}");
    let page = bench.read("run", "report.html");
    for line in bench.read("run", "weights.toml").lines() {
        let (name, value) = line.split_once(" = ").unwrap();
        let row = page.split(&format!("<tr><td>{name}<td class=\"n\">")).nth(1).unwrap();
        let after = row.split("<td class=\"n\">").nth(1).unwrap();
        assert_eq!(after, value.replace('-', "\u{2212}"), "{name}");
    }
    assert!(page.contains("<figure id=\"path-1\">"));
    let has_gain = page.contains("<figure id=\"gain\">");
    assert!(
        has_gain
            || page.contains("The gain is drawn once two estimates have best values other than the start"),
        "a gain of nothing is not drawn"
    );
    assert!(page.contains("The run file has no acceptance test"), "there was no acceptance test");
    assert_eq!(playself(&bench, &["report", "run", "--svg", "plots"]).0, 0);
    assert!(bench.path("plots/weight-tempo-mg.svg").exists());
    assert_eq!(bench.path("plots/gain.svg").exists(), has_gain);
}

/// The acceptance test is part of the outcome in every report, also if the program was killed before it could write it down.
#[test]
fn the_outcome_of_a_tuning_run_is_the_same_everywhere() {
    let bench = Bench::new();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd.gz");
    let config = format!(
        "name = \"tuned\"\nseed = 1\nengine = \"builtin\"\n[tune]\ngames = 40\nmethod = \"spsa\"\nparameters = [\"tempo_mg\", \"knight_value\"]\n\
         [games]\nnodes = 40\nconcurrency = 2\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 20\n\
         [accept]\nnodes = 40\nelo = [0.0, 400.0]\nmax_pairs = 12\n",
        book.display()
    );
    fs::write(bench.path("tuned.toml"), config).unwrap();
    let (status, printed) = playself(&bench, &["tune", "tuned.toml", "--run-dir", "run"]);
    assert!([0, 1, 3].contains(&status), "{printed}");
    let summary = || -> serde_json::Value {
        let (status, json) = playself(&bench, &["report", "run", "--json"]);
        assert_eq!(status, 0, "{json}");
        serde_json::from_str(&json).unwrap()
    };
    let written: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    let state = written["tuning"]["acceptance"].as_str().unwrap().to_owned();
    assert!(["accepted", "rejected", "undecided"].contains(&state.as_str()), "{written}");
    assert_eq!(summary(), written);
    assert_eq!(written["elo"], serde_json::Value::Null, "trials against each other measure nothing");
    let test: serde_json::Value = serde_json::from_str(&bench.read("run/accept", "summary.json")).unwrap();
    assert_eq!((&written["tuning"]["test"], &written["verdict"]), (&test, &test["verdict"]));
    let word = state[..1].to_uppercase() + &state[1..];
    let page = bench.read("run", "report.html");
    assert!(page.contains(&format!("<h1>{word}: ")), "the headline has the verdict");
    for arguments in [&["report", "run"][..], &["report", "run", "--forum"]] {
        let (_, printed) = playself(&bench, arguments);
        assert!(printed.contains(&format!("Outcome: {word}: ")), "{printed}");
    }
    let (_, compared) = playself(&bench, &["report", "run", "run/accept"]);
    assert!(
        compared.lines().nth(2).unwrap().contains(&state)
            || compared.lines().nth(1).unwrap().contains(&state),
        "{compared}"
    );
    // The files agree with the journals, and without its summary the test is read from its journal.
    let (status, printed) = playself(&bench, &["verify", "run"]);
    assert!(status == 0 && printed.contains("summary.json: agrees"), "{printed}");
    fs::remove_file(bench.path("run/accept/summary.json")).unwrap();
    assert_eq!(summary()["tuning"]["acceptance"], state.as_str());
    // While its test is not complete, neither is the run.
    let journal = bench.read("run/accept", "journal.ndjson");
    let game = journal.find("\"type\":\"game\"").unwrap();
    let cut = (journal[..game].rfind('\n').unwrap() + 1).to_string();
    let (status, printed) = playself(&bench, &["verify", "run/accept", "--cut-journal-at", &cut]);
    assert_eq!(status, 0, "{printed}");
    // A kill during the test leaves the summary of the tuning as it was when the test began.
    let (status, printed) = playself(&bench, &["verify", "run"]);
    assert_eq!(status, 0, "{printed}");
    let completion = summary()["completion"].clone();
    assert_eq!(
        (&completion["status"], &completion["reason"]),
        (&"incomplete".into(), &"acceptance_test".into())
    );
    let (_, listed) = playself(&bench, &["list", "."]);
    let line = listed.lines().find(|line| line.contains("./run  ")).unwrap_or_default();
    assert!(line.contains("interrupted"), "{listed}");
    let (_, panel) = playself(&bench, &["watch", "run", "--once"]);
    assert!(panel.contains("Outcome In test: "), "{panel}");
}

/// A shell expands `results/*` to everything in the folder, and a published run may have no journal.
#[test]
fn other_files_are_left_out_of_a_comparison_and_published_runs_are_shown() {
    let bench = Bench::new();
    let config = bench.config("patch", &Match { pairs: 4, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "kept")).0, 0);
    assert_eq!(finish(&mut bench.start(&config, "bare")).0, 0);
    for record in ["journal.ndjson", "games.pgn", "pairs.csv"] {
        fs::remove_file(bench.path(&format!("bare/{record}"))).unwrap();
    }
    fs::write(bench.path("notes.md"), "text").unwrap();
    let (status, printed) = playself(&bench, &["report", "kept", "notes.md", "bare", "--page", "week.html"]);
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("notes.md is not a run folder")
            && printed.contains("kept")
            && printed.contains("bare"),
        "{printed}"
    );
    let (status, folder) = playself(&bench, &["report", "."]);
    assert!(
        status == 0 && folder.contains("kept") && folder.contains("bare"),
        "a folder of runs stands for them: {folder}"
    );
    let (status, printed) = playself(&bench, &["report", "bare"]);
    assert!(status == 0 && printed.contains("The journal is not in the folder"), "{printed}");
    let page = bench.read("bare", "report.html");
    assert!(page.contains("only the summary can be shown") && page.contains("Time control"));
}

/// A kill may leave a run without `summary.json`, or with an old one.
#[test]
fn a_killed_run_is_listed_with_the_result_of_its_journal() {
    let bench = Bench::new();
    let config = bench.config("two", &Match { pairs: 2, ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "{printed}");
    fs::remove_file(bench.path("run/summary.json")).unwrap();
    let (status, printed) = finish(Command::new(PLAYSELF).arg("list").arg(bench.path("run")));
    assert!(status == 0 && printed.contains("after 2 pairs"), "{printed}");
}
