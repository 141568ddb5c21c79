//! Checking the journal of a run and rebuilding the files derived from it.

use std::fmt;
use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::commands::failure::{Failure, OrFailure};
use crate::commands::journal_check::check_journal;
use crate::commands::resume::{OpenRun, with_plan_changes};
use crate::journal::Storage;
use crate::report::{DerivedFiles, TuneFiles, counted};
use crate::run::{Known, Observer, Replayed, RunEvent, RunOutcome, RunView, replay};
use crate::store::{RunFolder, open_own, sha256_of, write_whole};

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The cut of the journal, if one was requested.
    pub cut: Option<JournalCut>,
    /// Number of records in the journal.
    pub records: u64,
    /// Number of counted pairs.
    pub pairs: u64,
    /// Size of an incomplete record at the end of the journal.
    pub torn_bytes: u64,
    /// The derived files, in the order they were compared.
    pub files: Vec<VerifiedFile>,
}

/// A journal cut on request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalCut {
    /// The byte it was cut at.
    pub offset: u64,
    /// The file that holds the rest.
    pub kept: PathBuf,
}

/// A derived file after the verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedFile {
    /// Its name in the run folder.
    pub name: String,
    /// Its state.
    pub state: FileState,
}

/// Comparison of a file with the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It agrees with the journal.
    Unchanged,
    /// It differed and was rewritten from the journal.
    Rewritten,
    /// It differed, was rewritten, and the old file, which was longer, is kept under this name.
    RewrittenKeeping(String),
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(JournalCut { offset, kept }) = &self.cut {
            writeln!(f, "journal.ndjson: cut at byte {offset}; the rest is kept as {}", kept.display())?;
        }
        let (records, pairs) = (counted(self.records, "record"), counted(self.pairs, "pair"));
        write!(f, "journal.ndjson: {records}, {pairs} counted")?;
        if self.torn_bytes > 0 {
            write!(f, ", {} of an incomplete record at its end", counted(self.torn_bytes, "byte"))?;
        }
        for VerifiedFile { name, state } in &self.files {
            match state {
                FileState::Unchanged => write!(f, "\n{name}: agrees with the journal")?,
                FileState::Rewritten => write!(f, "\n{name}: differed from the journal, rewritten")?,
                FileState::RewrittenKeeping(old) => {
                    write!(
                        f,
                        "\n{name}: differed from the journal, rewritten; the old file is kept as {old}"
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// Checks the journal of the run in `path` and rewrites every derived file that differs from it. With `cut_at`, first
/// cuts the journal at that byte; the rest is kept in another file.
pub fn verify(path: &Path, cut_at: Option<u64>) -> Result<Verification, Failure> {
    let mut run = OpenRun::open(path)?;
    let cut = cut_at.map(|offset| cut_journal(&mut run, offset)).transpose()?;
    run.refuse_empty_journal()?;
    check_journal(&run).or_fault()?;
    let (replayed, files) = rebuild(&run).or_fault()?;
    Ok(Verification {
        cut,
        records: replayed.ending.next_seq,
        pairs: replayed.state.standings().pairs(),
        torn_bytes: replayed.ending.torn_bytes,
        files,
    })
}

/// Writes the derived files of a run to a draft folder, and replaces those that differ.
fn rebuild(run: &OpenRun) -> anyhow::Result<(Replayed, Vec<VerifiedFile>)> {
    let (folder, plan) = (&run.folder, &run.plan);
    let draft = folder.path().join(".verify");
    let _ = fs::remove_dir_all(&draft);
    let draft = RunFolder::create_at(&draft)?;
    let mut derived = DerivedFiles::create_for(folder, &draft)?;
    let mut tune_files = TuneFiles::of(&draft, plan)?;
    let mut unwritten = None;
    let hash = sha256_of(run.plan_text.as_bytes());
    let replayed = replay(run.journal.reader()?, plan, &hash, Known::default(), |event, view| {
        let tune_files = tune_files.as_mut().map(|files| files as &mut dyn Observer);
        for files in [&mut derived as &mut dyn Observer].into_iter().chain(tune_files) {
            unwritten = unwritten.take().or(files.observe(event, view).err());
        }
    })
    .map_err(|error| with_plan_changes(error, &run.plan_text))?;
    let outcome = replayed.state.outcome().unwrap_or(RunOutcome::Interrupted);
    let view = RunView { plan, state: &replayed.state, seconds: replayed.time.seconds() };
    derived.observe(&RunEvent::Finished(outcome.clone()), &view)?;
    if let Some(files) = &mut tune_files {
        files.observe(&RunEvent::Finished(outcome), &view)?;
    }
    drop(derived);
    if let Some(error) = unwritten {
        return Err(error).context("the run's files cannot be rewritten");
    }
    let mut pairs = vec![
        (draft.games(), folder.games()),
        (draft.pairs(), folder.pairs()),
        (draft.summary(), folder.summary()),
    ];
    if plan.fleet.url.is_some() {
        pairs.push((draft.workers(), folder.workers()));
    }
    if tune_files.is_some() {
        pairs.extend([(draft.trials(), folder.trials()), (draft.weights(), folder.weights())]);
    }
    let mut files =
        pairs.iter().map(|(fresh, current)| repair(fresh, current)).collect::<anyhow::Result<Vec<_>>>()?;
    files.extend(repair_bundles(&draft.faults(), &folder.faults())?);
    fs::remove_dir_all(draft.path())?;
    Ok((replayed, files))
}

/// Cuts the journal at `offset`; the rest is kept in another file. An offset that is not the start of a record is a wrong
/// call.
fn cut_journal(run: &mut OpenRun, offset: u64) -> Result<JournalCut, Failure> {
    let mut bytes = Vec::new();
    run.journal.reader().and_then(|mut journal| journal.read_to_end(&mut bytes)).or_fault()?;
    let at = usize::try_from(offset).or_usage()?;
    if at >= bytes.len() {
        return Err(Failure::usage(format_args!("the journal has only {} bytes", bytes.len())));
    }
    if at > 0 && bytes[at - 1] != b'\n' {
        return Err(Failure::usage(format_args!("byte {offset} is not the start of a record")));
    }
    let kept = run.folder.path().join(format!("journal.cut-at-{offset}"));
    write_whole(&kept, &bytes[at..]).and_then(|()| run.journal.truncate(offset)).or_fault()?;
    Ok(JournalCut { offset, kept })
}

/// Replaces `current` by `fresh` where they differ.
fn repair(fresh: &Path, current: &Path) -> anyhow::Result<VerifiedFile> {
    let name = current.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if same_contents(fresh, current)? {
        return Ok(VerifiedFile { name, state: FileState::Unchanged });
    }
    let length = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    let mut state = FileState::Rewritten;
    // A longer file may contain something that the journal does not.
    if length(current) > length(fresh) {
        let old = format!("{name}.before-verify");
        fs::rename(current, current.with_file_name(&old))
            .with_context(|| format!("{name} cannot be kept"))?;
        state = FileState::RewrittenKeeping(old);
    }
    fs::rename(fresh, current).with_context(|| format!("{name} cannot be replaced"))?;
    Ok(VerifiedFile { name, state })
}

/// Replaces the fault bundles that differ; only those are reported.
fn repair_bundles(fresh: &Path, current: &Path) -> anyhow::Result<Vec<VerifiedFile>> {
    let Ok(entries) = fs::read_dir(fresh) else { return Ok(Vec::new()) };
    fs::create_dir_all(current)?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let place = current.join(entry.file_name());
        if !same_contents(&entry.path(), &place)? {
            fs::rename(entry.path(), &place)?;
            let name = format!("faults/{}", entry.file_name().to_string_lossy());
            files.push(VerifiedFile { name, state: FileState::Rewritten });
        }
    }
    Ok(files)
}

fn same_contents(one: &Path, other: &Path) -> io::Result<bool> {
    // A link or a pipe in the place of a file is replaced by the file.
    let Ok(other) = open_own(other) else { return Ok(false) };
    let one = open_own(one)?;
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
