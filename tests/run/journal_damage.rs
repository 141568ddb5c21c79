//! Damage to the journal: cuts, flipped bytes, lost sectors.

use playself::journal::{
    Journal, ReadError, SECTOR, SimulatedDisk, Storage, Urgency, encode, read_all, read_parallel,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    text: String,
}

fn note(n: usize) -> Note {
    Note { text: format!("{n} {}", "e2e4 ".repeat(n % 37)) }
}

fn lines(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| encode(n as u64, 1_700_000_000_000 + n as u64, &note(n)).unwrap()).collect()
}

/// Reads with one thread and with many, and checks that the results agree.
fn read(bytes: &[u8]) -> Result<(Vec<Note>, u64), ReadError> {
    let mut from_threads = Vec::new();
    let parallel = read_parallel(
        bytes,
        |frame| Ok::<Note, ReadError>(frame.payload().unwrap()),
        |note| {
            from_threads.push(note);
            Ok(())
        },
    );
    let sequential = read_sequential(bytes);
    match (&sequential, parallel) {
        (Ok((notes, valid)), Ok(ending)) => {
            assert_eq!((&from_threads, ending.valid_bytes), (notes, *valid));
            assert_eq!(ending.valid_bytes + ending.torn_bytes, bytes.len() as u64);
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        (one, other) => panic!("{one:?} by one thread, {other:?} by many"),
    }
    sequential
}

fn read_sequential(bytes: &[u8]) -> Result<(Vec<Note>, u64), ReadError> {
    let mut notes = Vec::new();
    let ending = read_all(bytes, |frame| {
        notes.push(frame.payload().unwrap());
        Ok::<_, ReadError>(())
    })?;
    assert_eq!(ending.next_seq as usize, notes.len());
    assert_eq!(ending.valid_bytes + ending.torn_bytes, bytes.len() as u64);
    Ok((notes, ending.valid_bytes))
}

#[test]
fn row_66_a_tail_cut_at_every_byte_of_the_last_record_is_dropped() {
    let lines = lines(20);
    let whole = lines.concat();
    let before = whole.len() - lines[19].len();
    for length in before..whole.len() {
        let (notes, valid) = read(&whole[..length]).unwrap();
        assert_eq!((notes.len(), valid as usize), (19, before), "cut at {length}");
    }
    assert_eq!(read(&whole).unwrap().0.len(), 20);
}

#[test]
fn row_67_a_flipped_byte_anywhere_is_refused_with_its_offset() {
    let lines = lines(12);
    let whole = lines.concat();
    let mut start = 0;
    for (number, line) in lines.iter().enumerate() {
        for at in start..start + line.len() {
            // Only a flip in the last newline looks like an incomplete write.
            if at == whole.len() - 1 {
                continue;
            }
            let mut bad = whole.clone();
            bad[at] ^= 0x04;
            match read(&bad) {
                Err(ReadError::Damaged { offset, record, .. }) => {
                    assert_eq!((offset as usize, record as usize), (start, number), "byte {at}");
                }
                other => panic!("byte {at}: {other:?}"),
            }
        }
        start += line.len();
    }
}

#[test]
fn a_long_journal_is_read_alike_by_one_thread_and_by_many_with_any_damage() {
    let lines = lines(45_000);
    let whole = lines.concat();
    assert!(whole.len() > 6 << 20, "every thread has several blocks");
    assert_eq!(read(&whole).unwrap().0.len(), lines.len());
    for part in 0..12 {
        let at = whole.len() * part / 12 + 50;
        let mut bad = whole.clone();
        bad[at] ^= 1;
        assert!(matches!(read(&bad), Err(ReadError::Damaged { offset, .. }) if offset <= at as u64), "{at}");
    }
    assert!(read(&whole[..whole.len() - 10]).is_ok());
    let missing = [&whole[..lines[..20_000].concat().len()], &lines[20_001..].concat()].concat();
    assert!(matches!(read(&missing), Err(ReadError::Damaged { record: 20_000, .. })));
    let mut zeros = whole.clone();
    let end = zeros.len();
    zeros[end - 3000..].fill(0);
    assert!(read(&zeros).is_ok());
}

#[test]
fn a_missing_or_repeated_record_is_refused() {
    let lines = lines(6);
    for (case, order) in
        [("missing", vec![0, 1, 3, 4]), ("repeated", vec![0, 1, 1, 2]), ("late start", vec![1, 2])]
    {
        let bytes: Vec<u8> = order.iter().flat_map(|&at| lines[at].clone()).collect();
        assert!(matches!(read(&bytes), Err(ReadError::Damaged { .. })), "{case}");
    }
}

#[test]
fn zeros_in_synced_records_are_damage() {
    let lines = lines(100);
    let mut whole = lines.concat();
    whole[100..100 + 8].fill(0);
    assert!(matches!(read(&whole), Err(ReadError::Damaged { .. })));
}

/// Writes `synced` records and syncs, then `unsynced` more; returns the disk.
fn disk_with(synced: usize, unsynced: usize) -> SimulatedDisk {
    let mut disk = SimulatedDisk::default();
    for (n, line) in lines(synced + unsynced).iter().enumerate() {
        if n == synced {
            disk.sync().unwrap();
        }
        disk.append(line).unwrap();
    }
    if unsynced == 0 {
        disk.sync().unwrap();
    }
    disk
}

#[test]
fn every_subset_of_lost_sectors_leaves_all_synced_records_and_no_altered_one() {
    for synced in [0, 1, 9] {
        let disk = disk_with(synced, 14);
        let sectors = (disk.contents().len() - disk.synced()).div_ceil(SECTOR) + 1;
        assert!(sectors < 12, "few enough sectors to try every subset");
        for subset in 0_u32..1 << sectors {
            let survivors = disk.after_power_cut(|sector| subset >> sector & 1 == 1);
            let (notes, _) = read(&survivors).unwrap_or_else(|damage| panic!("subset {subset:b}: {damage}"));
            assert!(notes.len() >= synced, "subset {subset:b} lost a synced record");
            assert!(notes.iter().enumerate().all(|(n, found)| *found == note(n)), "subset {subset:b}");
        }
    }
}

#[test]
fn a_lost_sector_of_which_only_one_byte_was_unsynced_is_a_torn_write() {
    let mut disk = SimulatedDisk::default();
    let empty = encode(0, 1_700_000_000_000, &Note { text: String::new() }).unwrap().len();
    let text = "x".repeat(SECTOR - 1 - empty);
    disk.append(&encode(0, 1_700_000_000_000, &Note { text }).unwrap()).unwrap();
    disk.sync().unwrap();
    assert_eq!(disk.synced(), SECTOR - 1);
    disk.append(&encode(1, 1_700_000_000_001, &note(1)).unwrap()).unwrap();
    let survivors = disk.after_power_cut(|sector| sector != 0);
    assert_eq!(survivors[SECTOR - 2..SECTOR + 1], *b"\n\0\"", "the brace is lost, the rest is intact");
    assert_eq!(read(&survivors).unwrap().0.len(), 1);
}

proptest! {
    #[test]
    fn long_journals_survive_random_power_cuts(
        synced in 0_usize..200,
        unsynced in 0_usize..64,
        choice in proptest::collection::vec(any::<bool>(), 64),
    ) {
        let disk = disk_with(synced, unsynced);
        let survivors = disk.after_power_cut(|sector| choice[sector % 64]);
        let (notes, _) = read(&survivors).unwrap();
        prop_assert!(notes.len() >= synced);
        prop_assert!(notes.iter().enumerate().all(|(n, found)| *found == note(n)));
    }
}

#[test]
fn the_reader_returns_what_the_writer_wrote() {
    let disk = SimulatedDisk::default();
    let journal = Journal::start(disk.clone(), 0, Box::new(|group| assert!(group.is_ok()))).unwrap();
    for n in 0..150 {
        journal.append(note(n), if n % 40 == 0 { Urgency::Now } else { Urgency::Grouped }).unwrap();
    }
    journal.close();
    assert_eq!(disk.synced(), disk.contents().len());
    let (notes, _) = read(&disk.contents()).unwrap();
    assert_eq!(notes, (0..150).map(note).collect::<Vec<_>>());
}
