//! The engine always plays a legal move: thousands of fast games, checked by another library.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::machine;
use playself::chess::{GameLine, MoveStyle, Position};
use playself::engine::{Limits, Searcher, StopFlag, Unobserved};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// Number of games of each kind; `LEGALITY_GAMES` overrides it.
fn games() -> u32 {
    std::env::var("LEGALITY_GAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(1000)
}

/// So few nodes that most searches are stopped in the middle of an iteration, where mistakes are likely.
const NODES: u64 = 24;
/// Random plies at the start, so that no two games are the same.
const RANDOM_PLIES: usize = 6;
/// Maximum length of a game in plies.
const LONGEST: usize = 160;

/// Generator seeded by the number of a game, so that a failing game can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The back rank of a Chess960 start position: bishops on both colours, the king between the rooks.
fn back_rank(dice: &mut Dice) -> String {
    let mut rank = [' '; 8];
    rank[2 * dice.below(4)] = 'b';
    rank[2 * dice.below(4) + 1] = 'b';
    for man in ['q', 'n', 'n'] {
        let free: Vec<usize> = (0..8).filter(|&file| rank[file] == ' ').collect();
        rank[free[dice.below(free.len())]] = man;
    }
    let mut rest = "rkr".chars();
    rank.iter_mut()
        .filter(|man| **man == ' ')
        .for_each(|man| *man = rest.next().expect("three squares are left"));
    rank.iter().collect()
}

fn start(mode: CastlingMode, dice: &mut Dice) -> String {
    let rank = match mode {
        CastlingMode::Standard => "rnbqkbnr".to_owned(),
        CastlingMode::Chess960 => back_rank(dice),
    };
    format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", rank.to_ascii_uppercase())
}

/// Plays one game and returns the first mistake as an error.
fn play(searcher: &mut Searcher, mode: CastlingMode, number: u32) -> Result<(), String> {
    let mut dice = Dice(u64::from(number) * 2 + 1);
    let fen = start(mode, &mut dice);
    let mut referee: Chess = fen
        .parse::<Fen>()
        .expect("the FEN is valid")
        .into_position(mode)
        .expect("the start position is legal");
    let mut line = GameLine::new(Position::from_fen(&fen).expect("the start position is legal"));
    let style = match mode {
        CastlingMode::Standard => MoveStyle::Standard,
        CastlingMode::Chess960 => MoveStyle::Chess960,
    };
    searcher.new_game();
    for ply in 0..LONGEST {
        let position = *line.current();
        let wrong = |what: String| format!("game {number} from {fen}, {}: {what}", position.to_fen());
        if position.has_legal_move() == referee.legal_moves().is_empty() {
            return Err(wrong("the referee has other legal moves".into()));
        }
        if line.outcome().is_some() {
            return Ok(());
        }
        let mv = if ply < RANDOM_PLIES {
            let moves = position.legal_moves();
            moves[dice.below(moves.len())]
        } else {
            let report = searcher.search(&line, &Limits::nodes(NODES), &StopFlag::new(), &mut Unobserved);
            report.best.ok_or_else(|| wrong("no move was returned".into()))?
        };
        let text = position.coordinate(mv, style);
        let judged = text.parse::<UciMove>().map_err(|error| wrong(format!("{text}: {error}")))?;
        let judged = judged.to_move(&referee).map_err(|error| wrong(format!("{text}: {error}")))?;
        referee = referee.play(judged).map_err(|error| wrong(format!("{text}: {error}")))?;
        line.push(mv);
        let theirs = Fen::from_position(&referee, EnPassantMode::Legal).to_string();
        if theirs.split(' ').next() != line.current().to_fen().split(' ').next() {
            return Err(wrong(format!("after {text} the referee has {theirs}")));
        }
    }
    Ok(())
}

fn all_games(mode: CastlingMode) {
    let _machine = machine::reserve();
    let next = AtomicU32::new(0);
    let total = games();
    let mistakes: Vec<String> = thread::scope(|scope| {
        let tables: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut searcher = Searcher::new(1);
                    let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
                    let games = numbers.take_while(|&number| number < total);
                    games.filter_map(|number| play(&mut searcher, mode, number).err()).collect::<Vec<_>>()
                })
            })
            .collect();
        tables.into_iter().flat_map(|table| table.join().expect("mistakes are collected")).collect()
    });
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn a_thousand_standard_games_are_legal_throughout() {
    all_games(CastlingMode::Standard);
}

#[test]
fn a_thousand_chess960_games_are_legal_throughout() {
    all_games(CastlingMode::Chess960);
}
