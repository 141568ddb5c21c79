//! Compares every technique with plain rays for all squares and all blocker sets.

use super::rays::DIRECTIONS;
use super::{AboveBelow, Magic, Pext, Sliders};
use crate::chess::{Bitboard, Square};

/// Walks each direction square by square up to the first blocker.
fn walk(from: Square, directions: &[usize], occupied: u64) -> u64 {
    let mut set = 0;
    for &direction in directions {
        let (files, ranks) = DIRECTIONS[direction];
        let (mut file, mut rank) = (from.file() as i8 + files, from.rank() as i8 + ranks);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let bit = 1 << (rank * 8 + file);
            set |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += files;
            rank += ranks;
        }
    }
    set
}

const ROOK: [usize; 4] = [0, 1, 4, 5];
const BISHOP: [usize; 4] = [2, 3, 6, 7];

/// Checks every subset of the squares attacked on an empty board, with all other squares empty and occupied.
fn assert_agrees_with_plain_rays(sliders: impl Sliders) {
    let mut cases = 0;
    for from in Square::all() {
        for (directions, is_rook) in [(ROOK, true), (BISHOP, false)] {
            let reach = walk(from, &directions, 0);
            let mut subset = 0u64;
            loop {
                for occupied in [subset, subset | !reach] {
                    let found = if is_rook {
                        sliders.rook(from, Bitboard(occupied))
                    } else {
                        sliders.bishop(from, Bitboard(occupied))
                    };
                    assert_eq!(found.0, walk(from, &directions, occupied), "{from} {occupied:#x}");
                    cases += 1;
                }
                subset = subset.wrapping_sub(reach) & reach;
                if subset == 0 {
                    break;
                }
            }
        }
    }
    assert_eq!(cases, 2 * (64 * (1 << 14) + bishop_subsets()), "every subset was visited");
}

fn bishop_subsets() -> usize {
    Square::all().map(|from| 1 << walk(from, &BISHOP, 0).count_ones()).sum()
}

#[test]
fn above_below_rays_agree_with_plain_rays_everywhere() {
    assert_agrees_with_plain_rays(AboveBelow);
}

#[test]
fn magic_multiplication_agrees_with_plain_rays_everywhere() {
    assert_agrees_with_plain_rays(Magic);
}

#[test]
fn bit_extraction_agrees_with_plain_rays_everywhere() {
    assert_agrees_with_plain_rays(Pext::SOFTWARE);
    // The hardware technique can be tested only on a processor that supports it.
    if let Some(hardware) = Pext::detect() {
        assert_agrees_with_plain_rays(hardware);
    }
}
