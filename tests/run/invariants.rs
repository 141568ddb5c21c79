//! The ten invariants of the records of a run, each with a test of its name, on a run that was killed several times.
//!
//! The files are parsed here independently of the crate, whose own reader would not be evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::machine;
use crate::records::processes_with;
use crate::run::{Bench, FAKE, Match, PLAYSELF, finish, wait_for};
use serde_json::Value;

/// Number of kills.
const KILLS: u64 = 6;

/// An SPRT run that was killed several times, and the same run without kills.
struct KilledRun {
    bench: Bench,
    /// The complete records of the journal at each kill.
    at_kills: Vec<Vec<u8>>,
    /// The games that were reported before a kill.
    reported: Vec<Value>,
    /// Processes of the run that were alive a second after a kill.
    survivors: Vec<String>,
}

/// Determines the moves of the candidate and marks its processes. With these moves the test accepts H0; with one in
/// twenty other salts it would accept H1 by chance.
const SALT: &str = "424207";

static KILLED_RUN: LazyLock<KilledRun> = LazyLock::new(KilledRun::play);

/// Starts a run and reads its events in a thread.
fn start_with_events(command: &mut Command) -> (Child, JoinHandle<Vec<Value>>) {
    let mut child = command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // A line that was cut by a kill does not count as reported.
    let read =
        move || lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect();
    (child, std::thread::spawn(read))
}

impl KilledRun {
    fn play() -> Self {
        let _machine = machine::reserve();
        let bench = Bench::new();
        let (candidate, baseline) = (["--salt", SALT], ["--salt", "2", "--sleep-ms", "1"]);
        let wanted = Match {
            pairs: 2000,
            candidate: &candidate,
            baseline: &baseline,
            games: "concurrency = 3",
            rest: "[sprt]\nelo = [0.0, 60.0]",
        };
        let config = bench.config("invariants", &wanted);
        // Both end before the first kill, whose survivors are looked for by the arguments of the engines.
        std::thread::scope(|scope| {
            let alone = scope.spawn(|| finish(bench.start(&config, "alone").args(["--concurrency", "1"])));
            let (status, printed) = finish(&mut bench.start(&config, "whole"));
            assert_eq!(status, 1, "{printed}");
            let (status, printed) = alone.join().unwrap();
            assert_eq!(status, 1, "{printed}");
        });
        let step = bench.read("whole", "journal.ndjson").len() as u64 / (KILLS + 1);
        let journal = bench.path("killed/journal.ndjson");
        let mut killed_run =
            Self { bench, at_kills: Vec::new(), reported: Vec::new(), survivors: Vec::new() };
        for kill in 1..=KILLS {
            let mut command = match kill {
                1 => killed_run.bench.start(&config, "killed"),
                _ => killed_run.bench.resume("killed"),
            };
            let (mut child, events) = start_with_events(&mut command);
            // At a different offset within a record each time.
            let goal = kill * step + kill * 97 % 500;
            wait_for("progress", 60, || fs::metadata(&journal).is_ok_and(|found| found.len() >= goal));
            child.kill().unwrap();
            child.wait().unwrap();
            killed_run
                .reported
                .extend(events.join().unwrap().into_iter().filter(|event| event["event"] == "game"));
            std::thread::sleep(Duration::from_secs(1));
            killed_run.survivors.extend(processes_with(&format!("{FAKE} --salt {SALT}")));
            let bytes = fs::read(&journal).unwrap();
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            killed_run.at_kills.push(bytes[..whole].to_vec());
        }
        let (status, printed) = finish(&mut killed_run.bench.resume("killed"));
        assert_eq!(status, 1, "{printed}");
        killed_run
    }

    /// The records of the killed run's journal.
    fn records(&self) -> Vec<Value> {
        let text = self.bench.read("killed", "journal.ndjson");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn of_type(&self, kind: &str) -> Vec<Value> {
        self.records().into_iter().filter(|record| record["type"] == kind).collect()
    }

    /// The results of the counted games, by pair and number of the game.
    fn counted(&self) -> BTreeMap<(u64, u64), String> {
        let pairs = self.rows().len() as u64;
        let mut games = BTreeMap::new();
        for game in self.of_type("game") {
            let key = key_of(&game);
            if key.0 <= pairs {
                let result = game["ending"]["result"].as_str().unwrap().to_owned();
                let before = games.insert(key, result);
                assert_eq!(before, None, "game {key:?} counts twice");
            }
        }
        games
    }

    /// The rows of `pairs.csv` without its header.
    fn rows(&self) -> Vec<Vec<String>> {
        let text = self.bench.read("killed", "pairs.csv");
        text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
    }

    fn summary(&self, run: &str) -> Value {
        serde_json::from_str(&self.bench.read(run, "summary.json")).unwrap()
    }
}

/// Pair and game of a record, both counted from 1.
fn key_of(game: &Value) -> (u64, u64) {
    let number = if game["game"] == "first" { 1 } else { 2 };
    (game["pair"].as_u64().unwrap() + 1, number)
}

#[test]
fn i1_no_game_counts_twice() {
    let games = KILLED_RUN.of_type("game");
    let keys: BTreeSet<_> = games.iter().map(key_of).collect();
    assert_eq!(keys.len(), games.len(), "a finished game was played again");
    assert_eq!(KILLED_RUN.counted().len(), 2 * KILLED_RUN.rows().len());
}

#[test]
fn i2_every_game_reported_before_a_kill_is_recorded_unchanged_after_it() {
    assert!(KILLED_RUN.reported.len() > 20, "{} games reported", KILLED_RUN.reported.len());
    let text = KILLED_RUN.bench.read("killed", "games.pgn");
    let rows = KILLED_RUN.rows();
    for reported in &KILLED_RUN.reported {
        let (pair, game) = (reported["pair"].as_u64().unwrap(), reported["game"].as_u64().unwrap());
        let Some(row) = rows.get(pair as usize - 1) else { continue };
        let at = if game == 1 { 3 } else { 6 };
        let found = [&row[at], &row[at + 1], &row[at + 2]].map(String::as_str);
        let wanted = [reported["result"].as_str().unwrap(), reported["reason"].as_str().unwrap()];
        assert_eq!((found[0], found[1]), (wanted[0], wanted[1]), "{reported}");
        assert_eq!(found[2], reported["plies"].to_string(), "{reported}");
        assert!(text.contains(&format!("[Round \"{pair}.{game}\"]")), "{reported}");
    }
}

#[test]
fn i3_a_journal_only_grows() {
    let last = KILLED_RUN.bench.read("killed", "journal.ndjson").into_bytes();
    let lengths: Vec<usize> = KILLED_RUN.at_kills.iter().map(Vec::len).collect();
    assert!(lengths.is_sorted() && KILLED_RUN.at_kills.len() as u64 == KILLS, "{lengths:?}");
    for (kill, before) in KILLED_RUN.at_kills.iter().enumerate() {
        assert!(last.starts_with(before), "kill {} lost records", kill + 1);
    }
}

#[test]
fn i4_the_llr_after_resuming_equals_the_llr_of_the_counts_bit_for_bit() {
    let [killed, whole] = ["killed", "whole"].map(|run| KILLED_RUN.summary(run));
    let bits = |value: &Value| value.as_f64().unwrap().to_bits();
    assert_eq!(bits(&killed["llr"]), bits(&whole["llr"]));
    // The same from the counts alone, by another command.
    let counts: Vec<String> =
        killed["pentanomial"].as_array().unwrap().iter().map(Value::to_string).collect();
    let mut stats = Command::new(PLAYSELF);
    stats.args(["stats", "--pentanomial", &counts.join(","), "--elo0", "0", "--elo1", "60", "--json"]);
    let output = stats.args(["--model", "normalized"]).output().unwrap();
    let recomputed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(bits(&recomputed["llr"]), bits(&killed["llr"]), "{recomputed}");
}

#[test]
fn i5_games_journal_and_pairs_table_agree_in_content_and_order() {
    let (rows, games) = (KILLED_RUN.rows(), KILLED_RUN.counted());
    let pgn = KILLED_RUN.bench.read("killed", "games.pgn");
    let tags = |name: &str| {
        let start = format!("[{name} \"");
        let found = pgn.lines().filter_map(|line| line.strip_prefix(start.as_str()));
        found.map(|rest| rest.trim_end_matches("\"]").to_owned()).collect::<Vec<_>>()
    };
    let keys: Vec<String> = games.keys().map(|(pair, game)| format!("{pair}.{game}")).collect();
    assert_eq!(tags("Round"), keys, "the same games in schedule order");
    let of_table: Vec<String> = rows.iter().flat_map(|row| [row[3].clone(), row[6].clone()]).collect();
    assert_eq!(tags("Result"), of_table);
    assert_eq!(games.values().cloned().collect::<Vec<_>>(), of_table);
    let mut counts = [0_u64; 5];
    for row in &rows {
        counts[(row[9].parse::<f64>().unwrap() * 2.0) as usize] += 1;
    }
    let summary = KILLED_RUN.summary("killed");
    assert_eq!(summary["pentanomial"], serde_json::json!(counts));
    assert_eq!(summary["games"].as_u64().unwrap() as usize, games.len());
}

#[test]
fn i6_the_opening_and_colours_of_a_pair_depend_on_seed_and_number_only() {
    let columns = |run: &str| -> Vec<String> {
        let text = KILLED_RUN.bench.read(run, "pairs.csv");
        text.lines().map(|row| row.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(columns("killed"), columns("whole"));
    let whites = |run: &str| {
        let text = KILLED_RUN.bench.read(run, "games.pgn");
        text.lines().filter(|line| line.starts_with("[White ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(whites("killed"), whites("whole"));
    assert!(whites("killed").chunks(2).all(|pair| pair[0] != pair[1]), "colours are swapped within a pair");
}

#[test]
fn i7_a_decision_is_made_once_and_nothing_after_it_counts() {
    let decisions = KILLED_RUN.of_type("decision");
    assert_eq!(decisions.len(), 1);
    let pairs = decisions[0]["pairs"].as_u64().unwrap();
    assert_eq!(pairs as usize, KILLED_RUN.rows().len());
    assert_eq!(decisions[0]["pentanomial"], KILLED_RUN.summary("killed")["pentanomial"]);
    let before = KILLED_RUN.bench.results("killed");
    assert_eq!(finish(&mut KILLED_RUN.bench.resume("killed")).0, 1, "resumed again");
    assert_eq!(KILLED_RUN.bench.results("killed"), before);
}

#[test]
fn i8_no_process_of_the_run_is_alive_a_second_after_a_kill() {
    assert_eq!(KILLED_RUN.survivors, Vec::<String>::new());
}

#[test]
fn i9_the_results_are_the_same_for_every_schedule_of_kills_and_every_concurrency() {
    assert_eq!(KILLED_RUN.bench.results("killed"), KILLED_RUN.bench.results("whole"));
    assert_eq!(KILLED_RUN.bench.results("alone"), KILLED_RUN.bench.results("whole"));
}

#[test]
fn i10_records_are_numbered_without_a_gap_and_every_start_has_one_end() {
    let mut open: BTreeMap<u64, (u64, u32)> = BTreeMap::new();
    let mut tries: BTreeMap<u64, u64> = BTreeMap::new();
    let mut halves: BTreeMap<u64, u32> = BTreeMap::new();
    for (place, record) in KILLED_RUN.records().iter().enumerate() {
        assert_eq!(record["seq"].as_u64(), Some(place as u64));
        let pair = record["pair"].as_u64().unwrap_or_default();
        let attempt = record["attempt"].as_u64().unwrap_or_default();
        match record["type"].as_str().unwrap() {
            "pair_started" => {
                let due = tries.entry(pair).or_default();
                assert_eq!(attempt, *due, "{record}");
                *due += 1;
                let kept = halves.remove(&pair).unwrap_or(0);
                assert_eq!(open.insert(pair, (attempt, kept)), None, "{record}: started twice");
            }
            "game" => {
                let (current, games) = open.get_mut(&pair).unwrap();
                assert_eq!(*current, attempt, "{record}");
                *games += 1;
                if *games == 2 {
                    open.remove(&pair);
                }
            }
            kind @ ("void" | "abandoned") => {
                let (current, games) = open.remove(&pair).unwrap();
                assert_eq!(current, attempt, "{record}");
                if kind == "abandoned" {
                    halves.insert(pair, games);
                }
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "started and never ended: {open:?}");
    assert!(!KILLED_RUN.of_type("abandoned").is_empty(), "a kill leaves abandoned pairs");
}
