//! Adjudication by endgame tables.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chess::Position;
use crate::game::{Ending, GameResult, Termination};
use crate::syzygy::{TableProblem, Tablebases, Wdl};

/// Ends a game whose result the endgame tables know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablebaseRule {
    /// Folders of the tables.
    pub folders: Vec<PathBuf>,
    /// Largest number of men, kings included; `None` for as many as the tables have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub men: Option<u32>,
    /// Whether the fifty-move rule counts.
    #[serde(default)]
    pub fifty_moves: FiftyMoves,
    /// Results that end a game.
    #[serde(default)]
    pub results: TablebaseResults,
}

impl TablebaseRule {
    /// Returns the rule that applies everything that the tables in these folders know.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        let (fifty_moves, results) = (FiftyMoves::default(), TablebaseResults::default());
        Self { folders, men: None, fifty_moves, results }
    }
}

/// Treatment of wins that the fifty-move rule turns into draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FiftyMoves {
    /// They are draws.
    #[default]
    Counted,
    /// They are wins.
    Ignored,
}

/// Results that end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TablebaseResults {
    /// Wins and draws.
    #[default]
    Both,
    /// Wins.
    Wins,
    /// Draws.
    Draws,
}

/// Tables of this many men are checked whole before a run; larger ones take too long.
const CHECKED_MEN: u32 = 5;

/// Reason why a rule cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TablesUnusable {
    /// A folder cannot be read, or a table is damaged.
    #[error("{}", problem_lines(.0))]
    Problems(Vec<TableProblem>),
    /// The folders have no tables.
    #[error("no endgame tables (files such as KQvK.rtbw) in {}", folder_list(.0))]
    None(Vec<PathBuf>),
}

fn problem_lines(problems: &[TableProblem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn folder_list(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    names.join(", ")
}

/// The tables of a run, shared by all its games.
#[derive(Clone, Debug)]
pub struct TableJudge {
    tables: Arc<Tablebases>,
    rule: TablebaseRule,
}

impl TableJudge {
    /// Finds the tables of a rule. A folder that cannot be read, a truncated table and folders without tables are
    /// refused.
    pub fn open(rule: &TablebaseRule) -> Result<Self, TablesUnusable> {
        let (tables, problems) = Tablebases::open(&rule.folders);
        if !problems.is_empty() {
            return Err(TablesUnusable::Problems(problems));
        }
        if tables.max_men() == 0 {
            return Err(TablesUnusable::None(rule.folders.clone()));
        }
        Ok(Self { tables: Arc::new(tables), rule: rule.clone() })
    }

    /// Reads every table of values of up to five men and compares it with its checksum, so that games neither wait for
    /// it nor are judged by a damaged one.
    pub fn check(&self) -> Result<(), TablesUnusable> {
        let problems = self.tables.check(CHECKED_MEN.min(self.rule.men.unwrap_or(CHECKED_MEN)));
        if problems.is_empty() { Ok(()) } else { Err(TablesUnusable::Problems(problems)) }
    }

    /// Returns the ending of a game in this position, if the tables decide it.
    ///
    /// At a halfmove clock of 0 the tables of values are exact; later the distance must leave no doubt. Without a table,
    /// with castling rights or if a file cannot be read, the game goes on.
    pub fn judge(&self, position: &Position) -> Option<Ending> {
        if position.occupied().len() > self.rule.men.unwrap_or(u32::MAX).min(self.tables.max_men()) {
            return None;
        }
        let wdl = match self.rule.fifty_moves {
            FiftyMoves::Counted => self.tables.probe_with_clock(position),
            FiftyMoves::Ignored => self.tables.probe_wdl(position),
        };
        let winner = match (wdl.ok()?, self.rule.fifty_moves) {
            (Wdl::Win, _) | (Wdl::CursedWin, FiftyMoves::Ignored) => Some(position.turn()),
            (Wdl::Loss, _) | (Wdl::BlessedLoss, FiftyMoves::Ignored) => Some(!position.turn()),
            // After other moves than captures and pawn moves, a win that the distance leaves in doubt is played out.
            (Wdl::CursedWin | Wdl::BlessedLoss, FiftyMoves::Counted) if position.halfmove_clock() > 0 => {
                return None;
            }
            (Wdl::CursedWin | Wdl::BlessedLoss | Wdl::Draw, _) => None,
        };
        let ends = match self.rule.results {
            TablebaseResults::Both => true,
            TablebaseResults::Wins => winner.is_some(),
            TablebaseResults::Draws => winner.is_none(),
        };
        let result = winner.map_or(GameResult::Draw, GameResult::win_of);
        ends.then_some(Ending { result, termination: Termination::Tablebase })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> TablebaseRule {
        TablebaseRule::new(vec![PathBuf::from("tests/chess/data/syzygy")])
    }

    fn judged(rule: &TablebaseRule, fen: &str) -> Option<GameResult> {
        let judge = TableJudge::open(rule).unwrap();
        judge.check().unwrap();
        judge.judge(&Position::from_fen(fen).unwrap()).map(|ending| ending.result)
    }

    #[test]
    fn a_position_of_the_tables_has_its_result() {
        let (white, black, drawn) =
            (Some(GameResult::WhiteWins), Some(GameResult::BlackWins), Some(GameResult::Draw));
        for (name, fen, expected) in [
            ("won", "8/8/8/3k4/8/8/8/K6R w - - 0 1", white),
            ("won by the side not to move", "8/8/8/3k4/8/8/8/K6R b - - 0 1", white),
            ("won by Black", "8/8/8/3K4/8/8/8/k6r w - - 0 1", black),
            ("drawn", "8/8/8/8/3k4/8/3P4/3K4 b - - 0 1", drawn),
            ("later in the game, won in time", "8/8/8/3k4/8/8/8/K6R w - - 40 80", white),
            ("later in the game, perhaps too late", "8/8/8/3k4/8/8/8/K6R w - - 90 99", None),
            ("castling rights", "8/8/8/3k4/8/8/8/4K2R w K - 0 1", None),
            ("too many men", "8/8/8/3k4/8/8/8/K5RR w - - 0 1", None),
        ] {
            assert_eq!(judged(&rule(), fen), expected, "{name}");
        }
    }

    #[test]
    fn a_rule_may_leave_results_out() {
        let (won, drawn) = ("8/8/8/3k4/8/8/8/K6R w - - 0 1", "8/8/8/8/3k4/8/3P4/3K4 b - - 0 1");
        let wins = TablebaseRule { results: TablebaseResults::Wins, ..rule() };
        assert_eq!([won, drawn].map(|fen| judged(&wins, fen)), [Some(GameResult::WhiteWins), None]);
        let draws = TablebaseRule { results: TablebaseResults::Draws, ..rule() };
        assert_eq!([won, drawn].map(|fen| judged(&draws, fen)), [None, Some(GameResult::Draw)]);
        let few = TablebaseRule { men: Some(2), ..rule() };
        assert_eq!(judged(&few, won), None);
        let ignored = TablebaseRule { fifty_moves: FiftyMoves::Ignored, ..rule() };
        assert_eq!(judged(&ignored, "8/8/8/3k4/8/8/8/K6R w - - 90 99"), Some(GameResult::WhiteWins));
    }

    #[test]
    fn folders_without_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let empty = TablebaseRule { folders: vec![folder.path().to_owned()], ..rule() };
        let message = TableJudge::open(&empty).unwrap_err().to_string();
        assert!(message.contains("no endgame tables"), "{message}");
        let missing = TablebaseRule { folders: vec![folder.path().join("none")], ..rule() };
        assert!(TableJudge::open(&missing).unwrap_err().to_string().contains("cannot be read"));
        let mut table = std::fs::read("tests/chess/data/syzygy/KRvK.rtbw").unwrap();
        table[70] ^= 4;
        std::fs::write(folder.path().join("KRvK.rtbw"), table).unwrap();
        let message = TableJudge::open(&empty).unwrap().check().unwrap_err().to_string();
        assert!(message.contains("KRvK.rtbw") && message.contains("checksum"), "{message}");
    }
}
