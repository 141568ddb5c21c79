//! The charts of a match.

use crate::report::chart::{
    BandPoint, Bar, BarChart, BarShare, ChartSize, Layer, ShareChart, Tone, ValueFormat, XyChart, decimate,
    decimate_band,
};
use crate::report::hypotheses_text;
use crate::report::number_text::{grouped, signed};
use crate::report::page::MatchData;
use crate::stats::{Bounds, Pentanomial, SprtConfig, Strength, TestKind, Trinomial};

/// Number of points in a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartDetail {
    /// For a file: as many as are visible at the width of a page.
    Full,
    /// For a live page, which is sent again with every change.
    Live,
}

impl ChartDetail {
    /// Returns the largest number of points in a curve.
    fn max_points(self) -> usize {
        match self {
            Self::Full => 1200,
            Self::Live => 400,
        }
    }
}

/// Fewest pairs from which a curve is drawn. A curve of fewer is mostly empty axes.
pub(super) const FEWEST_PAIRS: u64 = 10;

/// Index of the first pair in the Elo curve. The first pairs have intervals of hundreds of Elo, which would flatten the rest
/// of the chart.
const FIRST_ESTIMATE: usize = 8;

/// Returns the curve of the log-likelihood ratio between its bounds, or `None` without a test or with too few pairs.
pub(super) fn llr_chart(data: &MatchData, sprt: &SprtConfig, detail: ChartDetail) -> Option<String> {
    if data.llr().is_empty() || data.pairs() < FEWEST_PAIRS {
        return None;
    }
    let bounds = sprt.bounds_at(&counts_of(data));
    let mut path = vec![(0.0, 0.0)];
    path.extend(data.llr().iter().enumerate().map(|(pair, llr)| (pair as f64 + 1.0, *llr)));
    let last = path.last().map_or(0.0, |point| point.1);
    let tested = hypotheses_text(sprt);
    let chart = XyChart {
        title: format!("Log-likelihood ratio, {tested}"),
        description: format!(
            "{last:.2} after {} pairs; H0 is accepted at {:.2}, H1 at {:.2}",
            grouped(data.pairs()),
            bounds.lower,
            bounds.upper
        ),
        x_label: "pairs".into(),
        y_label: "LLR".into(),
        layers: bound_layers(data, sprt)
            .into_iter()
            .chain([Layer::Line {
                name: "LLR".into(),
                label: signed(last, 2),
                points: decimate(&path, detail.max_points()),
                tone: Tone::Main,
            }])
            .collect(),
        y_limit: None,
        values: ValueFormat { decimals: 2, signed: true },
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// Number of points of a bound that is not constant. It is nearly straight.
const BOUND_POINTS: usize = 40;

/// Returns the bounds of a test: rules if they are constant, otherwise curves.
fn bound_layers(data: &MatchData, sprt: &SprtConfig) -> Vec<Layer> {
    let label = |name: &str, y: f64| format!("{name} {}", signed(y, 2));
    if sprt.kind == TestKind::Sprt {
        let Bounds { lower, upper } = sprt.bounds();
        return vec![
            Layer::Rule { y: upper, label: label("H1", upper), tone: Tone::Good },
            Layer::Rule { y: lower, label: label("H0", lower), tone: Tone::Bad },
        ];
    }
    let stride = (data.scores().len() / BOUND_POINTS).max(1);
    let start = sprt.bounds();
    let (mut above, mut below) = (vec![(0.0, start.upper)], vec![(0.0, start.lower)]);
    let mut counts = Pentanomial::default();
    for (index, score) in data.scores().iter().enumerate() {
        counts.count(*score);
        let pairs = index + 1;
        if pairs % stride == 0 || pairs == data.scores().len() {
            let Bounds { lower, upper } = sprt.bounds_at(&counts);
            above.push((pairs as f64, upper));
            below.push((pairs as f64, lower));
        }
    }
    [("H1", above, Tone::Good), ("H0", below, Tone::Bad)]
        .map(|(name, points, tone)| {
            let last = points.last().map_or(0.0, |point: &(f64, f64)| point.1);
            Layer::Line { name: name.to_owned(), label: label(name, last), points, tone }
        })
        .into()
}

fn counts_of(data: &MatchData) -> Pentanomial {
    let mut counts = Pentanomial::default();
    data.scores().iter().for_each(|score| counts.count(*score));
    counts
}

/// Returns the curve of Elo with its 95 % interval, or `None` with too few pairs or without a finite estimate. It ends with
/// the strength that the page states, which allows for the stopping rule of `test`.
pub(super) fn elo_chart(data: &MatchData, test: Option<&SprtConfig>, detail: ChartDetail) -> Option<String> {
    if data.pairs() < FEWEST_PAIRS {
        return None;
    }
    let stride = (data.scores().len() / detail.max_points()).max(1);
    let mut counts = Pentanomial::default();
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (index, score) in data.scores().iter().enumerate() {
        counts.count(*score);
        let pairs = index + 1;
        if pairs < FIRST_ESTIMATE || (pairs % stride != 0 && pairs != data.scores().len()) {
            continue;
        }
        let strength = match test.filter(|_| pairs == data.scores().len()) {
            Some(test) => Strength::of_test(&counts, test),
            None => Strength::of(&counts),
        };
        if let Some(Strength { elo: Some(elo), lower: Some(lower), upper: Some(upper), .. }) = strength {
            line.push((pairs as f64, elo.0));
            band.push(BandPoint { x: pairs as f64, low: lower.0, high: upper.0 });
        }
    }
    let (last, interval) = (line.last()?.1, (band.last()?.high - band.last()?.low) / 2.0);
    // Early intervals are clipped, so that the end of the curve is readable.
    let reach = interval * 3.0;
    let chart = XyChart {
        title: "Elo difference with its 95 % interval".into(),
        description: format!("{last:.1} ± {interval:.1} Elo after {} pairs", grouped(data.pairs())),
        x_label: "pairs".into(),
        y_label: "Elo".into(),
        layers: vec![
            Layer::Band {
                name: "95 % interval".into(),
                points: decimate_band(&band, detail.max_points()),
                tone: Tone::Main,
            },
            Layer::Rule { y: 0.0, label: "equal".into(), tone: Tone::Neutral },
            Layer::Line { name: "Elo".into(), label: signed(last, 1), points: line, tone: Tone::Main },
        ],
        y_limit: Some((last.min(0.0) - reach, last.max(0.0) + reach)),
        values: ValueFormat { decimals: 1, signed: true },
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// Returns the number of pairs by points of the candidate.
pub(super) fn pentanomial_chart(data: &MatchData) -> String {
    let cells =
        [("0", Tone::Bad), ("½", Tone::Bad), ("1", Tone::Neutral), ("1½", Tone::Good), ("2", Tone::Good)];
    let bars = cells
        .into_iter()
        .zip(data.pentanomial.0)
        .map(|((label, tone), count)| Bar { label: label.into(), count, tone })
        .collect();
    let x_label = "points in the pair".into();
    BarChart { title: "Pairs by points".into(), x_label, y_label: "pairs".into(), bars }.svg()
}

/// Returns the wins, draws and losses of the candidate with each colour.
pub(super) fn colour_chart(data: &MatchData) -> String {
    let row = |label: &str, tally: Trinomial| BarShare {
        label: label.into(),
        parts: vec![
            ("won".into(), tally.wins, Tone::Good),
            ("drawn".into(), tally.draws, Tone::Neutral),
            ("lost".into(), tally.losses, Tone::Bad),
        ],
    };
    let rows = if data.is_tournament() {
        vec![row("White", data.with_white)]
    } else {
        vec![row("with White", data.with_white), row("with Black", data.with_black)]
    };
    ShareChart { title: "Games by colour".into(), rows }.svg()
}

/// Largest number of bars of lengths; longer games are in the last one.
const LENGTH_BARS: u64 = 16;

/// Returns the number of games by length.
pub(super) fn length_chart(data: &MatchData) -> String {
    let all: u64 = data.lengths.values().sum();
    let longest = data.lengths.keys().last().copied().unwrap_or(0);
    // The last bar takes the longest hundredth, so that one long game does not squeeze all others.
    let mut last = 0;
    let mut up_to = 0;
    for (cell, count) in &data.lengths {
        up_to += count;
        last = *cell;
        if up_to * 100 >= all * 99 {
            break;
        }
    }
    let last = last.min(LENGTH_BARS - 1);
    let bars = (0..=last)
        .map(|cell| {
            let is_open = cell == last && longest > last;
            Bar {
                label: if is_open {
                    format!("{}+", cell * 20)
                } else {
                    format!("{}–{}", cell * 20, cell * 20 + 19)
                },
                count: if is_open {
                    data.lengths.range(cell..).map(|(_, count)| count).sum()
                } else {
                    data.lengths.get(&cell).copied().unwrap_or(0)
                },
                tone: Tone::Main,
            }
        })
        .collect();
    BarChart { title: "Games by length".into(), x_label: "half-moves".into(), y_label: "games".into(), bars }
        .svg()
}
