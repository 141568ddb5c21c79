//! `[pgn]` of a run file.

use crate::config::toml_reader::Fields;
use crate::run::{PgnContent, PgnField, PgnLength, PgnNotation, PgnStyle};

/// Reads the table.
pub(super) fn pgn(fields: &mut Fields) -> PgnContent {
    let styles = [
        ("playself", PgnStyle::Playself),
        ("fastchess", PgnStyle::Fastchess),
        ("cutechess", PgnStyle::Cutechess),
    ];
    let notations = [("san", PgnNotation::San), ("lan", PgnNotation::Lan), ("uci", PgnNotation::Uci)];
    let style = fields.choice("style", &styles);
    let notation = fields.choice("notation", &notations);
    if style.is_none_or(|style| style == PgnStyle::Playself)
        && notation.is_some_and(|it| it != PgnNotation::San)
    {
        fields.wrong("notation: only the styles fastchess and cutechess write other moves than SAN");
    }
    let length = fields.choice("length", &[("full", PgnLength::Full), ("min", PgnLength::Min)]);
    PgnContent {
        style: style.unwrap_or_default(),
        event: fields.text("event"),
        site: fields.text("site"),
        notation: notation.unwrap_or_default(),
        length: length.unwrap_or_default(),
        fields: fields.texts("fields").map(|names| known_fields(fields, &names)),
        match_lines: fields.texts("match_lines").unwrap_or_default(),
    }
}

fn known_fields(fields: &mut Fields, names: &[String]) -> Vec<PgnField> {
    let mut known = Vec::new();
    for name in names {
        match PgnField::ALL.iter().find(|(text, _)| text == name) {
            Some((_, field)) => known.push(*field),
            None => {
                let all: Vec<&str> = PgnField::ALL.iter().map(|(text, _)| *text).collect();
                fields
                    .wrong(format!("fields: there is no field `{name}`; the fields are {}", all.join(", ")));
            }
        }
    }
    known
}
