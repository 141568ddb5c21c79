//! Consistency of a journal: the history of every pair.

use std::collections::BTreeMap;

use crate::game::{GameId, GameOfPair, PairPart};
use crate::journal::Entry;

/// A pair that was started and has not ended.
#[derive(Debug)]
struct Open {
    attempt: u32,
    games: Vec<GameOfPair>,
}

/// What happens to the finished game of an abandoned pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Halves {
    /// It is kept, and only the other game is played.
    #[default]
    Stay,
    /// Both games are played again, as in journals of format 1.
    PlayedAgain,
}

/// What is started and ends together: a pair, or one game of it.
type Unit = (u64, PairPart);

/// Checks the entries of a journal, in order, for contradictions.
#[derive(Debug, Default)]
pub struct Audit {
    open: BTreeMap<Unit, Open>,
    /// The attempt that a pair needs next; `None` once all of its games are on record.
    next_attempt: BTreeMap<Unit, Option<u32>>,
    /// Finished games of abandoned pairs, which are not played again.
    kept: BTreeMap<Unit, Vec<GameOfPair>>,
    halves: Halves,
    decided: Option<u64>,
    finished: bool,
}

impl Audit {
    /// Checks the next entry and returns what is wrong with it, if anything.
    pub fn note(&mut self, entry: &Entry) -> Result<(), String> {
        if self.finished && !matches!(entry, Entry::Session { .. }) {
            return Err("something follows the end of the run".to_owned());
        }
        match entry {
            Entry::Run { format, .. } => {
                self.halves = if *format < 2 { Halves::PlayedAgain } else { Halves::Stay };
                Ok(())
            }
            Entry::Session { .. }
            | Entry::Fault { .. }
            | Entry::Claimed { .. }
            | Entry::Worker(_)
            | Entry::WorkerExcluded { .. } => Ok(()),
            Entry::PairStarted { pair, attempt, part } => self.start((*pair, *part), *attempt),
            Entry::Game(game) => self.game(game.pair, game.attempt, game.game),
            Entry::Void { pair, attempt, part, .. } => self.end((*pair, *part), *attempt).map(drop),
            Entry::Abandoned { pair, attempt, part } => {
                let games = self.end((*pair, *part), *attempt)?;
                if self.halves == Halves::Stay && !games.is_empty() {
                    self.kept.insert((*pair, *part), games);
                }
                Ok(())
            }
            Entry::Decision { pairs, .. } => match self.decided.replace(*pairs) {
                None => Ok(()),
                Some(_) => Err("the test is decided twice".to_owned()),
            },
            Entry::Finished => {
                self.finished = true;
                match self.open.first_key_value() {
                    None => Ok(()),
                    Some(((pair, _), _)) => Err(format!("the run ends while pair {} is in play", pair + 1)),
                }
            }
        }
    }

    fn start(&mut self, unit: Unit, attempt: u32) -> Result<(), String> {
        let due = self.next_attempt.get(&unit).copied().unwrap_or(Some(0));
        let pair = unit.0 + 1;
        if self.open.contains_key(&unit) {
            return Err(format!("pair {pair} is started while it is in play"));
        }
        match due {
            Some(due) if due == attempt => {
                let games = self.kept.remove(&unit).unwrap_or_default();
                self.open.insert(unit, Open { attempt, games });
                Ok(())
            }
            Some(due) => {
                Err(format!("attempt {} at pair {pair} where {} was expected", attempt + 1, due + 1))
            }
            None => Err(format!("pair {pair} is started after it was finished")),
        }
    }

    fn game(&mut self, pair: u64, attempt: u32, game: GameOfPair) -> Result<(), String> {
        let alone = (pair, PairPart::only(game));
        let unit = if self.open.contains_key(&alone) { alone } else { (pair, PairPart::Both) };
        let open = self.opened(unit, attempt)?;
        if open.games.contains(&game) {
            return Err(format!("game {} is finished twice", GameId { pair, game }));
        }
        open.games.push(game);
        if open.games.len() == unit.1.games().len() {
            self.open.remove(&unit);
            self.next_attempt.insert(unit, None);
        }
        Ok(())
    }

    /// Ends an attempt and returns what it had finished.
    fn end(&mut self, unit: Unit, attempt: u32) -> Result<Vec<GameOfPair>, String> {
        self.opened(unit, attempt)?;
        self.next_attempt.insert(unit, Some(attempt + 1));
        Ok(self.open.remove(&unit).map(|open| open.games).unwrap_or_default())
    }

    fn opened(&mut self, unit: Unit, attempt: u32) -> Result<&mut Open, String> {
        self.open.get_mut(&unit).filter(|open| open.attempt == attempt).ok_or_else(|| {
            format!("attempt {} at pair {} was never started, or has ended", attempt + 1, unit.0 + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, EngineIndex, GameRecord, GameResult, Termination, VoidReason};
    use crate::journal::GameEntry;
    use crate::opening::Variant;

    fn started(pair: u64, attempt: u32) -> Entry {
        Entry::PairStarted { pair, attempt, part: PairPart::Both }
    }

    fn started_alone(pair: u64, attempt: u32, part: PairPart) -> Entry {
        Entry::PairStarted { pair, attempt, part }
    }

    fn void(pair: u64, attempt: u32) -> Entry {
        let reason = VoidReason::Suspended { gap_ms: 1 };
        Entry::Void { pair, attempt, part: PairPart::Both, reason, by: None }
    }

    fn abandoned(pair: u64, attempt: u32) -> Entry {
        Entry::Abandoned { pair, attempt, part: PairPart::Both }
    }

    fn game(pair: u64, attempt: u32, game: GameOfPair) -> Entry {
        let record = GameRecord {
            white: EngineIndex(0),
            black: EngineIndex(1),
            opening: 0,
            start_fen: "-".to_owned(),
            variant: Variant::Standard,
            moves: Vec::new(),
            ending: Ending { result: GameResult::Draw, termination: Termination::Stalemate },
            started_unix_ms: 0,
            duration_ms: 0,
            warnings: Vec::new(),
        };
        Entry::Game(Box::new(GameEntry::pack(pair, attempt, game, &record)))
    }

    #[test]
    fn contradictions_are_noticed_and_honest_histories_are_not() {
        for (case, history, honest) in [
            ("a void pair is tried again", vec![started(3, 0), void(3, 0), started(3, 1)], true),
            (
                "out of order",
                vec![started(3, 0), started(1, 0), void(1, 0), void(3, 0), Entry::Finished],
                true,
            ),
            (
                "a finished half stays",
                vec![
                    started(3, 0),
                    game(3, 0, GameOfPair::First),
                    abandoned(3, 0),
                    started(3, 1),
                    game(3, 1, GameOfPair::Second),
                    Entry::Finished,
                ],
                true,
            ),
            (
                "a finished half is played again",
                vec![
                    started(3, 0),
                    game(3, 0, GameOfPair::First),
                    abandoned(3, 0),
                    started(3, 1),
                    game(3, 1, GameOfPair::First),
                ],
                false,
            ),
            (
                "a void takes both games",
                vec![
                    started(3, 0),
                    game(3, 0, GameOfPair::First),
                    void(3, 0),
                    started(3, 1),
                    game(3, 1, GameOfPair::First),
                ],
                true,
            ),
            (
                "games on their own",
                vec![
                    started_alone(3, 0, PairPart::First),
                    started_alone(3, 0, PairPart::Second),
                    game(3, 0, GameOfPair::Second),
                    game(3, 0, GameOfPair::First),
                    Entry::Finished,
                ],
                true,
            ),
            (
                "a game that was never started",
                vec![started_alone(3, 0, PairPart::First), game(3, 0, GameOfPair::Second)],
                false,
            ),
            ("started twice", vec![started(3, 0), started(3, 0)], false),
            ("the same try again", vec![started(3, 0), void(3, 0), started(3, 0)], false),
            ("void without a start", vec![void(3, 0)], false),
            ("another try ends", vec![started(3, 0), void(3, 1)], false),
            ("finished in the middle", vec![started(3, 0), Entry::Finished], false),
            ("goes on after its end", vec![Entry::Finished, started(0, 0)], false),
        ] {
            let mut audit = Audit::default();
            let result = history.iter().try_for_each(|entry| audit.note(entry));
            assert_eq!(result.is_ok(), honest, "{case}: {result:?}");
        }
    }
}
