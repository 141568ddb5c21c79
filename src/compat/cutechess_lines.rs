//! The lines of cutechess-cli.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::compat::elo::{RivalElo, decided_los};
use crate::compat::fastchess_lines::sprt_line;
use crate::compat::printf::{fixed, general};
use crate::compat::tally::{Results, Table, score};
use crate::game::EngineIndex;
use crate::journal::GameEntry;
use crate::report::reason_in_style;
use crate::run::{PgnStyle, Plan};
use crate::stats::GameScore;

/// Results by colour and the ways in which games ended.
#[derive(Clone, Debug)]
pub(super) struct Outcomes {
    /// Results of each engine with White and with Black.
    sides: Vec<[Results; 2]>,
    endings: Vec<BTreeMap<String, u64>>,
}

impl Outcomes {
    pub(super) fn new(engines: usize) -> Self {
        Self { sides: vec![[Results::default(); 2]; engines], endings: vec![BTreeMap::new(); engines] }
    }

    /// Counts a game.
    pub(super) fn game(&mut self, game: &GameEntry) {
        let reason = reason_in_style(&game.ending, PgnStyle::Cutechess);
        for (side, engine) in [game.white, game.black].into_iter().enumerate() {
            let results = &mut self.sides[engine.get()][side];
            let prefix = match score(game, engine) {
                GameScore::Win => {
                    results.wins += 1;
                    "Win: "
                }
                GameScore::Loss => {
                    results.losses += 1;
                    "Loss: "
                }
                GameScore::Draw => {
                    results.draws += 1;
                    ""
                }
            };
            *self.endings[engine.get()].entry(format!("{prefix}{reason}")).or_default() += 1;
        }
    }

    /// Returns the number of endings of each engine, after an empty line.
    pub(super) fn text(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for (engine, endings) in plan.engines.iter().zip(&self.endings) {
            let _ = write!(text, "\nPlayer: {}", engine.spec.name);
            for (ending, count) in endings {
                let _ = write!(text, "\n   \"{ending}\": {count}");
            }
        }
        text + "\n"
    }

    /// Returns the results by colour and the Elo difference, or the table of more than two engines.
    pub(super) fn ranking(&self, plan: &Plan, table: &Table) -> String {
        let (first, second) = (EngineIndex(0), EngineIndex(1));
        if plan.engines.len() > 2 {
            return many(plan, table);
        }
        let mut text = self.by_colour(plan);
        let results = table.of(first, second);
        let elo = RivalElo::of_games(&results);
        let _ = writeln!(
            text,
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            fixed(elo.elo, 1),
            fixed(elo.error, 1),
            fixed(decided_los(&results), 1),
            fixed(100.0 * results.draws as f64 / results.games() as f64, 1)
        );
        if let Some(sprt) = plan.sprt() {
            text.push_str(&sprt_line(&sprt, sprt.llr(&results.trinomial()), |value| general(value, 3)));
        }
        text
    }

    fn by_colour(&self, plan: &Plan) -> String {
        let [white, black] = self.sides[0];
        let name = plan.name_of(EngineIndex(0));
        let mut text = String::new();
        for (side, results) in [("White", white), ("Black", black)] {
            if results.games() > 0 {
                let _ = writeln!(text, "...      {name} playing {side}: {}", score_text(&results));
            }
        }
        let all = Results {
            wins: white.wins + black.losses,
            losses: white.losses + black.wins,
            draws: white.draws + black.draws,
            ..Results::default()
        };
        if all.games() > 0 {
            let _ = writeln!(text, "...      White vs Black: {}", score_text(&all));
        }
        text
    }
}

fn score_text(results: &Results) -> String {
    let Results { wins, losses, draws, .. } = results;
    let share = fixed(results.points() / results.games() as f64, 3);
    format!("{wins} - {losses} - {draws}  [{share}] {}", results.games())
}

fn many(plan: &Plan, table: &Table) -> String {
    let mut rows: Vec<(EngineIndex, Results)> = (0..plan.engines.len() as u16)
        .map(|index| (EngineIndex(index), table.all_of(EngineIndex(index))))
        .collect();
    let share = |results: &Results| {
        if results.games() == 0 { -1.0 } else { results.points() / results.games() as f64 }
    };
    rows.sort_by(|one, other| share(&other.1).total_cmp(&share(&one.1)));
    let mut text = format!(
        "{:>4} {:<25} {:>7} {:>7} {:>7} {:>7} {:>7}\n",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"
    );
    for (rank, (engine, results)) in rows.iter().enumerate() {
        let elo = RivalElo::of_games(results);
        let percent = |part: f64| format!("{}%", fixed(100.0 * part / results.games() as f64, 1));
        let _ = writeln!(
            text,
            "{:>4} {:<25} {:>7} {:>7} {:>7} {:>7} {:>7}",
            rank + 1,
            plan.name_of(*engine),
            fixed(elo.elo, 0),
            fixed(elo.error, 0),
            results.games(),
            percent(results.points()),
            percent(results.draws as f64)
        );
    }
    text
}
