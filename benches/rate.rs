//! Time of `playself rate` for a PGN file of a million games between twenty players. The bar is 10 s.
//!
//! The file, 0.8 GB, is written to `target/bench-rate` and removed. `--games N` for fewer.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use playself::stats::Random;

const BAR: Duration = Duration::from_secs(10);
const PLAYERS: u64 = 20;

/// Writes games with move text of a usual length; the results favour players with higher numbers.
fn write_games(path: &Path, games: u64) -> std::io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut random = Random::new(1);
    let moves = "1. e4 {+0.35/12 0.057s, n=42103} c5 {-0.31/13 0.061s, n=50211}\n".repeat(9);
    for game in 0..games {
        let (white, black) = (random.bits() % PLAYERS, random.bits() % (PLAYERS - 1));
        let black = if black >= white { black + 1 } else { black };
        let lead = (white as f64 - black as f64) / 60.0;
        let luck = random.unit() - lead;
        let result = if luck < 0.3 {
            "1-0"
        } else if luck < 0.72 {
            "1/2-1/2"
        } else {
            "0-1"
        };
        write!(
            file,
            "[Event \"bench\"]\n[Site \"?\"]\n[Round \"{game}\"]\n[White \"engine {white}\"]\n\
             [Black \"engine {black}\"]\n[Result \"{result}\"]\n[TimeControl \"8+0.08\"]\n\n{moves}{result}\n\n"
        )?;
    }
    file.flush()
}

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--games");
    let games: u64 = arguments.nth(1).map_or(1_000_000, |number| number.parse().expect("--games N"));
    let folder = Path::new("target/bench-rate");
    fs::create_dir_all(folder).expect("the folder can be created");
    let path = folder.join("games.pgn");
    write_games(&path, games).expect("the file can be written");
    let megabytes = fs::metadata(&path).expect("the file exists").len() / 1_000_000;
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_playself"))
        .args(["rate", "--json"])
        .arg(&path)
        .output()
        .expect("the program starts");
    let elapsed = started.elapsed();
    fs::remove_dir_all(folder).expect("the folder can be removed");
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(table["games"].as_u64(), Some(games), "every game is counted");
    assert_eq!(table["groups"][0]["players"][0]["name"], "engine 19", "the strongest player comes first");
    println!("{games} games, {megabytes} MB: {:.2} s", elapsed.as_secs_f64());
    assert!(games < 1_000_000 || elapsed < BAR, "the bar is {} s", BAR.as_secs());
}
