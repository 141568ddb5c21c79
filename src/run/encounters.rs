//! How the games of an encounter are arranged: how many, with which colours, from which opening, and what is started together.

use serde::{Deserialize, Serialize};

use crate::game::{GameOfPair, PairPart};
use crate::run::schedule::Fixture;

/// The arrangement of games. The default is that of this program: two games with colours reversed, which one slot plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Encounters {
    /// Games of an encounter.
    pub pair: PairSize,
    /// Colours of its second game.
    pub colours: Colours,
    /// Colour of the first engine in its first game.
    pub first: FirstColour,
    /// How often the opening changes.
    pub opening: OpeningPer,
    /// What a slot plays before it is free again.
    pub at_once: AtOnce,
    /// What the test and its likelihood ratio count.
    pub test_by: TestBy,
    /// What a test does that reaches its limit without a decision.
    #[serde(skip_serializing_if = "AtLimit::is_default")]
    pub at_limit: AtLimit,
    /// Encounters that use one opening, at least 1; 0 stands for 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub repeat: u64,
    /// Encounters of the same two engines in a row, at least 1; 0 stands for 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub block: u64,
    /// Engines that meet all others in a gauntlet, at least 1; 0 stands for 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub seeds: u64,
    /// Milliseconds that a slot waits after each game.
    #[serde(skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Games of an encounter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairSize {
    /// Two games.
    #[default]
    Both,
    /// One game; colours alternate from round to round. Results are then counted by games.
    Half,
}

/// Colours of the second game of an encounter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colours {
    /// Those of the first game, reversed.
    #[default]
    Reversed,
    /// Those of the first game.
    Same,
}

/// Colour of the first engine of an encounter in its first game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstColour {
    /// White.
    #[default]
    White,
    /// Black.
    Black,
}

/// How often the opening changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningPer {
    /// All encounters of a round have the same opening.
    #[default]
    Round,
    /// Every encounter has its own.
    Encounter,
}

/// What a slot plays before it is free again, so that the concurrency is a number of pairs or of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtOnce {
    /// Both games of a pair, one after the other.
    #[default]
    Pairs,
    /// One game; the two games of a pair may be played at the same time.
    Games,
}

/// What a sequential test does that reaches its limit of pairs without touching a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtLimit {
    /// Accepts H1 if that does not exceed the promised alpha.
    #[default]
    Decide,
    /// Stays undecided.
    Undecided,
}

impl AtLimit {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_default(&self) -> bool {
        *self == Self::Decide
    }
}

/// What a sequential test counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestBy {
    /// Pairs, whose two games are not independent.
    #[default]
    Pairs,
    /// Games, as if they were independent.
    Games,
}

impl Encounters {
    /// Returns whether this is the arrangement that a plan need not state.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the number of games of an encounter.
    pub fn games(&self) -> u64 {
        match self.pair {
            PairSize::Both => 2,
            PairSize::Half => 1,
        }
    }

    /// Returns the parts in which an encounter is played.
    pub(super) fn parts(&self) -> &'static [PairPart] {
        match (self.pair, self.at_once) {
            (PairSize::Half, _) => &[PairPart::First],
            (PairSize::Both, AtOnce::Pairs) => &[PairPart::Both],
            (PairSize::Both, AtOnce::Games) => &[PairPart::First, PairPart::Second],
        }
    }

    /// Returns whether the games of an encounter are started on their own.
    pub fn starts_games_alone(&self) -> bool {
        self.parts().len() > 1
    }

    /// Returns the indices, in the engines of the fixture, of White and Black in a game.
    pub fn seats(&self, fixture: &Fixture, game: GameOfPair) -> [usize; 2] {
        let later = match self.pair {
            PairSize::Both => game == GameOfPair::Second,
            PairSize::Half => fixture.round % 2 == 1,
        };
        let reversed = later && self.colours == Colours::Reversed;
        if reversed == (self.first == FirstColour::Black) { [0, 1] } else { [1, 0] }
    }

    /// Returns the index of the opening of an encounter, before the order of the book is applied.
    pub fn opening(&self, index: u64, fixture: &Fixture) -> u64 {
        let place = match self.opening {
            OpeningPer::Round => fixture.round,
            OpeningPer::Encounter => index,
        };
        place / self.repeat.max(1)
    }

    /// Returns the number of a game in the run, counted from 1.
    pub fn number(&self, pair: u64, game: GameOfPair) -> u64 {
        self.games() * pair + u64::from(game.number())
    }

    /// Returns whether a test counts games.
    pub(super) fn tests_games(&self) -> bool {
        self.test_by == TestBy::Games || self.pair == PairSize::Half
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::EngineIndex;

    fn fixture(round: u64) -> Fixture {
        Fixture { matchup: 0, engines: [EngineIndex(0), EngineIndex(1)], round }
    }

    #[test]
    fn colours_follow_the_arrangement() {
        use GameOfPair::{First, Second};
        let white = |encounters: Encounters, games: &[(u64, GameOfPair)]| -> Vec<usize> {
            games.iter().map(|&(round, game)| encounters.seats(&fixture(round), game)[0]).collect()
        };
        let pairs = [(0, First), (0, Second), (1, First), (1, Second)];
        let usual = Encounters::default();
        assert_eq!(white(usual, &pairs), [0, 1, 0, 1]);
        assert_eq!(white(Encounters { colours: Colours::Same, ..usual }, &pairs), [0, 0, 0, 0]);
        assert_eq!(white(Encounters { first: FirstColour::Black, ..usual }, &pairs), [1, 0, 1, 0]);
        let half = Encounters { pair: PairSize::Half, ..usual };
        let games = [(0, First), (1, First), (2, First)];
        assert_eq!(white(half, &games), [0, 1, 0]);
        assert_eq!(white(Encounters { colours: Colours::Same, ..half }, &games), [0, 0, 0]);
        assert_eq!(half.number(6, First), 7);
        assert_eq!(usual.number(6, Second), 14);
    }

    #[test]
    fn openings_change_by_round_or_by_encounter() {
        let usual = Encounters::default();
        assert_eq!(usual.opening(5, &fixture(1)), 1);
        let each = Encounters { opening: OpeningPer::Encounter, ..usual };
        assert_eq!(each.opening(5, &fixture(1)), 5);
        assert_eq!(Encounters { repeat: 2, ..each }.opening(5, &fixture(1)), 2);
    }
}
