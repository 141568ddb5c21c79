//! Ratings of many players as text, CSV and JSON.

use std::fmt::Write;

use serde::Serialize;

use crate::stats::{Encounter, Measured, Ratings, Tournament};

/// Ratings of named players. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct RatingTable {
    pub games: u64,
    pub ignored: u64,
    pub white_advantage: f64,
    pub white_advantage_error: Option<f64>,
    pub draw_ratio: f64,
    pub draw_ratio_error: Option<f64>,
    pub prior_draws: f64,
    pub groups: Vec<RatedGroup>,
}

/// An error from which on the table states how it can be narrowed, in Elo.
const WIDE_ERROR: f64 = 150.0;

/// Players that can be compared with each other, the strongest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct RatedGroup {
    pub players: Vec<RatedPlayer>,
    /// Probability that the player of the row is stronger than the one of the column.
    pub los: Vec<Vec<Option<f64>>>,
    /// Wins, draws and losses of the player of the row against the one of the column.
    pub results: Vec<Vec<Option<[u64; 3]>>>,
}

/// A player with its rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct RatedPlayer {
    pub name: String,
    pub elo: f64,
    pub elo_error: Option<f64>,
    pub games: u64,
    pub points: f64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

/// Tables that are printed below the ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatingExtras {
    /// The matrix of probabilities that one player is stronger than another.
    pub los: bool,
    /// The results of every player against every other.
    pub cross_table: bool,
}

impl RatingTable {
    /// Makes the table of a tournament; `ignored` games had no result, and each player was assumed to have played
    /// `prior_draws` draws before.
    pub fn new(
        names: &[String],
        tournament: &Tournament,
        ratings: &Ratings,
        ignored: u64,
        prior_draws: f64,
    ) -> Self {
        let totals = tournament.totals();
        let group = |players: &Vec<usize>| {
            let mut players = players.clone();
            players.sort_by(|&a, &b| ratings.rating(b).value.total_cmp(&ratings.rating(a).value));
            let square = |row: usize| players.iter().map(move |&column| (row, column));
            RatedGroup {
                los: players
                    .iter()
                    .map(|&row| square(row).map(|(a, b)| ratings.los(a, b)).collect())
                    .collect(),
                results: players
                    .iter()
                    .map(|&row| square(row).map(|(a, b)| results(tournament.encounter(a, b))).collect())
                    .collect(),
                players: players
                    .iter()
                    .map(|&player| rated(&names[player], ratings.rating(player), totals[player]))
                    .collect(),
            }
        };
        let (white, draws) = (ratings.white_advantage(), ratings.draw_share());
        Self {
            games: tournament.white().games(),
            ignored,
            white_advantage: white.value,
            white_advantage_error: white.error,
            draw_ratio: draws.value,
            draw_ratio_error: draws.error,
            prior_draws,
            groups: ratings.groups().iter().map(group).collect(),
        }
    }

    /// Returns what helps if players who won or lost every game are alone, or hardly rated.
    fn advice(&self) -> Option<&'static str> {
        let mut players = self.groups.iter().flat_map(|group| &group.players);
        let is_wide = players.any(|player| player.elo_error.is_some_and(|error| error > WIDE_ERROR));
        match (self.prior_draws > 0.0, self.groups.len() > 1) {
            (false, true) => {
                Some("--prior 2 puts players who met on one scale: it assumes two draws of each before")
            }
            (false, false) if is_wide => Some(
                "Wide errors: too few games, or one side won nearly all; --prior 2 assumes two draws of each before",
            ),
            _ => None,
        }
    }

    /// Returns the table as text.
    pub fn text(&self, extras: RatingExtras) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_text(&mut text, extras);
        text.trim_end().to_owned()
    }

    fn write_text(&self, text: &mut String, extras: RatingExtras) -> std::fmt::Result {
        let players: usize = self.groups.iter().map(|group| group.players.len()).sum();
        write!(text, "{} games of {players} players", self.games)?;
        if self.ignored > 0 {
            write!(text, ", {} without a result ignored", self.ignored)?;
        }
        let white = measured(self.white_advantage, self.white_advantage_error);
        let draws = measured(100.0 * self.draw_ratio, self.draw_ratio_error.map(|error| 100.0 * error));
        writeln!(text, "\nWhite advantage {white} Elo, draws between equals {draws} %")?;
        if self.groups.len() > 1 {
            writeln!(
                text,
                "{} groups without a common scale: between them nothing was played, or one side won every game",
                self.groups.len()
            )?;
        }
        if let Some(advice) = self.advice() {
            writeln!(text, "{advice}")?;
        }
        for group in &self.groups {
            writeln!(text)?;
            group.write_text(text)?;
            if extras.los && group.players.len() > 1 {
                group.write_los(text)?;
            }
            if extras.cross_table && group.players.len() > 1 {
                group.write_cross_table(text)?;
            }
        }
        Ok(())
    }

    /// Returns the ratings as CSV, one player per line.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "group",
            "rank",
            "name",
            "elo",
            "elo_error",
            "games",
            "points",
            "wins",
            "draws",
            "losses",
            "los_next",
        ])?;
        for (number, group) in self.groups.iter().enumerate() {
            for (rank, player) in group.players.iter().enumerate() {
                let next = group.los[rank].get(rank + 1).copied().flatten();
                writer.write_record([
                    (number + 1).to_string(),
                    (rank + 1).to_string(),
                    player.name.clone(),
                    format!("{:.2}", player.elo),
                    player.elo_error.map(|error| format!("{error:.2}")).unwrap_or_default(),
                    player.games.to_string(),
                    player.points.to_string(),
                    player.wins.to_string(),
                    player.draws.to_string(),
                    player.losses.to_string(),
                    next.map(|los| format!("{los:.4}")).unwrap_or_default(),
                ])?;
            }
        }
        writer.flush()?;
        let bytes = writer
            .into_inner()
            .map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}

impl RatedGroup {
    fn name_width(&self) -> usize {
        self.players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0).max(4)
    }

    fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let width = self.name_width();
        writeln!(
            text,
            "{:>4}  {:width$} {:>8} {:>7} {:>8} {:>9} {:>6} {:>6} {:>7}",
            "Rank", "Name", "Elo", "±", "Games", "Points", "Score", "Draws", "LOS"
        )?;
        for (rank, player) in self.players.iter().enumerate() {
            let los = self.los[rank].get(rank + 1).copied().flatten();
            let games = player.games.max(1) as f64;
            writeln!(
                text,
                "{:>4}  {:width$} {:>8.1} {:>7} {:>8} {:>9.1} {:>5.1}% {:>5.1}% {:>7}",
                rank + 1,
                player.name,
                player.elo,
                player.elo_error.map_or("–".to_owned(), |error| format!("{error:.1}")),
                player.games,
                player.points,
                100.0 * player.points / games,
                100.0 * player.draws as f64 / games,
                los.map_or(String::new(), |los| format!("{:.1}%", 100.0 * los)),
            )?;
        }
        Ok(())
    }

    fn write_los(&self, text: &mut String) -> std::fmt::Result {
        let cell = |los: &Option<f64>| los.map_or("·".to_owned(), |los| format!("{:.1}", 100.0 * los));
        let rows = self.los.iter().map(|row| row.iter().map(cell).collect()).collect();
        self.write_matrix(text, "Probability in % that the player of the row is stronger", rows)
    }

    fn write_cross_table(&self, text: &mut String) -> std::fmt::Result {
        let cell = |results: &Option<[u64; 3]>| {
            results.map_or("·".to_owned(), |[wins, draws, losses]| format!("+{wins}={draws}-{losses}"))
        };
        let rows = self.results.iter().map(|row| row.iter().map(cell).collect()).collect();
        self.write_matrix(text, "Results of the player of the row: won, drawn, lost", rows)
    }

    fn write_matrix(&self, text: &mut String, title: &str, rows: Vec<Vec<String>>) -> std::fmt::Result {
        let width = self.name_width();
        let widest = rows.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(0).max(3);
        write!(text, "\n{title}\n{:>4}  {:width$}", "", "")?;
        for column in 1..=rows.len() {
            write!(text, " {column:>widest$}")?;
        }
        writeln!(text)?;
        for (rank, row) in rows.into_iter().enumerate() {
            write!(text, "{:>4}  {:width$}", rank + 1, self.players[rank].name)?;
            for cell in row {
                write!(text, " {cell:>widest$}")?;
            }
            writeln!(text)?;
        }
        Ok(())
    }
}

fn measured(value: f64, error: Option<f64>) -> String {
    // Adding 0.0 converts a negative zero to a positive one.
    let value = (10.0 * value).round() / 10.0 + 0.0;
    error.map_or(format!("{value:.1}"), |error| format!("{value:.1} ± {error:.1}"))
}

fn results(encounter: Encounter) -> Option<[u64; 3]> {
    let Encounter { wins, draws, losses } = encounter;
    (encounter.games() > 0).then_some([wins, draws, losses])
}

fn rated(name: &str, rating: Measured, total: Encounter) -> RatedPlayer {
    RatedPlayer {
        name: name.to_owned(),
        // Adding 0.0 converts a negative zero to a positive one.
        elo: rating.value + 0.0,
        elo_error: rating.error,
        games: total.games(),
        points: total.points(),
        wins: total.wins,
        draws: total.draws,
        losses: total.losses,
    }
}
