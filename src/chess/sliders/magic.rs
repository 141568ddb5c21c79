//! Magic multiplication: a product moves the blockers of a slider to the top bits, which index its attacks.

use super::magic_numbers::{BISHOP_MAGICS, ROOK_MAGICS};
use super::rays::{AttackTable, Slide, TABLE_SIZE};
use super::technique::Sliders;
use crate::chess::{Bitboard, Square};

/// The parameters that map the blockers of a square to a table index.
#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    magic: u64,
    start: u32,
    shift: u32,
}

impl Entry {
    #[inline(always)]
    const fn index(&self, occupied: u64) -> usize {
        let top = (occupied & self.mask).wrapping_mul(self.magic) >> self.shift;
        (self.start as usize + top as usize) & (TABLE_SIZE - 1)
    }
}

struct Tables {
    rooks: [Entry; 64],
    bishops: [Entry; 64],
    attacks: AttackTable,
}

static TABLES: Tables = {
    let none = [Entry { mask: 0, magic: 0, start: 0, shift: 0 }; 64];
    let mut tables = Tables { rooks: none, bishops: none, attacks: [0; TABLE_SIZE] };
    let mut end = 0;
    let mut square = 0;
    while square < 64 {
        (tables.rooks[square], end) =
            tabulate(Slide::Rook, square, ROOK_MAGICS[square], &mut tables.attacks, end);
        square += 1;
    }
    square = 0;
    while square < 64 {
        (tables.bishops[square], end) =
            tabulate(Slide::Bishop, square, BISHOP_MAGICS[square], &mut tables.attacks, end);
        square += 1;
    }
    tables
};

/// Writes the attacks of a square to `table` from `start` on. Returns its entry and the end of the written range.
const fn tabulate(
    slide: Slide,
    square: usize,
    magic: u64,
    table: &mut AttackTable,
    start: usize,
) -> (Entry, usize) {
    let mask = slide.mask(square);
    let entry = Entry { mask, magic, start: start as u32, shift: 64 - mask.count_ones() };
    let mut ordered = [0; 4096];
    let sets = slide.tabulate(square, &mut ordered, 0);
    let (mut subset, mut nth) = (0u64, 0);
    while nth < sets {
        table[entry.index(subset)] = ordered[nth];
        // Next subset of the mask.
        subset = subset.wrapping_sub(mask) & mask;
        nth += 1;
    }
    (entry, start + sets)
}

/// The technique of ACE and BB Chess: one multiplication per lookup, on any processor.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct Magic;

impl Sliders for Magic {
    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(TABLES.attacks[TABLES.bishops[from.index()].index(occupied.0)])
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(TABLES.attacks[TABLES.rooks[from.index()].index(occupied.0)])
    }
}
