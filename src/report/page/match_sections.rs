//! The sections of a match or a test.

use std::fmt::Write;

use crate::report::TableRow;
use crate::report::chart::escape;
use crate::report::number_text::{estimate_text, grouped};
use crate::report::page::MatchData;
use crate::report::page::charts::{
    ChartDetail, colour_chart, elo_chart, length_chart, llr_chart, pentanomial_chart,
};
use crate::report::page::html::{Section, figure};
use crate::run::fault_file_name;
use crate::stats::Bounds;

/// How sure the result is: the test's path and the Elo curve.
pub fn test_section(picture: &MatchData, bounds: Option<Bounds>, detail: ChartDetail) -> Section {
    let mut html = "<h2>How sure it is</h2>".to_owned();
    if let Some(svg) = bounds.and_then(|bounds| llr_chart(picture, bounds, detail)) {
        figure(&mut html, "llr", "The test: log-likelihood ratio between its bounds", &svg);
    }
    match elo_chart(picture, detail) {
        Some(svg) => figure(&mut html, "elo", "Elo difference with its 95 % interval", &svg),
        None => html.push_str("<p>No pair has been counted yet.</p>"),
    }
    Section { id: "sure", html }
}

/// What pairs were worth, by points, colours and openings.
pub fn result_section(picture: &MatchData) -> Section {
    let mut html = "<h2>Results</h2>".to_owned();
    figure(&mut html, "pentanomial", "Pairs by the candidate's points", &pentanomial_chart(picture));
    figure(&mut html, "colours", "The candidate's games by colour", &colour_chart(picture));
    if picture.pairs() > 0 {
        html.push_str("<h3>By opening</h3>");
        html.push_str(&picture.openings.tables());
    }
    Section { id: "results", html }
}

/// All engines of a tournament, the strongest first.
pub fn table_section(rows: &[TableRow]) -> Section {
    let mut html = "<h2>Standings</h2><table><thead><tr><th>engine<th class=\"n\">Elo<th class=\"n\">games\
                    <th class=\"n\">won<th class=\"n\">drawn<th class=\"n\">lost<th class=\"n\">faults</tr></thead><tbody>"
        .to_owned();
    for row in rows {
        let elo = estimate_text(row.elo, row.elo_error);
        let _ = write!(html, "<tr><td>{}<td class=\"n\">{elo}", escape(&row.name));
        for count in [row.games, row.wins, row.draws, row.losses, row.faults] {
            let _ = write!(html, "<td class=\"n\">{}", grouped(count));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    Section { id: "standings", html }
}

/// How games ended and how long they were.
pub fn game_section(picture: &MatchData) -> Section {
    let mut html = "<h2>Games</h2><table><caption>How games ended</caption>\
                    <thead><tr><th>reason<th class=\"n\">games</tr></thead><tbody>"
        .to_owned();
    let mut endings: Vec<_> = picture.endings.iter().collect();
    endings.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), **reason));
    for (reason, count) in endings {
        let reason = escape(&reason.replace('_', " "));
        let _ = write!(html, "<tr><td>{reason}<td class=\"n\">{}</tr>", grouped(*count));
    }
    html.push_str("</tbody></table>");
    figure(&mut html, "lengths", "Games by length", &length_chart(picture));
    Section { id: "endings", html }
}

/// What engines did with their time.
pub fn time_section(picture: &MatchData) -> Section {
    let clocks = picture.use_of_time.iter().any(|used| used.least_left_us.is_some());
    let mut html = format!(
        "<h2>Time</h2><table><caption>What each engine did with its time</caption><thead><tr><th>engine\
         <th class=\"n\">moves<th class=\"n\">mean, ms a move<th class=\"n\">longest, ms{}\
         <th class=\"n\">nodes a second<th class=\"n\">mean depth</tr></thead><tbody>",
        if clocks { "<th class=\"n\">least left, s" } else { "" }
    );
    for (name, used) in picture.engines().iter().zip(&picture.use_of_time) {
        let mean = if used.moves == 0 { 0.0 } else { used.time_us as f64 / used.moves as f64 / 1e3 };
        let nps = used.nps().map_or_else(|| "–".to_owned(), grouped);
        let depth = used.mean_depth().map_or_else(|| "–".to_owned(), |depth| format!("{depth:.1}"));
        let _ = write!(
            html,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{mean:.2}<td class=\"n\">{:.1}",
            escape(name),
            grouped(used.moves),
            used.longest_us as f64 / 1e3
        );
        if clocks {
            let left = used.least_left_us.map(|left| format!("{:.3}", left as f64 / 1e6));
            let _ = write!(html, "<td class=\"n\">{}", left.as_deref().unwrap_or("–"));
        }
        let _ = write!(html, "<td class=\"n\">{nps}<td class=\"n\">{depth}</tr>");
    }
    html.push_str("</tbody></table>");
    Section { id: "time", html }
}

/// Games that ended by a fault, with their bundles.
pub fn fault_section(picture: &MatchData) -> Section {
    let mut html = "<h2>Faults</h2>".to_owned();
    if picture.fault_count == 0 {
        html.push_str(
            "<p>None: no engine crashed, stalled, forfeited on time or played an illegal move.</p>",
        );
        return Section { id: "faults", html };
    }
    let ended = if picture.fault_count == 1 { "game" } else { "games" };
    let _ = write!(html, "<p>{} {ended} ended by a fault.</p>", grouped(picture.fault_count));
    html.push_str("<table><thead><tr><th>game<th>engine<th>what it did<th>bundle</tr></thead><tbody>");
    for fault in &picture.faults {
        let _ = write!(
            html,
            "<tr><td><a href=\"#game-{game}\">{game}</a><td>{}<td>{}<td><a href=\"faults/{bundle}\">{bundle}</a></tr>",
            escape(&fault.engine),
            escape(&fault.reason),
            game = fault.game,
            bundle = fault_file_name(fault.game, fault.attempt),
        );
    }
    html.push_str("</tbody></table>");
    let listed = picture.faults.len() as u64;
    if listed < picture.fault_count {
        let _ =
            write!(html, "<p class=\"note\">The first {}; the rest is in the journal.</p>", grouped(listed));
    }
    Section { id: "faults", html }
}
