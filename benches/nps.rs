//! Nodes per second of the built-in engine and of other UCI engines, on the same positions in turn.
//!
//! `cargo bench --bench nps -- ENGINE…` takes the paths of the other engines. Each searches every position for the same time,
//! with one thread and 16 MB of hash; the median of the rounds counts. Nodes and time are those of the last `info` line. The
//! bar: at least as many nodes per second as the first of the other engines, as the geometric mean of all positions.
//! `--option NAME=VALUE` sets an option of every other engine that has it, for example `--option "Use NNUE=false"`;
//! `--movetime MS` and `--rounds N` change the length.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const OURS: &str = env!("CARGO_BIN_EXE_chess-uci");
const USAGE: &str =
    "usage: cargo bench --bench nps -- ENGINE… [--option NAME=VALUE]… [--movetime MS] [--rounds N]";

/// The positions of each phase of the game.
const PHASES: [(&str, &[&str]); 3] = [
    (
        "opening",
        &[
            "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
            "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
            "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R w KQ - 2 6",
        ],
    ),
    (
        "middlegame",
        &[
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "2rq1rk1/pb1nbppp/1p2pn2/2pp4/2PP1B2/1PN1PN2/P2QBPPP/2R2RK1 b - - 3 12",
            "r2q1rk1/1b2bppp/p2p1n2/1p1Pp3/4P3/1BN1BP2/PPPQ2PP/2KR3R b - - 0 14",
            "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
            "3r1rk1/p3qppp/2bb4/2p5/3p4/1P2P3/PBQN1PPP/2R2RK1 w - - 0 18",
        ],
    ),
    (
        "endgame",
        &[
            "8/5pk1/4p1p1/1R5p/r4P1P/6P1/5PK1/8 w - - 4 38",
            "6k1/5pp1/4p2p/1p1bP3/1P1B1P1P/1K4P1/8/8 w - - 3 45",
            "8/1p3k2/p1p2p2/P1P2Pp1/1P4P1/4K3/8/8 w - - 0 50",
        ],
    ),
];

fn main() {
    let Some(settings) = Settings::parse(std::env::args().skip(1)) else {
        println!("{USAGE}");
        return;
    };
    let mut engines = vec![Engine::start(OURS, &[])];
    engines.extend(settings.engines.iter().map(|path| Engine::start(path, &settings.options)));
    let names: Vec<String> = engines.iter().map(|engine| format!("{:>16}", engine.name)).collect();
    println!("{} {}", " ".repeat(42), names.concat());
    let mut all = Vec::new();
    for (phase, positions) in PHASES {
        let rates: Vec<Vec<f64>> =
            positions.iter().map(|fen| settings.rates_of_position(&mut engines, fen)).collect();
        for (fen, rates) in positions.iter().zip(&rates) {
            print_row(fen.split(' ').next().unwrap_or(fen), rates);
        }
        print_row(phase, &means(&rates));
        all.extend(rates);
    }
    let means = means(&all);
    print_row("all", &means);
    assert!(means[0] >= means[1], "fewer nodes per second than {}", engines[1].name);
}

fn print_row(name: &str, rates: &[f64]) {
    let columns = rates.iter().enumerate().map(|(engine, rate)| match engine {
        0 => format!("{rate:>16.0}"),
        _ => format!("{rate:>9.0} ({:.2})", rates[0] / rate),
    });
    println!("{name:<42.42} {}", columns.collect::<String>());
}

/// Returns the geometric mean of each engine over the positions.
fn means(rates: &[Vec<f64>]) -> Vec<f64> {
    let mean = |engine: usize| {
        let logarithms: f64 = rates.iter().map(|position| position[engine].ln()).sum();
        (logarithms / rates.len() as f64).exp()
    };
    (0..rates[0].len()).map(mean).collect()
}

/// The settings of the command line.
struct Settings {
    engines: Vec<String>,
    options: Vec<(String, String)>,
    movetime: u64,
    rounds: usize,
}

impl Settings {
    /// Returns `None` if the arguments are not understood, or name no engine.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut settings = Self { engines: Vec::new(), options: Vec::new(), movetime: 500, rounds: 3 };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--option" => {
                    let option = arguments.next()?;
                    let (name, value) = option.split_once('=')?;
                    settings.options.push((name.to_owned(), value.to_owned()));
                }
                "--movetime" => settings.movetime = arguments.next()?.parse().ok()?,
                "--rounds" => {
                    settings.rounds = arguments.next()?.parse::<usize>().ok().filter(|&rounds| rounds > 0)?;
                }
                // Cargo adds this flag.
                "--bench" => {}
                flag if flag.starts_with("--") => return None,
                _ => settings.engines.push(argument),
            }
        }
        Some(settings).filter(|settings| !settings.engines.is_empty())
    }

    /// Returns the median of the nodes per second of each engine in one position.
    fn rates_of_position(&self, engines: &mut [Engine], fen: &str) -> Vec<f64> {
        let mut rates = vec![Vec::new(); engines.len()];
        for _ in 0..self.rounds {
            for (engine, rates) in engines.iter_mut().zip(&mut rates) {
                rates.push(engine.rate(fen, self.movetime));
            }
        }
        rates
            .into_iter()
            .map(|mut rates| {
                rates.sort_by(f64::total_cmp);
                rates[rates.len() / 2]
            })
            .collect()
    }
}

/// A running UCI engine.
struct Engine {
    name: String,
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    /// Starts an engine and sets those of `options` that it has.
    fn start(path: &str, options: &[(String, String)]) -> Self {
        let mut process = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{path} cannot be started: {error}"));
        let input = process.stdin.take().expect("the input is a pipe");
        let output = BufReader::new(process.stdout.take().expect("the output is a pipe")).lines();
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let mut engine = Self { name, process, input, output };
        engine.send("uci");
        let declared = engine.read_until("uciok");
        let fixed = [("Hash", "16"), ("Threads", "1")];
        for (name, value) in options.iter().map(|(name, value)| (&**name, &**value)).chain(fixed) {
            if declared.iter().any(|line| line.starts_with(&format!("option name {name} type "))) {
                engine.send(&format!("setoption name {name} value {value}"));
            }
        }
        engine
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap_or_else(|error| panic!("{}: {error}", self.name));
    }

    /// Returns the lines up to the one that starts with `last`.
    fn read_until(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(Ok(line)) = self.output.next() else { panic!("{} ended before {last:?}", self.name) };
            if line.starts_with(last) {
                return lines;
            }
            lines.push(line);
        }
    }

    /// Searches a position with empty tables. Returns the nodes per second.
    fn rate(&mut self, fen: &str, movetime: u64) -> f64 {
        self.send("ucinewgame");
        self.send(&format!("position fen {fen}"));
        self.send("isready");
        self.read_until("readyok");
        self.send(&format!("go movetime {movetime}"));
        let lines = self.read_until("bestmove");
        let count = |line: &str, key: &str| {
            let mut words = line.split_whitespace().skip_while(|&word| word != key);
            words.nth(1)?.parse::<f64>().ok()
        };
        let counts = |line: &String| Some((count(line, "nodes")?, count(line, "time")?));
        let (nodes, milliseconds) = lines
            .iter()
            .rev()
            .find_map(counts)
            .unwrap_or_else(|| panic!("{} reports no nodes in {fen}", self.name));
        nodes * 1000.0 / milliseconds.max(1.0)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let _ = self.process.wait();
    }
}
