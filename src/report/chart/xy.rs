//! Line charts with bands over a common horizontal axis.

use std::fmt::Write;

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame_with, line, text};
use crate::report::markup::escape;

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
                Room { width: 720.0, height: 310.0, left: 66.0, right: 108.0, top: 30.0, bottom: 50.0 }
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
    /// A curve with a label at the right end.
    Line {
        /// Name of the curve.
        name: String,
        /// Label at its end, mostly its last value.
        label: String,
        /// Points from left to right.
        points: Vec<(f64, f64)>,
        /// Colour of the layer.
        tone: Tone,
    },
    /// An interval around a curve.
    Band {
        /// Name of the interval.
        name: String,
        /// Points from left to right.
        points: Vec<BandPoint>,
        /// Colour of the layer.
        tone: Tone,
    },
    /// A horizontal line with a label, such as a decision bound.
    Rule {
        /// Vertical position.
        y: f64,
        /// Label at the right end, and the name of the layer.
        label: String,
        /// Colour of the layer.
        tone: Tone,
    },
}

/// How the values of the vertical axis are written beside the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueFormat {
    /// Number of decimals.
    pub decimals: usize,
    /// Whether positive values have a sign.
    pub signed: bool,
}

/// A chart of lines and bands over a count.
#[derive(Clone, Debug)]
pub struct XyChart {
    /// Title of the chart.
    pub title: String,
    /// Description with figures, for screen readers.
    pub description: String,
    /// Name of the counted unit on the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// The layers from back to front.
    pub layers: Vec<Layer>,
    /// Largest vertical range; values outside it are clipped.
    pub y_limit: Option<(f64, f64)>,
    /// How values are written.
    pub values: ValueFormat,
    /// Size on the page.
    pub size: ChartSize,
}

impl XyChart {
    /// Draws the chart as SVG. The data are in attributes, from which the script of a page draws it again after a zoom.
    pub fn svg(&self) -> String {
        let room = self.size.room();
        let (x_range, y_range) = self.ranges();
        let x = Scale::new(x_range, (room.left, room.right_edge()));
        let y = Scale::new(y_range, (room.floor(), room.top));
        let mut marks = String::new();
        self.draw_axes(&mut marks, room, x, y);
        let labels = spread(self.layers.iter().map(|layer| label_height(layer, y)).collect(), room);
        for (layer, height) in self.layers.iter().zip(labels) {
            self.draw_layer(&mut marks, layer, height, room, x, y);
        }
        let data = self.data(room, x_range, y_range);
        frame_with(room.width, room.height, &self.title, &self.description, &data, &marks)
    }

    /// Returns the attributes with the plot area, the ranges and the formats.
    fn data(&self, room: Room, x: (f64, f64), y: (f64, f64)) -> String {
        let mut data = format!(
            " data-plot=\"{} {} {} {}\" data-x-range=\"{} {}\" data-y-range=\"{} {}\" data-whole=\"yes\" data-x-name=\"{}\" \
             data-decimals=\"{}\"",
            room.left,
            room.top,
            room.right_edge(),
            room.floor(),
            number(x.0),
            number(x.1),
            number(y.0),
            number(y.1),
            escape(&self.x_label),
            self.values.decimals,
        );
        if self.values.signed {
            data.push_str(" data-signed=\"yes\"");
        }
        if let Some((low, high)) = self.y_limit {
            let _ = write!(data, " data-y-limit=\"{} {}\"", number(low), number(high));
        }
        data
    }

    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let mut xs = (f64::INFINITY, f64::NEG_INFINITY);
        let mut ys = (f64::INFINITY, f64::NEG_INFINITY);
        let extend = |range: &mut (f64, f64), value: f64| {
            if value.is_finite() {
                *range = (range.0.min(value), range.1.max(value));
            }
        };
        for layer in &self.layers {
            match layer {
                Layer::Line { points, .. } => {
                    for point in points {
                        extend(&mut xs, point.0);
                        extend(&mut ys, point.1);
                    }
                }
                Layer::Band { points, .. } => {
                    for point in points {
                        extend(&mut xs, point.x);
                        extend(&mut ys, point.low);
                        extend(&mut ys, point.high);
                    }
                }
                Layer::Rule { y, .. } => extend(&mut ys, *y),
            }
        }
        // A single point needs a width, and no point at all an axis.
        xs = if xs.0 > xs.1 { (0.0, 1.0) } else { (xs.0, xs.1.max(xs.0 + 1.0)) };
        if ys.0 > ys.1 {
            ys = (-1.0, 1.0);
        }
        if let Some((low, high)) = self.y_limit {
            ys = (ys.0.max(low), ys.1.min(high));
        }
        if ys.1 - ys.0 < 1e-9 {
            // A weight that has not moved is drawn in the middle of a readable scale.
            ys = (ys.0 - 1.0, ys.1 + 1.0);
        }
        let margin = (ys.1 - ys.0) * 0.06;
        (xs, (ys.0 - margin, ys.1 + margin))
    }

    fn draw_axes(&self, marks: &mut String, room: Room, x: Scale, y: Scale) {
        marks.push_str("<g class=\"axes\">");
        let ticks = y.ticks(if self.size == ChartSize::Wide { 5 } else { 4 });
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            let height = y.place(tick);
            line(marks, (room.left, height), (room.right_edge(), height), "grid");
            text(marks, room.left - 8.0, height + 4.0, Anchor::End, "soft", &tick_label(tick, step));
        }
        for tick in x.whole_ticks_to_end(if self.size == ChartSize::Wide { 5 } else { 3 }) {
            let (place, height) = (x.place(tick), room.floor());
            line(marks, (place, height), (place, height + 4.0), "axis");
            text(marks, place, height + 19.0, Anchor::Middle, "soft", &tick_label(tick, 1.0));
        }
        line(marks, (room.left, room.floor()), (room.right_edge(), room.floor()), "axis");
        marks.push_str("</g>");
        let middle = f64::midpoint(room.left, room.right_edge());
        text(marks, middle, room.height - 5.0, Anchor::Middle, "soft", &self.x_label);
        text(marks, 4.0, room.top - 14.0, Anchor::Start, "soft", &self.y_label);
    }

    fn draw_layer(
        &self,
        marks: &mut String,
        layer: &Layer,
        label_height: Option<f64>,
        room: Room,
        x: Scale,
        y: Scale,
    ) {
        let decimals = self.values.decimals + 1;
        let column = |name: &str, values: &mut dyn Iterator<Item = f64>| {
            let values: Vec<String> = values.map(|value| rounded(value, decimals)).collect();
            format!(" data-{name}=\"{}\"", values.join(" "))
        };
        let (kind, name, data, shape, label) = match layer {
            Layer::Line { name, label, points, tone } => {
                let points: Vec<_> = points.iter().copied().filter(|point| point.1.is_finite()).collect();
                let path = curve_through(&points, x, y);
                let data = column("x", &mut points.iter().map(|point| point.0))
                    + &column("y", &mut points.iter().map(|point| point.1));
                let class = tone.class();
                let shape = format!("<path{path} class=\"path {class}\" data-points=\"{}\"/>", points.len());
                ("line", name, data, shape, Some((label, "strong")))
            }
            Layer::Band { name, points, tone } => {
                let upper = points.iter().map(|point| (x.place(point.x), y.place(point.high)));
                let lower = points.iter().rev().map(|point| (x.place(point.x), y.place(point.low)));
                let path = path_through(upper.chain(lower));
                let data = column("x", &mut points.iter().map(|point| point.x))
                    + &column("low", &mut points.iter().map(|point| point.low))
                    + &column("high", &mut points.iter().map(|point| point.high));
                let fill = tone.class().replacen("t-", "f-", 1);
                ("band", name, data, format!("<path{path} class=\"band {fill}\"/>"), None)
            }
            Layer::Rule { y: height, label, tone } => {
                let mut shape = String::new();
                let place = y.place(*height);
                let class = format!("rule {}", tone.class());
                line(&mut shape, (room.left, place), (room.right_edge(), place), &class);
                ("rule", label, column("y", &mut std::iter::once(*height)), shape, Some((label, "soft")))
            }
        };
        let _ = write!(
            marks,
            "<g class=\"layer\" data-kind=\"{kind}\" data-name=\"{}\"{data}>{shape}",
            escape(name)
        );
        if let (Some((label, class)), Some(height)) = (label, label_height) {
            text(marks, room.right_edge() + 7.0, height + 4.0, Anchor::Start, class, label);
        }
        marks.push_str("</g>");
    }
}

/// Returns a number without needless decimals.
fn number(value: f64) -> String {
    rounded(value, 6)
}

fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Returns the attribute with an SVG path through the points with a finite height, or nothing without a point: an empty
/// path is an error.
fn path_through(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (place, (x, y)) in points.filter(|point| point.1.is_finite()).enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if place == 0 { "M" } else { "L" });
    }
    if path.is_empty() { path } else { format!(" d=\"{path}\"") }
}

/// Returns the attribute with an SVG path through the points, interrupted where it is outside the range of `y`.
fn curve_through(points: &[(f64, f64)], x: Scale, y: Scale) -> String {
    let mut path = String::new();
    let mut reached = None;
    let mut step = |command: char, (at, height): (f64, f64)| {
        let _ = write!(path, "{command}{:.1} {:.1}", x.place(at), y.place(height));
    };
    if let [only] = points {
        step('M', *only);
    }
    for ends in points.windows(2) {
        let Some((from, to)) = y.inside(ends[0], ends[1]) else { continue };
        if reached != Some(from) {
            step('M', from);
        }
        step('L', to);
        reached = Some(to);
    }
    if path.is_empty() { path } else { format!(" d=\"{path}\"") }
}

/// Returns the height of the label at the right end of a layer.
fn label_height(layer: &Layer, y: Scale) -> Option<f64> {
    match layer {
        Layer::Line { label, points, .. } if !label.is_empty() => {
            points.iter().rfind(|point| point.1.is_finite()).map(|last| y.place(last.1))
        }
        Layer::Rule { y: height, label, .. } if !label.is_empty() => Some(y.place(*height)),
        _ => None,
    }
}

/// Moves overlapping labels apart.
fn spread(mut heights: Vec<Option<f64>>, room: Room) -> Vec<Option<f64>> {
    // The height of a line in the larger letters of a narrow screen.
    const APART: f64 = 24.0;
    let mut order: Vec<usize> = (0..heights.len()).filter(|&at| heights[at].is_some()).collect();
    order.sort_by(|&one, &other| {
        heights[one].partial_cmp(&heights[other]).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut highest = f64::NEG_INFINITY;
    for &at in &order {
        highest = heights[at].unwrap_or(highest).max(highest + APART);
        heights[at] = Some(highest);
    }
    // Labels below the floor are moved up again.
    let mut lowest = room.floor();
    for &at in order.iter().rev() {
        let height = heights[at].unwrap_or(lowest).min(lowest);
        heights[at] = Some(height);
        lowest = height - APART;
    }
    heights
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
            values: ValueFormat { decimals: 2, signed: false },
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
        assert!((height("now") - height("accept")).abs() >= 23.9, "{svg}");
        assert!(height("reject") > height("accept"));
    }

    #[test]
    fn the_data_of_a_chart_are_in_its_attributes_and_an_empty_band_has_no_path() {
        let svg = chart(vec![
            Layer::Band { name: "95 %".into(), points: Vec::new(), tone: Tone::Main },
            Layer::Line {
                name: "LLR".into(),
                label: "+0.50".into(),
                points: vec![(0.0, 0.0), (7.0, 0.5)],
                tone: Tone::Main,
            },
        ])
        .svg();
        assert!(svg.contains("data-name=\"LLR\" data-x=\"0 7\" data-y=\"0 0.5\""), "{svg}");
        assert!(
            svg.contains("data-x-range=\"0 7\"") && svg.contains("<path class=\"band f-main\"/>"),
            "{svg}"
        );
    }

    #[test]
    fn a_line_is_interrupted_where_it_leaves_the_range() {
        let points = vec![(0.0, 40.0), (10.0, 0.0), (20.0, 5.0), (30.0, 45.0), (40.0, 45.0)];
        let line = Layer::Line { name: "Elo".into(), label: String::new(), points, tone: Tone::Main };
        let svg = XyChart { y_limit: Some((0.0, 20.0)), ..chart(vec![line]) }.svg();
        let path = &svg[svg.find("<path d=\"").unwrap() + 9..];
        let path = &path[..path.find('"').unwrap()];
        // The range has a margin of 6 %: the line enters it at 21.2 and leaves it there.
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (1, 3), "{path}");
        let place = |pair: f64| 66.0 + pair / 40.0 * (612.0 - 66.0);
        let start: f64 = path[1..].split(' ').next().unwrap().parse().unwrap();
        let end: f64 = path.rsplit('L').next().unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((start - place(4.7)).abs() < 0.1 && (end - place(24.05)).abs() < 0.1, "{path}");
    }

    #[test]
    fn a_chart_without_points_can_be_drawn() {
        let svg = chart(vec![]).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
    }

    #[test]
    fn values_that_are_not_finite_are_not_drawn() {
        let points = vec![(0.0, f64::NAN), (1.0, 2.0), (2.0, f64::INFINITY), (3.0, 1.0)];
        let svg =
            chart(vec![Layer::Line { name: "a<b".into(), label: "a<b".into(), points, tone: Tone::Main }])
                .svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }
}
