//! PGN: accepted input, errors with their lines, and games that round-trip through the writer.

use std::io::{self, BufReader, Read};

use playself::chess::{PgnGame, PgnMove, PgnReader, PgnResult, Position};

fn read(text: &str) -> Vec<Result<PgnGame, String>> {
    PgnReader::new(text.as_bytes()).map(|game| game.map_err(|error| error.to_string())).collect()
}

fn only(text: &str) -> PgnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0).unwrap_or_else(|error| panic!("{error}"))
}

fn moves(game: &PgnGame) -> String {
    let mut position = game.start;
    let mut text = Vec::new();
    for PgnMove { mv, .. } in &game.moves {
        text.push(position.san(*mv));
        position = position.play(*mv);
    }
    text.join(" ")
}

#[test]
fn everything_around_the_moves_is_read_or_skipped() {
    let text = "\u{feff}% escaped line\r\n\
        some junk (with { things\r\n\
        [Event \"A \\\"quoted\\\" \\\\ name] with bracket\"]\r\n\
        [White \"M\u{fc}ller\"] [Black \"?\"]\r\n\
        \r\n\
        {before} 1.e4! $10 {first} {second} (1. d4 d5 (1... Nf6 {deep ) } 2. c4) -- ; hidden (\r\n\
        2. c4 1-0) 1... e5 2 . Nf3 ; to the end\r\n\
        %e4 e5\r\n\
        Nc6 ?! 3.Bb5 a6 4. Bxc6 dxc6 5. O-O\r\n\
        1/2-1/2\r\n";
    let game = only(text);
    assert_eq!(game.tag("Event"), Some("A \"quoted\" \\ name] with bracket"));
    assert_eq!(game.tag("White"), Some("Müller"));
    assert_eq!(moves(&game), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O");
    assert_eq!((game.comment.as_str(), game.moves[0].comment.as_str()), ("before", "first second"));
    assert_eq!(
        (game.moves[0].nags.as_slice(), game.moves[3].nags.as_slice()),
        ([1, 10].as_slice(), [6].as_slice())
    );
    assert_eq!(game.moves[2].comment, "to the end");
    assert_eq!(game.result, Some(PgnResult::Draw));
}

#[test]
fn games_are_separated_by_every_separator_that_files_use() {
    for (name, text, expected) in [
        ("usual", "[A \"1\"]\n\n1. e4 *\n\n[A \"2\"]\n\n1. d4 1-0\n", ["e4", "d4"]),
        ("no empty lines", "[A \"1\"]\n1. e4 *\n[A \"2\"]\n1. d4 1-0", ["e4", "d4"]),
        ("no results", "[A \"1\"]\n\n1. e4\n\n[A \"2\"]\n\n1. d4", ["e4", "d4"]),
        ("no tags", "1. e4 *\n\n1.d4 1-0\n", ["e4", "d4"]),
        ("no moves", "[A \"1\"]\n\n[A \"2\"]\n\n1. d4 *\n", ["", "d4"]),
        (
            "junk",
            "[A \"1\"]\n\n1. e4 *\n=== game 2 of 2 ===\n{aside}\n[A \"2\"]\n\n1. d4 *\nbye",
            ["e4", "d4"],
        ),
    ] {
        let games: Vec<String> = read(text)
            .iter()
            .map(|game| moves(game.as_ref().unwrap_or_else(|e| panic!("{name}: {e}"))))
            .collect();
        assert_eq!(games, expected, "{name}");
    }
    assert_eq!(only("[A \"1\"]\n\n1. e4").result, None, "the text breaks off");
    assert!(read("").is_empty() && read("\u{feff}").is_empty() && read("nothing here\n12 things").is_empty());
}

#[test]
fn a_game_may_start_from_any_position() {
    let game =
        only("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K2R b KQ - 3 40\"]\n\n40... Kd7 41. 0-0-0+ 1-0\n");
    assert_eq!(moves(&game), "Kd7 O-O-O+");
    assert_eq!(game.start.fullmove_number(), 40);
    let short = only("[FEN \"4k3/8/8/8/8/8/8/4K2R w K -\"]\n\n1. O-O *\n");
    assert_eq!(moves(&short), "O-O", "four fields are enough");
    assert_eq!(
        moves(&only("[FEN \"nonsense\"]\n[SetUp \"0\"]\n\n1. e4 *")),
        "e4",
        "SetUp 0 means that FEN is ignored"
    );
}

#[test]
fn errors_name_their_line_and_lose_one_game_only() {
    let good = "\n[A \"good\"]\n\n1. e4 e5 *\n";
    for (name, text, expected) in [
        (
            "illegal move",
            "[A \"1\"]\n\n1. e4\ne5 2. Ke3 Nf6\n3. d4 1-0\n",
            "line 4: after 2 half-moves: `Ke3` is not legal here",
        ),
        ("no such move", "[A \"1\"]\n\n1. e4 hello *\n", "line 3: after 1 half-moves: `hello` is not a move"),
        ("null move", "[A \"1\"]\n\n1. e4 --\n2. d4 *\n", "line 3: unexpected `--` among moves"),
        (
            "bad fen",
            "[A \"1\"]\n[FEN \"8/8 w - - 0 1\"]\n\n1. e4 *\n",
            "line 2: FEN tag: expected 8 ranks, got 2",
        ),
        ("bad fen, no moves", "[A \"1\"]\n[FEN \"8/8 w - - 0 1\"]\n\n", "line 2: FEN tag"),
        ("unclosed quote", "[A \"1]\n[B \"2\"]\n\n1. e4 *\n", "line 1: a tag must look like"),
        ("unclosed tag", "[A \"1\"\n[B \"2\"]\n\n1. e4 *\n", "line 1: a tag must look like"),
        ("a tag without a value", "[A \"1\"]\n[B]\n\n1. e4 *\n", "line 2: a tag must look like"),
        ("closing nothing", "[A \"1\"]\n\n1. e4 ) e5 *\n", "line 3: a ) has no matching ("),
        (
            "unclosed variation",
            "[A \"1\"]\n\n1. e4 (1. d4\n d5 (2. c4) 1-0\n",
            "line 3: the variation that begins here",
        ),
        ("annotation", "[A \"1\"]\n\n1. e4 $300 e5 *\n", "line 3: a $ must be followed"),
        ("marks", "[A \"1\"]\n\n1. e4!!! e5 *\n", "line 3: unexpected `e4!!!`"),
        ("comment like a tag", "[A \"1\"]\n\n1. e5 {\n[%clk 1:00]\n} 1-0\n", "line 3: after 0 half-moves"),
    ] {
        let games = read(&format!("{text}{good}"));
        assert_eq!(games.len(), 2, "{name}: {games:?}");
        let message = games[0].as_ref().unwrap_err();
        assert!(message.starts_with(expected), "{name}: {message}");
        assert_eq!(moves(games[1].as_ref().unwrap()), "e4 e5", "{name}");
    }
    let games = read("[A \"1\"]\n\n1. e4\n {never closed\n[A \"2\"]\n\n1. d4 *\n");
    assert_eq!(games.len(), 1);
    assert_eq!(games[0], Err("line 4: the comment that begins here has no closing }".to_owned()));
}

#[test]
fn endless_texts_are_cut_off_in_bounded_memory() {
    let long = 3_000_000;
    for (name, text, expected) in [
        ("tag", format!("[A \"{}\"]\n", "x".repeat(long)), "bytes in a tag"),
        ("name", format!("[{} \"1\"]\n", "x".repeat(long)), "a tag must look like"),
        ("word", format!("1. {}\n", "x".repeat(long)), "unexpected"),
        ("tags", (0..20_000).map(|n| format!("[T{n} \"1\"]\n")).collect(), "at most 1000 tags"),
        ("variations", format!("1. e4 {}", "(".repeat(long)), "nested variations"),
        ("comments", format!("1. e4 {}", "{many words} ".repeat(long / 10)), "bytes of comments"),
        ("annotations", format!("1. e4 {}", "$1 ".repeat(long / 10)), "annotations on one move"),
        ("moves", format!("1. Nf3 {}", "Nc6 Ng1 Nb8 Nf3 ".repeat(10_000)), "half-moves"),
    ] {
        let games = read(&text);
        let message = games[0].as_ref().unwrap_err();
        assert!(
            message.contains(expected) && message.len() < 300,
            "{name}: {}",
            &message[..message.len().min(300)]
        );
    }
    let numbers = format!("[A \"1\"]\n{} e4 *", "1. ".repeat(long));
    assert_eq!(moves(&only(&numbers)), "e4", "numbers are skipped without recursion");
    let comment = only(&format!("1. e4 {{{}}} *", "x".repeat(long)));
    assert_eq!(comment.moves[0].comment.len(), 64 * 1024, "the start of a comment is kept");
}

#[test]
fn a_read_error_is_returned_once_and_ends_the_iteration() {
    struct Breaks;
    impl Read for Breaks {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let mut reader = PgnReader::new(BufReader::new("[A \"1\"]\n\n1. e4 *\n".as_bytes().chain(Breaks)));
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "line 4: cannot read: the disk is gone");
    assert!(reader.next().is_none());
}

#[test]
fn a_game_is_read_again_from_its_reported_place() {
    let text = "junk\n[A \"1\"]\n\n1. e4 *\n\n[A \"2\"]\n\n1. d4 *\n1. c4 *\n";
    let mut reader = PgnReader::new(text.as_bytes());
    while let Some(game) = reader.next() {
        let place = reader.game_place();
        let rest = &text[place.offset as usize..];
        let mut again = PgnReader::starting_at(rest.as_bytes(), place);
        assert_eq!(again.next().unwrap().unwrap(), game.unwrap());
        assert_eq!(again.game_place(), place);
    }
}

#[test]
fn written_games_fit_80_columns_and_hold_hostile_texts() {
    let mut game = PgnGame::new(Position::startpos());
    game.set_tag("White", "Evil \"]\n[Result \"1-0\"]\\ \u{1b}[31mred\u{1b}[0m\u{7}");
    game.set_tag("Black", "x".repeat(10_000));
    game.set_tag("Termination", "normal");
    game.set_tag("bad name", "never written");
    let mut position = game.start;
    for (n, san) in ["e4", "e5", "Nf3", "Nc6"].into_iter().cycle().take(4).enumerate() {
        let mv = position.parse_san(san).unwrap();
        position = position.play(mv);
        let comment = format!("+0.{n}/12 {{odd}} {} %late \u{1b}[1m", "words ".repeat(20));
        game.moves.push(PgnMove { mv, nags: vec![2, 40], comment });
    }
    let text = game.to_string();
    assert!(text.lines().all(|line| line.len() < 160), "{text}");
    assert!(text.lines().filter(|line| !line.starts_with('[')).all(|line| line.len() < 87), "{text}");
    assert!(!text.contains('\u{1b}') && !text.lines().any(|line| line.starts_with('%')), "{text}");
    assert!(
        text.starts_with("[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"Evil")
    );
    let back = only(&text);
    assert_eq!(back.tag("White"), Some("Evil \"] [Result \"1-0\"]\\ red"));
    assert_eq!(back.tag("Black").map(str::len), Some(128));
    assert_eq!((back.tag("Result"), back.result), (Some("*"), Some(PgnResult::Unknown)));
    assert_eq!(back.tag("Termination"), Some("normal"));
    assert_eq!(moves(&back), "e4 e5 Nf3 Nc6");
    assert_eq!(back.moves[0].nags, [2, 40]);
    assert!(back.moves[1].comment.starts_with("+0.1/12 (odd) words words"), "{}", back.moves[1].comment);
    assert_eq!(back.to_string(), text, "a parsed game is written unchanged");
}

#[test]
fn move_numbers_are_written_where_readers_need_them() {
    let mut game = PgnGame::new(Position::from_fen("4k3/8/8/8/8/8/8/4K2R b K - 3 40").unwrap());
    let mut position = game.start;
    for (san, comment) in [("Kd7", ""), ("O-O", "safe"), ("Kd6", ""), ("Rf6+", "")] {
        let mv = position.parse_san(san).unwrap();
        game.moves.push(PgnMove { comment: comment.to_owned(), ..PgnMove::from(mv) });
        position = position.play(mv);
    }
    game.result = Some(PgnResult::WhiteWins);
    let text = game.to_string();
    assert!(text.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n"), "{text}");
    assert!(text.ends_with("\n\n40... Kd7 41. O-O {safe} 41... Kd6 42. Rf6+ 1-0\n\n"), "{text}");
}
