//! Commands that play or control a run: results, exit statuses, events, signals, live control.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::machine;
use crate::run::{Bench, FAKE, Match, PLAYSELF, finish, spawn, wait_for};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

fn classic(bench: &Bench, args: &[&str]) -> (i32, String) {
    let mut command = Command::new(PLAYSELF);
    command.args(args).args(["--depth", "1", "--max-moves", "30"]).current_dir(bench.folder.path());
    finish(&mut command)
}

#[test]
fn the_same_seed_gives_the_same_files_at_every_concurrency() {
    let bench = Bench::new();
    let mut seen = Vec::new();
    for concurrency in ["1", "2", "8"] {
        let config = bench.config("same", &Match { pairs: 24, ..Match::default() });
        let (status, printed) =
            finish(bench.start(&config, concurrency).args(["--concurrency", concurrency]));
        assert_eq!(status, 0, "{printed}");
        seen.push(bench.results(concurrency));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    assert_eq!(seen[0].0.matches("[Event ").count(), 48);
}

/// A harmful weight: a queen is worth one or two pawns.
const HARMFUL: &str = "set = { queen_value = 100 }";

#[test]
fn the_same_test_decides_the_same_on_the_same_pairs_at_every_concurrency() {
    let bench = Bench::new();
    let mut seen = Vec::new();
    for concurrency in ["1", "2", "8"] {
        let config = bench.engine_test("test", "", HARMFUL, [0, 150]);
        let (status, printed) =
            finish(bench.start(&config, concurrency).args(["--concurrency", concurrency]));
        assert_eq!(status, 0, "{printed}");
        assert!(printed.contains("H1 was accepted"), "{printed}");
        seen.push(bench.results(concurrency));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

#[test]
fn adjudication_flags_work_as_their_help_describes() {
    let bench = Bench::new();
    let engines = ["--white", FAKE, "--black", FAKE];
    let flags = ["--draw", "34,8,20", "--resign=3,600", "--run-dir", "run"];
    let (status, printed) = classic(&bench, &[engines.as_slice(), flags.as_slice()].concat());
    assert_eq!(status, 0, "{printed}");
    let plan = bench.read("run", "plan.toml");
    for line in ["after_move = 34", "moves = 8", "cp = 20", "moves = 3", "cp = 600"] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    for wrong in ["1,2", "1,2,x", "1,2,3,4"] {
        let (status, printed) = classic(&bench, &[engines.as_slice(), &["--draw", wrong]].concat());
        assert_eq!((status, printed.contains("expected 3 comma-separated")), (2, true), "{printed}");
    }
}

#[test]
fn endgame_tables_end_games_and_folders_without_tables_are_refused() {
    let bench = Bench::new();
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chess/data/syzygy");
    fs::write(bench.path("won.epd"), "7k/8/5K2/8/8/8/8/R7 b - - hmvc 0; fmvn 1;\n").unwrap();
    let engines = ["--white", FAKE, "--black", FAKE, "--openings", "won.epd", "--run-dir", "run"];
    let (status, printed) = classic(&bench, &[engines.as_slice(), &["--tablebases", tables]].concat());
    assert_eq!(status, 0, "{printed}");
    assert_eq!(printed.matches("1-0 {White wins by adjudication: SyzygyTB}").count(), 2, "{printed}");
    assert!(bench.read("run", "journal.ndjson").contains("\"reason\":\"tablebase\""));
    let pgn = bench.read("run", "games.pgn");
    assert_eq!(pgn.matches("[Termination \"adjudication\"]").count(), 2, "{pgn}");
    assert!(bench.read("run", "plan.toml").contains(tables), "the plan records the folder");
    let (status, printed) = finish(Command::new(PLAYSELF).arg("verify").arg(bench.path("run")));
    assert_eq!(status, 0, "{printed}");
    fs::create_dir(bench.path("empty")).unwrap();
    for (folder, expected) in [("empty", "no endgame tables"), ("missing", "cannot be read")] {
        let flags = ["--white", FAKE, "--black", FAKE, "--tablebases", folder, "--run-dir", "refused"];
        let (status, printed) = classic(&bench, &flags);
        assert_eq!((status, printed.contains(expected)), (2, true), "{printed}");
        assert!(!bench.path("refused").exists());
    }
}

#[test]
fn a_missing_journal_is_reported_and_the_other_files_stay() {
    let bench = Bench::new();
    let config = bench.config("lost", &Match { pairs: 2, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let games = bench.read("run", "games.pgn");
    fs::remove_file(bench.path("run/journal.ndjson")).unwrap();
    let pairs = bench.read("run", "pairs.csv");
    for (command, expected, message) in [
        ("verify", 4, "journal.ndjson is missing"),
        ("resume", 4, "journal.ndjson is missing"),
        ("report", 4, "journal.ndjson is missing: a report needs it"),
    ] {
        let (status, printed) = finish(Command::new(PLAYSELF).arg(command).arg(bench.path("run")));
        assert_eq!((status, printed.contains(message)), (expected, true), "{command}: {printed}");
        assert!(!bench.path("run/journal.ndjson").exists(), "{command} created another journal");
        assert_eq!(bench.read("run", "games.pgn"), games, "{command}");
        assert_eq!(bench.read("run", "pairs.csv"), pairs, "{command}");
    }
}

#[test]
fn sprt_bounds_are_refused_for_a_tuning_run() {
    let bench = Bench::new();
    let config = bench.path("tune.toml");
    fs::write(&config, "engine = \"builtin\"\n[tune]\ngames = 4\nparameters = [\"tempo_mg\"]\n").unwrap();
    let mut command = Command::new(PLAYSELF);
    let (status, printed) = finish(command.arg("tune").arg(&config).args(["--sprt", "0,5"]));
    assert_eq!((status, printed.contains("[accept]")), (2, true), "{printed}");
}

#[test]
fn the_values_of_a_tuning_run_that_was_killed_can_be_tested() {
    let bench = Bench::new();
    let config = "engine = \"builtin\"\nseed = 1\n[tune]\ngames = 400\nparameters = [\"knight_value\"]\n\
                  [tune.bounds.knight_value]\nmin = 20\nmax = 700\nstart = 60\n[games]\nnodes = 60\nconcurrency = 1\n\
                  [adjudicate]\nmax_moves = 30\nresign = { moves = 2, cp = 400 }\n\
                  [accept]\nnodes = 80\nelo = [0.0, 5.0]\nmax_pairs = 2\n";
    fs::write(bench.path("tune.toml"), config).unwrap();
    let playself =
        |arguments: &[&str]| finish(Command::new(PLAYSELF).args(arguments).current_dir(bench.path("")));
    let (_, printed) = playself(&["tune", "tune.toml", "--run-dir", "run"]);
    assert!(!printed.contains("playself sprt"), "its test follows by itself: {printed}");
    let journal = bench.read("run", "journal.ndjson");
    let kept: Vec<&str> = journal.lines().take(journal.lines().count() * 9 / 10).collect();
    fs::write(bench.path("run/journal.ndjson"), kept.join("\n") + "\n").unwrap();
    let (_, printed) = playself(&["report", "run"]);
    assert!(printed.contains("To test the best values so far: playself sprt run\n"), "{printed}");
    let (status, printed) = playself(&["sprt", "run", "--run-dir", "test"]);
    assert!([0, 1, 3].contains(&status), "{printed}");
    let plan: toml::Table = bench.read("test", "plan.toml").parse().unwrap();
    assert_eq!((plan["max_pairs"].as_integer(), plan["sprt"].is_table()), (Some(2), true), "{plan}");
    let side = |at: usize| {
        let engine = &plan["engines"][at];
        assert_eq!(engine["limits"]["nodes"].as_integer(), Some(80), "{plan}");
        (engine["spec"]["name"].as_str().unwrap().to_owned(), engine["spec"]["options"].to_string())
    };
    assert_eq!(side(1).0, "before");
    assert!(side(1).1.contains("\"60\""), "{plan}");
    assert_eq!(side(0).0, "tuned");
    assert_ne!(side(0).1, side(1).1, "{plan}");
    for (arguments, part) in [
        (&["sprt", "test"][..], "is not the folder of a tuning run"),
        (&["sprt", "run", "--sprt", "0,10"], "run has a plan, which is played as it is"),
        (&["sprt", "test/plan.toml", "--nodes", "90"], "test/plan.toml has a plan, which is played as it is"),
    ] {
        let (status, printed) = playself(arguments);
        assert_eq!((status, printed.contains(part)), (2, true), "{arguments:?}: {printed}");
    }
}

#[test]
fn two_engines_alone_are_enough_to_play_and_report_a_pair() {
    let bench = Bench::new();
    let (status, printed) = classic(&bench, &["--white", FAKE, "--black", FAKE]);
    assert_eq!(status, 0, "{printed}");
    for line in [
        "Started game 1 of 2 (fake-engine vs fake-engine_2)",
        "Finished game 2 (fake-engine_2 vs fake-engine): ",
        "Finished match",
    ] {
        assert!(printed.contains(line), "{line} not in:\n{printed}");
    }
    let runs: Vec<_> = fs::read_dir(bench.path("results")).unwrap().collect();
    assert_eq!(runs.len(), 1);
}

#[test]
fn the_conditions_state_what_an_engine_does_by_default() {
    let bench = Bench::new();
    let arguments = ["--engine", "builtin", "--engine", "cmd=builtin option.Hash=4"];
    let (status, printed) = classic(&bench, &arguments);
    assert_eq!(status, 0, "{printed}");
    let run = fs::read_dir(bench.path("results")).unwrap().next().unwrap().unwrap().path();
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("builtin: 16 MB by default; builtin_2: 4 MB"), "{page}");
    assert!(page.contains("1 by default"), "{page}");
}

#[test]
fn a_tuning_run_reports_its_values_and_ends_with_one_verdict() {
    let bench = Bench::new();
    let config = "engine = \"builtin\"\nseed = 1\n[tune]\ngames = 300\nparameters = [\"knight_value\"]\n\
                  [tune.bounds.knight_value]\nmin = 20\nmax = 700\nstart = 60\n[games]\nnodes = 60\nconcurrency = 2\n\
                  [adjudicate]\nmax_moves = 30\nresign = { moves = 2, cp = 400 }\n\
                  [accept]\nnodes = 60\nelo = [0.0, 5.0]\nmax_pairs = 2\n";
    fs::write(bench.path("tune.toml"), config).unwrap();
    let mut command = Command::new(PLAYSELF);
    command.args(["tune", "tune.toml", "--run-dir", "run", "--json"]).current_dir(bench.path(""));
    let output = command.output().unwrap();
    let events: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tuned: Vec<_> = events.iter().filter(|event| event["event"] == "tuned").collect();
    let best = tuned[0]["parameters"][0]["best"].as_f64().unwrap();
    assert_eq!((tuned.len(), best > 60.0), (1, true), "{tuned:?}");
    assert_eq!(bench.read("run", "weights.toml"), format!("knight_value = {best}\n"));
    assert_eq!(events.iter().filter(|event| event["event"] == "verdict").count(), 1);
    let verdict = events.last().unwrap();
    assert_eq!((verdict["event"].as_str(), verdict["candidate"].as_str()), (Some("verdict"), Some("tuned")));
}

#[test]
fn with_json_standard_output_has_event_lines_only() {
    let bench = Bench::new();
    let config = bench.config("json", &Match { pairs: 2, ..Match::default() });
    let output = bench.start(&config, "run").arg("--json").output().unwrap();
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events.iter().filter(|event| **event == "game").count(), 4);
    assert_eq!(events.iter().filter(|event| **event == "pair").count(), 2);
    let verdict = lines.last().unwrap();
    assert_eq!((verdict["event"].as_str(), verdict["verdict"].as_str()), (Some("verdict"), Some("none")));
    let summary: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    for (key, value) in summary.as_object().unwrap() {
        assert_eq!(&verdict[key], value, "{key}");
    }
    let game = lines.iter().find(|line| line["event"] == "game").unwrap();
    for key in ["pair", "game", "white", "black", "result", "reason", "plies", "fault"] {
        assert!(game.get(key).is_some(), "{key} missing in {game}");
    }
}

#[test]
fn exit_statuses_report_the_outcome() {
    let bench = Bench::new();
    let test = |name: &str, baseline: &[&str], pairs: u64, rest: &str| {
        let games = "breaker = \"off\"";
        let config = bench.config(name, &Match { pairs, baseline, games, rest, ..Match::default() });
        finish(&mut bench.start(&config, name))
    };
    let loser = ["--on", "on go#5+: write bestmove 0000\\n"];
    let sprt = "[sprt]\nelo = [0.0, 200.0]";
    for (case, status, (found, printed)) in [
        ("finished", 0, test("finished", &["--salt", "9"], 2, "")),
        ("accepted", 0, test("accepted", &loser, 500, sprt)),
        ("rejected", 1, test("rejected", &["--salt", "1"], 500, "[sprt]\nelo = [200.0, 400.0]")),
        ("undecided", 3, test("undecided", &["--salt", "9"], 1, "[sprt]\nelo = [0.0, 1.0]")),
        ("no such engine", 2, classic(&bench, &["--white", "/no/such/engine", "--black", FAKE])),
        ("half a call", 2, classic(&bench, &["--white", FAKE])),
        ("no engine at all", 4, classic(&bench, &["--white", "/bin/true", "--black", FAKE])),
    ] {
        assert_eq!(found, status, "{case}: {printed}");
    }
}

#[test]
fn an_engine_that_always_fails_stops_a_long_run_and_keeps_its_results() {
    let bench = Bench::new();
    let config = bench
        .config("breaker", &Match { pairs: 500, baseline: &["--on", "on go#3: exit 3"], ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("engines failed in"), "{printed}");
    assert!(bench.read("run", "pairs.csv").contains("crash(exit 3)"));
    assert!(fs::read_dir(bench.path("run/faults")).unwrap().count() >= 10);
}

#[test]
fn all_mistakes_in_a_config_are_reported_with_their_lines() {
    let bench = Bench::new();
    let config = bench.path("bad.toml");
    fs::write(
        &config,
        "name = 3\n[candidate]\nengin = \"builtin\"\n[games]\nmax_pair = 2\ndepth = \"deep\"\n",
    )
    .unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 2);
    for part in [
        "bad.toml:1: name must be",
        "bad.toml:3: unknown key `candidate.engin`; did you mean `engine`?",
        "bad.toml:5: unknown key `games.max_pair`; did you mean `max_pairs`?",
        "bad.toml:6: games.depth must be",
    ] {
        assert!(printed.contains(part), "{part} not in:\n{printed}");
    }
    assert!(!bench.path("run").exists());
    fs::write(bench.path("book.epd"), "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - -\nnonsense\n").unwrap();
    let config = bench.config("bad-book", &Match::default());
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains('2'), "the line is named: {printed}");
}

#[test]
fn unfair_conditions_are_reported_and_refused_with_strict() {
    let bench = Bench::new();
    let config = bench.config("unfair", &Match { pairs: 1, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap().replace("name = \"old\"", "name = \"old\"\ndepth = 2");
    fs::write(&config, text).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "lax"));
    assert_eq!(
        (status, printed.contains("Warning: new thinks depth=1, old depth=2")),
        (0, true),
        "{printed}"
    );
    let (status, printed) = finish(bench.start(&config, "strict").arg("--strict"));
    assert_eq!((status, printed.contains("--strict")), (2, true), "{printed}");
    assert!(!bench.path("strict").exists());
    let text = fs::read_to_string(&config).unwrap().replace("name = \"new\"", "name = \"new\"\ndepth = 1");
    fs::write(&config, text).unwrap();
    let (status, printed) = finish(bench.start(&config, "asked").arg("--strict"));
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("Note: new thinks depth=1, old depth=2, as written"), "{printed}");
}

#[test]
fn different_default_options_are_unfair_conditions() {
    let bench = Bench::new();
    let greedy = bench.script(
        "greedy",
        "while read line; do case $line in \
         uci) echo option name Hash type spin default 64 min 1 max 1024; \
         echo option name Threads type spin default 2 min 1 max 8; echo uciok;; \
         isready) echo readyok;; quit) exit;; esac; done",
    );
    let call = ["--white", FAKE, "--black", &greedy, "--depth", "1", "--strict", "--option", "Hash=16"];
    let play = |args: &[&str]| finish(Command::new(PLAYSELF).args(args).current_dir(bench.folder.path()));
    let (status, printed) = play(&call[..7]);
    assert_eq!(status, 2, "{printed}");
    for expected in [
        "Hash is 16 by default for fake-engine, 64 by default for greedy",
        "Threads is 1 by default for fake-engine, 2 by default for greedy",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let (_, printed) = play(&call);
    assert!(!printed.contains("Hash is") && printed.contains("Threads is"), "{printed}");
}

#[test]
fn more_games_than_processors_are_reported_first_and_refused_with_strict() {
    let bench = Bench::new();
    let games = "tc = \"10+1\"\nconcurrency = 64";
    let config = bench.config("crowded", &Match { pairs: 64, games, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap().replace("depth = 1\n", "");
    fs::write(&config, text).unwrap();
    let (status, printed) = finish(bench.start(&config, "strict").arg("--strict"));
    assert_eq!((status, printed.contains("64 games at once need 64 processors")), (2, true), "{printed}");
    let output = bench.start(&config, "lax").args(["--json", "--games", "128"]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let events: Vec<serde_json::Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let place = |kind: &str| events.iter().position(|event| event["event"] == kind);
    let warned = place("warning").unwrap();
    assert!(events[warned]["text"].as_str().unwrap().contains("64 games at once"), "{printed}");
    assert!(warned < place("game").unwrap());
}

#[test]
fn more_than_two_engines_play_a_tournament_with_a_table() {
    let bench = Bench::new();
    let engines = [FAKE, FAKE, FAKE];
    let mut command = Command::new(PLAYSELF);
    command.arg("match").current_dir(bench.folder.path());
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args(["--games", "12", "--depth", "1", "--max-moves", "20", "--run-dir", "run"]);
    let (status, printed) = finish(&mut command);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("Rank Name"), "{printed}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    assert_eq!(summary["table"].as_array().unwrap().len(), 3);
    let pairs = bench.read("run", "pairs.csv");
    let ends: Vec<&str> =
        pairs.lines().map(|line| &line[line.match_indices(',').nth_back(1).unwrap().0..]).collect();
    let (first, second, third) = ("fake-engine", "fake-engine_2", "fake-engine_3");
    assert_eq!(ends[0], ",game1_white,game1_black");
    for [white, black] in [[first, second], [first, third], [second, third]] {
        let met = |end: &&&str| **end == format!(",{white},{black}") || **end == format!(",{black},{white}");
        assert_eq!(ends.iter().filter(met).count(), 2, "{white} {black}: {pairs}");
    }
    assert_eq!(bench.read("run", "games.pgn").matches("[Event ").count(), 12);
}

fn slow(bench: &Bench) -> std::path::PathBuf {
    bench.config(
        "slow",
        &Match {
            pairs: 500,
            candidate: &["--salt", "4", "--sleep-ms", "20"],
            games: "concurrency = 2",
            ..Match::default()
        },
    )
}

fn started(bench: &Bench) -> impl FnMut() -> bool {
    let journal = bench.path("run/journal.ndjson");
    move || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"type\":\"game\""))
}

#[test]
fn interrupted_runs_drain_or_stop_in_time_and_stay_valid() {
    let _machine = machine::share();
    for (case, signals, at_most) in [
        ("one Ctrl-C finishes the pairs", vec![Signal::SIGINT], 20),
        ("two stop now", vec![Signal::SIGINT, Signal::SIGINT], 4),
        ("SIGTERM", vec![Signal::SIGTERM], 14),
        ("SIGHUP", vec![Signal::SIGHUP], 14),
    ] {
        let bench = Bench::new();
        let mut child = spawn(&mut bench.start(&slow(&bench), "run"));
        wait_for("a first game", 30, started(&bench));
        let begun = Instant::now();
        for signal in signals {
            kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
            std::thread::sleep(Duration::from_millis(150));
        }
        assert_eq!(child.wait().unwrap().code(), Some(130), "{case}");
        assert!(begun.elapsed() < Duration::from_secs(at_most), "{case} took {:?}", begun.elapsed());
        let verified = bench.verify("run");
        assert!(verified.status.success(), "{case}");
        let journal = bench.read("run", "journal.ndjson");
        let expected = if case.starts_with("two") { journal.contains("\"abandoned\"") } else { true };
        assert!(expected, "{case}");
    }
}

#[test]
fn an_interruption_of_the_rest_after_a_pair_takes_nothing_back() {
    let bench = Bench::new();
    let config = bench
        .config("rest", &Match { pairs: 3, games: "concurrency = 1\nwait_ms = 3000", ..Match::default() });
    let mut child = spawn(&mut bench.start(&config, "run"));
    let journal = bench.path("run/journal.ndjson");
    let games = || fs::read_to_string(&journal).map_or(0, |text| text.matches("\"type\":\"game\"").count());
    wait_for("both games of a pair", 30, || games() == 2);
    for _ in 0..2 {
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let abandoned = bench.read("run", "journal.ndjson").contains("\"type\":\"abandoned\",\"pair\":0,");
    assert_eq!((games(), abandoned), (2, false));
    let verified = bench.verify("run");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

#[test]
fn control_commands_query_and_change_a_running_run() {
    let _machine = machine::share();
    let bench = Bench::new();
    let mut child = spawn(&mut bench.start(&slow(&bench), "run"));
    wait_for("a first game", 30, started(&bench));
    let ask = |words: &[&str]| {
        let mut command = Command::new(PLAYSELF);
        command.arg(words[0]).arg(bench.path("run")).args(&words[1..]);
        let (status, printed) = finish(&mut command);
        (status, serde_json::from_str::<serde_json::Value>(&printed).unwrap_or_default())
    };
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(bench.path("run/control.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(ask(&["status"]).1["phase"], "playing");
    let (status, printed) = finish(Command::new(PLAYSELF).arg("report").arg(bench.path("run")));
    assert_eq!((status, printed.contains("The run is being played.")), (0, true), "{printed}");
    assert!(!printed.contains("interrupted"), "{printed}");
    assert_eq!(ask(&["concurrency", "4"]).1["concurrency"], 4);
    assert_eq!(ask(&["pause"]).1["phase"], "paused");
    wait_for("the pause", 30, || ask(&["status"]).1["playing"] == 0);
    let before = ask(&["status"]).1["seconds"].as_f64().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(ask(&["continue"]).1["phase"], "playing");
    wait_for("play", 10, || ask(&["status"]).1["playing"] != 0);
    let after = ask(&["status"]).1["seconds"].as_f64().unwrap();
    assert!(after < before + 1.5, "a pause does not count: {before} s, then {after} s");
    assert_eq!(ask(&["concurrency", "1"]).1["concurrency"], 1);
    assert_eq!(ask(&["stop"]).1["phase"], "stopping");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(ask(&["status"]).0, 4);
    let verified = bench.verify("run");
    assert!(verified.status.success());
}

#[test]
fn commands_on_a_run_that_is_not_running_report_what_is_wrong() {
    let bench = Bench::new();
    let config = bench.config("done", &Match { pairs: 1, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "done")).0, 0);
    let good = bench.results("done");
    // A socket as a killed run leaves it: without a listener.
    let journal = fs::read(bench.path("done/journal.ndjson")).unwrap();
    for stale in [false, true] {
        if stale {
            drop(std::os::unix::net::UnixListener::bind(bench.path("done/control.sock")).unwrap());
        }
        for command in ["status", "pause", "continue", "stop", "concurrency"] {
            for (place, status, expected) in [
                ("done", 4, "is not running: `playself report`"),
                ("nowhere", 2, "nowhere does not exist"),
                ("done.toml", 2, "is not a run folder"),
            ] {
                let mut asked = Command::new(PLAYSELF);
                asked.arg(command).arg(bench.path(place)).args((command == "concurrency").then_some("2"));
                let (code, printed) = finish(&mut asked);
                assert_eq!(code, status, "{command} {place}: {printed}");
                assert!(printed.contains(expected), "{command} {place}: {printed}");
            }
        }
    }
    for command in ["resume", "verify", "report"] {
        let (code, printed) = finish(Command::new(PLAYSELF).arg(command).arg(bench.path("nowhere")));
        assert_eq!((code, printed.contains("does not exist")), (2, true), "{command}: {printed}");
        let (code, printed) = finish(Command::new(PLAYSELF).arg(command).arg(bench.path("done")));
        assert_eq!(code, 0, "{command}: {printed}");
        assert_eq!(bench.results("done"), good, "{command} does not change a finished run");
    }
    let after = fs::read(bench.path("done/journal.ndjson")).unwrap();
    assert!(after.starts_with(&journal));
}

#[test]
fn a_harmful_weight_is_rejected_and_its_correction_accepted() {
    let bench = Bench::new();
    for (case, candidate, baseline, status) in [("harmful", HARMFUL, "", 1), ("corrected", "", HARMFUL, 0)] {
        let config = bench.engine_test(case, candidate, baseline, [0, 60]);
        let (found, printed) = finish(&mut bench.start(&config, case));
        assert_eq!(found, status, "{case}: {printed}");
    }
}

#[test]
fn an_engine_runs_in_a_private_folder_and_within_limits_if_configured() {
    let bench = Bench::new();
    let engine = bench.script(
        "nosy",
        &format!("pwd >>{0}/seen; ulimit -f >>{0}/seen; exec {FAKE}", bench.folder.path().display()),
    );
    let config = bench.config("bounds", &Match { pairs: 1, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap().replacen(FAKE, &engine, 1);
    let table = "name = \"new\"\ndir = \"private\"\nfile_mb = 1\nprocesses = 100000\nmove_cap_s = 2";
    fs::write(&config, text.replacen("name = \"new\"", table, 1)).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "{printed}");
    let seen = fs::read_to_string(bench.path("seen")).unwrap();
    let lines: Vec<&str> = seen.lines().collect();
    assert!(!lines[0].starts_with(bench.folder.path().to_str().unwrap()), "{seen}");
    assert!(!std::path::Path::new(lines[0]).exists(), "the folder is removed with the process: {seen}");
    // `ulimit -f` counts in blocks of 512 or 1024 bytes.
    assert!(["1024", "2048"].contains(&lines[1]), "{seen}");
    let plan = bench.read("run", "plan.toml");
    assert!(plan.contains("dir = \"private\"") && plan.contains("file_bytes = 1048576"), "{plan}");
}

#[test]
fn a_tournament_continues_without_a_failing_engine_and_exits_with_a_fault() {
    let bench = Bench::new();
    let engine = |name: &str, args: &str| {
        format!("[[engines]]\nengine = \"{FAKE}\"\nname = \"{name}\"\nargs = [{args}]\n")
    };
    let bad = engine("bad", "\"--on\", \"on go#2: exit 3\"");
    let text = format!(
        "{}{}{bad}[games]\ndepth = 1\nconcurrency = 2\nopenings = \"book.epd\"\nmax_pairs = 60\n\
         [adjudicate]\nmax_moves = 8\n",
        engine("one", "\"--salt\", \"1\""),
        engine("two", "\"--salt\", \"2\""),
    );
    fs::write(bench.path("three.toml"), text).unwrap();
    let (status, printed) = finish(&mut bench.start(&bench.path("three.toml"), "run"));
    assert_eq!(status, 4, "{printed}");
    assert!(
        printed.contains("Warning: bad is quarantined, the others play on: it failed in 20 of 20 games"),
        "{printed}"
    );
    assert!(printed.contains("in quarantine: bad (it failed in 20 of 20 games)"), "{printed}");
    assert!(!printed.contains("playself resume"), "{printed}");
    let rows = bench.read("run", "pairs.csv");
    // All twenty pairs of the two healthy engines, and five of each pairing with the other.
    assert_eq!(rows.lines().count(), 1 + 20 + 10, "{rows}");
    assert_eq!(bench.read("run", "games.pgn").matches("[Event ").count(), 60);
    assert_eq!(bench.verify("run").status.code(), Some(0));
    assert_eq!(finish(&mut bench.resume("run")).0, 4);
}

#[test]
fn a_harmless_irregularity_is_reported_once_for_each_engine() {
    let bench = Bench::new();
    let twice: &[&str] = &["--on", "on go#3+: play; write bestmove a1a1\\n"];
    let odd = Match { pairs: 4, candidate: twice, ..Match::default() };
    let (status, printed) = finish(&mut bench.start(&bench.config("odd", &odd), "run"));
    assert_eq!(status, 0, "{printed}");
    assert_eq!(printed.matches("Warning: in game").count(), 1, "{printed}");
    assert!(
        printed.contains(" new sent ") && printed.contains(" unexpected lines, which were dropped"),
        "{printed}"
    );
}
