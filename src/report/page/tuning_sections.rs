//! The sections of a tuning run: paths, tables before and after, and the test that follows.

use std::fmt::Write;

use crate::report::chart::{BandPoint, ChartSize, Layer, Tone, XyChart, escape};
use crate::report::number_text::{grouped, signed, value_text};
use crate::report::page::html::{Section, figure};
use crate::report::page::tuning_boards::board_figures;
use crate::report::page::tuning_data::WeightsThen;
use crate::report::text::effect_word;
use crate::tuning::{ParameterEffect, ParameterReport, TuningReport};

/// Weights whose paths are drawn; of more, those that moved furthest.
const PATHS_SHOWN: usize = 60;

/// Weights in the table that is open; where there are more, the table of all of them has to be opened.
const ROWS_SHOWN: usize = 24;

/// A run's result in the words of its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The sentence of the test's page.
    pub sentence: String,
    /// That page, relative to this one.
    pub link: String,
}

/// The sentence of a tuning run.
pub(super) fn tuning_sentence(report: &TuningReport) -> String {
    let pairs = match report.pairs_scored {
        1 => "1 pair".to_owned(),
        many => format!("{} pairs", grouped(many)),
    };
    match report.gain {
        Some(gain) => {
            format!("{} ± {:.1} Elo estimated gain after {pairs}", signed(gain.elo.0, 1), gain.error.0)
        }
        None => format!("{} weights tuned over {pairs}", report.parameters.len()),
    }
}

/// The estimated gain over the pairs; `None` where the method keeps no account of it.
pub(super) fn gain_chart(report: &TuningReport, path: &[WeightsThen]) -> Option<String> {
    let gains: Vec<(f64, f64, f64)> = path
        .iter()
        .filter_map(|then| then.gain.map(|(elo, error)| (then.pairs as f64, elo, error)))
        .collect();
    let &(_, last, error) = gains.last()?;
    let reach = (3.0 * error).max(1.0);
    let band = gains.iter().map(|&(x, elo, error)| BandPoint { x, low: elo - error, high: elo + error });
    let chart = XyChart {
        title: "Estimated gain over the start".into(),
        description: format!("{last:.1} ± {error:.1} Elo after {} pairs", grouped(report.pairs_scored)),
        x_label: "pairs".into(),
        y_label: "Elo".into(),
        layers: vec![
            Layer::Band { points: band.collect(), tone: Tone::Main },
            Layer::Rule { y: 0.0, label: "start".into(), tone: Tone::Neutral },
            Layer::Line {
                name: signed(last, 1),
                points: gains.iter().map(|&(x, elo, _)| (x, elo)).collect(),
                tone: Tone::Main,
            },
        ],
        y_limit: Some((last.min(0.0) - reach, last.max(0.0) + reach)),
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// How much was gained, over the pairs.
pub(super) fn gain_section(
    report: &TuningReport,
    path: &[WeightsThen],
    acceptance: Option<&Acceptance>,
) -> Section {
    let mut html = "<h2>What was gained</h2>".to_owned();
    match gain_chart(report, path) {
        Some(svg) => figure(&mut html, "gain", "Estimated gain with its 95 % interval", &svg),
        None => html.push_str("<p>This method keeps no account of the gain; only games can tell.</p>"),
    }
    html.push_str("<h3>The acceptance test</h3>");
    match acceptance {
        Some(Acceptance { sentence, link }) => {
            let _ = write!(
                html,
                "<p>Tuned weights against the old ones, on openings that the tuning did not use: \
                 <a href=\"{}\"><strong>{}</strong></a></p>",
                escape(link),
                escape(sentence)
            );
        }
        None => html.push_str("<p>Not played, or not yet: an estimate is no proof.</p>"),
    }
    Section { id: "gained", html }
}

/// Every weight before and after, and which ones make no difference.
pub(super) fn weights_section(report: &TuningReport, path: &[WeightsThen]) -> Section {
    let mut html = "<h2>Weights</h2>".to_owned();
    let dead: Vec<&ParameterReport> =
        report.parameters.iter().filter(|weight| weight.effect == ParameterEffect::NotSeen).collect();
    if !dead.is_empty() {
        let names: Vec<String> =
            dead.iter().map(|weight| format!("<code>{}</code>", escape(&weight.name))).collect();
        let _ = write!(
            html,
            "<p id=\"dead\">No effect was seen of {} ({} of {}): dead, or flat near the optimum.</p>",
            names.join(", "),
            dead.len(),
            report.parameters.len()
        );
    }
    let all = report.parameters.len();
    if all > ROWS_SHOWN {
        let furthest = moved_furthest(report, path, ROWS_SHOWN).into_iter().map(|at| &report.parameters[at]);
        let caption =
            format!("Before and after: the {ROWS_SHOWN} weights that moved furthest for their intervals");
        weights_table(&mut html, &caption, furthest);
        let _ = write!(html, "<details><summary>All {all} weights</summary>");
        weights_table(&mut html, "Before and after", report.parameters.iter());
        html.push_str("</details>");
    } else {
        weights_table(&mut html, "Before and after", report.parameters.iter());
    }
    html.push_str(&board_figures(report));
    Section { id: "weights", html }
}

fn weights_table<'a>(html: &mut String, caption: &str, weights: impl Iterator<Item = &'a ParameterReport>) {
    let _ = write!(
        html,
        "<table><caption>{caption}</caption><thead><tr><th>weight<th class=\"n\">before<th class=\"n\">after\
         <th class=\"n\">change<th class=\"n\">95 % interval<th>effect</tr></thead><tbody>",
    );
    for weight in weights {
        let interval = weight
            .interval
            .map_or_else(|| "–".to_owned(), |[low, high]| format!("{} to {}", short(low), short(high)));
        let change = weight.best - weight.start;
        let change = if change == 0.0 { "0".to_owned() } else { signed_value(change) };
        let effect = effect_word(weight.effect);
        let _ = write!(
            html,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{change}<td class=\"n\">{interval}\
             <td>{effect}</tr>",
            escape(&weight.name),
            value_text(weight.start),
            value_text(weight.best),
        );
    }
    html.push_str("</tbody></table>");
}

/// The path of each weight.
pub(super) fn path_section(report: &TuningReport, path: &[WeightsThen]) -> Section {
    let mut html = "<h2>Paths</h2>".to_owned();
    let mut order: Vec<usize> = (0..report.parameters.len()).collect();
    if order.len() > PATHS_SHOWN {
        let _ = write!(html, "<p>The {PATHS_SHOWN} of {} weights that moved furthest.</p>", order.len());
        order = moved_furthest(report, path, PATHS_SHOWN);
        order.sort_unstable();
    }
    html.push_str("<div class=\"many\">");
    for place in order {
        let weight = &report.parameters[place];
        figure(&mut html, &format!("path-{place}"), &weight.name, &path_chart(weight, path, place).svg());
    }
    html.push_str("</div>");
    Section { id: "paths", html }
}

/// The places of the weights that moved furthest, the furthest first.
fn moved_furthest(report: &TuningReport, path: &[WeightsThen], most: usize) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> =
        (0..report.parameters.len()).map(|place| (moved(report, path, place), place)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    order.truncate(most);
    order.into_iter().map(|(_, place)| place).collect()
}

/// How far a weight moved, in units of its widest interval.
fn moved(report: &TuningReport, path: &[WeightsThen], place: usize) -> f64 {
    let weight = &report.parameters[place];
    let widths = path.iter().filter_map(|then| then.weights[place].1.map(|[low, high]| high - low));
    let width = widths.fold(0.0, f64::max);
    // Not every method has intervals; without them a weight is measured by itself.
    let unit = if width > 0.0 { width } else { weight.start.abs().max(1.0) };
    ((weight.best - weight.start) / unit).abs()
}

/// The chart of one weight.
pub(super) fn path_chart(weight: &ParameterReport, path: &[WeightsThen], place: usize) -> XyChart {
    let at = |then: &WeightsThen| then.pairs as f64;
    let band: Vec<BandPoint> = path
        .iter()
        .filter_map(|then| then.weights[place].1.map(|[low, high]| BandPoint { x: at(then), low, high }))
        .collect();
    let line = path.iter().map(|then| (at(then), then.weights[place].0)).collect();
    let interval = weight
        .interval
        .map(|[low, high]| format!(", 95 % interval {} to {}", short(low), short(high)))
        .unwrap_or_default();
    XyChart {
        title: weight.name.clone(),
        description: format!("from {} to {}{interval}", value_text(weight.start), value_text(weight.best)),
        x_label: "pairs".into(),
        y_label: "value".into(),
        layers: vec![
            Layer::Band { points: band, tone: Tone::Main },
            Layer::Rule { y: weight.start, label: "before".into(), tone: Tone::Neutral },
            Layer::Line { name: value_text(weight.best), points: line, tone: Tone::Main },
        ],
        y_limit: None,
        size: ChartSize::Small,
    }
}

/// A value to at most one decimal.
fn short(value: f64) -> String {
    value_text((10.0 * value).round() / 10.0)
}

fn signed_value(change: f64) -> String {
    let text = value_text(change);
    if change > 0.0 { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Elo;
    use crate::tuning::GainEstimate;

    fn weight(name: &str, start: f64, best: f64, effect: ParameterEffect) -> ParameterReport {
        ParameterReport { name: name.into(), start, best, interval: Some([best - 3.25, best + 3.0]), effect }
    }

    fn report(parameters: Vec<ParameterReport>) -> TuningReport {
        TuningReport {
            pairs_scored: 1500,
            pairs_left: 0,
            parameters,
            gain: Some(GainEstimate { elo: Elo(12.34), error: Elo(5.0) }),
            remaining_loss: Some(Elo(1.0)),
        }
    }

    #[test]
    fn weights_that_make_no_difference_are_named_and_markup_in_names_stays_text() {
        let found = report(vec![
            weight("<b>mobility", 4.0, 6.0, ParameterEffect::Clear),
            weight("tempo", 10.0, 8.0, ParameterEffect::NotSeen),
        ]);
        let html = weights_section(&found, &[]).html;
        assert!(html.contains("No effect was seen of <code>tempo</code> (1 of 2)"), "{html}");
        assert!(html.contains("&lt;b&gt;mobility") && !html.contains("<b>mobility"), "{html}");
        assert!(html.contains("<td class=\"n\">+2") && html.contains("<td class=\"n\">\u{2212}2"), "{html}");
        assert!(html.contains("2.8 to 9<"), "{html}");
        assert_eq!(tuning_sentence(&found), "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs");
    }

    #[test]
    fn of_many_weights_those_that_moved_furthest_come_first_and_all_can_be_opened() {
        let many =
            (0..40).map(|at| weight(&format!("w{at}"), 0.0, f64::from(at % 7), ParameterEffect::Unclear));
        let html = weights_section(&report(many.collect()), &[]).html;
        assert!(
            html.contains("the 24 weights that moved furthest") && html.contains("All 40 weights"),
            "{html}"
        );
        assert!(html.find("<td>w6<").unwrap() < html.find("<td>w0<").unwrap(), "w6 moved furthest");
        assert!(html.matches("<td>w6<").count() == 2 && html.matches("<td>w0<").count() == 1);
    }
}
