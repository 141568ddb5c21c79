//! `[adjudicate]` of a run file.

use std::path::PathBuf;

use crate::config::toml_reader::Fields;
use crate::game::{
    AdjudicationRules, AdjudicationStyle, DrawRule, FiftyMoves, ResignRule, ResignSides, TablebaseResults,
    TablebaseRule,
};

/// Reads the table.
pub(super) fn adjudicate(fields: &mut Fields) -> AdjudicationRules {
    const MAX_MOVES: u32 = AdjudicationRules::MAX_MOVES;
    const MAX_CP: u32 = AdjudicationRules::MAX_CP;
    AdjudicationRules {
        draw: fields
            .table("draw", |fields| {
                let after_move = fields.whole("after_move", 0, MAX_MOVES).unwrap_or(0);
                // Every key is read before a missing one is reported, so that all mistakes are found.
                let (moves, cp) =
                    (required(fields, "moves", 1, MAX_MOVES), required(fields, "cp", 0, MAX_CP));
                Some(DrawRule { after_move, moves: moves?, cp: cp? })
            })
            .flatten(),
        resign: fields
            .table("resign", |fields| {
                let two_sided = fields.flag("two_sided").unwrap_or(true);
                let sides = if two_sided { ResignSides::Two } else { ResignSides::One };
                let (moves, cp) =
                    (required(fields, "moves", 1, MAX_MOVES), required(fields, "cp", 0, MAX_CP));
                Some(ResignRule { moves: moves?, cp: cp?, sides })
            })
            .flatten(),
        max_moves: fields.whole("max_moves", 1, MAX_MOVES),
        style: fields
            .choice(
                "style",
                &[
                    ("playself", AdjudicationStyle::Playself),
                    ("fastchess", AdjudicationStyle::Fastchess),
                    ("cutechess", AdjudicationStyle::Cutechess),
                ],
            )
            .unwrap_or_default(),
        tablebases: fields.table("tablebases", tablebases).flatten(),
    }
}

fn tablebases(fields: &mut Fields) -> Option<TablebaseRule> {
    let path = fields.required("path", "one or more folders with `:` between them", Fields::text);
    let men = fields.whole("men", 3, 32);
    let counted = fields.flag("fifty_moves").unwrap_or(true);
    let results = fields.choice(
        "results",
        &[
            ("both", TablebaseResults::Both),
            ("wins", TablebaseResults::Wins),
            ("draws", TablebaseResults::Draws),
        ],
    );
    Some(TablebaseRule {
        folders: table_folders(&path?),
        men,
        fifty_moves: if counted { FiftyMoves::Counted } else { FiftyMoves::Ignored },
        results: results.unwrap_or_default(),
    })
}

/// Splits a list of folders as in `PATH`; empty parts are skipped.
pub fn table_folders(path: &str) -> Vec<PathBuf> {
    path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
}

fn required(fields: &mut Fields, key: &str, least: i64, most: u32) -> Option<u32> {
    let what = format!("an integer of at least {least}");
    fields.required(key, &what, |fields, key| fields.whole(key, least, most))
}
