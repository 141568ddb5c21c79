//! `perft`: counts the legal move sequences of a position and measures the speed.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use playself::chess::{
    LeafStats, MoveStyle, Perft, PerftTable, Position, SEED_SUITE, START_FEN, SliderTechnique,
};
use playself::cli::usage;
use playself::commands::Failure;
use serde_json::{Value, json};

/// Count the legal move sequences of a given length from a position
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Length of the sequences in plies
    #[arg(long, value_name = "D", required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(..=255))]
    depth: Option<u32>,

    /// Position; Chess960 castling rights as X-FEN or Shredder-FEN
    #[arg(long, value_name = "FEN", default_value = START_FEN)]
    fen: String,

    /// Lookup of sliding attacks: ab, magic or pext [default: the fastest on this machine]
    #[arg(long, value_name = "TECHNIQUE")]
    sliders: Option<SliderTechnique>,

    /// Also print the count of each root move
    #[arg(long)]
    divide: bool,

    /// Also count captures, en passants, castles, promotions and checks among the last moves
    #[arg(long)]
    stats: bool,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Size of a transposition table for counts in MiB [default: no table]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: Option<u32>,

    /// Count six positions with known counts instead; exit status 1 if a count is wrong
    #[arg(long, conflicts_with_all = ["depth", "fen", "divide", "stats"])]
    suite: bool,

    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments: Arguments = match usage::parse() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let mut out = io::stdout().lock();
    let answered = match (arguments.depth, Position::from_fen(&arguments.fen)) {
        (None, _) => suite(&arguments, &mut out),
        (Some(depth), Ok(position)) => count(&arguments, &position, depth, &mut out),
        (Some(_), Err(error)) => return usage::refuse(format_args!("--fen: {error}")),
    };
    usage::exit_code("perft", answered.map_err(Failure::Output))
}

/// A count with the time it took.
struct Timed {
    nodes: u64,
    seconds: f64,
}

impl Timed {
    fn mnps(&self) -> f64 {
        self.nodes as f64 / 1e6 / self.seconds.max(1e-9)
    }
}

impl Arguments {
    fn perft(&self) -> Perft {
        Perft {
            technique: self.sliders.unwrap_or_else(SliderTechnique::fastest),
            threads: NonZeroUsize::new(usize::from(self.threads)).unwrap_or(NonZeroUsize::MIN),
            table: self.hash.map(|megabytes| PerftTable::new(megabytes as usize)),
        }
    }
}

fn count(
    arguments: &Arguments,
    position: &Position,
    depth: u32,
    out: &mut impl Write,
) -> io::Result<ExitCode> {
    let perft = arguments.perft();
    let start = Instant::now();
    // Both ways of counting visit every leaf; only the requested one is timed.
    let stats = arguments.stats.then(|| perft.stats(position, depth));
    let counts = (arguments.divide || stats.is_none()).then(|| perft.divide(position, depth));
    let seconds = start.elapsed().as_secs_f64();
    let counted = counts.as_ref().map(|counts| counts.iter().map(|(_, leaves)| leaves).sum::<u64>());
    let nodes = match (depth, stats, counted) {
        (0, ..) => 1,
        (_, Some(stats), _) => stats.nodes,
        (_, None, counted) => counted.unwrap_or_default(),
    };
    let timed = Timed { nodes, seconds };
    let style = if position.is_chess960() { MoveStyle::Chess960 } else { MoveStyle::Standard };
    let mut divided: Vec<(String, u64)> = Vec::new();
    if let Some(counts) = counts.filter(|_| arguments.divide) {
        divided = counts.iter().map(|&(mv, leaves)| (position.coordinate(mv, style), leaves)).collect();
        divided.sort();
    }
    if arguments.json {
        writeln!(out, "{}", report(arguments, &perft, depth, &timed, &divided, stats))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (mv, leaves) in &divided {
        writeln!(out, "{mv}: {leaves}")?;
    }
    if let Some(LeafStats { captures, en_passants, castles, promotions, checks, .. }) = stats {
        writeln!(
            out,
            "{captures} captures, {en_passants} en passants, {castles} castles, {promotions} promotions, {checks} checks"
        )?;
    }
    writeln!(out, "{nodes} nodes in {seconds:.3} s ({:.1} Mnps)", timed.mnps())?;
    Ok(ExitCode::SUCCESS)
}

fn report(
    arguments: &Arguments,
    perft: &Perft,
    depth: u32,
    timed: &Timed,
    divided: &[(String, u64)],
    stats: Option<LeafStats>,
) -> Value {
    let mut report = json!({
        "fen": arguments.fen,
        "depth": depth,
        "nodes": timed.nodes,
        "seconds": timed.seconds,
        "mnps": timed.mnps(),
        "sliders": perft.technique.name(),
        "threads": perft.threads,
    });
    if arguments.divide {
        report["divide"] = divided.iter().map(|(mv, leaves)| (mv.clone(), json!(leaves))).collect();
    }
    if let Some(stats) = stats {
        report["stats"] = json!({
            "captures": stats.captures,
            "en_passants": stats.en_passants,
            "castles": stats.castles,
            "promotions": stats.promotions,
            "checks": stats.checks,
        });
    }
    report
}

fn suite(arguments: &Arguments, out: &mut impl Write) -> io::Result<ExitCode> {
    let perft = arguments.perft();
    let mut wrong = 0;
    for row in SEED_SUITE {
        let position = Position::from_fen(row.fen).expect("the seed positions are legal");
        let start = Instant::now();
        let nodes = perft.count(&position, row.depth);
        let timed = Timed { nodes, seconds: start.elapsed().as_secs_f64() };
        let ok = nodes == row.nodes;
        wrong += u8::from(!ok);
        if arguments.json {
            let line = json!({
                "name": row.name,
                "depth": row.depth,
                "nodes": nodes,
                "expected": row.nodes,
                "ok": ok,
                "seconds": timed.seconds,
                "mnps": timed.mnps(),
            });
            writeln!(out, "{line}")?;
        } else {
            let verdict = if ok { "ok".to_owned() } else { format!("WRONG (expected {})", row.nodes) };
            writeln!(
                out,
                "{:<10} {:>2} {nodes:>12}  {verdict}  {:.1} Mnps",
                row.name,
                row.depth,
                timed.mnps()
            )?;
        }
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
