//! The counted pairs as a table.

use crate::experiment::CountedPair;

/// The first line of `pairs.csv`.
pub const HEADER: &str = "pair,opening,fen,game1_result,game1_reason,game1_plies,game2_result,game2_reason,\
                          game2_plies,candidate_points,llr\n";

/// One row, newline included.
pub fn row(counted: &CountedPair) -> String {
    let [first, second] = &counted.games;
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let fields = [
        (counted.pair + 1).to_string(),
        (first.opening + 1).to_string(),
        first.fen.clone(),
        first.ending.result.to_string(),
        first.ending.termination.to_string(),
        first.plies().to_string(),
        second.ending.result.to_string(),
        second.ending.termination.to_string(),
        second.plies().to_string(),
        counted.score.points().to_string(),
        counted.llr.map(|llr| llr.to_string()).unwrap_or_default(),
    ];
    writer.write_record(&fields).expect("memory takes every row");
    let bytes = writer.into_inner().expect("memory takes every row");
    String::from_utf8(bytes).expect("all fields are text")
}
