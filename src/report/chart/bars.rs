//! Counts as bars: upright ones for ordered cells, lying ones for shares of a whole and for estimates.

use super::scale::{Scale, grouped};
use super::svg::{Anchor, Tone, frame, rect, text};

const WIDTH: f64 = 720.0;

/// One upright bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What is counted.
    pub label: String,
    /// How many.
    pub count: u64,
    /// Its colour.
    pub tone: Tone,
}

/// Upright bars in order, each with its count above it.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// What it shows.
    pub title: String,
    /// Name and unit of the cells.
    pub x_label: String,
    /// The bars, left to right.
    pub bars: Vec<Bar>,
}

impl BarChart {
    /// The drawing.
    pub fn svg(&self) -> String {
        const HEIGHT: f64 = 240.0;
        const FLOOR: f64 = HEIGHT - 46.0;
        let highest = self.bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
        let y = Scale::new((0.0, highest as f64), (FLOOR, 28.0));
        // A lone bar as wide as the page would look like an area.
        let step = ((WIDTH - 20.0) / self.bars.len().max(1) as f64).min(150.0);
        // Counted in the wider letters of a narrow screen.
        const LETTER: f64 = 11.5;
        let widest = |text: fn(&Bar) -> usize| self.bars.iter().map(text).max().unwrap_or(1) as f64 * LETTER;
        let every = (widest(|bar| bar.label.chars().count()) / step).ceil().max(1.0) as usize;
        let counts_fit = widest(|bar| grouped(bar.count).len()) <= step * 1.1;
        let mut marks = String::new();
        for (place, bar) in self.bars.iter().enumerate() {
            let left = 10.0 + step * place as f64;
            let top = y.place(bar.count as f64);
            let fill = bar.tone.class().replacen("t-", "f-", 1);
            let count = grouped(bar.count);
            let tooltip = format!("{}: {count}", bar.label);
            rect(&mut marks, (left + step * 0.08, top), (step * 0.84, FLOOR - top), &fill, &tooltip);
            if counts_fit {
                text(&mut marks, left + step / 2.0, top - 6.0, Anchor::Middle, "strong", &count);
            }
            if place % every == 0 {
                text(&mut marks, left + step / 2.0, FLOOR + 17.0, Anchor::Middle, "soft", &bar.label);
            }
        }
        text(&mut marks, WIDTH / 2.0, HEIGHT - 6.0, Anchor::Middle, "soft", &self.x_label);
        let told: Vec<_> = self.bars.iter().map(|bar| format!("{} {}", bar.label, bar.count)).collect();
        frame(WIDTH, HEIGHT, &self.title, &told.join(", "), &marks)
    }
}

/// One row of shares: parts of a whole, side by side.
#[derive(Clone, Debug)]
pub struct Share {
    /// The row's name.
    pub label: String,
    /// Each part: what it is, how many, its colour.
    pub parts: Vec<(String, u64, Tone)>,
}

/// Rows of shares, such as wins, draws and losses by colour.
#[derive(Clone, Debug)]
pub struct ShareChart {
    /// What it shows.
    pub title: String,
    /// The rows, top first.
    pub rows: Vec<Share>,
}

impl ShareChart {
    /// The drawing.
    pub fn svg(&self) -> String {
        const ROW: f64 = 40.0;
        const LEFT: f64 = 150.0;
        let height = ROW * self.rows.len() as f64 + 10.0;
        let mut marks = String::new();
        let mut told = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            let top = 6.0 + ROW * place as f64;
            let whole: u64 = row.parts.iter().map(|part| part.1).sum();
            let x = Scale::new((0.0, whole.max(1) as f64), (LEFT, WIDTH - 10.0));
            text(&mut marks, LEFT - 10.0, top + 20.0, Anchor::End, "strong", &row.label);
            let mut before = 0u64;
            for (name, count, tone) in &row.parts {
                let (left, right) = (x.place(before as f64), x.place((before + count) as f64));
                before += count;
                let fill = tone.class().replacen("t-", "f-", 1);
                let tooltip = format!("{name}: {}", grouped(*count));
                rect(&mut marks, (left, top), (right - left - 1.0, ROW - 12.0), &fill, &tooltip);
                let label = format!("{name} {}", grouped(*count));
                if right - left > label.chars().count() as f64 * 11.5 {
                    text(&mut marks, f64::midpoint(left, right), top + 18.5, Anchor::Middle, "on", &label);
                }
                told.push(format!("{} {name} {count}", row.label));
            }
        }
        frame(WIDTH, height, &self.title, &told.join(", "), &marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_tell_their_counts_to_those_who_cannot_see_them() {
        let bars = vec![
            Bar { label: "0".into(), count: 3, tone: Tone::Bad },
            Bar { label: "½".into(), count: 0, tone: Tone::Bad },
        ];
        let svg = BarChart { title: "Pairs".into(), x_label: "points".into(), bars }.svg();
        assert!(svg.contains("0 3, ½ 0"), "{svg}");
    }

    #[test]
    fn shares_of_nothing_are_drawn_without_dividing_by_zero() {
        let rows = vec![Share { label: "White".into(), parts: vec![("won".into(), 0, Tone::Good)] }];
        assert!(!ShareChart { title: "Colours".into(), rows }.svg().contains("NaN"));
    }
}
