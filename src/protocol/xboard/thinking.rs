//! Reports of a search: `ply score time nodes pv`.

use crate::protocol::Words;
use crate::protocol::uci::InfoScore;

/// A report of the engine's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinking<'a> {
    /// Depth in plies.
    pub depth: u32,
    /// Score from the engine's point of view.
    pub score: InfoScore,
    /// Time since the search began, in hundredths of a second.
    pub centiseconds: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// Selective depth, which newer engines report in front of a tabulator.
    pub seldepth: Option<u32>,
    /// The expected moves, in any notation.
    pub line: Words<'a>,
}

/// Scores from here on are mates: this number plus the moves to the mate.
const MATE: i32 = 100_000;

impl<'a> Thinking<'a> {
    /// Parses a line; `None` if it is not such a report.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut words = Words::new(line).iter();
        // Some engines mark the ply, as in `9.` or `9&`.
        let ply = words.next()?;
        let digits = ply.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let depth = digits.parse().ok().filter(|_| ply.len() <= digits.len() + 1)?;
        let (score, centiseconds, nodes) = (words.number()?, words.number()?, words.number()?);
        let seldepth = match words.rest().split_once('\t') {
            Some((extra, _)) => Words::new(extra).iter().number(),
            None => None,
        };
        let line = words.rest().split_once('\t').map_or(words.rest(), |(_, moves)| moves);
        Some(Self { depth, score: score_of(score), centiseconds, nodes, seldepth, line: Words::new(line) })
    }
}

fn score_of(number: i32) -> InfoScore {
    match number {
        MATE.. => InfoScore::Mate((number - MATE).max(1)),
        ..=-100_000 => InfoScore::Mate(number + MATE),
        cp => InfoScore::Cp(cp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_in_the_forms_that_engines_use() {
        let read = |line| {
            Thinking::parse(line).map(|found| (found.depth, found.score, found.centiseconds, found.nodes))
        };
        for (line, found) in [
            ("9 156 1084 48000 Nf3 Nc6 Nc3 Nf6", (9, InfoScore::Cp(156), 1084, 48000)),
            (" 6      2       20     224418 c2c4 d7d6", (6, InfoScore::Cp(2), 20, 224_418)),
            ("9 +4 22 459762 d5 exd5", (9, InfoScore::Cp(4), 22, 459_762)),
            ("4. -37 0 519 Nc6", (4, InfoScore::Cp(-37), 0, 519)),
            ("5& -37 0 519 Nc6", (5, InfoScore::Cp(-37), 0, 519)),
            ("12 100003 5 99", (12, InfoScore::Mate(3), 5, 99)),
            ("12 -100002 5 99", (12, InfoScore::Mate(-2), 5, 99)),
            ("12 -100000 5 99", (12, InfoScore::Mate(0), 5, 99)),
        ] {
            assert_eq!(read(line), Some(found), "{line}");
        }
        for line in
            ["", "move e2e4", "1. e2e4", "1. ... e7e5", "16+16 pieces", "9 x 1 2", "12 3 4", "9->  1 2 3 4"]
        {
            assert_eq!(read(line), None, "{line}");
        }
        let extended = Thinking::parse("20 35 100 9000 31 90000 0\te2e4 e7e5").unwrap();
        assert_eq!((extended.seldepth, extended.line), (Some(31), Words::new("e2e4 e7e5")));
    }
}
