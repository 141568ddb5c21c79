//! Any game of a run, found in its `games.pgn` without reading the rest.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::chess::PgnReader;
use crate::game::GameOfPair;
use crate::report::page::viewer_games::shelved_from_pgn;
use crate::store::open_regular;

/// Games stand in the order of this: the pair counted from 1, and which of its games.
type Round = (u64, u8);

/// How far before its `Round` the first tag of a game is looked for.
const TAGS: u64 = 64 << 10;

/// The game of a pair, counted from 0, as the viewer reads it; `None` where the file does not hold all of it.
///
/// Rounds ascend in the file, so a game among a million is found in some thirty looks.
pub fn shelved_game(games: &Path, pair: u64, game: GameOfPair) -> io::Result<Option<String>> {
    let mut file = open_regular(games)?;
    let wanted = (pair + 1, game.number());
    let Some(round) = find(&mut file, wanted)? else { return Ok(None) };
    let start = first_tag(&mut file, round)?;
    file.seek(SeekFrom::Start(start))?;
    // A run in play may have written half of its last game.
    Ok(PgnReader::new(BufReader::new(file))
        .next()
        .and_then(Result::ok)
        .and_then(|game| shelved_from_pgn(&game)))
}

/// The pair, counted from 0, and the game that a round such as `12.1` names.
pub fn parse_round(text: &str) -> Option<(u64, GameOfPair)> {
    let (pair, game) = text.split_once('.')?;
    let game = GameOfPair::BOTH.into_iter().find(|each| each.number().to_string() == game)?;
    let digits = pair.bytes().all(|byte| byte.is_ascii_digit());
    let pair: u64 = pair.parse().ok().filter(|_| digits)?;
    Some((pair.checked_sub(1)?, game))
}

/// Where the line with this round begins.
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

/// The first line at or after `from` that names a round.
fn round_from(file: &mut File, from: u64) -> io::Result<Option<(u64, Round)>> {
    file.seek(SeekFrom::Start(from.saturating_sub(1)))?;
    let mut lines = BufReader::with_capacity(4 << 10, file);
    let mut line = Vec::new();
    let mut at = from;
    if from > 0 {
        // What is left of the line before; nothing but its end if `from` begins a line.
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

/// Where the game begins whose round stands at `round`.
fn first_tag(file: &mut File, round: u64) -> io::Result<u64> {
    let from = round.saturating_sub(TAGS);
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
        for nonsense in ["", "1", "0.1", "1.3", "+1.1", "-1.1", "1.1.1", "../1.1", "18446744073709551616.1"] {
            assert_eq!(parse_round(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn every_game_of_a_file_is_found_and_no_other() {
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
        // The run was interrupted here.
        write!(file, "[Event \"x\"]\n[Round \"71.1\"]\n[PlyCount \"2\"]\n\n1. e4").unwrap();
        for pair in 0..70 {
            let first = shelved_game(file.path(), pair, GameOfPair::First).unwrap().unwrap();
            let told: serde_json::Value = serde_json::from_str(&first).unwrap();
            assert_eq!(told["r"], format!("{}.1", pair + 1));
            assert_eq!(told["w"], format!("a<{}", pair + 1));
            assert_eq!(told["m"], "e2e4 e7e5");
            assert_eq!(told["s"], "1-0");
            assert_eq!(told["e"], "checkmate");
            assert_eq!(told["v"], serde_json::json!([35, 32_000]), "from White's side");
            let second = shelved_game(file.path(), pair, GameOfPair::Second).unwrap().unwrap();
            assert!(second.contains("\"v\":[null,-10]") && second.contains("d2d4 d7d5"), "{second}");
            assert!(!first.contains('<'), "safe inside a page");
        }
        for absent in [70, 71, 5000] {
            assert_eq!(shelved_game(file.path(), absent, GameOfPair::First).unwrap(), None, "{absent}");
        }
    }
}
