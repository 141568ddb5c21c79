//! Books of openings: EPD and PGN, plain, as gzip, zstd and zip. Every opening of a book that is accepted can be read.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use playself::opening::{Book, BookFormat, BookOptions};

static PATH: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("playself-fuzz-book-{}", std::process::id())));

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(PATH.as_path(), bytes).expect("a temporary file can be written");
    let options = BookOptions { unpacked_limit: 1 << 20, ..BookOptions::default() };
    match Book::open(&PATH, BookFormat::Guess, options) {
        Ok(book) => {
            for pair in 0..book.len().min(64) {
                assert!(book.opening(pair).is_ok());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
