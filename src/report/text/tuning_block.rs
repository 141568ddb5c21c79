//! The result of a tuning run as a block of lines.

use std::fmt::Write;

use crate::report::number_text::{counted, grouped};
use crate::tuning::{ParameterEffect, ParameterReport, TuningReport};

/// Number of rows in a block. A run may tune hundreds of weights; its files contain all of them.
const ROWS: usize = 16;

/// Returns the number of weights, the estimated gain and the weights that moved furthest, without rules around them.
pub(in crate::report) fn tuning_block(report: &TuningReport, setting: &str) -> String {
    let mut block = String::new();
    lines(&mut block, report, setting).expect("writing to a string does not fail");
    block
}

fn lines(block: &mut String, report: &TuningReport, setting: &str) -> std::fmt::Result {
    let weights = counted(report.parameters.len() as u64, "weight");
    writeln!(block, "Tuning of {weights} ({setting}): {} games", grouped(2 * report.pairs_scored))?;
    if report.gain.is_some() && report.is_at_start() {
        writeln!(block, "Gain: none yet, the best values so far are those of the start")?;
    } else if let Some(gain) = report.gain {
        write!(block, "Gain: {:.1} +/- {:.1} Elo estimated", gain.elo.0 + 0.0, gain.error.0)?;
        match report.remaining_loss {
            Some(left) => writeln!(block, ", about {:.1} Elo left to gain", left.0)?,
            None => writeln!(block)?,
        }
    }
    // A list that fits keeps the order of the plan, so that rows can be compared from block to block.
    let rows =
        if report.parameters.len() <= ROWS { report.parameters.iter().collect() } else { most_moved(report) };
    let shown = &rows[..rows.len().min(ROWS)];
    let width = shown.iter().map(|weight| weight.name.chars().count()).max().unwrap_or(0).max(6);
    writeln!(block, "{:width$} {:>9} {:>9}  {:<20} effect", "weight", "start", "best", "95 % interval")?;
    for weight in shown {
        let interval = weight.interval.map_or("-".to_owned(), |[low, high]| {
            format!("{} to {}", short(low, weight), short(high, weight))
        });
        let (start, best) = (short(weight.start, weight), short(weight.best, weight));
        let effect = effect_word(weight.effect);
        writeln!(block, "{:width$} {start:>9} {best:>9}  {interval:<20} {effect}", weight.name)?;
    }
    if rows.len() > shown.len() {
        writeln!(block, "and {} more, in weights.toml", rows.len() - shown.len())?;
    }
    if report.gain.is_none() {
        writeln!(
            block,
            "This method estimates neither gain nor intervals; the test of [accept] measures the gain"
        )?;
    }
    Ok(())
}

/// Returns the weights, those first that moved furthest in relation to their interval.
pub(super) fn most_moved(report: &TuningReport) -> Vec<&ParameterReport> {
    let mut weights: Vec<_> = report.parameters.iter().collect();
    // The interval is the only measure of a weight's scale that a report contains.
    let distance = |weight: &ParameterReport| {
        let scale = weight.interval.map_or(weight.start.abs(), |[low, high]| high - low);
        (weight.best - weight.start).abs() / scale.max(1e-9)
    };
    weights.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    weights
}

/// Returns the effect of a weight in words.
pub(in crate::report) fn effect_word(effect: ParameterEffect) -> &'static str {
    match effect {
        ParameterEffect::Clear => "clear",
        ParameterEffect::Unclear => "unclear",
        ParameterEffect::NotSeen => "none seen",
    }
}

/// Returns a value without decimals for an integer weight, with three for any other.
pub(super) fn short(value: f64, weight: &ParameterReport) -> String {
    if weight.start.fract() == 0.0 && weight.best.fract() == 0.0 {
        format!("{}", value.round() + 0.0)
    } else {
        format!("{value:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Elo;
    use crate::tuning::GainEstimate;

    fn weight(name: &str, start: f64, best: f64) -> ParameterReport {
        let interval = Some([best - 10.0, best + 10.4]);
        ParameterReport { name: name.to_owned(), start, best, interval, effect: ParameterEffect::Clear }
    }

    fn report(parameters: Vec<ParameterReport>) -> TuningReport {
        let gain = Some(GainEstimate { elo: Elo(12.34), error: Elo(5.0) });
        TuningReport { pairs_scored: 600, pairs_left: 0, parameters, gain, remaining_loss: Some(Elo(0.71)) }
    }

    #[test]
    fn a_tuning_block_shows_weights_and_not_the_score_of_the_trials() {
        let report = report(vec![weight("tempo", 10.0, 11.0), weight("knight_value", 230.0, 318.0)]);
        let block = tuning_block(&report, "nodes=300");
        let expected = "\
Tuning of 2 weights (nodes=300): 1,200 games
Gain: 12.3 +/- 5.0 Elo estimated, about 0.7 Elo left to gain
weight           start      best  95 % interval        effect
tempo               10        11  1 to 21              clear
knight_value       230       318  308 to 328           clear
";
        assert_eq!(block, expected);
    }

    #[test]
    fn a_long_list_is_cut_and_names_the_file_with_the_rest() {
        let many = (0..40).map(|number| weight(&format!("w{number}"), 0.0, f64::from(number))).collect();
        let block = tuning_block(&report(many), "nodes=300");
        assert!(block.contains("and 24 more, in weights.toml"), "{block}");
        assert!(block.contains("w39") && !block.contains("w10 "), "{block}");
    }
}
