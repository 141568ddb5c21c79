//! Landscapes of playing strength with a known optimum, and simulated games on them.

use crate::stats::{Elo, GameModel, PairOdds, PairScore, Random};
use crate::tuning::space::{Kind, Parameter, Settings, Space, SpaceError};

/// One parameter of a landscape: strength falls with the square of the distance from its optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Parabola {
    /// Name, range and start.
    pub parameter: Parameter,
    /// The best value; may lie outside the range.
    pub optimum: f64,
    /// Elo lost at half a range above the optimum.
    pub above: f64,
    /// Elo lost at half a range below the optimum.
    pub below: f64,
}

impl Parabola {
    /// A parameter that loses `curvature` Elo half a range away from its optimum, on either side.
    pub fn symmetric(
        name: &str,
        [min, max]: [f64; 2],
        start: f64,
        optimum: f64,
        curvature: f64,
        kind: Kind,
    ) -> Self {
        let parameter = Parameter { kind, ..Parameter::real(name, min, max, start) };
        Self { parameter, optimum, above: curvature, below: curvature }
    }
}

/// A discontinuous loss for every parameter that is too far above its optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cliff {
    /// Position of the cliff, in half ranges above the optimum.
    pub at: f64,
    /// Elo lost beyond the cliff.
    pub elo: Elo,
}

/// Two parameters whose best values depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interaction {
    /// Indices of the parameters.
    pub between: [usize; 2],
    /// Elo lost if both are half a range above their optimum, in addition to what each loses alone; the same is gained if one
    /// is above and the other below.
    pub elo: Elo,
}

/// Why an interaction was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the interaction is too strong: with {limit} Elo or more, other values would be better than the optimum"
)]
pub struct InteractionTooStrong {
    /// Elo from which on the optimum is none.
    pub limit: f64,
}

/// Playing strength as a function of settings; 0 at the optimum, negative elsewhere.
#[derive(Clone, Debug)]
pub struct Landscape {
    space: Space,
    parabolas: Vec<Parabola>,
    cliff: Option<Cliff>,
    interactions: Vec<Interaction>,
    /// Axes of the parabolas, if they are not the axes of the parameters.
    axes: Option<Vec<Vec<f64>>>,
}

impl Landscape {
    /// Creates a landscape whose parabolas lie along the axes of the parameters.
    pub fn new(parabolas: Vec<Parabola>) -> Result<Self, SpaceError> {
        let space = Space::new(parabolas.iter().map(|parabola| parabola.parameter.clone()).collect())?;
        Ok(Self { space, parabolas, cliff: None, interactions: Vec::new(), axes: None })
    }

    /// Adds a cliff above every optimum.
    pub fn with_cliff(self, cliff: Cliff) -> Self {
        Self { cliff: Some(cliff), ..self }
    }

    /// Adds interactions. Each parameter may lose its strength alone to only one of them, or the sum of all could exceed it.
    pub fn with_interactions(self, interactions: Vec<Interaction>) -> Result<Self, InteractionTooStrong> {
        let least = |index: usize| self.parabolas[index].above.min(self.parabolas[index].below);
        let partners = |index: usize| interactions.iter().filter(|one| one.between.contains(&index)).count();
        for Interaction { between: [one, other], elo } in &interactions {
            // A sum of forms in two variables each is positive if each of them is, with its share of the squares.
            let share = |index: usize| least(index) / partners(index).max(1) as f64;
            let limit = 2.0 * (share(*one) * share(*other)).sqrt();
            if elo.0.abs() >= limit {
                return Err(InteractionTooStrong { limit });
            }
        }
        Ok(Self { interactions, ..self })
    }

    /// Rotates the landscape about its optimum by a random rotation.
    pub fn rotated(self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let size = self.parabolas.len();
        let mut axes: Vec<Vec<f64>> = Vec::new();
        while axes.len() < size {
            let mut next: Vec<f64> = (0..size).map(|_| random.normal()).collect();
            for earlier in &axes {
                let along: f64 = next.iter().zip(earlier).map(|(one, other)| one * other).sum();
                next.iter_mut().zip(earlier).for_each(|(value, other)| *value -= along * other);
            }
            let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
            next.iter_mut().for_each(|value| *value /= length);
            axes.push(next);
        }
        Self { axes: Some(axes), ..self }
    }

    /// Returns the parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the best value of each parameter inside its range, where that is known.
    ///
    /// If an optimum lies outside its range, the best value is the nearer end of the range. It is not known if the
    /// landscape is also rotated, because then the end of one range changes the best values of the other parameters.
    pub(super) fn best_allowed(&self) -> Vec<Option<f64>> {
        let inside = |parabola: &Parabola| parabola.parameter.clamp(parabola.optimum) == parabola.optimum;
        let is_known = self.axes.is_none() || self.parabolas.iter().all(inside);
        let best = |parabola: &Parabola| parabola.parameter.clamp(parabola.optimum);
        self.parabolas.iter().map(|parabola| is_known.then(|| best(parabola))).collect()
    }

    pub(super) fn parabolas(&self) -> &[Parabola] {
        &self.parabolas
    }

    /// Returns the best value of each parameter; it may lie outside the range.
    pub fn optimum(&self) -> Settings {
        Settings(self.parabolas.iter().map(|parabola| parabola.optimum).collect())
    }

    /// Returns the strength of `settings`.
    pub fn strength(&self, settings: &Settings) -> Elo {
        let distances: Vec<f64> = self
            .parabolas
            .iter()
            .zip(&settings.0)
            .map(|(parabola, value)| 2.0 * (value - parabola.optimum) / parabola.parameter.range())
            .collect();
        let along: Vec<f64> = match &self.axes {
            None => distances.clone(),
            Some(axes) => axes
                .iter()
                .map(|axis| axis.iter().zip(&distances).map(|(part, distance)| part * distance).sum())
                .collect(),
        };
        let losses = self.parabolas.iter().zip(&along).map(|(parabola, distance)| {
            distance * distance * if *distance < 0.0 { parabola.below } else { parabola.above }
        });
        let cliff_loss = self.cliff.map_or(0.0, |cliff| {
            distances.iter().filter(|distance| **distance > cliff.at).count() as f64 * cliff.elo.0
        });
        let bonds: f64 = self
            .interactions
            .iter()
            .map(|Interaction { between: [one, other], elo }| elo.0 * along[*one] * along[*other])
            .sum();
        Elo(-losses.sum::<f64>() - cliff_loss - bonds)
    }
}

/// Elo difference beyond which the odds no longer change.
const MAX_GAP: f64 = 600.0;

/// Simulated pairs between settings of known strength, from a precomputed table of odds.
#[derive(Clone, Debug)]
pub struct SimulatedGames {
    /// Odds at every integer Elo difference.
    table: Vec<PairOdds>,
    /// Fraction of pairs decided at random.
    coin_flips: f64,
}

impl SimulatedGames {
    /// Creates pairs that follow a game model.
    pub fn new(model: &GameModel) -> Self {
        let gaps = -MAX_GAP as i32..=MAX_GAP as i32;
        Self { table: gaps.map(|gap| model.odds(Elo(f64::from(gap)))).collect(), coin_flips: 0.0 }
    }

    /// Decides the fraction `share` of pairs by coin flips.
    pub fn with_coin_flips(self, share: f64) -> Self {
        Self { coin_flips: share, ..self }
    }

    /// Plays one pair between two sides that differ by `difference`.
    pub fn play(&self, difference: Elo, random: &mut Random) -> PairScore {
        if self.coin_flips > 0.0 && random.unit() < self.coin_flips {
            let coins = random.bits();
            return PairScore::ALL[2 * ((coins & 1) + (coins >> 1 & 1)) as usize];
        }
        let position = difference.0.clamp(-MAX_GAP, MAX_GAP) + MAX_GAP;
        let (lower, share) = (position.floor(), position.fract());
        // Choosing one of the two neighbours at random is the same as drawing from odds interpolated between them.
        let index = lower as usize + usize::from(random.unit() < share);
        self.table[index].draw(random)
    }
}
