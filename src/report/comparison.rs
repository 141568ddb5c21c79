//! Several runs in one table and one chart, and one run as a block for forums.

use std::cmp::Ordering;
use std::fmt::Write;

use askama::Template;

use crate::report::chart::{CHART_STYLE, ForestChart, ForestRow, Tone};
use crate::report::filters;
use crate::report::markup::render;
use crate::report::number_text::{grouped, signed};
use crate::report::page::PAGE_STYLE;
use crate::report::{Summary, Verdict};

fn verdict_text(run: &Summary) -> &'static str {
    run.verdict.word().unwrap_or("–")
}

fn llr_text(run: &Summary) -> String {
    run.llr.map_or_else(|| "–".into(), |llr| signed(llr, 2))
}

/// Sorts the runs, the strongest candidate first and runs without an estimate last.
pub fn by_strength(mut runs: Vec<Summary>) -> Vec<Summary> {
    runs.sort_by(|one, other| match (one.elo, other.elo) {
        (Some(one), Some(other)) => other.total_cmp(&one),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    runs
}

/// Returns the runs as a text table.
pub fn comparison_table(runs: &[Summary]) -> String {
    let width = runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0).clamp(4, 32);
    let mut table =
        format!("{:width$}  {:>16}  {:>9}  {:>7}  {:<9}\n", "run", "Elo", "pairs", "LLR", "verdict");
    for run in runs {
        let name: String = run.name.chars().take(width).collect();
        let elo = run.elo_text();
        let llr = llr_text(run);
        let _ = writeln!(
            table,
            "{name:width$}  {elo:>16}  {:>9}  {llr:>7}  {:<9}",
            grouped(run.pairs),
            verdict_text(run)
        );
    }
    table
}

/// Returns the runs as an SVG chart with the Elo of each candidate and its interval.
pub fn comparison_chart(runs: &[Summary]) -> String {
    let rows = runs.iter().filter_map(|run| {
        let tone = match run.verdict {
            Verdict::Accepted => Tone::Good,
            Verdict::Rejected => Tone::Bad,
            Verdict::Undecided | Verdict::NoTest => Tone::Main,
        };
        Some(ForestRow { label: run.name.clone(), value: run.elo?, error: run.elo_error?, tone })
    });
    let title = "Elo of each candidate against its baseline".into();
    ForestChart { title, x_label: "Elo, with 95 % interval".into(), rows: rows.collect() }.svg()
}

/// Returns the runs as a text chart with a line per run under a common scale: `├──●──┤` is an estimate with its
/// interval.
pub fn comparison_lines(runs: &[Summary]) -> String {
    const WIDTH: usize = 40;
    let known: Vec<(&str, f64, f64)> =
        runs.iter().filter_map(|run| Some((run.name.as_str(), run.elo?, run.elo_error?))).collect();
    let reach = known.iter().map(|(_, elo, error)| elo.abs() + error).fold(0.0, f64::max);
    if known.is_empty() || !reach.is_finite() || reach == 0.0 {
        return String::new();
    }
    let place = |elo: f64| {
        let share = f64::midpoint(elo / reach, 1.0).clamp(0.0, 1.0);
        (share * (WIDTH - 1) as f64).round() as usize
    };
    let names = known.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).clamp(4, 32);
    let scale = format!("\u{2212}{reach:.0}");
    let mut lines = format!(
        "{:names$}  {scale}{:>gap$}Elo +{reach:.0}\n",
        "",
        "",
        gap = WIDTH.saturating_sub(9 + scale.len())
    );
    for (name, elo, error) in known {
        let mut row = vec![' '; WIDTH];
        row[place(0.0)] = '┊';
        let (low, high) = (place(elo - error), place(elo + error));
        row[low..=high].fill('─');
        (row[low], row[high]) = ('├', '┤');
        row[place(elo)] = '●';
        let name: String = name.chars().take(names).collect();
        let _ = writeln!(lines, "{name:names$}  {}", row.into_iter().collect::<String>().trim_end());
    }
    lines
}

#[derive(Template)]
#[template(path = "comparison_page.html")]
struct ComparisonPage<'a> {
    style: String,
    chart: Option<String>,
    runs: &'a [Summary],
}

/// Returns the runs as a page with one chart and one table.
pub fn comparison_page(runs: &[Summary]) -> String {
    render(&ComparisonPage {
        style: format!("{PAGE_STYLE}{CHART_STYLE}"),
        chart: runs.iter().any(|run| run.elo.is_some()).then(|| comparison_chart(runs)),
        runs,
    })
}

/// Returns a run in the layout that is common in engine forums.
pub fn forum_block(run: &Summary, limits: &str, book: &str) -> String {
    let figure = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| "–".into(), |value| format!("{value:.decimals$}"))
    };
    let mut block = format!("{} vs {} ({limits}, {book})\n", run.candidate, run.baseline);
    let _ = writeln!(
        block,
        "Elo   | {} +- {} (95%), nElo {} +- {}",
        figure(run.elo, 2),
        figure(run.elo_error, 2),
        figure(run.nelo, 2),
        figure(run.nelo_error, 2)
    );
    if let (Some(llr), Some(lower), Some(upper)) = (run.llr, run.llr_lower, run.llr_upper) {
        let _ = writeln!(block, "LLR   | {llr:.2} ({lower:.2}, {upper:.2}) {}", run.verdict);
    }
    let _ = writeln!(block, "Games | N: {} W: {} L: {} D: {}", run.games, run.wins, run.losses, run.draws);
    let [ll, ld, even, wd, ww] = run.pentanomial.0;
    let _ = writeln!(block, "Penta | [{ll}, {ld}, {even}, {wd}, {ww}]");
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Pentanomial;

    fn run(name: &str, elo: Option<f64>, verdict: Verdict) -> Summary {
        Summary {
            name: name.into(),
            candidate: "new".into(),
            baseline: "base".into(),
            pairs: 1234,
            games: 2468,
            wins: 700,
            draws: 1100,
            losses: 668,
            pentanomial: Pentanomial([10, 300, 600, 310, 14]),
            elo,
            elo_error: elo.map(|_| 5.25),
            nelo: elo,
            nelo_error: elo.map(|_| 9.0),
            los: Some(0.9),
            draw_ratio: None,
            llr: Some(2.95),
            llr_lower: Some(-2.94),
            llr_upper: Some(2.94),
            verdict,
            faults: 0,
            seconds: 0.0,
            voids: 0,
            after_stop: 0,
            table: Vec::new(),
        }
    }

    #[test]
    fn runs_are_sorted_by_strength_and_those_without_an_estimate_come_last() {
        let runs = by_strength(vec![
            run("b", Some(1.0), Verdict::Rejected),
            run("n", None, Verdict::Undecided),
            run("a", Some(4.5), Verdict::Accepted),
        ]);
        assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["a", "b", "n"]);
        let table = comparison_table(&runs);
        assert!(
            table.contains("+4.5 ± 5.2") && table.contains("accepted") && table.contains("1,234"),
            "{table}"
        );
        assert!(comparison_chart(&runs).contains("a 4.5 ± 5.2"));
        let lines = comparison_lines(&runs);
        assert!(
            lines.lines().count() == 3 && lines.lines().all(|line| line.chars().count() <= 80),
            "{lines}"
        );
        assert!(lines.lines().nth(1).unwrap().contains('●'), "{lines}");
    }

    #[test]
    fn markup_in_the_name_of_a_run_is_escaped() {
        let page = comparison_page(&[run("<script>alert(1)</script>", Some(1.0), Verdict::Accepted)]);
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;alert(1)"), "{page}");
    }

    #[test]
    fn the_forum_block_has_the_layout_of_engine_forums() {
        let block = forum_block(&run("a", Some(4.5), Verdict::Accepted), "8+0.08", "balanced.epd");
        assert_eq!(
            block,
            "new vs base (8+0.08, balanced.epd)\nElo   | 4.50 +- 5.25 (95%), nElo 4.50 +- 9.00\n\
             LLR   | 2.95 (-2.94, 2.94) H1\nGames | N: 2468 W: 700 L: 668 D: 1100\nPenta | [10, 300, 600, 310, 14]\n"
        );
    }
}
