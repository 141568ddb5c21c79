//! The standard landscapes on which tuners are compared: L1 to L11, and the difficult ones N1 to N9.

use crate::stats::{Elo, GameModel};
use crate::tuning::simulation::difficult_landscapes::difficult_landscapes;
use crate::tuning::simulation::landscape::{Cliff, Landscape, Parabola, SimulatedGames};
use crate::tuning::space::Kind;

/// A landscape with the model of the games played on it.
#[derive(Clone, Debug)]
pub struct StandardLandscape {
    /// L1 to L11, N1 to N9.
    pub name: &'static str,
    /// Short description of the difficulty.
    pub about: &'static str,
    /// Strength of settings.
    pub landscape: Landscape,
    /// Models of the games; each covers an equal part of the run.
    pub games: Vec<SimulatedGames>,
}

/// Direction from the optimum to the start, for each of eight parameters.
const START_SIGNS: [f64; 8] = [1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0];
/// The optimum of the parameters of L8 whose optimum lies outside the range.
const OUTSIDE: f64 = 220.0;

/// Returns all standard landscapes, in order.
pub fn standard_landscapes() -> Vec<StandardLandscape> {
    let unbalanced = || vec![SimulatedGames::new(&GameModel::unbalanced())];
    let varied = geometric(0.5, 8.0);
    let plain = |curvatures: &[f64]| parabolas(curvatures, 50.0);
    let standard = |name, about, parabolas| StandardLandscape {
        name,
        about,
        landscape: landscape(parabolas),
        games: unbalanced(),
    };
    let mut asymmetric = plain(&varied);
    asymmetric.iter_mut().for_each(|parabola| parabola.below *= 3.0);
    let mut with_unused = varied.to_vec();
    with_unused.extend([0.0; 24]);
    let integers = varied
        .iter()
        .zip(NAMES)
        .map(|(&curvature, name)| Parabola::symmetric(name, [0.0, 8.0], 6.0, 3.4, curvature, Kind::Integer));
    let mut outside = plain(&varied);
    outside.iter_mut().step_by(2).for_each(|parabola| parabola.optimum = OUTSIDE);
    let rotated = standard("L3", "condition 100, rotated", plain(&geometric(0.25, 25.0)));
    let cliffs = standard("L9", "cliffs of 30 Elo", plain(&varied));
    let drifting = [0.4, 0.5, 0.6, 0.7].map(|draws| {
        SimulatedGames::new(&GameModel::new(draws, Elo(100.0)).expect("the draw rates are valid"))
    });
    let mut all = vec![
        standard("L1", "eight alike", plain(&[2.0; 8])),
        standard("L2", "eight, 0.5 to 8 Elo", plain(&varied)),
        StandardLandscape { landscape: rotated.landscape.rotated(1), ..rotated },
        standard("L4", "three times steeper below", asymmetric),
        standard("L5", "L2 and 24 unused ones", plain(&with_unused)),
        standard("L6", "integers 0 to 8", integers.collect()),
        standard("L7", "start at the optimum", parabolas(&varied, 0.0)),
        standard("L8", "optima outside the range", outside),
        StandardLandscape {
            landscape: cliffs.landscape.with_cliff(Cliff { at: 0.6, elo: Elo(30.0) }),
            ..cliffs
        },
        StandardLandscape {
            games: unbalanced().into_iter().map(|games| games.with_coin_flips(0.01)).collect(),
            ..standard("L10", "L2, 1 % coin flips", plain(&varied))
        },
        StandardLandscape {
            games: drifting.into(),
            ..standard("L11", "L2, draws 40 to 70 %", plain(&varied))
        },
    ];
    all.extend(difficult_landscapes());
    all
}

const NAMES: [&str; 8] = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];

fn landscape(parabolas: Vec<Parabola>) -> Landscape {
    Landscape::new(parabolas).expect("the starts lie inside the ranges")
}

/// Returns eight values from `low` to `high` with a constant ratio.
pub(super) fn geometric(low: f64, high: f64) -> [f64; 8] {
    std::array::from_fn(|index| low * (high / low).powf(index as f64 / 7.0))
}

/// Returns one parameter per curvature, each starting `distance` away from its optimum.
pub(super) fn parabolas(curvatures: &[f64], distance: f64) -> Vec<Parabola> {
    let parabola = |(index, &curvature): (usize, &f64)| {
        let start = 100.0 + distance * START_SIGNS[index % START_SIGNS.len()];
        Parabola::symmetric(&format!("p{}", index + 1), [0.0, 200.0], start, 100.0, curvature, Kind::Real)
    };
    curvatures.iter().enumerate().map(parabola).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_losses_are_the_published_ones() {
        let standard_landscapes = standard_landscapes();
        for (name, loss) in [("L1", 4.0), ("L2", 5.858), ("L4", 14.14), ("L6", 9.90), ("L7", 0.0)] {
            let standard = standard_landscapes.iter().find(|standard| standard.name == name).unwrap();
            let start = standard.landscape.strength(&standard.landscape.space().start());
            assert!((start.0 + loss).abs() < 0.006, "{name}: {start}");
        }
    }

    #[test]
    fn a_rotated_landscape_keeps_its_optimum_and_its_total_curvature() {
        let rotated = &standard_landscapes()[2].landscape;
        assert_eq!(rotated.strength(&rotated.optimum()).0, 0.0);
        // A rotation does not change the trace of the curvature matrix.
        let total: f64 = (0..8)
            .map(|index| {
                let mut settings = rotated.optimum();
                settings.0[index] = 200.0;
                -rotated.strength(&settings).0
            })
            .sum();
        assert!((total - geometric(0.25, 25.0).iter().sum::<f64>()).abs() < 1e-9, "{total}");
    }
}
