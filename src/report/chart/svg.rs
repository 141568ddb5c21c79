//! SVG elements of charts, and SVG files with their own style.

use std::fmt::Write;

use crate::report::markup::escape;

/// Meaning of a mark. The style sheet assigns a light and a dark colour to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The measured quantity.
    Main,
    /// A second quantity.
    Second,
    /// Good for the candidate.
    Good,
    /// Bad for the candidate.
    Bad,
    /// Neither good nor bad.
    Neutral,
}

impl Tone {
    /// Returns the class name in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Main => "t-main",
            Self::Second => "t-second",
            Self::Good => "t-good",
            Self::Bad => "t-bad",
            Self::Neutral => "t-neutral",
        }
    }
}

/// Returns an image of `marks` with a title and a description for screen readers.
pub(super) fn frame(width: f64, height: f64, title: &str, description: &str, marks: &str) -> String {
    frame_with(width, height, title, description, "", marks)
}

/// Returns an image with further attributes, which are markup.
pub(super) fn frame_with(
    width: f64,
    height: f64,
    title: &str,
    description: &str,
    attributes: &str,
    marks: &str,
) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         class=\"chart\"{attributes} aria-label=\"{label}\"><title>{title}</title><desc>{description}</desc>{marks}</svg>",
        label = escape(&format!("{title}. {description}")),
        title = escape(title),
        description = escape(description),
    )
}

/// Anchor of a text.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Appends a text with the style of `class`.
pub(super) fn text(out: &mut String, x: f64, y: f64, anchor: Anchor, class: &str, content: &str) {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let content = escape(content);
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{content}</text>"
    );
}

/// Appends a straight line.
pub(super) fn line(out: &mut String, from: (f64, f64), to: (f64, f64), class: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ =
        write!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>");
}

/// Appends a rectangle with a tooltip.
pub(super) fn rect(
    out: &mut String,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    class: &str,
    tooltip: &str,
) {
    let (width, height) = (width.max(0.0), height.max(0.0));
    let _ = write!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\">\
         <title>{}</title></rect>",
        escape(tooltip)
    );
}

/// The style sheet of charts in a page.
pub const CHART_STYLE: &str = include_str!("chart.css");

/// Returns a chart as an SVG file on a white background. Colours are written out because typesetting programs support
/// neither variables nor media queries.
pub fn standalone(svg: &str) -> String {
    let head = svg.find('>').map_or(svg.len(), |end| end + 1);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}{}<style>{}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{}\n",
        size_attributes(svg),
        svg[..head].trim_start_matches("<svg"),
        light_style(),
        &svg[head..]
    )
}

/// Returns the start of the image with the size of its view box, which programs for papers need.
fn size_attributes(svg: &str) -> String {
    let view = svg.split_once("viewBox=\"0 0 ").and_then(|(_, rest)| rest.split_once('"'));
    match view.and_then(|(size, _)| size.split_once(' ')) {
        Some((width, height)) => format!("<svg width=\"{width}\" height=\"{height}\""),
        None => "<svg".to_owned(),
    }
}

/// Returns the style sheet with the light colours of its first rule.
fn light_style() -> String {
    let rules = CHART_STYLE.lines().filter(|rule| !rule.starts_with("@media")).collect::<String>();
    let Some((variables, mut style)) =
        rules.strip_prefix(".chart{").and_then(|rest| rest.split_once('}')).map(|(head, rest)| {
            (
                head.to_owned(),
                format!(".chart{{{}}}{rest}", &head[head.find("font:").unwrap_or(head.len())..]),
            )
        })
    else {
        return rules;
    };
    for (name, colour) in variables.split(';').filter_map(|each| each.split_once(':')) {
        style = style.replace(&format!("var({name})"), colour);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_title_is_escaped() {
        let svg = frame(10.0, 10.0, "</title><script>", "d", "");
        assert!(!svg.contains("<script>"));
    }

    #[test]
    fn a_standalone_file_contains_its_style() {
        let file = standalone(&frame(10.0, 10.0, "t", "d", "<line/>"));
        assert!(file.contains("<svg width=\"10\" height=\"10\" xmlns="), "{file}");
        assert!(file.starts_with("<?xml") && file.contains("<style>") && file.ends_with("</svg>\n"));
        assert!(!file.contains("var(") && !file.contains("@media") && !file.contains("--"), "{file}");
        assert!(file.contains("stroke:#1f66b3") && file.contains(".chart{font:"), "{file}");
    }
}
