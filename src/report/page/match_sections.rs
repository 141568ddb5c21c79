//! The sections of the page of a match or test.

use std::cmp::Reverse;
use std::path::Path;

use askama::Template;

use crate::game::FaultBundle;
use crate::report::markup::render;
use crate::report::number_text::grouped;
use crate::report::page::charts::{
    ChartDetail, FEWEST_PAIRS, colour_chart, elo_chart, length_chart, llr_chart, pentanomial_chart,
};
use crate::report::page::html::{Section, figure};
use crate::report::page::{EngineUse, FaultRow, MatchData};
use crate::report::{filters, hypotheses_text};
use crate::stats::SprtConfig;
use crate::store::read_text;

#[derive(Template)]
#[template(path = "certainty.html")]
struct Certainty {
    llr: Option<String>,
    note: Option<String>,
    elo: Option<String>,
    pairs: u64,
    fewest: u64,
}

/// Returns the section with the log-likelihood ratio and the Elo curve; `note` explains the decision of the test.
pub fn test_section(
    data: &MatchData,
    sprt: Option<&SprtConfig>,
    note: Option<String>,
    detail: ChartDetail,
) -> Section {
    let llr = sprt.and_then(|sprt| {
        let caption = format!("Log-likelihood ratio of the test {}", hypotheses_text(sprt));
        llr_chart(data, sprt, detail).map(|svg| figure("llr", &caption, svg))
    });
    let certainty = Certainty {
        llr,
        note,
        elo: elo_chart(data, sprt, detail).map(|svg| figure("elo", "Elo difference with 95 % interval", svg)),
        pairs: data.pairs(),
        fewest: FEWEST_PAIRS,
    };
    Section { id: "sure", html: render(&certainty) }
}

/// Fewest pairs whose counts are drawn as bars. Those of fewer are read faster in the list of games.
const FEWEST_FOR_BARS: u64 = 3;

#[derive(Template)]
#[template(path = "results.html")]
struct Results {
    charts: Vec<String>,
    /// Whether there are no charts because there are too few pairs.
    explains_charts: bool,
    fewest: u64,
    openings: Option<String>,
}

/// Returns the section with the results by points, colours and openings.
pub fn result_section(data: &MatchData) -> Section {
    let candidate = data.engines().first().map_or("the candidate", String::as_str);
    let charts = if data.is_tournament() {
        vec![figure("colours", "Games by colour", colour_chart(data))]
    } else if data.pairs() < FEWEST_FOR_BARS {
        Vec::new()
    } else {
        vec![
            figure("pentanomial", &format!("Pairs by points of {candidate}"), pentanomial_chart(data)),
            figure("colours", &format!("Games of {candidate} by colour"), colour_chart(data)),
        ]
    };
    let explains_charts = charts.is_empty() && data.pairs() > 0;
    let results = Results {
        charts,
        explains_charts,
        fewest: FEWEST_FOR_BARS,
        openings: (data.pairs() > 0).then(|| data.openings.tables(candidate)),
    };
    Section { id: "results", html: render(&results) }
}

#[derive(Template)]
#[template(path = "games.html")]
struct Games {
    endings: Vec<(String, u64)>,
    lengths: Option<String>,
}

/// Returns the section with the reasons of the results and the lengths of the games.
pub fn game_section(data: &MatchData) -> Section {
    let mut endings: Vec<(&str, u64)> =
        data.endings.iter().map(|(reason, count)| (*reason, *count)).collect();
    endings.sort_by_key(|(reason, count)| (Reverse(*count), *reason));
    let games = Games {
        endings: endings.into_iter().map(|(reason, count)| (reason.replace('_', " "), count)).collect(),
        lengths: (data.lengths.values().sum::<u64>() >= 2 * FEWEST_FOR_BARS)
            .then(|| figure("lengths", "Games by length", length_chart(data))),
    };
    Section { id: "endings", html: render(&games) }
}

#[derive(Template)]
#[template(path = "time.html")]
struct Time<'a> {
    has_moves: bool,
    has_clocks: bool,
    rows: Vec<TimeRow<'a>>,
}

/// The use of time of one engine, as text.
struct TimeRow<'a> {
    engine: &'a str,
    moves: u64,
    mean: String,
    longest: String,
    least_left: String,
    nps: String,
    depth: String,
}

impl<'a> TimeRow<'a> {
    fn new(engine: &'a str, used: &EngineUse) -> Self {
        let moved = used.moves > 0;
        let mean = moved.then(|| format!("{:.2}", used.time_us as f64 / used.moves as f64 / 1e3));
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        Self {
            engine,
            moves: used.moves,
            mean: or_dash(mean),
            longest: or_dash(moved.then(|| format!("{:.1}", used.longest_us as f64 / 1e3))),
            least_left: or_dash(used.least_left_us.map(|left| format!("{:.3}", left as f64 / 1e6))),
            nps: or_dash(used.nps().map(grouped)),
            depth: or_dash(used.mean_depth().map(|depth| format!("{depth:.1}"))),
        }
    }
}

/// Returns the section with the use of time of every engine.
pub fn time_section(data: &MatchData) -> Section {
    let engines = data.engines().iter().zip(&data.use_of_time);
    let time = Time {
        has_moves: data.use_of_time.iter().any(|used| used.moves > 0),
        has_clocks: data.use_of_time.iter().any(|used| used.least_left_us.is_some()),
        rows: engines.map(|(name, used)| TimeRow::new(name, used)).collect(),
    };
    Section { id: "time", html: render(&time) }
}

#[derive(Template)]
#[template(path = "faults.html")]
struct Faults<'a> {
    count: u64,
    listed: &'a [FaultRow],
    details: Vec<FaultDetail<'a>>,
}

/// The evidence of one fault.
struct FaultDetail<'a> {
    fault: &'a FaultRow,
    bundle: FaultBundle,
    /// The last lines of the dialogue.
    lines: String,
}

/// Largest number of faults whose evidence is on the page, and of lines of each.
const DETAILED: usize = 12;
const LINES: usize = 16;

/// Returns the section with the games that ended by a fault. The evidence of the first ones is read from `faults`.
pub fn fault_section(data: &MatchData, faults: Option<&Path>) -> Section {
    let detail = |fault| {
        let text = read_text(&faults?.join(FaultRow::file_name(fault))).ok()?;
        let bundle: FaultBundle = serde_json::from_str(&text).ok()?;
        let lines = bundle.transcript[bundle.transcript.len().saturating_sub(LINES)..].join("\n");
        Some(FaultDetail { fault, bundle, lines })
    };
    let details = data.faults.iter().take(DETAILED).filter_map(detail).collect();
    let faults = Faults { count: data.fault_count, listed: &data.faults, details };
    Section { id: "faults", html: render(&faults) }
}
