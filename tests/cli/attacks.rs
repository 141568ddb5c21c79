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
        .args(["-c", "ulimit -v 1500000; ulimit -t 8; exec timeout -s KILL 60 \"$@\"", "sh", PLAYSELF])
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

/// A game of PGN with these moves.
fn game(moves: &str) -> Vec<u8> {
    format!("[Event \"x\"]\n\n{moves}\n").into_bytes()
}

/// Books with their names and the exit status of `book check`.
fn odd_books() -> Vec<(&'static str, Vec<u8>, i32)> {
    let line = "4k3/8/8/8/8/8/8/4K2R w K -\n";
    let utf16: Vec<u8> = game("1. e4 e5 *").iter().flat_map(|&byte| [byte, 0]).collect();
    let epd = |text: &str| format!("{text}\n").into_bytes();
    vec![
        ("comments.pgn", game(&format!("1. e4 {}", "{(".repeat(100_000))), 2),
        ("variations.pgn", game(&format!("1. e4 {} e5", "(".repeat(200_000))), 2),
        ("utf16.pgn", [vec![0xff, 0xfe], utf16].concat(), 2),
        ("mark.pgn", [b"\xef\xbb\xbf".to_vec(), game("1. e4 e5 *")].concat(), 0),
        (
            "returns.pgn",
            game("1. e4 e5 *").iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect(),
            0,
        ),
        ("nag.pgn", game("1. e4 $999999999999 e5 *"), 2),
        ("fen.pgn", b"[FEN \"garbage\"]\n\n1. e4 *\n".to_vec(), 2),
        ("tags.pgn", [b"[A \"b\"]\n".repeat(50_000), b"\n1. e4 *\n".to_vec()].concat(), 0),
        ("tag.pgn", format!("[A \"{}\"]\n\n1. e4 *\n", "b".repeat(5_000_000)).into_bytes(), 2),
        ("quotes.pgn", b"[A \"\\\"\\\\\\\"]\n\n1. e4 *\n".to_vec(), 2),
        ("illegal.pgn", game("1. e5 *"), 2),
        ("mate.pgn", game("1. f3 e5 2. g4 Qh4# 0-1"), 2),
        ("results.pgn", b"*\n".repeat(10_000), 2),
        ("zeros.pgn", vec![0; 100_000], 2),
        ("null.pgn", game("1. e4 -- 2. d4 *"), 2),
        ("numbers.pgn", game("99999999999999999999. e4 0... e5 *"), 0),
        ("no-kings.epd", epd("8/8/8/8/8/8/8/8 w - -"), 2),
        ("kings.epd", epd("kkk5/8/8/8/8/8/8/KKK5 w - -"), 2),
        ("pawn.epd", epd("k7/8/8/8/8/8/8/K6P w - -"), 2),
        ("check.epd", epd("k6R/8/8/8/8/8/8/K7 w - -"), 2),
        ("en-passant.epd", epd("k7/8/8/8/8/8/8/K7 w - e3"), 2),
        ("castling.epd", epd("k7/8/8/8/8/8/8/K7 w KQkq -"), 2),
        ("clocks.epd", epd("4k3/8/8/8/8/8/8/4K2R w K - 99999999999 99999999999"), 2),
        ("operations.epd", epd(&format!("4k3/8/8/8/8/8/8/4K2R w K - {}", "a b;".repeat(100_000))), 2),
        ("nine.epd", epd("9/8/8/8/8/8/8/K6k w - -"), 2),
        ("dead.epd", epd("4k3/8/8/8/8/8/8/4K3 w - -"), 2),
        ("stalemate.epd", epd("k7/2Q5/8/8/8/8/8/K7 b - -"), 2),
        ("plain.epd.gz", line.as_bytes().to_vec(), 0),
        ("magic.epd.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(), 2),
        ("magic.zip", b"PK\x03\x04".repeat(100), 2),
        ("empty.zip", [b"PK\x05\x06".to_vec(), vec![0; 18]].concat(), 2),
        ("magic.epd.zst", [b"\x28\xb5\x2f\xfd".to_vec(), vec![0xff; 100]].concat(), 2),
        (
            "noise.bin",
            (0..2000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect(),
            2,
        ),
    ]
}

#[test]
fn row_73_odd_books_are_read_or_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents, expected) in odd_books() {
        let path = folder.path().join(name);
        fs::write(&path, contents).unwrap();
        let output = Command::new(PLAYSELF).args(["book", "check"]).arg(&path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{name}: {text}");
        assert!(expected == 0 || text.contains(name), "{name}: {text}");
    }
}

/// Lines of an engine's table in a run file, with the exit status that follows.
const ENGINE_LINES: [(&str, i32); 18] = [
    ("args = [\"a\\u0000b\"]", 4),
    ("env = { X = \"a\\u0000b\" }", 4),
    ("env = { \"A\\u0000\" = \"c\" }", 2),
    ("env = { \"A=B\" = \"c\" }", 2),
    ("env = { \"\" = \"c\" }", 2),
    ("dir = \"/nonexistent\"", 2),
    ("dir = \"/a\\u0000\"", 2),
    ("dir = \"/dev/null\"", 4),
    ("stderr = \"/\"", 4),
    ("stderr = \"/nonexistent/x\"", 4),
    ("stderr = \"/dev/full\"", 0),
    ("inherit_env = [\"A=B\", \"\\u0000\", \"*\", \"[a\"]", 2),
    ("init = [\"quit\"]", 4),
    ("init = [\"position startpos\", \"go infinite\"]", 0),
    ("name = \"../../../../tmp/evil\"", 0),
    ("name = \"\\u001b[2J\\u0007\"", 0),
    ("options = { \"\" = 1 }", 2),
    ("options = { Hash = 99999999999 }", 2),
];

#[test]
fn row_97_odd_settings_of_an_engine_are_refused_or_used_and_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    for (number, (line, expected)) in ENGINE_LINES.iter().enumerate() {
        let config = folder.path().join("odd.toml");
        let name = if line.starts_with("name") { "" } else { "name = \"odd\"\n" };
        let text = format!(
            "[candidate]\nengine = \"{fake}\"\n{name}{line}\n[baseline]\nengine = \"{fake}\"\nname = \"other\"\n\
             [games]\ndepth = 1\nmax_pairs = 1\n[adjudicate]\nmax_moves = 2\n"
        );
        fs::write(&config, text).unwrap();
        let output = Command::new(PLAYSELF)
            .arg("match")
            .arg(&config)
            .arg("--run-dir")
            .arg(folder.path().join(format!("run-{number}")))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*expected), "{line}: {text}");
        assert!(!text.contains("panicked"), "{line}: {text}");
    }
    assert!(!Path::new("/tmp/evil").exists());
}
