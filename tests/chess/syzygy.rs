//! Endgame tables against retrograde analysis, against themselves, and with damage.
//!
//! The tables of three men are in `tests/chess/data/syzygy`. Tests of larger ones use the folder in the environment
//! variable `PLAYSELF_TABLES`, or `../shared/tables` if there is one, and are skipped otherwise.
//! `PLAYSELF_DAMAGED_TABLES` sets the number of damaged files. `PLAYSELF_TABLE_DUMP` names a file to which the test of four
//! men writes its positions with value and distance, to compare them with another reader.
#![expect(clippy::print_stderr, reason = "skipped tests and counts are reported")]

use std::fs;
use std::path::{Path, PathBuf};

use playself::chess::{Color, Piece, PieceKind, Position, Setup};
use playself::stats::Random;
use playself::syzygy::{Damage, ProbeError, Tablebases, Wdl, checksum};

use crate::retrograde::{self, Ending, Value};

const THREE_MEN: &str = "tests/chess/data/syzygy";

fn tables(folder: &Path) -> Tablebases {
    let (tables, problems) = Tablebases::open(&[folder]);
    assert!(problems.is_empty(), "{problems:?}");
    tables
}

/// The folder with tables of four men, or a message that there is none.
fn larger_tables() -> Option<PathBuf> {
    let named = std::env::var_os("PLAYSELF_TABLES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| PathBuf::from("../shared/tables"));
    let found = folder.join("KQvKR.rtbw").exists();
    if !found {
        eprintln!("skipped: no tables of four men in {}; set PLAYSELF_TABLES", folder.display());
    }
    found.then_some(folder)
}

/// The pieces of a table by its name, White's first.
fn men(name: &str) -> Vec<Piece> {
    let (white, black) = name.split_once('v').unwrap();
    let side = |color, text: &str| -> Vec<Piece> {
        text.chars().map(|letter| Piece::new(color, PieceKind::from_letter(letter).unwrap())).collect()
    };
    [side(Color::White, white), side(Color::Black, black)].concat()
}

/// A random legal position with these men, in either assignment of colours.
fn random_position(random: &mut Random, men: &[Piece]) -> Position {
    loop {
        let bits = random.bits();
        let swap = bits & 2 != 0;
        let turn = if bits & 1 == 0 { Color::White } else { Color::Black };
        let mut setup = Setup { turn, ..Setup::EMPTY };
        for man in men {
            let color = if swap { !man.color } else { man.color };
            setup.board[random.bits() as usize % 64] = Some(Piece::new(color, man.kind));
        }
        let count = setup.board.iter().flatten().count();
        if count == men.len()
            && let Ok(position) = Position::from_setup(&setup)
        {
            return position;
        }
    }
}

fn compare(ending: &Ending, tables: &Tablebases) -> usize {
    let mut compared = 0;
    for (number, &value) in ending.values().iter().enumerate() {
        let Some(position) = retrograde::position(number, ending.kind) else { continue };
        let (expected, plies) = match value {
            Value::Impossible => panic!("{position:?} has no value"),
            Value::Draw => (Wdl::Draw, 0),
            Value::Win(plies) => (Wdl::Win, i32::from(plies)),
            Value::Loss(plies) => (Wdl::Loss, -i32::from(plies.max(1))),
        };
        assert_eq!(tables.probe_wdl(&position), Ok(expected), "{}", position.to_fen());
        let found = tables.probe_dtz(&position).unwrap().0;
        // Tables that count moves may state one ply too few.
        let exact = found == plies || found + found.signum() == plies;
        assert!(exact, "{}: {found} instead of {plies}", position.to_fen());
        compared += 1;
    }
    compared
}

#[test]
fn every_position_of_king_and_queen_has_the_value_of_retrograde_analysis() {
    let compared = compare(&Ending::new(PieceKind::Queen, &[]), &tables(Path::new(THREE_MEN)));
    assert!(compared > 150_000, "{compared} positions");
}

#[test]
#[ignore = "takes more than a minute: just three-men"]
fn every_position_of_three_men_has_the_value_of_retrograde_analysis() {
    let tables = tables(Path::new(THREE_MEN));
    let solve = |kind| Ending::new(kind, &[]);
    let pieces: Vec<Ending> = std::thread::scope(|scope| {
        let threads = PieceKind::PROMOTIONS.map(|kind| scope.spawn(move || solve(kind)));
        threads.map(|thread| thread.join().unwrap()).into_iter().collect()
    });
    let pawn = Ending::new(PieceKind::Pawn, &pieces);
    let all: Vec<&Ending> = pieces.iter().chain([&pawn]).collect();
    let compared: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = all.iter().map(|ending| scope.spawn(|| compare(ending, &tables))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(compared > 900_000, "{compared} positions");
    eprintln!("{compared} positions of three men agree");
}

#[test]
fn positions_without_a_table_have_no_value() {
    let tables = tables(Path::new(THREE_MEN));
    let wdl = |fen: &str| tables.probe_wdl(&Position::from_fen(fen).unwrap());
    assert_eq!(wdl("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), Err(ProbeError::Castling));
    assert_eq!(wdl("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Ok(Wdl::Win));
    assert_eq!(wdl("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Ok(Wdl::Draw), "two kings need no table");
    assert_eq!(wdl("4k3/8/8/8/8/8/8/3RK2R w - - 0 1"), Err(ProbeError::TooManyMen(4)));
    let (none, problems) = Tablebases::open(&["/no/such/folder"]);
    assert_eq!((none.max_men(), problems.len()), (0, 1));
    assert_eq!(
        none.probe_wdl(&Position::from_fen("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap()),
        Err(ProbeError::TooManyMen(3))
    );
}

#[test]
fn a_win_that_the_clock_leaves_in_doubt_is_not_a_win() {
    let tables = tables(Path::new(THREE_MEN));
    // Mate in 16 moves at best from here: 31 plies.
    let with_clock = |clock: u32| {
        let fen = format!("8/8/8/3k4/8/8/8/K6R w - - {clock} 90");
        tables.probe_with_clock(&Position::from_fen(&fen).unwrap()).unwrap()
    };
    let distance = tables.probe_dtz(&Position::from_fen("8/8/8/3k4/8/8/8/K6R w - - 0 1").unwrap()).unwrap().0;
    assert!((20..40).contains(&distance), "{distance}");
    let last = 100 - distance as u32 - 1;
    assert_eq!([0, last, last + 1, 99].map(with_clock), [Wdl::Win, Wdl::Win, Wdl::CursedWin, Wdl::CursedWin]);
}

#[test]
fn best_moves_win_every_won_position_of_three_men() {
    let tables = tables(Path::new(THREE_MEN));
    let mut random = Random::new(1);
    for name in ["KQvK", "KRvK", "KPvK"] {
        for _ in 0..40 {
            let mut position = random_position(&mut random, &men(name));
            let won = tables.probe_wdl(&position).unwrap() == Wdl::Win;
            for plies in 0.. {
                assert!(plies < 300, "{name}: no end");
                let Some(best) = tables.best_moves(&position).unwrap().first().copied() else { break };
                if won && plies == 0 {
                    assert_eq!(best.wdl, Wdl::Win, "{}", position.to_fen());
                }
                position = position.play(best.mv);
                if !won || position.occupied().len() == 2 {
                    break;
                }
            }
            assert!(
                !won || position.in_check() && !position.has_legal_move(),
                "{name}: {}",
                position.to_fen()
            );
        }
    }
}

/// The value of a position from the values after its moves.
fn by_moves(tables: &Tablebases, position: &Position) -> Option<Wdl> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return Some(if position.in_check() { Wdl::Loss } else { Wdl::Draw });
    }
    moves.iter().map(|&mv| tables.probe_wdl(&position.play(mv)).ok().map(|wdl| -wdl)).max().flatten()
}

#[test]
fn tables_of_four_men_agree_with_themselves_one_move_later() {
    let Some(folder) = larger_tables() else { return };
    let tables = tables(&folder);
    assert_eq!(tables.check(4), []);
    let mut random = Random::new(2);
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".rtbz")?.to_owned()))
        .collect();
    assert!(names.len() >= 35, "{} tables", names.len());
    let mut dump = String::new();
    for name in names {
        let men = men(&name);
        for _ in 0..100 {
            let position = random_position(&mut random, &men);
            let wdl = tables.probe_wdl(&position);
            assert_eq!(wdl.clone().ok(), by_moves(&tables, &position), "{name}: {}", position.to_fen());
            let dtz = tables.probe_dtz(&position).unwrap();
            assert_eq!(Ok(dtz.with_clock(0)), wdl, "{name}: {} {dtz:?}", position.to_fen());
            progress(&tables, &position, dtz.0);
            dump += &format!("{};{:?};{}\n", position.to_fen(), dtz.with_clock(0), dtz.0);
        }
    }
    if let Some(path) = std::env::var_os("PLAYSELF_TABLE_DUMP") {
        fs::write(path, dump).unwrap();
    }
}

/// A win comes nearer with the best move: by one ply, or two where the table counts moves.
fn progress(tables: &Tablebases, position: &Position, dtz: i32) {
    let best = tables.best_moves(position).unwrap();
    let Some(best) = best.first().filter(|_| dtz > 0) else { return };
    assert_eq!(best.wdl, Wdl::Win, "{}", position.to_fen());
    assert!(best.dtz.0 <= dtz + 1, "{}: {dtz} becomes {best:?}", position.to_fen());
}

#[test]
fn en_passant_decides_where_the_tables_ignore_it() {
    let Some(folder) = larger_tables() else { return };
    let tables = tables(&folder);
    let mut random = Random::new(3);
    let men = men("KPvKP");
    let mut seen = 0;
    while seen < 300 {
        let before = random_position(&mut random, &men);
        for &mv in before.legal_moves().iter() {
            let position = before.play(mv);
            if position.ep_square().is_some() {
                seen += 1;
                let expected = by_moves(&tables, &position);
                assert_eq!(tables.probe_wdl(&position).ok(), expected, "{}", position.to_fen());
                let dtz = tables.probe_dtz(&position).unwrap();
                assert_eq!(Some(dtz.with_clock(0)), expected, "{}", position.to_fen());
            }
        }
    }
}

/// Damages the bytes of a table in one of several ways.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    let len = bytes.len();
    let mut place = |limit: usize| random.bits() as usize % limit;
    match place(7) {
        0 => bytes.truncate(place(len)),
        1 => bytes.truncate(len - 64 * (place(len / 64) + 1).min(len / 64)),
        2 => {
            let at = place(len);
            bytes[at] ^= 1 << place(8);
        }
        3 => {
            // The header, where one byte decides about all others.
            let at = place(len.min(128));
            bytes[at] = place(256) as u8;
        }
        4 => {
            let (at, count) = (place(len), place(64));
            bytes[at..len.min(at + count)].fill(place(256) as u8);
        }
        5 => {
            for _ in 0..=place(20) {
                let at = place(len);
                bytes[at] = place(256) as u8;
            }
        }
        _ => {
            let (from, to) = (place(len), place(len));
            let count = place(200).min(len - from.max(to));
            bytes.copy_within(from..from + count, to);
        }
    }
}

/// Damages each of the tables in turn. A file that is still accepted must give right answers, unless its checksum was
/// made right on purpose: then any answer or error will do.
fn mistreat(folder: &Path, names: &[&str], rounds: u64) {
    let whole = tables(folder);
    let scratch = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|suffix| suffix == "rtbw" || suffix == "rtbz") {
            fs::copy(&path, scratch.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let (mut refused, mut answered) = (0, 0);
    for round in 0..rounds {
        let mut random = Random::of_item(17, round);
        let name = names[random.bits() as usize % names.len()];
        let suffix = if random.bits().is_multiple_of(2) { "rtbw" } else { "rtbz" };
        let file = format!("{name}.{suffix}");
        let good = fs::read(folder.join(&file)).unwrap();
        let mut bad = good.clone();
        damage(&mut random, &mut bad);
        let forged = round % 2 == 1 && bad.len() % 64 == 16 && bad.len() > 16;
        if forged {
            let end = bad.len() - 16;
            let sum = checksum(&bad[..end]).unwrap();
            bad[end..].copy_from_slice(&sum);
        }
        fs::write(scratch.path().join(&file), &bad).unwrap();
        let (tables, _) = Tablebases::open(&[scratch.path()]);
        for _ in 0..12 {
            let position = random_position(&mut random, &men(name));
            let wdl = tables.probe_wdl(&position);
            let dtz = tables.probe_dtz(&position);
            if !forged || bad == good {
                let right = |ok: bool| assert!(ok, "round {round}: {file}: {}", position.to_fen());
                right(wdl.is_err() || wdl == whole.probe_wdl(&position));
                right(dtz.is_err() || dtz == whole.probe_dtz(&position));
            }
            if wdl.is_ok() && dtz.is_ok() { answered += 1 } else { refused += 1 }
        }
        fs::write(scratch.path().join(&file), &good).unwrap();
    }
    eprintln!("{rounds} damaged files: {refused} positions refused, {answered} answered");
}

fn rounds(default: u64) -> u64 {
    std::env::var("PLAYSELF_DAMAGED_TABLES").map_or(default, |text| text.parse().unwrap())
}

#[test]
fn damaged_tables_never_give_a_wrong_answer_or_a_crash() {
    mistreat(Path::new(THREE_MEN), &["KQvK", "KRvK", "KBvK", "KPvK"], rounds(400));
}

#[test]
fn damaged_tables_of_four_men_never_give_a_wrong_answer_or_a_crash() {
    let Some(folder) = larger_tables() else { return };
    let names = ["KPvKP", "KRvKR", "KNNvK", "KQPvK", "KRRvK", "KBvKP", "KQvKQ", "KPPvK"];
    mistreat(&folder, &names, rounds(60));
}

#[test]
fn what_is_wrong_with_a_table_is_stated() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| scratch.path().join(name);
    let good = fs::read(Path::new(THREE_MEN).join("KQvK.rtbw")).unwrap();
    let mut changed = good.clone();
    changed[100] ^= 1;
    fs::write(file("KQvK.rtbw"), &changed).unwrap();
    fs::write(file("KRvK.rtbw"), &good[..good.len() - 5]).unwrap();
    fs::write(file("KBvK.rtbw"), &good).unwrap();
    fs::write(file("notes.txt"), "not a table").unwrap();
    fs::create_dir(file("KPvK.rtbw")).unwrap();
    let (tables, problems) = Tablebases::open(&[scratch.path()]);
    let lengths: Vec<_> = problems.iter().map(|problem| problem.damage.clone()).collect();
    assert!(lengths.contains(&Damage::Length(good.len() as u64 - 5)), "{problems:?}");
    let found = tables.check(7);
    let of = |name: &str| found.iter().find(|problem| problem.path.ends_with(name)).map(|p| p.damage.clone());
    assert_eq!(of("KQvK.rtbw"), Some(Damage::Checksum));
    assert!(matches!(of("KBvK.rtbw"), Some(Damage::Structure(_))), "a table under another name: {found:?}");
    let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2Q w - - 0 1").unwrap();
    let error = tables.probe_wdl(&position).unwrap_err().to_string();
    assert!(error.contains("KQvK.rtbw") && error.contains("checksum"), "{error}");
}
