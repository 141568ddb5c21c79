//! The sections of the page of a tournament: standings, cross table and likelihoods of superiority.

use askama::Template;

use crate::game::EngineIndex;
use crate::report::chart::{ForestChart, ForestRow, Tone};
use crate::report::markup::render;
use crate::report::page::html::{Section, figure};
use crate::report::run_ratings::run_ratings;
use crate::report::{TableRow, filters};
use crate::run::{MatchScore, RunView};

#[derive(Template)]
#[template(path = "standings.html")]
struct StandingsTable<'a> {
    rows: &'a [TableRow],
    ratings: Option<String>,
    names: Vec<&'a str>,
    crossed: Vec<MatrixRow<'a>>,
    superior: Option<Vec<MatrixRow<'a>>>,
}

/// A row of a table with a column for each engine.
struct MatrixRow<'a> {
    name: &'a str,
    cells: Vec<String>,
}

/// Returns the section with the standings, the results of every matchup and the probability that one engine is stronger than
/// another, the strongest engine first.
pub(super) fn standings_section(view: &RunView<'_>, rows: &[TableRow]) -> Section {
    let standings = view.state.standings();
    let order: Vec<EngineIndex> = rows.iter().filter_map(|row| index_of(view, &row.name)).collect();
    let score_of = |one: EngineIndex, other: EngineIndex| -> MatchScore {
        let both = standings.matchups().iter().filter_map(|(engines, score)| match engines {
            [first, second] if (*first, *second) == (one, other) => Some(*score),
            [first, second] if (*first, *second) == (other, one) => Some(score.reversed()),
            _ => None,
        });
        both.fold(MatchScore::default(), |sum, score| sum.plus(&score))
    };
    let ratings = run_ratings(view.plan.engines.len(), standings.matchups());
    let table = StandingsTable {
        rows,
        ratings: (rows.iter().filter(|row| row.rating.is_some()).count() > 1).then(|| {
            figure("ratings", "Ratings from all results together, with 95 % intervals", rating_chart(rows))
        }),
        names: order.iter().map(|&engine| view.plan.name_of(engine)).collect(),
        crossed: matrix(view, &order, |one, other| result_text(&score_of(one, other))),
        superior: ratings.map(|ratings| {
            matrix(view, &order, |one, other| {
                ratings.los(one.get(), other.get()).map_or_else(|| "–".to_owned(), share_text)
            })
        }),
    };
    Section { id: "standings", html: render(&table) }
}

/// Returns the ratings of the engines as a chart.
pub(super) fn rating_chart(rows: &[TableRow]) -> String {
    let row = |row: &TableRow| {
        let (value, error) = row.rating.zip(row.rating_error)?;
        Some(ForestRow {
            label: row.name.clone(),
            value,
            ends: [value - error, value + error],
            tone: Tone::Main,
        })
    };
    let rows = rows.iter().filter_map(row).collect();
    ForestChart { title: "Ratings".into(), x_label: "Elo above the mean of all engines".into(), rows }.svg()
}

fn matrix<'a>(
    view: &RunView<'a>,
    order: &[EngineIndex],
    cell: impl Fn(EngineIndex, EngineIndex) -> String,
) -> Vec<MatrixRow<'a>> {
    let row = |&one: &EngineIndex| MatrixRow {
        name: view.plan.name_of(one),
        cells: order
            .iter()
            .map(|&other| if one == other { String::new() } else { cell(one, other) })
            .collect(),
    };
    order.iter().map(row).collect()
}

fn index_of(view: &RunView<'_>, name: &str) -> Option<EngineIndex> {
    let place = view.plan.engines.iter().position(|engine| engine.spec.name == name)?;
    u16::try_from(place).ok().map(EngineIndex)
}

/// Returns the games of one engine against another: `+12 =20 −8, 55.0 %`.
fn result_text(score: &MatchScore) -> String {
    let games = score.games;
    if games.games() == 0 {
        return "–".to_owned();
    }
    let share = games.half_points() as f64 / (2 * games.games()) as f64;
    format!("+{} ={} \u{2212}{}, {:.1} %", games.wins, games.draws, games.losses, 100.0 * share)
}

fn share_text(share: f64) -> String {
    match format!("{:.1} %", 100.0 * share).as_str() {
        "100.0 %" => "> 99.9 %".to_owned(),
        "0.0 %" => "< 0.1 %".to_owned(),
        text => text.to_owned(),
    }
}
