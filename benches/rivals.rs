//! Whole matches with this program and with other match runners: same engine, same games, alternating blocks.
//!
//! `cargo bench --bench rivals -- FASTCHESS CCHESSCLI` takes the paths of the two programs. This program runs with its
//! defaults: journal, PGN, CSV and page; and once more with the command line of fastchess. The bars for both, at one game at a
//! time: 4 times the plies per second of fastchess, 1.5 times those of c-chess-cli, and no more processor time per ply than
//! c-chess-cli.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use playself::chess::Position;

/// Number of blocks of each runner.
const BLOCKS: usize = 3;
/// Time after which a runner is considered to hang.
const TIMEOUT: Duration = Duration::from_secs(60);
const ENGINE: &str = env!("CARGO_BIN_EXE_fake-engine");

fn main() {
    let paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|text| !text.starts_with("--")).map(PathBuf::from).collect();
    let [fastchess, c_chess_cli] = &paths[..] else {
        println!("usage: cargo bench --bench rivals -- FASTCHESS CCHESSCLI");
        return;
    };
    let [alone, _] = [1, 2].map(|concurrency| compare(fastchess, c_chess_cli, concurrency));
    for Ratios { name, fastchess, c_chess_cli, cpu } in alone {
        assert!(
            fastchess >= 4.0 && c_chess_cli >= 1.5 && cpu <= 1.0,
            "{name} misses a bar at one game at a time"
        );
    }
}

/// Plies per second and processor time per ply of this program, relative to the others.
struct Ratios {
    name: &'static str,
    fastchess: f64,
    c_chess_cli: f64,
    /// Processor time relative to c-chess-cli.
    cpu: f64,
}

/// The measurements of a match.
#[derive(Clone, Copy, Debug)]
struct Measured {
    plies: u64,
    seconds: f64,
    /// Processor time of the runner and its engines.
    cpu_seconds: f64,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.plies as f64 / self.seconds
    }

    fn cpu_per_ply(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.plies as f64
    }
}

fn compare(fastchess: &Path, c_chess_cli: &Path, concurrency: usize) -> [Ratios; 2] {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let book = folder.path().join("book.epd");
    let openings = openings();
    fs::write(&book, openings.join("\n") + "\n").expect("the book can be written");
    let setup = Match { folder: folder.path(), book: &book, games: 2 * openings.len(), concurrency };
    let mut blocks: [Vec<Measured>; 4] = Default::default();
    for block in 0..BLOCKS {
        let pgn = |name: &str| folder.path().join(format!("{name}-{block}.pgn"));
        let runs = [
            (setup.ours(&folder.path().join(format!("run-{block}"))), None),
            (setup.fastchess(fastchess, &pgn("fastchess")), Some(pgn("fastchess"))),
            (setup.c_chess_cli(c_chess_cli, &pgn("c-chess-cli")), Some(pgn("c-chess-cli"))),
            (setup.as_fastchess(&pgn("drop-in")), Some(pgn("drop-in"))),
        ];
        for (results, (command, pgn)) in blocks.iter_mut().zip(runs) {
            let games = pgn.unwrap_or_else(|| folder.path().join(format!("run-{block}/games.pgn")));
            results.push(setup.measure(command, &games));
        }
    }
    let median = |runner: usize, field: &dyn Fn(&Measured) -> f64| {
        let mut values: Vec<f64> = blocks[runner].iter().map(field).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!("{} games, concurrency {concurrency}", setup.games);
    let names = ["playself", "fastchess", "c-chess-cli", "playself fastchess"];
    for (runner, name) in names.into_iter().enumerate() {
        let [rate, cpu] = [median(runner, &Measured::rate), median(runner, &Measured::cpu_per_ply)];
        println!("{name:<18} {rate:>9.0} plies/s {cpu:>8.2} us CPU/ply  ({} plies)", blocks[runner][0].plies);
    }
    let ratios = [0, 3].map(|own| {
        let ratio = |rival: usize, field: fn(&Measured) -> f64| {
            let pairs = blocks[own].iter().zip(&blocks[rival]);
            let mut ratios: Vec<f64> = pairs.map(|(ours, theirs)| field(ours) / field(theirs)).collect();
            ratios.sort_by(f64::total_cmp);
            ratios[ratios.len() / 2]
        };
        let name = names[own];
        let [fastchess, c_chess_cli] = [1, 2].map(|rival| ratio(rival, Measured::rate));
        let cpu = ratio(2, Measured::cpu_per_ply);
        println!(
            "{name}: {fastchess:.2} x fastchess (bar 4), {c_chess_cli:.2} x c-chess-cli (bar 1.5); \
             CPU per ply: {cpu:.2} x c-chess-cli (bar 1)"
        );
        Ratios { name, fastchess, c_chess_cli, cpu }
    });
    assert_eq!(blocks[1][0].plies, blocks[3][0].plies, "the same games as fastchess");
    ratios
}

/// Returns openings that every runner can read: full FENs after three plies. There are enough of them to make the time of
/// startup and shutdown negligible.
fn openings() -> Vec<String> {
    let mut found = vec![Position::startpos()];
    for _ in 0..3 {
        found = found
            .iter()
            .flat_map(|position| {
                let moves = position.legal_moves();
                moves.iter().step_by(4).map(|&mv| position.play(mv)).collect::<Vec<_>>()
            })
            .collect();
    }
    found.iter().map(Position::to_fen).collect()
}

/// The match that all runners play.
struct Match<'a> {
    folder: &'a Path,
    book: &'a Path,
    games: usize,
    concurrency: usize,
}

impl Match<'_> {
    fn ours(&self, run: &Path) -> Command {
        let config = self.folder.join("match.toml");
        let text = format!(
            "[candidate]\nengine = {ENGINE:?}\nargs = [\"--salt\", \"1\"]\n[baseline]\nengine = {ENGINE:?}\n\
             args = [\"--salt\", \"2\"]\n[games]\nnodes = 1\nopenings = {:?}\norder = \"sequential\"\n",
            self.book
        );
        fs::write(&config, text).expect("the config can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_playself"));
        command.arg("match").arg(config).arg("--run-dir").arg(run);
        command.args(["--games", &self.games.to_string(), "--concurrency", &self.concurrency.to_string()]);
        command
    }

    /// This program with the command line of fastchess.
    fn as_fastchess(&self, pgn: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_playself"));
        command.arg("fastchess");
        self.fastchess_flags(command, pgn)
    }

    fn fastchess(&self, program: &Path, pgn: &Path) -> Command {
        self.fastchess_flags(Command::new(program), pgn)
    }

    fn fastchess_flags(&self, mut command: Command, pgn: &Path) -> Command {
        for (name, salt) in [("one", 1), ("two", 2)] {
            command.args(["-engine", &format!("cmd={ENGINE}"), &format!("name={name}")]);
            command.arg(format!("args=--salt {salt}"));
        }
        command.args(["-each", "tc=inf", "nodes=1", "-games", "2", "-repeat"]);
        command.args(["-rounds", &(self.games / 2).to_string()]);
        command.args([
            "-openings",
            &format!("file={}", self.book.display()),
            "format=epd",
            "order=sequential",
        ]);
        command.args(["-concurrency", &self.concurrency.to_string()]);
        command.args(["-pgnout", &format!("file={}", pgn.display())]);
        command
    }

    fn c_chess_cli(&self, program: &Path, pgn: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, salt) in [("one", 1), ("two", 2)] {
            command.args(["-engine", &format!("cmd={ENGINE} --salt {salt}"), &format!("name={name}")]);
        }
        command.args(["-each", "nodes=1", "-repeat", "-games", &self.games.to_string()]);
        command.args(["-openings", &format!("file={}", self.book.display()), "order=sequential"]);
        command.args([
            "-concurrency",
            &self.concurrency.to_string(),
            "-pgn",
            &pgn.display().to_string(),
            "2",
        ]);
        command
    }

    /// Runs a match to its end and counts the plies in its PGN file.
    fn measure(&self, mut command: Command, pgn: &Path) -> Measured {
        let cpu = || {
            let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("getrusage succeeds");
            let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
            seconds(usage.user_time()) + seconds(usage.system_time())
        };
        let (before, started) = (cpu(), Instant::now());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.current_dir(self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the runner can be started");
        while child.try_wait().expect("a child can be waited for").is_none() {
            if started.elapsed() > TIMEOUT {
                let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
                panic!("{command:?} did not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let seconds = started.elapsed().as_secs_f64();
        let text = fs::read_to_string(pgn).unwrap_or_else(|error| panic!("{}: {error}", pgn.display()));
        let counts = text.lines().filter_map(|line| line.strip_prefix("[PlyCount \"")?.strip_suffix("\"]"));
        let plies = counts.filter_map(|count| count.parse::<u64>().ok()).sum();
        let games = text.lines().filter(|line| line.starts_with("[White ")).count();
        assert_eq!(games, self.games, "{command:?}: every game is in the file");
        Measured { plies, seconds, cpu_seconds: cpu() - before }
    }
}
