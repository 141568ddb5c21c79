//! Random numbers with stable values: xoshiro256++ seeded by SplitMix64, both public-domain designs.
//!
//! The seed of a run determines every game in it, so the generator is implemented here and must never change.

/// A stream of random numbers that depends only on its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Creates the stream of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut mixer = seed;
        Self { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// Creates the stream of item `index` of a run with this seed. Streams of different items are independent.
    pub fn of_item(seed: u64, index: u64) -> Self {
        let mut mixer = seed;
        let mut inner = split_mix(&mut mixer) ^ index;
        Self::new(split_mix(&mut inner))
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Returns a uniformly distributed number, at least 0 and below 1, in steps of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns 1 or -1 with equal probability.
    #[inline]
    pub fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// Returns a normally distributed number with mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        // The cosine half of the Box–Muller transform; 1 - unit() is above 0.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_matches_its_published_numbers() {
        // Sebastiano Vigna, splitmix64.c, seed 1234567.
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn xoshiro_matches_its_published_numbers() {
        // David Blackman and Sebastiano Vigna, xoshiro256plusplus.c, state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!(random.bits(), 41_943_041);
        assert_eq!(random.bits(), 58_720_359);
        assert_eq!(random.bits(), 3_588_806_011_781_223);
    }

    #[test]
    fn means_and_variances_are_as_expected() {
        let mut random = Random::new(7);
        let count = 200_000;
        let (mut units, mut normals, mut squares, mut signs) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..count {
            units += random.unit();
            signs += random.sign();
            let normal = random.normal();
            normals += normal;
            squares += normal * normal;
        }
        let mean = |sum: f64| sum / f64::from(count);
        assert!((mean(units) - 0.5).abs() < 0.003);
        assert!(mean(signs).abs() < 0.01);
        assert!(mean(normals).abs() < 0.01);
        assert!((mean(squares) - 1.0).abs() < 0.015);
    }

    #[test]
    fn neighbouring_items_have_independent_streams() {
        let same = (0..4096)
            .map(|index| Random::of_item(9, index).bits() ^ Random::of_item(9, index + 1).bits())
            .map(u64::count_zeros)
            .sum::<u32>();
        assert!((f64::from(same) / 4096.0 - 32.0).abs() < 0.5);
    }
}
