//! Opening books: formats and compressions, errors at opening, and openings that depend on seed and pair only.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use playself::chess::Position;
use playself::opening::{Book, BookError, BookFormat, BookOptions, Description, Order, Variant};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const EPD: &str = "# three openings\r\n\
    rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"King's pawn\";\r\n\
    \r\n\
    rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\r\n\
    rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\r\n";
const PGN: &str = "[ECO \"C50\"]\n[Opening \"Italian\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *\n\n[ECO \"?\"]\n\n1. d4 d5 *\n";

struct BookFolder(TempDir);

impl BookFolder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder can be created"))
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).expect("a temporary file can be written");
        path
    }

    fn open(&self, name: &str, content: impl AsRef<[u8]>) -> Result<Book, BookError> {
        Book::open(&self.put(name, content), BookFormat::Guess, sequential())
    }
}

fn sequential() -> BookOptions {
    BookOptions { order: Order::Sequential, ..BookOptions::default() }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).expect("memory can be written");
        archive.write_all(text.as_bytes()).expect("memory can be written");
    }
    archive.finish().expect("memory can be written").into_inner()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

fn first_fens(book: &Book) -> Vec<String> {
    (0..book.len()).map(|pair| book.opening(pair).expect("an opened book can be read").fen).collect()
}

#[test]
fn an_epd_book_has_the_same_openings_in_every_compression() {
    let folder = BookFolder::new();
    let plain = folder.open("b.epd", EPD).unwrap();
    assert_eq!((plain.len(), plain.format(), plain.variant()), (3, BookFormat::Epd, Variant::Standard));
    assert_eq!(plain.opening(0).unwrap().label, "King's pawn");
    assert_eq!(plain.opening(1).unwrap().index, 1);
    assert_eq!(plain.opening(3).unwrap(), plain.opening(0).unwrap(), "the first opening follows the last");
    // Two concatenated frames or members are one text.
    let (head, tail) = EPD.split_at(200);
    let twice = |pack: fn(&[u8]) -> Vec<u8>| [pack(head.as_bytes()), pack(tail.as_bytes())].concat();
    for (name, content) in [
        ("b.epd.gz", gzip(EPD.as_bytes())),
        ("two.epd.gz", twice(gzip)),
        ("b.epd.zst", zstd(EPD.as_bytes())),
        ("two.epd.zst", twice(zstd)),
        ("b.epd.zip", zip(&[("readme.txt", "hello"), ("folder/b.epd", EPD)])),
        ("no_ending", EPD.as_bytes().to_vec()),
        ("marked.epd", [b"\xef\xbb\xbf", EPD.as_bytes()].concat()),
    ] {
        let packed = folder.open(name, content).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(first_fens(&packed), first_fens(&plain), "{name}");
    }
}

#[test]
fn a_pgn_book_returns_its_moves_up_to_the_limit() {
    let folder = BookFolder::new();
    let book = folder.open("b.pgn.zip", zip(&[("b.pgn", PGN)])).unwrap();
    let first = book.opening(0).unwrap();
    assert_eq!(first.moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1"]);
    assert_eq!((first.label.as_str(), book.opening(1).unwrap().label.as_str()), ("C50 Italian", ""));
    let path = folder.put("b.txt", PGN);
    let short = BookOptions { plies: Some(3), ..sequential() };
    let short = Book::open(&path, BookFormat::Guess, short).unwrap();
    assert_eq!(short.opening(0).unwrap().moves, ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(short.opening(1).unwrap().moves.len(), 2);
    assert_eq!(short.end_position(1).unwrap().0.fullmove_number(), 2);
}

#[test]
fn one_chess960_opening_makes_a_chess960_book() {
    let folder = BookFolder::new();
    let text = "r1k4r/8/8/8/8/8/8/R1K4R w HAha -\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    let book = folder.open("f.epd", text).unwrap();
    assert_eq!(book.opening(1).unwrap().variant, Variant::Chess960);
    let path = folder.put("g.pgn", "[FEN \"r1k4r/8/8/8/8/8/8/R1K4R w HAha - 0 1\"]\n\n1. O-O O-O-O *\n");
    let book = Book::open(&path, BookFormat::Guess, sequential()).unwrap();
    assert_eq!(book.opening(0).unwrap().moves, ["c1h1", "c8a8"]);
    let standard = BookOptions { variant: Some(Variant::Standard), ..sequential() };
    let message = Book::open(&path, BookFormat::Guess, standard).unwrap_err().to_string();
    assert!(
        message.ends_with("line 1: the opening requires Chess960, but standard chess was requested"),
        "{message}"
    );
}

#[test]
fn random_order_is_a_function_of_seed_and_pair_without_repetition() {
    let folder = BookFolder::new();
    let mut text = String::new();
    let start = Position::startpos();
    for &first in start.legal_moves().iter() {
        let after = start.play(first);
        for &second in after.legal_moves().iter() {
            text.push_str(&format!("{}\n", after.play(second).to_epd()));
        }
    }
    let path = folder.put("many.epd", text);
    let order = |seed| -> Vec<u64> {
        let options = BookOptions { seed, ..BookOptions::default() };
        let book = Book::open(&path, BookFormat::Guess, options).unwrap();
        assert_eq!(book.len(), 400);
        (0..400).map(|pair| book.opening(pair).unwrap().index).collect()
    };
    let (one, two) = (order(1), order(2));
    assert_eq!(one, order(1));
    assert_ne!(one, two);
    let mut sorted = one.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..400));
    let later = BookOptions { seed: 1, start: 11, ..BookOptions::default() };
    let later = Book::open(&path, BookFormat::Guess, later).unwrap();
    assert_eq!(later.opening(0).unwrap().index, one[10]);
    let beyond = BookOptions { start: 401, ..BookOptions::default() };
    let message = Book::open(&path, BookFormat::Guess, beyond).unwrap_err().to_string();
    assert!(message.ends_with("cannot start at opening 401: the book has openings 1 to 400"), "{message}");
}

#[test]
fn every_invalid_opening_is_reported_with_its_line_when_the_book_is_opened() {
    let folder = BookFolder::new();
    for (name, content, expected) in [
        ("a.epd", format!("{EPD}8/8/8/8/8/8/8/8 w - -\r\n"), "line 6: White has no king; Black has no king"),
        ("b.epd", format!("# x\nnonsense\n{EPD}more of it"), "2 openings cannot be used: line 2: expected"),
        ("c.epd", "k6r/8/8/8/8/5b2/4n1p1/7K w - -".to_owned(), "line 1: the opening ends in checkmate"),
        ("d.epd", "k6r/8/8/8/8/5n1b/7p/7K w - -".to_owned(), "line 1: the opening ends in stalemate"),
        ("e.epd", "x".repeat(100_000), "line 1: the line is longer than 16384 bytes"),
        ("f.epd", "\n# nothing\n".to_owned(), "contains no opening"),
        (
            "g.pgn",
            format!("{PGN}\n[A \"b\"]\n\n1. e4 e4 *\n"),
            "line 12: after 1 half-moves: `e4` is not legal here",
        ),
        ("h.pgn", "1. f3 e5 2. g4 Qh4# 0-1".to_owned(), "line 1: the opening ends in checkmate"),
        ("i.pgn", "1. e4 {open".to_owned(), "line 1: the comment that begins here has no closing }"),
    ] {
        let message = folder.open(name, content).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains(name), "{name}: {message}");
    }
    let missing = Book::open(&folder.0.path().join("none.epd"), BookFormat::Guess, sequential()).unwrap_err();
    assert!(matches!(missing, BookError::Unreadable { .. }));
    assert!(matches!(
        Book::open(folder.0.path(), BookFormat::Guess, sequential()),
        Err(BookError::Unreadable { .. })
    ));
}

/// Row 95 of `docs/faults.md`.
#[test]
fn damaged_ambiguous_and_oversized_archives_are_refused() {
    let folder = BookFolder::new();
    let mut cut = gzip(EPD.as_bytes());
    cut.truncate(cut.len() / 2);
    let mut cut_zstd = zstd(EPD.as_bytes());
    cut_zstd.truncate(cut_zstd.len() / 2);
    for (name, content) in [
        ("cut.epd.gz", cut),
        ("cut.epd.zst", cut_zstd),
        ("cut.epd.zip", zip(&[("b.epd", EPD)])[..100].to_vec()),
        ("two.zip", zip(&[("a.epd", EPD), ("b.epd", EPD)])),
        ("none.zip", zip(&[("a.txt", EPD)])),
    ] {
        let error = folder.open(name, content).unwrap_err();
        assert!(matches!(error, BookError::Packing { .. }), "{name}: {error}");
    }
    let zeros = vec![b' '; 40 << 20];
    for (name, bomb) in [
        ("bomb.epd.gz", gzip(&zeros)),
        ("bomb.epd.zst", zstd(&zeros)),
        ("bomb.zip", zip(&[("b.epd", &String::from_utf8_lossy(&zeros))])),
    ] {
        assert!(bomb.len() < 1 << 20, "{name} is {} bytes", bomb.len());
        let options = BookOptions { unpacked_limit: 32 << 20, ..sequential() };
        let error = Book::open(&folder.put(name, bomb), BookFormat::Guess, options).unwrap_err();
        assert!(matches!(error, BookError::TooBig { .. }), "{name}: {error}");
        assert!(error.to_string().contains("more than 32 MiB"), "{error}");
    }
}

#[test]
fn the_fingerprint_is_the_sha_256_of_the_file() {
    let folder = BookFolder::new();
    let book = folder.open("b.epd", "8/8/8/8/8/4k3/8/4K2R w - -\n").unwrap();
    // Computed with sha256sum.
    let expected = "d3450c1a8bfa1c38aaef5273acd4a817d087bef9122bb2539be9336183893694";
    assert_eq!(book.fingerprint().to_string(), expected);
    let other = folder.open("c.epd", "8/8/8/8/8/4k3/8/4K2R b - -\n").unwrap();
    assert_ne!(book.fingerprint(), other.fingerprint());
}

#[test]
fn row_244_a_book_that_is_written_to_while_in_use_keeps_its_openings() {
    let folder = BookFolder::new();
    let (book, other) = (folder.open("b.epd", EPD).unwrap(), folder.open("other.epd", EPD).unwrap());
    // In its place and with the same length, as an editor may write it.
    folder.put("b.epd", EPD.replace(" w ", " b "));
    for pair in 0..4 {
        assert_eq!(book.opening(pair).unwrap(), other.opening(pair).unwrap());
    }
    assert_eq!(book.fingerprint(), other.fingerprint());
}

#[test]
fn row_244_a_large_book_that_is_written_to_while_in_use_is_refused() {
    let folder = BookFolder::new();
    let comment = format!("#{}\n", "x".repeat(16_000));
    let text = comment.repeat((65 << 20) / comment.len()) + EPD;
    let book = folder.open("large.epd", &text).unwrap();
    assert!(book.opening(1).is_ok());
    folder.put("large.epd", text.replace(" w ", " b "));
    let message = book.opening(1).unwrap_err().to_string();
    assert!(message.contains("was changed while in use: opening 2: the file was written to"), "{message}");
}

#[test]
fn a_book_is_described_by_the_positions_that_engines_receive() {
    let folder = BookFolder::new();
    let twice = format!("{PGN}\n{PGN}\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 1\"]\n\n*\n");
    let described = Description::of(&folder.open("b.pgn", twice).unwrap()).unwrap();
    assert_eq!((described.openings, described.different), (5, 3));
    assert_eq!((described.white_to_move, described.black_to_move), (2, 3));
    assert_eq!((described.fewest_plies, described.most_plies), (0, 7));
    assert_eq!((described.format, described.variant), (BookFormat::Pgn, Variant::Standard));
}
