//! Numbers as C and C++ programs print them.

/// Returns `%.Nf`: not-a-number and infinity have their own words, zero keeps its sign.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    special(value).unwrap_or_else(|| format!("{value:.decimals$}"))
}

/// Returns `%.Ng`: this number of significant digits, without trailing zeros; very large and very small numbers with an exponent.
pub(super) fn general(value: f64, digits: usize) -> String {
    if let Some(word) = special(value) {
        return word;
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn special(value: f64) -> Option<String> {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        Some(format!("{sign}nan"))
    } else if value.is_infinite() {
        Some(format!("{sign}inf"))
    } else {
        None
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_c_does() {
        for (value, text) in [(1.005, "1.00"), (-0.0, "-0.00"), (f64::INFINITY, "inf"), (-f64::NAN, "-nan")] {
            assert_eq!(fixed(value, 2), text);
        }
        for (value, text) in [
            (0.08, "0.08"),
            (0.1, "0.1"),
            (1.0, "1"),
            (12.5, "12"),
            (1e-7, "1e-07"),
            (2.944, "2.9"),
            (150.0, "1.5e+02"),
        ] {
            assert_eq!(general(value, 2), text);
        }
        assert_eq!(general(-2.9444, 3), "-2.94");
    }
}
