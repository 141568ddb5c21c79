//! The sections of a tuning run: paths, tables before and after, and the test that follows.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::html::{Section, figure};
use super::tuning_picture::WeightsThen;
use crate::report::chart::{
    BandPoint, BoardMap, ChartSize, Layer, Tone, XyChart, escape, grouped, signed, value_text,
};
use crate::report::tuning_block::effect_word;
use crate::tuning::{Effect, ParameterReport, TuningReport};

/// Weights whose paths are drawn; of more, those that moved furthest.
const PATHS_SHOWN: usize = 60;

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
    let pairs = match report.pairs_told {
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

/// How much was gained, over the pairs.
pub(super) fn gain_section(
    report: &TuningReport,
    path: &[WeightsThen],
    acceptance: Option<&Acceptance>,
) -> Section {
    let mut html = "<h2>What was gained</h2>".to_owned();
    let gains: Vec<(f64, f64, f64)> = path
        .iter()
        .filter_map(|then| then.gain.map(|(elo, error)| (then.pairs as f64, elo, error)))
        .collect();
    if let Some(&(_, last, error)) = gains.last() {
        let reach = (3.0 * error).max(1.0);
        let chart = XyChart {
            title: "Estimated gain over the start".into(),
            description: format!("{last:.1} ± {error:.1} Elo after {} pairs", grouped(report.pairs_told)),
            x_label: "pairs".into(),
            y_label: "Elo".into(),
            layers: vec![
                Layer::Band {
                    points: gains
                        .iter()
                        .map(|&(x, elo, error)| BandPoint { x, low: elo - error, high: elo + error })
                        .collect(),
                    tone: Tone::Main,
                },
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
        figure(&mut html, "gain", "Estimated gain with its 95 % interval", &chart.svg());
    } else {
        html.push_str("<p>This method keeps no account of the gain; only games can tell.</p>");
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
pub(super) fn weights_section(report: &TuningReport) -> Section {
    let mut html = "<h2>Weights</h2>".to_owned();
    let dead: Vec<&ParameterReport> =
        report.parameters.iter().filter(|weight| weight.effect == Effect::NotSeen).collect();
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
    html.push_str(
        "<table><caption>Before and after</caption><thead><tr><th>weight<th class=\"n\">before<th class=\"n\">after\
         <th class=\"n\">change<th class=\"n\">95 % interval<th>effect</tr></thead><tbody>",
    );
    for weight in &report.parameters {
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
    html.push_str(&boards(report));
    Section { id: "weights", html }
}

/// The path of each weight.
pub(super) fn path_section(report: &TuningReport, path: &[WeightsThen]) -> Section {
    let mut html = "<h2>Paths</h2>".to_owned();
    let mut order: Vec<usize> = (0..report.parameters.len()).collect();
    if order.len() > PATHS_SHOWN {
        let _ = write!(html, "<p>The {PATHS_SHOWN} of {} weights that moved furthest.</p>", order.len());
        order.sort_by(|one, other| moved(report, path, *other).total_cmp(&moved(report, path, *one)));
        order.truncate(PATHS_SHOWN);
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

/// How far a weight moved, in units of its widest interval.
fn moved(report: &TuningReport, path: &[WeightsThen], place: usize) -> f64 {
    let weight = &report.parameters[place];
    let widths = path.iter().filter_map(|then| then.weights[place].1.map(|[low, high]| high - low));
    let width = widths.fold(f64::MIN_POSITIVE, f64::max);
    ((weight.best - weight.start) / width).abs()
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

/// Weights whose names end in a square, table by table, before and after.
fn boards(report: &TuningReport) -> String {
    let mut tables: BTreeMap<&str, [[Option<i32>; 64]; 2]> = BTreeMap::new();
    for weight in &report.parameters {
        if let Some((table, square)) = table_and_square(&weight.name) {
            let [before, after] = tables.entry(table).or_insert([[None; 64]; 2]);
            before[square] = Some(weight.start.round() as i32);
            after[square] = Some(weight.best.round() as i32);
        }
    }
    tables.retain(|_, [before, _]| before.iter().flatten().count() >= 8);
    let mut html = String::new();
    for (table, values) in tables {
        let _ = write!(html, "<h3>{}</h3><div class=\"many\">", escape(table));
        for (when, values) in ["before", "after"].into_iter().zip(values) {
            let map = BoardMap { title: format!("{table} {when}"), values };
            figure(&mut html, &format!("board-{}-{when}", safe_id(table)), when, &map.svg());
        }
        html.push_str("</div>");
    }
    html
}

/// `pst_knight_mg_d4` is square d4 of the table `pst_knight_mg`.
fn table_and_square(name: &str) -> Option<(&str, usize)> {
    let (table, square) = name.rsplit_once('_')?;
    match square.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some((table, usize::from(rank - b'1') * 8 + usize::from(file - b'a')))
        }
        _ => None,
    }
}

fn safe_id(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
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
    use crate::tuning::Gained;

    fn weight(name: &str, start: f64, best: f64, effect: Effect) -> ParameterReport {
        ParameterReport { name: name.into(), start, best, interval: Some([best - 3.25, best + 3.0]), effect }
    }

    fn report(parameters: Vec<ParameterReport>) -> TuningReport {
        TuningReport {
            pairs_told: 1500,
            pairs_left: 0,
            parameters,
            gain: Some(Gained { elo: Elo(12.34), error: Elo(5.0) }),
            remaining_loss: Some(Elo(1.0)),
        }
    }

    #[test]
    fn weights_that_make_no_difference_are_named_and_markup_in_names_stays_text() {
        let found = report(vec![
            weight("<b>mobility", 4.0, 6.0, Effect::Clear),
            weight("tempo", 10.0, 8.0, Effect::NotSeen),
        ]);
        let html = weights_section(&found).html;
        assert!(html.contains("No effect was seen of <code>tempo</code> (1 of 2)"), "{html}");
        assert!(html.contains("&lt;b&gt;mobility") && !html.contains("<b>mobility"), "{html}");
        assert!(html.contains("<td class=\"n\">+2") && html.contains("<td class=\"n\">\u{2212}2"), "{html}");
        assert!(html.contains("2.8 to 9<"), "{html}");
        assert_eq!(tuning_sentence(&found), "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs");
    }

    #[test]
    fn tables_named_by_squares_are_drawn_as_boards_before_and_after() {
        let squares = (0..64).map(|at: u8| {
            let name = format!("pst_knight_mg_{}{}", char::from(b'a' + at % 8), at / 8 + 1);
            weight(&name, f64::from(at), -f64::from(at), Effect::Clear)
        });
        let html = weights_section(&report(squares.collect())).html;
        assert!(html.contains("id=\"board-pst-knight-mg-before\""), "{html}");
        assert!(html.contains("<title>h8: 63</title>") && html.contains("<title>h8: -63</title>"), "{html}");
        assert_eq!(table_and_square("passed_pawn_rank_3"), None);
        assert_eq!(table_and_square("pst_rook_eg_b2"), Some(("pst_rook_eg", 9)));
    }
}
