//! Bar charts: vertical bars for counts of ordered classes, horizontal bars for shares of a whole.

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame, line, rect, text};
use crate::report::number_text::grouped;

const WIDTH: f64 = 720.0;

/// A vertical bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Name of the class.
    pub label: String,
    /// Number of members of the class.
    pub count: u64,
    /// Colour of the bar.
    pub tone: Tone,
}

/// Vertical bars over an axis of counts.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// Title of the chart.
    pub title: String,
    /// Name and unit of the classes.
    pub x_label: String,
    /// What is counted.
    pub y_label: String,
    /// The bars from left to right.
    pub bars: Vec<Bar>,
}

impl BarChart {
    /// Draws the chart as SVG.
    pub fn svg(&self) -> String {
        const HEIGHT: f64 = 260.0;
        const FLOOR: f64 = HEIGHT - 46.0;
        const TOP: f64 = 44.0;
        const LEFT: f64 = 74.0;
        const RIGHT: f64 = 20.0;
        // Width of a letter on a narrow screen, where letters are larger.
        const LETTER: f64 = 11.5;
        let highest = self.bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
        let y = Scale::new((0.0, highest as f64), (FLOOR, TOP));
        // A single bar as wide as the page would look like an area.
        let step = ((WIDTH - LEFT - RIGHT) / self.bars.len().max(1) as f64).min(150.0);
        let widest = |text: fn(&Bar) -> usize| self.bars.iter().map(text).max().unwrap_or(1) as f64 * LETTER;
        let label_width = widest(|bar| bar.label.chars().count());
        let every = (1.2 * label_width / step).ceil().max(1.0) as usize;
        let counts_fit = widest(|bar| grouped(bar.count).len()) <= step * 1.1;
        let mut marks = String::new();
        for tick in y.whole_ticks(4) {
            let height = y.place(tick);
            line(&mut marks, (LEFT, height), (WIDTH - RIGHT, height), "grid");
            text(&mut marks, LEFT - 8.0, height + 4.0, Anchor::End, "soft", &tick_label(tick, 1.0));
        }
        for (place, bar) in self.bars.iter().enumerate() {
            let left = LEFT + step * place as f64;
            let top = y.place(bar.count as f64);
            let fill = bar.tone.class().replacen("t-", "f-", 1);
            let count = grouped(bar.count);
            let tooltip = format!("{}: {count}", bar.label);
            rect(&mut marks, (left + step * 0.08, top), (step * 0.84, FLOOR - top), &fill, &tooltip);
            if counts_fit && bar.count > 0 {
                text(&mut marks, left + step / 2.0, top - 6.0, Anchor::Middle, "strong", &count);
            }
            if place % every == 0 {
                // A long label under the last bar is moved away from the edge.
                let middle = (left + step / 2.0).min(WIDTH - label_width / 2.0);
                text(&mut marks, middle, FLOOR + 17.0, Anchor::Middle, "soft", &bar.label);
            }
        }
        line(&mut marks, (LEFT, FLOOR), (WIDTH - RIGHT, FLOOR), "axis");
        text(&mut marks, f64::midpoint(LEFT, WIDTH), HEIGHT - 6.0, Anchor::Middle, "soft", &self.x_label);
        text(&mut marks, 4.0, 16.0, Anchor::Start, "soft", &self.y_label);
        let description: Vec<_> =
            self.bars.iter().map(|bar| format!("{} {}", bar.label, bar.count)).collect();
        frame(WIDTH, HEIGHT, &self.title, &description.join(", "), &marks)
    }
}

/// One row: the parts of a whole.
#[derive(Clone, Debug)]
pub struct BarShare {
    /// Name of the row.
    pub label: String,
    /// Name, count and colour of each part.
    pub parts: Vec<(String, u64, Tone)>,
}

/// Horizontal bars of shares, such as wins, draws and losses by colour.
#[derive(Clone, Debug)]
pub struct ShareChart {
    /// Title of the chart.
    pub title: String,
    /// The rows from top to bottom.
    pub rows: Vec<BarShare>,
}

impl ShareChart {
    /// Draws the chart as SVG.
    pub fn svg(&self) -> String {
        const BAR: f64 = 28.0;
        const GAP: f64 = 12.0;
        // Space for labels that do not fit into their part, in the larger letters of a narrow screen.
        const BELOW: f64 = 14.0;
        const LEFT: f64 = 150.0;
        // Width of a letter on a narrow screen, where letters are larger.
        const LETTER: f64 = 11.5;
        let mut marks = String::new();
        let mut description = Vec::new();
        let mut top = 6.0;
        for row in &self.rows {
            let whole: u64 = row.parts.iter().map(|part| part.1).sum();
            let x = Scale::new((0.0, whole.max(1) as f64), (LEFT, WIDTH - 10.0));
            text(&mut marks, LEFT - 10.0, top + 20.0, Anchor::End, "strong", &row.label);
            let mut before = 0u64;
            // Labels that do not fit into their parts are written together below the row.
            let mut beside: Vec<String> = Vec::new();
            let mut middle = LEFT;
            for (name, count, tone) in &row.parts {
                let (left, right) = (x.place(before as f64), x.place((before + count) as f64));
                before += count;
                let fill = tone.class().replacen("t-", "f-", 1);
                let tooltip = format!("{name}: {}", grouped(*count));
                rect(&mut marks, (left, top), (right - left - 1.0, BAR), &fill, &tooltip);
                let label = format!("{name} {}", grouped(*count));
                if right - left > label.chars().count() as f64 * LETTER {
                    text(&mut marks, f64::midpoint(left, right), top + 18.5, Anchor::Middle, "on", &label);
                } else if *count > 0 {
                    middle = f64::midpoint(left, right);
                    beside.push(label);
                }
                description.push(format!("{} {name} {count}", row.label));
            }
            let label = beside.join(", ");
            let room = label.chars().count() as f64 * LETTER;
            let middle = middle.max(LEFT + room / 2.0).min(WIDTH - 10.0 - room / 2.0);
            if !label.is_empty() {
                text(&mut marks, middle, top + BAR + 17.0, Anchor::Middle, "soft", &label);
            }
            let below = if label.is_empty() { 0.0 } else { BELOW };
            top += BAR + GAP + below;
        }
        let height = top + 4.0;
        frame(WIDTH, height, &self.title, &description.join(", "), &marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_a_bar_chart_contains_the_counts() {
        let bars = vec![
            Bar { label: "0".into(), count: 3, tone: Tone::Bad },
            Bar { label: "½".into(), count: 0, tone: Tone::Bad },
        ];
        let svg =
            BarChart { title: "Pairs".into(), x_label: "points".into(), y_label: "pairs".into(), bars }.svg();
        assert!(svg.contains("0 3, ½ 0"), "{svg}");
    }

    #[test]
    fn the_label_of_a_small_part_is_below_it() {
        let parts = vec![
            ("won".into(), 140, Tone::Good),
            ("drawn".into(), 9, Tone::Neutral),
            ("lost".into(), 0, Tone::Bad),
        ];
        let svg =
            ShareChart { title: "Colours".into(), rows: vec![BarShare { label: "White".into(), parts }] }
                .svg();
        assert!(svg.contains("class=\"on\">won 140<") && svg.contains("class=\"soft\">drawn 9<"), "{svg}");
        assert!(!svg.contains(">lost 0<"), "{svg}");
    }

    #[test]
    fn a_row_without_counts_is_drawn_without_division_by_zero() {
        let rows = vec![BarShare { label: "White".into(), parts: vec![("won".into(), 0, Tone::Good)] }];
        assert!(!ShareChart { title: "Colours".into(), rows }.svg().contains("NaN"));
    }
}
