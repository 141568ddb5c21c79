//! `chess` as a process: moves in, moves out, and the result as its exit status.

use crate::console::Program;
use playself::chess::{Color, GameLine, Position};
use playself::protocol::ace::{ClaimedResult, Line};

fn chess(arguments: &[&str]) -> Program {
    Program::start(env!("CARGO_BIN_EXE_chess"), arguments)
}

/// Sends `input` to a game and returns its output lines, its exit status and its standard error.
fn played(arguments: &[&str], input: &str) -> (Vec<String>, Option<i32>, String) {
    let mut game = chess(arguments);
    game.send(input.as_bytes());
    let (lines, status, notes) = game.finish();
    (lines, status.code(), notes)
}

#[test]
fn the_exit_status_is_the_result() {
    let (lines, status, notes) = played(&[], "f2f3\ne7e5\ng2g4\nd8h4\n");
    assert_eq!((lines.len(), status), (0, Some(1)), "{notes}");
    assert!(notes.contains("Black won"), "{notes}");
    let (lines, status, notes) = played(&[], "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7\n");
    assert_eq!((lines.len(), status), (0, Some(2)), "{notes}");
    let stalemate = ["--starting", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"];
    assert_eq!(played(&stalemate, "g6f7\n").1, Some(0));
    let repetition = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let (_, status, notes) = played(&[], repetition);
    assert_eq!(status, Some(0));
    assert!(notes.contains("threefold"), "{notes}");
}

#[test]
fn leaving_a_game_exits_with_the_status_of_a_draw() {
    for input in ["", "exit\n", "e2e4\nexit\n", "e2e4", "\0\n"] {
        assert_eq!(played(&[], input).1, Some(0), "{input:?}");
    }
}

#[test]
fn the_engine_mates_for_either_side_and_prints_only_its_moves() {
    let white = "--starting=6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let (lines, status, _) = played(&["--white=computer", "--black=human", "--nodes", "2000", white], "");
    assert_eq!((lines, status), (vec!["a1a8".to_owned()], Some(2)));
    let black = "--starting=r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1";
    let (lines, status, _) = played(&["-w", "h", "-b", "c", "--depth", "4", black], "");
    assert_eq!((lines, status), (vec!["a8a1".to_owned()], Some(1)));
    let forced = "--starting=4k3/8/8/8/8/8/r7/1r4K1 w - - 0 1";
    assert_eq!(played(&["-w", "engine", forced], "").1, Some(1), "mated before the first move");
}

#[test]
fn an_invalid_move_is_refused_and_the_next_line_is_read() {
    let input = "e2e5\nNf3\nhello\nundo\ne2e4\ne7e8Q\nexit\n";
    let (lines, status, notes) = played(&[], input);
    assert_eq!((lines.len(), status), (0, Some(0)));
    assert_eq!(notes.matches("Invalid move!").count(), 5, "{notes}");
}

#[test]
fn castling_and_promotion_are_accepted_in_every_spelling() {
    for castle in ["e1g1Ch1", "e1g1", "O-O", "e1g1ch1"] {
        let start = "--starting=4k3/P7/8/8/8/8/8/4K2R w K - 0 1";
        let (_, status, notes) = played(&[start], &format!("{castle} e8e7 a7a8q e7d7\nexit\n"));
        assert_eq!(status, Some(0), "{castle}");
        assert!(!notes.contains("Invalid"), "{castle}: {notes}");
    }
}

#[test]
fn the_board_goes_to_standard_error_always_unless_it_is_switched_off() {
    let (lines, _, notes) = played(&[], "e2e4\nexit\n");
    assert!(lines.is_empty());
    assert_eq!(notes.matches("a   b   c").count(), 2, "before every move of a side that is read: {notes}");
    assert!(notes.contains("[♙]") && !notes.contains('\x1b'), "plain text into a pipe: {notes}");
    let (_, _, notes) = played(&["--board", "off"], "e2e4\nexit\n");
    assert_eq!(notes, "");
    let mate = "--starting=6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let (lines, status, notes) = played(&["--white=computer", "--nodes", "2000", mate], "");
    assert_eq!((lines, status), (vec!["a1a8".to_owned()], Some(2)));
    assert!(notes.contains("[♖]"), "the final position is shown: {notes}");
}

#[test]
fn a_promotion_is_printed_with_a_capital_letter() {
    let start = "--starting=7k/P5pp/8/8/8/8/8/K7 w - - 0 1";
    let (lines, status, _) = played(&["--white=c", "--nodes", "500", start], "");
    assert_eq!((lines, status), (vec!["a7a8Q".to_owned()], Some(2)));
}

#[test]
fn an_invalid_call_never_exits_with_the_status_of_a_result() {
    for arguments in [
        &["--starting", "nonsense"][..],
        &["--white=neither"],
        &["--set", "no_such=1"],
        &["--weights", "/no/such"],
    ] {
        let (lines, status, notes) = played(arguments, "");
        assert!(lines.is_empty() && !notes.is_empty(), "{arguments:?}");
        assert_eq!(status.and_then(ClaimedResult::from_status), None, "{arguments:?}: {notes}");
    }
}

/// Two processes that play one side each; this test passes the moves between them and checks the rules.
fn duel(start: &str, seed: &str) -> (GameLine, [Option<i32>; 2]) {
    let starting = format!("--starting={start}");
    let limits = ["--nodes", "150", "--hash", "1", "--seed", seed, starting.as_str()];
    let mut sides = [["--white=computer", "--black=human"], ["--white=human", "--black=computer"]]
        .map(|roles| chess(&[&roles[..], &limits[..]].concat()));
    let mut line = GameLine::new(Position::from_fen(start).expect("a legal start"));
    while line.outcome().is_none() {
        let mover = line.current().turn();
        let text = sides[mover.index()].line().expect("the side to move prints a move");
        assert!(matches!(Line::parse(&text), Line::Move(_)), "{text}");
        let mv = line.current().parse_ace(&text).expect("the move is legal");
        assert_eq!(line.current().ace(mv), text, "the move is written as in the protocol");
        line.push(mv);
        sides[(!mover).index()].send_line(&text);
    }
    let statuses = sides.map(|side| {
        let (rest, status, notes) = side.finish();
        assert!(rest.is_empty(), "no output after the end: {rest:?}");
        assert!(!notes.contains("Invalid"), "{notes}");
        status.code()
    });
    (line, statuses)
}

#[test]
fn two_processes_play_whole_games_and_agree_on_the_result() {
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let shuffled = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1";
    let lopsided = "4k3/8/8/8/8/rr6/8/4K3 b - - 0 1";
    let mut castled = 0;
    for (start, seed) in [(standard, "1"), (standard, "2"), (shuffled, "3"), (lopsided, "4")] {
        let (line, statuses) = duel(start, seed);
        castled += line.moves().iter().filter(|mv| mv.is_castling()).count();
        let outcome = line.outcome().expect("the game is over");
        let expected = outcome.winner().map_or(0, |winner| if winner == Color::White { 2 } else { 1 });
        assert_eq!(statuses, [Some(expected); 2], "{outcome:?}");
    }
    assert!(castled > 0, "at least one game has castling");
}

#[test]
fn playself_engine_runs_the_same_engine() {
    let playself = env!("CARGO_BIN_EXE_playself");
    let mate = "--starting=6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let game = Program::start(playself, &["engine", "ace", "--white=computer", "--nodes", "2000", mate]);
    let (lines, status, _) = game.finish();
    assert_eq!((lines, status.code()), (vec!["a1a8".to_owned()], Some(2)));
    let mut engine = Program::start(playself, &["engine", "uci"]);
    engine.send_line("uci");
    engine.until("uciok");
    engine.send_line("go depth 2");
    engine.until("bestmove");
    engine.send_line("quit");
    assert!(engine.finish().1.success());
}
