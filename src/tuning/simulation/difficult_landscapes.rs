//! The landscapes N1 to N9, each of which violates one assumption of the Bayesian tuner: that there are several
//! parameters, that ranges and starts are sensible, that strength is symmetric and continuous, that there are draws, or that
//! parameters do not depend on each other.

use crate::stats::{Elo, GameModel};
use crate::tuning::simulation::landscape::{Cliff, Interaction, Landscape, Parabola, SimulatedGames};
use crate::tuning::simulation::standard_landscapes::{StandardLandscape, geometric, parabolas};
use crate::tuning::space::Kind;

/// Returns N1 to N9, in order.
pub(super) fn difficult_landscapes() -> Vec<StandardLandscape> {
    let varied = geometric(0.5, 8.0);
    let without_draws = GameModel::new(0.0, Elo(0.0)).expect("games without draws are possible");
    let mut nearly_unused = varied.to_vec();
    nearly_unused.extend([0.02; 52]);
    vec![
        standard("N1", "a single parameter", parabolas(&[12.0], 50.0)),
        standard(
            "N2",
            "ranges 25 times too wide",
            with_range([-2_400.0, 2_600.0], &geometric(1.5, 24.0), 50.0),
        ),
        standard("N3", "twelve times steeper below", steeper_below(12.0)),
        StandardLandscape {
            landscape: landscape(parabolas(&varied, 10.0)).with_cliff(Cliff { at: 0.16, elo: Elo(25.0) }),
            ..standard("N4", "a cliff beside the start", parabolas(&varied, 10.0))
        },
        StandardLandscape {
            games: vec![SimulatedGames::new(&without_draws)],
            ..standard("N5", "L2 without draws", parabolas(&varied, 50.0))
        },
        standard("N6", "one of eight is wrong", one_wrong(&varied)),
        standard("N7", "starts at a bound", at_a_bound(&varied)),
        standard("N8", "L2 and 52 nearly unused ones", parabolas(&nearly_unused, 50.0)),
        StandardLandscape {
            landscape: piece_values(),
            ..standard("N9", "piece values, 138 Elo away", parabolas(&varied, 0.0))
        },
    ]
}

fn standard(name: &'static str, about: &'static str, parabolas: Vec<Parabola>) -> StandardLandscape {
    let games = vec![SimulatedGames::new(&GameModel::unbalanced())];
    StandardLandscape { name, about, landscape: landscape(parabolas), games }
}

fn landscape(parabolas: Vec<Parabola>) -> Landscape {
    Landscape::new(parabolas).expect("the starts lie inside the ranges")
}

/// Returns parameters that lose `curvatures` Elo 100 units from their optimum, whatever their range.
fn with_range(range: [f64; 2], curvatures: &[f64], distance: f64) -> Vec<Parabola> {
    let unit = (range[1] - range[0]) / 200.0;
    let mut parabolas = parabolas(curvatures, distance);
    for parabola in &mut parabolas {
        [parabola.parameter.min, parabola.parameter.max] = range;
        parabola.above *= unit * unit;
        parabola.below *= unit * unit;
    }
    parabolas
}

/// Returns parameters that start on the gentle side of their optimum; the other side is `ratio` times steeper.
fn steeper_below(ratio: f64) -> Vec<Parabola> {
    let curvatures = geometric(0.25, 4.0);
    let parabola = |(index, curvature): (usize, f64)| {
        let name = format!("p{}", index + 1);
        let symmetric = Parabola::symmetric(&name, [0.0, 200.0], 150.0, 100.0, curvature, Kind::Real);
        Parabola { below: ratio * curvature, ..symmetric }
    };
    curvatures.into_iter().enumerate().map(parabola).collect()
}

/// Returns parameters of which only the seventh starts away from its optimum.
fn one_wrong(curvatures: &[f64]) -> Vec<Parabola> {
    let mut parabolas = parabolas(curvatures, 0.0);
    parabolas[6].parameter.start = 22.0;
    parabolas
}

/// Returns parameters that start at the lower end of their range.
fn at_a_bound(curvatures: &[f64]) -> Vec<Parabola> {
    let mut parabolas = parabolas(curvatures, 0.0);
    for parabola in &mut parabolas {
        parabola.parameter.start = 0.0;
        parabola.optimum = 45.0;
    }
    parabolas
}

/// Returns values of pieces and two small terms, all wrong by much. A piece that is valued too high does less harm if the
/// others are, too.
fn piece_values() -> Landscape {
    let value = |(name, range, start, optimum, curvature)| {
        Parabola::symmetric(name, range, start, optimum, curvature, Kind::Integer)
    };
    let values = [
        ("knight", [50.0, 450.0], 120.0, 300.0, 60.0),
        ("bishop", [150.0, 550.0], 450.0, 320.0, 60.0),
        ("rook", [100.0, 600.0], 200.0, 400.0, 70.0),
        ("queen", [500.0, 1_500.0], 700.0, 950.0, 60.0),
        ("tempo", [0.0, 80.0], 0.0, 20.0, 10.0),
        ("bishop pair", [-60.0, 160.0], -40.0, 35.0, 12.0),
    ];
    let interactions = [([0, 1], -36.0), ([0, 2], -26.0), ([1, 3], -24.0), ([2, 3], -36.0)]
        .map(|(between, elo)| Interaction { between, elo: Elo(elo) });
    landscape(values.map(value).to_vec())
        .with_interactions(interactions.to_vec())
        .expect("the interactions leave the optimum where it is")
}
