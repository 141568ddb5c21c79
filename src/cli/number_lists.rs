//! Numbers on the command line: comma-separated ones, and counts within a range.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::TypedValueParser;

use crate::stats::{ErrorRate, PatchPrior};

/// Parses exactly `N` comma-separated non-negative integers.
pub fn integers<T: Unsigned, const N: usize>(text: &str) -> Result<[T; N], String> {
    parse(text).ok_or_else(|| format!("expected {N} comma-separated non-negative integers, got `{text}`"))
}

/// Parses exactly `N` comma-separated finite numbers.
pub fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    parse(text)
        .filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
        .ok_or_else(|| format!("expected {N} comma-separated numbers, got `{text}`"))
}

/// Parses a rate of errors, above 0 and below one half.
pub fn error_rate(text: &str) -> Result<ErrorRate, String> {
    let rate: f64 = text.parse().map_err(|_| format!("expected a number, got `{text}`"))?;
    ErrorRate::new(rate).map_err(|why| why.to_string())
}

/// Parses mean and standard deviation of patches.
pub fn prior(text: &str) -> Result<PatchPrior, String> {
    let [mean, deviation] = numbers(text)?;
    PatchPrior::new(mean, deviation).ok_or_else(|| {
        format!("expected a mean within ±100 Elo and a standard deviation from 0.1 to 100, got `{text}`")
    })
}

/// Returns a parser of whole numbers within `range`.
pub fn count(range: RangeInclusive<usize>) -> impl TypedValueParser<Value = usize> {
    let (least, most) = (*range.start() as u64, *range.end() as u64);
    clap::value_parser!(u64).range(least..=most).map(|number| number as usize)
}

/// Returns a parser of whole numbers from 1 to `most`.
pub fn positive_count(most: usize) -> impl TypedValueParser<Value = NonZeroUsize> {
    count(1..=most).try_map(NonZeroUsize::try_from)
}

fn parse<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let numbers: Option<Vec<T>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Integer types whose text has no sign.
pub trait Unsigned: FromStr {}

impl Unsigned for u32 {}
impl Unsigned for u64 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_exactly_as_many_numbers_as_are_expected() {
        assert_eq!(integers("34, 8,20"), Ok([34u32, 8, 20]));
        assert_eq!(numbers("-1.75,0.25"), Ok([-1.75, 0.25]));
        for wrong in ["1,2", "1,2,3,4", "1,2,x", "1,2,-3", "", "1,2,"] {
            let error = integers::<u32, 3>(wrong).unwrap_err();
            let expected = format!("expected 3 comma-separated non-negative integers, got `{wrong}`");
            assert_eq!(error, expected);
        }
        assert!(numbers::<2>("0,inf").is_err());
    }
}
