//! Engines on workers: confined, and with books of their own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use playself::player::check_isolation;

use crate::bench::{Fleet, Game};
use crate::polyglot::write_book;
use crate::run::{FAKE, PLAYSELF};

/// Writes a run file whose baseline is this program, with these lines about it.
fn with_baseline(fleet: &Fleet, program: &Path, lines: &str) -> PathBuf {
    let config = fleet.config("match", &Game { pairs: 4, ..Game::default() });
    let text = fs::read_to_string(&config).unwrap();
    // A confined engine does not see the program that the usual script runs.
    let text = text.replace(&format!("{:?}", fleet.engine()), &format!("{FAKE:?}"));
    let (before, after) = text.split_once("[baseline]\n").unwrap();
    let (_, after) = after.split_once("[games]\n").unwrap();
    let baseline = format!("[baseline]\nengine = {program:?}\nname = \"old\"\n{lines}\n");
    fs::write(&config, format!("{before}{baseline}[games]\n{after}")).unwrap();
    config
}

/// The command of a worker with this sandbox.
fn worker(fleet: &Fleet, name: &str, sandbox: &str) -> Command {
    let mut command = Command::new(PLAYSELF);
    command.args(["worker", &fleet.server.url(), "--name", name, "--slots", "1", "--retry", "0.3"]);
    command.args(["--sandbox", sandbox]).arg("--cache").arg(fleet.bench.path("cache"));
    command
}

#[test]
fn engines_on_a_worker_have_no_network_see_no_process_and_write_nothing() {
    if let Err(why) = check_isolation() {
        return eprintln!("skipped: {why}");
    }
    let Some(fleet) = Fleet::start() else { return };
    let (script, written) = (fleet.bench.path("engine.sh"), fleet.bench.path("written"));
    // An engine that can write to the folder of the test is not confined. One that is confined ends if it sees more than it should.
    let lines = format!(
        "#!/bin/sh\nif ! echo here >> {} 2>/dev/null; then\n\
         test $(grep -c : /proc/net/dev) = 1 || exit 3\n\
         test $(ls /proc | grep -c '^[0-9]') -lt 10 || exit 4\n\
         touch /etc/playself-test 2>/dev/null && exit 5\nfi\nexec \"$1\" --salt 2\n",
        written.display()
    );
    fs::write(&script, lines).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let config = with_baseline(&fleet, &script, &format!("args = [\"{FAKE}\"]\nfiles = [\"{FAKE}\"]"));
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let lines_written = || fs::read_to_string(&written).unwrap_or_default().lines().count();
    for (run, sandbox, confined) in
        [("required", "require", true), ("usual", "auto", true), ("open", "off", false)]
    {
        let mut coordinator = fleet.spawn(run, &mut fleet.coordinator(&config, run));
        crate::run::wait_for("the first pairs", 30, || !fleet.records(run, "pair_started").is_empty());
        // The coordinator itself has started the engine.
        let before = lines_written();
        let _worker = fleet.spawn(sandbox, &mut worker(&fleet, sandbox, sandbox));
        assert_eq!(coordinator.status("the match", 60), 0, "{}{}", fleet.log(run), fleet.log(sandbox));
        assert_eq!(lines_written() == before, confined, "{sandbox}");
        fleet.assert_same(run, "here");
    }
}

#[test]
fn a_worker_without_bubblewrap_refuses_a_run_if_a_sandbox_is_required() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 4, ..Game::default() });
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let mut command = worker(&fleet, "oak", "require");
    let mut oak = fleet.spawn("oak", command.env("PATH", fleet.bench.folder.path()));
    assert_eq!(coordinator.status("the run", 30), 4, "{}", fleet.log("coordinator"));
    let log = fleet.log("coordinator");
    assert!(log.contains("--sandbox require") && log.contains("bubblewrap"), "{log}");
    assert!(oak.is_alive() && fleet.rows("there") == 0, "{}", fleet.log("oak"));
    drop(oak);
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    let mut resumed = fleet.spawn("resumed", &mut fleet.resume("there"));
    assert_eq!(resumed.status("the resumed run", 60), 0, "{}", fleet.log("resumed"));
    assert_eq!(fleet.play_here(&config, "here"), 0);
    fleet.assert_same("there", "here");
}

#[test]
fn the_book_of_an_engine_travels_to_the_workers() {
    let Some(fleet) = Fleet::start() else { return };
    let book = fleet.bench.path("moves.bin");
    let lines = ["e2e4 e7e5 g1f3 b8c6 f1b5 a7a6", "e2e4 c7c5 g1f3 d7d6", "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6"];
    write_book(&book, &lines);
    let config = with_baseline(
        &fleet,
        Path::new(FAKE),
        &format!("args = [\"--salt\", \"2\"]\nbook = {book:?}\nbook_depth = 3"),
    );
    let text = fs::read_to_string(&config).unwrap();
    let (before, after) = text.split_once("openings = ").unwrap();
    let (_, after) = after.split_once('\n').unwrap();
    fs::write(&config, format!("{before}after_book = \"count\"\n{after}")).unwrap();
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    crate::run::wait_for("the first pairs", 30, || !fleet.records("there", "pair_started").is_empty());
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    let pgn = fs::read_to_string(fleet.bench.path("there/games.pgn")).unwrap();
    assert!(pgn.contains("{book}"), "{pgn}");
}
