//! Several runs in one table and one chart, and one run as a block for forums.

use std::cmp::Ordering;
use std::fmt::Write;

use askama::Template;

use crate::report::chart::{CHART_STYLE, ForestChart, ForestRow, Tone};
use crate::report::filters;
use crate::report::markup::render;
use crate::report::number_text::{grouped, signed};
use crate::report::page::{PAGE_SCRIPT, PAGE_STYLE, policy};
use crate::report::{Summary, Verdict, brief_conditions};
use crate::run::Plan;
use crate::stats::discoveries;

/// A run among others.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// Name of the run; [`by_strength`] makes the names of several runs distinct.
    pub label: String,
    /// Name of its folder, which begins with its date and time.
    pub folder: String,
    /// URL of its page, relative to the comparison.
    pub link: String,
    /// Limits, hash size, book and test in a few words.
    pub conditions: String,
    /// Result.
    pub summary: Summary,
    /// Chance that a candidate of strength H0 does at least as well, if the run is a test.
    pub p_value: Option<f64>,
}

impl ComparedRun {
    /// Returns the run of this plan in the folder of this name.
    pub fn new(plan: &Plan, folder: &str, link: String, summary: Summary) -> Self {
        let (label, conditions) = (plan.name.clone(), brief_conditions(plan));
        let p_value = plan.sprt().and_then(|sprt| sprt.p_value(&summary.pentanomial));
        Self { label, folder: folder.to_owned(), link, conditions, summary, p_value }
    }

    fn verdict(&self) -> &'static str {
        let word = match &self.summary.tuning {
            Some(tuning) => tuning.acceptance.word(),
            None => self.summary.verdict.word(),
        };
        word.unwrap_or("–")
    }

    fn engines(&self) -> String {
        match &self.summary.tuning {
            Some(_) => "tuned against start values".to_owned(),
            None => format!("{} against {}", self.summary.candidate, self.summary.baseline),
        }
    }

    fn llr(&self) -> String {
        self.summary.strength().llr.map_or_else(|| "–".into(), |llr| signed(llr, 2))
    }

    /// Returns the number of pairs that the Elo was measured with: of a tuning run, those of its acceptance test.
    fn pairs(&self) -> u64 {
        self.summary.strength().pairs
    }

    fn elo(&self) -> String {
        self.summary.strength().elo_text()
    }

    /// Returns the estimate with the ends of its interval, if it has both.
    fn estimate(&self) -> Option<(f64, [f64; 2])> {
        let measured = self.summary.strength();
        Some((measured.elo?, [measured.elo_lower?, measured.elo_upper?]))
    }
}

/// Sorts the runs, the strongest candidate first and runs without an estimate last. Runs of the same name get the date and
/// time of their folder as part of their label.
pub fn by_strength(mut runs: Vec<ComparedRun>) -> Vec<ComparedRun> {
    let names: Vec<String> = runs.iter().map(|run| run.label.clone()).collect();
    for run in &mut runs {
        if names.iter().filter(|name| **name == run.label).count() > 1 {
            run.label = match run.folder.get(4..13) {
                Some(stamp) if run.folder.as_bytes().get(8) == Some(&b'-') => {
                    format!("{stamp} {}", run.label)
                }
                _ => run.folder.clone(),
            };
        }
    }
    runs.sort_by(|one, other| match (one.estimate(), other.estimate()) {
        (Some(one), Some(other)) => other.0.total_cmp(&one.0),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    runs
}

/// Widest column of names in text.
const NAME_WIDTH: usize = 32;

/// Returns a name that fits into `width` letters; a longer one is cut with an ellipsis.
fn fitted(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn name_width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0).clamp(4, NAME_WIDTH)
}

/// Returns the runs as a text table.
pub fn comparison_table(runs: &[ComparedRun]) -> String {
    let width = name_width(runs.iter().map(|run| run.label.as_str()));
    // An interval that is not symmetric is longer than an estimate with its error.
    let elo_width = runs.iter().map(|run| run.elo().chars().count()).max().unwrap_or(0).max(16);
    let mut table =
        format!("{:width$}  {:>elo_width$}  {:>9}  {:>7}  verdict\n", "run", "Elo", "pairs", "LLR");
    for run in runs {
        let _ = writeln!(
            table,
            "{:width$}  {:>elo_width$}  {:>9}  {:>7}  {}",
            fitted(&run.label, width),
            run.elo(),
            grouped(run.pairs()),
            run.llr(),
            run.verdict()
        );
    }
    table
}

/// Returns which candidates may be called stronger than their baselines if at most the share `rate` of such calls shall be
/// wrong, as text. Runs without a test are left out.
pub fn discovery_text(runs: &[ComparedRun], rate: f64) -> String {
    let tested: Vec<(&str, f64)> =
        runs.iter().filter_map(|run| Some((run.label.as_str(), run.p_value?))).collect();
    let p_values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    let found = discoveries(&p_values, rate);
    let width = name_width(tested.iter().map(|(label, _)| *label));
    let mut text = format!("{:width$}  {:>8}  stronger\n", "run", "p");
    for ((label, p), found) in tested.iter().zip(&found) {
        let word = if *found { "yes" } else { "not shown" };
        let _ = writeln!(text, "{:width$}  {p:>8.4}  {word}", fitted(label, width));
    }
    let _ = writeln!(
        text,
        "{} of {} candidates are stronger; at most {} % of such calls are expected to be wrong.",
        found.iter().filter(|found| **found).count(),
        found.len(),
        100.0 * rate
    );
    text
}

/// Returns the runs as an SVG chart with the Elo of each candidate and its interval.
pub fn comparison_chart(runs: &[ComparedRun]) -> String {
    let rows = runs.iter().filter_map(|run| {
        let tone = match run.summary.verdict {
            Verdict::Accepted => Tone::Good,
            Verdict::Rejected => Tone::Bad,
            Verdict::Undecided | Verdict::NoTest => Tone::Main,
        };
        let (value, ends) = run.estimate()?;
        Some(ForestRow { label: run.label.clone(), value, ends, tone })
    });
    let title = "Elo of each candidate against its baseline".into();
    ForestChart { title, x_label: "Elo, with 95 % interval".into(), rows: rows.collect() }.svg()
}

/// Returns the runs as a text chart with a line per run under a common scale: `├──●──┤` is an estimate with its
/// interval.
pub fn comparison_lines(runs: &[ComparedRun]) -> String {
    const WIDTH: usize = 40;
    let known: Vec<(&str, f64, [f64; 2])> = runs
        .iter()
        .filter_map(|run| run.estimate().map(|(elo, ends)| (run.label.as_str(), elo, ends)))
        .collect();
    let reach = known.iter().flat_map(|(.., ends)| ends.map(f64::abs)).fold(0.0, f64::max);
    if known.is_empty() || !reach.is_finite() || reach == 0.0 {
        return String::new();
    }
    let place = |elo: f64| {
        let share = f64::midpoint(elo / reach, 1.0).clamp(0.0, 1.0);
        (share * (WIDTH - 1) as f64).round() as usize
    };
    let names = name_width(known.iter().map(|(name, ..)| *name));
    let scale = format!("\u{2212}{reach:.0}");
    let mut lines = format!(
        "{:names$}  {scale}{:>gap$}Elo +{reach:.0}\n",
        "",
        "",
        gap = WIDTH.saturating_sub(9 + scale.len())
    );
    for (name, elo, [low, high]) in known {
        let mut row = vec![' '; WIDTH];
        row[place(0.0)] = '┊';
        let (low, high) = (place(low), place(high));
        row[low..=high].fill('─');
        (row[low], row[high]) = ('├', '┤');
        row[place(elo)] = '●';
        let row = row.into_iter().collect::<String>();
        let _ = writeln!(lines, "{:names$}  {}", fitted(name, names), row.trim_end());
    }
    lines
}

#[derive(Template)]
#[template(path = "comparison_page.html")]
struct ComparisonPage<'a> {
    policy: String,
    style: String,
    script: &'static str,
    chart: Option<String>,
    runs: &'a [ComparedRun],
    /// URL of the list of all runs, where there is one.
    home: Option<&'static str>,
}

/// Returns the runs as a page with one chart and one table. `home` is the URL of the list of all runs.
pub fn comparison_page(runs: &[ComparedRun], home: Option<&'static str>) -> String {
    let style = format!("{PAGE_STYLE}{CHART_STYLE}");
    render(&ComparisonPage {
        policy: policy(PAGE_SCRIPT, &style),
        style,
        script: PAGE_SCRIPT,
        chart: runs.iter().any(|run| run.estimate().is_some()).then(|| comparison_chart(runs)),
        runs,
        home,
    })
}

/// Returns a run in the layout that is common in engine forums.
pub fn forum_block(run: &Summary, conditions: &str) -> String {
    let figure = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| "–".into(), |value| format!("{value:.decimals$}"))
    };
    let mut block = format!("{} vs {} ({conditions})\n", run.candidate, run.baseline);
    let strength = match (run.elo, run.nelo) {
        (Some(_), Some(_)) => format!(
            "{} +- {} (95%), nElo {} +- {}",
            figure(run.elo, 2),
            figure(run.elo_error, 2),
            figure(run.nelo, 2),
            figure(run.nelo_error, 2)
        ),
        _ => format!("{} (95%)", run.elo_text()),
    };
    let _ = writeln!(block, "Elo   | {strength}");
    if let (Some(llr), Some(lower), Some(upper)) = (run.llr, run.llr_lower, run.llr_upper) {
        let tested = run.hypotheses.map(|[null, alternative]| format!(" [{null:.2}, {alternative:.2}]"));
        let tested = tested.unwrap_or_default();
        let _ = writeln!(block, "LLR   | {llr:.2} ({lower:.2}, {upper:.2}){tested} {}", run.verdict);
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
            elo_lower: elo.map(|elo| elo - 5.25),
            elo_upper: elo.map(|elo| elo + 5.25),
            nelo: elo,
            nelo_error: elo.map(|_| 9.0),
            los: Some(0.9),
            draw_ratio: None,
            llr: Some(2.95),
            llr_lower: Some(-2.94),
            llr_upper: Some(2.94),
            hypotheses: Some([0.0, 5.0]),
            verdict,
            faults: 0,
            seconds: 0.0,
            voids: 0,
            after_stop: 0,
            repeated_pairs: 0,
            starved_games: 0,
            completion: None,
            table: Vec::new(),
            tuning: None,
            workers: Vec::new(),
        }
    }

    fn compared(name: &str, folder: &str, elo: Option<f64>, verdict: Verdict) -> ComparedRun {
        ComparedRun {
            label: name.to_owned(),
            folder: folder.to_owned(),
            link: format!("{folder}/report.html"),
            conditions: "8+0.08".to_owned(),
            summary: run(name, elo, verdict),
            p_value: elo.map(|elo| (-elo).exp() / 20.0),
        }
    }

    #[test]
    fn runs_are_sorted_by_strength_and_those_without_an_estimate_come_last() {
        let runs = by_strength(vec![
            compared("b", "1", Some(1.0), Verdict::Rejected),
            compared("n", "2", None, Verdict::Undecided),
            compared("a", "3", Some(4.5), Verdict::Accepted),
        ]);
        assert_eq!(runs.iter().map(|run| run.label.as_str()).collect::<Vec<_>>(), ["a", "b", "n"]);
        let table = comparison_table(&runs);
        assert!(
            table.contains("+4.5 ± 5.2") && table.contains("accepted") && table.contains("1,234"),
            "{table}"
        );
        assert!(comparison_chart(&runs).contains("a +4.5 ± 5.2"));
        let lines = comparison_lines(&runs);
        assert!(
            lines.lines().count() == 3 && lines.lines().all(|line| line.chars().count() <= 80),
            "{lines}"
        );
        assert!(lines.lines().nth(1).unwrap().contains('●'), "{lines}");
    }

    #[test]
    fn discoveries_are_fewer_than_passes_and_runs_without_a_test_are_left_out() {
        let runs = [
            compared("a", "1", Some(4.5), Verdict::Accepted),
            compared("b", "2", Some(0.1), Verdict::Accepted),
            compared("n", "3", None, Verdict::Undecided),
            compared("c", "4", Some(-2.0), Verdict::Rejected),
        ];
        let text = discovery_text(&runs, 0.05);
        let verdict = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or("");
        assert!(verdict("a ").ends_with("yes") && verdict("b ").ends_with("not shown"), "{text}");
        assert!(verdict("c ").ends_with("not shown") && verdict("n ").is_empty(), "{text}");
        assert!(text.contains("1 of 3 candidates are stronger; at most 5 %"), "{text}");
    }

    #[test]
    fn runs_of_the_same_name_are_told_apart_by_their_date() {
        let runs = by_strength(vec![
            compared("a", "20260131-120000-a", Some(1.0), Verdict::Rejected),
            compared("a", "20260131-130000-a", None, Verdict::Undecided),
            compared("a", "other", None, Verdict::Undecided),
        ]);
        let labels: Vec<&str> = runs.iter().map(|run| run.label.as_str()).collect();
        assert_eq!(labels, ["0131-1200 a", "0131-1300 a", "other"]);
    }

    #[test]
    fn markup_in_the_name_of_a_run_is_escaped() {
        let page = comparison_page(
            &[compared("<script>alert(1)</script>", "f", Some(1.0), Verdict::Accepted)],
            Some("/"),
        );
        assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)"), "{page}");
    }

    #[test]
    fn the_forum_block_has_the_layout_of_engine_forums() {
        let block = forum_block(&run("a", Some(4.5), Verdict::Accepted), "8+0.08, balanced.epd");
        assert_eq!(
            block,
            "new vs base (8+0.08, balanced.epd)\nElo   | 4.50 +- 5.25 (95%), nElo 4.50 +- 9.00\n\
             LLR   | 2.95 (-2.94, 2.94) [0.00, 5.00] H1\nGames | N: 2468 W: 700 L: 668 D: 1100\nPenta | [10, 300, 600, 310, 14]\n"
        );
    }
}
