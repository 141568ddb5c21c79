//! Reads a run from its folder while the journal grows.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use crate::game::{FaultBundle, GameId};
use crate::journal::{Entry, EntryDetail, decode};
use crate::run::effect::{CountedPair, Effect};
use crate::run::event::{RunEvent, RunView};
use crate::run::plan::Plan;
use crate::run::playing_time::PlayingTime;
use crate::run::replay::{Known, replay};
use crate::run::state::RunState;
use crate::store::{RunFolder, open_regular, sha256_of};

/// Bytes that one step reads at most, so that a caller can show a long journal while it is read.
const STEP_BYTES: u64 = 4 << 20;

/// A longer line is damage: the largest record is that of a plan, and the others are far smaller.
const LONGEST_LINE: usize = 16 << 20;

/// Number of incidents that are kept.
const INCIDENTS_KEPT: usize = 50;

/// A fault or a void pair of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Time of the record in milliseconds since 1970, if known.
    pub at: Option<u64>,
    /// Description in one line.
    pub text: String,
    /// Name of the file in `faults/` with the details.
    pub bundle: Option<String>,
}

/// Result of one step of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The journal has nothing new.
    Unchanged,
    /// New records were read, up to the end of the journal.
    Grown,
    /// New records were read, and more follow.
    More,
    /// The journal became shorter, and the state was reset; nothing was read.
    Restarted,
}

/// The state and the incidents of a run, read from its journal step by step.
///
/// No lock is taken, so a run can be read while it is played.
pub struct RunReader {
    folder: RunFolder,
    plan: Plan,
    plan_text: String,
    offset: u64,
    next_seq: u64,
    rest: Vec<u8>,
    state: RunState,
    time: PlayingTime,
    incidents: VecDeque<Incident>,
    damage: Option<String>,
}

impl RunReader {
    /// Returns a reader at the start of the journal in `folder`.
    pub fn new(folder: RunFolder, plan: Plan, plan_text: &str) -> Self {
        Self {
            state: RunState::new(&plan),
            folder,
            plan,
            plan_text: plan_text.to_owned(),
            offset: 0,
            next_seq: 0,
            rest: Vec::new(),
            time: PlayingTime::default(),
            incidents: VecDeque::new(),
            damage: None,
        }
    }

    /// Reads the journal in `folder` to its end in parallel and passes every counted pair to `counted`.
    ///
    /// Fails if the journal is damaged or belongs to another plan.
    pub fn read_whole(
        folder: RunFolder,
        plan: Plan,
        plan_text: &str,
        mut counted: impl FnMut(&CountedPair, &RunView<'_>),
    ) -> io::Result<Self> {
        let mut reader = Self::new(folder, plan, plan_text);
        let journal = open_regular(&reader.folder.journal())?;
        let hash = sha256_of(plan_text.as_bytes());
        let incidents = &mut reader.incidents;
        let replayed = replay(journal, &reader.plan, &hash, Known::default(), |event, view| match event {
            RunEvent::Counted(pair) => counted(pair, view),
            RunEvent::Fault(bundle) => keep(incidents, fault_incident(bundle, None)),
            _ => {}
        })
        .map_err(io::Error::other)?;
        reader.state = replayed.state;
        reader.time = replayed.time;
        reader.offset = replayed.ending.valid_bytes;
        reader.next_seq = replayed.ending.next_seq;
        Ok(reader)
    }

    /// Reads the next step of the journal and passes every counted pair to `counted`.
    ///
    /// A caller that accumulates the pairs has to discard them on [`Advance::Restarted`].
    pub fn advance(&mut self, mut counted: impl FnMut(&CountedPair, &RunView<'_>)) -> io::Result<Advance> {
        let mut journal = match open_regular(&self.folder.journal()) {
            Ok(journal) => journal,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Advance::Unchanged),
            Err(why) => return Err(why),
        };
        let length = journal.metadata()?.len();
        if length < self.offset {
            // A torn end was truncated after part of it had been read, or the folder contains another run now.
            *self = Self::new(self.folder.clone(), self.plan.clone(), &self.plan_text);
            return Ok(Advance::Restarted);
        }
        if self.damage.is_some() || length == self.offset {
            return Ok(Advance::Unchanged);
        }
        journal.seek(SeekFrom::Start(self.offset))?;
        let read = journal.take(STEP_BYTES).read_to_end(&mut self.rest)? as u64;
        self.offset += read;
        let bytes = std::mem::take(&mut self.rest);
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let unfinished = lines.by_ref().find_map(|line| match line.strip_suffix(b"\n") {
            Some(line) => self.apply(line, &mut counted).err().map(|why| {
                self.damage = Some(why);
                Vec::new()
            }),
            None => Some(line.to_vec()),
        });
        self.rest = unfinished.unwrap_or_default();
        if self.rest.len() > LONGEST_LINE {
            // No record is as long, and keeping the rest of it would take as much memory as the file has bytes.
            self.damage = Some(format!("record {} of the journal is too long", self.next_seq));
            self.rest = Vec::new();
        }
        Ok(if self.offset < length { Advance::More } else { Advance::Grown })
    }

    fn apply(
        &mut self,
        line: &[u8],
        counted: &mut impl FnMut(&CountedPair, &RunView<'_>),
    ) -> Result<(), String> {
        let at_record = |why: &dyn fmt::Display| format!("record {} of the journal: {why}", self.next_seq);
        let frame = decode(line).map_err(|why| at_record(&why))?;
        if frame.seq != self.next_seq {
            return Err(at_record(&format!("it has number {}", frame.seq)));
        }
        let entry = Entry::from_frame(&frame, EntryDetail::Full).map_err(|why| at_record(&why))?;
        if let Entry::Run { plan, .. } = &entry
            && *plan != sha256_of(self.plan_text.as_bytes())
        {
            return Err("plan.toml has changed since the run began".to_owned());
        }
        self.next_seq += 1;
        self.time.note(&entry, frame.at());
        self.note_incident(&entry, frame.at());
        for effect in self.state.replay(entry) {
            if let Effect::Counted(pair) = effect {
                let view = RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() };
                counted(&pair, &view);
            }
        }
        Ok(())
    }

    fn note_incident(&mut self, entry: &Entry, at: u64) {
        match entry {
            Entry::Fault { bundle } => keep(&mut self.incidents, fault_incident(bundle, Some(at))),
            Entry::Void { pair, reason, .. } => {
                let text = format!("pair {} is void and will be played again: {reason}", pair + 1);
                keep(&mut self.incidents, Incident { at: Some(at), text, bundle: None });
            }
            _ => {}
        }
    }

    /// Returns the run up to the last record read.
    pub fn view(&self) -> RunView<'_> {
        RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() }
    }

    /// Returns the folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the text of `plan.toml`.
    pub fn plan_text(&self) -> &str {
        &self.plan_text
    }

    /// Returns the latest incidents, the oldest first.
    pub fn incidents(&self) -> impl DoubleEndedIterator<Item = &Incident> {
        self.incidents.iter()
    }

    /// Returns the reason why the rest of the journal cannot be read, if there is one.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }
}

/// Returns the name of the file in `faults/` that describes the fault of a game.
pub fn fault_file_name(game: GameId, attempt: u32) -> String {
    format!("pair{}-game{}-try{}.json", game.pair + 1, game.game.number(), attempt + 1)
}

fn fault_incident(bundle: &FaultBundle, at: Option<u64>) -> Incident {
    let game = GameId { pair: bundle.pair, game: bundle.game };
    let text = format!("game {game}: {} {}", bundle.engine_name, bundle.what_happened());
    Incident { at, text, bundle: Some(fault_file_name(game, bundle.attempt)) }
}

/// Appends an incident and drops the oldest one beyond [`INCIDENTS_KEPT`].
fn keep(incidents: &mut VecDeque<Incident>, latest: Incident) {
    if incidents.len() == INCIDENTS_KEPT {
        incidents.pop_front();
    }
    incidents.push_back(latest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{FORMAT, encode};

    #[test]
    fn a_journal_is_read_as_it_grows_and_again_after_it_was_truncated() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("plan.toml"), "").unwrap();
        let folder = RunFolder::open(root.path()).unwrap();
        let run = Entry::Run {
            format: FORMAT,
            program: String::new(),
            plan: sha256_of(b""),
            plan_text: String::new(),
        };
        let first = encode(0, 1, &run).unwrap();
        let second = encode(1, 2, &Entry::Session { host: None, fleet: None }).unwrap();
        let mut reader = RunReader::new(folder.clone(), Plan::sample(["new", "old"]), "");
        assert_eq!(reader.advance(|_, _| {}).unwrap(), Advance::Unchanged);
        std::fs::write(folder.journal(), [&first[..], &second[..10]].concat()).unwrap();
        assert_eq!(reader.advance(|_, _| {}).unwrap(), Advance::Grown);
        std::fs::write(folder.journal(), [&first[..], &second[..]].concat()).unwrap();
        assert_eq!(reader.advance(|_, _| {}).unwrap(), Advance::Grown);
        assert_eq!((reader.next_seq, reader.damage()), (2, None));
        std::fs::write(folder.journal(), &first).unwrap();
        assert_eq!(reader.advance(|_, _| {}).unwrap(), Advance::Restarted);
        assert_eq!(reader.advance(|_, _| {}).unwrap(), Advance::Grown);
        assert_eq!((reader.next_seq, reader.damage()), (1, None));
    }
}
