//! Elementary endings are won against perfect defence, within the fifty-move rule.

use crate::endgame_tables::Table;
use playself::chess::{Color, GameLine, Outcome, PieceKind, Position};
use playself::engine::{Limits, Searcher, StopFlag, Unobserved};

/// Nodes per move of the engine.
const NODES: u64 = 8_000;
/// Nodes per move with bishop and knight, about 40 ms. Driving the king out of the wrong corner needs a deeper search
/// than 8,000 nodes, with which some of the longest wins run into the fifty-move rule.
const NODES_FOR_BISHOP_AND_KNIGHT: u64 = 40_000;

/// Returns the reply with the longest mate; a reply that is not lost in any table is preferred.
fn defend(position: &Position, tables: &[&Table]) -> playself::chess::Move {
    let lasts = |after: &Position| tables.iter().find_map(|table| table.plies_to_mate(after));
    let moves = position.legal_moves();
    *moves
        .iter()
        .max_by_key(|mv| lasts(&position.play(**mv)).map_or(u32::MAX, u32::from))
        .expect("the game is not over")
}

/// Plays the ending and returns the number of plies, or how it failed.
fn win(fen: &str, tables: &[&Table], nodes: u64) -> Result<usize, String> {
    let start = Position::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
    let mut game = GameLine::new(start);
    let mut attacker = Searcher::new(4);
    loop {
        match game.outcome() {
            Some(Outcome::Win { winner: Color::White, .. }) => return Ok(game.moves().len()),
            Some(other) => return Err(format!("{fen}: {other:?} after {:?}", game.moves())),
            None => {}
        }
        let mv = match game.current().turn() {
            Color::White => {
                let report = attacker.search(&game, &Limits::nodes(nodes), &StopFlag::new(), &mut Unobserved);
                report.best.ok_or("no move")?
            }
            Color::Black => defend(game.current(), tables),
        };
        game.push(mv);
    }
}

fn win_all(fens: &[String], tables: &[&Table], nodes: u64) {
    for fen in fens {
        let plies = win(fen, tables, nodes).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(plies <= 100, "{fen}: {plies} plies");
    }
}

#[test]
fn queen_and_rook_win_against_perfect_defence_from_the_longest_mates() {
    // Ten and sixteen moves are the published maxima of these endings.
    for (kind, longest) in [(PieceKind::Queen, 19), (PieceKind::Rook, 31)] {
        let table = Table::new(&[kind]);
        let hardest = table.longest(3);
        let first = Position::from_fen(&hardest[0]).unwrap();
        assert_eq!(table.plies_to_mate(&first), Some(longest), "{kind:?}");
        win_all(&hardest, &[&table], NODES);
    }
}

#[test]
fn a_pawn_promotes_and_mates_against_perfect_defence() {
    let table = Table::new(&[PieceKind::Queen]);
    let fens = [
        "8/8/3k4/8/3K4/3P4/8/8 b - - 0 1",
        "8/8/8/2k5/8/2K5/2P5/8 b - - 0 1",
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
        "8/1k6/8/1K6/1P6/8/8/8 b - - 0 1",
        "8/8/8/8/7P/4k3/8/6K1 w - - 0 1",
    ];
    win_all(&fens.map(str::to_owned), &[&table], NODES);
}

#[test]
#[ignore = "builds a table of eight million positions: `just endings`"]
fn bishop_and_knight_win_against_perfect_defence_from_the_longest_mates() {
    let table = Table::new(&[PieceKind::Bishop, PieceKind::Knight]);
    let hardest = table.longest(8);
    let first = Position::from_fen(&hardest[0]).unwrap();
    assert_eq!(table.plies_to_mate(&first), Some(65), "thirty-three moves at most");
    win_all(&hardest, &[&table], NODES_FOR_BISHOP_AND_KNIGHT);
}
