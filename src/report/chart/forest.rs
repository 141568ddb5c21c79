//! Forest plot: a row with a dot and an interval for each estimate.

use std::fmt::Write;

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame, line, text};
use crate::report::number_text::signed;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 192.0;
/// Largest number of letters of a label beside the chart, and in the larger letters of a narrow screen. The description of
/// the chart contains the whole label.
const LABEL: usize = 28;
const NARROW_LABEL: usize = 18;
const ROW: f64 = 28.0;

/// An estimate with its interval.
#[derive(Clone, Debug)]
pub struct ForestRow {
    /// Name of the estimate.
    pub label: String,
    /// The estimate.
    pub value: f64,
    /// Half the width of the interval.
    pub error: f64,
    /// Colour of the row.
    pub tone: Tone,
}

/// Rows of estimates over a common axis.
#[derive(Clone, Debug)]
pub struct ForestChart {
    /// Title of the chart.
    pub title: String,
    /// Name and unit of the axis.
    pub x_label: String,
    /// The rows from top to bottom.
    pub rows: Vec<ForestRow>,
}

impl ForestChart {
    /// Draws the chart as SVG.
    pub fn svg(&self) -> String {
        let floor = 10.0 + ROW * self.rows.len() as f64;
        let ends = self.rows.iter().flat_map(|row| [row.value - row.error, row.value + row.error]);
        let range = ends
            .filter(|end| end.is_finite())
            .fold((0.0f64, 0.0f64), |(low, high), end| (low.min(end), high.max(end)));
        let x = Scale::new(range, (LEFT, WIDTH - RIGHT));
        let mut marks = String::new();
        let ticks = x.ticks(4);
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            let class = if tick == 0.0 { "axis" } else { "grid" };
            line(&mut marks, (x.place(tick), 4.0), (x.place(tick), floor), class);
            text(&mut marks, x.place(tick), floor + 19.0, Anchor::Middle, "soft", &tick_label(tick, step));
        }
        for (place, row) in self.rows.iter().enumerate() {
            let y = 10.0 + ROW * place as f64 + ROW / 2.0;
            for (class, letters) in [("strong wide", LABEL), ("strong narrow", NARROW_LABEL)] {
                text(&mut marks, LEFT - 12.0, y + 4.0, Anchor::End, class, &shortened(&row.label, letters));
            }
            let whisker = format!("whisker {}", row.tone.class());
            line(
                &mut marks,
                (x.place(row.value - row.error), y),
                (x.place(row.value + row.error), y),
                &whisker,
            );
            let fill = row.tone.class().replacen("t-", "f-", 1);
            let _ = write!(
                marks,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"{fill}\"/>",
                x.place(row.value)
            );
            let figures = format!("{} ± {:.1}", signed(row.value, 1), row.error);
            text(&mut marks, WIDTH - RIGHT + 10.0, y + 4.0, Anchor::Start, "", &figures);
        }
        text(&mut marks, (LEFT + WIDTH - RIGHT) / 2.0, floor + 42.0, Anchor::Middle, "soft", &self.x_label);
        let description: Vec<_> = self
            .rows
            .iter()
            .map(|row| format!("{} {:.1} ± {:.1}", row.label, row.value, row.error))
            .collect();
        frame(WIDTH, floor + 50.0, &self.title, &description.join(", "), &marks)
    }
}

/// Returns the label, cut to this many letters with an ellipsis.
fn shortened(label: &str, letters: usize) -> String {
    if label.chars().count() <= letters {
        return label.to_owned();
    }
    label.chars().take(letters - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_and_infinite_intervals_are_clipped() {
        let row = |label: &str, error| ForestRow { label: label.into(), value: 3.0, error, tone: Tone::Main };
        let chart = ForestChart {
            title: "t".into(),
            x_label: "Elo".into(),
            rows: vec![row("a", 2.0), row("b", f64::INFINITY)],
        };
        let svg = chart.svg();
        assert!(!svg.contains("NaN") && svg.find(">a<").unwrap() < svg.find(">b<").unwrap(), "{svg}");
    }
}
