//! Lines and bands over a common horizontal axis.

use std::fmt::Write;

use super::scale::{Scale, tick_label};
use super::svg::{Anchor, Tone, frame, line, text};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 92.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 44.0;

/// One place of a band: where, and from which value to which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPoint {
    /// Horizontal value.
    pub x: f64,
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
}

/// One layer of a chart, drawn in order.
#[derive(Clone, Debug)]
pub enum Layer {
    /// A curve with its name at its end.
    Line {
        /// Its name.
        name: String,
        /// Its points, from left to right.
        points: Vec<(f64, f64)>,
        /// Its colour.
        tone: Tone,
    },
    /// An interval around a curve.
    Band {
        /// Its edges, from left to right.
        points: Vec<BandPoint>,
        /// Its colour.
        tone: Tone,
    },
    /// A horizontal line with a label, such as a decision bound.
    Rule {
        /// Its height.
        y: f64,
        /// Its label.
        label: String,
        /// Its colour.
        tone: Tone,
    },
}

/// A chart of lines and bands.
#[derive(Clone, Debug)]
pub struct XyChart {
    /// What it shows.
    pub title: String,
    /// The same in a sentence with figures, for those who cannot see it.
    pub description: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// The layers, bottom first.
    pub layers: Vec<Layer>,
    /// The vertical range to show at most; outliers beyond it are held at the edge.
    pub y_limit: Option<(f64, f64)>,
}

impl XyChart {
    /// The drawing.
    pub fn svg(&self) -> String {
        let (x_range, y_range) = self.ranges();
        let x = Scale::new(x_range, (LEFT, WIDTH - RIGHT));
        let y = Scale::new(y_range, (HEIGHT - BOTTOM, TOP));
        let mut marks = String::new();
        self.draw_axes(&mut marks, x, y);
        for layer in &self.layers {
            draw_layer(&mut marks, layer, x, y);
        }
        frame(WIDTH, HEIGHT, &self.title, &self.description, &marks)
    }

    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let mut xs = (0.0f64, 1.0f64);
        let mut ys = (f64::INFINITY, f64::NEG_INFINITY);
        let mut see = |value: f64| {
            if value.is_finite() {
                ys = (ys.0.min(value), ys.1.max(value));
            }
        };
        for layer in &self.layers {
            match layer {
                Layer::Line { points, .. } => {
                    points.iter().for_each(|point| see(point.1));
                    xs.1 = points.iter().map(|point| point.0).fold(xs.1, f64::max);
                }
                Layer::Band { points, .. } => {
                    points.iter().for_each(|point| {
                        see(point.low);
                        see(point.high);
                    });
                    xs.1 = points.iter().map(|point| point.x).fold(xs.1, f64::max);
                }
                Layer::Rule { y, .. } => see(*y),
            }
        }
        if ys.0 > ys.1 {
            ys = (-1.0, 1.0);
        }
        if let Some((low, high)) = self.y_limit {
            ys = (ys.0.max(low), ys.1.min(high));
        }
        let air = (ys.1 - ys.0).max(1e-9) * 0.06;
        (xs, (ys.0 - air, ys.1 + air))
    }

    fn draw_axes(&self, marks: &mut String, x: Scale, y: Scale) {
        let ticks = y.ticks(5);
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            let height = y.place(tick);
            line(marks, (LEFT, height), (WIDTH - RIGHT, height), "grid");
            text(marks, LEFT - 8.0, height + 4.0, Anchor::End, "soft", &tick_label(tick, step));
        }
        let ticks = x.ticks(6);
        let step = ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for tick in ticks {
            text(
                marks,
                x.place(tick),
                HEIGHT - BOTTOM + 18.0,
                Anchor::Middle,
                "soft",
                &tick_label(tick, step),
            );
        }
        line(marks, (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM), "axis");
        text(marks, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0, Anchor::Middle, "soft", &self.x_label);
        text(marks, 4.0, TOP - 5.0, Anchor::Start, "soft", &self.y_label);
    }
}

fn draw_layer(marks: &mut String, layer: &Layer, x: Scale, y: Scale) {
    match layer {
        Layer::Line { name, points, tone } => {
            let mut path = String::new();
            for (place, point) in points.iter().filter(|point| point.1.is_finite()).enumerate() {
                let _ = write!(
                    path,
                    "{}{:.1} {:.1}",
                    if place == 0 { "M" } else { "L" },
                    x.place(point.0),
                    y.place(point.1)
                );
            }
            let class = tone.class();
            let _ =
                write!(marks, "<path d=\"{path}\" class=\"path {class}\" data-points=\"{}\"/>", points.len());
            if let Some(last) = points.last() {
                text(marks, x.place(last.0) + 6.0, y.place(last.1) + 4.0, Anchor::Start, "strong", name);
            }
        }
        Layer::Band { points, tone } => {
            let mut path = String::new();
            for (place, point) in points.iter().enumerate() {
                let _ = write!(
                    path,
                    "{}{:.1} {:.1}",
                    if place == 0 { "M" } else { "L" },
                    x.place(point.x),
                    y.place(point.high)
                );
            }
            for point in points.iter().rev() {
                let _ = write!(path, "L{:.1} {:.1}", x.place(point.x), y.place(point.low));
            }
            let fill = tone.class().replacen("t-", "f-", 1);
            let _ = write!(marks, "<path d=\"{path}Z\" class=\"band {fill}\"/>");
        }
        Layer::Rule { y: height, label, tone } => {
            let height = y.place(*height);
            line(marks, (LEFT, height), (WIDTH - RIGHT, height), &format!("rule {}", tone.class()));
            text(marks, WIDTH - RIGHT + 6.0, height + 4.0, Anchor::Start, "soft", label);
        }
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
        }
    }

    #[test]
    fn a_chart_without_points_is_still_a_drawing() {
        let svg = chart(vec![]).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
    }

    #[test]
    fn figures_that_are_not_numbers_are_left_out_of_the_drawing() {
        let points = vec![(0.0, f64::NAN), (1.0, 2.0), (2.0, f64::INFINITY), (3.0, 1.0)];
        let svg = chart(vec![Layer::Line { name: "a<b".into(), points, tone: Tone::Main }]).svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }
}
