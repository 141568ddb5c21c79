//! The charts of a match.

use crate::report::chart::{
    BandPoint, Bar, BarChart, BarShare, ChartSize, Layer, ShareChart, Tone, XyChart, decimate, decimate_band,
};
use crate::report::number_text::{grouped, signed};
use crate::report::page::MatchData;
use crate::stats::{Bounds, Estimate, Pentanomial, Trinomial};

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

/// Returns the curve of the log-likelihood ratio between its bounds, or `None` without a test.
pub(super) fn llr_chart(data: &MatchData, bounds: Bounds, detail: ChartDetail) -> Option<String> {
    if data.llr().is_empty() {
        return None;
    }
    let path: Vec<_> = data.llr().iter().enumerate().map(|(pair, llr)| (pair as f64 + 1.0, *llr)).collect();
    let last = path.last().map_or(0.0, |point| point.1);
    let chart = XyChart {
        title: "Log-likelihood ratio".into(),
        description: format!(
            "{last:.2} after {} pairs, between {:.2} and {:.2}",
            grouped(data.pairs()),
            bounds.lower,
            bounds.upper
        ),
        x_label: "pairs".into(),
        y_label: "LLR".into(),
        layers: vec![
            Layer::Rule { y: bounds.upper, label: "accept".into(), tone: Tone::Good },
            Layer::Rule { y: bounds.lower, label: "reject".into(), tone: Tone::Bad },
            Layer::Line {
                name: signed(last, 2),
                points: decimate(&path, detail.max_points()),
                tone: Tone::Main,
            },
        ],
        y_limit: None,
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// Returns the curve of Elo with its 95 % interval, or `None` without an estimate.
pub(super) fn elo_chart(data: &MatchData, detail: ChartDetail) -> Option<String> {
    let stride = (data.scores().len() / detail.max_points()).max(1);
    // The first few pairs have intervals of hundreds of Elo, which would flatten the rest of the chart.
    let first = 8.min(data.scores().len());
    let mut counts = Pentanomial::default();
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (index, score) in data.scores().iter().enumerate() {
        counts.count(*score);
        let pairs = index + 1;
        if pairs < first || (pairs % stride != 0 && pairs != data.scores().len()) {
            continue;
        }
        let Some(estimate) = Estimate::of(&counts) else { continue };
        let (elo, error) = (estimate.elo.0, estimate.elo_error.0);
        line.push((pairs as f64, elo));
        band.push(BandPoint { x: pairs as f64, low: elo - error, high: elo + error });
    }
    let (last, interval) = (line.last()?.1, band.last()?.high - line.last()?.1);
    // Early intervals are clipped, so that the end of the curve is readable.
    let reach = interval * 3.0;
    let chart = XyChart {
        title: "Elo difference with its 95 % interval".into(),
        description: format!("{last:.1} ± {interval:.1} Elo after {} pairs", grouped(data.pairs())),
        x_label: "pairs".into(),
        y_label: "Elo".into(),
        layers: vec![
            Layer::Band { points: decimate_band(&band, detail.max_points()), tone: Tone::Main },
            Layer::Rule { y: 0.0, label: "equal".into(), tone: Tone::Neutral },
            Layer::Line { name: signed(last, 1), points: line, tone: Tone::Main },
        ],
        y_limit: Some((last.min(0.0) - reach, last.max(0.0) + reach)),
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
    BarChart { title: "Pairs by points".into(), x_label: "candidate's points in the pair".into(), bars }.svg()
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
    let rows = vec![row("with White", data.with_white), row("with Black", data.with_black)];
    ShareChart { title: "The candidate's games by colour".into(), rows }.svg()
}

/// Returns the number of games by length.
pub(super) fn length_chart(data: &MatchData) -> String {
    let longest = data.lengths.keys().last().copied().unwrap_or(0);
    let bars = (0..=longest)
        .map(|cell| Bar {
            label: format!("{}–{}", cell * 20, cell * 20 + 19),
            count: data.lengths.get(&cell).copied().unwrap_or(0),
            tone: Tone::Main,
        })
        .collect();
    BarChart { title: "Games by length".into(), x_label: "half-moves".into(), bars }.svg()
}
