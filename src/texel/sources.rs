//! Training positions from files: samples, EPD and FEN lists with results, and PGN games.

use std::fmt;
use std::io::BufRead;

use crate::chess::{Epd, PgnReader, PgnResult, Position};
use crate::engine::Evaluator;
use crate::game::GameResult;
use crate::texel::quiet::is_quiet;
use crate::texel::sample::{Sample, SampleError, SampleReader};

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
}

/// Reads the positions of a file and passes them to `take`: all positions of a file of samples, which were filtered when it
/// was created; only the quiet ones of EPD and FEN lists and PGN games.
///
/// A line of a list is a FEN or EPD with a result in one of the forms `c9 "1-0";`, `[0.5]` or `FEN | score | 0.5`. Scores
/// and results are White's.
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
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.map_err(SourceError::Io)?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (position, score, result) =
            parse_line(&line).map_err(|reason| SourceError::Line { line: number, reason })?;
        if is_quiet(&position, evaluator) {
            take(Sample::new(&position, score, result));
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
        let mut position = game.start;
        for (ply, played) in game.moves.iter().enumerate() {
            if ply >= BOOK_PLIES && is_quiet(&position, evaluator) {
                take(Sample::new(&position, None, result));
            }
            position = position.play(played.mv);
        }
    }
    report
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
}
