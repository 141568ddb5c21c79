//! Results of games from PGN files and run folders.

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::chess::{GameTags, PgnResult, PgnTags};
use crate::commands::failure::{Failure, OrFailure};
use crate::game::GameResult;
use crate::run::{RunReader, plan_from_toml};
use crate::stats::{GameScore, PairScore, Pentanomial, Tournament, Trinomial};
use crate::store::{RunFolder, open_regular, read_text};

/// Bytes read at a time: large files are read at the speed of the disk.
const BUFFER_BYTES: usize = 1 << 20;

/// The results of games between named players.
#[derive(Clone, Debug, Default)]
pub struct GameResults {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    /// The games by players and colours.
    pub tournament: Tournament,
    /// Games without a result, or without two players.
    pub ignored: u64,
    pairs: HashMap<(usize, usize, String), HalfPair>,
}

/// The games of one round between two players, the one with the lower number first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HalfPair {
    /// The score of the first player with White and with Black.
    scores: [Option<GameScore>; 2],
    more: bool,
}

impl GameResults {
    /// Reads PGN files and run folders.
    pub fn read(sources: &[PathBuf]) -> Result<Self, Failure> {
        let mut results = Self::default();
        for (number, path) in sources.iter().enumerate() {
            if path.is_dir() {
                results.read_run(path, number)?;
            } else {
                let file = open_regular(path)
                    .with_context(|| format!("{} cannot be read", path.display()))
                    .or_usage()?;
                results
                    .read_pgn(file, number)
                    .with_context(|| format!("{} cannot be read", path.display()))
                    .or_fault()?;
            }
        }
        for ((first, second, _), half) in &results.pairs {
            if let ([Some(white), Some(black)], false) = (half.scores, half.more) {
                results.tournament.count_pair(*first, *second, PairScore::of(white, black));
            }
        }
        Ok(results)
    }

    /// Returns the names of the players, in the order of their first games.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of a player.
    pub fn player(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn read_pgn(&mut self, source: impl Read, number: usize) -> std::io::Result<()> {
        let mut reader = PgnTags::new(BufReader::with_capacity(BUFFER_BYTES, source));
        while let Some(GameTags { white, black, round, result }) = reader.next_game()? {
            let score = match result {
                Some(PgnResult::WhiteWins) => Some(GameScore::Win),
                Some(PgnResult::Draw) => Some(GameScore::Draw),
                Some(PgnResult::BlackWins) => Some(GameScore::Loss),
                Some(PgnResult::Unknown) | None => None,
            };
            match score {
                Some(score) if !white.is_empty() && !black.is_empty() && white != black => {
                    // Rounds such as 12.1 and 12.2 are the games of pair 12.
                    let pair = round.split('.').next().unwrap_or_default();
                    self.count(&white, &black, score, &format!("{number} {pair}"));
                }
                _ => self.ignored += 1,
            }
        }
        Ok(())
    }

    fn read_run(&mut self, path: &Path, number: usize) -> Result<(), Failure> {
        let folder = RunFolder::open(path).or_usage()?;
        let text = read_text(&folder.plan())
            .with_context(|| format!("{} cannot be read", folder.plan().display()))
            .or_fault()?;
        let plan = plan_from_toml(&text).or_fault()?;
        if plan.is_tuning() {
            return Err(Failure::usage(format_args!(
                "{} is a tuning run: its two sides are one engine with changing values",
                path.display()
            )));
        }
        let reader = RunReader::read_whole(folder, plan, &text, |pair, view| {
            for game in &pair.games {
                let score = match game.ending.result {
                    GameResult::WhiteWins => GameScore::Win,
                    GameResult::Draw => GameScore::Draw,
                    GameResult::BlackWins => GameScore::Loss,
                };
                let [white, black] = [game.white, game.black].map(|engine| view.plan.name_of(engine));
                self.count(white, black, score, &format!("{number} {}", pair.pair));
            }
        });
        reader.with_context(|| format!("the journal of {} cannot be read", path.display())).or_fault()?;
        Ok(())
    }

    fn count(&mut self, white: &str, black: &str, score: GameScore, round: &str) {
        let [white, black] = [white, black].map(|name| self.number(name));
        self.tournament.count(white, black, score);
        let (colour, score) = if white < black { (0, score) } else { (1, score.reversed()) };
        let key = (white.min(black), white.max(black), round.to_owned());
        let pair = self.pairs.entry(key).or_default();
        if pair.scores[colour].replace(score).is_some() {
            pair.more = true;
        }
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), number);
        number
    }

    /// Returns the results of one player against all others: by pairs if every round has one game with each colour,
    /// otherwise by games.
    pub fn of_player(&self, player: usize) -> PlayerResults {
        let total = self.tournament.totals()[player];
        let games = Trinomial { wins: total.wins, draws: total.draws, losses: total.losses };
        let mut pairs = Pentanomial::default();
        for ((first, second, _), half) in &self.pairs {
            if *first != player && *second != player {
                continue;
            }
            let ([Some(white), Some(black)], false) = (half.scores, half.more) else {
                return PlayerResults { games, pairs: None };
            };
            let score = PairScore::of(white, black);
            pairs.count(if *first == player { score } else { score.reversed() });
        }
        PlayerResults { games, pairs: Some(pairs) }
    }
}

/// The results of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerResults {
    /// By games.
    pub games: Trinomial,
    /// By pairs with colours reversed, if all games are in pairs.
    pub pairs: Option<Pentanomial>,
}
