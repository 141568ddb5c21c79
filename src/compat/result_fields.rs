//! `-resultformat`: the columns of the table of more than two engines.

use std::collections::BTreeMap;

use crate::compat::elo::{SurfaceElo, decided_los};
use crate::compat::printf::fixed;
use crate::compat::tally::Results;

/// The columns without the flag.
const DEFAULT: &str = "Rank,Name,Elo,Error,Games,Score,DScore";

/// Formats that have a name.
const FORMATS: [(&str, &str); 12] = [
    ("minimal", "Rank,Name"),
    ("small", "Rank,Name,Games,Points"),
    ("short", "Rank,Name,Elo,Games"),
    ("concise", "Rank,Name,Elo,Error,Games"),
    ("default", DEFAULT),
    ("with-points", "Rank,Name,Elo,Error,Games,Points,Score,DScore"),
    ("wide", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore"),
    ("wide2", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore,wScore,bScore"),
    ("per-color", "Rank,Name,Elo,Error,Games,W,L,D,Points,wW,wL,wD,bW,bL,bD"),
    ("ordo", "Rank,Name,Elo,Points,Games,Score"),
    ("term", "Rank,Name,Elo,Error,Games,Score,Terminations"),
    ("draws", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DrawStats"),
];

/// Columns that stand for several.
const GROUPS: [(&str, &str); 4] = [
    ("wide3", "Rank,Name,TC,Elo,Error,Games,WLDStats,DrawStats,Terminations"),
    ("WLDStats", "W,L,D,Points,Score,wW,wL,wD,wScore,bW,bL,bD,bScore"),
    ("DrawStats", "DScore,DStale,DMater,DRepet,DMoves,DAdj,DAgree,OtherD"),
    ("Terminations", "Time,Illegal,Discon,Stall,WrClaim"),
];

/// An engine in the table.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) rank: usize,
    pub(super) name: &'a str,
    pub(super) all: &'a Results,
    /// With White and with Black.
    pub(super) sides: &'a [Results; 2],
    /// Games by the way in which they ended.
    pub(super) endings: &'a BTreeMap<String, u64>,
    pub(super) clock: &'a str,
}

/// Columns of a table; unknown ones are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResultFields(Vec<String>);

impl Default for ResultFields {
    fn default() -> Self {
        Self::parse("default")
    }
}

impl ResultFields {
    /// Reads the name of a format, or a list of columns.
    pub(super) fn parse(text: &str) -> Self {
        let named = FORMATS.iter().find(|(name, _)| *name == text.trim());
        let mut list = named.map_or(text, |(_, columns)| columns).to_owned();
        for (name, columns) in GROUPS {
            list = list.replace(name, columns);
        }
        Self(
            list.split(',')
                .map(|column| column.replace(' ', ""))
                .filter(|column| !column.is_empty())
                .collect(),
        )
    }

    /// Returns the table with its head.
    pub(super) fn table(&self, rows: &[Row<'_>]) -> String {
        let head = self.0.iter().filter_map(|column| head_of(column)).map(|(head, width)| cell(head, width));
        let mut text = head.collect::<String>() + "\n";
        for row in rows {
            for column in &self.0 {
                if let (Some((_, width)), Some(value)) = (head_of(column), row.value(column)) {
                    text.push_str(&cell(&value, width));
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Negative widths are aligned to the left.
fn cell(text: &str, width: isize) -> String {
    let size = width.unsigned_abs();
    if width < 0 { format!("{text:<size$} ") } else { format!("{text:>size$} ") }
}

/// Returns the head of a column, if there is such a column, and its width.
fn head_of(column: &str) -> Option<(&str, isize)> {
    Some(match column {
        "Rank" => ("Rank", 4),
        "Name" => ("Name", -25),
        "Points" => ("Points", 8),
        "TC" => ("TC", 14),
        "W" => ("Wins", 7),
        "L" => ("Losses", 7),
        "D" => ("Draws", 7),
        "wW" => ("WWins", 7),
        "wL" => ("WLoss.", 7),
        "wD" => ("WDraws", 7),
        "bW" => ("BWins", 7),
        "bL" => ("BLoss.", 7),
        "bD" => ("BDraws", 7),
        "Error" => ("+/-", 7),
        "DScore" => ("Draw", 7),
        "wScore" => ("White", 7),
        "bScore" => ("Black", 7),
        "wDScore" => ("WDraw", 7),
        "bDScore" => ("BDraw", 7),
        "Games" | "Score" | "Elo" | "LOS" | "wElo" | "wError" | "wLOS" | "bElo" | "bError" | "Time"
        | "Illegal" | "Discon" | "Stall" | "WrClaim" | "RegulL" | "RegulW" | "OtherW" | "DStale"
        | "DMater" | "DRepet" | "DMoves" | "DCount" | "DAdj" | "DAgree" | "OtherD" => (column, 7),
        _ => return None,
    })
}

impl Row<'_> {
    fn value(&self, column: &str) -> Option<String> {
        Some(match column {
            "Rank" => self.rank.to_string(),
            "Name" => self.name.to_owned(),
            "TC" => self.clock.to_owned(),
            "Points" => format!("{:.1}", self.all.points()),
            "Games" => self.all.games().to_string(),
            _ => match (column.strip_prefix('w'), column.strip_prefix('b')) {
                (Some(rest), _) => of_results(&self.sides[0], rest)?,
                (_, Some(rest)) => of_results(&self.sides[1], rest)?,
                _ => match of_results(self.all, column) {
                    Some(value) => value,
                    None => self.endings_of(column)?.to_string(),
                },
            },
        })
    }

    /// Returns the number of games that ended in a certain way.
    fn endings_of(&self, column: &str) -> Option<u64> {
        let count = |wanted: &dyn Fn(&str) -> bool| -> u64 {
            self.endings.iter().filter(|(ending, _)| wanted(ending)).map(|(_, count)| count).sum()
        };
        let lost =
            |part: &'static str| count(&|ending| ending.starts_with("Loss: ") && ending.contains(part));
        let drawn = |part: &'static str| count(&|ending| ending.starts_with(part));
        let mated = count(&|ending| ending.starts_with("Win: ") && ending.ends_with(" mates"));
        Some(match column {
            "Time" => lost(" loses on time"),
            "Illegal" => lost(" illegal move"),
            "Discon" => lost(" disconnects"),
            "Stall" => lost(" stalls"),
            // Results are taken from the board, and other rules than those of chess do not exist here.
            "WrClaim" | "DCount" => 0,
            "RegulL" => lost(" mates"),
            "RegulW" => mated,
            "OtherW" => self.all.wins - mated,
            "DStale" => drawn("Draw by stalemate"),
            "DMater" => drawn("Draw by insufficient"),
            "DRepet" => drawn("Draw by 3-fold"),
            "DMoves" => drawn("Draw by fifty"),
            "DAdj" => drawn("Draw by adjudication"),
            "DAgree" => drawn("Draw by agreement"),
            "OtherD" => drawn("Draw by timeout"),
            _ => return None,
        })
    }
}

/// Returns what follows from wins, draws and losses.
fn of_results(results: &Results, column: &str) -> Option<String> {
    let share = |part: f64| format!("{}%", fixed(100.0 * part / results.games() as f64, 1));
    let elo = SurfaceElo::of_games(results);
    Some(match column {
        "W" => results.wins.to_string(),
        "L" => results.losses.to_string(),
        "D" => results.draws.to_string(),
        "Score" => share(results.points()),
        "DScore" => share(results.draws as f64),
        "Elo" => fixed(elo.elo, 0),
        "Error" => fixed(elo.error, 0),
        "LOS" => format!("{}%", fixed(decided_los(results), 1)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_columns_that_were_asked_for() {
        let all = Results { wins: 3, losses: 1, draws: 4, ..Results::default() };
        let white = Results { wins: 3, losses: 1, ..Results::default() };
        let black = Results { draws: 4, ..Results::default() };
        let endings =
            [("Win: White mates", 2), ("Win: Black disconnects", 1), ("Loss: White loses on time", 1)];
        let mut endings: BTreeMap<String, u64> =
            endings.into_iter().map(|(ending, count)| (ending.to_owned(), count)).collect();
        endings.insert("Draw by 3-fold repetition".to_owned(), 4);
        let row =
            Row { rank: 1, name: "a", all: &all, sides: &[white, black], endings: &endings, clock: "8+0.08" };
        let table = |format: &str| ResultFields::parse(format).table(&[row]);
        assert_eq!(
            table("default"),
            format!(
                "Rank {:<25} {:>7} {:>7} {:>7} {:>7} {:>7} \n   1 {:<25} {:>7} {:>7} {:>7} {:>7} {:>7} \n",
                "Name", "Elo", "+/-", "Games", "Score", "Draw", "a", "89", "190", "8", "62.5%", "50.0%"
            )
        );
        let words = |format: &str| {
            let table = table(format);
            table.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words("W, L,D,nonsense,wW,bD,wScore,TC"), ["3", "1", "4", "3", "4", "75.0%", "8+0.08"]);
        assert_eq!(words("Terminations"), ["1", "0", "0", "0", "0"]);
        assert_eq!(words("RegulW,OtherW,DRepet,OtherD"), ["2", "1", "4", "0"]);
        assert_eq!(words("small"), ["1", "a", "8", "5.0"]);
        for (name, columns) in FORMATS.iter().chain(&GROUPS) {
            let known = ResultFields::parse(name).0.iter().all(|column| head_of(column).is_some());
            assert!(known, "{name}: {columns}");
        }
    }
}
