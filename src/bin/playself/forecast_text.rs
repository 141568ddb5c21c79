//! A forecast as text: a table and a plot.

use std::fmt::Write;

use playself::commands::Forecast;
use playself::stats::{Elo, OperatingCurve, Pentanomial, Strength};

/// Rows and columns of the plot.
const PLOT: (usize, usize) = (9, 51);

/// Returns the text of a forecast.
pub(crate) fn forecast_text(forecast: &Forecast, concurrency: usize) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let pentanomial = forecast.pilot.pentanomial;
    writeln!(
        text,
        "Pilot: {} pairs, {:.2} s a pair at concurrency {concurrency}{}",
        pentanomial.pairs(),
        forecast.pilot.seconds_per_pair,
        pilot_elo(&pentanomial)
    )?;
    writeln!(
        text,
        "\n{:<10} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "true", "Elo", "passes", "pairs", "half by", "95 % by", "hours"
    )?;
    for (name, at) in forecast.strengths() {
        let (elo, passes) = (at.elo + 0.0, 100.0 * at.pass_probability);
        writeln!(
            text,
            "{name:<10} {elo:>8.2} {passes:>9.1}% {:>10.0} {:>10.0} {:>10.0} {:>10.2}",
            at.pairs, at.pairs_median, at.pairs_p95, at.hours
        )?;
    }
    writeln!(
        text,
        "elo0 and elo1 are the bounds of the test, in Elo at the share of draws that is expected here."
    )?;
    if let Some(last) = forecast.curve.last_pair() {
        writeln!(text, "The test never takes more than about {last:.0} pairs.")?;
    }
    if let (Some(most), Some(hours)) = (forecast.max_pairs, forecast.max_hours()) {
        writeln!(
            text,
            "\nThe run ends at pair {most}, after {hours:.2} hours. The chance that it has reached a bound by then: {}; \
             pairs and chances above are those of a test without that limit.",
            forecast
                .strengths()
                .map(|(name, at)| format!("{name} {:.0} %", 100.0 * at.ends_within_limit))
                .join(", ")
        )?;
    }
    text.push('\n');
    plot(&mut text, &forecast.curve)?;
    Ok(text)
}

fn pilot_elo(pentanomial: &Pentanomial) -> String {
    let interval = Strength::of(pentanomial).and_then(|strength| strength.lower.zip(strength.upper));
    interval.map_or(String::new(), |(lower, upper)| format!(", Elo {lower:.0} to {upper:.0}"))
}

/// The chance to pass against the true strength.
fn plot(text: &mut String, curve: &OperatingCurve) -> std::fmt::Result {
    let (rows, columns) = PLOT;
    let (null, alternative) = (curve.null().0, curve.alternative().0);
    let gap = alternative - null;
    let strength = |column: usize| null - gap + 3.0 * gap * column as f64 / (columns - 1) as f64;
    writeln!(text, "chance to pass, by true strength")?;
    for row in 0..rows {
        let level = 1.0 - row as f64 / (rows - 1) as f64;
        write!(text, "{:>4.0}% |", 100.0 * level)?;
        for column in 0..columns {
            let chance = curve.pass_probability(Elo(strength(column)));
            let near = (chance - level).abs() * (rows - 1) as f64 <= 0.5;
            text.push(if near { '*' } else { ' ' });
        }
        text.push('\n');
    }
    writeln!(text, "      +{}", "-".repeat(columns))?;
    let third = columns / 3;
    writeln!(
        text,
        "{:>7.1}{:>third$.1}{:>third$.1}{:>third$.1} Elo",
        axis(strength(0)),
        axis(null),
        axis(alternative),
        axis(strength(columns - 1))
    )
}

/// Rounds to one decimal and drops the sign of zero.
fn axis(elo: f64) -> f64 {
    (10.0 * elo).round() / 10.0 + 0.0
}
