//! Journals: raw bytes, and records whose checksums are right but whose contents are hostile.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use playself::journal::{Entry, EntryDetail, ReadError, encode, ends_finished, read_all};
use playself::run::{Known, Plan, plan_from_toml, replay};
use playself::store::sha256_of;

const PLAN_TEXT: &str = include_str!("../corpus/plan/match.toml");

static PLAN: LazyLock<Plan> = LazyLock::new(|| plan_from_toml(PLAN_TEXT).expect("the seed is a plan"));

fuzz_target!(|bytes: &[u8]| {
    let read = read_all(bytes, |frame| {
        let _ = Entry::from_frame(&frame, EntryDetail::Full);
        let _ = Entry::from_frame(&frame, EntryDetail::ResultsBefore(3));
        Ok::<_, ReadError>(())
    });
    if let Ok(ending) = read {
        assert_eq!(ending.valid_bytes + ending.torn_bytes, bytes.len() as u64);
    }
    let _ = ends_finished(std::io::Cursor::new(bytes));
    let hash = sha256_of(PLAN_TEXT.as_bytes());
    let first = Entry::Run { format: 2, program: String::new(), plan: hash.clone(), plan_text: String::new() };
    let entries = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let mut journal = Vec::new();
    for (seq, entry) in std::iter::once(first).chain(entries).enumerate() {
        journal.extend(encode(seq as u64, 1 + seq as u64, &entry).expect("an entry can be written"));
    }
    let _ = replay(journal.as_slice(), &PLAN, &hash, Known::default(), |_, view| {
        assert!(view.seconds >= 0.0);
    });
});
