//! Log-likelihood ratios compared with values from an independent solver.
//!
//! The reference maximises the likelihood over all distributions by another method: for each spread on a fine grid a
//! two-multiplier dual problem, solved by damped Newton steps, then a bounded scalar search (numpy, scipy 1.17).

use playself::stats::{EloModel, Hypotheses, Pentanomial, SprtConfig, Trinomial};

fn config(model: EloModel, elo0: f64, elo1: f64) -> SprtConfig {
    SprtConfig { model, ..SprtConfig::usual(Hypotheses::new(elo0, elo1).expect("elo0 is below elo1")) }
}

fn agrees(name: &str, llr: f64, expected: f64) {
    assert!((llr - expected).abs() <= 1e-6 * expected.abs() + 1e-12, "{name}: {llr}, expected {expected}");
}

#[test]
fn pair_ratios_agree_with_an_independent_solver() {
    use EloModel::{Logistic, Normalized};
    for (name, counts, model, elo0, elo1, expected) in [
        ("usual", [365, 16618, 36229, 16974, 390], Normalized, 0.0, 2.0, 2.2503677035469822),
        ("usual, logistic", [871, 26175, 55983, 26678, 821], Logistic, 0.0, 2.0, -4.9786728634491455),
        ("all won", [0, 0, 0, 0, 5550], Normalized, 0.0, 5.0, 111.79755508669683),
        ("all won, logistic", [0, 0, 0, 0, 5550], Logistic, 0.0, 5.0, 79.29625114711763),
        // Two outcomes only, so in closed form: N ln(1 - t / sqrt(1 + t^2)), t = 5 sqrt(2) ln(10) / 800.
        ("a billion lost", [1_000_000_000, 0, 0, 0, 0], Normalized, 0.0, 5.0, -20557826.9),
        ("nearly all even", [0, 3, 99990, 7, 0], Normalized, 0.0, 5.0, -24.856354468885236),
        ("all even", [0, 0, 7, 0, 0], Normalized, 0.0, 5.0, -0.001779112973144434),
        ("all even, opposite claims", [0, 0, 7, 0, 0], Logistic, -3.0, 3.0, 0.0),
        ("one pair", [1, 0, 0, 0, 0], Normalized, 0.0, 5.0, -0.020568542267041787),
        ("no draws", [12, 0, 0, 0, 9], Normalized, -10.0, 30.0, -0.6255961446374325),
        ("far above", [3, 40, 90, 61, 6], Normalized, 300.0, 400.0, -47.385627437327486),
        ("far below", [3, 40, 90, 61, 6], Normalized, -700.0, -250.0, 234.14063322828267),
        // The first Newton step ends exactly on a pole, where every further step is small.
        ("a step onto a pole", [1, 56, 165, 176, 2], Normalized, 0.0, 3.0, 1.7875089801477229),
        ("the same from the other side", [2, 176, 165, 56, 1], Normalized, -3.0, 0.0, -1.7875089801477229),
        // The likelihood has a second, higher maximum far from the sample, although the hypothesis is near.
        ("one lost, else even", [1, 0, 5400, 0, 0], Normalized, 0.0, 5.0, -2.837294155489229),
        ("one won, else even", [0, 0, 5400, 0, 1], Normalized, -5.0, 0.0, 2.837294155487924),
        ("few, else even", [1, 0, 50, 0, 0], Normalized, 0.0, 50.0, -2.6664598436831475),
        ("some lost, else even", [10, 0, 1180, 0, 0], Normalized, 0.0, 35.0, -29.989086232389383),
        ("nearly all even, narrow", [0, 3, 99990, 7, 0], Normalized, 0.0, 2.0, -0.34820366993720414),
        ("very far above", [5, 0, 995, 0, 1], Normalized, 231.0, 1200.0, -2579.0473251274293),
    ] {
        agrees(name, config(model, elo0, elo1).llr(&Pentanomial(counts)), expected);
    }
}

#[test]
fn game_ratios_agree_with_an_independent_solver() {
    use EloModel::{Bayesian, Normalized};
    for (name, [losses, draws, wins], model, elo1, expected) in [
        ("usual", [36027, 68692, 36433], Normalized, 2.0, 0.9232934509494677),
        ("usual, bayesian", [68526, 128429, 68965], Bayesian, 2.0, -1.2621558892133082),
        ("fewer, bayesian", [1351, 2942, 1477], Bayesian, 10.0, 2.806087908075738),
        ("beaten", [149, 1, 3], Normalized, 10.0, -4.27869167963387),
    ] {
        agrees(name, config(model, 0.0, elo1).llr(&Trinomial { wins, draws, losses }), expected);
    }
}

#[test]
fn a_losing_candidate_is_rejected_on_the_bayesian_scale_from_pairs_and_from_games() {
    let test = config(EloModel::Bayesian, 0.0, 5.0);
    let beaten = test.llr(&Pentanomial([10_000, 80_000, 10_000, 0, 0]));
    assert!(beaten < test.bounds().lower, "{beaten}");
    // No win and a single win give nearly the same ratio.
    let games =
        |wins: u64| config(EloModel::Bayesian, 0.0, 10.0).llr(&Trinomial { wins, draws: 50, losses: 950 });
    assert!(games(0) < -3.0 && (games(0) / games(1) - 1.0).abs() < 0.5, "{} and {}", games(0), games(1));
}
