//! Books of engines in the Polyglot format. Whatever they contain, only legal moves come out.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::chess::Position;
use playself::opening::PolyglotBook;

fuzz_target!(|bytes: &[u8]| {
    let Ok(book) = PolyglotBook::parse(bytes) else { return };
    let mut position = Position::startpos();
    for ply in 0..16 {
        for (mv, _) in book.moves(&position) {
            assert!(position.is_legal(mv));
        }
        let Some(mv) = book.choose(&position, bytes.len() as u64, ply) else { return };
        position = position.play(mv);
    }
});
