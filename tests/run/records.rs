//! Additions to the bench for tests of whole runs: resuming, verifying, comparing and reading records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::run::{Bench, PLAYSELF};

impl Bench {
    /// Writes an executable shell script and returns its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Writes the config of a test between two settings of the built-in engine. It plays by nodes, so that the games,
    /// unlike those of scripted engines, depend on the pair only and not on the earlier games of a process.
    pub(crate) fn engine_test(&self, name: &str, candidate: &str, baseline: &str, elo: [u32; 2]) -> PathBuf {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd.gz");
        let text = format!(
            "name = \"{name}\"\nseed = 3\n[candidate]\nengine = \"builtin\"\n{candidate}\n\
             [baseline]\nengine = \"builtin\"\n{baseline}\n\
             [games]\nnodes = 200\nconcurrency = 2\nmax_pairs = 1500\nopenings = \"{}\"\n\
             [adjudicate]\nresign = {{ moves = 3, cp = 500 }}\nmax_moves = 80\n[sprt]\nelo = {elo:?}\n",
            book.display(),
        );
        let path = self.path(&format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn resume(&self, run: &str) -> Command {
        let mut command = Command::new(PLAYSELF);
        command.arg("resume").arg(self.path(run)).current_dir(self.folder.path());
        command
    }

    pub(crate) fn verify(&self, run: &str) -> Output {
        Command::new(PLAYSELF).arg("verify").arg(self.path(run)).output().unwrap()
    }

    /// Games, pairs and summary of a run, without what depends on time and interruptions.
    pub(crate) fn results(&self, run: &str) -> (String, String, String) {
        let mut summary: serde_json::Value = serde_json::from_str(&self.read(run, "summary.json")).unwrap();
        for volatile in ["seconds", "voids", "after_stop"] {
            summary[volatile] = serde_json::Value::Null;
        }
        // Void pairs are anomalies of the run that had them.
        if let Some(completion) = summary["completion"].as_object_mut() {
            completion.retain(|key, _| !["anomalies", "clean"].contains(&key.as_str()));
        }
        (self.read(run, "games.pgn"), self.read(run, "pairs.csv"), summary.to_string())
    }
}

/// Command lines of running processes that contain `mark`.
pub(crate) fn processes_with(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if let Ok(line) = fs::read(entry.path().join("cmdline")) {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(mark) {
                found.push(line);
            }
        }
    }
    found
}

/// Wraps a command in a shell that first runs `limit`, such as `ulimit -n 100`.
pub(crate) fn limited(limit: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    shell.current_dir(command.get_current_dir().unwrap());
    shell
}

/// Runs a command with `--json` and returns its status, the games that it reported, and its output.
pub(crate) fn acknowledged(command: &mut Command) -> (i32, Vec<(u64, u64)>, String) {
    let output = command.arg("--json").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let games = events.filter(|event| event["event"] == "game");
    let games = games.map(|game| (game["pair"].as_u64().unwrap(), game["game"].as_u64().unwrap())).collect();
    (output.status.code().unwrap_or(-1), games, text + &String::from_utf8_lossy(&output.stderr))
}

/// The games in a journal.
pub(crate) fn on_record(journal: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(journal).unwrap();
    let records = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let games = records.filter(|record| record["type"] == "game");
    let number = |game: &serde_json::Value| if game["game"] == "first" { 1 } else { 2 };
    games.map(|game| (game["pair"].as_u64().unwrap() + 1, number(&game))).collect()
}
