//! Scores of games and pairs, and their counts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The result of one game from the point of view of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameScore {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl GameScore {
    /// Returns the half points: 0, 1 or 2.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }

    /// Returns the result from the point of view of the opponent.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The score of the candidate in two games from one opening with colours reversed: 0 to 4 half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct PairScore(u8);

impl PairScore {
    /// Both games lost.
    pub const LOST: Self = Self(0);
    /// One point of two: two draws, or a win and a loss.
    pub const EVEN: Self = Self(2);
    /// Both games won.
    pub const WON: Self = Self(4);
    /// All five scores, lowest first.
    pub const ALL: [Self; 5] = [Self(0), Self(1), Self(2), Self(3), Self(4)];

    /// Returns the score of a pair from the results of its games.
    pub const fn of(first: GameScore, second: GameScore) -> Self {
        Self(first.half_points() + second.half_points())
    }

    /// Creates a score from 0 to 4 half points.
    pub const fn from_half_points(half_points: u8) -> Result<Self, HalfPointsOutOfRange> {
        if half_points <= 4 { Ok(Self(half_points)) } else { Err(HalfPointsOutOfRange(half_points)) }
    }

    /// Returns the half points, 0 to 4.
    pub const fn half_points(self) -> u8 {
        self.0
    }

    /// Returns the points: 0, 0.5, 1, 1.5 or 2.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }

    /// Returns the score from the point of view of the opponent.
    pub const fn reversed(self) -> Self {
        Self(4 - self.0)
    }
}

impl TryFrom<u8> for PairScore {
    type Error = HalfPointsOutOfRange;

    fn try_from(half_points: u8) -> Result<Self, Self::Error> {
        Self::from_half_points(half_points)
    }
}

impl From<PairScore> for u8 {
    fn from(pair: PairScore) -> Self {
        pair.0
    }
}

/// Error returned for more half points than two games can yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfPointsOutOfRange(pub u8);

impl fmt::Display for HalfPointsOutOfRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "expected 0 to 4 half points for a pair of games, got {}", self.0)
    }
}

impl std::error::Error for HalfPointsOutOfRange {}

/// The number of pairs that scored 0, 1, 2, 3 and 4 half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts a pair.
    pub fn count(&mut self, pair: PairScore) {
        self.0[usize::from(pair.0)] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of games, two per pair.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Returns the half points of the candidate.
    pub fn half_points(&self) -> u64 {
        self.0.iter().zip(0..).map(|(count, half_points)| count * half_points).sum()
    }

    /// Returns the proportion of even pairs, or `None` before the first pair.
    pub fn draw_ratio(&self) -> Option<f64> {
        ratio(self.0[2], self.pairs())
    }

    /// Returns the number of pairs won per pair lost, infinity if none is lost, or `None` if none is won either.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [lost, lost_narrowly, _, won_narrowly, won] = self.0;
        let ratio = (won + won_narrowly) as f64 / (lost + lost_narrowly) as f64;
        (!ratio.is_nan()).then_some(ratio)
    }
}

/// The number of games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Trinomial {
    /// Games won by the candidate.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by the candidate.
    pub losses: u64,
}

impl Trinomial {
    /// Counts a game.
    pub fn count(&mut self, game: GameScore) {
        match game {
            GameScore::Loss => self.losses += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Win => self.wins += 1,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the half points of the candidate.
    pub fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Returns the proportion of draws, or `None` before the first game.
    pub fn draw_ratio(&self) -> Option<f64> {
        ratio(self.draws, self.games())
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_scores_the_sum_of_its_games() {
        assert_eq!(PairScore::of(GameScore::Win, GameScore::Loss), PairScore::EVEN);
        assert_eq!(PairScore::of(GameScore::Draw, GameScore::Draw), PairScore::EVEN);
        assert_eq!(PairScore::of(GameScore::Win, GameScore::Win), PairScore::WON);
        assert_eq!(PairScore::of(GameScore::Draw, GameScore::Win).points(), 1.5);
    }

    #[test]
    fn five_half_points_are_rejected() {
        assert_eq!(PairScore::from_half_points(5), Err(HalfPointsOutOfRange(5)));
    }

    #[test]
    fn reversing_a_pair_score_twice_changes_nothing() {
        for pair in PairScore::ALL {
            assert_eq!(pair.reversed().reversed(), pair);
            assert_eq!(pair.half_points() + pair.reversed().half_points(), 4);
        }
    }

    #[test]
    fn a_tally_counts_every_half_point() {
        let mut tally = Pentanomial::default();
        for pair in [0, 1, 2, 3, 4, 4] {
            tally.count(PairScore::from_half_points(pair).unwrap());
        }
        assert_eq!((tally.pairs(), tally.games(), tally.half_points()), (6, 12, 14));
        assert_eq!(tally.pairs_ratio(), Some(1.5));
        assert_eq!(Pentanomial::default().pairs_ratio(), None);
        assert_eq!(Pentanomial([0, 0, 1, 1, 0]).pairs_ratio(), Some(f64::INFINITY));
    }
}
