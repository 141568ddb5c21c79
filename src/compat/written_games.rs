//! Games that a PGN file lacks: after a kill, the last ones may be on record but not in the file.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What a PGN file contains, and which games of a run it lacks.
pub(super) struct WrittenGames {
    path: PathBuf,
    state: RandomState,
    /// Hashes of the whole games in the file.
    whole: HashSet<u64>,
    /// Where the part of a game at the end begins, and that part.
    torn: (u64, Vec<u8>),
    /// Number of games of the run that are in the file.
    found: u64,
    missing: Vec<String>,
}

impl WrittenGames {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut reader = BufReader::new(File::open(path)?);
        let (state, mut whole) = (RandomState::new(), HashSet::new());
        let (mut offset, mut game, mut empty_lines, mut line) = (0, Vec::new(), 0, Vec::new());
        while reader.read_until(b'\n', &mut line)? > 0 {
            game.extend_from_slice(&line);
            empty_lines += u32::from(line == b"\n");
            // One empty line follows the tags, another one the moves.
            if empty_lines == 2 {
                whole.insert(state.hash_one(&game[..]));
                offset += game.len() as u64;
                empty_lines = 0;
                game.clear();
            }
            line.clear();
        }
        let path = path.to_owned();
        Ok(Self { path, state, whole, torn: (offset, game), found: 0, missing: Vec::new() })
    }

    /// Looks for a game of the run, as it is written.
    pub(super) fn expect(&mut self, text: String) {
        if self.whole.contains(&self.state.hash_one(text.as_bytes())) {
            self.found += 1;
        } else {
            self.missing.push(text);
        }
    }

    /// Appends the games that are missing; one that was cut off is written again. A file in which no game is recognised
    /// was changed by others and stays as it is.
    pub(super) fn complete(self) -> io::Result<()> {
        let (offset, part) = &self.torn;
        let cut = !part.is_empty() && self.missing.iter().any(|text| text.as_bytes().starts_with(part));
        if self.missing.is_empty() || self.found == 0 && *offset > 0 || !part.is_empty() && !cut {
            return Ok(());
        }
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        if cut {
            file.set_len(*offset)?;
        }
        file.write_all(self.missing.concat().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::TempFolder;
    use std::fs;

    #[test]
    fn games_that_were_lost_or_cut_off_are_written_again_and_nothing_else_changes() {
        let folder = TempFolder::create("playself-test").unwrap();
        let path = folder.path().join("g.pgn");
        let game = |number: u32| format!("[Event \"x\"]\n[Round \"{number}\"]\n\n1. e4 {number}\n1-0\n\n");
        let all: Vec<String> = (0..4).map(game).collect();
        let completed = |before: &str| {
            fs::write(&path, before).unwrap();
            let mut written = WrittenGames::read(&path).unwrap();
            all.iter().for_each(|text| written.expect(text.clone()));
            written.complete().unwrap();
            fs::read_to_string(&path).unwrap()
        };
        let earlier = game(99);
        for before in [
            earlier.clone() + &all.concat(),
            earlier.clone() + &all[..2].concat(),
            earlier.clone() + &all[..2].concat() + &all[2][..20],
        ] {
            assert_eq!(completed(&before), earlier.clone() + &all.concat(), "{before}");
        }
        assert_eq!(completed(""), all.concat());
        for changed in [earlier.clone(), all[..2].concat() + "[Annotator \"me\"]"] {
            assert_eq!(completed(&changed), changed);
        }
    }
}
