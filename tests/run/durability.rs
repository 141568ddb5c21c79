//! Durability: a run that is killed anywhere resumes to the same results, and its files are derived from its journal.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use crate::records::processes_with;
use crate::run::{Bench, FAKE, Match, PLAYSELF, finish, spawn, wait_for};
use playself::failpoint::{self, Point};

/// Number of kills; `PLAYSELF_KILL_CYCLES` overrides it.
fn kill_cycles() -> u64 {
    std::env::var("PLAYSELF_KILL_CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

/// Pseudo-random numbers that are the same in every run.
fn scrambled(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 17
}

/// Kills and resumes a run at random moments and at random lengths of its journal until it has finished.
fn kill_loop(name: &str, cycles: u64, bench: &Bench, config: &Path) {
    let (status, printed) = finish(&mut bench.start(config, "whole"));
    let journal = bench.path("killed").join("journal.ndjson");
    let length = || fs::metadata(&journal).map_or(0, |found| found.len());
    let final_length = fs::metadata(bench.path("whole").join("journal.ndjson")).unwrap().len();
    let mut child = spawn(&mut bench.start(config, "killed"));
    let mut kills = 0;
    for cycle in 0..cycles {
        let before = length();
        let step = final_length / cycles;
        if cycle % 3 == 0 {
            std::thread::sleep(Duration::from_millis(scrambled(cycle) % 300));
        } else {
            let goal = before + 1 + scrambled(cycle) % (2 * step + 1);
            wait_for("progress or the end", 60, || length() >= goal || child.try_wait().unwrap().is_some());
        }
        if child.try_wait().unwrap().is_some() {
            break;
        }
        let valid = fs::read(&journal).unwrap_or_default();
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        wait_for("no engine left", 5, || processes_with(&format!("{FAKE} --salt {name}")).is_empty());
        let after = fs::read(&journal).unwrap_or_default();
        assert!(after.starts_with(&valid), "{name}, kill {kills}: the journal lost what it had");
        if !bench.path("killed").join("plan.toml").exists() {
            // Killed before the run existed: nothing was acknowledged yet.
            let _ = fs::remove_dir_all(bench.path("killed"));
            child = spawn(&mut bench.start(config, "killed"));
            continue;
        }
        child = spawn(&mut bench.resume("killed"));
    }
    child.wait().unwrap();
    let (resumed, output) = finish(&mut bench.resume("killed"));
    assert_eq!(resumed, status, "{name}: {printed}\n{output}");
    assert_eq!(bench.results("killed"), bench.results("whole"), "{name} after {kills} kills");
    assert!(kills > 0, "{name}: the run was never killed");
    let verified = bench.verify("killed");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let report = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(!report.contains("rewritten"), "{report}");
}

#[test]
fn a_match_killed_anywhere_ends_with_the_same_results() {
    let bench = Bench::new();
    let config = bench.config(
        "101",
        &Match {
            pairs: 60,
            candidate: &["--salt", "101"],
            baseline: &["--salt", "101", "--sleep-ms", "1"],
            games: "concurrency = 3",
            rest: "",
        },
    );
    kill_loop("101", kill_cycles(), &bench, &config);
}

/// Pair and number of every game in the journal of a run.
fn games_on_record(bench: &Bench, run: &str) -> Vec<(u64, String)> {
    let lines = bench.read(run, "journal.ndjson");
    let records = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let games = records.filter(|record| record["type"] == "game");
    games.map(|game| (game["pair"].as_u64().unwrap(), game["game"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn a_test_killed_at_every_fail_point_ends_the_same_and_replays_no_finished_game() {
    let bench = Bench::new();
    // Nearly all games are drawn at the move limit, so the test ends after a few pairs.
    let rest = "[sprt]\nelo = [200.0, 400.0]";
    let games = "concurrency = 2";
    let config = bench.config("points", &Match { pairs: 500, games, rest, ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, "whole"));
    assert_eq!(status, 1, "{printed}");
    let often = if kill_cycles() > 12 { 20 } else { 1 };
    for point in Point::deadly() {
        for hit in 1..=often {
            let once = matches!(point, Point::BeforeDecision | Point::AfterDecision | Point::BeforeEnd);
            let at = if once { 1 } else { hit + 1 };
            let run = format!("{}-{at}", point.name());
            let armed = format!("{}:{at}", point.name());
            let mut child = spawn(bench.start(&config, &run).env(failpoint::VARIABLE, &armed));
            let death = child.wait().unwrap().signal();
            // Some points are passed less often than `hit` times; each must be passed at least once.
            assert!(death == Some(9) || hit > 1, "{armed}: the point was never passed");
            let mut again = if bench.path(&run).join("plan.toml").exists() {
                bench.resume(&run)
            } else {
                bench.start(&config, &run)
            };
            let (resumed, output) = finish(&mut again);
            assert_eq!(resumed, status, "{armed}: {output}");
            assert_eq!(bench.results(&run), bench.results("whole"), "{armed}");
            let decisions = bench.read(&run, "journal.ndjson").matches("\"type\":\"decision\"").count();
            assert_eq!(decisions, 1, "{armed}");
            let mut games = games_on_record(&bench, &run);
            let all = games.len();
            games.sort_unstable();
            games.dedup();
            assert_eq!(games.len(), all, "{armed}: a finished game was played again");
            let verified = bench.verify(&run);
            assert!(verified.status.success(), "{armed}: {}", String::from_utf8_lossy(&verified.stderr));
        }
    }
}

#[test]
fn a_test_killed_anywhere_reaches_the_same_decision_on_the_same_pairs() {
    let bench = Bench::new();
    let config = bench.engine_test("102", "", "set = { knight_value = 100 }", [0, 60]);
    kill_loop("102", kill_cycles(), &bench, &config);
}

#[test]
fn row_70_a_second_program_on_the_same_run_is_refused() {
    let bench = Bench::new();
    let config =
        bench.config("two", &Match { pairs: 1000, candidate: &["--sleep-ms", "5"], ..Match::default() });
    let mut first = spawn(&mut bench.start(&config, "run"));
    wait_for("a first game", 20, || {
        fs::metadata(bench.path("run/journal.ndjson")).is_ok_and(|j| j.len() > 600)
    });
    for mut second in [bench.resume("run"), bench.start(&config, "run")] {
        let (status, printed) = finish(&mut second);
        assert!(
            status == 4 && printed.contains("another playself")
                || status == 2 && printed.contains("already holds"),
            "{status}: {printed}"
        );
    }
    assert_eq!(bench.verify("run").status.code(), Some(4));
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn row_71_a_changed_engine_book_or_plan_is_refused_with_what_changed() {
    let bench = Bench::new();
    let engine = bench.path("engine");
    fs::copy(FAKE, &engine).unwrap();
    let config = bench.config("changed", &Match { pairs: 2, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap().replacen(FAKE, engine.to_str().unwrap(), 1);
    fs::write(&config, text).unwrap();
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    for (file, what) in [
        ("engine", "has changed"),
        ("book.epd", "has changed"),
        ("run/plan.toml", "max_pairs was 2 and is 3 now"),
    ] {
        let path = bench.path(file);
        let old = fs::read(&path).unwrap();
        let mut new = old.clone();
        new.extend_from_slice(b"\n");
        if file == "run/plan.toml" {
            new = String::from_utf8(new).unwrap().replace("max_pairs = 2", "max_pairs = 3").into_bytes();
        }
        // The file of a running program cannot be written to, but it can be replaced.
        fs::remove_file(&path).unwrap();
        fs::write(&path, &new).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let (status, printed) = finish(&mut bench.resume("run"));
        assert_eq!(status, 4, "{file}: {printed}");
        assert!(printed.contains(what), "{file}: {printed}");
        fs::write(&path, &old).unwrap();
    }
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
}

#[test]
fn row_69_deleted_truncated_and_edited_files_are_restored_from_the_journal() {
    let bench = Bench::new();
    let config = bench.config("repair", &Match { pairs: 4, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let good = bench.results("run");
    type Damage = fn(&str) -> String;
    let spoil: [(&str, Damage); 4] = [
        ("games.pgn", |text| text[..text.len() / 2].to_owned()),
        ("games.pgn", |text| text.replacen("e4", "e3", 1) + "x"),
        ("pairs.csv", |text| text.replace("adjudicated", "x").lines().take(2).collect::<Vec<_>>().join("\n")),
        ("summary.json", |_| "{}".to_owned()),
    ];
    for (name, change) in spoil {
        let path = bench.path("run").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(&text)).unwrap();
        let output = bench.verify("run");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && printed.contains(&format!("{name}: differed")), "{printed}");
        assert_eq!(bench.results("run"), good, "{name}");
    }
    fs::remove_file(bench.path("run/games.pgn")).unwrap();
    fs::remove_file(bench.path("run/pairs.csv")).unwrap();
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
    assert_eq!(bench.results("run"), good);
}

#[test]
fn rows_66_and_67_a_torn_journal_is_replayed_and_a_damaged_one_refused_with_its_offset() {
    let bench = Bench::new();
    let config = bench.config("torn", &Match { pairs: 3, games: "concurrency = 1", ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let good = bench.results("run");
    let path = bench.path("run/journal.ndjson");
    let whole = fs::read(&path).unwrap();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
        .collect();
    // Cut inside the fourth record from the end and resumed, the run plays the same games again.
    fs::write(&path, &whole[..starts[starts.len() - 4] + 40]).unwrap();
    let (status, printed) = finish(&mut bench.resume("run"));
    assert_eq!((status, printed.contains("incomplete record")), (0, true), "{printed}");
    assert_eq!(bench.results("run"), good);

    let mut flipped = whole.clone();
    flipped[usize::midpoint(starts[4], starts[5])] ^= 1;
    fs::write(&path, &flipped).unwrap();
    for (status, printed) in [finish(&mut bench.resume("run")), {
        let output = bench.verify("run");
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    }] {
        assert_eq!(status, 4, "{printed}");
        assert!(printed.contains(&format!("byte {}", starts[4])), "{printed}");
    }
    let offset = starts[4].to_string();
    let mut cut = std::process::Command::new(PLAYSELF);
    cut.arg("verify").arg(bench.path("run")).args(["--cut-journal-at", &offset]);
    assert_eq!(finish(&mut cut).0, 0);
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
    assert_eq!(bench.results("run"), good);

    // A run that was killed before its first record was complete starts again under its plan. If games exist already,
    // the journal was lost instead, and the games stay.
    for length in [0, 1, starts[1] - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let (status, printed) = finish(&mut bench.resume("run"));
        assert_eq!(
            (status, printed.contains("has no record of the games")),
            (4, true),
            "{length} bytes: {printed}"
        );
        assert_eq!(bench.results("run"), good, "{length} bytes");
        fs::write(bench.path("run/games.pgn"), "").unwrap();
        fs::remove_file(bench.path("run/pairs.csv")).unwrap();
        let (status, printed) = finish(&mut bench.resume("run"));
        assert_eq!(status, 0, "{length} bytes: {printed}");
        assert_eq!(bench.results("run"), good, "{length} bytes");
    }
}

#[test]
fn row_72_a_journal_of_a_newer_program_is_refused() {
    let bench = Bench::new();
    let config = bench.config("newer", &Match { pairs: 1, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let path = bench.path("run/journal.ndjson");
    let text = fs::read_to_string(&path).unwrap();
    let payload = serde_json::json!({ "type": "run", "format": 99, "program": "9", "plan": "" });
    let first = playself::journal::encode(0, 1, &payload).unwrap();
    let newer = [&first, text.split_once('\n').unwrap().1.as_bytes()].concat();
    fs::write(&path, &newer).unwrap();
    let (status, printed) = finish(&mut bench.resume("run"));
    assert_eq!((status, printed.contains("format 99")), (4, true), "{printed}");
    assert_eq!(fs::read(&path).unwrap(), newer, "the journal is unchanged");
}

#[test]
fn a_tuning_run_killed_and_resumed_has_the_same_trials_at_any_concurrency() {
    let bench = Bench::new();
    let config = bench.path("tune.toml");
    let text = format!(
        "name = \"tune\"\nseed = 1\nengine = \"builtin\"\n[tune]\ngames = 102\nparameters = [\"*_mobility\"]\n\
         [games]\nnodes = 100\nopenings = \"{}\"\n[adjudicate]\nmax_moves = 40\n",
        bench.path("book.epd").display(),
    );
    fs::write(&config, text).unwrap();
    let tune = |run: &str, concurrency: &str| {
        let mut command = std::process::Command::new(PLAYSELF);
        command
            .arg("tune")
            .arg(&config)
            .arg("--run-dir")
            .arg(bench.path(run))
            .args(["--concurrency", concurrency]);
        command
    };
    let (status, printed) = finish(&mut tune("whole", "1"));
    assert_eq!(status, 0, "{printed}");
    let mut killed = spawn(&mut tune("killed", "5"));
    let journal = bench.path("killed/journal.ndjson");
    wait_for("some games", 60, || fs::metadata(&journal).is_ok_and(|found| found.len() > 9000));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (status, printed) = finish(&mut bench.resume("killed"));
    assert_eq!(status, 0, "{printed}");
    for file in ["trials.csv", "weights.toml", "games.pgn", "pairs.csv"] {
        assert_eq!(bench.read("killed", file), bench.read("whole", file), "{file}");
    }
    let trials = bench.read("whole", "trials.csv");
    let rows: Vec<Vec<&str>> = trials.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{trials}");
    for (name, value) in [("gain_error", true), ("games_left", true), ("knight_mobility_low", false)] {
        let place = rows[0].iter().position(|known| *known == name).unwrap();
        assert_eq!((rows[49][place], rows[50][place].is_empty()), ("", !value), "{name}");
    }
}
