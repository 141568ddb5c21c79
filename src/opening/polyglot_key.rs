//! Keys of positions in books of the Polyglot format.

use crate::chess::{CastlingSide, Color, Position};

/// The numbers of the format: 12 × 64 of pieces on squares, 4 of castling rights, 8 of files of en passant, 1 of the side to
/// move. They are constants that all programs share.
static NUMBERS: [u64; 781] = read_numbers(include_bytes!("polyglot_numbers.txt"));

const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

/// Reads words of sixteen hexadecimal digits, each followed by one white space.
const fn read_numbers(text: &[u8]) -> [u64; 781] {
    assert!(text.len() == 781 * 17);
    let mut numbers = [0; 781];
    let mut at = 0;
    while at < text.len() {
        if at % 17 < 16 {
            let digit = match text[at] {
                digit @ b'0'..=b'9' => digit - b'0',
                digit @ b'a'..=b'f' => digit - b'a' + 10,
                _ => panic!("not a hexadecimal digit"),
            };
            numbers[at / 17] = numbers[at / 17] << 4 | digit as u64;
        }
        at += 1;
    }
    numbers
}

/// Returns the key of a position. Castling rights count by their side, whatever the squares of king and rook, and en passant
/// counts only where it is legal.
pub fn polyglot_key(position: &Position) -> u64 {
    let mut key = if position.turn() == Color::White { NUMBERS[WHITE_TO_MOVE] } else { 0 };
    for square in position.occupied() {
        if let Some(piece) = position.piece_at(square) {
            let kind = 2 * piece.kind.index() + usize::from(piece.color == Color::White);
            key ^= NUMBERS[64 * kind + square.index()];
        }
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if position.castling().has(color, side) {
                key ^= NUMBERS[CASTLING + 2 * color.index() + side.index()];
            }
        }
    }
    key ^ position.ep_square().map_or(0, |square| NUMBERS[EN_PASSANT + usize::from(square.file())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::MoveStyle;

    /// The keys that the description of the format publishes.
    #[test]
    fn the_published_keys_are_reproduced() {
        for (moves, key) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut position = Position::startpos();
            for mv in moves.split_whitespace() {
                position = position.play(position.parse_coordinate(mv, MoveStyle::Standard).unwrap());
            }
            assert_eq!(polyglot_key(&position), key, "{moves}");
        }
    }
}
