//! Whether reported games can have been played: every game is replayed on a board of our own.

use std::time::Duration;

use crate::chess::Color;
use crate::fleet::PairJob;
use crate::game::{
    AdjudicationRules, Clock, Ending, GameOfPair, GameRecord, GameResult, GameSetup, MoveSource, Referee,
    Termination, TimeControl,
};
use crate::journal::GameEntry;

/// Time by which a move may exceed its clock in a record, because records are rounded.
const ROUNDING: Duration = Duration::from_millis(10);

/// Checks the games that were reported for a job. The message states what is impossible about them.
pub(super) fn check_games(
    job: &PairJob,
    games: &[GameEntry],
    rules: &AdjudicationRules,
) -> Result<(), String> {
    let all = job.id.part.games();
    // A first game that is on record is not played again.
    let due = if job.first_game.is_some() && games.len() < all.len() { &all[1..] } else { all };
    if games.len() != due.len() {
        return Err(format!("{} games where {} were due", games.len(), due.len()));
    }
    if games.iter().any(|game| game.scale_ppm != games[0].scale_ppm) {
        return Err("the games of a pair have different time controls".to_owned());
    }
    let setup = GameSetup::new(&job.opening).map_err(|error| error.to_string())?;
    for (&number, game) in due.iter().zip(games) {
        check_game(job, number, game, &setup, rules)
            .map_err(|why| format!("game {}: {why}", number.number()))?;
    }
    Ok(())
}

fn check_game(
    job: &PairJob,
    number: GameOfPair,
    entry: &GameEntry,
    setup: &GameSetup,
    rules: &AdjudicationRules,
) -> Result<(), String> {
    if (entry.pair, entry.attempt, entry.game) != (job.id.index, job.id.attempt, number) {
        return Err("it belongs to another pair".to_owned());
    }
    let [white, black] = job.seats(number).map(|seat| &job.contestants[seat]);
    if [entry.white, entry.black] != [white.engine, black.engine] {
        return Err("the colours are wrong".to_owned());
    }
    if entry.opening != job.opening.index
        || entry.fen != job.opening.fen
        || entry.variant != job.opening.variant
        || entry.book != job.opening.moves.len()
    {
        return Err("it has another opening".to_owned());
    }
    let limits = [white.limits, black.limits];
    let record = entry.unpack(limits).map_err(|error| error.to_string())?;
    check_times(&record, limits.map(|limits| limits.scaled(entry.scale_ppm)))?;
    let ending = replay(&record, setup, rules)?;
    if possible(&record.ending, ending.as_ref(), setup, &record) {
        Ok(())
    } else {
        Err(format!(
            "it ends with {} ({}), but the board does not",
            record.ending.result, record.ending.termination
        ))
    }
}

/// Checks that no move took longer than its clock allowed.
fn check_times(record: &GameRecord, limits: [TimeControl; 2]) -> Result<(), String> {
    let mut clocks = limits.map(Clock::new);
    let mut mover = usize::from(record.start_fen.split(' ').nth(1) == Some("b"));
    for (at, ply) in record.moves.iter().enumerate() {
        if ply.source == MoveSource::Engine {
            let charged = clocks[mover].charge(Duration::from_micros(ply.time_us));
            if charged.is_err_and(|overrun| overrun.0 > ROUNDING) {
                return Err(format!("half-move {} took longer than its clock", at + 1));
            }
        }
        mover = 1 - mover;
    }
    Ok(())
}

/// Replays a game and returns how it ends by moves and scores alone.
fn replay(
    record: &GameRecord,
    setup: &GameSetup,
    rules: &AdjudicationRules,
) -> Result<Option<Ending>, String> {
    let mut referee = Referee::new(*setup.start(), rules.clone());
    let mut book = setup.book_moves();
    let mut ending = None;
    for (at, ply) in record.moves.iter().enumerate() {
        let style = setup.castling().style();
        let Ok(mv) = referee.position().parse_coordinate(ply.mv.as_str(), style) else {
            return Err(format!("half-move {} ({}) is not legal", at + 1, ply.mv.as_str()));
        };
        if ply.source == MoveSource::Book {
            if book.next() != Some(ply.mv) {
                return Err("it has another opening".to_owned());
            }
            referee.play_book_move(mv);
            continue;
        }
        if ending.is_some() || referee.verdict().is_some() {
            return Err(format!("half-move {} follows the end of the game", at + 1));
        }
        ending = match ply.source {
            MoveSource::EngineBook => {
                referee.play_book_move(mv);
                referee.verdict()
            }
            MoveSource::Engine | MoveSource::Book => referee.observe(mv, ply.score),
        };
    }
    if book.next().is_some() {
        return Err("it has another opening".to_owned());
    }
    Ok(ending.or_else(|| referee.verdict()))
}

/// Returns whether a game can have ended as stated, given how it ends by moves and scores alone.
fn possible(stated: &Ending, found: Option<&Ending>, setup: &GameSetup, record: &GameRecord) -> bool {
    let adjudicated = |ending: &Ending| {
        use Termination::{AdjudicatedDraw, AdjudicatedWin, MaxMoves};
        matches!(ending.termination, AdjudicatedDraw | AdjudicatedWin | MaxMoves)
    };
    if let Some(found) = found {
        // Endgame tables come before scores.
        return found == stated || (stated.termination == Termination::Tablebase && adjudicated(found));
    }
    let first_mover = setup.start().turn();
    let mover = if record.moves.len().is_multiple_of(2) { first_mover } else { !first_mover };
    let lost_by = |side: Color| stated.result == GameResult::win_of(!side);
    match &stated.termination {
        Termination::TimeForfeit { .. } | Termination::IllegalMove { .. } | Termination::Resignation => {
            lost_by(mover)
        }
        Termination::Crash { .. } | Termination::Stall { .. } | Termination::Protocol { .. } => {
            stated.result != GameResult::Draw
        }
        Termination::TimeForfeitWithoutMate { .. } | Termination::AgreedDraw => {
            stated.result == GameResult::Draw
        }
        Termination::Tablebase => true,
        _ => false,
    }
}
