//! Attack sets of all pieces, and lines between squares.

use crate::chess::sliders::{DEFAULT, Sliders};
use crate::chess::{Bitboard, Color, Square};

const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
static KING: [Bitboard; 64] = leaper(&KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

static BISHOP_REACH: [Bitboard; 64] = reach([1, 3, 5, 7]);
static ROOK_REACH: [Bitboard; 64] = reach([0, 2, 4, 6]);

/// Computes the attacks of a slider along these king steps on an empty board, for every square.
const fn reach(steps: [usize; 4]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 64 {
        let mut step = 0;
        while step < 4 {
            let (files, ranks) = KING_STEPS[steps[step]];
            table[from].0 |= walk(from, files, ranks);
            step += 1;
        }
        from += 1;
    }
    table
}

const fn leaper(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 64 {
        let mut step = 0;
        while step < steps.len() {
            let (file, rank) = ((from % 8) as i8 + steps[step].0, (from / 8) as i8 + steps[step].1);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[from].0 |= 1 << (rank * 8 + file);
            }
            step += 1;
        }
        from += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = LINES.0;
static LINE: [[Bitboard; 64]; 64] = LINES.1;

/// For each pair of squares, the squares strictly between them and the whole line through both.
const LINES: ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) = {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let ahead = walk(from, files, ranks);
            let whole = ahead | walk(from, -files, -ranks) | 1 << from;
            let mut left = ahead;
            let (mut file, mut rank) = ((from % 8) as i8 + files, (from / 8) as i8 + ranks);
            while left != 0 {
                let to = (rank * 8 + file) as usize;
                between[from][to] = Bitboard(ahead & !walk(to, files, ranks) & !(1 << to));
                line[from][to] = Bitboard(whole);
                left &= !(1 << to);
                file += files;
                rank += ranks;
            }
            direction += 1;
        }
        from += 1;
    }
    (between, line)
};

const fn walk(from: usize, files: i8, ranks: i8) -> u64 {
    let mut set = 0;
    let (mut file, mut rank) = ((from % 8) as i8 + files, (from / 8) as i8 + ranks);
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        set |= 1 << (rank * 8 + file);
        file += files;
        rank += ranks;
    }
    set
}

/// Returns the attacks of a knight.
#[inline(always)]
pub fn knight_attacks(from: Square) -> Bitboard {
    KNIGHT[from.index()]
}

/// Returns the attacks of a king.
#[inline(always)]
pub fn king_attacks(from: Square) -> Bitboard {
    KING[from.index()]
}

/// Returns the attacks of a pawn of `color`. These are also the squares from which a pawn of the other colour attacks
/// `from`.
#[inline(always)]
pub fn pawn_attacks(color: Color, from: Square) -> Bitboard {
    PAWN[color.index()][from.index()]
}

/// Returns the attacks of a bishop on an empty board.
#[inline(always)]
pub(in crate::chess) fn bishop_reach(from: Square) -> Bitboard {
    BISHOP_REACH[from.index()]
}

/// Returns the attacks of a rook on an empty board.
#[inline(always)]
pub(in crate::chess) fn rook_reach(from: Square) -> Bitboard {
    ROOK_REACH[from.index()]
}

/// Returns the attacks of a bishop, with `occupied` as blockers.
#[inline(always)]
pub fn bishop_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    DEFAULT.bishop(from, occupied)
}

/// Returns the attacks of a rook, with `occupied` as blockers.
#[inline(always)]
pub fn rook_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    DEFAULT.rook(from, occupied)
}

/// Returns the attacks of a queen, with `occupied` as blockers.
#[inline(always)]
pub fn queen_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(from, occupied) | rook_attacks(from, occupied)
}

/// Returns the squares strictly between two squares of one rank, file or diagonal; empty if they share none.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Returns the rank, file or diagonal through two different squares, from edge to edge; empty if they share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_and_line_are_nonempty_exactly_for_squares_on_a_queen_line() {
        for a in Square::all() {
            for b in Square::all() {
                let joined = a != b && queen_attacks(a, Bitboard::EMPTY).has(b);
                assert_eq!(line(a, b).any(), joined, "{a} {b}");
                if joined {
                    assert!(line(a, b).has(a) && line(a, b).has(b));
                    assert_eq!(between(a, b).len() + 1, u32::from(a.distance(b)), "{a} {b}");
                    assert!(between(a, b).without(line(a, b)).is_empty());
                    assert_eq!(queen_attacks(a, between(a, b)).has(b), between(a, b).is_empty());
                } else {
                    assert!(between(a, b).is_empty(), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn leapers_attack_the_known_squares() {
        let names = |set: Bitboard| set.map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(names(knight_attacks(Square::B1)), "d2 a3 c3");
        assert_eq!(names(king_attacks(Square::H1)), "g1 g2 h2");
        assert_eq!(names(pawn_attacks(Color::White, Square::A4)), "b5");
        assert_eq!(names(pawn_attacks(Color::Black, Square::E4)), "d3 f3");
        assert!(pawn_attacks(Color::White, Square::E8).is_empty());
    }
}
