//! Checking a whole journal before anything is written.

use anyhow::{Context, bail};

use crate::commands::resume::{OpenRun, with_plan_changes};
use crate::journal::{Entry, EntryDetail, Frame, ReadError, read_parallel};
use crate::run::{Audit, ReplayError, check_first_record};
use crate::store::sha256_of;

/// Checks every record of the journal, that it belongs to the plan, and that the records of every pair form one history.
pub(super) fn check_journal(run: &OpenRun) -> anyhow::Result<()> {
    let hash = sha256_of(run.plan_text.as_bytes());
    let mut audit = Audit::default();
    let parse = |frame: Frame<'_>| {
        check_first_record(&frame, &hash).map_err(Problem::Replay)?;
        let entry = Entry::from_frame(&frame, EntryDetail::ResultsBefore(u64::MAX));
        Ok((frame.seq, entry.map_err(|error| Problem::Contradiction(error.to_string()))?))
    };
    let read = read_parallel(run.journal.reader()?, parse, |(seq, entry)| {
        audit.note(&entry).map_err(|why| Problem::Contradiction(format!("record {seq}: {why}")))
    });
    match read {
        Ok(_) => Ok(()),
        Err(Problem::Read(error @ ReadError::Damaged { offset, .. })) => Err(error).with_context(|| {
            format!(
                "the journal was not changed; `playself verify --cut-journal-at {offset}` cuts it there and keeps the rest"
            )
        }),
        Err(Problem::Read(error)) => Err(error.into()),
        Err(Problem::Replay(error)) => Err(with_plan_changes(error, &run.plan_text)),
        Err(Problem::Contradiction(why)) => bail!("the journal contradicts itself: {why}"),
    }
}

enum Problem {
    Read(ReadError),
    Replay(ReplayError),
    Contradiction(String),
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
