//! Strength and test verdict of counted results as text.

use std::fmt::Write;

use playself::commands::{CorrectedStats, ResultStats};
use playself::report::Verdict;
use playself::stats::SprtConfig;

/// Returns the table of `playself stats`.
pub(crate) fn stats_text(
    stats: &ResultStats,
    counted: &str,
    test: Option<SprtConfig>,
) -> Result<String, std::fmt::Error> {
    // Rounded before it is formatted, so that a number that rounds to zero has no minus sign.
    let rounded = |value: f64| format!("{:.2}", (100.0 * value).round() / 100.0 + 0.0);
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), rounded);
    let percent = |value: Option<f64>| number(value.map(|value| 100.0 * value));
    let mut text = format!("Counted      {counted}");
    write!(text, "\nScore        {} %", percent(stats.score))?;
    match (stats.elo, stats.elo_lower, stats.elo_upper, stats.nelo) {
        (Some(elo), Some(lower), Some(upper), None) => {
            let [elo, lower, upper] = [elo, lower, upper].map(rounded);
            write!(text, "\nElo          {elo} [{lower}, {upper}]")?;
        }
        (None, Some(lower), None, _) => write!(text, "\nElo          > {}", rounded(lower))?,
        (None, None, Some(upper), _) => write!(text, "\nElo          < {}", rounded(upper))?,
        _ => write!(text, "\nElo          {} ± {}", number(stats.elo), number(stats.elo_error))?,
    }
    match (stats.nelo, stats.nelo_error) {
        (Some(nelo), Some(error)) => write!(text, "\nnElo         {} ± {}", rounded(nelo), rounded(error))?,
        _ => write!(text, "\nnElo         – (too few games)")?,
    }
    write!(text, "\nLOS          {}", los_text(stats.los))?;
    write!(text, "\nDraw ratio   {} %", percent(stats.draw_ratio))?;
    write!(text, "\nPairs ratio  {}", number(stats.pairs_ratio))?;
    let Some(test) = test else { return Ok(text) };
    let [elo0, elo1] = test.hypotheses.into();
    let (lower, upper) = (number(stats.llr_lower), number(stats.llr_upper));
    let (llr, model) = (number(stats.llr), test.model);
    write!(text, "\nLLR          {llr} ({lower}, {upper})  {model} [{elo0}, {elo1}]")?;
    match stats.verdict {
        Verdict::Undecided => write!(text, "\nVerdict      undecided, play on")?,
        accepted => write!(text, "\nVerdict      {accepted} accepted")?,
    }
    if let Some(CorrectedStats { elo_corrected, elo_corrected_lower, elo_corrected_upper }) = stats.corrected
    {
        let [elo, lower, upper] = [elo_corrected, elo_corrected_lower, elo_corrected_upper].map(rounded);
        write!(text, "\nElo, corrected for the stopping rule: {elo} [{lower}, {upper}]")?;
    }
    Ok(text)
}

/// Returns the likelihood of superiority in per cent, which no number of games makes certain.
fn los_text(los: Option<f64>) -> String {
    let Some(los) = los else { return "–".to_owned() };
    match format!("{:.2}", 100.0 * los).as_str() {
        "100.00" => "> 99.99 %".to_owned(),
        "0.00" => "< 0.01 %".to_owned(),
        text => format!("{text} %"),
    }
}
