//! The sections of the page of a tuning run: gain, weights and paths.

use askama::Template;

use crate::report::chart::{BandPoint, ChartSize, Layer, Tone, ValueFormat, XyChart};
use crate::report::markup::render;
use crate::report::number_text::{grouped, signed, value_text};
use crate::report::page::html::{Section, figure};
use crate::report::page::tuning_boards::{BoardFigures, board_figures};
use crate::report::page::tuning_data::PathPoint;
use crate::report::text::effect_word;
use crate::report::{AcceptanceState, TuningSummary};
use crate::tuning::{ParameterEffect, ParameterReport, TuningReport};

/// Largest number of weights whose paths are drawn: those that moved furthest.
const PATHS_SHOWN: usize = 60;

/// Largest number of weights in the visible table; the table of all weights is folded.
const ROWS_SHOWN: usize = 24;

/// Returns the curve of the estimated gain, or `None` if the method does not estimate it, or has estimated it only once: a
/// point is no curve.
pub(super) fn gain_chart(report: &TuningReport, path: &[PathPoint]) -> Option<String> {
    let gains: Vec<(f64, f64, f64)> = path
        .iter()
        .filter_map(|point| point.gain.map(|(elo, error)| (point.pairs as f64, elo, error)))
        // Before the first change the estimate is zero with an error of zero, which is no measurement.
        .skip_while(|&(_, elo, error)| elo == 0.0 && error == 0.0)
        .collect();
    let &(_, last, error) = gains.get(1..)?.last()?;
    let reach = (3.0 * error).max(1.0);
    let band = gains.iter().map(|&(x, elo, error)| BandPoint { x, low: elo - error, high: elo + error });
    let chart = XyChart {
        title: "Estimated gain over the start".into(),
        description: format!("{last:.1} ± {error:.1} Elo after {} pairs", grouped(report.pairs_scored)),
        x_label: "pairs".into(),
        y_label: "Elo".into(),
        layers: vec![
            Layer::Band { name: "95 % interval".into(), points: band.collect(), tone: Tone::Main },
            Layer::Rule { y: 0.0, label: "start".into(), tone: Tone::Neutral },
            Layer::Line {
                name: "gain".into(),
                label: signed(last, 1),
                points: gains.iter().map(|&(x, elo, _)| (x, elo)).collect(),
                tone: Tone::Main,
            },
        ],
        y_limit: Some((last.min(0.0) - reach, last.max(0.0) + reach)),
        values: ValueFormat { decimals: 1, signed: true },
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

#[derive(Template)]
#[template(path = "gain.html")]
struct GainTemplate<'a> {
    gain: Option<String>,
    explanation: &'static str,
    test: Option<String>,
    test_link: Option<&'a str>,
}

/// Returns the section with the estimated gain over the pairs and the acceptance test.
pub(super) fn gain_section(
    report: &TuningReport,
    path: &[PathPoint],
    outcome: Option<&TuningSummary>,
    test_link: &str,
) -> Section {
    let gain = gain_chart(report, path);
    let explanation = match (&gain, report.gain) {
        (Some(_), _) => "",
        (None, Some(_)) => "The gain is drawn once two estimates have best values other than the start.",
        (None, None) => "This method does not estimate the gain; only a test can measure it.",
    };
    let template = GainTemplate {
        gain: gain.map(|svg| figure("gain", "Estimated gain with 95 % interval", svg)),
        explanation,
        test: outcome.and_then(|outcome| test_text(outcome, report.pairs_scored)),
        test_link: outcome.and_then(|outcome| outcome.test.as_ref()).map(|_| test_link),
    };
    Section { id: "gained", html: render(&template) }
}

/// Returns the result of the acceptance test, or when it is played; `None` if there is none.
fn test_text(outcome: &TuningSummary, pairs: u64) -> Option<String> {
    outcome.acceptance.word()?;
    Some(match outcome.acceptance {
        AcceptanceState::Tuning => "It is played when the tuning has ended".to_owned(),
        _ => outcome.sentence(pairs),
    })
}

#[derive(Template)]
#[template(path = "weights.html")]
struct WeightsTemplate<'a> {
    explanation: Option<&'static str>,
    as_uci: String,
    as_toml: String,
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
            interval: weight.interval.map_or_else(
                || "–".to_owned(),
                |[low, high]| format!("{} to {}", short(low, weight), short(high, weight)),
            ),
            effect: effect_word(weight.effect),
        }
    }
}

/// Returns the section with every weight before and after, and the weights without effect.
pub(super) fn weights_section(report: &TuningReport, path: &[PathPoint]) -> Section {
    let weights = &report.parameters;
    let without_effect = weights.iter().filter(|weight| weight.effect == ParameterEffect::NotSeen);
    let furthest = (weights.len() > ROWS_SHOWN).then(|| moved_furthest(report, path, ROWS_SHOWN));
    let has_intervals = weights.iter().any(|weight| weight.interval.is_some());
    let line = |form: fn(&ParameterReport) -> String| weights.iter().map(form).collect::<Vec<_>>().join("\n");
    let template = WeightsTemplate {
        explanation: (!has_intervals).then_some(
            "Intervals are not known yet: the method has none, or has too few games to estimate them honestly.",
        ),
        as_uci: line(|weight| format!("setoption name {} value {}", weight.name, weight.best)),
        as_toml: line(|weight| format!("{} = {}", weight.name, weight.best)),
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
        .map(|[low, high]| format!(", 95 % interval {} to {}", short(low, weight), short(high, weight)))
        .unwrap_or_default();
    XyChart {
        title: weight.name.clone(),
        description: format!("from {} to {}{interval}", value_text(weight.start), value_text(weight.best)),
        x_label: "pairs".into(),
        y_label: "best value so far".into(),
        layers: vec![
            Layer::Band { name: "95 % interval".into(), points: band, tone: Tone::Main },
            Layer::Rule { y: weight.start, label: "before".into(), tone: Tone::Neutral },
            Layer::Line {
                name: "value".into(),
                label: value_text(weight.best),
                points: line,
                tone: Tone::Main,
            },
        ],
        y_limit: None,
        values: ValueFormat { decimals: usize::from(weight.best.fract() != 0.0) * 2, signed: false },
        size: ChartSize::Small,
    }
}

/// Returns a value with at most one decimal.
/// Returns an end of an interval: whole if the weight is, otherwise with three decimals.
fn short(value: f64, weight: &ParameterReport) -> String {
    let is_whole = weight.start.fract() == 0.0 && weight.best.fract() == 0.0;
    value_text(if is_whole { value.round() } else { (1000.0 * value).round() / 1000.0 })
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
    fn a_gain_that_was_estimated_once_is_no_curve() {
        let point = |pairs: u64, gain: (f64, f64)| PathPoint { pairs, weights: Vec::new(), gain: Some(gain) };
        let found = report(Vec::new());
        let path = [point(50, (0.0, 0.0)), point(100, (2.6, 7.0)), point(150, (3.1, 5.0))];
        assert_eq!(gain_chart(&found, &path[..2]), None);
        assert!(gain_chart(&found, &path).is_some_and(|svg| svg.contains("+3.1")));
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
        assert!(html.contains("3 to 9<"), "the ends of whole weights are whole: {html}");
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
