//! The fuzz targets with the inputs of their seed corpora, among them everything that fuzzing has found.
//!
//! The targets are those of the folder `fuzz`; here a macro of the same name as that of libFuzzer makes a function of each.
//! `http` needs a build with `--cfg fuzzing`.

use std::collections::BTreeSet;
use std::fs;

/// Makes a function of a fuzz target.
#[macro_export]
macro_rules! fuzz_target {
    (|$bytes:ident: &[u8]| $body:block) => {
        pub(super) fn run($bytes: &[u8]) $body
    };
}

macro_rules! targets {
    ($($name:ident = $path:literal),* $(,)?) => {
        $(
            #[path = $path]
            #[allow(unused_attributes, unused_imports, reason = "a target is a crate of its own for libFuzzer")]
            mod $name;
        )*
        const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::run)),*];
    };
}

targets! {
    ace = "../../fuzz/targets/ace.rs",
    book = "../../fuzz/targets/book.rs",
    epd = "../../fuzz/targets/epd.rs",
    fen = "../../fuzz/targets/fen.rs",
    journal = "../../fuzz/targets/journal.rs",
    pgn = "../../fuzz/targets/pgn.rs",
    plan = "../../fuzz/targets/plan.rs",
    polyglot = "../../fuzz/targets/polyglot.rs",
    run_file = "../../fuzz/targets/run_file.rs",
    syzygy = "../../fuzz/targets/syzygy.rs",
    uci = "../../fuzz/targets/uci.rs",
    xboard = "../../fuzz/targets/xboard.rs",
}

#[test]
fn every_fuzz_target_accepts_its_seeds() {
    let stems = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect()
    };
    let tested: BTreeSet<String> =
        TARGETS.iter().map(|(name, _)| (*name).to_owned()).chain(["http".to_owned()]).collect();
    assert_eq!((stems("fuzz/targets"), stems("fuzz/corpus")), (tested.clone(), tested));
    for (name, target) in TARGETS {
        for seed in fs::read_dir(format!("fuzz/corpus/{name}")).unwrap() {
            target(&fs::read(seed.unwrap().path()).unwrap());
        }
    }
    remove_temporary_files();
}

/// Removes what the targets `book` and `syzygy` leave: they are made for a process that never ends by itself.
fn remove_temporary_files() {
    let process = std::process::id().to_string();
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix("playself-fuzz-") else { continue };
        if rest.split('-').any(|part| part == process) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}
