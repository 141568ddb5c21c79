//! Zobrist hashing: random words whose exclusive or is the key of a position.

use crate::chess::{Color, Piece, Square};

struct Words {
    pieces: [[u64; 64]; 12],
    castling: [[u64; 8]; 2],
    en_passant: [u64; 8],
    black_to_move: u64,
}

/// Words from Vigna's SplitMix64 with a fixed seed, so that keys are the same on every machine and in every run.
static WORDS: Words = {
    let mut words =
        Words { pieces: [[0; 64]; 12], castling: [[0; 8]; 2], en_passant: [0; 8], black_to_move: 0 };
    let mut state = 0x5eed_c4e5;
    let mut piece = 0;
    while piece < 12 {
        let mut square = 0;
        while square < 64 {
            (state, words.pieces[piece][square]) = splitmix(state);
            square += 1;
        }
        piece += 1;
    }
    let mut file = 0;
    while file < 8 {
        (state, words.castling[0][file]) = splitmix(state);
        (state, words.castling[1][file]) = splitmix(state);
        (state, words.en_passant[file]) = splitmix(state);
        file += 1;
    }
    words.black_to_move = splitmix(state).1;
    words
};

const fn splitmix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, word ^ word >> 31)
}

/// Returns the word of a piece on a square.
#[inline(always)]
pub(in crate::chess) fn piece(piece: Piece, square: Square) -> u64 {
    WORDS.pieces[piece.code() as usize][square.index()]
}

/// Returns the word of the right to castle with the rook on this square.
pub(in crate::chess) fn castling(color: Color, rook: Square) -> u64 {
    WORDS.castling[color.index()][rook.file() as usize]
}

/// Returns the word of a legal en-passant capture on `target`.
#[inline(always)]
pub(in crate::chess) fn en_passant(target: Square) -> u64 {
    WORDS.en_passant[target.file() as usize]
}

/// Returns the word of Black to move.
#[inline(always)]
pub(in crate::chess) fn black_to_move() -> u64 {
    WORDS.black_to_move
}
