//! Reading a journal: every record in order, a torn tail dropped, any other damage refused.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::entry::{Entry, EntryDetail};
use super::frame::{self, Frame, FrameError};
use super::simulated_disk::SECTOR;
use crate::store::{RunFolder, open_own};

/// Maximum number of records that the writer leaves unsynced; damage by a power cut is within this many records of
/// the end.
pub const MAX_UNSYNCED: usize = 64;

/// A longer line is damage: the largest valid record has a few hundred kilobytes.
pub(super) const LONGEST_LINE: u64 = 16 << 20;

/// Reason why a journal cannot be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Bytes that were valid once have changed.
    #[error("the journal is damaged at byte {offset} (record {record}): {why}")]
    Damaged {
        /// Offset of the invalid record.
        offset: u64,
        /// Number of valid records before it.
        record: u64,
        /// The problem.
        why: FrameError,
    },
    /// The file system reported an error.
    #[error("the journal cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// How a journal ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalEnd {
    /// Number of bytes up to the end of the last valid record.
    pub valid_bytes: u64,
    /// Number of bytes after it, left by a write that a power cut or a kill interrupted.
    pub torn_bytes: u64,
    /// Sequence number of the next record.
    pub next_seq: u64,
}

/// Passes every record of `source` to `visit`, in order, and returns how the journal ended.
///
/// A last line without its newline is a torn write. So is a hole of zeros within the last [`MAX_UNSYNCED`] records, unless
/// a later record states that all before it were durable: sectors of an unsynced write that never reached the disk. Everything from there on was never acknowledged and is
/// dropped. Any other invalid byte is damage and refused with its position.
pub fn read_all<E: From<ReadError>>(
    source: impl Read,
    mut visit: impl FnMut(Frame<'_>) -> Result<(), E>,
) -> Result<JournalEnd, E> {
    let mut source = io::BufReader::with_capacity(1 << 20, source);
    let mut ending = JournalEnd::default();
    let mut line = Vec::new();
    while read_line(&mut source, &mut line).map_err(ReadError::Io)? > 0 {
        match checked(&line, Some(ending.next_seq)) {
            Ok(frame) => visit(frame)?,
            Err(why) => return Ok(classify(&mut source, &line, ending, why)?),
        }
        ending.valid_bytes += line.len() as u64;
        ending.next_seq += 1;
    }
    Ok(ending)
}

/// Validates a line, newline included; a sequence number other than the expected one is an error.
pub(super) fn checked(line: &[u8], expected: Option<u64>) -> Result<Frame<'_>, FrameError> {
    let frame = frame::decode(line.strip_suffix(b"\n").ok_or(FrameError::Malformed)?)?;
    match expected {
        Some(expected) if frame.seq != expected => Err(FrameError::Sequence { found: frame.seq, expected }),
        _ => Ok(frame),
    }
}

/// Distinguishes a torn tail from damage, given the first invalid line and the source after it.
pub(super) fn classify(
    source: &mut impl BufRead,
    bad: &[u8],
    ending: JournalEnd,
    why: FrameError,
) -> Result<JournalEnd, ReadError> {
    let mut torn_bytes = bad.len() as u64;
    let mut lines_after = 0;
    let mut was_durable = false;
    let mut line = Vec::new();
    // What more lines follow than a power cut can leave is damage, however many there are.
    while lines_after < MAX_UNSYNCED && read_line(source, &mut line)? > 0 {
        torn_bytes += line.len() as u64;
        lines_after += 1;
        was_durable |= checked(&line, None).is_ok_and(|frame| frame.is_first_of_group());
    }
    let cut_short = lines_after == 0 && !bad.ends_with(b"\n") && bad.len() as u64 <= LONGEST_LINE;
    // JSON text contains no NUL, and a single flipped byte does not produce several.
    let zeros = bad.windows(2).any(|pair| pair == [0, 0]) || bad.ends_with(&[0]) && lines_after == 0;
    // The synced part may end one byte before the end of a sector; a lost sector then affects that byte only.
    let last_of_sector = bad.first() == Some(&0) && (ending.valid_bytes + 1).is_multiple_of(SECTOR as u64);
    let hole = zeros || last_of_sector;
    if cut_short || (hole && lines_after < MAX_UNSYNCED && !was_durable) {
        Ok(JournalEnd { torn_bytes, ..ending })
    } else {
        Err(ReadError::Damaged { offset: ending.valid_bytes, record: ending.next_seq, why })
    }
}

pub(super) fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    source.take(LONGEST_LINE + 1).read_until(b'\n', line)
}

/// Returns whether nothing is left to play in a run: its journal ends so, or the run was published without a journal.
pub fn is_finished(folder: &RunFolder) -> bool {
    open_own(&folder.journal()).and_then(ends_finished).unwrap_or_else(|_| folder.is_published())
}

/// Returns whether a journal ends with [`Entry::Finished`], or with sessions after it: a finished run that was resumed, for
/// its acceptance test, stays finished. Only the end of the journal is read.
fn ends_finished(mut journal: impl Read + Seek) -> io::Result<bool> {
    // Room for a hundred sessions, each with the description of its machine.
    const END: u64 = 32 << 10;
    let length = journal.seek(SeekFrom::End(0))?;
    journal.seek(SeekFrom::Start(length.saturating_sub(END)))?;
    let mut end = Vec::new();
    journal.take(END).read_to_end(&mut end)?;
    let entry_of =
        |line| checked(line, None).ok().and_then(|frame| Entry::from_frame(&frame, EntryDetail::Full).ok());
    let mut entries = end.split_inclusive(|byte| *byte == b'\n').rev().map(entry_of);
    let last = entries.find(|entry| !matches!(entry, Some(Entry::Session { .. })));
    Ok(last.flatten() == Some(Entry::Finished))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::frame::GroupPlace;
    use std::io::Cursor;

    #[test]
    fn zeros_before_the_first_record_of_a_group_are_damage_and_in_the_last_group_a_torn_write() {
        let record = |seq, place| {
            frame::encode_in_group(seq, 1, &Entry::Session { host: None, fleet: None }, place).unwrap()
        };
        let lines: Vec<Vec<u8>> = (0..12)
            .map(|seq| record(seq, if seq % 4 == 0 { GroupPlace::First } else { GroupPlace::Later }))
            .collect();
        for damaged in 0..lines.len() {
            let mut lines = lines.clone();
            lines[damaged][20..22].fill(0);
            let read = read_all(Cursor::new(lines.concat()), |_| Ok::<_, ReadError>(()));
            assert_eq!(read.is_err(), damaged < 8, "record {damaged}");
        }
    }

    #[test]
    fn a_journal_is_finished_if_its_last_whole_record_but_sessions_is_the_final_one() {
        let session = frame::encode(0, 1, &Entry::Session { host: None, fleet: None }).unwrap();
        let finished = frame::encode(u64::MAX, u64::MAX, &Entry::Finished).unwrap();
        let ends = |parts: &[&[u8]]| ends_finished(Cursor::new(parts.concat())).unwrap();
        assert!(ends(&[&finished]));
        assert!(ends(&[&session, &session, &finished]));
        assert!(!ends(&[]));
        assert!(!ends(&[&session]));
        assert!(ends(&[&finished, &session, &session]), "only sessions follow");
        assert!(!ends(&[&session, &finished[..finished.len() - 1]]), "torn");
        let mut damaged = finished.clone();
        damaged[10] ^= 1;
        assert!(!ends(&[&damaged]));
    }
}
