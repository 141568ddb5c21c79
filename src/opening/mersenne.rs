//! The Mersenne Twisters of Matsumoto and Nishimura with which other match runners shuffle books: that of 64 bits, and the
//! variation of that of 32 bits which cutechess-cli has.

const WORDS: usize = 312;
const MIDDLE: usize = 156;
const TWIST: u64 = 0xb502_6f5a_a966_19e9;
const UPPER: u64 = 0xffff_ffff_8000_0000;

/// The generator; the same seed gives the same numbers as `std::mt19937_64` of C++.
#[derive(Clone, Debug)]
pub(super) struct MersenneTwister {
    state: Vec<u64>,
    next: usize,
}

impl MersenneTwister {
    pub(super) fn new(seed: u64) -> Self {
        let mut state = Vec::with_capacity(WORDS);
        state.push(seed);
        for at in 1..WORDS {
            let last: u64 = state[at - 1];
            state.push(6_364_136_223_846_793_005u64.wrapping_mul(last ^ last >> 62).wrapping_add(at as u64));
        }
        Self { state, next: WORDS }
    }

    pub(super) fn bits(&mut self) -> u64 {
        if self.next == WORDS {
            self.twist();
        }
        let mut bits = self.state[self.next];
        self.next += 1;
        bits ^= bits >> 29 & 0x5555_5555_5555_5555;
        bits ^= bits << 17 & 0x71d6_7fff_eda6_0000;
        bits ^= bits << 37 & 0xfff7_eee0_0000_0000;
        bits ^ bits >> 43
    }

    fn twist(&mut self) {
        for at in 0..WORDS {
            let joined = self.state[at] & UPPER | self.state[(at + 1) % WORDS] & !UPPER;
            let twisted = joined >> 1 ^ if joined & 1 == 1 { TWIST } else { 0 };
            self.state[at] = self.state[(at + MIDDLE) % WORDS] ^ twisted;
        }
        self.next = 0;
    }
}

const NARROW_WORDS: usize = 624;
const NARROW_MIDDLE: usize = 397;
const NARROW_TWIST: u32 = 0x9908_b0df;

/// The generator of cutechess-cli. It differs from MT19937 in one place: a word is joined with the lowest bit of the one
/// before it instead of the highest.
#[derive(Clone, Debug)]
pub(super) struct CutechessTwister {
    state: Vec<u32>,
    next: usize,
}

impl CutechessTwister {
    pub(super) fn new(seed: u32) -> Self {
        let mut state = vec![seed];
        for at in 1..NARROW_WORDS as u32 {
            let last = state[at as usize - 1];
            state.push(1_812_433_253u32.wrapping_mul(last ^ last >> 30).wrapping_add(at));
        }
        Self { state, next: NARROW_WORDS }
    }

    pub(super) fn bits(&mut self) -> u32 {
        if self.next == NARROW_WORDS {
            self.twist();
        }
        let mut bits = self.state[self.next];
        self.next += 1;
        bits ^= bits >> 11;
        bits ^= bits << 7 & 0x9d2c_5680;
        bits ^= bits << 15 & 0xefc6_0000;
        bits ^ bits >> 18
    }

    fn twist(&mut self) {
        for at in 0..NARROW_WORDS {
            let low = self.state[at] & 1;
            let joined = low.wrapping_add(self.state[(at + 1) % NARROW_WORDS] & !(1 << 31));
            let twisted = joined >> 1 ^ if joined & 1 == 1 { NARROW_TWIST } else { 0 };
            self.state[at] = self.state[(at + NARROW_MIDDLE) % NARROW_WORDS] ^ twisted;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_thousandth_number_is_that_of_the_cpp_standard() {
        // [rand.predef]: the 10000th consecutive invocation of a default-constructed mt19937_64.
        let mut twister = MersenneTwister::new(5489);
        let number = (0..10_000).map(|_| twister.bits()).last();
        assert_eq!(number, Some(9_981_545_732_273_789_042));
    }
}
