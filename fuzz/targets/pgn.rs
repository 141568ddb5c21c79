//! PGN files. A game that is read is written and read again without a difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::chess::PgnReader;

fuzz_target!(|bytes: &[u8]| {
    for game in PgnReader::new(bytes) {
        match game {
            Ok(game) => {
                let text = game.to_string();
                let again: Vec<_> = PgnReader::new(text.as_bytes()).collect();
                let same = matches!(again.as_slice(), [Ok(same)] if same.moves.len() == game.moves.len());
                assert!(same, "{text}");
            }
            Err(error) => assert!(error.line >= 1 && !error.to_string().is_empty()),
        }
    }
});
