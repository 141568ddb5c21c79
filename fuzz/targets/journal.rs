//! Journals: raw bytes, and records whose checksums are right but whose contents are hostile.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use playself::journal::{Entry, EntryDetail, ReadError, encode, read_all};
use playself::run::{Known, Plan, plan_from_toml, replay};
use playself::store::sha256_of;

const PLAN_TEXTS: [&str; 4] = [
    include_str!("../corpus/plan/match.toml"),
    include_str!("../corpus/plan/test.toml"),
    include_str!("../corpus/plan/tune.toml"),
    include_str!("../corpus/plan/three.toml"),
];

static PLANS: LazyLock<[Plan; 4]> =
    LazyLock::new(|| PLAN_TEXTS.map(|text| plan_from_toml(text).expect("the seed is a plan")));

fuzz_target!(|bytes: &[u8]| {
    let read = read_all(bytes, |frame| {
        let _ = Entry::from_frame(&frame, EntryDetail::Full);
        let _ = Entry::from_frame(&frame, EntryDetail::ResultsBefore(3));
        Ok::<_, ReadError>(())
    });
    if let Ok(ending) = read {
        assert_eq!(ending.valid_bytes + ending.torn_bytes, bytes.len() as u64);
    }
    // The first byte is the number of the plan.
    let Some((number, bytes)) = bytes.split_first() else { return };
    let number = usize::from(number.wrapping_sub(b'0')) % PLAN_TEXTS.len();
    let hash = sha256_of(PLAN_TEXTS[number].as_bytes());
    let first =
        Entry::Run { format: 3, program: String::new(), plan: hash.clone(), plan_text: String::new() };
    let entries = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let mut journal = Vec::new();
    for (seq, entry) in std::iter::once(first).chain(entries).enumerate() {
        journal.extend(encode(seq as u64, 1 + seq as u64, &entry).expect("an entry can be written"));
    }
    let _ = replay(journal.as_slice(), &PLANS[number], &hash, Known::default(), |_, view| {
        assert!(view.seconds >= 0.0);
    });
});
