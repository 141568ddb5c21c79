//! The table of weights and the weight files in `configs/`.

use std::collections::HashSet;

use playself::chess::Position;
use playself::engine::eval::{Coefficients, Weights, breakdown, weight_slots};
use playself::engine::{Declared, Spec};

fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("configs/{name}")).expect("the file ships with the crate")
}

#[test]
fn every_default_lies_in_its_range_and_every_step_fits_into_it() {
    for Spec { name, default, min, max, step, doc, .. } in Weights::specs() {
        assert!((min..=max).contains(&default), "{name} = {default} is not in {min} to {max}");
        assert!(*step > 0 && *step <= max - min, "{name} steps by {step}");
        assert!(doc.ends_with('.') && !doc.contains('\n'), "{name}: {doc}");
    }
}

#[test]
fn names_are_unique_and_made_of_lower_case_words() {
    let mut seen = HashSet::new();
    for Spec { name, .. } in Weights::specs() {
        assert!(seen.insert(name), "{name} is declared twice");
        assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')), "{name}");
    }
    for name in ["knight_value", "knight_mobility", "passed_pawn_rank_eg_7", "pst_knight_mg_d4", "tempo_mg"] {
        assert!(seen.contains(&name.to_owned()), "{name} is a documented name");
    }
}

#[test]
fn the_shipped_weights_file_holds_the_printed_defaults() {
    let file = shipped("weights.toml");
    let (head, body) = file.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with('#')));
    assert_eq!(body, Weights::default().to_text(), "run `score --print-weights` and keep the head");
}

#[test]
fn every_shipped_weights_file_sets_every_weight() {
    for name in ["weights.toml", "weights-plain.toml"] {
        let file = shipped(name);
        Weights::default().read_text(&file).unwrap_or_else(|mistakes| panic!("{name}: {mistakes}"));
        for spec in Weights::specs() {
            assert!(file.contains(&format!("\n{} = ", spec.name)), "{name} leaves out {}", spec.name);
        }
    }
}

#[test]
fn a_file_round_trip_keeps_every_weight() {
    let mut weights = Weights::default();
    for (index, spec) in Weights::specs().iter().enumerate() {
        let value = if index % 2 == 0 { spec.min } else { spec.max };
        weights.set(&spec.name, value).unwrap();
    }
    let mut copy = Weights::default();
    copy.read_text(&weights.to_text()).unwrap();
    assert_eq!(copy, weights);
}

#[test]
fn plain_weights_have_only_material_and_piece_square_values() {
    let mut plain = Weights::default();
    plain.read_text(&shipped("weights-plain.toml")).unwrap();
    for (index, spec) in Weights::specs().iter().enumerate() {
        let (value, name) = (plain.cell(index), &spec.name);
        match spec.section {
            "piece_square" => {}
            "material" if name.ends_with("_value") => assert!(value > 0, "{name}"),
            "scaling" => assert!(value == 0 || value == 64 || name == "fifty_moves_stretch", "{name}"),
            _ => assert_eq!(value, 0, "{name}"),
        }
    }
}

#[test]
fn the_terms_of_a_breakdown_add_up_to_the_score() {
    let weights = Weights::default();
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 40 60",
        "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
        "4k3/3b4/8/2P1P3/8/8/4B3/4K3 w - - 0 1",
        "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
        "8/8/8/4k3/8/8/8/K2BN3 w - - 30 90",
    ] {
        let breakdown = breakdown(&Position::from_fen(fen).unwrap(), &weights);
        assert_eq!(breakdown.terms.iter().map(|term| term.total).sum::<i32>(), breakdown.score_cp, "{fen}");
        for term in &breakdown.terms {
            assert_eq!(term.white - term.black, term.total, "{} in {fen}", term.name);
        }
    }
}

#[test]
fn each_weight_changes_the_score_by_its_coefficient() {
    let weights = Weights::default();
    let fen = "r1b2rk1/pp1nqppp/2pbpn2/3p4/2PP4/1PNBPN2/P4PPP/R1BQ1RK1 w - - 0 9";
    let position = Position::from_fen(fen).unwrap();
    let coefficients = Coefficients::of(&position, &weights);
    let taper = coefficients.taper.expect("a middlegame is not a known ending");
    // With all pieces on the board only middlegame values count, so one unit changes the score by one centipawn.
    assert_eq!(taper.phase, 24);
    for (index, place) in weight_slots().iter().enumerate() {
        let spec = &Weights::specs()[index];
        if matches!(spec.section, "king_danger" | "scaling" | "king_shelter") {
            continue;
        }
        let mut changed = weights.clone();
        changed.set_cell(index, weights.cell(index) + 1);
        let moved = Coefficients::of(&position, &changed).score - coefficients.score;
        let counted = match place.phases {
            playself::engine::eval::Phases::Endgame => 0,
            _ => coefficients.terms[0][place.slot] - coefficients.terms[1][place.slot],
        };
        assert_eq!(moved, counted, "{}", spec.name);
    }
}
