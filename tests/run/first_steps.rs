//! The first hour of a user: naming engines, writing a run file, looking at engines and results.

use std::fs;
use std::process::Command;

use crate::run::{Bench, FAKE, Match, PLAYSELF, finish};

/// Runs `playself` in the folder of the bench.
fn playself(bench: &Bench, arguments: &[&str]) -> (i32, String) {
    finish(Command::new(PLAYSELF).args(arguments).current_dir(bench.folder.path()))
}

fn succeeds(bench: &Bench, arguments: &[&str]) -> String {
    let (status, text) = playself(bench, arguments);
    assert_eq!(status, 0, "{arguments:?}: {text}");
    text
}

/// A short match of fake engines in the folder `results`.
fn played() -> Bench {
    let bench = Bench::new();
    succeeds(&bench, &["--white", FAKE, "--black", FAKE, "--depth", "1", "--max-moves", "6"]);
    bench
}

#[test]
fn engines_are_named_with_arguments_options_and_limits_of_their_own() {
    let bench = Bench::new();
    let white = format!("{FAKE} --salt 1");
    let black = format!("cmd={FAKE} name=rival args='--salt 2' depth=2");
    let settings = ["--white-name", "dev", "--white-depth", "3", "--white-option", "Hash=2"];
    let call = ["--white", &white, "--black", &black, "--max-moves", "4", "--run-dir", "run", "--strict"];
    let (status, text) = playself(&bench, &[&call[..], &settings[..]].concat());
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("Hash is 2 for dev, 16 by default for rival"), "{text}");
    let text = succeeds(&bench, &[&call[..8], &settings[..4]].concat());
    assert!(text.contains("(dev vs rival)"), "{text}");
    let plan: String = bench.read("run", "plan.toml").split_whitespace().collect();
    for part in ["\"--salt\",\"1\"", "\"--salt\",\"2\"", "depth=3", "depth=2", "name=\"rival\""] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    let (status, text) = playself(&bench, &["--white", "cmd=x nodse=4", "--black", FAKE]);
    assert_eq!(status, 2);
    assert!(text.contains("unknown key `nodse`; did you mean `nodes`?"), "{text}");
}

#[test]
fn a_program_that_is_no_engine_is_refused_by_what_it_printed_and_leaves_no_folder() {
    let bench = Bench::new();
    let talker = bench.path("talker");
    fs::write(&talker, "#!/bin/sh\necho usage: talker FILE\nexit 1\n").unwrap();
    let mut permissions = fs::metadata(&talker).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&talker, permissions).unwrap();
    let (status, text) = playself(&bench, &["--white", "./talker", "--black", FAKE, "--depth", "1"]);
    assert_eq!(status, 4, "{text}");
    assert!(text.contains("engine talker: it ended (exit 1); it printed `usage: talker FILE`"), "{text}");
    assert!(!bench.path("results").exists(), "{text}");
}

#[test]
fn a_program_that_is_silent_or_repeats_its_input_leaves_no_folder() {
    let bench = Bench::new();
    for (program, argument, why) in [
        ("sleep", "60", "it did not send uciok in time; it printed nothing"),
        (
            "cat",
            "-",
            "it did not send uciok in time; it only repeats what it is sent, so it is no chess engine",
        ),
    ] {
        let config = format!(
            "[candidate]\nengine = \"/bin/{program}\"\nargs = [\"{argument}\"]\nstart_s = 0.2\n\
             [baseline]\nengine = \"{FAKE}\"\n[games]\ndepth = 1\nmax_pairs = 1\n"
        );
        fs::write(bench.path("silent.toml"), config).unwrap();
        let (status, text) = playself(&bench, &["match", "silent.toml"]);
        assert_eq!(status, 4, "{text}");
        assert!(text.contains(&format!("engine {program}: {why}\n")), "{text}");
        assert!(!bench.path("results").exists(), "{text}");
    }
}

#[test]
fn three_engines_without_a_length_meet_once() {
    let bench = Bench::new();
    let engines: Vec<String> = ["a", "b", "c"].iter().map(|name| format!("cmd={FAKE} name={name}")).collect();
    let named: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    for form in [&[][..], &["match"][..]] {
        let text = succeeds(&bench, &[form, &named, &["--depth", "1", "--max-moves", "2"]].concat());
        for played in ["(a vs b)", "(a vs c)", "(b vs c)"] {
            assert!(text.contains(played), "{played}: {text}");
        }
    }
}

/// The `completion` of a run.
fn completion(bench: &Bench, run: &str) -> serde_json::Value {
    let summary: serde_json::Value = serde_json::from_str(&bench.read(run, "summary.json")).unwrap();
    summary["completion"].clone()
}

#[test]
fn the_summary_states_whether_and_why_a_run_ended_and_what_went_wrong() {
    let bench = Bench::new();
    let clean = bench.config("clean", &Match { pairs: 2, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&clean, "clean")).0, 0);
    let expected = serde_json::json!(
        { "status": "complete", "reason": "all_pairs_played", "why": null, "clean": true, "anomalies": [] }
    );
    assert_eq!(completion(&bench, "clean"), expected);
    for (name, rule, pairs, reason, status) in [
        ("once", "on go#3: reply bestmove a1a1", 4, "all_pairs_played", 0),
        ("always", "on go: reply bestmove a1a1", 200, "fault", 4),
    ] {
        let candidate = ["--salt", "1", "--on", rule];
        let config = bench.config(name, &Match { pairs, candidate: &candidate, ..Match::default() });
        let (ended, text) = finish(&mut bench.start(&config, name));
        let found = completion(&bench, name);
        assert_eq!(
            (ended, &found["reason"], &found["clean"]),
            (status, &reason.into(), &false.into()),
            "{text}"
        );
        assert_eq!(found["why"].is_string(), reason == "fault", "{found}");
        let anomaly = &found["anomalies"][0];
        assert_eq!((&anomaly["kind"], &anomaly["engine"]), (&"illegal_moves".into(), &"new".into()));
    }
    // The journal leads to the same summary.
    for run in ["clean", "once", "always"] {
        let text = succeeds(&bench, &["verify", run]);
        assert!(text.contains("summary.json: agrees with the journal"), "{text}");
    }
}

#[test]
fn games_state_the_versions_of_their_engines_and_the_name_of_the_opening() {
    let bench = Bench::new();
    let white = format!("{FAKE} --name 'Fake 1.0'");
    let call = ["--white", &white, "--black", "builtin", "--white-name", "mine", "--run-dir", "run"];
    let limits = ["--tc", "2+0.1", "--openings", "book.epd", "--order", "sequential", "--max-moves", "2"];
    succeeds(&bench, &[&call[..], &limits[..]].concat());
    let games = bench.read("run", "games.pgn");
    for tag in [
        "[EngineWhiteName \"Fake 1.0\"]",
        "[EngineBlackName \"playself",
        "[ECO \"B",
        "[Opening \"Sicilian Defense",
        "[GameStartTime \"20",
        "[GameDuration \"00:00:",
    ] {
        assert!(games.contains(tag), "{tag}: {games}");
    }
}

#[test]
fn engines_with_the_same_file_name_are_called_as_they_call_themselves() {
    let bench = Bench::new();
    let [white, black] = ["Fake 1.0", "Fake 2.0"].map(|name| format!("{FAKE} --name '{name}'"));
    let call = ["--white", &white, "--black", &black, "--depth", "1", "--max-moves", "2"];
    let text = succeeds(&bench, &call);
    assert!(text.contains("(Fake 1.0 vs Fake 2.0)"), "{text}");
    let named = succeeds(&bench, &[&call[..], &["--white-name", "mine"]].concat());
    assert!(named.contains("(mine vs fake-engine)"), "{named}");
}

#[test]
fn limits_of_the_command_line_that_do_not_apply_are_reported() {
    let bench = Bench::new();
    let engine = format!("cmd={FAKE} name=own depth=2");
    let call = ["--white", &engine, "--black", FAKE, "--depth", "1", "--max-moves", "2"];
    let text = succeeds(&bench, &call);
    assert!(
        text.contains("the limits of the command line do not apply to own, which has limits of its own"),
        "{text}"
    );
}

#[test]
fn a_dry_run_shows_everything_and_leaves_nothing() {
    let bench = Bench::new();
    let config = bench.config("dry", &Match { pairs: 3, ..Match::default() });
    let before = fs::read_dir(bench.folder.path()).unwrap().count();
    let text = succeeds(&bench, &["match", config.to_str().unwrap(), "--dry-run"]);
    for part in [
        "nothing is played and nothing is written",
        "a match of 6 games in 3 pairs",
        "handshake done",
        "1: new – old, opening ",
        "# plan.toml",
        "max_pairs = 3",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), before);
}

#[test]
fn the_end_of_a_run_calls_its_command_and_adds_a_summary() {
    let bench = Bench::new();
    let seen = bench.path("seen");
    let hook = format!("sh -c 'echo $PLAYSELF_STATUS $PLAYSELF_OUTCOME $PLAYSELF_RUN > {}'", seen.display());
    let call = ["--white", FAKE, "--black", FAKE, "--depth", "1", "--max-moves", "3", "--run-dir", "run"];
    let rest = ["--on-end", &hook, "--summary-md", "summary.md"];
    fs::write(bench.path("summary.md"), "before\n").unwrap();
    succeeds(&bench, &[&call[..], &rest[..]].concat());
    assert_eq!(fs::read_to_string(seen).unwrap().trim(), "0 finished run");
    let summary = fs::read_to_string(bench.path("summary.md")).unwrap();
    assert!(summary.starts_with("before\n### "), "{summary}");
    assert!(summary.contains("| Games | 2: +"), "{summary}");
    let (status, text) =
        playself(&bench, &[&call[..8], &["--run-dir", "other", "--on-end", "false"]].concat());
    assert_eq!(status, 0, "a failed command changes no status: {text}");
    assert!(text.contains("Warning: on_end: `false` failed"), "{text}");
}

#[test]
fn the_whole_dialogue_is_logged_on_request() {
    let bench = Bench::new();
    let call = ["--white", FAKE, "--black", FAKE, "--depth", "1", "--max-moves", "3", "--run-dir", "run"];
    succeeds(&bench, &[&call[..], &["--log-dialogue", "dialogue.log"]].concat());
    let log = fs::read_to_string(bench.path("dialogue.log")).unwrap();
    let sent =
        |engine: &str, line: &str| log.lines().any(|text| text.contains(engine) && text.ends_with(line));
    for (engine, line) in [(" fake-engine#", " > uci"), (" fake-engine_2#", " < uciok"), ("#", " > isready")]
    {
        assert!(sent(engine, line), "{engine}{line}: {log}");
    }
    assert_eq!(log.matches(" > go depth 1").count(), 12, "{log}");
}

#[test]
fn the_options_of_an_engine_are_listed_for_people_and_tuners() {
    let bench = Bench::new();
    let table = succeeds(&bench, &["options", "builtin"]);
    assert!(table.contains("Hash") && table.contains("tunable"), "{table}");
    let list = succeeds(&bench, &["options", "builtin", "*_mobility", "--format", "fishtest"]);
    assert!(list.lines().all(|line| line.contains("_mobility,") && line.split(',').count() == 6), "{list}");
    fs::write(bench.path("list.txt"), &list).unwrap();
    let config = "engine = \"builtin\"\n[tune]\nmethod = \"fishtest\"\nlist = \"list.txt\"\ngames = 4\n[games]\nnodes = 10\n";
    fs::write(bench.path("tune.toml"), config).unwrap();
    let text = succeeds(&bench, &["tune", "tune.toml", "--dry-run"]);
    assert!(text.contains("tuning of"), "the tuner reads its own list: {text}");
    let (status, text) = playself(&bench, &["options", "builtin", "no_such_option"]);
    assert_eq!(status, 2, "{text}");
}

#[test]
fn a_new_run_file_can_be_played() {
    let bench = Bench::new();
    for kind in ["match", "sprt", "tune"] {
        succeeds(&bench, &["init", kind, "--engine", "builtin", "--against", FAKE]);
        let file = format!("{kind}.toml");
        succeeds(&bench, &[kind, &file, "--dry-run"]);
        let (status, text) = playself(&bench, &["init", kind, "--engine", "builtin"]);
        assert_eq!(status, 2, "an existing file is kept: {text}");
    }
    // The program of a CI job is built there, and need not exist here.
    let workflow = succeeds(&bench, &["init", "ci", "--engine", "src/mine", "--out", "-"]);
    assert!(workflow.contains("--program src/mine \\\n"), "{workflow}");
    assert!(workflow.contains("--summary-md \"$GITHUB_STEP_SUMMARY\""), "{workflow}");
    let (status, text) = playself(&bench, &["init", "ci", "--engine", "builtin", "--out", "-"]);
    assert_eq!(status, 2, "the engine of a CI job is the user's: {text}");
    let (status, text) = playself(&bench, &["init"]);
    assert_eq!(status, 2, "without a terminal nothing is asked: {text}");
}

#[test]
fn a_slow_handshake_is_announced() {
    let bench = Bench::new();
    let slow = format!("cmd={FAKE} name=sleepy args=\"--on \\\"on uci: delay 2200; play\\\"\"");
    let text = succeeds(&bench, &["--white", &slow, "--black", FAKE, "--depth", "1", "--dry-run"]);
    assert!(text.contains("Waiting for the handshake with sleepy, fake-engine"), "{text}");
}

#[test]
fn a_position_of_a_game_is_put_to_engines_again() {
    let bench = played();
    let text = succeeds(&bench, &["ask", "last", "1.1", "--ply", "3"]);
    assert!(text.contains("Played: ") && text.contains("fake-engine"), "{text}");
    let json = succeeds(
        &bench,
        &["ask", "last", "1.2", "--ply", "2", "--engine", "builtin", "--nodes", "50", "--json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["answers"][0]["engine"], "builtin");
    assert!(json["answers"][0]["move"].is_string() && json["fen"].is_string(), "{json}");
    for (wrong, part) in [(["7.1", "0"], "has no game 7.1"), (["1.1", "999"], "the game has only")] {
        let (status, text) = playself(&bench, &["ask", "last", wrong[0], "--ply", wrong[1]]);
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn commands_without_a_run_take_the_newest_one() {
    let bench = played();
    for command in ["report", "verify", "watch", "resume"] {
        succeeds(&bench, &[command]);
    }
    let text = succeeds(&bench, &["resume"]);
    assert!(text.contains(" is finished: nothing is left to play"), "{text}");
    assert!(succeeds(&bench, &["report", "last", "--json"]).contains("\"pairs\":1"));
    let name = fs::read_dir(bench.path("results")).unwrap().next().unwrap().unwrap().file_name();
    assert!(succeeds(&bench, &["report", name.to_str().unwrap(), "--json"]).contains("\"pairs\":1"));
    let (status, text) = playself(&bench, &["watch", "nowhere"]);
    assert_eq!(status, 2);
    assert!(text.contains("nowhere does not exist; `playself list` shows the runs in results"), "{text}");
    let empty = Bench::new();
    let (status, text) = playself(&empty, &["report"]);
    assert_eq!(status, 2);
    assert!(text.contains("there is no run in results"), "{text}");
}

#[test]
fn shells_complete_run_folders() {
    let bench = played();
    let script = succeeds(&bench, &["completions", "bash"]);
    fs::write(bench.path("complete.bash"), script).unwrap();
    let test = "source complete.bash; COMP_WORDS=(playself report res); COMP_CWORD=2; \
                _playself_with_runs playself res report; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let (status, text) = finish(Command::new("bash").args(["-c", test]).current_dir(bench.folder.path()));
    assert_eq!(status, 0, "{text}");
    assert!(text.lines().any(|line| line.starts_with("results/2")), "{text}");
    let zsh = succeeds(&bench, &["completions", "zsh"]);
    assert!(zsh.contains("_playself_runs() {") && zsh.contains(":_playself_runs'"), "{zsh}");
    let text = succeeds(&bench, &["manual", "share"]);
    assert!(text.contains("files written"), "{text}");
    let page = fs::read_to_string(bench.path("share/man/man1/playself-sprt.1")).unwrap();
    assert!(page.contains("sequential test"), "{page}");
}
