//! `playself verify RUN_DIR`: the journal checked, and everything that follows from it written anew where it differs.

use std::fs;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use playself::journal::{Entry, EntryDetail, Frame, ReadError, Storage, read_parallel};
use playself::report::{DerivedFiles, TuneFiles};
use playself::run::{Audit, Known, Observer, RunEvent, RunOutcome, RunView, replay};
use playself::store::{RunFolder, sha256_of, write_whole};

use crate::launch::{FAULT, OpenedRun, Refused, RunDir, Show, open_run, refuse_empty_journal, told_changes};

/// Check a run's journal, and repair the files that follow from it
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    run: RunDir,
    /// Give up a damaged journal from this byte on; what is cut is kept beside it
    #[arg(long, value_name = "BYTE")]
    cut_journal_at: Option<u64>,
}

impl VerifyCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let checked = match open_run(&self.run.path) {
            Ok(opened) => self.check(opened),
            Err(Refused::Usage(why)) => return Err(why),
            Err(Refused::Fault(why)) => Err(why),
        };
        match checked {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(why) => {
                crate::complain(&why);
                Ok(ExitCode::from(FAULT))
            }
        }
    }

    fn check(&self, mut opened: OpenedRun) -> anyhow::Result<()> {
        if let Some(offset) = self.cut_journal_at {
            cut(&mut opened, offset)?;
        }
        refuse_empty_journal(&opened.folder, &opened.journal)?;
        audit(&opened)?;
        let OpenedRun { folder, plan, text, journal } = opened;
        let draft = folder.path().join(".verify");
        let _ = fs::remove_dir_all(&draft);
        let draft = RunFolder::create_at(&draft)?;
        let mut fresh = DerivedFiles::create(&draft)?;
        let mut tuned = TuneFiles::of(&draft, &plan)?;
        let mut unwritten = None;
        let replayed =
            replay(journal.reader()?, &plan, &sha256_of(text.as_bytes()), Known::default(), |event, view| {
                let tuned = tuned.as_mut().map(|files| files as &mut dyn Observer);
                for files in [&mut fresh as &mut dyn Observer].into_iter().chain(tuned) {
                    unwritten = unwritten.take().or(files.observe(event, view).err());
                }
            })
            .map_err(|why| told_changes(why, &text))?;
        let outcome = replayed.state.outcome().unwrap_or(RunOutcome::Interrupted);
        let view = RunView { plan: &plan, state: &replayed.state, seconds: replayed.time.seconds() };
        fresh.observe(&RunEvent::Finished(outcome.clone()), &view)?;
        if let Some(tuned) = &mut tuned {
            tuned.observe(&RunEvent::Finished(outcome), &view)?;
        }
        drop(fresh);
        if let Some(why) = unwritten {
            return Err(anyhow::Error::from(why).context("the run's files cannot be written anew"));
        }
        let torn = replayed.ending.torn_bytes;
        let tail = if torn > 0 {
            format!(", {torn} bytes of an unfinished record at its end")
        } else {
            String::new()
        };
        Show::Human.say(&format!(
            "journal.ndjson: {} records, {} pairs counted{tail}",
            replayed.ending.next_seq,
            replayed.state.standings().pairs()
        ));
        repair(&draft.games(), &folder.games())?;
        repair(&draft.pairs(), &folder.pairs())?;
        repair(&draft.summary(), &folder.summary())?;
        if tuned.is_some() {
            repair(&draft.trials(), &folder.trials())?;
            repair(&draft.weights(), &folder.weights())?;
        }
        repair_folder(&draft.faults(), &folder.faults())?;
        fs::remove_dir_all(draft.path())?;
        Ok(())
    }
}

/// Checks what no single record can show: that every pair has one history.
fn audit(opened: &OpenedRun) -> anyhow::Result<()> {
    let mut audit = Audit::default();
    let parse = |frame: Frame<'_>| {
        let entry = Entry::from_frame(&frame, EntryDetail::ResultsBefore(u64::MAX));
        Ok((frame.seq, entry.map_err(|why| Complaint::Other(why.to_string()))?))
    };
    read_parallel(opened.journal.reader()?, parse, |(seq, entry)| {
        audit.note(&entry).map_err(|why| Complaint::Other(format!("record {seq}: {why}")))
    })
    .map_err(|complaint| match complaint {
        Complaint::Read(why) => match why {
            ReadError::Damaged { offset, .. } => anyhow::Error::from(why).context(format!(
                "the journal is kept as it is; `playself verify --cut-journal-at {offset}` gives up the rest of it"
            )),
            ReadError::Io(_) => why.into(),
        },
        Complaint::Other(why) => anyhow::anyhow!("the journal contradicts itself: {why}"),
    })?;
    Ok(())
}

enum Complaint {
    Read(ReadError),
    Other(String),
}

impl From<ReadError> for Complaint {
    fn from(why: ReadError) -> Self {
        Self::Read(why)
    }
}

fn cut(opened: &mut OpenedRun, offset: u64) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    opened.journal.reader()?.read_to_end(&mut bytes)?;
    let at = usize::try_from(offset)?;
    anyhow::ensure!(at < bytes.len(), "the journal has only {} bytes", bytes.len());
    anyhow::ensure!(at == 0 || bytes[at - 1] == b'\n', "byte {offset} is not the start of a record");
    let kept = opened.folder.path().join(format!("journal.cut-at-{offset}"));
    write_whole(&kept, &bytes[at..])?;
    opened.journal.truncate(offset)?;
    Show::Human.say(&format!("journal.ndjson: cut at byte {offset}; the rest is kept as {}", kept.display()));
    Ok(())
}

/// Replaces `current` by `fresh` where they differ, and says which it was.
fn repair(fresh: &Path, current: &Path) -> anyhow::Result<()> {
    let name = current.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if same(fresh, current)? {
        Show::Human.say(&format!("{name}: as the journal says"));
    } else {
        let length = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        let mut kept = String::new();
        // What the journal does not know may still be worth having.
        if length(current) > length(fresh) {
            let old = current.with_file_name(format!("{name}.before-verify"));
            fs::rename(current, &old).with_context(|| format!("{name} cannot be kept"))?;
            kept = format!("; what was there is kept as {name}.before-verify");
        }
        fs::rename(fresh, current).with_context(|| format!("{name} cannot be replaced"))?;
        Show::Human.say(&format!("{name}: differed from the journal, written anew{kept}"));
    }
    Ok(())
}

fn repair_folder(fresh: &Path, current: &Path) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(fresh) else { return Ok(()) };
    fs::create_dir_all(current)?;
    for entry in entries {
        let entry = entry?;
        let place = current.join(entry.file_name());
        if !same(&entry.path(), &place)? {
            fs::rename(entry.path(), &place)?;
            Show::Human.say(&format!("faults/{}: written anew", entry.file_name().to_string_lossy()));
        }
    }
    Ok(())
}

fn same(one: &Path, other: &Path) -> io::Result<bool> {
    let Ok(other) = fs::File::open(other) else { return Ok(false) };
    let one = fs::File::open(one)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (io::BufReader::new(one), io::BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if left[..length] != right[..length] || left.is_empty() != right.is_empty() {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
        one.consume(length);
        other.consume(length);
    }
}
