//! Tests compared by what they gain, as text.

use std::fmt::Write;

use playself::commands::{MOST_REGRESSIONS, PatchForecast};

/// Returns the comparison of tests by what they gain; nothing without one.
pub(crate) fn patches_text(patches: &[PatchForecast]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if patches.is_empty() {
        return Ok(text);
    }
    writeln!(
        text,
        "\n{:<13} {:>12} {:>6} {:>5} {:<8} {:>8} {:>8} {:>12} {:>9}",
        "test", "elo", "alpha", "beta", "kind", "passes", "worse", "hours/patch", "Elo/hour"
    )?;
    for row in patches {
        let [null, alternative] = row.elo;
        let bounds = format!("[{null}, {alternative}]");
        let [passes, regressions] =
            [row.passes, row.regressions].map(|share| format!("{:.2}%", 100.0 * share));
        let PatchForecast { name, alpha, beta, test, hours_per_patch, elo_per_hour, .. } = row;
        write!(text, "{name:<13} {bounds:>12} {alpha:>6} {beta:>5} {test:<8} {passes:>8} {regressions:>8}")?;
        writeln!(text, " {hours_per_patch:>12.3} {elo_per_hour:>9.3}")?;
    }
    writeln!(
        text,
        "worse: share of all patches that pass although they are weaker; the best test is the one with the most Elo per hour\n\
         among those that keep it at or below {:.0} %. The time that a patch takes to write is not counted.",
        100.0 * MOST_REGRESSIONS
    )?;
    Ok(text)
}
