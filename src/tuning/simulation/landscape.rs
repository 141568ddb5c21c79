//! Tuning without engines: landscapes whose best settings are known, and games played on them.

use crate::stats::{Elo, GameModel, PairOdds, PairScore, Random};
use crate::tuning::space::{Kind, Parameter, Settings, Space, SpaceError};

/// One parameter of a landscape: strength falls off with the square of the distance from its optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Parabola {
    /// Name, range and start.
    pub parameter: Parameter,
    /// Where it is best; may lie outside the range.
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

/// A sudden loss for every parameter that goes too far above its optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cliff {
    /// Half ranges above the optimum at which it falls.
    pub at: f64,
    /// Elo lost beyond.
    pub elo: Elo,
}

/// A landscape of strength over settings; 0 at the optimum, negative elsewhere.
#[derive(Clone, Debug)]
pub struct Landscape {
    space: Space,
    slopes: Vec<Parabola>,
    cliff: Option<Cliff>,
    /// Directions along which the slopes lie, if not along the parameters.
    directions: Option<Vec<Vec<f64>>>,
}

impl Landscape {
    /// Slopes along the parameters.
    pub fn new(slopes: Vec<Parabola>) -> Result<Self, SpaceError> {
        let space = Space::new(slopes.iter().map(|slope| slope.parameter.clone()).collect())?;
        Ok(Self { space, slopes, cliff: None, directions: None })
    }

    /// The same with a cliff above every optimum.
    pub fn with_cliff(self, cliff: Cliff) -> Self {
        Self { cliff: Some(cliff), ..self }
    }

    /// The same, turned by chance about its optimum.
    pub fn rotated(self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let size = self.slopes.len();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        while directions.len() < size {
            let mut next: Vec<f64> = (0..size).map(|_| random.normal()).collect();
            for earlier in &directions {
                let along: f64 = next.iter().zip(earlier).map(|(one, other)| one * other).sum();
                next.iter_mut().zip(earlier).for_each(|(value, other)| *value -= along * other);
            }
            let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
            next.iter_mut().for_each(|value| *value /= length);
            directions.push(next);
        }
        Self { directions: Some(directions), ..self }
    }

    /// What can be tuned.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Each parameter's best value among those it may take, where that is known: beyond the end of a range it is that
    /// end, unless the landscape is turned, when the end of one range moves what is best for the others.
    pub(super) fn best_allowed(&self) -> Vec<Option<f64>> {
        let inside = |slope: &Parabola| slope.parameter.clamp(slope.optimum) == slope.optimum;
        let is_known = self.directions.is_none() || self.slopes.iter().all(inside);
        self.slopes.iter().map(|slope| is_known.then(|| slope.parameter.clamp(slope.optimum))).collect()
    }

    pub(super) fn slopes(&self) -> &[Parabola] {
        &self.slopes
    }

    /// Each parameter's best value.
    pub fn optimum(&self) -> Settings {
        Settings(self.slopes.iter().map(|slope| slope.optimum).collect())
    }

    /// The strength of settings.
    pub fn strength(&self, settings: &Settings) -> Elo {
        let distances: Vec<f64> = self
            .slopes
            .iter()
            .zip(&settings.0)
            .map(|(slope, value)| 2.0 * (value - slope.optimum) / slope.parameter.range())
            .collect();
        let along: Vec<f64> = match &self.directions {
            None => distances.clone(),
            Some(directions) => directions
                .iter()
                .map(|direction| {
                    direction.iter().zip(&distances).map(|(part, distance)| part * distance).sum()
                })
                .collect(),
        };
        let slopes = self.slopes.iter().zip(&along).map(|(slope, distance)| {
            distance * distance * if *distance < 0.0 { slope.below } else { slope.above }
        });
        let falls = self.cliff.map_or(0.0, |cliff| {
            distances.iter().filter(|distance| **distance > cliff.at).count() as f64 * cliff.elo.0
        });
        Elo(-slopes.sum::<f64>() - falls)
    }
}

/// How far apart two settings may be before the odds no longer change.
const WIDEST_GAP: f64 = 600.0;

/// Pairs between settings of known strength, drawn fast.
#[derive(Clone, Debug)]
pub struct SimulatedGames {
    /// Odds at every whole difference.
    table: Vec<PairOdds>,
    coin_flips: f64,
}

impl SimulatedGames {
    /// Pairs from a game model.
    pub fn new(model: &GameModel) -> Self {
        let gaps = -WIDEST_GAP as i32..=WIDEST_GAP as i32;
        Self { table: gaps.map(|gap| model.odds(Elo(f64::from(gap)))).collect(), coin_flips: 0.0 }
    }

    /// The same, a share of the games decided by a coin instead.
    pub fn with_coin_flips(self, share: f64) -> Self {
        Self { coin_flips: share, ..self }
    }

    /// One pair between two sides that differ by `difference`.
    pub fn play(&self, difference: Elo, random: &mut Random) -> PairScore {
        if self.coin_flips > 0.0 && random.unit() < self.coin_flips {
            let coins = random.bits();
            return PairScore::ALL[2 * ((coins & 1) + (coins >> 1 & 1)) as usize];
        }
        let place = difference.0.clamp(-WIDEST_GAP, WIDEST_GAP) + WIDEST_GAP;
        let (lower, share) = (place.floor(), place.fract());
        // Choosing between the two neighbours by chance is the same as drawing from odds half-way between them.
        let at = lower as usize + usize::from(random.unit() < share);
        self.table[at].draw(random)
    }
}
