//! Games without an engine: what a simulated worker reports.

use playself::fleet::PairJob;
use playself::game::{
    Ending, EngineIndex, GameOfPair, GameRecord, GameResult, MoveSource, MoveText, PlyRecord, Termination,
};
use playself::journal::GameEntry;

/// Returns whether Black moves first after the opening.
fn black_moves(job: &PairJob) -> bool {
    (job.opening.fen.split(' ').nth(1) == Some("b")) != (job.opening.moves.len() % 2 == 1)
}

/// Lets the first engine to move lose on time.
pub(crate) fn lose_on_time(job: &PairJob, game: &mut GameEntry) {
    let result = if black_moves(job) { GameResult::WhiteWins } else { GameResult::BlackWins };
    game.ending = Ending { result, termination: Termination::TimeForfeit { over_us: 1_000_000 } };
}

/// Lets the candidate do as well as a game without a move allows: only the engine to move can resign.
pub(crate) fn favour_the_candidate(job: &PairJob, game: &mut GameEntry) {
    let is_white = game.white == EngineIndex::CANDIDATE;
    let (result, termination) = match (is_white, black_moves(job)) {
        (true, true) => (GameResult::WhiteWins, Termination::Resignation),
        (false, false) => (GameResult::BlackWins, Termination::Resignation),
        _ => (GameResult::Draw, Termination::AgreedDraw),
    };
    game.ending = Ending { result, termination };
}

/// A game without a move of an engine: it is drawn by agreement or resigned, as the number of the pair decides.
pub(crate) fn made_up(job: &PairJob, game: GameOfPair) -> GameEntry {
    let [white, black] = job.seats(game).map(|seat| job.contestants[seat].engine);
    let ply = |text: &String| PlyRecord {
        mv: MoveText::new(text).unwrap_or_else(|| MoveText::new("a1a1").expect("four letters are a move")),
        source: MoveSource::Book,
        time_us: 0,
        clock_left_us: None,
        score: None,
        depth: None,
        seldepth: None,
        nodes: None,
        extra: None,
    };
    let black_moves = black_moves(job);
    let hash =
        job.id.index.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(u32::from(game.number()) * 7) >> 60;
    let ending = match hash {
        0..=9 => Ending { result: GameResult::Draw, termination: Termination::AgreedDraw },
        _ => Ending {
            result: if black_moves { GameResult::WhiteWins } else { GameResult::BlackWins },
            termination: Termination::Resignation,
        },
    };
    let record = GameRecord {
        white,
        black,
        opening: job.opening.index,
        start_fen: job.opening.fen.clone(),
        variant: job.opening.variant,
        moves: job.opening.moves.iter().map(ply).collect(),
        ending,
        started_unix_ms: 0,
        duration_ms: 0,
        warnings: Vec::new(),
    };
    GameEntry::pack(job.id.index, job.id.attempt, game, &record)
}
