//! The result of a run as a block of lines.

use std::fmt::Write;

use crate::game::EngineIndex;
use crate::report::text::tuning_block::tuning_block;
use crate::report::{setting_text, table};
use crate::run::RunView;
use crate::stats::{Hypothesis, Strength};

const RULE: &str = "--------------------------------------------------\n";

/// Returns the block, including the rules above and below it.
pub fn score_block(view: &RunView<'_>) -> String {
    let mut block = RULE.to_owned();
    let written = match view.state.tuner() {
        // The score of the trials against each other is not the strength of the tuned values.
        Some(tuner) => write!(block, "{}", tuning_block(&tuner.final_report(), &setting_text(view.plan))),
        None if view.plan.engines.len() == 2 => two(&mut block, view),
        None => many(&mut block, view),
    };
    written.expect("writing to a string does not fail");
    block.push_str(RULE);
    block
}

fn two(block: &mut String, view: &RunView<'_>) -> std::fmt::Result {
    let plan = view.plan;
    let score = view.state.standings().main();
    let setting = setting_text(view.plan);
    writeln!(
        block,
        "Results of {} vs {} ({setting}):",
        plan.name_of(EngineIndex::CANDIDATE),
        plan.name_of(EngineIndex::BASELINE)
    )?;
    if let (Some(strength), Some(draw_ratio)) = (score.strength(plan.sprt()), score.draw_ratio()) {
        writeln!(block, "{}", elo_line(&strength))?;
        let ratio = score.pentanomial.pairs_ratio();
        let ratio = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        writeln!(
            block,
            "LOS: {:.2} %, DrawRatio: {:.2} %, PairsRatio: {ratio}",
            100.0 * strength.los,
            100.0 * draw_ratio
        )?;
    }
    let games = score.games.games();
    let points = score.games.half_points() as f64 / 2.0;
    let percent = if games == 0 { 0.0 } else { 100.0 * points / games as f64 };
    writeln!(
        block,
        "Games: {games}, Wins: {}, Losses: {}, Draws: {}, Points: {points:.1} ({percent:.2} %)",
        score.games.wins, score.games.losses, score.games.draws
    )?;
    if score.pentanomial.pairs() > 0 || games == 0 {
        let [a, b, c, d, e] = score.pentanomial.0;
        writeln!(block, "Ptnml(0-2): [{a}, {b}, {c}, {d}, {e}]")?;
    }
    if let (Some(sprt), Some(llr), Some(bounds)) = (plan.sprt(), view.state.llr(), view.state.bounds()) {
        // The share of the way to the bound, with the sign of the ratio.
        let share = 100.0 * if llr >= 0.0 { llr / bounds.upper } else { -llr / bounds.lower };
        writeln!(
            block,
            "LLR: {llr:.2} ({share:.1}%) ({:.2}, {:.2}) [{:.2}, {:.2}]",
            bounds.lower,
            bounds.upper,
            sprt.hypotheses.null(),
            sprt.hypotheses.alternative()
        )?;
    }
    Ok(())
}

/// Returns the line of the strength. Few pairs have an interval instead of an error, and no normalized Elo.
fn elo_line(strength: &Strength) -> String {
    let Strength { elo, lower, upper, nelo, .. } = *strength;
    match (elo, lower, upper, nelo) {
        (Some(elo), Some(lower), Some(upper), Some((nelo, nelo_error))) => format!(
            "Elo: {:.2} +/- {:.2}, nElo: {:.2} +/- {nelo_error:.2}",
            tidy(elo.0),
            (upper.0 - lower.0) / 2.0,
            tidy(nelo.0)
        ),
        (Some(elo), Some(lower), Some(upper), None) => {
            format!("Elo: {:.2} [{:.2}, {:.2}]", tidy(elo.0), lower.0, upper.0)
        }
        (_, Some(lower), ..) => format!("Elo: > {:.2}, no game lost", lower.0),
        (_, _, Some(upper), _) => format!("Elo: < {:.2}, no game won", upper.0),
        _ => "Elo: -".to_owned(),
    }
}

fn many(block: &mut String, view: &RunView<'_>) -> std::fmt::Result {
    writeln!(block, "Results of {} ({}):", view.plan.name, setting_text(view.plan))?;
    let rows = table(view);
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(4).max(4);
    writeln!(
        block,
        "Rank {:width$} {:>9} {:>8} {:>7} {:>7} {:>7}  Ptnml(0-2)",
        "Name", "Elo", "+/-", "Games", "Score", "Draw"
    )?;
    for (rank, row) in rows.iter().enumerate() {
        let games = row.games.max(1) as f64;
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.2}", tidy(value)));
        writeln!(
            block,
            "{:>4} {:width$} {:>9} {:>8} {:>7} {:>6.1}% {:>6.1}%  {:?}",
            rank + 1,
            row.name,
            number(row.elo),
            number(row.elo_error),
            row.games,
            100.0 * (row.wins as f64 + row.draws as f64 / 2.0) / games,
            100.0 * row.draws as f64 / games,
            row.pentanomial.0,
        )?;
    }
    Ok(())
}

/// Rounds to two decimals and drops the sign of zero.
fn tidy(value: f64) -> f64 {
    (100.0 * value).round() / 100.0 + 0.0
}

/// Returns the line of a decided test that wrappers expect.
pub fn decision_line(view: &RunView<'_>) -> Option<String> {
    let (sprt, decision) = (view.plan.sprt()?, view.state.decision()?);
    let accepted = match decision.accepted {
        Hypothesis::Null => "H0",
        Hypothesis::Alternative => "H1",
    };
    Some(format!(
        "SPRT ([{:.2}, {:.2}]) completed - {accepted} was accepted{}",
        sprt.hypotheses.null(),
        sprt.hypotheses.alternative(),
        if view.state.decided_at_limit() { " at the limit of pairs" } else { "" }
    ))
}

/// Returns the fault counts of every engine with faults.
pub fn fault_lines(view: &RunView<'_>) -> String {
    let mut lines = String::new();
    for (index, engine) in view.plan.engines.iter().enumerate() {
        let faults = view.state.standings().faults_of(EngineIndex(index as u16));
        if faults.total() > 0 {
            let _ = write!(
                lines,
                "Player: {}\n  Timeouts: {}\n  Crashed: {}\n  Illegal moves: {}\n",
                engine.spec.name, faults.timeouts, faults.crashes, faults.illegal_moves
            );
        }
    }
    lines
}
