//! Odd files in the place of every file that a command reads: refused or read, soon, in bounded memory, without a panic.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use nix::sys::stat::Mode;

const PLAYSELF: &str = env!("CARGO_BIN_EXE_playself");

/// Commands with `FILE` where the odd file goes.
const COMMANDS: [&str; 18] = [
    "match FILE",
    "sprt FILE",
    "tune FILE",
    "plan FILE",
    "book check FILE",
    "texel FILE",
    "rate FILE",
    "stats --pgn FILE",
    "simulate tune --landscape FILE",
    "--white builtin:FILE --black builtin --nodes 10 --results OUT",
    "--white FILE --black builtin --nodes 10 --results OUT",
    "--white builtin --black builtin --nodes 10 --openings FILE --results OUT",
    "options FILE",
    "report FILE",
    "verify FILE",
    "resume FILE",
    "list FILE",
    "status FILE",
];

/// Makes the odd files in `folder`.
fn odd_files(folder: &Path) -> Vec<PathBuf> {
    let file = |name: &str, contents: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, contents).unwrap();
        path
    };
    let link = |name: &str, target: &Path| {
        let path = folder.join(name);
        std::os::unix::fs::symlink(target, &path).unwrap();
        path
    };
    let pipe = folder.join("pipe");
    nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let socket = folder.join("socket");
    drop(UnixListener::bind(&socket).unwrap());
    let empty_folder = folder.join("folder");
    fs::create_dir(&empty_folder).unwrap();
    // A run folder whose files are all pipes.
    let run = folder.join("run");
    fs::create_dir(&run).unwrap();
    for name in ["plan.toml", "journal.ndjson", "summary.json", "games.pgn", "pairs.csv"] {
        nix::unistd::mkfifo(&run.join(name), Mode::S_IRWXU).unwrap();
    }
    vec![
        PathBuf::from("/dev/zero"),
        PathBuf::from("/dev/urandom"),
        PathBuf::from("/proc/self/mem"),
        link("to-pipe", &pipe),
        link("dangling", &folder.join("nowhere")),
        link("loop", &folder.join("loop")),
        file("empty", b""),
        file("zeros", &[0; 1 << 20]),
        file("bytes", &[0xff, 0xfe, 0x80, b'\n'].repeat(50_000)),
        file("line", &[b'x'; 4 << 20]),
        file("brackets", &[b'['; 200_000]),
        file("braces", "a = {".repeat(50_000).as_bytes()),
        file("quotes", b"[Event \"\n\n1. e4 {".repeat(20_000).as_slice()),
        pipe,
        socket,
        empty_folder,
        run,
    ]
}

#[test]
fn row_123_no_odd_file_hangs_kills_or_fills_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let files = odd_files(folder.path());
    let cases: Vec<(&str, &PathBuf)> =
        COMMANDS.iter().flat_map(|command| files.iter().map(move |file| (*command, file))).collect();
    let (queue, wrong) = (Mutex::new(cases.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((command, file)) = queue.lock().unwrap().next() else { return };
                    if let Some(problem) = attack(command, file, folder.path()) {
                        wrong.lock().unwrap().push(problem);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Runs a command and describes what was wrong with how it ended.
fn attack(command: &str, file: &Path, folder: &Path) -> Option<String> {
    let out = folder.join("out").display().to_string();
    let words =
        command.split(' ').map(|word| word.replace("FILE", &file.display().to_string()).replace("OUT", &out));
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 1500000; ulimit -t 8; exec timeout -s KILL 20 \"$@\"", "sh", PLAYSELF])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let fine = matches!(output.status.code(), Some(0 | 2 | 4)) && !text.contains("panicked");
    let shown: String = text.chars().take(300).collect();
    (!fine).then(|| format!("{command} with {}: {:?} {shown}", file.display(), output.status))
}

#[test]
fn row_131_absurd_values_of_flags_are_refused_or_used_and_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let values = ["0", "-1", "18446744073709551615", "1e308", "NaN", "", "½"];
    let flags = [
        "--games",
        "--concurrency",
        "--nodes",
        "--depth",
        "--movetime",
        "--tc",
        "--seed",
        "--max-moves",
        "--margin",
        "--alpha",
    ];
    let mut log = Vec::new();
    for flag in flags {
        for value in values {
            // A plan is made and printed, and nothing is played.
            let output = Command::new(PLAYSELF)
                .args(["--white", "builtin", "--black", "builtin", "--dry-run"])
                .arg(format!("{flag}={value}"))
                .current_dir(folder.path())
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            if !matches!(output.status.code(), Some(0 | 2)) || text.contains("panicked") {
                let _ = writeln!(log, "{flag}={value}: {:?} {text}", output.status);
            }
        }
    }
    assert!(log.is_empty(), "{}", String::from_utf8_lossy(&log));
}
