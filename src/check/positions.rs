//! Checks of positions: legal lines, variants, finished games and unusual texts.

use std::fmt::Write;
use std::time::Duration;

use crate::check::examination::{Broken, Examination, ms};
use crate::check::limits::{MIDDLEGAME, SEARCH};
use crate::check::report::{Grade, Judgement};
use crate::check::running::RunningEngine;
use crate::check::search::{Search, legal_move, position_of};
use crate::chess::{MoveStyle, Position};
use crate::protocol::uci::InfoScore;

/// Positions for the check of reports: opening, tactics, promotion, a mate near, an endgame.
const SAMPLES: [&str; 6] = [
    "position startpos moves e2e4 e7e5 g1f3",
    MIDDLEGAME,
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "position fen 8/P5k1/8/8/8/8/5K2/8 w - - 0 1",
    "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "position fen 8/8/4k3/8/2p5/8/1P1K4/8 w - - 0 1",
];

/// Scores beyond this are no centipawns.
const HIGHEST_SCORE: i32 = 32_767;

/// Lines are legal and begin with the best move, and scores are within bounds.
pub(super) fn variations(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let (mut lines, mut problems, mut differing) = (0, Vec::new(), 0);
        for command in SAMPLES {
            engine.send(&["ucinewgame"]).await?;
            engine.ready().await?;
            let search = engine.search(command, "go depth 7", SEARCH).await?;
            let Some(position) = position_of(command, MoveStyle::Standard) else { continue };
            let best = search.best.clone().unwrap_or_default();
            if legal_move(&position, &best, MoveStyle::Standard).is_none() {
                return Ok(Judgement::fail(format!("bestmove {best} is not legal after `{command}`")));
            }
            problems.extend(problems_of(&search, &position));
            lines += search.reports().filter(|info| info.pv.is_some()).count();
            differing += usize::from(search.expected().is_some_and(|expected| expected != best));
        }
        let text = format!("{lines} lines in {} positions", SAMPLES.len());
        Ok(match (problems.first(), differing) {
            (Some(problem), _) => Judgement::fail(format!("{problem}; {} of {text}", problems.len())),
            (None, _) if lines == 0 => Judgement::warn("it reports no lines"),
            (None, 0) => Judgement::pass(format!("{text} are legal and begin with the best move")),
            (None, count) => {
                Judgement::warn(format!("{text} are legal; {count} do not begin with the best move"))
            }
        })
    })
}

/// Returns what is wrong with the reports of a search.
fn problems_of(search: &Search, position: &Position) -> Vec<String> {
    let mut problems = Vec::new();
    for info in search.reports() {
        if let Some(InfoScore::Cp(cp)) = info.score
            && cp.abs() > HIGHEST_SCORE
        {
            problems.push(format!("a score of {cp} centipawns"));
        }
        let mut board = *position;
        for word in info.pv.unwrap_or_default() {
            let Some(mv) = legal_move(&board, word, MoveStyle::Standard) else {
                problems
                    .push(format!("the line `{}` has the illegal move {word}", info.pv.unwrap_or_default()));
                break;
            };
            board = board.play(mv);
        }
    }
    problems
}

/// A new game repeats the search, so that nothing of the game before is left.
pub(super) fn new_game(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut nodes = Vec::new();
        for _ in 0..3 {
            engine.send(&["ucinewgame"]).await?;
            engine.ready().await?;
            let search = engine.search(MIDDLEGAME, "go depth 7", SEARCH).await?;
            nodes.push(search.nodes());
        }
        // The first search may come after others in the same process.
        let [_, second, third] = nodes[..] else { return Ok(Judgement::skip("no nodes")) };
        Ok(match (second, third) {
            (Some(one), Some(other)) if one == other => {
                Judgement::pass(format!("{one} nodes to depth 7 every time"))
            }
            (Some(one), Some(other)) => {
                Judgement::warn(format!("{one}, then {other} nodes to depth 7: its games cannot be repeated"))
            }
            _ => Judgement::warn("it reports no nodes"),
        })
    })
}

/// Castling in Chess960 is the king capturing its rook, in both directions.
pub(super) fn chess960(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        if engine.option("UCI_Chess960").is_none() {
            return Ok(Judgement::skip("it does not declare the option UCI_Chess960"));
        }
        engine.send(&["setoption name UCI_Chess960 value true", "ucinewgame"]).await?;
        engine.ready().await?;
        let command =
            "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 moves e1f3 g8f8";
        let castled = "position fen 1r2k2r/8/8/8/8/8/8/R3K2R w HAhb - 0 1 moves e1h1";
        let castling = "position fen 1r2k2r/8/8/8/8/8/8/R3K2R b HAhb - 0 1";
        let mut judged = Judgement::pass("castling understood, moves legal");
        for (command, moves) in [(command, None), (castled, None), (castling, Some("e8h8"))] {
            let go =
                moves.map_or_else(|| "go depth 4".to_owned(), |mv| format!("go depth 4 searchmoves {mv}"));
            let Some(position) = position_of(command, MoveStyle::Chess960) else { continue };
            let search = engine.search(command, &go, SEARCH).await?;
            let best = search.best.unwrap_or_default();
            if legal_move(&position, &best, MoveStyle::Chess960).is_none() {
                judged = Judgement::fail(format!("bestmove {best} is not legal after `{command}`"));
                break;
            }
        }
        engine.send(&["setoption name UCI_Chess960 value false", "ucinewgame"]).await?;
        engine.ready().await?;
        Ok(judged)
    })
}

/// A game that is over is answered by `bestmove (none)` or `0000`, and at once.
pub(super) fn finished_games(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut answers = Vec::new();
        let mut named = false;
        for (name, command) in [
            ("mate", "position startpos moves f2f3 e7e5 g2g4 d8h4"),
            ("stalemate", "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        ] {
            for go in ["go depth 3", "go movetime 50"] {
                let search = engine.search(command, go, Duration::from_secs(3)).await?;
                let best = search.best.unwrap_or_default();
                named |= !best.is_empty();
                if go == "go depth 3" {
                    answers.push(format!("{name}: {}", if best.is_empty() { "no move" } else { &best }));
                }
            }
        }
        engine.ready().await?;
        let text = answers.join(", ");
        Ok(if named {
            Judgement::warn(format!("{text}; expected `bestmove (none)`"))
        } else {
            Judgement::pass(text)
        })
    })
}

/// Repetitions and the fifty-move rule leave it to the other side to end the game: a move is still expected.
pub(super) fn draws(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let repeated = "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let commands = [
            repeated,
            "position fen 8/5k2/8/8/8/3R4/4K3/8 w - - 98 120",
            "position fen 8/5k2/8/8/8/3R4/4K3/8 w - - 99 120 moves d3d4",
            "position fen 8/5k2/8/8/8/3R4/4K3/8 w - - 120 140",
            "position fen 8/5k2/8/8/8/3B4/4K3/8 w - - 0 1",
        ];
        legal_everywhere(engine, &commands, "go depth 5").await
    })
}

/// Unusual but legal positions and spellings are understood.
pub(super) fn unusual_fens(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let commands = [
            // An en passant square without a capture, and one with a pinned capturer.
            "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "position fen 8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            // Nine queens, two kings alone but for pawns, a position far into a game.
            "position fen 4k3/8/8/8/QQQQ4/QQQQ4/Q7/4K3 w - - 0 1",
            "position fen 4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
            "position fen 8/5k2/8/8/8/3R4/4K3/8 w - - 10 400",
            // A single legal move, and check from two pieces.
            "position fen 7k/8/8/8/8/8/r7/7K w - - 0 1",
            "position fen 4k3/8/8/8/4r3/8/3n4/4K3 w - - 0 1",
        ];
        legal_everywhere(engine, &commands, "go depth 5").await
    })
}

/// Any amount of white space separates words. No harness sends more than one space, so a miss does no harm.
pub(super) fn white_space(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let command = "position  fen  4k3/8/8/8/8/8/4P3/4K3  w  -  -  0  1  moves  e2e4";
        let judged = legal_everywhere(engine, &[command], " go  depth\t4 ").await?;
        Ok(if judged.grade == Grade::Pass {
            Judgement::pass("several spaces and tabulators are understood")
        } else {
            Judgement::warn(judged.detail)
        })
    })
}

/// A long game is understood.
pub(super) fn long_game(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut command = "position startpos moves".to_owned();
        let mut position = Position::startpos();
        let mut number: u64 = 1;
        for _ in 0..600 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(mv) = position.pick_legal_move(|count| (number >> 33) % count) else { break };
            let next = position.play(mv);
            if !next.has_legal_move() {
                break;
            }
            let _ = write!(command, " {}", position.coordinate(mv, MoveStyle::Standard));
            position = next;
        }
        let search = engine.search(&command, "go depth 3", SEARCH).await?;
        let best = search.best.clone().unwrap_or_default();
        let plies = command.split(' ').count() - 3;
        Ok(if legal_move(&position, &best, MoveStyle::Standard).is_some() {
            Judgement::pass(format!("{plies} half-moves, answered after {}", ms(search.took())))
        } else {
            Judgement::fail(format!("bestmove {best} is not legal after {plies} half-moves"))
        })
    })
}

/// Expects a legal move in every position.
async fn legal_everywhere(
    engine: &mut RunningEngine,
    commands: &[&str],
    go: &str,
) -> Result<Judgement, Broken> {
    let mut refused = Vec::new();
    for command in commands {
        let Some(position) = position_of(command, MoveStyle::Standard) else { continue };
        let search = engine.search(command, go, SEARCH).await?;
        let best = search.best.unwrap_or_default();
        if best.is_empty() {
            refused.push(format!("no move after `{command}`"));
        } else if legal_move(&position, &best, MoveStyle::Standard).is_none() {
            return Ok(Judgement::fail(format!("bestmove {best} is not legal after `{command}`")));
        }
    }
    Ok(match refused.first() {
        None => Judgement::pass(format!("legal moves in {} positions", commands.len())),
        Some(first) => Judgement::warn(format!("{first}; {} of {} positions", refused.len(), commands.len())),
    })
}
