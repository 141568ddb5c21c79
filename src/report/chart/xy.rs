//! Line charts with bands over a common horizontal axis.

use std::fmt::Write;

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame, line, text};

/// Size of a chart on its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartSize {
    /// The width of the page.
    #[default]
    Wide,
    /// One of several charts side by side.
    Small,
}

/// Outer size and margins in SVG units.
#[derive(Clone, Copy)]
struct Room {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl ChartSize {
    // The margins have space for the larger letters of a narrow screen.
    const fn room(self) -> Room {
        match self {
            Self::Wide => {
                Room { width: 720.0, height: 310.0, left: 66.0, right: 96.0, top: 30.0, bottom: 50.0 }
            }
            Self::Small => {
                Room { width: 360.0, height: 194.0, left: 52.0, right: 62.0, top: 26.0, bottom: 40.0 }
            }
        }
    }
}

impl Room {
    fn right_edge(self) -> f64 {
        self.width - self.right
    }

    fn floor(self) -> f64 {
        self.height - self.bottom
    }
}

/// One point of a band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPoint {
    /// Horizontal position.
    pub x: f64,
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
}

/// One layer of a chart, drawn in order.
#[derive(Clone, Debug)]
pub enum Layer {
    /// A curve with its name at the right end.
    Line {
        /// Name of the curve.
        name: String,
        /// Points from left to right.
        points: Vec<(f64, f64)>,
        /// Colour of the layer.
        tone: Tone,
    },
    /// An interval around a curve.
    Band {
        /// Points from left to right.
        points: Vec<BandPoint>,
        /// Colour of the layer.
        tone: Tone,
    },
    /// A horizontal line with a label, such as a decision bound.
    Rule {
        /// Vertical position.
        y: f64,
        /// Label at the right end.
        label: String,
        /// Colour of the layer.
        tone: Tone,
    },
}

/// A chart of lines and bands.
#[derive(Clone, Debug)]
pub struct XyChart {
    /// Title of the chart.
    pub title: String,
    /// Description with figures, for screen readers.
    pub description: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// The layers from back to front.
    pub layers: Vec<Layer>,
    /// Largest vertical range; values outside it are clipped.
    pub y_limit: Option<(f64, f64)>,
    /// Size on the page.
    pub size: ChartSize,
}

impl XyChart {
    /// Draws the chart as SVG.
    pub fn svg(&self) -> String {
        let room = self.size.room();
        let (x_range, y_range) = self.ranges();
        let x = Scale::new(x_range, (room.left, room.right_edge()));
        let y = Scale::new(y_range, (room.floor(), room.top));
        let mut marks = String::new();
        self.draw_axes(&mut marks, room, x, y);
        let mut labels = Vec::new();
        for layer in &self.layers {
            draw_layer(&mut marks, layer, room, x, y);
            labels.extend(label_of(layer, y));
        }
        draw_labels(&mut marks, labels, room);
        frame(room.width, room.height, &self.title, &self.description, &marks)
    }

    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let mut xs = (0.0f64, 1.0f64);
        let mut ys = (f64::INFINITY, f64::NEG_INFINITY);
        let mut include = |value: f64| {
            if value.is_finite() {
                ys = (ys.0.min(value), ys.1.max(value));
            }
        };
        for layer in &self.layers {
            match layer {
                Layer::Line { points, .. } => {
                    points.iter().for_each(|point| include(point.1));
                    xs.1 = points.iter().map(|point| point.0).fold(xs.1, f64::max);
                }
                Layer::Band { points, .. } => {
                    points.iter().for_each(|point| {
                        include(point.low);
                        include(point.high);
                    });
                    xs.1 = points.iter().map(|point| point.x).fold(xs.1, f64::max);
                }
                Layer::Rule { y, .. } => include(*y),
            }
        }
        if ys.0 > ys.1 {
            ys = (-1.0, 1.0);
        }
        if let Some((low, high)) = self.y_limit {
            ys = (ys.0.max(low), ys.1.min(high));
        }
        let margin = (ys.1 - ys.0).max(1e-9) * 0.06;
        (xs, (ys.0 - margin, ys.1 + margin))
    }

    fn draw_axes(&self, marks: &mut String, room: Room, x: Scale, y: Scale) {
        let ticks = y.ticks(if self.size == ChartSize::Wide { 5 } else { 4 });
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            let height = y.place(tick);
            line(marks, (room.left, height), (room.right_edge(), height), "grid");
            text(marks, room.left - 8.0, height + 4.0, Anchor::End, "soft", &tick_label(tick, step));
        }
        let ticks = x.ticks(if self.size == ChartSize::Wide { 5 } else { 3 });
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            let (place, height) = (x.place(tick), room.floor());
            line(marks, (place, height), (place, height + 4.0), "axis");
            text(marks, place, height + 19.0, Anchor::Middle, "soft", &tick_label(tick, step));
        }
        line(marks, (room.left, room.floor()), (room.right_edge(), room.floor()), "axis");
        let middle = f64::midpoint(room.left, room.right_edge());
        text(marks, middle, room.height - 5.0, Anchor::Middle, "soft", &self.x_label);
        text(marks, 4.0, room.top - 14.0, Anchor::Start, "soft", &self.y_label);
    }
}

/// Returns an SVG path through the points with a finite height.
fn path_through(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (place, (x, y)) in points.filter(|point| point.1.is_finite()).enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if place == 0 { "M" } else { "L" });
    }
    path
}

fn draw_layer(marks: &mut String, layer: &Layer, room: Room, x: Scale, y: Scale) {
    match layer {
        Layer::Line { points, tone, .. } => {
            let path = path_through(
                points
                    .iter()
                    .filter(|point| point.1.is_finite())
                    .map(|point| (x.place(point.0), y.place(point.1))),
            );
            let class = tone.class();
            let _ =
                write!(marks, "<path d=\"{path}\" class=\"path {class}\" data-points=\"{}\"/>", points.len());
        }
        Layer::Band { points, tone } => {
            let upper = points.iter().map(|point| (x.place(point.x), y.place(point.high)));
            let lower = points.iter().rev().map(|point| (x.place(point.x), y.place(point.low)));
            let path = path_through(upper.chain(lower));
            let fill = tone.class().replacen("t-", "f-", 1);
            let _ = write!(marks, "<path d=\"{path}Z\" class=\"band {fill}\"/>");
        }
        Layer::Rule { y: height, tone, .. } => {
            let height = y.place(*height);
            let class = format!("rule {}", tone.class());
            line(marks, (room.left, height), (room.right_edge(), height), &class);
        }
    }
}

/// A label at the right end of a layer.
struct EndLabel<'a> {
    height: f64,
    text: &'a str,
    class: &'static str,
}

fn label_of(layer: &Layer, y: Scale) -> Option<EndLabel<'_>> {
    match layer {
        Layer::Line { name, points, .. } => {
            let last = points.iter().rfind(|point| point.1.is_finite())?;
            Some(EndLabel { height: y.place(last.1), text: name, class: "strong" })
        }
        Layer::Rule { y: height, label, .. } => {
            Some(EndLabel { height: y.place(*height), text: label, class: "soft" })
        }
        Layer::Band { .. } => None,
    }
}

/// Draws the labels in the right margin and moves overlapping ones apart.
fn draw_labels(marks: &mut String, mut labels: Vec<EndLabel<'_>>, room: Room) {
    const APART: f64 = 17.0;
    labels.retain(|label| !label.text.is_empty());
    labels.sort_by(|one, other| one.height.total_cmp(&other.height));
    for place in 1..labels.len() {
        labels[place].height = labels[place].height.max(labels[place - 1].height + APART);
    }
    // Labels below the floor are moved up again.
    let mut lowest = room.floor();
    for label in labels.iter_mut().rev() {
        label.height = label.height.min(lowest);
        lowest = label.height - APART;
    }
    for label in labels {
        text(marks, room.right_edge() + 7.0, label.height + 4.0, Anchor::Start, label.class, label.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(layers: Vec<Layer>) -> XyChart {
        XyChart {
            title: "LLR".into(),
            description: "rises".into(),
            x_label: "pairs".into(),
            y_label: "LLR".into(),
            layers,
            y_limit: None,
            size: ChartSize::Wide,
        }
    }

    #[test]
    fn overlapping_labels_are_moved_apart() {
        let rule = |y, label: &str| Layer::Rule { y, label: label.into(), tone: Tone::Good };
        let svg = chart(vec![rule(2.94, "accept"), rule(2.95, "now"), rule(-2.94, "reject")]).svg();
        let height = |label: &str| -> f64 {
            let before = &svg[..svg.find(&format!(">{label}<")).unwrap()];
            let at = before.rfind("y=\"").unwrap() + 3;
            before[at..].split('"').next().unwrap().parse().unwrap()
        };
        assert!((height("now") - height("accept")).abs() >= 16.9, "{svg}");
        assert!(height("reject") > height("accept"));
    }

    #[test]
    fn a_chart_without_points_can_be_drawn() {
        let svg = chart(vec![]).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
    }

    #[test]
    fn values_that_are_not_finite_are_not_drawn() {
        let points = vec![(0.0, f64::NAN), (1.0, 2.0), (2.0, f64::INFINITY), (3.0, 1.0)];
        let svg = chart(vec![Layer::Line { name: "a<b".into(), points, tone: Tone::Main }]).svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }
}
