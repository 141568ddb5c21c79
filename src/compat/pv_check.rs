//! What is wrong with the lines of play that an engine reports, in the words of fastchess.

use crate::chess::{DrawReason, GameLine, MoveStyle, Outcome};

/// An `info` line with a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReportedLine<'a> {
    /// The score, or what is wrong with it.
    pub(super) score: Option<Result<ReportedScore, String>>,
    bound: bool,
    multipv: Option<u64>,
    pub(super) time_ms: Option<i64>,
    moves: Vec<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportedScore {
    Centipawns(i64),
    /// Moves to mate; negative if the engine is mated.
    Mate(i64),
}

impl<'a> ReportedLine<'a> {
    /// Reads the words of a line. The moves end at the first word that has not the form of a move, and the line with them.
    pub(super) fn read(line: &'a str) -> Self {
        let mut read = Self::default();
        let mut words = line.split(' ').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            let mut number = || words.peek().and_then(|word| word.parse::<i64>().ok());
            match word {
                "score" => {
                    let (kind, value) = (words.next(), words.peek().copied());
                    read.score = Some(score(line, kind, value));
                }
                "time" => read.time_ms = number().or(read.time_ms),
                "multipv" => read.multipv = number().and_then(|number| u64::try_from(number).ok()),
                "lowerbound" | "upperbound" => read.bound = true,
                "pv" => {
                    read.moves = words.take_while(|word| is_move(word)).collect();
                    break;
                }
                _ => {}
            }
        }
        read
    }

    /// Whether it is the best line, if there are several.
    fn is_first(&self) -> bool {
        self.multipv.is_none_or(|place| place == 1)
    }
}

fn score(line: &str, kind: Option<&str>, value: Option<&str>) -> Result<ReportedScore, String> {
    let (Some(kind), Some(value)) = (kind, value) else {
        return Err("Element 'score' has no type or value".to_owned());
    };
    let make = match kind {
        "cp" => ReportedScore::Centipawns,
        "mate" => ReportedScore::Mate,
        _ => return Err(format!("Unexpected score type: {line}")),
    };
    value.parse().map(make).map_err(|_| format!("Invalid score value: {value}"))
}

/// Returns whether a word has the form of a move; it need not be legal.
pub(super) fn is_move(word: &str) -> bool {
    let square = |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match *word.as_bytes() {
        [a, b, c, d] => square(a, b) && square(c, d),
        [a, b, c, d, piece] => square(a, b) && square(c, d) && b"nbrq".contains(&piece),
        _ => false,
    }
}

/// Returns the line that states the score of a search: the last exact one of the best line of play, or else a bound.
pub(super) fn last_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let read = || {
        lines.iter().rev().map(|line| (*line, ReportedLine::read(line))).filter(|(_, line)| line.is_first())
    };
    read().find(|(_, line)| !line.bound).or_else(|| read().next()).map(|(line, _)| line)
}

/// Something wrong with a line of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remark {
    /// What is wrong, without the name of the engine.
    pub(super) text: String,
    /// The line of the engine.
    pub(super) line: String,
}

/// Examines the lines of a search that began at the end of `game`. The game is unchanged afterwards.
pub(super) fn examine(
    game: &mut GameLine,
    style: MoveStyle,
    lines: &[&str],
    best: &str,
    mates: bool,
) -> Vec<Remark> {
    let read: Vec<ReportedLine<'_>> = lines.iter().map(|line| ReportedLine::read(line)).collect();
    let remark = |text: String, line: &str| Remark { text, line: line.to_owned() };
    let mut remarks: Vec<Remark> = Vec::new();
    for (line, reported) in lines.iter().zip(&read) {
        remarks.extend(follow(game, style, reported, mates).map(|text| remark(text, line)));
    }
    let last = lines.iter().zip(&read).rev().find(|(_, reported)| reported.is_first());
    if let Some((line, reported)) = last
        && game.current().parse_coordinate(best, style).is_ok()
        && !reported.bound
        && reported.moves.first().is_some_and(|first| *first != best)
    {
        let text = format!("Bestmove does not match beginning of last PV - move {best}");
        remarks.push(remark(text, line));
    }
    remarks
}

/// Plays a line of play, takes it back, and returns what is wrong with it.
fn follow(game: &mut GameLine, style: MoveStyle, line: &ReportedLine<'_>, mates: bool) -> Option<String> {
    let length = game.moves().len();
    let problem = play(game, style, &line.moves)
        .or_else(|| mates.then(|| mate_problem(game, line)).flatten().map(str::to_owned));
    while game.moves().len() > length {
        game.pop();
    }
    problem
}

fn play(game: &mut GameLine, style: MoveStyle, moves: &[&str]) -> Option<String> {
    for text in moves {
        // Who is left without mating material may play on.
        let over = match game.outcome() {
            Some(Outcome::Win { .. }) => Some("PV continues after checkmate"),
            Some(Outcome::Draw(DrawReason::Stalemate)) => Some("PV continues after stalemate"),
            Some(Outcome::Draw(DrawReason::FiftyMoves)) => Some("PV continues after fifty-move rule"),
            Some(Outcome::Draw(DrawReason::ThreefoldRepetition)) => {
                Some("PV continues after threefold repetition")
            }
            Some(Outcome::Draw(DrawReason::InsufficientMaterial)) | None => None,
        };
        if let Some(over) = over {
            return Some(format!("{over} - move {text}"));
        }
        match game.current().parse_coordinate(text, style) {
            Ok(mv) => game.push(mv),
            Err(_) => return Some(format!("Illegal PV move - move {text}")),
        }
    }
    None
}

/// Compares a line that was played with the mate that its score announces.
fn mate_problem(game: &GameLine, line: &ReportedLine<'_>) -> Option<&'static str> {
    let Some(Ok(ReportedScore::Mate(moves))) = line.score else { return None };
    if line.moves.is_empty() || line.bound {
        return None;
    }
    let plies = if moves > 0 { moves.saturating_mul(2) - 1 } else { moves.saturating_mul(-2) };
    match (line.moves.len() as i64).cmp(&plies) {
        std::cmp::Ordering::Less => Some("Incomplete mating PV -"),
        std::cmp::Ordering::Greater => Some("Too long mating PV -"),
        std::cmp::Ordering::Equal => {
            let position = game.current();
            let mated = !position.has_legal_move() && position.in_check();
            (!mated).then_some("Mating PV does not end with checkmate -")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;

    const MATE_IN_TWO: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";

    fn remarks(fen: &str, lines: &[&str], best: &str, mates: bool) -> Vec<String> {
        let mut game = GameLine::new(Position::from_fen(fen).unwrap());
        let found = examine(&mut game, MoveStyle::Standard, lines, best, mates);
        assert!(game.moves().is_empty(), "the line is taken back");
        found.into_iter().map(|remark| remark.text).collect()
    }

    #[test]
    fn a_sound_line_is_not_remarked_upon() {
        let lines = ["info depth 3 score mate 2 time 5 pv a2a7 h8g8 b1b8", "info depth 1 score cp 5 nodes 3"];
        assert_eq!(remarks(MATE_IN_TWO, &lines, "a2a7", true), Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_wrong_line_has_its_remark() {
        let repeated = "info score cp 0 pv g1h1 h8g8 h1g1 g8h8 g1h1 h8g8 h1g1 g8h8 g1h1";
        for (line, best, expected) in [
            ("info score cp 5 pv a2a9x a2a8", "a2a8", None),
            ("info score cp 5 pv a2b3", "a2a8", Some("Illegal PV move - move a2b3")),
            (
                "info score cp 5 pv a2a7 h8g8 b1b8 g8f8",
                "a2a7",
                Some("PV continues after checkmate - move g8f8"),
            ),
            (repeated, "g1h1", Some("PV continues after threefold repetition - move g1h1")),
            ("info score mate 3 pv a2a7", "a2a7", Some("Incomplete mating PV -")),
            ("info score mate 1 pv a2a7 h8g8 b1b8", "a2a7", Some("Too long mating PV -")),
            ("info score mate 2 pv a2a7 h8g8 g1f1", "a2a7", Some("Mating PV does not end with checkmate -")),
            ("info score mate 3 lowerbound pv a2a7", "a2a7", None),
            ("info multipv 2 score cp 5 pv a2a6", "a2a7", None),
            ("info score cp 5 upperbound pv a2a6", "a2a7", None),
        ] {
            let found = remarks(MATE_IN_TWO, &[line], best, true);
            assert_eq!(found.first().map(String::as_str), expected, "{line}");
        }
        let other = remarks(MATE_IN_TWO, &["info score cp 5 pv a2a6"], "a2a7", false);
        assert_eq!(other, ["Bestmove does not match beginning of last PV - move a2a7"]);
        let stale =
            remarks("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", &["info score cp 0 pv g6f7 h8h7"], "g6f7", false);
        assert_eq!(stale, ["PV continues after stalemate - move h8h7"]);
        let fifty = ["info score cp 0 pv a2a3 h8g8"];
        let fifty = remarks(&MATE_IN_TWO.replace("0 1", "99 80"), &fifty, "a2a3", false);
        assert_eq!(fifty, ["PV continues after fifty-move rule - move h8g8"]);
        assert!(remarks(MATE_IN_TWO, &["info score mate 9 pv a2a7"], "a2a7", false).is_empty());
    }

    #[test]
    fn scores_are_read_or_explained() {
        let score = |line| ReportedLine::read(line).score;
        assert_eq!(score("info depth 2 score cp -31 nodes 4"), Some(Ok(ReportedScore::Centipawns(-31))));
        assert_eq!(score("info score mate -2 pv e2e4"), Some(Ok(ReportedScore::Mate(-2))));
        assert_eq!(score("info score cp x"), Some(Err("Invalid score value: x".to_owned())));
        assert!(score("info score").unwrap().is_err() && score("info depth 4").is_none());
        assert_eq!(ReportedLine::read("info time 12 score cp 1").time_ms, Some(12));
    }
}
