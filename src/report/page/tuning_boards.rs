//! Piece-square tables among the tuned weights, as boards before and after.

use std::collections::BTreeMap;

use crate::report::chart::BoardMap;
use crate::report::page::html::figure;
use crate::tuning::TuningReport;

/// A table before or after the tuning.
#[derive(Clone, Debug)]
pub(super) struct TableBoard {
    /// Common prefix of the names of its weights.
    pub(super) table: String,
    /// `before` or `after`.
    pub(super) when: &'static str,
    pub(super) map: BoardMap,
}

/// Returns the tables of weights whose names end in a square, each before and after.
pub(super) fn boards(report: &TuningReport) -> Vec<TableBoard> {
    let mut tables: BTreeMap<&str, [[Option<i32>; 64]; 2]> = BTreeMap::new();
    for weight in &report.parameters {
        if let Some((table, square)) = table_and_square(&weight.name) {
            let [before, after] = tables.entry(table).or_insert([[None; 64]; 2]);
            before[square] = Some(weight.start.round() as i32);
            after[square] = Some(weight.best.round() as i32);
        }
    }
    tables.retain(|_, [before, _]| before.iter().flatten().count() >= 8);
    let mut boards = Vec::new();
    for (table, values) in tables {
        for (when, values) in ["before", "after"].into_iter().zip(values) {
            let map = BoardMap { title: format!("{table} {when}"), values: mirrored(values) };
            boards.push(TableBoard { table: table.to_owned(), when, map });
        }
    }
    boards
}

/// A table with its boards before and after as markup.
pub(super) struct BoardFigures {
    pub(super) name: String,
    pub(super) figures: Vec<String>,
}

/// Returns the boards of every table as markup.
pub(super) fn board_figures(report: &TuningReport) -> Vec<BoardFigures> {
    let figure_of = |board: &TableBoard| {
        let id = format!("board-{}-{}", safe_id(&board.table), board.when);
        figure(&id, board.when, board.map.svg())
    };
    let both = |boards: &[TableBoard]| BoardFigures {
        name: boards[0].table.clone(),
        figures: boards.iter().map(figure_of).collect(),
    };
    boards(report).chunks(2).map(both).collect()
}

/// Copies the files a to d to e to h if only those have values: an engine with symmetric tables has weights for one
/// wing.
fn mirrored(mut values: [Option<i32>; 64]) -> [Option<i32>; 64] {
    let one_wing = values.iter().enumerate().all(|(at, value)| at % 8 < 4 || value.is_none());
    if one_wing {
        for at in (0..64).filter(|at| at % 8 >= 4) {
            values[at] = values[at ^ 7];
        }
    }
    values
}

/// `pst_knight_mg_d4` is square d4 of the table `pst_knight_mg`.
fn table_and_square(name: &str) -> Option<(&str, usize)> {
    let (table, square) = name.rsplit_once('_')?;
    match square.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some((table, usize::from(rank - b'1') * 8 + usize::from(file - b'a')))
        }
        _ => None,
    }
}

/// Returns a name that is safe in an element id and a file name.
pub(super) fn safe_id(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::{ParameterEffect, ParameterReport};

    fn report(files: u8) -> TuningReport {
        let squares = (0..64u8).filter(|at| at % 8 < files).map(|at| ParameterReport {
            name: format!("pst_knight_mg_{}{}", char::from(b'a' + at % 8), at / 8 + 1),
            start: f64::from(at),
            best: -f64::from(at),
            interval: None,
            effect: ParameterEffect::Clear,
        });
        TuningReport {
            pairs_scored: 1,
            pairs_left: 0,
            parameters: squares.collect(),
            gain: None,
            remaining_loss: None,
        }
    }

    #[test]
    fn tables_named_by_squares_are_drawn_as_boards_before_and_after() {
        let html = board_figures(&report(8))[0].figures.concat();
        assert!(html.contains("id=\"board-pst-knight-mg-before\""), "{html}");
        assert!(html.contains("<title>h8: 63</title>") && html.contains("<title>h8: -63</title>"), "{html}");
        assert_eq!(table_and_square("passed_pawn_rank_3"), None);
        assert_eq!(table_and_square("pst_rook_eg_b2"), Some(("pst_rook_eg", 9)));
    }

    #[test]
    fn a_table_of_one_wing_is_shown_on_both() {
        let html = board_figures(&report(4))[0].figures.concat();
        assert!(html.contains("<title>a8: 56</title>") && html.contains("<title>h8: 56</title>"), "{html}");
    }
}
