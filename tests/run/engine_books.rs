//! Books of engines, from which the harness plays for them.

use std::fs;

use crate::compat_lines::{command, finish as output_of, stdout};
use crate::polyglot::write_book;
use crate::run::{Bench, FAKE, Match, finish};

const LINES: [&str; 4] = [
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7",
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8",
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 f2f3 e8g8",
];

/// Returns the moves of each game of a PGN, with the word `book` after those of a book.
fn games(pgn: &str) -> Vec<Vec<String>> {
    let bodies = pgn.split("[Event ").skip(1).filter_map(|game| game.split_once("\n\n"));
    let words = |body: &str| -> Vec<String> {
        let text = body.replace('\n', " ");
        let moves = text.split('}').filter_map(|part| part.split_once('{'));
        let word = |(before, comment): (&str, &str)| {
            let mv = before.split_whitespace().next_back().unwrap_or_default();
            if comment == "book" { format!("{mv} book") } else { mv.to_owned() }
        };
        moves.map(word).collect()
    };
    bodies.map(|(_, body)| words(body)).collect()
}

fn from_book(game: &[String]) -> Vec<bool> {
    game.iter().map(|mv| mv.ends_with(" book")).collect()
}

#[test]
fn cutechess_plays_from_the_book_of_its_engines_up_to_its_depth() {
    let bench = Bench::new();
    write_book(&bench.path("b.bin"), &LINES);
    let rounds =
        ["-rounds", "6", "-games", "2", "-repeat", "-maxmoves", "8", "-srand", "7", "-bookmode", "disk"];
    let play = |pgn: &str, depth: &str| {
        // The first words are further keys of `-each`.
        let flags = [&["book=b.bin", depth], &rounds[..], &["-pgnout", pgn]].concat();
        let output = output_of(&mut command(&bench, "cutechess-cli", &flags));
        let text = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{text}");
        games(&fs::read_to_string(bench.path(pgn)).unwrap())
    };
    let played = play("a.pgn", "bookdepth=3");
    assert_eq!(played.len(), 12);
    for game in &played {
        let expected: Vec<bool> = (0..game.len()).map(|at| at < 6).collect();
        assert_eq!(from_book(game), expected, "{game:?}");
    }
    for pair in played.chunks(2) {
        assert_eq!(pair[0][..6], pair[1][..6], "an opening is repeated with colours reversed");
    }
    assert!(played.iter().any(|game| game[..6] != played[0][..6]), "moves are chosen at random");
    assert_eq!(play("b.pgn", "bookdepth=3"), played, "the seed decides");
}

#[test]
fn cutechess_refuses_a_damaged_book_and_a_wrong_depth() {
    let bench = Bench::new();
    write_book(&bench.path("b.bin"), &LINES);
    let mut bytes = fs::read(bench.path("b.bin")).unwrap();
    bytes.truncate(40);
    fs::write(bench.path("short.bin"), &bytes).unwrap();
    bytes.rotate_left(16);
    bytes.truncate(32);
    bytes[0] = 0xff;
    fs::write(bench.path("unsorted.bin"), &bytes).unwrap();
    for (key, part) in [
        (
            "book=short.bin",
            "short.bin: entries of a Polyglot book have 16 bytes, but the one at byte 32 has only 8",
        ),
        ("book=unsorted.bin", "unsorted.bin: it is not a Polyglot book: the key at byte 16 is smaller"),
        ("book=missing.bin", "missing.bin: cannot be read"),
        ("bookdepth=0", "Invalid book depth limit: \"0\""),
    ] {
        let output = output_of(&mut command(&bench, "cutechess-cli", &[key, "-rounds", "1"]));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{key}: {error}");
        assert!(error.contains(part), "{key}: {error}");
    }
}

#[test]
fn a_run_with_books_is_resumed_with_the_same_games_and_not_with_another_book() {
    let bench = Bench::new();
    write_book(&bench.path("b.bin"), &LINES);
    let config = bench.path("books.toml");
    let engine =
        |name: &str, more: &str| format!("[[engines]]\nengine = \"{FAKE}\"\nname = \"{name}\"\n{more}\n");
    let text = format!(
        "name = \"books\"\nseed = 5\n{}{}[games]\ndepth = 1\nmax_pairs = 8\nconcurrency = 1\nafter_book = \"count\"\n\
         [adjudicate]\nmax_moves = 10\n[pgn]\nstyle = \"cutechess\"\n",
        engine("new", "args = [\"--salt=1\"]\nbook = \"b.bin\"\nbook_depth = 4"),
        engine("old", "args = [\"--salt=2\"]\nbook = \"b.bin\"\nbook_depth = 2"),
    );
    fs::write(&config, text).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "{printed}");
    assert!(bench.read("run", "plan.toml").contains("b.bin"), "the book is a file of the plan");
    let whole = games(&bench.read("run", "games.pgn"));
    let used: Vec<Vec<bool>> = whole.iter().map(|game| from_book(game)).collect();
    for pair in used.chunks(2) {
        assert_eq!(pair[0][..6], [true, true, true, true, true, false], "its book is closed later");
        assert_eq!(pair[1][..5], [true, true, true, true, false]);
    }
    // The journal is cut in the middle, as if the run had been interrupted there.
    let path = bench.path("run/journal.ndjson");
    let journal = fs::read_to_string(&path).unwrap();
    let half: Vec<&str> = journal.lines().take(journal.lines().count() / 2).collect();
    fs::write(&path, half.join("\n") + "\n").unwrap();
    write_book(&bench.path("b.bin"), &["a2a4 a7a5", "h2h4 h7h5"]);
    let mut resume = std::process::Command::new(crate::run::PLAYSELF);
    resume.arg("resume").arg(bench.path("run")).current_dir(bench.folder.path());
    let (status, printed) = finish(&mut resume);
    assert_ne!(status, 0, "the copy of the book was removed with the last game: {printed}");
    assert!(printed.contains("b.bin has changed"), "{printed}");
    write_book(&bench.path("b.bin"), &LINES);
    let (status, printed) = finish(&mut resume);
    assert_eq!(status, 0, "{printed}");
    assert_eq!(games(&bench.read("run", "games.pgn")), whole);
    let mut verify = std::process::Command::new(crate::run::PLAYSELF);
    let (status, printed) = finish(verify.arg("verify").arg(bench.path("run")));
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn a_book_needs_an_engine_that_can_be_played_for() {
    let bench = Bench::new();
    write_book(&bench.path("b.bin"), &LINES);
    let config = bench.config("ace", &Match { pairs: 1, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap();
    for (more, part) in [
        (
            "protocol = \"ace\"\nbook = \"b.bin\"",
            "engine new uses the ACE protocol, in which no move can be made",
        ),
        ("book_depth = 3", "engine new: `book_depth` without a `book`"),
    ] {
        fs::write(&config, text.replacen("name = \"new\"", &format!("name = \"new\"\n{more}"), 1)).unwrap();
        let (status, printed) = finish(&mut bench.start(&config, "run"));
        assert_eq!(status, 2, "{printed}");
        assert!(printed.contains(part), "{printed}");
    }
}
