//! Training positions from files of others: EPD and FEN lists with results, and PGN games.

use std::fmt;
use std::io::BufRead;

use crate::chess::{Epd, PgnReader, PgnResult, Position};
use crate::engine::Evaluator;
use crate::game::GameResult;
use crate::texel::quiet::is_quiet;
use crate::texel::sample::{NotSamples, Sample, SampleReader};

/// Plies of a PGN game that are taken for opening book and skipped.
const BOOK_PLIES: usize = 12;

/// Why a file gave no positions.
#[derive(Debug)]
pub enum SourceError {
    /// A line that is no position with a result.
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A damaged file of samples.
    Samples(NotSamples),
    /// The file cannot be read.
    Io(std::io::Error),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, reason } => write!(f, "line {line}: {reason}"),
            Self::Samples(error) => error.fmt(f),
            Self::Io(error) => write!(f, "could not be read: {error}"),
        }
    }
}

impl std::error::Error for SourceError {}

/// What reading left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// PGN games with a fault in them.
    pub skipped_games: u64,
}

/// Reads every position with a result: our own samples as they are (they were filtered when made); of EPD, FEN
/// lists and PGN games the quiet positions only.
///
/// A line of a list is a FEN or EPD with its result as `c9 "1-0";`, as `[0.5]`, or behind bars as
/// `FEN | score | 0.5`; scores and results are White's.
pub fn read_positions<R: BufRead>(
    mut source: R,
    evaluator: &mut Evaluator,
    mut take: impl FnMut(Sample),
) -> Result<ReadReport, SourceError> {
    let head = source.fill_buf().map_err(SourceError::Io)?;
    if SampleReader::<R>::recognises(head) {
        for sample in SampleReader::new(source).map_err(SourceError::Samples)? {
            take(sample.map_err(SourceError::Samples)?);
        }
        return Ok(ReadReport::default());
    }
    if head.trim_ascii_start().starts_with(b"[") {
        return Ok(read_games(source, evaluator, take));
    }
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.map_err(SourceError::Io)?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (position, score, result) =
            read_line(&line).map_err(|reason| SourceError::Line { line: number, reason })?;
        if is_quiet(&position, evaluator) {
            take(Sample::new(&position, score, result));
        }
    }
    Ok(ReadReport::default())
}

fn read_line(line: &str) -> Result<(Position, Option<i16>, GameResult), String> {
    const NO_RESULT: &str = "has no result; give it as `c9 \"1-0\";`, `[0.5]` or `FEN | score | 0.5`";
    let from_fen = |fen: &str| {
        Epd::parse(fen.trim().trim_end_matches(';'))
            .map(|epd| epd.position)
            .map_err(|error| error.to_string())
    };
    if let Some((fen, rest)) = line.split_once('|') {
        let mut fields = rest.split('|').map(str::trim);
        let (first, second) = (fields.next().unwrap_or_default(), fields.next());
        let score = second.and_then(|_| first.parse().ok());
        let result = read_result(second.unwrap_or(first)).ok_or(NO_RESULT)?;
        return Ok((from_fen(fen)?, score, result));
    }
    if let Some((fen, rest)) = line.split_once('[') {
        let result = read_result(rest.split(']').next().unwrap_or_default()).ok_or(NO_RESULT)?;
        return Ok((from_fen(fen)?, None, result));
    }
    let epd = Epd::parse(line).map_err(|error| error.to_string())?;
    let told = epd.operands("c9").and_then(|operands| operands.first());
    let result = told.and_then(|text| read_result(text)).ok_or(NO_RESULT)?;
    Ok((epd.position, None, result))
}

fn read_result(text: &str) -> Option<GameResult> {
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
    fn every_spelling_of_a_result_is_understood() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (line, result) in [
            (format!("{fen} c9 \"1-0\";"), GameResult::WhiteWins),
            (format!("{fen} 0 1 [0.5]"), GameResult::Draw),
            (format!("{fen} 0 1 | 37 | 0.0"), GameResult::BlackWins),
            (format!("{fen} 0 1; [1.0]"), GameResult::WhiteWins),
        ] {
            assert_eq!(read_line(&line).unwrap().2, result, "{line}");
        }
        assert!(read_line(fen).unwrap_err().contains("has no result"));
        assert_eq!(read_line(&format!("{fen} 0 1 | 37 | 0.0")).unwrap().1, Some(37));
    }

    #[test]
    fn games_give_their_quiet_positions_after_the_opening() {
        let pgn = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 \
                   6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0\n";
        let mut evaluator = Evaluator::new(Weights::default());
        let mut taken = Vec::new();
        read_positions(pgn.as_bytes(), &mut evaluator, |sample| taken.push(sample)).unwrap();
        assert!((1..=4).contains(&taken.len()), "{}", taken.len());
        assert!(taken.iter().all(|sample| sample.result == GameResult::WhiteWins));
    }
}
