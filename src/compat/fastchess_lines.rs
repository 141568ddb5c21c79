//! The lines of fastchess, in its own format and in that which it calls cutechess.

use std::fmt::Write as _;

use crate::compat::elo::SurfaceElo;
use crate::compat::invocation::{ClockArgs, InvokedEngine};
use crate::compat::printf::{fixed, general};
use crate::compat::tally::{Results, ScoreTable};
use crate::game::EngineIndex;
use crate::run::Plan;
use crate::stats::{Hypothesis, SprtConfig};

const RULE: &str = "--------------------------------------------------\n";

/// What a rating block is about.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) plan: &'a Plan,
    pub(super) table: &'a ScoreTable,
    /// Clock, threads, hash and book, as the head of a block states them.
    pub(super) setting: &'a str,
    /// Whether pairs are counted.
    pub(super) penta: bool,
    /// The engines of the last game, the first of the schedule first.
    pub(super) matchup: [EngineIndex; 2],
    pub(super) llr: Option<f64>,
    /// The hypothesis that the test has accepted.
    pub(super) accepted: Option<Hypothesis>,
}

impl Block<'_> {
    /// Returns the block of the format of fastchess.
    pub(super) fn fastchess(&self) -> String {
        let body = if self.plan.engines.len() == 2 { self.two() } else { self.many(true) };
        format!("{RULE}{body}{}{RULE}", self.sprt())
    }

    fn elo(&self, results: &Results) -> SurfaceElo {
        if self.penta { SurfaceElo::of_pairs(results) } else { SurfaceElo::of_games(results) }
    }

    fn two(&self) -> String {
        let [first, second] = self.matchup;
        let results = self.table.of(first, second);
        let elo = self.elo(&results);
        let [lost, half, split, drawn, three, won] = results.pairs.map(|count| count as f64);
        let pairs = lost + half + split + drawn + three + won;
        let even = if self.penta {
            (split + drawn) / pairs * 100.0
        } else {
            100.0 * results.draws as f64 / results.games() as f64
        };
        let mut text = format!(
            "Results of {} vs {} ({}):\n",
            self.plan.name_of(first),
            self.plan.name_of(second),
            self.setting
        );
        let _ = writeln!(
            text,
            "Elo: {} +/- {}, nElo: {} +/- {}",
            fixed(elo.elo, 2),
            fixed(elo.error, 2),
            fixed(elo.nelo, 2),
            fixed(elo.nelo_error, 2)
        );
        let _ = write!(text, "LOS: {} %, DrawRatio: {} %", fixed(elo.los, 2), fixed(even, 2));
        if self.penta {
            let _ = write!(text, ", PairsRatio: {}", fixed((won + three) / (half + lost), 2));
        }
        let points = results.points();
        let _ = writeln!(
            text,
            "\nGames: {}, Wins: {}, Losses: {}, Draws: {}, Points: {points:.1} ({} %)",
            results.games(),
            results.wins,
            results.losses,
            results.draws,
            fixed(points / results.games() as f64 * 100.0, 2)
        );
        if self.penta {
            let _ = writeln!(
                text,
                "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
                results.pentanomial(),
                fixed(split / drawn, 2)
            );
        }
        text
    }

    /// Returns the table of more than two engines, with a column of pairs or without.
    fn many(&self, pairs_column: bool) -> String {
        let mut rows: Vec<(EngineIndex, Results, SurfaceElo)> = (0..self.plan.engines.len() as u16)
            .map(|index| {
                let results = self.table.all_of(EngineIndex(index));
                (EngineIndex(index), results, self.elo(&results))
            })
            .collect();
        let key = |elo: f64| if elo.is_nan() { f64::NEG_INFINITY } else { elo };
        rows.sort_by(|one, other| key(other.2.elo).total_cmp(&key(one.2.elo)));
        let width =
            rows.iter().map(|row| self.plan.name_of(row.0).chars().count()).max().unwrap_or(0).max(25);
        let mut text = format!(
            "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
        );
        let column = |pairs: &str| if pairs_column { format!(" {pairs:>20}\n") } else { "\n".to_owned() };
        text.push_str(&column("Ptnml(0-2)"));
        for (rank, (engine, results, elo)) in rows.iter().enumerate() {
            let games = results.games() as f64;
            let pairs: u64 = results.pairs.iter().sum();
            let even = if self.penta {
                (results.pairs[2] + results.pairs[3]) as f64 / pairs as f64 * 100.0
            } else {
                100.0 * results.draws as f64 / games
            };
            let penta = if self.penta { format!("{:?}", results.pentanomial()) } else { String::new() };
            let _ = write!(
                text,
                "{:>4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9}% {:>9}%",
                rank + 1,
                self.plan.name_of(*engine),
                fixed(elo.elo, 2),
                fixed(elo.error, 2),
                fixed(elo.nelo, 2),
                fixed(elo.nelo_error, 2),
                results.games(),
                fixed(results.points() / games * 100.0, 1),
                fixed(even, 1),
            );
            text.push_str(&column(&penta));
        }
        text
    }

    fn sprt(&self) -> String {
        let (Some(sprt), Some(llr)) = (self.plan.sprt(), self.llr) else { return String::new() };
        let bounds = sprt.bounds();
        let share = if llr < 0.0 { llr / bounds.lower } else { llr / bounds.upper };
        format!(
            "LLR: {} ({}%) ({}, {}) {}\n",
            fixed(llr, 2),
            fixed(share * 100.0, 1),
            fixed(bounds.lower, 2),
            fixed(bounds.upper, 2),
            hypotheses(&sprt)
        )
    }

    /// Returns the block of the format that fastchess calls cutechess.
    pub(super) fn cutechess(&self) -> String {
        let mut text = if self.plan.engines.len() == 2 {
            let results = self.table.of(self.matchup[0], self.matchup[1]);
            let elo = SurfaceElo::of_games(&results);
            format!(
                "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
                fixed(elo.elo, 2),
                fixed(elo.error, 2),
                fixed(elo.los, 2),
                fixed(100.0 * results.draws as f64 / results.games() as f64, 2)
            )
        } else {
            self.many(false)
        };
        if let (Some(sprt), Some(llr)) = (self.plan.sprt(), self.llr) {
            let bounds = sprt.bounds();
            let share = if llr < 0.0 { llr / bounds.lower } else { llr / bounds.upper };
            let _ = writeln!(
                text,
                "SPRT: llr {} ({}%), lbound {}, ubound {}{}",
                fixed(llr, 2),
                fixed(share * 100.0, 1),
                fixed(bounds.lower, 2),
                fixed(bounds.upper, 2),
                accepted_text(self.accepted)
            );
        }
        text
    }

    /// Returns the running score.
    pub(super) fn score(&self) -> String {
        let [first, second] = self.matchup;
        score_line(self.plan, first, second, &self.table.of(first, second))
    }
}

/// Returns `Score of new vs base: 1 - 0 - 1  [0.750] 2`.
pub(super) fn score_line(plan: &Plan, first: EngineIndex, second: EngineIndex, results: &Results) -> String {
    format!(
        "Score of {} vs {}: {} - {} - {}  [{}] {}\n",
        plan.name_of(first),
        plan.name_of(second),
        results.wins,
        results.losses,
        results.draws,
        fixed(results.points() / results.games() as f64, 3),
        results.games()
    )
}

/// Returns which hypothesis the test of a run has accepted, in the words of cutechess. The ratio that is printed beside it
/// counts games as they finish, and may cross a bound that the test, which counts them in their order, does not.
pub(super) fn accepted_text(accepted: Option<Hypothesis>) -> &'static str {
    match accepted {
        Some(Hypothesis::Alternative) => " - H1 was accepted",
        Some(Hypothesis::Null) => " - H0 was accepted",
        None => "",
    }
}

fn hypotheses(sprt: &SprtConfig) -> String {
    format!("[{}, {}]", fixed(sprt.hypotheses.null(), 2), fixed(sprt.hypotheses.alternative(), 2))
}

/// Returns the line that ends a decided test.
pub(super) fn decision_line(sprt: &SprtConfig, accepted: Hypothesis) -> String {
    format!("SPRT ({}) completed - {accepted} was accepted\n", hypotheses(sprt))
}

/// Returns clock, threads, hash and book of a match: `8+0.08, 1t, 16MB, book.epd`. `resources` are the values of `Threads`
/// and `Hash` of each engine, if it has these options.
pub(super) fn setting(
    engines: &[InvokedEngine],
    resources: &[[Option<String>; 2]],
    book: Option<&str>,
) -> String {
    let both = |texts: [String; 2]| {
        let [one, other] = texts;
        if one == other { one } else { format!("{one} - {other}") }
    };
    let [Some(first), Some(second)] = [engines.first(), engines.get(1)] else { return String::new() };
    let value = |engine: usize, place: usize, unit: &str| {
        let found = resources.get(engine).and_then(|values| values[place].as_ref());
        found.map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
    };
    let mut parts = vec![
        both([clock_text(first), clock_text(second)]),
        both([0, 1].map(|engine| value(engine, 0, "t"))),
        both([0, 1].map(|engine| value(engine, 1, "MB"))),
    ];
    parts.extend(book.map(str::to_owned));
    parts.join(", ")
}

pub(super) fn clock_text(engine: &InvokedEngine) -> String {
    match engine.clock {
        ClockArgs::Clock { moves, time_ms, increment_ms } if time_ms + increment_ms > 0 => {
            let moves = if moves > 0 { format!("{moves}/") } else { String::new() };
            let increment = match increment_ms {
                0 => String::new(),
                ms => format!("+{}", general(ms as f64 / 1000.0, 2)),
            };
            format!("{moves}{}{increment}", time_ms as f64 / 1000.0)
        }
        _ => match (engine.movetime_ms, engine.depth, engine.nodes) {
            (Some(ms), ..) => format!("{}/move", ms as f64 / 1000.0),
            (None, Some(depth), _) => format!("{depth} plies"),
            (None, None, Some(nodes)) => format!("{nodes} nodes"),
            (None, None, None) => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_block_states_what_differs() {
        let clock = ClockArgs::Clock { moves: 40, time_ms: 8000, increment_ms: 80 };
        let one = InvokedEngine { clock, ..InvokedEngine::default() };
        let other = InvokedEngine { nodes: Some(400), ..InvokedEngine::default() };
        let values = [[Some("1".to_owned()), Some("16".to_owned())], [Some("1".to_owned()), None]];
        assert_eq!(
            setting(&[one, other], &values, Some("b.epd")),
            "40/8+0.08 - 400 nodes, 1t, 16MB - NULL, b.epd"
        );
    }
}
