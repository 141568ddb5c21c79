//! The ratings with the greatest likelihood, by Fisher's method of scoring.

use super::groups::groups;
use super::matrix::{Decomposed, Matrix};
use super::model::{DrawWeight, Odds};
use super::ratings::{Measured, Ratings};
use super::tournament::{PairedCounts, Tournament};
use crate::stats::estimate::Z_95;
use crate::stats::{Elo, Pentanomial};

/// Parameters of a rating.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingOptions {
    /// Draws that each player is assumed to have played before, spread over its opponents; 0 for none, 2 as in BayesElo.
    pub prior_draws: f64,
    /// Players whose ratings are given.
    pub anchors: Vec<(usize, Elo)>,
    /// Mean rating of a group without anchors.
    pub average: Elo,
    /// Advantage of White, if it is given.
    pub white_advantage: Option<Elo>,
    /// Standard deviation of the logarithm of the weight of draws around that of equal players who draw as often as all
    /// players did; without it, only the games count. Few games show that weight badly: if no underdog ever won, more and
    /// more draws explain it better and better, and the scale of all ratings is lost with it.
    pub draw_deviation: Option<f64>,
    /// Standard deviation of the advantage of White around 0, in Elo, where it is not given; without it, only the games
    /// count. Few games may have no greatest likelihood otherwise.
    pub white_deviation: Option<f64>,
}

impl Default for RatingOptions {
    fn default() -> Self {
        Self {
            prior_draws: 0.0,
            anchors: Vec::new(),
            average: Elo(0.0),
            white_advantage: None,
            draw_deviation: None,
            white_deviation: None,
        }
    }
}

/// Error: an anchor names a player that the tournament does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnchorOutOfRange(pub usize);

impl std::fmt::Display for AnchorOutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the tournament has no player {}", self.0)
    }
}

impl std::error::Error for AnchorOutOfRange {}

/// The `draw_deviation` of printed ratings: a factor of 2.7 either way, which some dozen games outweigh.
pub const DRAW_DEVIATION: f64 = 1.0;
/// The `white_deviation` of printed ratings: wide, against the 30 to 60 Elo that are usual.
pub const WHITE_DEVIATION: f64 = 200.0;

/// Rounds after which a fit ends; it takes about ten.
const MAX_ROUNDS: usize = 300;
/// A fit has ended when no rating changes by more, in Elo.
const PRECISION: f64 = 1e-6;

impl Tournament {
    /// Returns the ratings under which the games are most likely.
    pub fn rate(&self, options: &RatingOptions) -> Result<Ratings, AnchorOutOfRange> {
        let mut anchors = vec![None; self.players()];
        for &(player, elo) in &options.anchors {
            *anchors.get_mut(player).ok_or(AnchorOutOfRange(player))? = Some(elo.0);
        }
        let pairings = self.pairings(options.prior_draws.max(0.0));
        let groups = groups(self.players(), &pairings);
        let mut fit = Fit::new(&pairings, groups.clone(), &anchors, options, DrawShare::Fitted);
        if fit.climb() == Climb::NoTop {
            fit = Fit::new(&pairings, groups, &anchors, options, DrawShare::OfAllGames);
            fit.climb();
        }
        Ok(fit.finish(&anchors, options.average.0, &self.paired().collect::<Vec<_>>()))
    }
}

/// Where the weight of draws comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawShare {
    /// It is a parameter.
    Fitted,
    /// It is that of equal players who draw as often as all players did. Few games may have no greatest likelihood
    /// otherwise: if no underdog ever won, more and more draws explain that better and better.
    OfAllGames,
}

/// The end of a climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Climb {
    Top,
    NoTop,
}

/// A point in the space of all parameters, and which of them are free.
struct Fit {
    pairings: Vec<PairedCounts>,
    groups: Vec<Vec<usize>>,
    point: Point,
    /// The column of each player's rating; `None` if it is fixed.
    columns: Vec<Option<usize>>,
    white_column: Option<usize>,
    draw_column: Option<usize>,
    draw_prior: Option<DrawPrior>,
    /// The precision of the normal distribution of the advantage of White, 0 without one.
    white_precision: f64,
    size: usize,
}

/// A normal distribution of the logarithm of the weight of draws.
#[derive(Clone, Copy)]
struct DrawPrior {
    centre: DrawWeight,
    precision: f64,
}

#[derive(Clone)]
struct Point {
    elo: Vec<f64>,
    white: f64,
    draws: DrawWeight,
}

impl Fit {
    fn new(
        pairings: &[PairedCounts],
        groups: Vec<Vec<usize>>,
        anchors: &[Option<f64>],
        options: &RatingOptions,
        share: DrawShare,
    ) -> Self {
        let mut group_of = vec![None; anchors.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|&player| group_of[player] = Some(number));
        }
        // Where one group won every game against another, their distance is infinite and the games certain.
        let inner = |pairing: &&PairedCounts| group_of[pairing.white] == group_of[pairing.black];
        let pairings: Vec<PairedCounts> = pairings.iter().filter(inner).copied().collect();
        let mut columns = vec![None; anchors.len()];
        let mut size = 0;
        for group in &groups {
            let anchored = group.iter().any(|&player| anchors[player].is_some());
            // Without an anchor the first player of a group is the zero, until the mean is known.
            let free = group.iter().skip(usize::from(!anchored)).filter(|&&player| anchors[player].is_none());
            for &player in free {
                columns[player] = Some(size);
                size += 1;
            }
        }
        let (draws, draw_column) = start_of_draws(&pairings, size);
        let draw_column = draw_column.filter(|_| share == DrawShare::Fitted);
        size += usize::from(draw_column.is_some());
        let elo = start_of_ratings(&groups, anchors);
        let white = options.white_advantage.map_or(0.0, |elo| elo.0);
        let mut fit = Self {
            pairings,
            groups,
            point: Point { elo, white, draws },
            columns,
            white_column: None,
            draw_column,
            draw_prior: options
                .draw_deviation
                .filter(|_| draw_column.is_some())
                .map(|deviation| DrawPrior { centre: draws, precision: deviation.powi(-2) }),
            white_precision: 0.0,
            size,
        };
        fit.free_white_advantage(options.white_advantage);
        if let (Some(_), Some(deviation)) = (fit.white_column, options.white_deviation) {
            fit.white_precision = deviation.powi(-2);
        }
        fit
    }

    /// Makes the advantage of White a parameter, unless it is given or the games do not show it.
    fn free_white_advantage(&mut self, given: Option<Elo>) {
        if given.is_none() {
            self.white_column = Some(self.size);
            self.size += 1;
            if self.information().decompose().is_err() {
                self.white_column = None;
                self.size -= 1;
            }
        }
    }

    fn odds(&self, point: &Point, pairing: &PairedCounts) -> Odds {
        let difference = point.elo[pairing.white] - point.elo[pairing.black];
        Odds::new(difference + point.white, point.draws)
    }

    fn log_likelihood(&self, point: &Point) -> f64 {
        let games: f64 = self
            .pairings
            .iter()
            .map(|pairing| self.odds(point, pairing).log_likelihood(pairing.counts))
            .sum();
        let prior = self
            .draw_prior
            .map_or(0.0, |prior| -prior.precision * point.draws.log_ratio(prior.centre).powi(2) / 2.0);
        games + prior - self.white_precision * point.white.powi(2) / 2.0
    }

    /// The columns on which a pairing depends through its difference in Elo, with their signs.
    fn difference_columns(&self, pairing: &PairedCounts) -> impl Iterator<Item = (usize, f64)> + Clone {
        [(self.columns[pairing.white], 1.0), (self.columns[pairing.black], -1.0), (self.white_column, 1.0)]
            .into_iter()
            .filter_map(|(column, sign)| Some((column?, sign)))
    }

    fn slope(&self) -> Vec<f64> {
        let mut slope = vec![0.0; self.size];
        for pairing in &self.pairings {
            let of = self.odds(&self.point, pairing).slope(pairing.counts);
            for (column, sign) in self.difference_columns(pairing) {
                slope[column] += sign * of.by_elo;
            }
            if let Some(column) = self.draw_column {
                slope[column] += of.by_weight;
            }
        }
        if let (Some(column), Some(prior)) = (self.draw_column, self.draw_prior) {
            slope[column] -= prior.precision * self.point.draws.log_ratio(prior.centre);
        }
        if let Some(column) = self.white_column {
            slope[column] -= self.white_precision * self.point.white;
        }
        slope
    }

    /// The expected information, whose inverse is the covariance of the parameters.
    fn information(&self) -> Matrix {
        let mut information = Matrix::zero(self.size);
        for pairing in &self.pairings {
            let games: f64 = pairing.counts.iter().sum();
            let of = self.odds(&self.point, pairing).information();
            let columns = self.difference_columns(pairing);
            for (a, sign_a) in columns.clone() {
                for (b, sign_b) in columns.clone() {
                    information.add(a, b, games * sign_a * sign_b * of.elo);
                }
                if let Some(draws) = self.draw_column {
                    information.add(a, draws, games * sign_a * of.both);
                    information.add(draws, a, games * sign_a * of.both);
                }
            }
            if let Some(draws) = self.draw_column {
                information.add(draws, draws, games * of.weight);
            }
        }
        if let (Some(column), Some(prior)) = (self.draw_column, self.draw_prior) {
            information.add(column, column, prior.precision);
        }
        if let Some(column) = self.white_column {
            information.add(column, column, self.white_precision);
        }
        information
    }

    /// Moves to the greatest likelihood.
    fn climb(&mut self) -> Climb {
        let mut height = self.log_likelihood(&self.point);
        for _ in 0..MAX_ROUNDS {
            let Ok(information) = self.information().decompose() else { return Climb::NoTop };
            let step = information.solve(&self.slope());
            let largest = step.iter().fold(0.0f64, |largest, part| largest.max(part.abs()));
            let Some((point, higher)) = self.ascend(&step, height) else { break };
            self.point = point;
            height = higher;
            if largest < PRECISION {
                return Climb::Top;
            }
        }
        Climb::NoTop
    }

    /// Takes the step, or the part of it that does not lead down.
    fn ascend(&self, step: &[f64], height: f64) -> Option<(Point, f64)> {
        let mut part = 1.0;
        for _ in 0..40 {
            let point = self.moved(step, part);
            let reached = self.log_likelihood(&point);
            // Close to the maximum the gain is below the rounding error of the sum.
            if reached >= height - 1e-12 * height.abs() {
                return Some((point, reached));
            }
            part /= 2.0;
        }
        None
    }

    fn moved(&self, step: &[f64], part: f64) -> Point {
        let along = |column: Option<usize>| column.map_or(0.0, |column| part * step[column]);
        let elo =
            self.point.elo.iter().zip(&self.columns).map(|(elo, &column)| elo + along(column)).collect();
        Point {
            elo,
            white: self.point.white + along(self.white_column),
            draws: self.point.draws.stepped(along(self.draw_column)),
        }
    }

    /// Returns the covariance of the parameters where games were played in pairs. Their noise is that of the pairs as they
    /// were observed, around which the inverse information stands on both sides.
    fn with_pairs(&self, inverse: Matrix, paired: &[Paired]) -> Matrix {
        if paired.is_empty() {
            return inverse;
        }
        let mut group_of = vec![None; self.columns.len()];
        for (number, group) in self.groups.iter().enumerate() {
            group.iter().for_each(|&player| group_of[player] = Some(number));
        }
        let mut noise = self.information();
        let within = paired.iter().filter(|([one, other], _)| group_of[*one] == group_of[*other]);
        for &([one, other], pairs) in within {
            let columns = [(self.columns[one], 1.0), (self.columns[other], -1.0)];
            let columns = columns.into_iter().filter_map(|(column, sign)| Some((column?, sign)));
            let odds = Odds::new(self.point.elo[one] - self.point.elo[other], self.point.draws);
            let excess = pairs.pairs() as f64 * odds.noise_of_pair(pair_variance(&pairs))
                - pairs.games() as f64 * odds.information().elo;
            for (a, sign_a) in columns.clone() {
                for (b, sign_b) in columns.clone() {
                    noise.add(a, b, excess * sign_a * sign_b);
                }
            }
        }
        inverse.times(&noise).times(&inverse)
    }

    /// Moves every group without an anchor to its mean, and returns the result with its errors.
    fn finish(mut self, anchors: &[Option<f64>], average: f64, paired: &[Paired]) -> Ratings {
        let log_likelihood = self.log_likelihood(&self.point);
        let inverse = self.information().decompose().ok().map(|known: Decomposed| known.inverse());
        let inverse = inverse.map(|inverse| self.with_pairs(inverse, paired));
        let deviation = |column: Option<usize>| {
            let column = column?;
            Some(inverse.as_ref()?.get(column, column).max(0.0).sqrt())
        };
        let share = self.point.draws.share();
        let draw_error = deviation(self.draw_column).map(|error| Z_95 * error * share * (1.0 - share));
        let white_error = deviation(self.white_column).map(|error| Z_95 * error);
        let mut covariance = inverse.as_ref().map(|inverse| spread(inverse, &self.columns));
        for group in &self.groups {
            if group.iter().all(|&player| anchors[player].is_none()) {
                let mean =
                    group.iter().map(|&player| self.point.elo[player]).sum::<f64>() / group.len() as f64;
                group.iter().for_each(|&player| self.point.elo[player] += average - mean);
                covariance.iter_mut().for_each(|covariance| centre(covariance, group));
            }
        }
        Ratings {
            groups: self.groups,
            elo: self.point.elo,
            anchored: anchors.iter().map(Option::is_some).collect(),
            covariance,
            white_advantage: Measured { value: self.point.white, error: white_error },
            draw_share: Measured { value: share, error: draw_error },
            log_likelihood,
        }
    }
}

/// Two players and their pairs, from the side of the first.
type Paired = ([usize; 2], Pentanomial);

/// Returns the variance of the points of a pair. Two half pairs, one won and one lost, keep it above zero.
fn pair_variance(counts: &Pentanomial) -> f64 {
    let [lost, less, even, more, won] = counts.0.map(|count| count as f64);
    let cells = [lost + 0.5, less, even, more, won + 0.5].into_iter().zip([0.0, 0.5, 1.0, 1.5, 2.0]);
    let pairs: f64 = cells.clone().map(|(count, _)| count).sum();
    let mean = cells.clone().map(|(count, points)| count * points).sum::<f64>() / pairs;
    cells.map(|(count, points)| count * (points - mean).powi(2)).sum::<f64>() / pairs
}

/// Returns the weight of draws at the start, and its column if there are both draws and decided games.
fn start_of_draws(pairings: &[PairedCounts], column: usize) -> (DrawWeight, Option<usize>) {
    let [wins, draws, losses] = pairings
        .iter()
        .fold([0.0; 3], |sums, pairing| std::array::from_fn(|result| sums[result] + pairing.counts[result]));
    let decided = wins + losses;
    if draws == 0.0 {
        (DrawWeight::NONE, None)
    } else if decided == 0.0 {
        // As if half a game had been decided: the share itself cannot be 1.
        (DrawWeight::of_equals(draws / (draws + 0.5)), None)
    } else {
        (DrawWeight::of_equals(draws / (draws + decided)), Some(column))
    }
}

/// Returns the ratings at the start: anchors, and the mean of the anchors of a group for its other players.
fn start_of_ratings(groups: &[Vec<usize>], anchors: &[Option<f64>]) -> Vec<f64> {
    let mut elo = vec![0.0; anchors.len()];
    for group in groups {
        let given: Vec<f64> = group.iter().filter_map(|&player| anchors[player]).collect();
        let mean = given.iter().sum::<f64>() / given.len().max(1) as f64;
        group.iter().for_each(|&player| elo[player] = anchors[player].unwrap_or(mean));
    }
    elo
}

/// Returns the covariances of all ratings; those of fixed ones are 0.
fn spread(inverse: &Matrix, columns: &[Option<usize>]) -> Matrix {
    let mut covariance = Matrix::zero(columns.len());
    for (a, &column_a) in columns.iter().enumerate() {
        for (b, &column_b) in columns.iter().enumerate() {
            if let (Some(column_a), Some(column_b)) = (column_a, column_b) {
                covariance.set(a, b, inverse.get(column_a, column_b));
            }
        }
    }
    covariance
}

/// Turns the covariances of a group into those of the differences to its mean.
fn centre(covariance: &mut Matrix, group: &[usize]) {
    let size = covariance.size();
    let share = 1.0 / group.len() as f64;
    for other in 0..size {
        let mean = group.iter().map(|&player| covariance.get(player, other)).sum::<f64>() * share;
        group.iter().for_each(|&player| covariance.add(player, other, -mean));
    }
    for other in 0..size {
        let mean = group.iter().map(|&player| covariance.get(other, player)).sum::<f64>() * share;
        group.iter().for_each(|&player| covariance.add(other, player, -mean));
    }
}
