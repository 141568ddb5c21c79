//! What pairs teach about one parameter: where its optimum lies, and how steeply strength falls away from it.
//!
//! Near its optimum a parameter costs `steepness * (value - optimum)²` Elo. A pair between two values measures the slope
//! half-way between them, with much noise; all that many pairs say about optimum and steepness is then contained in
//! five sums. Lengths are in half ranges, counted from the starting value.

use serde::{Deserialize, Serialize};

/// Sums over pairs that hold all they say about one parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Evidence {
    weight: f64,
    weight_at: f64,
    weight_at_squared: f64,
    slope: f64,
    slope_at: f64,
}

impl Evidence {
    /// Adds a pair between `plus` and `minus` whose score was worth `elo` to plus, and which says as much as `share` of
    /// a pair between equals.
    pub(super) fn add(&mut self, plus: f64, minus: f64, elo: f64, share: f64) {
        let (at, distance) = ((plus + minus) / 2.0, plus - minus);
        let weight = share * distance * distance;
        let elo = share * elo;
        self.weight += weight;
        self.weight_at += weight * at;
        self.weight_at_squared += weight * at * at;
        self.slope += distance * elo;
        self.slope_at += distance * elo * at;
    }

    /// Makes everything known so far count less.
    pub(super) fn fade(&mut self, factor: f64) {
        for sum in [
            &mut self.weight,
            &mut self.weight_at,
            &mut self.weight_at_squared,
            &mut self.slope,
            &mut self.slope_at,
        ] {
            *sum *= factor;
        }
    }

    /// Information in units of the noise: the inverse variance of the slope that was measured.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// Log-likelihood of an optimum and a steepness, times the variance of a pair.
    fn support(&self, optimum: f64, steepness: f64) -> f64 {
        let squares = optimum * (optimum * self.weight - 2.0 * self.weight_at) + self.weight_at_squared;
        let product = optimum * self.slope - self.slope_at;
        2.0 * steepness * (product - steepness * squares)
    }
}

/// Places an optimum may be at, densest around the start.
pub(super) const PLACES: usize = 201;
/// How far from the start a place may be: a whole range, and a little beyond.
pub(super) const FARTHEST: f64 = 2.2;
/// How much denser places lie at the start than far away.
const DENSITY: f64 = 4.0;
/// How far beyond the range an optimum is believed in.
const BEYOND: f64 = 1.5;
/// Steepnesses considered, in Elo at half a range: from hardly anything to hardly playable.
const STEEPNESSES: usize = 31;
const GENTLEST: f64 = 0.03;
const STEEPER: f64 = 1.4;
/// What a steepness is before any game: 2 Elo within a factor of `e^1.5`, two times in three.
const USUAL_STEEPNESS: f64 = 2.0;
const STEEPNESS_SPREAD: f64 = 1.5;

/// How far starting values lie from their optima, in half ranges: the guesses among which all parameters vote.
pub(super) const SCALES: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0];

/// Differences in support beyond which a place is not worth its share of the work.
const NEGLIGIBLE: f64 = 30.0;

/// Belief left outside each end of an interval.
///
/// Chosen by simulation: parameters that hardly matter keep intervals as wide as what was believed before, which hold
/// the optimum nearly always, so that all parameters together are right 95 times in 100 with tails a little above 2.5 %.
const TAIL: f64 = 0.03;

/// The places of optima, shared by all parameters.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    places: [f64; PLACES],
    widths: [f64; PLACES],
    steepnesses: [f64; STEEPNESSES],
    steepness_logs: [f64; STEEPNESSES],
}

impl Grid {
    pub(super) fn new() -> Self {
        let middle = (PLACES - 1) as f64 / 2.0;
        let place = |at: f64| FARTHEST * (DENSITY * (at - middle) / middle).sinh() / DENSITY.sinh();
        let steepnesses = std::array::from_fn(|at| GENTLEST * STEEPER.powi(at as i32));
        Self {
            places: std::array::from_fn(|at| place(at as f64)),
            widths: std::array::from_fn(|at| place(at as f64 + 0.5) - place(at as f64 - 0.5)),
            steepnesses,
            steepness_logs: steepnesses.map(|steepness: f64| {
                let distance = (steepness / USUAL_STEEPNESS).ln() / STEEPNESS_SPREAD;
                -distance * distance / 2.0
            }),
        }
    }

    /// Weighs every place for one parameter that starts at `start`, from -1 to 1 across its range.
    pub(super) fn weigh(&self, evidence: &Evidence, pair_variance: f64, start: f64) -> Weighed {
        let support = |place: f64, at: usize| {
            self.steepness_logs[at] + evidence.support(place, self.steepnesses[at]) / pair_variance
        };
        let believed = |place: f64| (start + place).abs() <= BEYOND;
        let mut supports = vec![[f64::NEG_INFINITY; STEEPNESSES]; PLACES];
        let mut best = f64::NEG_INFINITY;
        for (row, &place) in supports.iter_mut().zip(&self.places).filter(|(_, place)| believed(**place)) {
            for (at, cell) in row.iter_mut().enumerate() {
                *cell = support(place, at);
                best = best.max(*cell);
            }
        }
        let (mut chance, mut steepness, mut square) = ([0.0; PLACES], [0.0; PLACES], [0.0; PLACES]);
        for (index, row) in supports.iter().enumerate() {
            for (&steep, cell) in
                self.steepnesses.iter().zip(row).filter(|(_, cell)| **cell > best - NEGLIGIBLE)
            {
                let share = (cell - best).exp() * self.widths[index];
                chance[index] += share;
                steepness[index] += share * steep;
                square[index] += share * steep * steep;
            }
        }
        let steepness_total: f64 = self.steepness_logs.iter().map(|log| log.exp()).sum();
        let evidences: [f64; SCALES.len()] = SCALES.map(|scale| {
            let total: f64 =
                self.places.iter().zip(chance).map(|(&place, share)| prior(place, scale) * share).sum();
            total.ln()
        });
        Weighed { chance, steepness, square, evidences, scale: best - steepness_total.ln() }
    }

    /// The belief about a weighed parameter when the scales of distance are this likely.
    pub(super) fn believe(&self, weighed: &Weighed, scale_chances: &[f64; SCALES.len()]) -> Belief {
        let mut density = [0.0; PLACES];
        let (mut steepness, mut moment, mut second) = (0.0, 0.0, 0.0);
        for (index, &place) in self.places.iter().enumerate() {
            let mixed = weighed.mixed(place, scale_chances);
            density[index] = mixed * weighed.chance[index];
            let steep = mixed * weighed.steepness[index];
            steepness += steep;
            moment += steep * place;
            second += steep * place * place;
        }
        let optimum = moment / steepness;
        let explained: f64 = scale_chances
            .iter()
            .zip(weighed.evidences)
            .map(|(chance, evidence)| chance * evidence.exp())
            .sum();
        Belief {
            log_evidence: explained.ln() + weighed.scale,
            optimum,
            steepness,
            remaining_loss: (second - moment * optimum).max(0.0),
            interval: [TAIL, 1.0 - TAIL].map(|share| self.quantile(&density, share)),
        }
    }

    /// Expected Elo won by moving a weighed parameter from the start to `best`, and its variance.
    pub(super) fn gain(
        &self,
        weighed: &Weighed,
        scale_chances: &[f64; SCALES.len()],
        best: f64,
    ) -> (f64, f64) {
        let (mut mean, mut square) = (0.0, 0.0);
        for (index, &place) in self.places.iter().enumerate() {
            let (mixed, won) = (weighed.mixed(place, scale_chances), best * (2.0 * place - best));
            mean += mixed * weighed.steepness[index] * won;
            square += mixed * weighed.square[index] * won * won;
        }
        (mean, (square - mean * mean).max(0.0))
    }

    /// Adds a normal distribution to the chances of all places.
    pub(super) fn add_bell(&self, chances: &mut [f64; PLACES], mean: f64, variance: f64) {
        let height = 1.0 / variance.sqrt();
        for ((chance, place), width) in chances.iter_mut().zip(self.places).zip(self.widths) {
            let distance = (place - mean) * (place - mean) / (2.0 * variance);
            if distance < NEGLIGIBLE {
                *chance += width * height * (-distance).exp();
            }
        }
    }

    /// The place below which this share of all chances lies.
    pub(super) fn quantile(&self, density: &[f64; PLACES], share: f64) -> f64 {
        let total: f64 = density.iter().sum();
        let mut below = 0.0;
        for (index, part) in density.iter().enumerate() {
            let part = part / total;
            if below + part >= share && part > 0.0 {
                let inside = (share - below) / part - 0.5;
                return self.places[index] + inside * self.widths[index];
            }
            below += part;
        }
        FARTHEST
    }
}

/// Height of Student's distribution with three degrees of freedom at its centre.
const STUDENT_AT_0: f64 = 0.367_552_596_947_861_4;

/// How likely an optimum is this far from the start: a bell with heavy tails, so that one stray parameter is no surprise.
fn prior(place: f64, scale: f64) -> f64 {
    let distance = place / scale;
    STUDENT_AT_0 * (1.0 + distance * distance / 3.0).powi(-2) / scale
}

/// One parameter's places with their chances, before the parameters have agreed on a scale.
#[derive(Clone, Debug)]
pub(super) struct Weighed {
    chance: [f64; PLACES],
    /// Steepness times chance.
    steepness: [f64; PLACES],
    /// Squared steepness times chance.
    square: [f64; PLACES],
    /// Logarithm of what each scale explains.
    evidences: [f64; SCALES.len()],
    /// To be added to those, to compare them with a parameter that has no effect at all.
    scale: f64,
}

impl Weighed {
    /// How likely a place is by the scales of distance alone.
    fn mixed(&self, place: f64, scale_chances: &[f64; SCALES.len()]) -> f64 {
        SCALES
            .iter()
            .zip(scale_chances)
            .zip(self.evidences)
            .map(|((&scale, chance), evidence)| chance * prior(place, scale) / evidence.exp())
            .sum()
    }
}

/// What is believed about one parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Belief {
    /// The value with the smallest expected loss.
    pub(super) optimum: f64,
    /// Expected Elo lost at half a range from the optimum.
    pub(super) steepness: f64,
    /// Expected Elo lost at `optimum`, because it is not quite the true one.
    pub(super) remaining_loss: f64,
    /// Logarithm of the odds that pairs give for an effect against none.
    pub(super) log_evidence: f64,
    /// Where the optimum lies if parameters do not bend each other's slopes.
    pub(super) interval: [f64; 2],
}

impl Belief {
    /// What a value is expected to win over another, in Elo.
    pub(super) fn gap(&self, plus: f64, minus: f64) -> f64 {
        self.steepness * (minus - plus) * (plus + minus - 2.0 * self.optimum)
    }
}

/// The chances of the scales after all parameters have voted.
pub(super) fn vote(parameters: &[Weighed]) -> [f64; SCALES.len()] {
    let (shares, _) = shares(parameters);
    let total: f64 = shares.iter().sum();
    shares.map(|share| share / total)
}

/// Logarithm of the odds that pairs give for starts at any distance from their optima against starts right at them.
pub(super) fn off_odds(parameters: &[Weighed]) -> f64 {
    let (shares, least) = shares(parameters);
    (shares.iter().sum::<f64>() / SCALES.len() as f64).ln() - least
}

/// What each scale explains, as a share of what the best one does, and the logarithm of the least scale's share.
fn shares(parameters: &[Weighed]) -> ([f64; SCALES.len()], f64) {
    let mut logs = [0.0; SCALES.len()];
    for weighed in parameters {
        for (log, evidence) in logs.iter_mut().zip(weighed.evidences) {
            *log += evidence;
        }
    }
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (logs.map(|log| (log - most).exp()), logs[0] - most)
}
