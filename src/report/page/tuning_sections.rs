//! The sections of the page of a tuning run: gain, weights and paths.

use askama::Template;

use crate::report::chart::{BandPoint, ChartSize, Layer, Tone, XyChart};
use crate::report::markup::render;
use crate::report::number_text::{grouped, signed, value_text};
use crate::report::page::html::{Section, figure};
use crate::report::page::tuning_boards::{BoardFigures, board_figures};
use crate::report::page::tuning_data::PathPoint;
use crate::report::text::effect_word;
use crate::tuning::{ParameterEffect, ParameterReport, TuningReport};

/// Largest number of weights whose paths are drawn: those that moved furthest.
const PATHS_SHOWN: usize = 60;

/// Largest number of weights in the visible table; the table of all weights is folded.
const ROWS_SHOWN: usize = 24;

/// The acceptance test of a tuning run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Result of the test in one sentence.
    pub sentence: String,
    /// URL of the page of the test, relative to this page.
    pub link: String,
}

/// Returns the result of a tuning run in one sentence.
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

/// Returns the curve of the estimated gain, or `None` if the method does not estimate it.
pub(super) fn gain_chart(report: &TuningReport, path: &[PathPoint]) -> Option<String> {
    let gains: Vec<(f64, f64, f64)> = path
        .iter()
        .filter_map(|point| point.gain.map(|(elo, error)| (point.pairs as f64, elo, error)))
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

#[derive(Template)]
#[template(path = "gain.html")]
struct GainTemplate<'a> {
    gain: Option<String>,
    acceptance: Option<&'a Acceptance>,
}

/// Returns the section with the estimated gain over the pairs and the acceptance test.
pub(super) fn gain_section(
    report: &TuningReport,
    path: &[PathPoint],
    acceptance: Option<&Acceptance>,
) -> Section {
    let gain = gain_chart(report, path);
    let gain = gain.map(|svg| figure("gain", "Estimated gain with 95 % interval", svg));
    Section { id: "gained", html: render(&GainTemplate { gain, acceptance }) }
}

#[derive(Template)]
#[template(path = "weights.html")]
struct WeightsTemplate<'a> {
    without_effect: Vec<&'a str>,
    furthest: Option<Vec<WeightRow<'a>>>,
    all: Vec<WeightRow<'a>>,
    boards: Vec<BoardFigures>,
}

/// A weight before and after, as text.
struct WeightRow<'a> {
    name: &'a str,
    before: String,
    after: String,
    change: String,
    interval: String,
    effect: &'static str,
}

impl<'a> WeightRow<'a> {
    fn new(weight: &'a ParameterReport) -> Self {
        let change = weight.best - weight.start;
        Self {
            name: &weight.name,
            before: value_text(weight.start),
            after: value_text(weight.best),
            change: if change == 0.0 { "0".to_owned() } else { signed_value(change) },
            interval: weight
                .interval
                .map_or_else(|| "–".to_owned(), |[low, high]| format!("{} to {}", short(low), short(high))),
            effect: effect_word(weight.effect),
        }
    }
}

/// Returns the section with every weight before and after, and the weights without effect.
pub(super) fn weights_section(report: &TuningReport, path: &[PathPoint]) -> Section {
    let weights = &report.parameters;
    let without_effect = weights.iter().filter(|weight| weight.effect == ParameterEffect::NotSeen);
    let furthest = (weights.len() > ROWS_SHOWN).then(|| moved_furthest(report, path, ROWS_SHOWN));
    let template = WeightsTemplate {
        without_effect: without_effect.map(|weight| weight.name.as_str()).collect(),
        furthest: furthest
            .map(|places| places.into_iter().map(|place| WeightRow::new(&weights[place])).collect()),
        all: weights.iter().map(WeightRow::new).collect(),
        boards: board_figures(report),
    };
    Section { id: "weights", html: render(&template) }
}

#[derive(Template)]
#[template(path = "paths.html")]
struct PathsTemplate {
    weights: usize,
    figures: Vec<String>,
}

/// Returns the section with the path of each weight.
pub(super) fn path_section(report: &TuningReport, path: &[PathPoint]) -> Section {
    let weights = report.parameters.len();
    let mut order: Vec<usize> = (0..weights).collect();
    if weights > PATHS_SHOWN {
        order = moved_furthest(report, path, PATHS_SHOWN);
        order.sort_unstable();
    }
    let figure_of = |place: usize| {
        let weight = &report.parameters[place];
        figure(&format!("path-{place}"), &weight.name, path_chart(weight, path, place).svg())
    };
    let figures = order.into_iter().map(figure_of).collect();
    Section { id: "paths", html: render(&PathsTemplate { weights, figures }) }
}

/// Returns the indices of the weights that moved furthest, the furthest first.
fn moved_furthest(report: &TuningReport, path: &[PathPoint], most: usize) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> =
        (0..report.parameters.len()).map(|place| (moved(report, path, place), place)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    order.truncate(most);
    order.into_iter().map(|(_, place)| place).collect()
}

/// Returns the distance that a weight moved in units of its widest interval.
fn moved(report: &TuningReport, path: &[PathPoint], place: usize) -> f64 {
    let weight = &report.parameters[place];
    let widths = path.iter().filter_map(|point| point.weights[place].1.map(|[low, high]| high - low));
    let width = widths.fold(0.0, f64::max);
    // Not every method has intervals; without them the unit is the start value.
    let unit = if width > 0.0 { width } else { weight.start.abs().max(1.0) };
    ((weight.best - weight.start) / unit).abs()
}

/// Returns the chart of the path of one weight.
pub(super) fn path_chart(weight: &ParameterReport, path: &[PathPoint], place: usize) -> XyChart {
    let at = |point: &PathPoint| point.pairs as f64;
    let band: Vec<BandPoint> = path
        .iter()
        .filter_map(|point| point.weights[place].1.map(|[low, high]| BandPoint { x: at(point), low, high }))
        .collect();
    let line = path.iter().map(|point| (at(point), point.weights[place].0)).collect();
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

/// Returns a value with at most one decimal.
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
    fn weights_without_effect_are_listed_and_markup_in_names_is_escaped() {
        let found = report(vec![
            weight("<b>mobility", 4.0, 6.0, ParameterEffect::Clear),
            weight("tempo", 10.0, 8.0, ParameterEffect::NotSeen),
        ]);
        let html = weights_section(&found, &[]).html;
        assert!(html.contains("No effect was measured for <code>tempo</code> (1 of 2)"), "{html}");
        assert!(html.contains("&lt;b&gt;mobility") && !html.contains("<b>mobility"), "{html}");
        assert!(html.contains("<td class=\"n\">+2") && html.contains("<td class=\"n\">\u{2212}2"), "{html}");
        assert!(html.contains("2.8 to 9<"), "{html}");
        assert_eq!(tuning_sentence(&found), "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs");
    }

    #[test]
    fn a_long_table_shows_the_weights_that_moved_furthest_and_folds_the_rest() {
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
