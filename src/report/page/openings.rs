//! What each opening gave: how often each colour won it, and what the candidate made of it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;

use crate::game::{GameRecord, GameResult, MoveSource};
use crate::report::chart::escape;
use crate::report::number_text::grouped;
use crate::stats::PairScore;

/// Openings told apart at most. A run of a million games may have as many, and nobody reads so long a list.
const TOLD_APART: usize = 50_000;

/// Rows of each table.
const ROWS: usize = 10;

/// Book moves that are written out where a position is the usual first one.
const MOVES_SHOWN: usize = 12;

/// One opening's results.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpeningTally {
    /// Where it starts: a position, or the moves of the book.
    start: Box<str>,
    /// The first pair that played it, to be looked at.
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

    /// How far one colour is ahead, whichever it is.
    fn lead(&self) -> u64 {
        self.white_won.abs_diff(self.black_won)
    }

    /// The candidate's half points above or below an even score.
    fn margin(&self) -> i64 {
        self.candidate_half_points as i64 - self.games() as i64
    }
}

/// The openings of a run with their results.
#[derive(Clone, Debug, Default)]
pub struct OpeningResults {
    by_number: HashMap<u64, OpeningTally>,
    /// Pairs by what their opening gave: White won both games, Black won both, anything else.
    pub pairs: [u64; 3],
    not_told_apart: u64,
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
        if self.by_number.len() >= TOLD_APART && !self.by_number.contains_key(&number) {
            self.not_told_apart += 1;
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

    /// The tables as markup: openings that one colour wins, and those of which an engine made more than the other.
    pub fn tables(&self) -> String {
        let mut html = String::new();
        let [white, black, other] = self.pairs.map(grouped);
        let _ = write!(
            html,
            "<p>White won both games of {white} {}, Black both games of {black}; {other} {} split or drawn.</p>",
            if self.pairs[0] == 1 { "pair" } else { "pairs" },
            if self.pairs[2] == 1 { "was" } else { "were" },
        );
        let one_sided = self.ranked(|tally| tally.lead() > 0, |tally| (Reverse(tally.lead()), tally.drawn));
        let all = self.by_number.values().filter(|tally| tally.lead() > 0).count() as u64;
        let shown = one_sided.len() as u64;
        let of = if all > shown { format!(": {shown} of {}", grouped(all)) } else { String::new() };
        table(&mut html, "one-sided", &format!("Openings that one colour won most often{of}"), &one_sided);
        let mut differing = self.ranked(|tally| tally.margin() > 0, |tally| (Reverse(tally.margin()), 0));
        differing.truncate(ROWS / 2);
        let mut lost = self.ranked(|tally| tally.margin() < 0, |tally| (Reverse(-tally.margin()), 0));
        lost.truncate(ROWS - differing.len());
        differing.extend(lost.into_iter().rev());
        table(&mut html, "gained", "Openings where the candidate gained and lost most", &differing);
        if !one_sided.is_empty() {
            html.push_str(&self.caution());
        }
        html
    }

    /// The first rows of the openings that `belong`, sorted by `key`, equals by their place in the book.
    fn ranked<K: Ord>(
        &self,
        belong: impl Fn(&OpeningTally) -> bool,
        key: impl Fn(&OpeningTally) -> K,
    ) -> Vec<(u64, &OpeningTally)> {
        let mut rows: Vec<(u64, &OpeningTally)> = self
            .by_number
            .iter()
            .filter(|(_, tally)| belong(tally))
            .map(|(at, tally)| (*at, tally))
            .collect();
        let order = |row: &(u64, &OpeningTally)| (key(row.1), row.0);
        if rows.len() > ROWS {
            rows.select_nth_unstable_by_key(ROWS, order);
            rows.truncate(ROWS);
        }
        rows.sort_by_key(order);
        rows
    }

    /// What a list of extremes is worth.
    fn caution(&self) -> String {
        let openings = self.by_number.len() as u64;
        let games: u64 = self.by_number.values().map(OpeningTally::games).sum();
        let mean = games as f64 / openings.max(1) as f64;
        let rest = match self.not_told_apart {
            0 => String::new(),
            pairs => {
                format!(" {} pairs with further openings are in <code>pairs.csv</code>.", grouped(pairs))
            }
        };
        let word = if openings == 1 { "opening" } else { "openings" };
        format!(
            "<p class=\"note\">The extremes of {} {word}, {mean:.1} games each: with few games, chance alone fills such \
             a list.{rest}</p>",
            grouped(openings)
        )
    }
}

fn table(html: &mut String, id: &str, caption: &str, rows: &[(u64, &OpeningTally)]) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        html,
        "<figure id=\"{id}\"><figcaption>{caption}</figcaption><table><thead><tr><th class=\"n\">opening<th>game<th class=\"n\">White won\
         <th class=\"n\">drawn<th class=\"n\">Black won<th class=\"n\">candidate<th>start</tr></thead><tbody>"
    );
    for (number, tally) in rows {
        let round = format!("{}.1", tally.example + 1);
        let _ = write!(
            html,
            "<tr><td class=\"n\">{}<td><a href=\"#game-{round}\">{round}</a><td class=\"n\">{}<td class=\"n\">{}\
             <td class=\"n\">{}<td class=\"n\">{} of {}<td class=\"start\"><code>{}</code></tr>",
            grouped(number + 1),
            grouped(tally.white_won),
            grouped(tally.drawn),
            grouped(tally.black_won),
            points(tally.candidate_half_points),
            grouped(tally.games()),
            escape(&tally.start),
        );
    }
    html.push_str("</tbody></table></figure>");
}

/// Half points as points: `1½`.
fn points(halves: u64) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 1) => format!("{}½", grouped(whole)),
        (whole, _) => grouped(whole),
    }
}

/// What tells an opening from others: its moves, or the position where it has none.
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
