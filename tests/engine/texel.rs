//! Texel tuning: the model equals the evaluation, its gradient is exact, and a run lowers the loss.

use playself::chess::Position;
use playself::engine::eval::{NoTrace, evaluate_with_trace, scale_by_halfmove_clock};
use playself::engine::{Declared, Weights};
use playself::game::GameResult;
use playself::texel::{Dataset, Model, Sample, Scale, Selection, TexelPlan, TrainingSet, tune};

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Positions of random games with random results, drawn by the expected score that `judge` gives the position.
fn samples(games: usize, judge: &Weights) -> Vec<Sample> {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut samples = Vec::new();
    for game in 0..games {
        let mut position = Position::startpos();
        for ply in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.halfmove_clock() >= 100 {
                break;
            }
            position = position.play(moves[dice.below(moves.len())]);
            if ply > 8 {
                let score = f64::from(evaluate_with_trace(&position, judge, &mut NoTrace));
                let expected = Scale(1.0).expected(score);
                let result = match dice.below(10_000) as f64 / 10_000.0 {
                    drawn if drawn < expected => GameResult::WhiteWins,
                    _ => GameResult::BlackWins,
                };
                samples.push(Sample { game: game as u32, ..Sample::new(&position, None, result) });
            }
        }
    }
    samples
}

fn set(samples: &[Sample]) -> TrainingSet {
    TrainingSet::new(samples, Selection::default())
}

fn dataset(samples: &[Sample], threads: usize) -> Dataset {
    Dataset::new(set(samples).positions(), &Weights::default(), threads)
}

#[test]
fn the_model_scores_positions_as_the_evaluation_does() {
    let weights = Weights::default();
    let samples = samples(20, &weights);
    for sample in &samples {
        let data = dataset(&[*sample], 1);
        let Some(&modelled) = Model::of(&weights).scores(&data, 1).first() else { continue };
        let position = sample.position.unpack().unwrap();
        let scored = scale_by_halfmove_clock(
            evaluate_with_trace(&position, &weights, &mut NoTrace),
            position.halfmove_clock(),
            weights.fifty_moves_stretch,
        );
        // The evaluation rounds king danger, the phase blend and the fading; the model does not.
        assert!((modelled - f64::from(scored)).abs() < 5.0, "{modelled} {scored} {position:?}");
    }
}

#[test]
fn the_gradient_agrees_with_finite_differences() {
    let weights = Weights::default();
    let data = dataset(&samples(12, &weights), 2);
    let rows: Vec<u32> = (0..data.len() as u32).collect();
    let mut model = Model::of(&weights);
    // With integers some king danger lies exactly at the kink of its function, where there is no derivative.
    model.cells[Weights::index_of("danger_base").unwrap()] += 0.37;
    let gradient = model.gradient(&data, &rows, Scale(1.1), 2);
    assert!((gradient.loss - model.loss(&data, Scale(1.1), 2)).abs() < 1e-12);
    const STEP: f64 = 1e-3;
    let mut counted = 0;
    for (index, spec) in Weights::specs().iter().enumerate() {
        let moved = |by: f64| {
            let mut moved = model.clone();
            moved.cells[index] += by;
            moved.loss(&data, Scale(1.1), 2)
        };
        let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        let slope = gradient.slopes[index];
        let tolerance = 1e-4 * slope.abs() + 1e-9;
        assert!((difference - slope).abs() < tolerance, "{}: {difference} {slope}", spec.name);
        counted += usize::from(slope != 0.0);
    }
    assert!(counted > 500, "{counted} weights had a slope");
}

#[test]
fn a_run_recovers_altered_weights_and_lowers_the_held_out_loss() {
    let truth = Weights::default();
    let samples = samples(300, &truth);
    let mut altered = truth.clone();
    altered.set("knight_value", truth.knight_value - 148).unwrap();
    altered.set("rook_value", truth.rook_value + 141).unwrap();
    let plan = TexelPlan {
        scale: Some(Scale(1.0)),
        epochs: 40,
        batch: 2048,
        tunes: |spec| spec.section == "material",
        ..TexelPlan::with_threads(2)
    };
    let mut epochs = 0;
    let tuned = tune(&set(&samples), &altered, &plan, &mut |_| epochs += 1);
    assert_eq!(epochs, tuned.epochs);
    assert!(tuned.held_out[1] < tuned.held_out[0], "{:?}", tuned.held_out);
    assert_eq!(tuned.weights.pst_knight, truth.pst_knight, "weights outside the selection stay");
    let (knight, true_knight) = (tuned.weights.knight_value, truth.knight_value);
    assert!(
        (true_knight - 68..=true_knight + 42).contains(&knight),
        "knight_value is {knight} after tuning, the true value is {true_knight}"
    );
}

#[test]
fn weights_that_only_multiply_zeros_are_reported_as_unmoved() {
    let plan = TexelPlan { epochs: 1, scale: Some(Scale(1.0)), ..TexelPlan::with_threads(2) };
    let mut calm = Weights::default();
    for spec in Weights::specs().iter().filter(|spec| spec.name.starts_with("danger_")) {
        calm.set(&spec.name, 0).unwrap();
    }
    let samples = samples(60, &Weights::default());
    let unmoved = |start: &Weights| tune(&set(&samples), start, &plan, &mut |_| {}).unmoved;
    assert!(unmoved(&calm).contains(&"danger_rook_check"));
    calm.set("danger_attackers_2", 40).unwrap();
    assert!(
        !unmoved(&calm).contains(&"danger_rook_check"),
        "one non-zero factor is enough for the others to move"
    );
}

#[test]
fn the_fitted_scale_is_the_one_that_made_the_results() {
    let weights = Weights::default();
    let data = dataset(&samples(250, &weights), 2);
    let Scale(k) = Scale::fit(&Model::of(&weights), &data, 2);
    assert!((0.9..1.1).contains(&k), "{k}, but the results were made with 1");
}

#[test]
fn scores_of_searches_have_a_scale_of_their_own() {
    let weights = Weights::default();
    // A search whose scores are twice those of the evaluation.
    let scored: Vec<Sample> = samples(250, &weights)
        .into_iter()
        .map(|sample| {
            let position = sample.position.unpack().unwrap();
            let score = 2 * evaluate_with_trace(&position, &weights, &mut NoTrace);
            Sample { score: i16::try_from(score).ok(), ..sample }
        })
        .collect();
    let plan = TexelPlan { epochs: 1, ..TexelPlan::with_threads(2) };
    let tuned = tune(&set(&scored), &weights, &plan, &mut |_| {});
    let (Scale(own), Scale(search)) = (tuned.scale, tuned.search_scale.expect("there are scores"));
    assert!((0.9..1.1).contains(&own) && (0.45..0.55).contains(&search), "{own} {search}");
    assert!(tuned.held_out_results.is_finite());
    let plain = tune(&set(&samples(60, &weights)), &weights, &plan, &mut |_| {});
    assert_eq!(plain.search_scale, None);
}
