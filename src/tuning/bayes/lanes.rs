//! Sums and exponentials over short rows, written such that the compiler uses vector instructions.
//!
//! A fit of 300 parameters computes millions of exponentials. The order of all operations is fixed, so results are the same on
//! every machine.

/// Values that are summed side by side.
const LANES: usize = 4;

/// Returns the sum of products. The lengths are equal multiples of four.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (one, other) in one.chunks_exact(LANES).zip(other.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Returns the largest value. The length is a multiple of four.
pub(super) fn largest(values: &[f64]) -> f64 {
    let mut most = [f64::NEG_INFINITY; LANES];
    for values in values.chunks_exact(LANES) {
        for lane in 0..LANES {
            most[lane] = if values[lane] > most[lane] { values[lane] } else { most[lane] };
        }
    }
    most.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Replaces each value, which is at most 0, by its exponential with a relative error below 10⁻⁹; very small ones become 0.
pub(super) fn exponentials(values: &mut [f64]) {
    for value in values {
        *value = exponential(*value);
    }
}

/// The least argument whose exponential is not replaced by 0.
const LEAST: f64 = -60.0;
/// Added to a number below 2⁵¹, this rounds it to a whole number, which the last bits of the sum contain.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// Coefficients of 2^x for x from -1/2 to 1/2: powers of ln 2 divided by factorials.
const POWERS: [f64; 9] = [
    1.0,
    std::f64::consts::LN_2,
    0.240_226_506_959_100_7,
    0.055_504_108_664_821_58,
    0.009_618_129_107_628_477,
    0.001_333_355_814_642_844_3,
    0.000_154_035_303_933_816_1,
    0.000_015_252_733_804_059_84,
    0.000_001_321_548_679_014_43,
];

#[inline]
fn exponential(value: f64) -> f64 {
    let limited = if value > LEAST { value } else { LEAST };
    let power = limited * std::f64::consts::LOG2_E;
    let shifted = power + ROUNDING;
    let fraction = power - (shifted - ROUNDING);
    let mut sum = POWERS[8];
    for coefficient in POWERS[..8].iter().rev() {
        sum = sum * fraction + coefficient;
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if value > LEAST { sum * scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_accurate_and_tiny_ones_are_0() {
        for step in 0..6_000 {
            let value = -f64::from(step) / 100.0 - 0.003 * f64::from(step % 3 == 0);
            let found = exponential(value);
            assert!(value <= LEAST || (found / value.exp() - 1.0).abs() < 1e-9, "{value}: {found}");
        }
        let mut values = [0.0, -1.0, -1e6, f64::NEG_INFINITY];
        exponentials(&mut values);
        assert_eq!((values[0], values[2], values[3]), (1.0, 0.0, 0.0));
    }

    #[test]
    fn sums_and_maxima_are_those_of_a_loop() {
        let values: Vec<f64> = (0..40).map(|index| f64::from((index * 7) % 11) - 3.0).collect();
        let expected: f64 = values.iter().map(|value| value * value).sum();
        assert_eq!((dot(&values, &values), largest(&values)), (expected, 7.0));
    }
}
