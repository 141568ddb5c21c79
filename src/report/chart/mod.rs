//! Charts as SVG text, for the report, the live page and SVG files.
//!
//! A chart is a value, and drawing it has no side effects. Colours are classes, so that the style sheet of a page
//! chooses light or dark ones; [`standalone`] writes the colours into a separate SVG file.

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
pub use xy::{BandPoint, ChartSize, Layer, ValueFormat, XyChart};
