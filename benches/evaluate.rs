//! Evaluations per second: without caches, and with the caches of an evaluator.

use std::hint::black_box;
use std::time::Instant;

use playself::chess::Position;
use playself::engine::eval::{Evaluator, NoTrace, Weights, evaluate_with_trace};

/// Middlegames and endgames; the evaluated positions are those a few plies later.
const ROOTS: [&str; 5] = [
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

fn main() {
    let positions = positions();
    let weights = Weights::default();
    let uncached =
        rate("without caches", &positions, |position| evaluate_with_trace(position, &weights, &mut NoTrace));
    let mut evaluator = Evaluator::new(weights.clone());
    let mut white = |position: &Position| match position.turn() {
        playself::chess::Color::White => evaluator.evaluate(position),
        playself::chess::Color::Black => -evaluator.evaluate(position),
    };
    let cached = rate("with caches", &positions, &mut white);
    assert_eq!(uncached, cached, "the caches do not change a score");
}

/// Returns positions three plies after every root, with the halfmove clock set to 0, so that it does not scale the scores.
fn positions() -> Vec<Position> {
    let mut all = Vec::new();
    for root in ROOTS {
        let mut level = vec![Position::from_fen(root).expect("the roots are legal")];
        for _ in 0..3 {
            level = level
                .iter()
                .flat_map(|position| {
                    position.legal_moves().iter().step_by(3).map(|mv| position.play(*mv)).collect::<Vec<_>>()
                })
                .collect();
        }
        all.extend(level.into_iter().map(without_clock));
    }
    all
}

fn without_clock(position: Position) -> Position {
    let mut setup = position.to_setup();
    setup.halfmove = 0;
    Position::from_setup(&setup).expect("a legal position stays legal when its halfmove clock is 0")
}

/// Prints the evaluations per second; returns the sum of all scores.
#[expect(clippy::print_stdout, reason = "a benchmark prints its results")]
fn rate(name: &str, positions: &[Position], mut score: impl FnMut(&Position) -> i32) -> i64 {
    const ROUNDS: usize = 20;
    let mut sum = 0;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        sum = positions.iter().map(|position| i64::from(black_box(score(black_box(position))))).sum();
    }
    let seconds = start.elapsed().as_secs_f64();
    let evaluations = (positions.len() * ROUNDS) as f64;
    println!(
        "{name}: {:.2} million evaluations per second ({} positions)",
        evaluations / seconds / 1e6,
        positions.len()
    );
    sum
}
