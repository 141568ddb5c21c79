//! Charts as SVG text: one drawing code for the report, the live page and plots saved as files.
//!
//! A chart is a value; drawing it is pure. Colours are classes, so that a page's style sheet decides light or dark;
//! [`standalone`] writes the colours out for an SVG that has to stand alone.

mod bars;
mod board;
mod decimate;
mod forest;
mod scale;
mod svg;
mod xy;

pub use bars::{Bar, BarChart, BarShare, ShareChart};
pub use board::BoardMap;
pub use decimate::{decimate, decimate_band};
pub use forest::{ForestChart, ForestRow};
pub use svg::{CHART_STYLE, Tone, standalone};
pub use xy::{BandPoint, ChartSize, Layer, XyChart};
