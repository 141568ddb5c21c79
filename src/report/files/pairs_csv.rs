//! The counted pairs as CSV: `pairs.csv`.

use crate::run::{CountedPair, Plan};

/// The header of `pairs.csv` in a match of two engines.
const HEADER: &str = "pair,opening,fen,game1_result,game1_reason,game1_plies,game2_result,game2_reason,\
                          game2_plies,candidate_points,llr";

/// Additional columns with more than two engines: the engines of game 1. The points are those of its White.
const NAMES: &str = ",game1_white,game1_black";

/// Additional column of a run on a fleet: the machine that played the pair.
const WORKER: &str = ",worker";

/// Returns the header for a plan.
pub(super) fn header(plan: &Plan) -> String {
    let names = if plan.engines.len() > 2 { NAMES } else { "" };
    let worker = if plan.fleet.url.is_some() { WORKER } else { "" };
    format!("{HEADER}{names}{worker}\n")
}

/// Returns the row of a pair with its newline.
pub(super) fn row(counted: &CountedPair, plan: &Plan) -> String {
    let first = &counted.games[0];
    let second = counted.games.get(1);
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let mut fields = vec![
        (counted.pair + 1).to_string(),
        (first.opening + 1).to_string(),
        first.fen.clone(),
        first.ending.result.to_string(),
        first.ending.termination.to_string(),
        first.plies().to_string(),
        second.map(|game| game.ending.result.to_string()).unwrap_or_default(),
        second.map(|game| game.ending.termination.to_string()).unwrap_or_default(),
        second.map(|game| game.plies().to_string()).unwrap_or_default(),
        counted.score.map(|score| score.points().to_string()).unwrap_or_default(),
        counted.llr.map(|llr| llr.to_string()).unwrap_or_default(),
    ];
    if plan.engines.len() > 2 {
        fields.extend([first.white, first.black].map(|engine| plan.name_of(engine).to_owned()));
    }
    if plan.fleet.url.is_some() {
        fields.push(first.by.clone().unwrap_or_default());
    }
    writer.write_record(&fields).expect("writing to memory does not fail");
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("all fields are text")
}
