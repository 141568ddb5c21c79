//! Finds a game in `games.pgn` without reading the rest of the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::chess::{PgnGame, PgnReader};
use crate::game::GameOfPair;
use crate::report::page::viewer_games::shelved_from_pgn;
use crate::store::open_own;

/// Sort key of the games in a file: the number of the pair from 1, and the number of the game in the pair.
type Round = (u64, u8);

/// Largest number of bytes between the first tag of a game and its `Round`.
const MAX_TAG_BYTES: u64 = 64 << 10;

/// Returns a game of the pair with this index in the format of the viewer, or `None` if the file does not contain all
/// of it.
///
/// Rounds ascend in the file, so a binary search finds a game among a million in about thirty reads.
pub fn shelved_game(games: &Path, pair: u64, game: GameOfPair) -> io::Result<Option<String>> {
    Ok(pgn_game(games, pair, game)?.and_then(|game| shelved_from_pgn(&game)))
}

/// Returns a game of the pair with this index, or `None` if the file does not contain all of it.
pub fn pgn_game(games: &Path, pair: u64, game: GameOfPair) -> io::Result<Option<PgnGame>> {
    let mut file = open_own(games)?;
    let wanted = (pair + 1, game.number());
    let Some(round) = find(&mut file, wanted)? else { return Ok(None) };
    let start = first_tag(&mut file, round)?;
    file.seek(SeekFrom::Start(start))?;
    // The last game of a running run may be incomplete.
    Ok(PgnReader::new(BufReader::new(file)).next().and_then(Result::ok))
}

/// Parses a round such as `12.1` into the index of the pair and the game.
pub fn parse_round(text: &str) -> Option<(u64, GameOfPair)> {
    let (pair, game) = text.split_once('.')?;
    let game = GameOfPair::BOTH.into_iter().find(|each| each.number().to_string() == game)?;
    let digits = pair.bytes().all(|byte| byte.is_ascii_digit());
    let pair: u64 = pair.parse().ok().filter(|_| digits)?;
    Some((pair.checked_sub(1)?, game))
}

/// Returns the offset of the line with this round.
fn find(file: &mut File, wanted: Round) -> io::Result<Option<u64>> {
    let (mut low, mut high) = (0, file.metadata()?.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match round_from(file, middle)? {
            Some((at, round)) if round == wanted => return Ok(Some(at)),
            Some((at, round)) if round < wanted => low = at + 1,
            _ => high = middle,
        }
    }
    Ok(None)
}

/// Returns the first line at or after `from` that has a round.
fn round_from(file: &mut File, from: u64) -> io::Result<Option<(u64, Round)>> {
    file.seek(SeekFrom::Start(from.saturating_sub(1)))?;
    let mut lines = BufReader::with_capacity(4 << 10, file);
    let mut line = Vec::new();
    let mut at = from;
    if from > 0 {
        // Skips the rest of the previous line, which is only its newline if `from` is the start of a line.
        at = from - 1 + lines.read_until(b'\n', &mut line)? as u64;
    }
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(None);
        }
        if let Some(round) = round_in(&line) {
            return Ok(Some((at, round)));
        }
        at += length;
    }
}

fn round_in(line: &[u8]) -> Option<Round> {
    let text = std::str::from_utf8(line.strip_prefix(b"[Round \"")?).ok()?;
    let (pair, game) = text.split_once('"')?.0.split_once('.')?;
    Some((pair.parse().ok()?, game.parse().ok()?))
}

/// Returns the offset of the game whose round is at the offset `round`.
fn first_tag(file: &mut File, round: u64) -> io::Result<u64> {
    let from = round.saturating_sub(MAX_TAG_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut before = Vec::new();
    file.take(round - from).read_to_end(&mut before)?;
    let event = before.windows(9).rposition(|window| window == b"\n[Event \"").map(|at| at + 1);
    Ok(event.map_or(from, |at| from + at as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_round_is_a_pair_and_one_of_its_games() {
        assert_eq!(parse_round("12.1"), Some((11, GameOfPair::First)));
        assert_eq!(parse_round("1.2"), Some((0, GameOfPair::Second)));
        for invalid in ["", "1", "0.1", "1.3", "+1.1", "-1.1", "1.1.1", "../1.1", "18446744073709551616.1"] {
            assert_eq!(parse_round(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn every_complete_game_of_a_file_is_found_and_no_other() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for pair in 1..=70 {
            for (game, moves) in [(1, "1. e4 {+0.35/12, n=9} e5 {-M4/3}"), (2, "1. d4 {book} d5 {+0.10/1}")] {
                write!(
                    file,
                    "[Event \"x\"]\n[Site \"?\"]\n[Round \"{pair}.{game}\"]\n[White \"a<{pair}\"]\n[Black \"b\"]\n\
                     [Result \"1-0\"]\n[PlyCount \"2\"]\n[Reason \"checkmate\"]\n\n{moves} 1-0\n\n"
                )
                .unwrap();
            }
        }
        // The run was interrupted during this game.
        write!(file, "[Event \"x\"]\n[Round \"71.1\"]\n[PlyCount \"2\"]\n\n1. e4").unwrap();
        for pair in 0..70 {
            let first = shelved_game(file.path(), pair, GameOfPair::First).unwrap().unwrap();
            let parsed: serde_json::Value = serde_json::from_str(&first).unwrap();
            assert_eq!(parsed["r"], format!("{}.1", pair + 1));
            assert_eq!(parsed["w"], format!("a<{}", pair + 1));
            assert_eq!(parsed["m"], "e2e4e7e5");
            assert_eq!(parsed["n"], "e4 e5");
            assert_eq!(parsed["s"], "1-0");
            assert_eq!(parsed["e"], "checkmate");
            assert_eq!(parsed["v"], serde_json::json!([35, 32_000]), "from White's side");
            let second = shelved_game(file.path(), pair, GameOfPair::Second).unwrap().unwrap();
            assert!(second.contains("\"v\":[null,-10]") && second.contains("d2d4d7d5"), "{second}");
            assert!(!first.contains('<'), "safe inside a page");
        }
        for absent in [70, 71, 5000] {
            assert_eq!(shelved_game(file.path(), absent, GameOfPair::First).unwrap(), None, "{absent}");
        }
    }
}
