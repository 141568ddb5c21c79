//! Commands for interactive use, beyond UCI: board, evaluation, perft and benchmark.

use std::time::Instant;

use crate::chess::{BoardStyle, BoardText, Color, MoveStyle, Position};
use crate::engine::eval::breakdown;
use crate::engine::{BENCH_DEPTH, StopFlag, Weights, signature};
use crate::frontend::uci::output::Output;

/// Returns the board diagram with FEN, key and checkers.
pub(super) fn board(position: &Position) -> String {
    let diagram =
        BoardText { position, last: None, bottom: Color::White, style: BoardStyle::Plain }.draw(&[]);
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    format!(
        "{diagram}\nFen: {}\nKey: {:016X}\nCheckers: {}\n",
        position.to_fen(),
        position.key(),
        checkers.join(" ")
    )
}

/// Returns the evaluation of the position as a table of its terms.
pub(super) fn evaluation(position: &Position, weights: &Weights) -> String {
    let breakdown = breakdown(position, weights);
    let mut text = format!("{:<28}{:>8}{:>8}{:>8}\n", "Term", "White", "Black", "Total");
    for term in &breakdown.terms {
        text += &format!("{:<28}{:>8}{:>8}{:>+8}\n", term.name, term.white, term.black, term.total);
    }
    text + &format!("Evaluation: {:+} centipawns, White's view\n", breakdown.score_cp)
}

/// Prints the number of leaves below each root move; returns early if stopped.
pub(super) fn perft(output: &Output, position: &Position, depth: u32, style: MoveStyle, stop: &StopFlag) {
    let started = Instant::now();
    let mut total = 0;
    for &mv in position.legal_moves().iter() {
        let leaves = if depth <= 1 { u64::from(depth) } else { count(&position.play(mv), depth - 1, stop) };
        if stop.is_stopped() {
            return output.info_string("perft stopped");
        }
        total += leaves;
        output.line(format_args!("{}: {leaves}", position.coordinate(mv, style)));
    }
    let seconds = started.elapsed().as_secs_f64();
    let speed = total as f64 / 1e6 / seconds.max(1e-9);
    output.text(&format!("\nNodes searched: {total}\n{total} nodes in {seconds:.3} s ({speed:.1} Mnps)\n"));
}

fn count(position: &Position, depth: u32, stop: &StopFlag) -> u64 {
    if depth <= 1 {
        return position.legal_move_count();
    }
    if stop.is_stopped() {
        return 0;
    }
    position.legal_moves().iter().map(|&mv| count(&position.play(mv), depth - 1, stop)).sum()
}

/// Searches the benchmark positions and prints the node signature.
pub(super) fn bench(output: &Output) {
    let bench = signature(BENCH_DEPTH);
    output.line(format_args!("{} nodes {} nps", bench.nodes, bench.nps()));
}
