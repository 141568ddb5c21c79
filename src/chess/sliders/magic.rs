//! Magic multiplication: one product moves the blockers of a slider to its top bits, which index its attacks.

use super::magic_numbers::{BISHOP_MAGICS, ROOK_MAGICS};
use super::rays::{BISHOP_ENTRIES, ROOK_ENTRIES, Slide};
use super::technique::Sliders;
use crate::chess::{Bitboard, Square};

/// How a square's blockers become an index.
#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    magic: u64,
    offset: u32,
    shift: u32,
}

impl Entry {
    #[inline(always)]
    const fn index(&self, occupied: u64) -> usize {
        self.offset as usize + ((occupied & self.mask).wrapping_mul(self.magic) >> self.shift) as usize
    }
}

static ROOKS: [Entry; 64] = entries(Slide::Rook, &ROOK_MAGICS);
static BISHOPS: [Entry; 64] = entries(Slide::Bishop, &BISHOP_MAGICS);
static ROOK_ATTACKS: [u64; ROOK_ENTRIES] = attacks(Slide::Rook, &ROOK_MAGICS);
static BISHOP_ATTACKS: [u64; BISHOP_ENTRIES] = attacks(Slide::Bishop, &BISHOP_MAGICS);

const fn entries(slide: Slide, magics: &[u64; 64]) -> [Entry; 64] {
    let mut entries = [Entry { mask: 0, magic: 0, offset: 0, shift: 0 }; 64];
    let (mut square, mut offset) = (0, 0);
    while square < 64 {
        let mask = slide.mask(square);
        entries[square] = Entry { mask, magic: magics[square], offset, shift: 64 - mask.count_ones() };
        offset += 1 << mask.count_ones();
        square += 1;
    }
    entries
}

const fn attacks<const ENTRIES: usize>(slide: Slide, magics: &[u64; 64]) -> [u64; ENTRIES] {
    let entries = entries(slide, magics);
    let mut table = [0; ENTRIES];
    let mut ordered = [0; 4096];
    let mut square = 0;
    while square < 64 {
        let entry = entries[square];
        let sets = slide.tabulate(square, &mut ordered, 0);
        let (mut subset, mut nth) = (0u64, 0);
        while nth < sets {
            table[entry.index(subset)] = ordered[nth];
            // Counting upwards through the mask's bits only.
            subset = subset.wrapping_sub(entry.mask) & entry.mask;
            nth += 1;
        }
        square += 1;
    }
    table
}

/// The technique of ACE and BB Chess: one multiplication per lookup, on any processor.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct Magic;

impl Sliders for Magic {
    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(BISHOP_ATTACKS[BISHOPS[from.index()].index(occupied.0)])
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(ROOK_ATTACKS[ROOKS[from.index()].index(occupied.0)])
    }
}
