//! The standard landscapes on which tuners are compared.

use crate::stats::{Elo, GameModel};
use crate::tuning::simulation::landscape::{Cliff, Landscape, Parabola, SimulatedGames};
use crate::tuning::space::Kind;

/// A landscape with the games played on it.
#[derive(Clone, Debug)]
pub struct StandardLandscape {
    /// L1 to L11.
    pub name: &'static str,
    /// What is hard about it.
    pub about: &'static str,
    /// Where strength lies.
    pub landscape: Landscape,
    /// How pairs end: one model, or several that take equal turns.
    pub games: Vec<SimulatedGames>,
}

/// Which way each of eight parameters starts off its optimum.
const SIDES: [f64; 8] = [1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0];
/// Where the optimum lies outside the range, in the landscape that has one there.
const OUTSIDE: f64 = 220.0;

/// All standard landscapes, in order.
pub fn standard_landscapes() -> Vec<StandardLandscape> {
    let unbalanced = || vec![SimulatedGames::new(&GameModel::unbalanced())];
    let varied = spaced(0.5, 8.0);
    let plain = |steepness: &[f64]| slopes(steepness, 50.0);
    let exhibit = |name, about, slopes| StandardLandscape {
        name,
        about,
        landscape: hills(slopes),
        games: unbalanced(),
    };
    let mut asymmetric = plain(&varied);
    asymmetric.iter_mut().for_each(|slope| slope.below *= 3.0);
    let mut with_dead = varied.to_vec();
    with_dead.extend([0.0; 24]);
    let whole = varied
        .iter()
        .zip(NAMES)
        .map(|(&steep, name)| Parabola::symmetric(name, [0.0, 8.0], 6.0, 3.4, steep, Kind::Integer));
    let mut beyond = plain(&varied);
    beyond.iter_mut().step_by(2).for_each(|slope| slope.optimum = OUTSIDE);
    let turned = exhibit("L3", "condition 100, turned", plain(&spaced(0.25, 25.0)));
    let cliffs = exhibit("L9", "cliffs of 30 Elo", plain(&varied));
    let drifting = [0.4, 0.5, 0.6, 0.7].map(|draws| {
        SimulatedGames::new(&GameModel::new(draws, Elo(100.0)).expect("these games are possible"))
    });
    vec![
        exhibit("L1", "eight alike", plain(&[2.0; 8])),
        exhibit("L2", "eight, 0.5 to 8 Elo", plain(&varied)),
        StandardLandscape { landscape: turned.landscape.rotated(1), ..turned },
        exhibit("L4", "three times steeper below", asymmetric),
        exhibit("L5", "L2 and 24 dead ones", plain(&with_dead)),
        exhibit("L6", "whole numbers 0 to 8", whole.collect()),
        exhibit("L7", "start at the optimum", slopes(&varied, 0.0)),
        exhibit("L8", "optima outside the range", beyond),
        StandardLandscape {
            landscape: cliffs.landscape.with_cliff(Cliff { at: 0.6, elo: Elo(30.0) }),
            ..cliffs
        },
        StandardLandscape {
            games: unbalanced().into_iter().map(|games| games.with_coin_flips(0.01)).collect(),
            ..exhibit("L10", "L2, 1 % coin flips", plain(&varied))
        },
        StandardLandscape {
            games: drifting.into(),
            ..exhibit("L11", "L2, draws 40 to 70 %", plain(&varied))
        },
    ]
}

const NAMES: [&str; 8] = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];

fn hills(slopes: Vec<Parabola>) -> Landscape {
    Landscape::new(slopes).expect("the standard_landscapes's ranges hold their starts")
}

fn spaced(low: f64, high: f64) -> [f64; 8] {
    std::array::from_fn(|at| low * (high / low).powf(at as f64 / 7.0))
}

fn slopes(steepness: &[f64], distance: f64) -> Vec<Parabola> {
    let one = |(index, &steep): (usize, &f64)| {
        let start = 100.0 + distance * SIDES[index % SIDES.len()];
        Parabola::symmetric(&format!("p{}", index + 1), [0.0, 200.0], start, 100.0, steep, Kind::Real)
    };
    steepness.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_losses_are_the_published_ones() {
        let standard_landscapes = standard_landscapes();
        for (name, loss) in [("L1", 4.0), ("L2", 5.858), ("L4", 14.14), ("L6", 9.90), ("L7", 0.0)] {
            let exhibit = standard_landscapes.iter().find(|exhibit| exhibit.name == name).unwrap();
            let start = exhibit.landscape.strength(&exhibit.landscape.space().start());
            assert!((start.0 + loss).abs() < 0.006, "{name}: {start}");
        }
    }

    #[test]
    fn a_turned_landscape_keeps_its_optimum_and_its_steepness() {
        let turned = &standard_landscapes()[2].landscape;
        assert_eq!(turned.strength(&turned.optimum()).0, 0.0);
        // The sum of all curvatures does not change when a landscape is turned.
        let total: f64 = (0..8)
            .map(|at| {
                let mut settings = turned.optimum();
                settings.0[at] = 200.0;
                -turned.strength(&settings).0
            })
            .sum();
        assert!((total - spaced(0.25, 25.0).iter().sum::<f64>()).abs() < 1e-9, "{total}");
    }
}
