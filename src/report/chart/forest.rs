//! Forest plot: a row with a dot and an interval for each estimate.

use std::fmt::Write;

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame, line, text};
use crate::report::number_text::interval_text;

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
    /// The ends of the interval.
    pub ends: [f64; 2],
    /// Colour of the row.
    pub tone: Tone,
}

impl ForestRow {
    fn figures(&self) -> String {
        let [low, high] = self.ends;
        interval_text(Some(self.value), Some(low), Some(high))
    }

    /// The same where letters are larger: two ends do not fit there.
    fn short_figures(&self) -> String {
        let figures = self.figures();
        match figures.split_once(" (") {
            Some((value, _)) => value.to_owned(),
            None => figures,
        }
    }
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
        let ends = self.rows.iter().flat_map(|row| row.ends);
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
            let [low, high] = row.ends;
            line(&mut marks, (x.place(low), y), (x.place(high), y), &whisker);
            let fill = row.tone.class().replacen("t-", "f-", 1);
            let _ = write!(
                marks,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"{fill}\"/>",
                x.place(row.value)
            );
            for (class, figures) in [("wide", row.figures()), ("narrow", row.short_figures())] {
                text(&mut marks, WIDTH - RIGHT + 10.0, y + 4.0, Anchor::Start, class, &figures);
            }
        }
        text(&mut marks, (LEFT + WIDTH - RIGHT) / 2.0, floor + 42.0, Anchor::Middle, "soft", &self.x_label);
        let description: Vec<_> =
            self.rows.iter().map(|row| format!("{} {}", row.label, row.figures())).collect();
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
    fn an_interval_that_is_not_symmetric_is_drawn_and_printed_with_its_own_ends() {
        let row = ForestRow { label: "a".into(), value: 288.0, ends: [216.0, 389.0], tone: Tone::Main };
        let svg = ForestChart { title: "t".into(), x_label: "Elo".into(), rows: vec![row] }.svg();
        assert!(svg.contains(">+288 (+216 to +389)<"), "{svg}");
        let whisker = &svg[..svg.find("class=\"whisker").unwrap()];
        let at = |name: &str| -> f64 {
            let text = &whisker[whisker.rfind(&format!(" {name}=\"")).unwrap() + name.len() + 3..];
            text[..text.find('"').unwrap()].parse().unwrap()
        };
        let dot: f64 = svg[svg.find("cx=\"").unwrap() + 4..].split('"').next().unwrap().parse().unwrap();
        assert!(((at("x2") - dot) / (dot - at("x1")) - 101.0 / 72.0).abs() < 0.02, "{svg}");
    }

    #[test]
    fn rows_keep_their_order_and_infinite_intervals_are_clipped() {
        let row = |label: &str, error| ForestRow {
            label: label.into(),
            value: 3.0,
            ends: [3.0 - error, 3.0 + error],
            tone: Tone::Main,
        };
        let chart = ForestChart {
            title: "t".into(),
            x_label: "Elo".into(),
            rows: vec![row("a", 2.0), row("b", f64::INFINITY)],
        };
        let svg = chart.svg();
        assert!(!svg.contains("NaN") && svg.find(">a<").unwrap() < svg.find(">b<").unwrap(), "{svg}");
    }
}
