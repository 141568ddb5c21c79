//! Results by opening: the wins of each colour, and the points of the candidate.

use std::cmp::Reverse;
use std::collections::HashMap;

use askama::Template;

use crate::chess::{Color, MoveStyle, Position, START_FEN};
use crate::game::{GameId, GameOfPair, GameRecord, GameResult, MoveSource};
use crate::opening::eco::classify;
use crate::report::filters;
use crate::report::markup::render;
use crate::report::number_text::grouped;
use crate::stats::PairScore;

/// Largest number of openings that are counted separately. A run of a million games may have more,
/// and longer lists are not useful.
const MAX_OPENINGS: usize = 50_000;

/// Largest number of rows in the table: those openings that one colour won most often.
const ROWS: usize = 300;

/// Largest number of book moves of an opening that are kept, and that a table shows.
const MOVES_KEPT: usize = 60;
const MOVES_SHOWN: usize = 12;

/// Results of one opening.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpeningTally {
    /// The position in which the games begin.
    fen: Box<str>,
    /// The moves of the book from there, in coordinates.
    moves: Box<str>,
    /// Index of the first pair with this opening.
    example: u64,
    white_won: u64,
    drawn: u64,
    black_won: u64,
    /// Half points of the candidate with White and with Black; `None` in a tournament.
    candidate: Option<[u64; 2]>,
}

impl OpeningTally {
    fn games(&self) -> u64 {
        self.white_won + self.drawn + self.black_won
    }

    /// Returns how many more games one colour won than the other.
    fn lead(&self) -> u64 {
        self.white_won.abs_diff(self.black_won)
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
    /// Counts a pair. Without a score of the candidate only the colours are counted.
    pub fn count(&mut self, pair: u64, games: [&GameRecord; 2], score: Option<PairScore>) {
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
            fen: games[0].start_fen.as_str().into(),
            moves: book_moves(games[0]).into(),
            example: pair,
            white_won: 0,
            drawn: 0,
            black_won: 0,
            candidate: score.map(|_| [0; 2]),
        });
        for result in results {
            match result {
                GameResult::WhiteWins => tally.white_won += 1,
                GameResult::Draw => tally.drawn += 1,
                GameResult::BlackWins => tally.black_won += 1,
            }
        }
        if let Some(points) = &mut tally.candidate {
            // The candidate has White in the first game.
            points[0] += u64::from(results[0].half_points(Color::White));
            points[1] += u64::from(results[1].half_points(Color::Black));
        }
    }

    /// Returns the table of openings as markup, those first that one colour won most often.
    pub fn tables(&self, candidate: &str) -> String {
        let mut rows: Vec<OpeningRow<'_>> =
            self.by_number.iter().map(|(index, tally)| OpeningRow { number: index + 1, tally }).collect();
        let order = |row: &OpeningRow<'_>| (Reverse(row.tally.lead()), row.tally.drawn, row.number);
        if rows.len() > ROWS {
            rows.select_nth_unstable_by_key(ROWS, order);
            rows.truncate(ROWS);
        }
        rows.sort_by_key(order);
        let [white, black, other] = self.pairs;
        let has_candidate = rows.iter().any(|row| row.tally.candidate.is_some());
        render(&OpeningTables {
            white,
            black,
            other,
            rows,
            candidate,
            has_candidate,
            caution: self.caution(),
        })
    }

    fn caution(&self) -> Caution {
        let openings = self.by_number.len() as u64;
        let games: u64 = self.by_number.values().map(OpeningTally::games).sum();
        let varies = !games.is_multiple_of(openings.max(1));
        let mean = games as f64 / openings.max(1) as f64;
        let mean = if varies { format!("{mean:.1}") } else { format!("{mean:.0}") };
        Caution { openings, mean, varies, omitted: self.omitted }
    }
}

#[derive(Template)]
#[template(path = "openings.html")]
struct OpeningTables<'a> {
    white: u64,
    black: u64,
    other: u64,
    rows: Vec<OpeningRow<'a>>,
    candidate: &'a str,
    has_candidate: bool,
    caution: Caution,
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

    /// Returns the score of White in per cent.
    fn white_score(&self) -> String {
        let points = self.tally.white_won as f64 + self.tally.drawn as f64 / 2.0;
        format!("{:.0} %", 100.0 * points / self.tally.games().max(1) as f64)
    }

    /// Returns the code and the name of the opening, if it has one.
    fn name(&self) -> Option<String> {
        if &*self.tally.fen == START_FEN && self.tally.moves.is_empty() {
            return Some("initial position".to_owned());
        }
        let start = Position::from_fen(&self.tally.fen).ok()?;
        let (mut position, mut moves) = (start, Vec::new());
        for text in self.tally.moves.split_ascii_whitespace() {
            let mv = position.parse_coordinate(text, MoveStyle::Standard).ok()?;
            moves.push(mv);
            position = position.play(mv);
        }
        classify(&start, &moves).map(|eco| format!("{} {}", eco.code, eco.name))
    }

    /// Returns the last moves of the book, or the position if there are none.
    fn start(&self) -> String {
        let moves: Vec<&str> = self.tally.moves.split_ascii_whitespace().collect();
        match moves.len() {
            0 => self.tally.fen.to_string(),
            few if few <= MOVES_SHOWN => moves.join(" "),
            many => format!("… {}", moves[many - MOVES_SHOWN..].join(" ")),
        }
    }

    /// Returns the points of the candidate with White and with Black.
    fn points(&self, colour: usize) -> String {
        self.tally.candidate.map_or_else(String::new, |halves| points(halves[colour]))
    }
}

/// The figures of the note that warns about small samples.
struct Caution {
    openings: u64,
    /// Mean number of games per opening.
    mean: String,
    /// Whether the openings have different numbers of games.
    varies: bool,
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

/// Returns the book moves of a game, in coordinates.
fn book_moves(game: &GameRecord) -> String {
    let book = game.moves.iter().take_while(|ply| ply.source == MoveSource::Book).take(MOVES_KEPT);
    book.map(|ply| ply.mv.as_str()).collect::<Vec<_>>().join(" ")
}
