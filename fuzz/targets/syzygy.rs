//! Endgame tables whose checksum is right, whatever else is wrong with them.
//!
//! An input has the number of the material in its first byte, the length of the table of values in the next two, then
//! that table and the one of distances, both without their checksums.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use playself::chess::Position;
use playself::syzygy::{Tablebases, checksum};

/// Tables that are not damaged: captures lead to them, and distances need the table of values.
const WHOLE: [(&str, &[u8]); 5] = [
    ("KPvK.rtbw", include_bytes!("../../tests/chess/data/syzygy/KPvK.rtbw")),
    ("KQvK.rtbw", include_bytes!("../../tests/chess/data/syzygy/KQvK.rtbw")),
    ("KRvK.rtbw", include_bytes!("../../tests/chess/data/syzygy/KRvK.rtbw")),
    ("KBvK.rtbw", include_bytes!("../../tests/chess/data/syzygy/KBvK.rtbw")),
    ("KNvK.rtbw", include_bytes!("../../tests/chess/data/syzygy/KNvK.rtbw")),
];

/// Folders of the tables of an input and of those that are whole.
static FOLDERS: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let folders = ["fuzzed", "whole"]
        .map(|kind| std::env::temp_dir().join(format!("playself-fuzz-syzygy-{}-{kind}", std::process::id())));
    for folder in &folders {
        std::fs::create_dir(folder).expect("a temporary folder can be made");
    }
    for (name, bytes) in WHOLE {
        std::fs::write(folders[1].join(name), bytes).expect("a table can be written");
    }
    folders
});

const MATERIALS: [(&str, &[&str]); 8] = [
    (
        "KPvK",
        &[
            "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1",
            "8/1P6/8/8/8/8/k7/7K b - - 7 1",
            "8/2K5/k7/8/8/8/p7/8 b - - 0 1",
        ],
    ),
    (
        "KQvK",
        &[
            "8/8/8/8/8/2k5/4Q3/4K3 w - - 0 1",
            "8/8/8/3q4/8/2k5/8/K7 w - - 0 1",
            "8/8/8/3Q4/4k3/8/8/K7 b - - 3 1",
        ],
    ),
    (
        "KRvK",
        &["8/8/8/3k4/8/8/8/K6R w - - 0 1", "8/8/8/3k4/8/8/r7/K7 w - - 0 1", "R7/8/8/3k4/8/8/8/K7 b - - 9 1"],
    ),
    ("KNvK", &["8/8/8/3k4/8/8/8/K6N w - - 0 1", "8/8/8/3k4/8/8/n7/K7 b - - 0 1"]),
    (
        "KQvKR",
        &[
            "8/8/8/3k4/7r/8/8/K3Q3 w - - 0 1",
            "8/8/8/3k4/7r/8/8/K3Q3 b - - 0 1",
            "8/8/8/3K4/7R/8/8/k3q3 w - - 0 1",
        ],
    ),
    (
        "KPvKP",
        &[
            "8/8/8/3k4/4p3/8/3P4/K7 w - - 0 1",
            "8/8/8/3k4/3Pp3/8/8/K7 b - d3 0 1",
            "8/8/8/3k4/8/8/p6P/K7 w - - 4 1",
        ],
    ),
    ("KNNvK", &["8/8/8/3k4/8/2N5/8/K3N3 w - - 0 1", "8/8/8/3k4/8/2n5/8/K3n3 w - - 0 1"]),
    ("KRPPvKBP", &["8/p7/8/3k4/7b/8/P6P/K3R3 w - - 0 1", "8/p7/8/3k4/7b/8/PP6/K3R3 b - - 0 1"]),
];

fuzz_target!(|bytes: &[u8]| {
    let &[number, low, high, ref contents @ ..] = bytes else { return };
    let (name, positions) = MATERIALS[usize::from(number) % MATERIALS.len()];
    let (values, distances) =
        contents.split_at(usize::from(u16::from_le_bytes([low, high])).min(contents.len()));
    let files = [(format!("{name}.rtbw"), values), (format!("{name}.rtbz"), distances)]
        .map(|(name, contents)| (FOLDERS[0].join(name), contents));
    for (path, contents) in &files {
        if contents.is_empty() {
            continue;
        }
        let mut table = contents.to_vec();
        table.resize(contents.len().next_multiple_of(64), 0);
        table.extend(checksum(&table).expect("a small table has a checksum"));
        std::fs::write(path, table).expect("a table can be written");
    }
    let (tables, problems) = Tablebases::open(FOLDERS.as_slice());
    assert!(problems.is_empty(), "{problems:?}");
    let _ = tables.check(7);
    for fen in positions {
        let position = Position::from_fen(fen).expect("the positions are legal");
        let _ = (tables.probe_wdl(&position), tables.probe_dtz(&position));
        let _ = (tables.probe_with_clock(&position), tables.best_moves(&position));
    }
    for (path, _) in &files {
        let _ = std::fs::remove_file(path);
    }
});
