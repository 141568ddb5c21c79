//! Results by opening: the wins of each colour, and the points of the candidate.

use std::cmp::Reverse;
use std::collections::HashMap;

use askama::Template;

use crate::game::{GameId, GameOfPair, GameRecord, GameResult, MoveSource};
use crate::report::filters;
use crate::report::markup::render;
use crate::report::number_text::grouped;
use crate::stats::PairScore;

/// Largest number of openings that are counted separately. A run of a million games may have more,
/// and longer lists are not useful.
const MAX_OPENINGS: usize = 50_000;

/// Number of rows in each table.
const ROWS: usize = 10;

/// Number of book moves in a table.
const MOVES_SHOWN: usize = 12;

/// Results of one opening.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpeningTally {
    /// Start of the opening: the moves of the book, or a position.
    start: Box<str>,
    /// Index of the first pair with this opening.
    example: u64,
    white_won: u64,
    drawn: u64,
    black_won: u64,
    candidate_half_points: u64,
}

impl OpeningTally {
    fn games(&self) -> u64 {
        self.white_won + self.drawn + self.black_won
    }

    /// Returns how many more games one colour won than the other.
    fn lead(&self) -> u64 {
        self.white_won.abs_diff(self.black_won)
    }

    /// Returns the half points of the candidate above or below an even score.
    fn margin(&self) -> i64 {
        self.candidate_half_points as i64 - self.games() as i64
    }
}

/// Results of the openings of a run.
#[derive(Clone, Debug, Default)]
pub struct OpeningResults {
    by_number: HashMap<u64, OpeningTally>,
    /// Number of pairs in which White won both games, Black won both games, and of all others.
    pub pairs: [u64; 3],
    omitted: u64,
}

impl OpeningResults {
    /// Counts a pair.
    pub fn count(&mut self, pair: u64, games: [&GameRecord; 2], score: PairScore) {
        let results = games.map(|game| game.ending.result);
        let kind = match results {
            [GameResult::WhiteWins, GameResult::WhiteWins] => 0,
            [GameResult::BlackWins, GameResult::BlackWins] => 1,
            _ => 2,
        };
        self.pairs[kind] += 1;
        let number = games[0].opening;
        if self.by_number.len() >= MAX_OPENINGS && !self.by_number.contains_key(&number) {
            self.omitted += 1;
            return;
        }
        let tally = self.by_number.entry(number).or_insert_with(|| OpeningTally {
            start: start_of(games[0]).into(),
            example: pair,
            white_won: 0,
            drawn: 0,
            black_won: 0,
            candidate_half_points: 0,
        });
        for result in results {
            match result {
                GameResult::WhiteWins => tally.white_won += 1,
                GameResult::Draw => tally.drawn += 1,
                GameResult::BlackWins => tally.black_won += 1,
            }
        }
        tally.candidate_half_points += (2.0 * score.points()) as u64;
    }

    /// Returns the tables as markup: the openings that one colour wins, and those that one engine played better.
    pub fn tables(&self) -> String {
        let one_sided = self.ranked(|tally| tally.lead() > 0, |tally| (Reverse(tally.lead()), tally.drawn));
        let all = self.by_number.values().filter(|tally| tally.lead() > 0).count() as u64;
        let shown = one_sided.len() as u64;
        let of = if all > shown { format!(": {shown} of {}", grouped(all)) } else { String::new() };
        let mut differing = self.ranked(|tally| tally.margin() > 0, |tally| (Reverse(tally.margin()), 0));
        differing.truncate(ROWS / 2);
        let mut lost = self.ranked(|tally| tally.margin() < 0, |tally| (Reverse(-tally.margin()), 0));
        lost.truncate(ROWS - differing.len());
        differing.extend(lost.into_iter().rev());
        let caution = (!one_sided.is_empty()).then(|| self.caution());
        let one_sided = OpeningTable {
            id: "one-sided",
            caption: format!("Openings that one colour won most often{of}"),
            rows: one_sided,
        };
        let gained = OpeningTable {
            id: "gained",
            caption: "Openings where the candidate gained and lost most".to_owned(),
            rows: differing,
        };
        let mut tables = vec![one_sided, gained];
        tables.retain(|table| !table.rows.is_empty());
        let [white, black, other] = self.pairs;
        render(&OpeningTables { white, black, other, tables, caution })
    }

    /// Returns the first rows of the openings for which `is_included` holds, sorted by `key` and then by number.
    fn ranked<K: Ord>(
        &self,
        is_included: impl Fn(&OpeningTally) -> bool,
        key: impl Fn(&OpeningTally) -> K,
    ) -> Vec<OpeningRow<'_>> {
        let mut rows: Vec<OpeningRow<'_>> = self
            .by_number
            .iter()
            .filter(|(_, tally)| is_included(tally))
            .map(|(index, tally)| OpeningRow { number: index + 1, tally })
            .collect();
        let order = |row: &OpeningRow<'_>| (key(row.tally), row.number);
        if rows.len() > ROWS {
            rows.select_nth_unstable_by_key(ROWS, order);
            rows.truncate(ROWS);
        }
        rows.sort_by_key(order);
        rows
    }

    fn caution(&self) -> Caution {
        let openings = self.by_number.len() as u64;
        let games: u64 = self.by_number.values().map(OpeningTally::games).sum();
        let mean = format!("{:.1}", games as f64 / openings.max(1) as f64);
        Caution { openings, mean, omitted: self.omitted }
    }
}

#[derive(Template)]
#[template(path = "openings.html")]
struct OpeningTables<'a> {
    white: u64,
    black: u64,
    other: u64,
    tables: Vec<OpeningTable<'a>>,
    caution: Option<Caution>,
}

struct OpeningTable<'a> {
    id: &'static str,
    caption: String,
    rows: Vec<OpeningRow<'a>>,
}

struct OpeningRow<'a> {
    /// Number of the opening in the book, from 1.
    number: u64,
    tally: &'a OpeningTally,
}

impl OpeningRow<'_> {
    fn example(&self) -> GameId {
        GameId { pair: self.tally.example, game: GameOfPair::First }
    }

    fn points(&self) -> String {
        points(self.tally.candidate_half_points)
    }
}

/// The figures of the note that warns about small samples.
struct Caution {
    openings: u64,
    /// Mean number of games per opening.
    mean: String,
    /// Number of pairs whose openings are not in the tables.
    omitted: u64,
}

/// Returns half points as points: `1½`.
fn points(halves: u64) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 1) => format!("{}½", grouped(whole)),
        (whole, _) => grouped(whole),
    }
}

/// Returns the book moves of an opening, or its position if it has none.
fn start_of(game: &GameRecord) -> String {
    let book: Vec<&str> = game
        .moves
        .iter()
        .take_while(|ply| ply.source == MoveSource::Book)
        .map(|ply| ply.mv.as_str())
        .collect();
    match book.len() {
        0 => game.start_fen.clone(),
        few if few <= MOVES_SHOWN => book.join(" "),
        _ => format!("… {}", book[book.len() - MOVES_SHOWN..].join(" ")),
    }
}
