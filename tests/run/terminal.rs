//! What a person sees: the panel, the board and the keys of a real terminal.

use crate::run::{Bench, FAKE, PLAYSELF};
use crate::tmux::Terminal;

/// A fake engine with one rule, as an argument of a shell command.
fn engine(name: &str, rule: &str) -> String {
    format!("'cmd={FAKE} name={name} args=\"--on \\\"{rule}\\\"\"'")
}

/// A call of `playself` for two fake engines that take 150 ms for every move.
fn slow_engines(rest: &str) -> String {
    let [white, black] = ["snail", "tortoise"].map(|name| engine(name, "on go: delay 150; play"));
    format!("{PLAYSELF} --white {white} --black {black} {rest}")
}

/// The number of seconds in the first line of the panel, `playing  0:00:07`.
fn seconds_of(screen: &str) -> Option<u32> {
    let line = screen.lines().find(|line| line.contains("playing  0:"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[test]
fn a_first_match_shows_a_board_that_moves_and_a_clock_that_ticks() {
    let bench = Bench::new();
    let call = slow_engines("--tc 60+1 --max-moves 60");
    let Some(terminal) = Terminal::start(80, 30, bench.folder.path(), &call) else { return };
    let screen = terminal.wait_for("the fourth move", |screen| screen.contains("  4. "));
    let ranks = screen.lines().filter(|line| line.contains('♜') || line.contains('♟')).count();
    assert!(ranks >= 2, "{screen}");
    for part in ["snail vs tortoise", "Games   0 of 2", "▸ ", " 1:0", "a  b  c  d  e  f  g  h"] {
        assert!(screen.contains(part), "{part} is missing:\n{screen}");
    }
    let before = seconds_of(&screen).expect("the panel has a clock");
    terminal.wait_for("a later second of the same game", |screen| {
        screen.contains("Games   0 of 2") && seconds_of(screen).is_some_and(|now| now > before + 1)
    });
}

#[test]
fn a_resized_terminal_shows_one_panel_in_its_new_size() {
    let bench = Bench::new();
    let call = slow_engines("--tc 60+1 --max-moves 100");
    let Some(terminal) = Terminal::start(100, 30, bench.folder.path(), &call) else { return };
    terminal.wait_for_text("  2. ");
    for (columns, rows) in [(62, 30), (120, 40), (80, 14), (40, 10)] {
        terminal.resize(columns, rows);
        let whole = |screen: &str| {
            let titles = screen.lines().filter(|line| line.contains("playing  0:")).count();
            let bars = screen.lines().filter(|line| line.starts_with("Games ")).count();
            let fits = screen.lines().all(|line| line.chars().count() <= columns as usize);
            titles == 1 && bars == 1 && fits
        };
        terminal.wait_for(&format!("one panel at {columns}x{rows}"), whole);
    }
    terminal.resize(100, 30);
    terminal.wait_for_text("a  b  c  d  e  f  g  h");
}

#[test]
fn ctrl_c_changes_the_view_and_the_second_one_stops_the_run() {
    let bench = Bench::new();
    let call = slow_engines("--tc 60+1 --games 20 --concurrency 1");
    let Some(terminal) = Terminal::start(100, 30, bench.folder.path(), &call) else { return };
    terminal.wait_for_text("  2. ");
    terminal.press("C-c");
    let screen = terminal.wait_for_text("stopping  0:");
    assert!(screen.contains("stopping: 1 pair is finished first; Ctrl-C again stops now"), "{screen}");
    assert!(screen.contains("finishing pairs; Ctrl-C again stops now"), "{screen}");
    assert!(!screen.contains(" left"), "{screen}");
    terminal.press("C-c");
    let screen = terminal.wait_for_text("STATUS=130");
    assert!(screen.contains("To resume: playself resume"), "{screen}");
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let bench = Bench::new();
    let call = format!("TERM=dumb {PLAYSELF} --white {FAKE} --black {FAKE} --depth 1 --max-moves 5");
    let Some(terminal) = Terminal::start(80, 40, bench.folder.path(), &call) else { return };
    let screen = terminal.wait_for_text("STATUS=0");
    for part in ["Started game 1 of 2", "Finished game 2", "Finished match", "Page: results/"] {
        assert!(screen.contains(part), "{part} is missing:\n{screen}");
    }
}

#[test]
fn watch_without_an_argument_shows_the_newest_run_and_q_leaves_it() {
    let bench = Bench::new();
    let call = format!("({} >/dev/null 2>&1 & ) ; sleep 1", slow_engines("--tc 60+1 --max-moves 40"));
    let call = format!(
        "{call}; while ! ls results/*/plan.toml >/dev/null 2>&1; do sleep 0.1; done; {PLAYSELF} watch"
    );
    let Some(terminal) = Terminal::start(80, 30, bench.folder.path(), &call) else { return };
    terminal.wait_for_text("  2. ");
    terminal.press("q");
    terminal.wait_for_text("STATUS=0");
}

#[test]
fn a_pilot_states_what_it_does_and_stops_at_once() {
    let bench = Bench::new();
    let engine = format!("'cmd={FAKE} args=\"--on \\\"on go: delay 150; play\\\"\"'");
    let call = format!("{PLAYSELF} plan --candidate {engine} --baseline {FAKE} --sprt 0,5 --tc 60+1");
    let Some(terminal) = Terminal::start(80, 20, bench.folder.path(), &call) else { return };
    terminal.wait_for_text("Playing 4 pairs to measure how long one takes, about");
    terminal.wait_for_text("Pilot  ░");
    terminal.press("C-c");
    let screen = terminal.wait_for_text("STATUS=130");
    assert!(screen.contains("the pilot was interrupted"), "{screen}");
}

#[test]
fn a_worker_states_which_server_it_waits_for_and_ctrl_c_ends_it() {
    let bench = Bench::new();
    let call = format!("{PLAYSELF} worker nats://127.0.0.1:1 --cache cache");
    let Some(terminal) = Terminal::start(80, 20, bench.folder.path(), &call) else { return };
    terminal.wait_for_text("connecting to nats://127.0.0.1:1");
    terminal.press("C-c");
    terminal.wait_for_text("STATUS=0");
}

#[test]
fn the_panel_counts_a_fault_before_its_pair_is_complete() {
    let bench = Bench::new();
    let (white, black) = (engine("crasher", "on go#3: exit 1"), engine("snail", "on go: delay 150; play"));
    let call = format!("{PLAYSELF} --white {white} --black {black} --tc 60+1");
    let Some(terminal) = Terminal::start(100, 30, bench.folder.path(), &call) else { return };
    // The panel may show the message one picture before the count.
    terminal.wait_for_text("Faults  1  last: game 1.1: crasher");
}
