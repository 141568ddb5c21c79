//! The files derived from the journal: `games.pgn`, `pairs.csv`, `faults/`, `summary.json`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::failpoint::{self, Point};
use crate::game::{FaultBundle, GameId};
use crate::report::Summary;
use crate::report::files::pairs_csv;
use crate::report::files::workers_table::workers_csv;
use crate::report::pgn_text;
use crate::run::{CountedPair, Known, Observer, Output, Plan, RunEvent, RunView, fault_file_name};
use crate::store::{RunFolder, open_own_to_write, write_whole};

/// Number of bytes at the end of a file that are searched for its last pair. A file whose last pair is longer is
/// written again.
const TAIL: u64 = 1 << 20;

/// Number of bytes that are written at once.
const BLOCK: usize = 1 << 16;

/// Number of bytes that wait for room on a full disk.
const MOST_PENDING: usize = 64 << 20;

/// Time between two writes of the summary.
const SUMMARY_EVERY: Duration = Duration::from_secs(5);

/// A file that contains the text of every counted pair, in order.
struct PairFile {
    out: File,
    /// Text that is not written yet. On a full disk it waits here, and nothing of it is lost.
    pending: Vec<u8>,
    next: u64,
    /// Number of pairs that the file contained when it was opened, the last one included.
    found: u64,
    /// Length to which the file is cut before anything is written: the beginning of its last pair.
    cut: Option<u64>,
    /// Whether the file has no content yet.
    is_empty: bool,
    /// Fail point that tears the file in tests.
    torn: Point,
}

/// Finds the last pair in the end of a file: its offset and its index.
type LastPair = fn(&str) -> Option<(usize, u64)>;

impl PairFile {
    fn create(path: &Path, torn: Point) -> io::Result<Self> {
        let out = open_own_to_write(path)?;
        out.set_len(0)?;
        Ok(Self { out, pending: Vec::new(), next: 0, found: 0, cut: None, is_empty: true, torn })
    }

    /// Writes the header into an empty file.
    fn begin(&mut self, header: &str) {
        if std::mem::take(&mut self.is_empty) {
            self.pending.extend_from_slice(header.as_bytes());
        }
    }

    /// Writes what is pending. What could not be written stays pending.
    fn flush(&mut self) -> io::Result<()> {
        if !self.pending.is_empty()
            && let Some(length) = self.cut
        {
            self.out.set_len(length)?;
            self.out.seek(SeekFrom::End(0))?;
            self.cut = None;
        }
        while !self.pending.is_empty() {
            match self.out.write(&self.pending) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => drop(self.pending.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Opens an existing file. Its last pair, which may be incomplete, is written again, and removed when that begins: if the
    /// journal does not contain it, the file is kept as it is.
    fn reopen(path: &Path, torn: Point, last_pair: LastPair) -> io::Result<Self> {
        let mut file = open_own_to_write(path)?;
        let length = file.metadata()?.len();
        let tail_start = length.saturating_sub(TAIL);
        file.seek(SeekFrom::Start(tail_start))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        match last_pair(&String::from_utf8_lossy(&tail)) {
            // Offsets in lossy text differ from those in the bytes. This program writes UTF-8 only.
            Some((offset, pair)) if std::str::from_utf8(&tail).is_ok() => {
                let length = tail_start + offset as u64;
                let (next, found, cut) = (pair, pair + 1, Some(length));
                Ok(Self { out: file, pending: Vec::new(), next, found, cut, is_empty: length == 0, torn })
            }
            _ => Self::create(path, torn),
        }
    }

    fn write(&mut self, pair: u64, text: impl FnOnce() -> io::Result<String>) -> io::Result<()> {
        if pair < self.next {
            return Ok(());
        }
        self.next = pair + 1;
        let text = text()?;
        if failpoint::triggers(self.torn) {
            self.pending.extend_from_slice(&text.as_bytes()[..text.len() / 2]);
            self.flush()?;
            failpoint::die();
        }
        self.pending.extend_from_slice(text.as_bytes());
        match self.pending.len() {
            ..BLOCK => Ok(()),
            // The disk may have room again later.
            BLOCK..MOST_PENDING => self.flush().or(Ok(())),
            _ => self.flush(),
        }
    }
}

fn last_pair_of_pgn(tail: &str) -> Option<(usize, u64)> {
    let round = tail.rfind("\n[Round \"")?;
    let number: u64 = tail[round + 9..].split('.').next()?.parse().ok()?;
    let first = tail.find(&format!("\n[Round \"{number}.1\"]"))?;
    let start = tail[..first].rfind("[Event \"")?;
    Some((start, number.checked_sub(1)?))
}

fn last_pair_of_csv(tail: &str) -> Option<(usize, u64)> {
    let start = tail.trim_end_matches('\n').rfind('\n')? + 1;
    let number: u64 = tail[start..].split(',').next()?.parse().ok()?;
    Some((start, number.checked_sub(1)?))
}

/// Writes the files of a run as its pairs are counted.
pub struct DerivedFiles {
    folder: RunFolder,
    /// The folder with the acceptance test of a tuning run.
    run: RunFolder,
    games: PairFile,
    pairs: PairFile,
    summary_due: Instant,
}

impl DerivedFiles {
    /// Creates empty files for a new run, or for a run whose files are written again.
    pub fn create(folder: &RunFolder) -> io::Result<Self> {
        Ok(Self {
            games: PairFile::create(&folder.games(), Point::MidPgn)?,
            pairs: PairFile::create(&folder.pairs(), Point::MidCsv)?,
            folder: folder.clone(),
            run: folder.clone(),
            summary_due: Instant::now() + SUMMARY_EVERY,
        })
    }

    /// Creates empty files in `draft` for the run in `run`.
    pub fn create_for(run: &RunFolder, draft: &RunFolder) -> io::Result<Self> {
        Ok(Self { run: run.clone(), ..Self::create(draft)? })
    }

    /// Opens the files of a run that is resumed. They expect all counted pairs again and append the missing ones.
    pub fn reopen(folder: &RunFolder) -> io::Result<Self> {
        Ok(Self {
            games: PairFile::reopen(&folder.games(), Point::MidPgn, last_pair_of_pgn)?,
            pairs: PairFile::reopen(&folder.pairs(), Point::MidCsv, last_pair_of_csv)?,
            folder: folder.clone(),
            run: folder.clone(),
            summary_due: Instant::now() + SUMMARY_EVERY,
        })
    }

    /// Returns what the files contain already and the replay may skip.
    pub fn known(&self) -> Known {
        Known { games: self.games.next.min(self.pairs.next), llr: self.pairs.next }
    }

    /// Returns whether the files contain pairs beyond the first `counted` ones: the journal lost its end, and those
    /// pairs are played again.
    pub fn are_ahead_of(&self, counted: u64) -> bool {
        self.games.found.max(self.pairs.found) > counted
    }

    fn count(&mut self, pair: &CountedPair, plan: &Plan) -> io::Result<()> {
        self.games.write(pair.pair, || {
            pair.games.iter().map(|game| pgn_text(plan, game).map_err(io::Error::other)).collect()
        })?;
        self.pairs.begin(&pairs_csv::header(plan));
        self.pairs.write(pair.pair, || Ok(pairs_csv::row(pair, plan)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.games.flush()?;
        self.pairs.flush()
    }
}

impl Observer for DerivedFiles {
    fn output(&self) -> Output {
        Output::Files
    }

    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Counted(pair) => {
                self.count(pair, view.plan)?;
                if Instant::now() >= self.summary_due {
                    // If the disk or the system lacks something now, the next pair tries again; the end is what counts.
                    let written = self.flush().and_then(|()| write_summary(&self.folder, &Summary::of(view)));
                    if written.is_ok() {
                        self.summary_due = Instant::now() + SUMMARY_EVERY;
                    }
                }
                Ok(())
            }
            RunEvent::Fault(bundle) => write_bundle(&self.folder, bundle),
            RunEvent::Finished(outcome) => {
                self.pairs.begin(&pairs_csv::header(view.plan));
                self.flush()?;
                let summary = Summary::whole(view, &self.run).ended(view, outcome);
                if view.plan.fleet.url.is_some() {
                    write_whole(&self.folder.workers(), workers_csv(&summary.workers).as_bytes())?;
                }
                write_summary(&self.folder, &summary)
            }
            _ => Ok(()),
        }
    }
}

/// Writes `summary.json`.
pub(in crate::report) fn write_summary(folder: &RunFolder, summary: &Summary) -> io::Result<()> {
    let mut text = serde_json::to_string(summary)?;
    text.push('\n');
    write_whole(&folder.summary(), text.as_bytes())
}

/// Writes the file of one fault, indented JSON with the command that repeats it.
fn write_bundle(folder: &RunFolder, bundle: &FaultBundle) -> io::Result<()> {
    std::fs::create_dir_all(folder.faults())?;
    let game = GameId { pair: bundle.pair, game: bundle.game };
    let name = fault_file_name(game, bundle.attempt);
    let mut text = serde_json::to_string_pretty(bundle)?;
    text.push('\n');
    std::fs::write(folder.faults().join(name), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pair_of_a_truncated_file_is_found() {
        let pgn = "[Event \"x\"]\n[Round \"1.1\"]\n\n*\n\n[Event \"x\"]\n[Round \"1.2\"]\n\n*\n\n";
        let second = "[Event \"x\"]\n[Round \"2.1\"]\n\n1. e";
        assert_eq!(last_pair_of_pgn(pgn), Some((0, 0)));
        assert_eq!(last_pair_of_pgn(&format!("{pgn}{second}")), Some((pgn.len(), 1)));
        assert_eq!(last_pair_of_pgn(&format!("{pgn}[Event \"x\"]\n[Rou")), Some((0, 0)));
        assert_eq!(last_pair_of_pgn("[Event"), None);
        let csv = "pair,opening\n1,5\n2,7\n";
        assert_eq!(last_pair_of_csv(csv), Some((17, 1)));
        assert_eq!(last_pair_of_csv("pair,opening\n1,5\n2"), Some((17, 1)));
        assert_eq!(last_pair_of_csv("pair,opening\n"), None);
    }
}
