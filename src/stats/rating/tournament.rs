//! Results of games between many players.

use std::collections::BTreeMap;

use crate::stats::{GameScore, PairScore, Pentanomial, Trinomial};

/// Games between many players, counted by pairs of them and by colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tournament {
    players: usize,
    games: BTreeMap<(u32, u32), [u64; 3]>,
    /// Pairs of games with reversed colours, from the side of the player with the lower number.
    pairs: BTreeMap<(u32, u32), Pentanomial>,
}

/// All games of one player against another: both colours together, from the side of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encounter {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Encounter {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Adds other games.
    pub fn add(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// The results of one pair of players and colours, from White's side, with the draws of a prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairedCounts {
    pub(super) white: usize,
    pub(super) black: usize,
    pub(super) counts: [f64; 3],
}

impl Tournament {
    /// Creates a tournament without games.
    pub fn new(players: usize) -> Self {
        Self { players, ..Self::default() }
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Counts a game with the score of White. Players beyond the number so far are added; a game of a player against
    /// itself is not counted.
    pub fn count(&mut self, white: usize, black: usize, score: GameScore) {
        let Some(key) = self.admit(white, black) else { return };
        let place = match score {
            GameScore::Win => 0,
            GameScore::Draw => 1,
            GameScore::Loss => 2,
        };
        self.games.entry(key).or_default()[place] += 1;
    }

    /// Notes that two games, already counted, were a pair with reversed colours; its score is that of `player`. The
    /// results of a pair are not independent of each other, which changes the errors of ratings.
    pub fn count_pair(&mut self, player: usize, opponent: usize, score: PairScore) {
        let (low, high) = (player.min(opponent), player.max(opponent));
        let Some(key) = self.admit(low, high) else { return };
        self.pairs.entry(key).or_default().count(if player == low { score } else { score.reversed() });
    }

    /// Counts all games and pairs of one player against another, whatever their colours were.
    pub fn add_matchup(&mut self, player: usize, opponent: usize, games: &Trinomial, pairs: &Pentanomial) {
        let Some(key) = self.admit(player, opponent) else { return };
        let cell = self.games.entry(key).or_default();
        for (count, more) in cell.iter_mut().zip([games.wins, games.draws, games.losses]) {
            *count += more;
        }
        let (low, high) = (player.min(opponent), player.max(opponent));
        let Some(key) = self.admit(low, high) else { return };
        let known = self.pairs.entry(key).or_default();
        for (place, count) in pairs.0.iter().enumerate() {
            known.0[if player == low { place } else { 4 - place }] += count;
        }
    }

    /// Makes room for two players, and returns their key; a player has no games against itself.
    fn admit(&mut self, one: usize, other: usize) -> Option<(u32, u32)> {
        self.players = self.players.max(one.max(other) + 1);
        let key = (u32::try_from(one).ok()?, u32::try_from(other).ok()?);
        (one != other).then_some(key)
    }

    /// Returns the players that played all their games against each other in pairs, with these pairs.
    pub(super) fn paired(&self) -> impl Iterator<Item = ([usize; 2], Pentanomial)> {
        let whole = |&(&(one, other), pairs): &(&(u32, u32), &Pentanomial)| {
            let games = self.encounter(one as usize, other as usize).games();
            games > 0 && pairs.games() == games
        };
        self.pairs.iter().filter(whole).map(|(&(one, other), pairs)| ([one as usize, other as usize], *pairs))
    }

    /// Returns the games of one player against another.
    pub fn encounter(&self, player: usize, opponent: usize) -> Encounter {
        let of = |white: usize, black: usize| {
            let key = (white as u32, black as u32);
            self.games.get(&key).copied().unwrap_or_default()
        };
        let (white, black) = (of(player, opponent), of(opponent, player));
        Encounter { wins: white[0] + black[2], draws: white[1] + black[1], losses: white[2] + black[0] }
    }

    /// Returns all games of each player together.
    pub fn totals(&self) -> Vec<Encounter> {
        let mut totals = vec![Encounter::default(); self.players];
        for (&(white, black), &[wins, draws, losses]) in &self.games {
            totals[white as usize].add(Encounter { wins, draws, losses });
            totals[black as usize].add(Encounter { wins: losses, draws, losses: wins });
        }
        totals
    }

    /// Returns the games from White's side.
    pub fn white(&self) -> Encounter {
        let mut white = Encounter::default();
        for &[wins, draws, losses] in self.games.values() {
            white.add(Encounter { wins, draws, losses });
        }
        white
    }

    /// Returns the results with `prior` draws for each player, spread over its opponents by their games, half of them
    /// with each colour.
    pub(super) fn pairings(&self, prior: f64) -> Vec<PairedCounts> {
        let totals = self.totals();
        let mut counts: BTreeMap<(u32, u32), [f64; 3]> = BTreeMap::new();
        for (&(white, black), results) in &self.games {
            let games = results.iter().sum::<u64>() as f64;
            let share = |player: u32| games / totals[player as usize].games().max(1) as f64;
            let draws = prior * (share(white) + share(black)) / 2.0;
            for (key, real) in [((white, black), *results), ((black, white), [0; 3])] {
                let cell = counts.entry(key).or_default();
                for (count, real) in cell.iter_mut().zip(real) {
                    *count += real as f64;
                }
                cell[1] += draws;
            }
        }
        let pairing = |((white, black), counts): ((u32, u32), [f64; 3])| PairedCounts {
            white: white as usize,
            black: black as usize,
            counts,
        };
        counts.into_iter().filter(|(_, counts)| counts.iter().any(|&n| n > 0.0)).map(pairing).collect()
    }
}
