//! Numbering of piece placements: the symmetries of the board and the tables of the leading pieces.
//!
//! A table numbers its positions by groups of men. The first group is placed up to symmetry: without pawns, its first
//! square lies in the triangle a1-d1-d4; with pawns, on the files a to d. Each other group is a combination of the
//! squares that the groups before it left free.

/// A square, 0 for a1 to 63 for h8.
pub(super) type SquareIndex = u8;

/// Placements of two kings that are not adjacent, up to symmetry.
pub(super) const KING_PAIRS: u64 = 462;
/// Placements of three different pieces up to symmetry.
pub(super) const PIECE_TRIPLES: u64 = 31_332;
/// The largest group is of five men: seven without the kings.
const MAX_GROUP: usize = 5;

/// Returns how often `k` men fit on `n` squares.
pub(super) fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |ways, step| ways * n.saturating_sub(step) / (step + 1))
}

/// Returns how far a square lies above the diagonal a1-h8; negative below it.
pub(super) const fn above_diagonal(square: SquareIndex) -> i8 {
    rank(square) as i8 - file(square) as i8
}

pub(super) const fn file(square: SquareIndex) -> u8 {
    square & 7
}

pub(super) const fn rank(square: SquareIndex) -> u8 {
    square >> 3
}

/// Mirrors a square at the diagonal a1-h8.
pub(super) const fn flip_diagonal(square: SquareIndex) -> SquareIndex {
    (square >> 3 | square << 3) & 63
}

/// The squares of the triangle a1-d1-d4, those below the diagonal first; other squares are not used.
const TRIANGLE: [u8; 64] = {
    let mut numbers = [0; 64];
    let (mut below, mut on, mut square) = (0, 6, 0);
    while square < 64 {
        if file(square) < 4 && above_diagonal(square) < 0 {
            numbers[square as usize] = below;
            below += 1;
        } else if file(square) < 4 && above_diagonal(square) == 0 {
            numbers[square as usize] = on;
            on += 1;
        }
        square += 1;
    }
    numbers
};

/// The 28 squares below the diagonal; other squares are not used.
const BELOW: [u8; 64] = {
    let mut numbers = [0; 64];
    let (mut next, mut square) = (0, 0);
    while square < 64 {
        if above_diagonal(square) < 0 {
            numbers[square as usize] = next;
            next += 1;
        }
        square += 1;
    }
    numbers
};

/// No placement.
const NONE: u16 = u16::MAX;

/// Pairs of kings by the place of the first in the triangle and the square of the second. Pairs with both kings on the
/// diagonal come last.
static KINGS: [[u16; 64]; 10] = {
    let mut numbers = [[NONE; 64]; 10];
    let mut next = 0;
    let mut pass = 0;
    while pass < 2 {
        let mut place = 0;
        while place < 10 {
            let first = triangle_square(place);
            let mut second = 0;
            while second < 64 {
                let on_diagonal = above_diagonal(first) == 0 && above_diagonal(second) == 0;
                let mirrored = above_diagonal(first) == 0 && above_diagonal(second) > 0;
                if !touch(first, second) && !mirrored && on_diagonal == (pass == 1) {
                    numbers[place as usize][second as usize] = next;
                    next += 1;
                }
                second += 1;
            }
            place += 1;
        }
        pass += 1;
    }
    numbers
};

/// Returns the square with this number in the triangle.
const fn triangle_square(number: u8) -> SquareIndex {
    let mut square = 0;
    while square < 63 {
        let inside = file(square) < 4 && above_diagonal(square) <= 0;
        if inside && TRIANGLE[square as usize] == number {
            return square;
        }
        square += 1;
    }
    square
}

const fn touch(a: SquareIndex, b: SquareIndex) -> bool {
    file(a).abs_diff(file(b)) <= 1 && rank(a).abs_diff(rank(b)) <= 1
}

/// Maps a placement without pawns so that its first square lies in the triangle, and the first square off the diagonal
/// among the first `leading` ones below it.
pub(super) fn into_triangle(squares: &mut [SquareIndex], leading: usize) {
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    if rank(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 56);
    }
    let off = squares[..leading].iter().map(|&square| above_diagonal(square)).find(|&height| height != 0);
    if off.is_some_and(|height| height > 0) {
        squares.iter_mut().for_each(|square| *square = flip_diagonal(*square));
    }
}

/// Returns the number of a pair of kings, or `None` if they are adjacent.
pub(super) fn king_pair(first: SquareIndex, second: SquareIndex) -> Option<u64> {
    let number = KINGS[usize::from(TRIANGLE[usize::from(first)])][usize::from(second)];
    (number != NONE).then_some(u64::from(number))
}

/// Returns the number of a placement of three different pieces.
pub(super) fn piece_triple(squares: [SquareIndex; 3]) -> u64 {
    let [a, b, c] = squares;
    let triangle = u64::from(TRIANGLE[usize::from(a)]);
    let below = |square: SquareIndex| u64::from(BELOW[usize::from(square)]);
    let on = |square: SquareIndex| u64::from(rank(square));
    // Squares are counted without the ones that are taken already.
    let skip_b = u64::from(b > a);
    let skip_c = u64::from(c > a) + u64::from(c > b);
    if above_diagonal(a) != 0 {
        (triangle * 63 + u64::from(b) - skip_b) * 62 + u64::from(c) - skip_c
    } else if above_diagonal(b) != 0 {
        6 * 63 * 62 + (on(a) * 28 + below(b)) * 62 + u64::from(c) - skip_c
    } else if above_diagonal(c) != 0 {
        6 * 63 * 62 + 4 * 28 * 62 + (on(a) * 7 + on(b) - skip_b) * 28 + below(c)
    } else {
        6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + (on(a) * 7 + on(b) - skip_b) * 6 + on(c) - skip_c
    }
}

/// Returns how far from the centre a pawn stands: 47 for a2, then h2, a3, h3 and so on to 0 for e7. The leading pawn of
/// a group is the one with the highest number.
pub(super) fn pawn_number(square: SquareIndex) -> u64 {
    let edge = file(square).min(7 - file(square));
    let pairs_before = 6 * u64::from(edge) + u64::from(rank(square)) - 1;
    47 - 2 * pairs_before - u64::from(file(square) > 3)
}

/// The leading pawns of one file: how many placements there are, and where those of each rank begin.
#[derive(Clone, Debug)]
pub(super) struct LeadingPawns {
    starts: [u64; 6],
    pub(super) placements: u64,
}

impl LeadingPawns {
    /// Returns the numbering for `count` pawns whose first is on this file, 0 for the file a.
    pub(super) fn new(count: usize, file: u8) -> Option<Self> {
        if !(1..=MAX_GROUP).contains(&count) {
            return None;
        }
        let (mut starts, mut placements) = ([0; 6], 0);
        for (place, start) in starts.iter_mut().enumerate() {
            *start = placements;
            let square = (place as u8 + 1) * 8 + file;
            placements += binomial(pawn_number(square), count as u64 - 1);
        }
        Some(Self { starts, placements })
    }

    /// Returns the number of a placement whose first pawn is the leading one; sorts the others.
    pub(super) fn number(&self, pawns: &mut [SquareIndex]) -> u64 {
        let Some((first, others)) = pawns.split_first_mut() else { return 0 };
        others.sort_unstable_by_key(|&pawn| pawn_number(pawn));
        let start = self.starts.get(usize::from(rank(*first)).wrapping_sub(1)).copied().unwrap_or(0);
        others
            .iter()
            .enumerate()
            .fold(start, |number, (place, &pawn)| number + binomial(pawn_number(pawn), place as u64 + 1))
    }
}

/// Returns the number of a combination of squares among those that `taken` leaves free; sorts it. `below` squares at
/// the start of the board are never used.
pub(super) fn combination(taken: &[SquareIndex], group: &mut [SquareIndex], below: u8) -> u64 {
    group.sort_unstable();
    group.iter().enumerate().fold(0, |number, (place, &square)| {
        let skip = taken.iter().filter(|&&other| other < square).count() as u64;
        let free = u64::from(square).saturating_sub(skip + u64::from(below));
        number + binomial(free, place as u64 + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_placements_are_numbered_without_gaps() {
        let kings = KINGS.iter().flatten().filter(|&&number| number != NONE).count();
        assert_eq!(kings as u64, KING_PAIRS);
        let mut seen = vec![false; PIECE_TRIPLES as usize];
        for a in 0..64 {
            for b in 0..64 {
                for c in 0..64 {
                    if a != b && a != c && b != c {
                        let mut squares = [a, b, c];
                        into_triangle(&mut squares, 3);
                        seen[piece_triple(squares) as usize] = true;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    fn pawns_are_numbered_from_the_edge() {
        // The squares a2, h2, a3, b2, d7 and e7.
        let numbers = [8, 15, 16, 9, 51, 52].map(pawn_number);
        assert_eq!(numbers, [47, 46, 45, 35, 1, 0]);
        assert_eq!(
            [(64, 0), (64, 2), (48, 3), (3, 5), (0, 0)].map(|(n, k)| binomial(n, k)),
            [1, 2016, 17_296, 0, 1]
        );
    }
}
