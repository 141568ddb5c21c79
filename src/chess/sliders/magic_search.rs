//! The search for magic numbers: random sparse words, tried until one keeps every two different attacks apart.

use std::fmt::Write as _;

use super::magic_numbers::{BISHOP_MAGICS, ROOK_MAGICS, SEED};
use super::rays::{ALL_RAYS, Slide};

/// Random words from a seed: Vigna's xorshift64*.
struct Random(u64);

impl Random {
    /// Any seed will do; 0, which the generator cannot leave, is moved away from.
    const fn new(seed: u64) -> Self {
        Self(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    const fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Few bits are set in good magics.
    const fn sparse_word(&mut self) -> u64 {
        self.word() & self.word() & self.word()
    }
}

/// The first square whose committed magic number mixes up two different attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MagicCollision {
    piece: &'static str,
    square: usize,
}

impl std::fmt::Display for MagicCollision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the {} magic of square {} maps two different attacks to one index",
            self.piece, self.square
        )
    }
}

impl std::error::Error for MagicCollision {}

/// A square's blocker sets with their attacks, and the slots an index search fills.
struct Trial {
    cases: Vec<(u64, u64)>,
    slots: Vec<(u32, u64)>,
    attempt: u32,
    shift: u32,
}

impl Trial {
    fn new(slide: Slide, square: usize) -> Self {
        let mask = slide.mask(square);
        let mut cases = Vec::with_capacity(1 << mask.count_ones());
        let mut subset = 0u64;
        loop {
            cases.push((subset, slide.attacks(&ALL_RAYS[square], subset)));
            subset = subset.wrapping_sub(mask) & mask;
            if subset == 0 {
                break;
            }
        }
        let slots = vec![(0, 0); cases.len()];
        Self { cases, slots, attempt: 0, shift: 64 - mask.count_ones() }
    }

    /// Whether `magic` gives each blocker set an index that no different attack shares.
    fn accepts(&mut self, magic: u64) -> bool {
        // Slots of earlier attempts are told by their number instead of being wiped.
        self.attempt += 1;
        for &(subset, attacks) in &self.cases {
            let slot = &mut self.slots[(subset.wrapping_mul(magic) >> self.shift) as usize];
            if slot.0 == self.attempt && slot.1 != attacks {
                return false;
            }
            *slot = (self.attempt, attacks);
        }
        true
    }
}

fn find(slide: Slide, square: usize, random: &mut Random) -> u64 {
    let mut trial = Trial::new(slide, square);
    let mask = slide.mask(square);
    loop {
        let magic = random.sparse_word();
        // A product whose top byte stays nearly empty cannot spread thousands of sets.
        let spreads = (mask.wrapping_mul(magic) >> 56).count_ones() >= 6;
        if spreads && trial.accepts(magic) {
            return magic;
        }
    }
}

/// Rust source of a table of magic numbers, found from a seed: the same source for the same seed, everywhere.
pub fn magic_numbers_source(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut source = String::from(
        "//! Magic numbers, found by `generate_magic`; `generate_magic --check` proves them.\n\n\
         /// The seed they were found from.\n",
    );
    let mut line = |text: std::fmt::Arguments| writeln!(source, "{text}").expect("a String takes any text");
    line(format_args!("pub(super) const SEED: u64 = {seed};"));
    for (slide, name) in [(Slide::Rook, "ROOK_MAGICS"), (Slide::Bishop, "BISHOP_MAGICS")] {
        line(format_args!("\npub(super) const {name}: [u64; 64] = ["));
        for square in 0..64 {
            let magic = find(slide, square, &mut random);
            let [a, b, c, d] = [magic >> 48, magic >> 32 & 0xffff, magic >> 16 & 0xffff, magic & 0xffff];
            line(format_args!("    0x{a:04x}_{b:04x}_{c:04x}_{d:04x},"));
        }
        line(format_args!("];"));
    }
    source
}

/// Proves the magic numbers this program is built with; tells the seed they were found from.
pub fn check_magic_numbers() -> Result<u64, MagicCollision> {
    for (slide, piece, magics) in
        [(Slide::Rook, "rook", &ROOK_MAGICS), (Slide::Bishop, "bishop", &BISHOP_MAGICS)]
    {
        for (square, &magic) in magics.iter().enumerate() {
            if !Trial::new(slide, square).accepts(magic) {
                return Err(MagicCollision { piece, square });
            }
        }
    }
    Ok(SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_numbers_are_those_of_their_seed() {
        assert_eq!(check_magic_numbers(), Ok(SEED));
        assert_eq!(magic_numbers_source(SEED), include_str!("magic_numbers.rs"));
    }

    #[test]
    fn a_number_that_mixes_attacks_up_is_refused() {
        assert!(!Trial::new(Slide::Rook, 0).accepts(0));
        assert!(!Trial::new(Slide::Rook, 0).accepts(1 << 50));
    }
}
