//! The lines of cutechess-cli.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::compat::elo::{SurfaceElo, decided_los};
use crate::compat::fastchess_lines::{accepted_text, clock_text};
use crate::compat::invocation::{Invocation, Tournament};
use crate::compat::printf::{fixed, general};
use crate::compat::result_fields::Row;
use crate::compat::tally::{Results, ScoreTable, score};
use crate::game::EngineIndex;
use crate::journal::GameEntry;
use crate::report::reason_in_style;
use crate::run::{PgnStyle, Plan};
use crate::stats::{GameScore, Hypothesis, SprtConfig};

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
    pub(super) fn ranking(
        &self,
        plan: &Plan,
        table: &ScoreTable,
        command: &Invocation,
        accepted: Option<Hypothesis>,
    ) -> String {
        let (first, second) = (EngineIndex(0), EngineIndex(1));
        if plan.engines.len() > 2 {
            return self.many(plan, table, command);
        }
        let mut text = self.by_colour(plan);
        let results = table.of(first, second);
        let elo = SurfaceElo::of_games(&results);
        let _ = writeln!(
            text,
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            fixed(elo.elo, 1),
            fixed(elo.error, 1),
            fixed(decided_los(&results), 1),
            fixed(100.0 * results.draws as f64 / results.games() as f64, 1)
        );
        if let Some(sprt) = plan.sprt() {
            text.push_str(&sprt_line(&sprt, sprt.llr(&results.trinomial()), accepted));
        }
        text
    }

    /// Returns the table of more than two engines: those with more points first, but the first engines of a gauntlet before
    /// all others. An empty line follows.
    fn many(&self, plan: &Plan, table: &ScoreTable, command: &Invocation) -> String {
        let gauntlet = command.tournament == Tournament::Gauntlet;
        let seeds = if gauntlet { command.seeds.max(1) as usize } else { 0 };
        let mut engines: Vec<(usize, Results)> =
            (0..plan.engines.len()).map(|at| (at, table.all_of(EngineIndex(at as u16)))).collect();
        let place = |&(at, results): &(usize, Results)| match results.games() {
            _ if at < seeds => -1.0,
            0 => 2.0,
            games => 1.0 - results.points() / games as f64,
        };
        engines.sort_by(|one, other| place(one).total_cmp(&place(other)));
        let clocks: Vec<String> = command.engines.iter().map(clock_text).collect();
        let rows: Vec<Row<'_>> = engines
            .iter()
            .enumerate()
            .map(|(rank, (at, all))| Row {
                // The engine that meets all others has rank 0.
                rank: rank + usize::from(!gauntlet),
                name: plan.name_of(EngineIndex(*at as u16)),
                all,
                sides: &self.sides[*at],
                endings: &self.endings[*at],
                clock: clocks.get(*at).map_or("", String::as_str),
            })
            .collect();
        command.result_fields.table(&rows) + "\n"
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

/// Returns the state of a test; the share is that of the upper bound, also below zero.
fn sprt_line(sprt: &SprtConfig, llr: f64, accepted: Option<Hypothesis>) -> String {
    let bounds = sprt.bounds();
    format!(
        "SPRT: llr {} ({}%), lbound {}, ubound {}{}\n",
        general(llr, 3),
        fixed(llr / bounds.upper * 100.0, 1),
        general(bounds.lower, 3),
        general(bounds.upper, 3),
        accepted_text(accepted)
    )
}
