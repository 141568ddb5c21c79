//! Training positions from files: samples, EPD and FEN lists with results, and PGN games.

use std::fmt;
use std::io::BufRead;

use crate::chess::{Color, Epd, PgnGame, PgnReader, PgnResult, Position};
use crate::engine::Evaluator;
use crate::game::GameResult;
use crate::texel::quiet::is_quiet;
use crate::texel::sample::{GameCounter, Sample, SampleError, SampleReader};

/// Largest score of a comment that is used, in centipawns; beyond it every weight is irrelevant.
const MAX_SCORE: f64 = 2000.0;

/// Number of plies at the start of a PGN game that are skipped as opening.
const BOOK_PLIES: usize = 12;

/// Why a file could not be read.
#[derive(Debug)]
pub enum SourceError {
    /// A line is not a position with a result.
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with the line.
        reason: String,
    },
    /// The file of samples is damaged.
    Samples(SampleError),
    /// Reading failed.
    Io(std::io::Error),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, reason } => write!(f, "line {line}: {reason}"),
            Self::Samples(error) => error.fmt(f),
            Self::Io(error) => write!(f, "cannot read: {error}"),
        }
    }
}

impl std::error::Error for SourceError {}

/// What was skipped while reading a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Number of PGN games with errors.
    pub skipped_games: u64,
    /// Number of PGN games whose result does not follow from their positions: losses on time, crashes and the like.
    pub unfit_games: u64,
}

/// Reads the positions of a file and passes them to `take`: all positions of a file of samples, which were filtered when it
/// was created; only the quiet ones of EPD and FEN lists and PGN games.
///
/// A line of a list is a FEN or EPD with a result in one of the forms `c9 "1-0";`, `[0.5]` or `FEN | score | 0.5`. Scores
/// and results are White's. Comments of PGN moves such as `+0.35/12` are scores of the side that moved. Samples are numbered by
/// their games, from 0.
pub fn read_positions<R: BufRead>(
    mut source: R,
    evaluator: &mut Evaluator,
    mut take: impl FnMut(Sample),
) -> Result<ReadReport, SourceError> {
    let header = source.fill_buf().map_err(SourceError::Io)?;
    if SampleReader::<R>::recognises(header) {
        for sample in SampleReader::new(source).map_err(SourceError::Samples)? {
            take(sample.map_err(SourceError::Samples)?);
        }
        return Ok(ReadReport::default());
    }
    if header.trim_ascii_start().starts_with(b"[") {
        return Ok(read_games(source, evaluator, take));
    }
    let mut games = GameCounter::default();
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.map_err(SourceError::Io)?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (position, score, result) =
            parse_line(&line).map_err(|reason| SourceError::Line { line: number, reason })?;
        if is_quiet(&position, evaluator) {
            take(games.number(Sample::new(&position, score, result)));
        }
    }
    Ok(ReadReport::default())
}

fn parse_line(line: &str) -> Result<(Position, Option<i16>, GameResult), String> {
    const NO_RESULT: &str = "the result is missing; add it as `c9 \"1-0\";`, `[0.5]` or `FEN | score | 0.5`";
    let parse_fen = |fen: &str| {
        Epd::parse(fen.trim().trim_end_matches(';'))
            .map(|epd| epd.position)
            .map_err(|error| error.to_string())
    };
    if let Some((fen, rest)) = line.split_once('|') {
        let mut fields = rest.split('|').map(str::trim);
        let (first, second) = (fields.next().unwrap_or_default(), fields.next());
        let score = second.and_then(|_| first.parse().ok());
        let result = parse_result(second.unwrap_or(first)).ok_or(NO_RESULT)?;
        return Ok((parse_fen(fen)?, score, result));
    }
    if let Some((fen, rest)) = line.split_once('[') {
        let result = parse_result(rest.split(']').next().unwrap_or_default()).ok_or(NO_RESULT)?;
        return Ok((parse_fen(fen)?, None, result));
    }
    let epd = Epd::parse(line).map_err(|error| error.to_string())?;
    let text = epd.operands("c9").and_then(|operands| operands.first());
    let result = text.and_then(|text| parse_result(text)).ok_or(NO_RESULT)?;
    Ok((epd.position, None, result))
}

fn parse_result(text: &str) -> Option<GameResult> {
    match text.trim().trim_matches('"') {
        "1-0" | "1.0" | "1" => Some(GameResult::WhiteWins),
        "0-1" | "0.0" | "0" => Some(GameResult::BlackWins),
        "1/2-1/2" | "0.5" | "1/2" => Some(GameResult::Draw),
        _ => None,
    }
}

fn read_games<R: BufRead>(source: R, evaluator: &mut Evaluator, mut take: impl FnMut(Sample)) -> ReadReport {
    let mut report = ReadReport::default();
    let mut games = GameCounter::default();
    for game in PgnReader::new(source) {
        let Ok(game) = game else {
            report.skipped_games += 1;
            continue;
        };
        let result = match game.result {
            Some(PgnResult::WhiteWins) => GameResult::WhiteWins,
            Some(PgnResult::BlackWins) => GameResult::BlackWins,
            Some(PgnResult::Draw) => GameResult::Draw,
            Some(PgnResult::Unknown) | None => continue,
        };
        if !is_fit(&game) {
            report.unfit_games += 1;
            continue;
        }
        games.begin();
        // A game from a set-up position has left its opening already.
        let opening = if game.start == Position::startpos() { BOOK_PLIES } else { 0 };
        let mut position = game.start;
        for (ply, played) in game.moves.iter().enumerate() {
            if ply >= opening && played.comment.trim() != "book" && is_quiet(&position, evaluator) {
                let score = score_of(&played.comment);
                let white = score.map(|score| if position.turn() == Color::White { score } else { -score });
                take(games.of_this(Sample::new(&position, white, result)));
            }
            position = position.play(played.mv);
        }
    }
    report
}

/// Returns whether the result of a game follows from its positions, by the tag `Termination`.
fn is_fit(game: &PgnGame) -> bool {
    let tag = game.tags.iter().find(|(name, _)| name == "Termination").map(|(_, value)| value.to_lowercase());
    let unfit = [
        "time forfeit",
        "abandoned",
        "illegal",
        "infraction",
        "emergency",
        "unterminated",
        "stall",
        "disconnect",
    ];
    tag.is_none_or(|tag| !unfit.iter().any(|word| tag.contains(word)))
}

/// Returns the score at the start of a comment such as `+0.35/12 0.057s`, in centipawns; `None` for mates and other text.
fn score_of(comment: &str) -> Option<i16> {
    let text = comment.trim_start().split(['/', ' ', ',']).next()?;
    let signed = text.starts_with(['+', '-']) || text.starts_with("0.00");
    let pawns: f64 = text.parse().ok().filter(|_| signed && text.contains('.'))?;
    let centipawns = (100.0 * pawns).round();
    (centipawns.abs() <= MAX_SCORE).then_some(centipawns as i16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Weights;

    #[test]
    fn every_form_of_a_result_is_parsed() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (line, result) in [
            (format!("{fen} c9 \"1-0\";"), GameResult::WhiteWins),
            (format!("{fen} 0 1 [0.5]"), GameResult::Draw),
            (format!("{fen} 0 1 | 37 | 0.0"), GameResult::BlackWins),
            (format!("{fen} 0 1; [1.0]"), GameResult::WhiteWins),
        ] {
            assert_eq!(parse_line(&line).unwrap().2, result, "{line}");
        }
        assert!(parse_line(fen).unwrap_err().contains("result is missing"));
        assert_eq!(parse_line(&format!("{fen} 0 1 | 37 | 0.0")).unwrap().1, Some(37));
    }

    #[test]
    fn a_game_yields_its_quiet_positions_after_the_opening() {
        let pgn = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 \
                   6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0\n";
        let mut evaluator = Evaluator::new(Weights::default());
        let mut samples = Vec::new();
        read_positions(pgn.as_bytes(), &mut evaluator, |sample| samples.push(sample)).unwrap();
        assert!((1..=4).contains(&samples.len()), "{}", samples.len());
        assert!(samples.iter().all(|sample| sample.result == GameResult::WhiteWins));
    }

    #[test]
    fn scores_of_comments_are_those_of_the_side_that_moved() {
        for (comment, score) in [
            ("+0.35/12 0.057s, tl=7.611s", Some(35)),
            ("-1.20/8", Some(-120)),
            ("0.00/30 1.2s", Some(0)),
            ("+M5/20", None),
            ("book", None),
            ("24.0s", None),
            ("+99.99/3", None),
        ] {
            assert_eq!(score_of(comment), score, "{comment}");
        }
    }

    #[test]
    fn games_from_positions_start_at_once_and_forfeits_are_left_out() {
        let game = |termination: &str| {
            format!(
                "[Event \"x\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n[Termination \"{termination}\"]\n\
                 [Result \"1-0\"]\n\n1. Kd2 {{+0.42/3}} Kd7 {{-0.40/3}} 2. Kd3 1-0\n\n"
            )
        };
        let mut evaluator = Evaluator::new(Weights::default());
        let mut samples = Vec::new();
        let pgn = game("normal") + &game("time forfeit") + &game("adjudication") + &game("abandoned");
        let report = read_positions(pgn.as_bytes(), &mut evaluator, |sample| samples.push(sample)).unwrap();
        assert_eq!((report.skipped_games, report.unfit_games), (0, 2));
        let found: Vec<_> = samples.iter().map(|sample| (sample.game, sample.score)).collect();
        let each = [Some(42), Some(40), None];
        let expected: Vec<_> = [0, 1].into_iter().flat_map(|game| each.map(|score| (game, score))).collect();
        assert_eq!(found, expected);
    }
}
