//! Linear scales with round ticks.

use crate::report::number_text::grouped;

/// A linear map from values to coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Maps `low..high` to `start..end`. An empty range is widened to avoid a division by zero.
    pub(super) fn new((low, high): (f64, f64), (start, end): (f64, f64)) -> Self {
        let (low, high) = if high - low > f64::EPSILON * high.abs().max(1.0) {
            (low, high)
        } else {
            (low - 1.0, low + 1.0)
        };
        Self { low, high, start, end }
    }

    /// Returns the coordinate of a value, clipped to the range.
    pub(super) fn place(self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    /// Returns the part of a line between two points whose heights are inside the range, or `None` if none is.
    pub(super) fn inside(self, from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
        let crosses = from.1.min(to.1) <= self.high && from.1.max(to.1) >= self.low;
        let end = |point: (f64, f64), other: (f64, f64)| {
            if (self.low..=self.high).contains(&point.1) {
                return point;
            }
            let height = point.1.clamp(self.low, self.high);
            (point.0 + (height - point.1) / (other.1 - point.1) * (other.0 - point.0), height)
        };
        crosses.then(|| (end(from, to), end(to, from)))
    }

    /// Returns about `count` round values inside the range, at least three.
    pub(super) fn ticks(self, count: usize) -> Vec<f64> {
        let ticks = |count: usize| {
            let step = round_step((self.high - self.low) / count.max(1) as f64);
            let first = (self.low / step).ceil();
            let last = (self.high / step + 1e-9).floor();
            let ticks = (last - first).clamp(0.0, 50.0) as usize;
            (0..=ticks).map(|tick| (first + tick as f64) * step).collect::<Vec<f64>>()
        };
        let few = ticks(count);
        if few.len() < 3 { ticks(2 * count) } else { few }
    }

    /// Returns about `count` round whole numbers inside the range.
    pub(super) fn whole_ticks(self, count: usize) -> Vec<f64> {
        let mut ticks = self.ticks(count);
        if ticks.windows(2).any(|pair| pair[1] - pair[0] < 1.0) {
            let (first, last) = (self.low.ceil() as i64, self.high.floor() as i64);
            ticks = (first..=last).take(50).map(|tick| tick as f64).collect();
        }
        ticks
    }

    /// Returns about `count` round whole numbers, and the end of the range, which takes the place of one too close to it.
    pub(super) fn whole_ticks_to_end(self, count: usize) -> Vec<f64> {
        let mut ticks = self.whole_ticks(count);
        let apart = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        let end = self.high.floor();
        ticks.retain(|tick| end - tick >= apart / 2.0);
        ticks.push(end);
        ticks
    }
}

/// Returns the next larger 1, 2 or 5 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.max(f64::MIN_POSITIVE).log10().floor());
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999).unwrap_or(10.0);
    factor * power
}

/// Returns the label of a tick with as many decimals as its step needs.
pub(super) fn tick_label(value: f64, step: f64) -> String {
    let decimals = if step >= 1.0 { 0 } else { (-step.log10()).ceil().clamp(0.0, 6.0) as usize };
    if value.abs() >= 1000.0 && decimals == 0 {
        let sign = if value < 0.0 { "\u{2212}" } else { "" };
        return format!("{sign}{}", grouped(value.abs().round() as u64));
    }
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches('-').bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        return "0".into();
    }
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside_the_range() {
        for (name, range, expected) in [
            ("small", (-2.9, 2.9), vec![-2.0, 0.0, 2.0]),
            ("large", (0.0, 8412.0), vec![0.0, 2000.0, 4000.0, 6000.0, 8000.0]),
        ] {
            let ticks = Scale::new(range, (0.0, 100.0)).ticks(5);
            assert!(
                expected.iter().all(|tick| ticks.iter().any(|t| (t - tick).abs() < 1e-9)),
                "{name}: {ticks:?}"
            );
            assert!(ticks.iter().all(|tick| *tick >= range.0 && *tick <= range.1), "{name}: {ticks:?}");
        }
    }

    #[test]
    fn an_axis_of_pairs_ends_with_the_last_pair() {
        for (last, expected) in [
            (129.0, vec![0.0, 50.0, 100.0, 129.0]),
            (110.0, vec![0.0, 50.0, 110.0]),
            (2.0, vec![0.0, 1.0, 2.0]),
        ] {
            assert_eq!(Scale::new((0.0, last), (0.0, 100.0)).whole_ticks_to_end(3), expected);
        }
    }

    #[test]
    fn a_range_between_two_round_values_still_has_three_ticks() {
        for range in [(-0.4, 19.0), (0.1, 0.59), (-3.0, 98.0)] {
            for count in [3, 4, 5] {
                let ticks = Scale::new(range, (0.0, 100.0)).ticks(count);
                assert!(ticks.len() >= 3, "{range:?}, {count}: {ticks:?}");
            }
        }
    }

    #[test]
    fn counts_have_whole_ticks() {
        assert_eq!(Scale::new((0.0, 2.0), (0.0, 100.0)).whole_ticks(5), [0.0, 1.0, 2.0]);
        assert_eq!(Scale::new((8.0, 30.0), (0.0, 100.0)).whole_ticks(5), [10.0, 15.0, 20.0, 25.0, 30.0]);
    }

    #[test]
    fn an_empty_range_maps_its_value_to_the_middle() {
        let scale = Scale::new((5.0, 5.0), (0.0, 100.0));
        assert!((scale.place(5.0) - 50.0).abs() < 1e-9);
        assert!(!scale.ticks(5).is_empty());
    }

    #[test]
    fn tick_labels_have_no_more_decimals_than_their_step() {
        assert_eq!(tick_label(-0.5, 0.5), "\u{2212}0.5");
        assert_eq!(tick_label(20_000.0, 5000.0), "20,000");
    }
}
