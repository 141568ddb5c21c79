//! Numbers as text: grouped digits, signs and durations.

/// Returns a count with its thousands separated: `8,412`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with its noun, which takes an `s` unless the count is one: `1 pair`, `8,412 pairs`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Returns a difference with its sign and `decimals` places: `+4.1`, `−2.0`, and `0.0` without a sign.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    match (zero, value > 0.0) {
        (true, _) => text,
        (false, true) => format!("+{text}"),
        (false, false) => format!("\u{2212}{text}"),
    }
}

/// Returns an estimate with its 95 % interval: `+4.1 ± 2.9` if it is symmetric, `+190 (−173 to +301)` if it is not, `> +95`
/// or `< −95` if one end is open, and `–` without an interval.
pub(super) fn interval_text(value: Option<f64>, lower: Option<f64>, upper: Option<f64>) -> String {
    match (value, lower, upper) {
        (Some(value), Some(lower), Some(upper)) => {
            let (below, above) = (value - lower, upper - value);
            if (below - above).abs() <= 0.1 * (below + above) {
                estimate_text(Some(value), Some((below + above) / 2.0))
            } else {
                format!("{} ({} to {})", signed(value, 0), signed(lower, 0), signed(upper, 0))
            }
        }
        (_, Some(lower), None) => format!("> {}", signed(lower, 0)),
        (_, None, Some(upper)) => format!("< {}", signed(upper, 0)),
        _ => "–".to_owned(),
    }
}

/// Returns an estimate with its error, one decimal each: `+4.1 ± 2.9`, or `–` if either is missing.
pub(super) fn estimate_text(value: Option<f64>, error: Option<f64>) -> String {
    match (value, error) {
        (Some(value), Some(error)) => format!("{} ± {error:.1}", signed(value, 1)),
        _ => "–".to_owned(),
    }
}

/// Returns a value with all its decimals and a typographic minus: `6`, `−2.5`, `1,106`.
pub(super) fn value_text(value: f64) -> String {
    let text = if value.fract() == 0.0 && value.abs() < 1e15 {
        grouped(value.abs() as u64)
    } else {
        value.abs().to_string()
    };
    if value < 0.0 { format!("\u{2212}{text}") } else { text }
}

/// Returns a share as a percentage. A share that is not whole is not rounded to 0 or 100 %.
pub(super) fn percentage(share: f64) -> String {
    let text = format!("{:.1} %", share * 100.0);
    match text.as_str() {
        "100.0 %" if share < 1.0 => "> 99.9 %".to_owned(),
        "0.0 %" if share > 0.0 => "< 0.1 %".to_owned(),
        _ => text,
    }
}

/// Returns a likelihood of superiority, which no finite number of games makes certain.
pub(super) fn chance_text(chance: f64) -> String {
    percentage(chance.clamp(1e-9, 1.0 - 1e-9))
}

/// Returns seconds as hours, minutes and seconds: `1:02:03`.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_all_their_decimals() {
        for (value, text) in
            [(6.0, "6"), (-2.5, "\u{2212}2.5"), (-1106.0, "\u{2212}1,106"), (0.0, "0"), (-0.0, "0")]
        {
            assert_eq!(value_text(value), text);
        }
    }

    #[test]
    fn counts_and_differences_are_grouped_and_signed() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!([0, 1, 2].map(|count| counted(count, "pair")), ["0 pairs", "1 pair", "2 pairs"]);
        assert_eq!(signed(4.12, 1), "+4.1");
        assert_eq!(signed(-2.0, 1), "\u{2212}2.0");
        assert_eq!(signed(-0.01, 1), "0.0");
    }

    #[test]
    fn an_interval_is_written_as_an_error_only_if_it_is_symmetric() {
        for (value, lower, upper, text) in [
            (Some(4.1), Some(1.2), Some(7.0), "+4.1 ± 2.9"),
            (Some(189.7), Some(-173.2), Some(301.4), "+190 (−173 to +301)"),
            (None, Some(95.3), None, "> +95"),
            (None, None, Some(-95.3), "< −95"),
            (None, None, None, "–"),
        ] {
            assert_eq!(interval_text(value, lower, upper), text);
        }
    }

    #[test]
    fn a_likelihood_is_never_certain() {
        for (chance, text) in [(1.0, "> 99.9 %"), (0.0, "< 0.1 %"), (0.5, "50.0 %"), (0.9996, "> 99.9 %")] {
            assert_eq!(chance_text(chance), text);
        }
        assert_eq!(percentage(1.0), "100.0 %");
    }

    #[test]
    fn durations_have_as_many_hours_as_needed() {
        assert_eq!(duration(0.4), "0:00:00");
        assert_eq!(duration(3_723.0), "1:02:03");
        assert_eq!(duration(360_000.0), "100:00:00");
    }
}
