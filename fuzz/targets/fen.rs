//! FEN, SAN and coordinate moves. What is read is legal, and survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::chess::{MoveStyle, PackedPosition, Position};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let position = match Position::from_fen(lines.next().unwrap_or_default()) {
        Ok(read) => {
            assert_eq!(Position::from_fen(&read.to_fen()), Ok(read));
            assert_eq!(PackedPosition::pack(&read).unpack(), Ok(read));
            for &mv in read.legal_moves().iter() {
                let after = read.play(mv);
                assert_eq!(Position::from_fen(&after.to_fen()), Ok(after));
            }
            read
        }
        Err(_) => Position::startpos(),
    };
    for word in lines.flat_map(|line| line.split(' ')).take(64) {
        for read in [
            position.parse_san(word),
            position.parse_coordinate(word, MoveStyle::Standard),
            position.parse_coordinate(word, MoveStyle::Chess960),
        ] {
            assert!(read.is_err() || read.is_ok_and(|mv| position.is_legal(mv)), "{word}");
        }
    }
    let mut record = [0; PackedPosition::BYTES];
    for (to, from) in record.iter_mut().zip(bytes) {
        *to = *from;
    }
    let _ = PackedPosition::from_bytes(&record).unpack();
});
