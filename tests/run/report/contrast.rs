//! Contrast of the colours of all pages, light and dark: 4.5 : 1 for text, 3 : 1 for strokes and pieces (WCAG).
//!
//! A colour that a style sheet uses and that has no row here fails the test.

use std::collections::{BTreeMap, BTreeSet};

use playself::report::chart::BoardMap;

const PAGE: &str = include_str!("../../../src/report/page/page.css");
const CHART: &str = include_str!("../../../src/report/chart/chart.css");
const LIVE: &str = include_str!("../../../src/dashboard/live.css");

/// Required by WCAG 2.2 for text (success criterion 1.4.3, level AA).
const TEXT: f64 = 4.5;
/// Required for marks that carry meaning (1.4.11).
const MARK: f64 = 3.0;

type Colour = [f64; 3];

/// Custom properties by name.
type Palette = BTreeMap<String, Colour>;

fn colour(text: &str) -> Option<Colour> {
    let digits = text.trim().strip_prefix('#')?;
    let wide: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        6 => digits.to_owned(),
        _ => return None,
    };
    let channel = |at: usize| u8::from_str_radix(&wide[at..at + 2], 16).ok().map(f64::from);
    Some([channel(0)?, channel(2)?, channel(4)?])
}

/// The properties declared in the first block of `css` after `mark`.
fn palette(css: &str, mark: &str) -> Palette {
    let block =
        css.split_once(mark).and_then(|(_, rest)| rest.split_once('}')).map_or("", |(block, _)| block);
    let declared = block.split(';').filter_map(|each| each.split_once(':'));
    declared
        .filter_map(|(name, value)| Some((name.trim().strip_prefix("--")?.to_owned(), colour(value)?)))
        .collect()
}

/// Relative luminance, as WCAG defines it.
fn luminance(colour: Colour) -> f64 {
    let linear = colour.map(|channel| {
        let share = channel / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// A colour with this opacity over a background.
fn over(front: Colour, ground: Colour, opacity: f64) -> Colour {
    [0, 1, 2].map(|at| opacity * front[at] + (1.0 - opacity) * ground[at])
}

/// The custom properties that a style sheet uses.
fn used(css: &str) -> BTreeSet<String> {
    let uses = css.split("var(--").skip(1).filter_map(|rest| rest.split_once(')'));
    uses.map(|(name, _)| name.to_owned()).collect()
}

/// The light and the dark palette of a style sheet.
fn palettes(css: &str, mark: &str) -> [Palette; 2] {
    let dark = css.split_once("prefers-color-scheme:dark").map_or("", |(_, rest)| rest);
    [palette(css, mark), palette(dark, mark)]
}

/// Foreground, background and minimum ratio in pages.
const ON_PAGES: [(&str, &str, f64); 8] = [
    ("ink", "paper", TEXT),
    ("ink", "card", TEXT),
    ("soft", "paper", TEXT),
    ("soft", "card", TEXT),
    ("accent", "paper", TEXT),
    ("second", "paper", TEXT),
    ("bad", "paper", TEXT),
    ("accent", "card", MARK),
];

/// Foreground and minimum ratio in charts, on the background `paper`.
const IN_CHARTS: [(&str, f64); 7] = [
    ("ink", TEXT),
    ("soft", TEXT),
    ("main", MARK),
    ("second", MARK),
    ("good", MARK),
    ("bad", MARK),
    ("neutral", MARK),
];

/// Backgrounds and labels that have their own rows, and separator lines and shadows, which carry no meaning.
const OTHERS: [&str; 7] = ["line", "grid", "light", "dark", "mark", "on", "shade"];

/// All combinations: name, ratio and required minimum.
fn rows(page: &Palette, chart: &Palette) -> Vec<(String, f64, f64)> {
    let (paper, piece) = (page["paper"], colour("#111").expect("#111 is a colour"));
    let mut rows = Vec::new();
    for (front, ground, least) in ON_PAGES {
        rows.push((format!("{front} on {ground}"), contrast(page[front], page[ground]), least));
    }
    for (front, least) in IN_CHARTS {
        rows.push((format!("chart's {front}"), contrast(chart[front], paper), least));
    }
    for square in ["light", "dark", "mark"] {
        rows.push((format!("piece on {square}"), contrast(piece, page[square]), TEXT));
    }
    for bar in ["main", "good", "bad", "neutral"] {
        rows.push((format!("label on a {bar} bar"), contrast(chart["on"], chart[bar]), TEXT));
    }
    for (fill, opacity) in [("good", fullest(30)), ("bad", fullest(-30))] {
        let ground = over(chart[fill], paper, opacity);
        rows.push((format!("figure on the fullest {fill} square"), contrast(chart["ink"], ground), TEXT));
    }
    rows
}

#[test]
fn colours_meet_the_required_contrast() {
    // Published values: black on white is 21 : 1; #777777 on white is 4.48 : 1, just below the minimum for text.
    let white = [255.0; 3];
    assert!((contrast([0.0; 3], white) - 21.0).abs() < 1e-9);
    assert!((contrast([119.0; 3], white) - 4.48).abs() < 0.005);
    let (pages, charts) = (palettes(PAGE, ":root{"), palettes(CHART, ".chart{"));
    for (page, chart) in pages.iter().zip(&charts) {
        for (what, ratio, least) in rows(page, chart) {
            assert!(ratio >= least, "{what}: {ratio:.2} : 1, the minimum is {least}");
        }
    }
}

#[test]
fn every_colour_in_use_is_checked() {
    let on_pages = ON_PAGES.iter().flat_map(|(front, ground, _)| [*front, *ground]);
    let examined: BTreeSet<String> =
        on_pages.chain(IN_CHARTS.iter().map(|(front, _)| *front)).chain(OTHERS).map(str::to_owned).collect();
    for sheet in [PAGE, CHART, LIVE] {
        let unseen: Vec<String> = used(sheet).difference(&examined).cloned().collect();
        assert!(unseen.is_empty(), "colours without a row: {unseen:?}");
    }
}

/// The opacity of the strongest square of a board.
fn fullest(value: i32) -> f64 {
    let mut values = [None; 64];
    values[0] = Some(value);
    let svg = BoardMap { title: "t".into(), values }.svg();
    let opacity = svg.split_once("fill-opacity=\"").and_then(|(_, rest)| rest.split_once('"'));
    opacity.and_then(|(opacity, _)| opacity.parse().ok()).expect("a square has an opacity")
}
