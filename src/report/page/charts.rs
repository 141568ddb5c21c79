//! The charts of a match, made from its picture.

use crate::report::chart::{
    BandPoint, Bar, BarChart, BarShare, ChartSize, Layer, ShareChart, Tone, XyChart, decimate, decimate_band,
};
use crate::report::number_text::{grouped, signed};
use crate::report::page::MatchData;
use crate::stats::{Bounds, Estimate, Pentanomial, Trinomial};

/// How finely curves are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartDetail {
    /// For a file: as fine as can be seen at the width of a page.
    Full,
    /// For a page that is sent again with every change.
    Live,
}

impl ChartDetail {
    /// Points a curve keeps at most.
    fn most_points(self) -> usize {
        match self {
            Self::Full => 1200,
            Self::Live => 400,
        }
    }
}

/// The path of the log-likelihood ratio between its bounds; `None` without a test.
pub(super) fn llr_chart(picture: &MatchData, bounds: Bounds, detail: ChartDetail) -> Option<String> {
    if picture.llr().is_empty() {
        return None;
    }
    let path: Vec<_> =
        picture.llr().iter().enumerate().map(|(pair, llr)| (pair as f64 + 1.0, *llr)).collect();
    let last = path.last().map_or(0.0, |point| point.1);
    let chart = XyChart {
        title: "Log-likelihood ratio".into(),
        description: format!(
            "{last:.2} after {} pairs, between {:.2} and {:.2}",
            grouped(picture.pairs()),
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
                points: decimate(&path, detail.most_points()),
                tone: Tone::Main,
            },
        ],
        y_limit: None,
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// Elo with its 95 % interval over the pairs; `None` before there is an estimate.
pub(super) fn elo_chart(picture: &MatchData, detail: ChartDetail) -> Option<String> {
    let stride = (picture.scores().len() / detail.most_points()).max(1);
    // The first few pairs have intervals of hundreds of Elo, which would flatten the rest of the chart.
    let first = 8.min(picture.scores().len());
    let mut seen = Pentanomial::default();
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (index, score) in picture.scores().iter().enumerate() {
        seen.count(*score);
        let pairs = index + 1;
        if pairs < first || (pairs % stride != 0 && pairs != picture.scores().len()) {
            continue;
        }
        let Some(estimate) = Estimate::of(&seen) else { continue };
        let (elo, error) = (estimate.elo.0, estimate.elo_error.0);
        line.push((pairs as f64, elo));
        band.push(BandPoint { x: pairs as f64, low: elo - error, high: elo + error });
    }
    let (last, interval) = (line.last()?.1, band.last()?.high - line.last()?.1);
    // Early intervals are held at the edge, so that the end of the curve can be read.
    let reach = interval * 3.0;
    let chart = XyChart {
        title: "Elo difference with its 95 % interval".into(),
        description: format!("{last:.1} ± {interval:.1} Elo after {} pairs", grouped(picture.pairs())),
        x_label: "pairs".into(),
        y_label: "Elo".into(),
        layers: vec![
            Layer::Band { points: decimate_band(&band, detail.most_points()), tone: Tone::Main },
            Layer::Rule { y: 0.0, label: "equal".into(), tone: Tone::Neutral },
            Layer::Line { name: signed(last, 1), points: line, tone: Tone::Main },
        ],
        y_limit: Some((last.min(0.0) - reach, last.max(0.0) + reach)),
        size: ChartSize::Wide,
    };
    Some(chart.svg())
}

/// Pairs by the candidate's points.
pub(super) fn pentanomial_chart(picture: &MatchData) -> String {
    let cells =
        [("0", Tone::Bad), ("½", Tone::Bad), ("1", Tone::Neutral), ("1½", Tone::Good), ("2", Tone::Good)];
    let bars = cells
        .into_iter()
        .zip(picture.pentanomial.0)
        .map(|((label, tone), count)| Bar { label: label.into(), count, tone })
        .collect();
    BarChart { title: "Pairs by points".into(), x_label: "candidate's points in the pair".into(), bars }.svg()
}

/// The candidate's wins, draws and losses with each colour.
pub(super) fn colour_chart(picture: &MatchData) -> String {
    let row = |label: &str, tally: Trinomial| BarShare {
        label: label.into(),
        parts: vec![
            ("won".into(), tally.wins, Tone::Good),
            ("drawn".into(), tally.draws, Tone::Neutral),
            ("lost".into(), tally.losses, Tone::Bad),
        ],
    };
    let rows = vec![row("with White", picture.with_white), row("with Black", picture.with_black)];
    ShareChart { title: "The candidate's games by colour".into(), rows }.svg()
}

/// Games by length.
pub(super) fn length_chart(picture: &MatchData) -> String {
    let longest = picture.lengths.keys().last().copied().unwrap_or(0);
    let bars = (0..=longest)
        .map(|cell| Bar {
            label: format!("{}–{}", cell * 20, cell * 20 + 19),
            count: picture.lengths.get(&cell).copied().unwrap_or(0),
            tone: Tone::Main,
        })
        .collect();
    BarChart { title: "Games by length".into(), x_label: "half-moves".into(), bars }.svg()
}
