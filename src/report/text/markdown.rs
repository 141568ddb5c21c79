//! The result of a run in Markdown, as the summary of a CI job shows it.

use std::fmt::Write;

use crate::report::number_text::{counted, duration, estimate_text, grouped, signed};
use crate::report::{Summary, Verdict, setting_text};
use crate::run::Plan;

/// Returns a headline with the result and a table of its figures.
pub fn summary_markdown(summary: &Summary, plan: &Plan) -> String {
    let mut text = String::new();
    write(&mut text, summary, plan).expect("writing to a string does not fail");
    text
}

fn write(text: &mut String, summary: &Summary, plan: &Plan) -> std::fmt::Result {
    let mark = match summary.verdict {
        Verdict::Accepted => "✅ ",
        Verdict::Rejected => "❌ ",
        Verdict::Undecided => "⏳ ",
        Verdict::NoTest => "",
    };
    writeln!(text, "### {mark}{}\n", cell(&summary.name))?;
    writeln!(text, "**{}**\n", cell(&summary.sentence()))?;
    if !summary.table.is_empty() {
        writeln!(text, "| # | engine | Elo | games | + | = | − |\n|--:|---|--:|--:|--:|--:|--:|")?;
        for (rank, row) in summary.table.iter().enumerate() {
            let elo = estimate_text(row.rating.or(row.elo), row.rating_error.or(row.elo_error));
            let (games, wins, draws, losses) = (row.games, row.wins, row.draws, row.losses);
            writeln!(
                text,
                "| {} | {} | {elo} | {games} | {wins} | {draws} | {losses} |",
                rank + 1,
                cell(&row.name)
            )?;
        }
        writeln!(text)?;
    }
    writeln!(text, "| | |\n|---|---|")?;
    let mut row = |name: &str, value: &str| writeln!(text, "| {name} | {} |", cell(value));
    if summary.table.is_empty() && !plan.is_tuning() {
        row("Engines", &format!("{} against {}", summary.candidate, summary.baseline))?;
        let games = grouped(summary.games);
        row("Games", &format!("{games}: +{} ={} \u{2212}{}", summary.wins, summary.draws, summary.losses))?;
        row("Pairs", &format!("{:?}", summary.pentanomial.0))?;
        row("Elo", &summary.elo_text())?;
    }
    row("Conditions", &setting_text(plan))?;
    if let (Some(llr), Some(lower), Some(upper)) = (summary.llr, summary.llr_lower, summary.llr_upper) {
        let bounds = plan.sprt().map(|sprt| (sprt.hypotheses.null(), sprt.hypotheses.alternative()));
        let bounds =
            bounds.map_or(String::new(), |(null, alternative)| format!(" for [{null}, {alternative}]"));
        row("LLR", &format!("{} ({} to {}){bounds}", signed(llr, 2), signed(lower, 2), signed(upper, 2)))?;
    }
    row("Faults", &format!("{} of engines, {} void", summary.faults, counted(summary.voids, "pair")))?;
    if let Some(why) = summary.starvation() {
        row("Noisy run", &why)?;
    }
    row("Time", &duration(summary.seconds))
}

/// Returns text for a cell: markup and line ends have no meaning there.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '|' | '\\' | '*' | '_' | '`' | '<' | '[' | '#' => {
                safe.push('\\');
                safe.push(letter);
            }
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_add_markup() {
        assert_eq!(cell("a|b\n*c* <img>"), "a\\|b \\*c\\* \\<img>");
    }
}
