//! An index of all games of a run, for lists that are sorted and filtered. It is read from `pairs.csv` as that grows.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::{Value, json};

use crate::store::open_own;

/// Largest number of rows in an answer.
const MAX_ROWS: usize = 200;

/// Where the columns of `pairs.csv` are, by the names in its header. A column that the file lacks has no place.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    pair: Option<usize>,
    opening: Option<usize>,
    results: [Option<usize>; 2],
    reasons: [Option<usize>; 2],
    plies: [Option<usize>; 2],
    /// White and Black of the first game; only files of tournaments have them.
    engines: [Option<usize>; 2],
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Self {
        let place = |name: &str| header.iter().position(|title| title == name);
        let of_games = |name: &str| [1, 2].map(|game| place(&format!("game{game}_{name}")));
        Self {
            pair: place("pair"),
            opening: place("opening"),
            results: of_games("result"),
            reasons: of_games("reason"),
            plies: of_games("plies"),
            engines: ["game1_white", "game1_black"].map(place),
        }
    }
}

/// A game of the index: 24 bytes, so that a million games need 24 megabytes.
#[derive(Clone, Copy, Debug)]
struct IndexedGame {
    /// Number of the pair from 1, times two, plus 0 or 1 for its game.
    number: u64,
    opening: u32,
    plies: u16,
    reason: u16,
    white: u16,
    black: u16,
    result: u8,
}

/// The games of a run.
#[derive(Debug, Default)]
pub struct GameIndex {
    games: Vec<IndexedGame>,
    names: Names,
    reasons: Names,
    /// Read from the first line.
    columns: Option<Columns>,
    /// Bytes of `pairs.csv` that were read.
    offset: u64,
}

/// Texts by number.
#[derive(Debug, Default)]
struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Names {
    fn number(&mut self, text: &str) -> u16 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        // Reasons with details are few in practice; beyond the limit they share the last number.
        let number = u16::try_from(self.texts.len()).unwrap_or(u16::MAX);
        if number < u16::MAX {
            self.texts.push(text.to_owned());
            self.numbers.insert(text.to_owned(), number);
        }
        number
    }

    fn text(&self, number: u16) -> &str {
        self.texts.get(usize::from(number)).map_or("?", String::as_str)
    }
}

/// A question about the games of a run. Empty texts match every game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameQuery {
    /// Name of an engine.
    pub engine: String,
    /// `white` or `black`: the colour of that engine.
    pub colour: String,
    /// `1-0`, `1/2-1/2` or `0-1`.
    pub result: String,
    /// Reason without its details.
    pub reason: String,
    /// Number of the opening, from 1.
    pub opening: Option<u32>,
    /// Fewest half-moves.
    pub least: Option<u16>,
    /// Most half-moves.
    pub most: Option<u16>,
    /// Only games that ended by a fault or on time.
    pub faults_only: bool,
    /// Column to sort by; by number if it is none of those.
    pub sort: String,
    /// Whether the largest comes first.
    pub descending: bool,
    /// Number of matching games to skip.
    pub from: usize,
    /// Number of rows.
    pub count: usize,
}

impl GameIndex {
    /// Reads what was added to `pairs.csv` since the last call; all of it again if the file became shorter. `engines` are
    /// the names of candidate and baseline, which the file of a run of two engines does not contain.
    pub fn update(&mut self, path: &Path, engines: &[String]) -> io::Result<()> {
        let mut file = match open_own(path) {
            Ok(file) => file,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(why) => return Err(why),
        };
        let length = file.metadata()?.len();
        if length < self.offset {
            *self = Self::default();
        }
        if length == self.offset {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut text = Vec::with_capacity((length - self.offset) as usize);
        file.take(length - self.offset).read_to_end(&mut text)?;
        // The last line may be incomplete.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.offset += whole as u64;
        let mut rows =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..whole]);
        let mut row = csv::StringRecord::new();
        while rows.read_record(&mut row).map_err(io::Error::other)? {
            match self.columns {
                Some(columns) => self.add(&row, columns, engines),
                None => self.columns = Some(Columns::of(&row)),
            }
        }
        Ok(())
    }

    fn add(&mut self, row: &csv::StringRecord, columns: Columns, engines: &[String]) {
        let cell = |column: Option<usize>| column.and_then(|at| row.get(at)).unwrap_or_default();
        let pair = cell(columns.pair).parse::<u64>();
        let (Ok(pair), Ok(opening)) = (pair, cell(columns.opening).parse::<u32>()) else { return };
        // A resumed run writes its last pair again.
        while self.games.last().is_some_and(|last| last.number >= 2 * pair) {
            self.games.pop();
        }
        let named = |at: usize| engines.get(at).map_or("?", String::as_str);
        let (first, second) = match columns.engines.map(cell) {
            ["", _] | [_, ""] => (named(0), named(1)),
            [white, black] => (white, black),
        };
        let sides = [self.names.number(first), self.names.number(second)];
        for game in 0..2 {
            self.games.push(IndexedGame {
                number: 2 * pair + game as u64,
                opening,
                plies: cell(columns.plies[game]).parse().unwrap_or(u16::MAX),
                reason: self.reasons.number(cell(columns.reasons[game])),
                white: sides[game],
                black: sides[1 - game],
                result: match cell(columns.results[game]) {
                    "1-0" => 2,
                    "0-1" => 0,
                    _ => 1,
                },
            });
        }
    }

    /// Answers a query: `total`, `found`, the `engines` and `reasons` that occur, and `rows` of game, White, Black, result,
    /// reason, half-moves and opening.
    pub fn answer(&self, query: &GameQuery) -> Value {
        let reason_kinds: Vec<&str> = self.reasons.texts.iter().map(|text| kind_of(text)).collect();
        let engine = self.names.numbers.get(&query.engine).copied();
        let matches = |game: &&IndexedGame| {
            let plays = |side: u16| query.engine.is_empty() || Some(side) == engine;
            let engine_matches = match query.colour.as_str() {
                "white" => plays(game.white),
                "black" => plays(game.black),
                _ => plays(game.white) || plays(game.black),
            };
            let reason = reason_kinds.get(usize::from(game.reason)).copied().unwrap_or_default();
            engine_matches
                && (query.result.is_empty() || query.result == result_text(game.result))
                && (query.reason.is_empty() || query.reason == reason)
                && query.opening.is_none_or(|opening| opening == game.opening)
                && query.least.is_none_or(|least| game.plies >= least)
                && query.most.is_none_or(|most| game.plies <= most)
                && (!query.faults_only || is_fault(reason))
        };
        let mut found: Vec<&IndexedGame> = self.games.iter().filter(matches).collect();
        let total_found = found.len();
        let rows = self.page(&mut found, query).iter().map(|game| self.row(game)).collect::<Vec<_>>();
        let mut reasons = reason_kinds;
        reasons.sort_unstable();
        reasons.dedup();
        json!({
            "total": self.games.len(),
            "found": total_found,
            "engines": self.names.texts,
            "reasons": reasons,
            "rows": rows,
        })
    }

    /// Returns the requested part of the matching games in order. Only that part is sorted.
    fn page<'a, 'g>(&self, found: &'a mut [&'g IndexedGame], query: &GameQuery) -> &'a [&'g IndexedGame] {
        let from = query.from.min(found.len());
        let to = from.saturating_add(query.count.min(MAX_ROWS)).min(found.len());
        let by_column = |one: &IndexedGame, other: &IndexedGame| match query.sort.as_str() {
            "white" => self.names.text(one.white).cmp(self.names.text(other.white)),
            "black" => self.names.text(one.black).cmp(self.names.text(other.black)),
            "result" => one.result.cmp(&other.result),
            "reason" => self.reasons.text(one.reason).cmp(self.reasons.text(other.reason)),
            "plies" => one.plies.cmp(&other.plies),
            "opening" => one.opening.cmp(&other.opening),
            _ if query.descending => one.number.cmp(&other.number),
            // The games are in the order of their numbers.
            _ => Ordering::Equal,
        };
        let order = |one: &&IndexedGame, other: &&IndexedGame| {
            let order = by_column(one, other);
            let order = if query.descending { order.reverse() } else { order };
            order.then(one.number.cmp(&other.number))
        };
        let is_sorted = query.sort.is_empty() || query.sort == "game";
        if (query.descending || !is_sorted) && from < to {
            if to < found.len() {
                found.select_nth_unstable_by(to - 1, order);
            }
            if from > 0 {
                found[..to].select_nth_unstable_by(from, order);
            }
            found[from..to].sort_unstable_by(order);
        }
        &found[from..to]
    }

    fn row(&self, game: &IndexedGame) -> Value {
        json!([
            format!("{}.{}", game.number / 2, game.number % 2 + 1),
            self.names.text(game.white),
            self.names.text(game.black),
            result_text(game.result),
            self.reasons.text(game.reason),
            game.plies,
            game.opening,
        ])
    }
}

fn result_text(result: u8) -> &'static str {
    match result {
        2 => "1-0",
        0 => "0-1",
        _ => "1/2-1/2",
    }
}

/// Returns a reason without its details.
fn kind_of(reason: &str) -> &str {
    reason.split([':', '(']).next().unwrap_or(reason)
}

fn is_fault(kind: &str) -> bool {
    matches!(
        kind,
        "time_forfeit" | "time_forfeit_without_mate" | "illegal_move" | "crash" | "stall" | "protocol"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const HEADER: &str = "pair,opening,fen,game1_result,game1_reason,game1_plies,game2_result,game2_reason,game2_plies,candidate_points,llr\n";

    fn rounds(answer: &Value) -> Vec<String> {
        answer["rows"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
    }

    fn index(rows: &[&str]) -> GameIndex {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all((HEADER.to_owned() + &rows.concat()).as_bytes()).unwrap();
        let mut index = GameIndex::default();
        index.update(file.path(), &["new".to_owned(), "old".to_owned()]).unwrap();
        index
    }

    #[test]
    fn games_are_filtered_sorted_and_paged() {
        let index = index(&[
            "1,7,f,1-0,checkmate,80,0-1,time_forfeit,40,2,0.1\n",
            "2,9,f,1/2-1/2,repetition,120,1-0,illegal_move:a1a1,30,0.5,0.2\n",
        ]);
        let all = GameQuery { count: 10, ..GameQuery::default() };
        let ask = |query: GameQuery| index.answer(&query);
        assert_eq!(rounds(&ask(all.clone())), ["1.1", "1.2", "2.1", "2.2"]);
        assert_eq!(
            ask(all.clone())["reasons"],
            json!(["checkmate", "illegal_move", "repetition", "time_forfeit"])
        );
        let sorted = GameQuery { sort: "plies".into(), descending: true, ..all.clone() };
        assert_eq!(rounds(&ask(sorted.clone())), ["2.1", "1.1", "1.2", "2.2"]);
        assert_eq!(rounds(&ask(GameQuery { from: 1, count: 2, ..sorted })), ["1.1", "1.2"]);
        assert_eq!(
            rounds(&ask(GameQuery { sort: "game".into(), descending: true, count: 2, ..all.clone() })),
            ["2.2", "2.1"]
        );
        assert_eq!(rounds(&ask(GameQuery { faults_only: true, ..all.clone() })), ["1.2", "2.2"]);
        assert_eq!(rounds(&ask(GameQuery { reason: "illegal_move".into(), ..all.clone() })), ["2.2"]);
        assert_eq!(rounds(&ask(GameQuery { opening: Some(9), ..all.clone() })), ["2.1", "2.2"]);
        assert_eq!(rounds(&ask(GameQuery { least: Some(80), most: Some(100), ..all.clone() })), ["1.1"]);
        let with_white = GameQuery { engine: "old".into(), colour: "white".into(), ..all.clone() };
        assert_eq!(rounds(&ask(with_white)), ["1.2", "2.2"]);
        let unknown = ask(GameQuery { engine: "other".into(), ..all });
        assert_eq!((unknown["found"].clone(), unknown["total"].clone()), (json!(0), json!(4)));
    }

    #[test]
    fn columns_are_found_by_name_whatever_stands_beside_them() {
        let header = HEADER.trim_end().replace("fen,", "fen,eco,") + ",game1_white,game1_black,worker\n";
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{header}1,7,f,C60,1-0,checkmate,80,0-1,stall,40,2,,third,fourth,w1").unwrap();
        let mut index = GameIndex::default();
        index.update(file.path(), &["first".to_owned(), "second".to_owned()]).unwrap();
        let answer = index.answer(&GameQuery { count: 10, ..GameQuery::default() });
        assert_eq!(answer["rows"][0], json!(["1.1", "third", "fourth", "1-0", "checkmate", 80, 7]));
        assert_eq!(answer["rows"][1], json!(["1.2", "fourth", "third", "0-1", "stall", 40, 7]));
    }

    #[test]
    fn a_growing_file_is_read_once_and_an_incomplete_line_waits() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut index = GameIndex::default();
        let engines = ["a".to_owned(), "b".to_owned()];
        write!(file, "{HEADER}1,7,f,1-0,checkmate,80,0-1,checkmate,40,2,\n2,8,f,1-0,check").unwrap();
        index.update(file.path(), &engines).unwrap();
        assert_eq!(index.games.len(), 2);
        writeln!(file, "mate,1,0-1,checkmate,2,2,").unwrap();
        index.update(file.path(), &engines).unwrap();
        assert_eq!(index.games.len(), 4);
        file.as_file().set_len(0).unwrap();
        file.rewind().unwrap();
        index.update(file.path(), &engines).unwrap();
        assert_eq!(index.games.len(), 0, "the file was written again");
    }
}
