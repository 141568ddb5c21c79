//! A board of 64 values, for piece-square tables.

use std::fmt::Write;

use super::svg::{Anchor, frame, text};
use crate::report::markup::escape;

/// A value for each square, a1 first, drawn with the eighth rank at the top.
#[derive(Clone, Debug)]
pub struct BoardMap {
    /// Title of the chart.
    pub title: String,
    /// The values, a1 = 0 to h8 = 63; `None` without a value, as for pawns on the first rank.
    pub values: [Option<i32>; 64],
}

impl BoardMap {
    /// Draws the board as SVG: the opacity is the absolute value, the colour is the sign, and each square contains its
    /// number.
    pub fn svg(&self) -> String {
        const CELL: f64 = 40.0;
        const EDGE: f64 = 18.0;
        // Opacities that keep the numbers readable on a light and on a dark background.
        const FAINTEST: f64 = 0.05;
        const FULLEST: f64 = 0.5;
        let known = || self.values.iter().flatten();
        let strongest = known().map(|value| value.unsigned_abs()).max().unwrap_or(0).max(1);
        let mut marks = String::new();
        for (index, value) in self.values.iter().enumerate() {
            let (file, rank) = (index % 8, index / 8);
            let (x, y) = (EDGE + CELL * file as f64, CELL * (7 - rank) as f64);
            let Some(value) = value else { continue };
            let fill = if *value < 0 { "f-bad" } else { "f-good" };
            let opacity =
                FAINTEST + (FULLEST - FAINTEST) * f64::from(value.unsigned_abs()) / f64::from(strongest);
            let _ = write!(
                marks,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" class=\"{fill}\" fill-opacity=\"{opacity:.2}\">\
                 <title>{}: {value}</title></rect>",
                escape(&format!("{}{}", char::from(b'a' + file as u8), rank + 1)),
            );
            text(&mut marks, x + CELL / 2.0, y + CELL / 2.0 + 4.0, Anchor::Middle, "", &figure(*value));
        }
        for step in 0..8u8 {
            let along = f64::from(step) * CELL + CELL / 2.0;
            let file = char::from(b'a' + step).to_string();
            text(&mut marks, EDGE + along, CELL * 8.0 + 14.0, Anchor::Middle, "soft", &file);
            text(&mut marks, 6.0, CELL * 8.0 - along + 4.0, Anchor::Middle, "soft", &(step + 1).to_string());
        }
        let (least, most) = (known().min().unwrap_or(&0), known().max().unwrap_or(&0));
        let description = format!("values from {} to {}", figure(*least), figure(*most));
        frame(EDGE + CELL * 8.0, CELL * 8.0 + EDGE, &self.title, &description, &marks)
    }
}

/// Returns a number with a typographic minus.
fn figure(value: i32) -> String {
    value.to_string().replace('-', "\u{2212}")
}
