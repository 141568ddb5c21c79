//! Engines that ignore the limits of the plan are named before the first game.

use std::fs;
use std::process::Command;

use crate::run::{Bench, FAKE, PLAYSELF, finish};

/// Runs a match of the fake engine with these arguments against one without faults.
fn play(bench: &Bench, args: &[&str], flags: &[&str]) -> (i32, String) {
    let config = format!(
        "name = \"probe\"\n[[engines]]\nengine = \"{FAKE}\"\nname = \"odd\"\nargs = {args:?}\n\
         [[engines]]\nengine = \"{FAKE}\"\nname = \"even\"\n[games]\nmax_pairs = 1\n[adjudicate]\nmax_moves = 4\n"
    );
    fs::write(bench.path("probe.toml"), config).unwrap();
    let call = [&["match", "probe.toml"], flags].concat();
    finish(Command::new(PLAYSELF).args(call).current_dir(bench.folder.path()))
}

#[test]
fn row_171_an_engine_that_does_not_stop_at_its_limit_is_refused() {
    let bench = Bench::new();
    let endless = [
        "--on",
        "on go: write info depth 30 nodes 9000000 score cp 3\\n",
        "--on",
        "on stop: reply bestmove {move}",
    ];
    for (flags, limit) in
        [(["--nodes", "300"], "`nodes`: asked for 300, it searched 9000000"), (["--depth", "4"], "`depth`")]
    {
        let (status, printed) = play(&bench, &endless, &flags);
        assert_eq!(status, 2, "{printed}");
        assert!(printed.contains("engine odd: it ignores ") && printed.contains(limit), "{printed}");
        assert!(printed.contains("went on searching"), "{printed}");
        assert!(!bench.path("results").exists(), "{printed}");
    }
}

#[test]
fn row_171_a_slow_search_is_followed_until_it_passes_its_limit() {
    let bench = Bench::new();
    let slow = [
        "--on",
        "on go: write info depth 1 nodes 4 score cp 3\\n; delay 1200; write info depth 30 nodes 9000000 score cp 3\\n",
        "--on",
        "on stop: reply bestmove {move}",
    ];
    let (status, printed) = play(&bench, &slow, &["--nodes", "300"]);
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains("`nodes`: asked for 300, it searched 9000000, and went on"), "{printed}");
}

#[test]
fn row_171_an_engine_that_stops_elsewhere_is_named_and_refused_with_strict() {
    let bench = Bench::new();
    let shallow = ["--score", "10"];
    let (status, printed) = play(&bench, &shallow, &["--nodes", "3000", "--strict"]);
    assert_eq!((status, bench.path("results").exists()), (2, false), "{printed}");
    let named = "odd ignores `nodes`: asked for 3000, it searched 20";
    assert!(printed.contains(named), "{printed}");
    let (status, printed) = play(&bench, &shallow, &["--nodes", "3000"]);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains(named) && printed.contains("Finished match"), "{printed}");
    let (status, printed) = play(&bench, &shallow, &["--depth", "1"]);
    assert!(status == 0 && !printed.contains("ignores"), "{printed}");
}

#[test]
fn an_xboard_engine_that_cannot_play_the_plan_is_refused_before_the_first_game() {
    let bench = Bench::new();
    for (engine, rule, flags, expected) in [
        (
            format!("xboard:{FAKE}"),
            "on protover: reply feature ping=1 done=1",
            ["--nodes", "300"],
            "cannot be limited by nodes",
        ),
        (
            FAKE.to_owned(),
            "on uci: reply Error (unknown command): uci",
            ["--tc", "1+0.1"],
            "looks like an xboard engine: it printed `Error (unknown command): uci`; write xboard:",
        ),
        (
            format!("xboard:{FAKE}"),
            "on protover: reply feature ping=1 done=1",
            ["--openings", "book.epd"],
            "engine odd: it has no `setboard`",
        ),
    ] {
        fs::write(bench.path("book.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
        let config = format!(
            "[[engines]]\nengine = \"{engine}\"\nname = \"odd\"\nargs = [\"--on\", \"{rule}\"]\n\
             [[engines]]\nengine = \"{FAKE}\"\n[games]\nmax_pairs = 1\n"
        );
        fs::write(bench.path("probe.toml"), config).unwrap();
        let mut call = Command::new(PLAYSELF);
        call.args(["match", "probe.toml"]).args(flags).current_dir(bench.folder.path());
        let (status, printed) = finish(&mut call);
        assert_eq!((status, printed.contains(expected)), (2, true), "{printed}");
        assert!(!bench.path("results").exists(), "{printed}");
    }
}
