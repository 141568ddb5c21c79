//! A run read from its folder while it grows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::game::{FaultBundle, GameId};
use crate::journal::{Entry, EntryDetail, decode};
use crate::run::{CountedPair, Effect, Known, Plan, PlayingTime, RunEvent, RunState, RunView, replay};
use crate::store::sha256_of;

use crate::report::bundle_name;
use crate::report::page::PageBuilder;
use crate::store::RunFolder;

/// Bytes taken in at a time, so that whoever waits for a long journal sees it grow.
const MOUTHFUL: u64 = 4 << 20;

/// News kept for those who come late.
const NEWS_KEPT: usize = 50;

/// Something out of the ordinary, for the feed of a live page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// When, in milliseconds since 1970, if that was noted.
    pub at: Option<u64>,
    /// What happened.
    pub text: String,
    /// The file in `faults/` that says more.
    pub bundle: Option<String>,
}

/// What a look at the journal brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Nothing new.
    Still,
    /// Something new, and that is all for now.
    Grown,
    /// Something new, and there is more to read.
    More,
}

/// A run's state, page and news, kept up with its journal. No lock is taken, so a run in play can be followed.
pub struct RunFollower {
    folder: RunFolder,
    plan: Plan,
    plan_text: String,
    offset: u64,
    next_seq: u64,
    rest: Vec<u8>,
    state: RunState,
    time: PlayingTime,
    collector: PageBuilder,
    news: VecDeque<News>,
    damage: Option<String>,
}

impl RunFollower {
    /// The run in `folder`, of which nothing has been read yet.
    pub fn new(folder: RunFolder, plan: Plan, plan_text: &str) -> Self {
        Self {
            state: RunState::new(&plan),
            collector: PageBuilder::new(&plan),
            folder,
            plan,
            plan_text: plan_text.to_owned(),
            offset: 0,
            next_seq: 0,
            rest: Vec::new(),
            time: PlayingTime::default(),
            news: VecDeque::new(),
            damage: None,
        }
    }

    /// Reads on, a mouthful at most. Pairs that become countable are handed to `counted`.
    pub fn advance_with(
        &mut self,
        mut counted: impl FnMut(&CountedPair, &RunView<'_>),
    ) -> io::Result<Advance> {
        let mut journal = match File::open(self.folder.journal()) {
            Ok(journal) => journal,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Advance::Still),
            Err(why) => return Err(why),
        };
        let length = journal.metadata()?.len();
        if length < self.offset {
            // A torn end was cut off after we had read some of it, or the folder holds another run by now.
            *self = Self::new(self.folder.clone(), self.plan.clone(), &self.plan_text);
        }
        if self.damage.is_some() || length == self.offset {
            return Ok(Advance::Still);
        }
        journal.seek(SeekFrom::Start(self.offset))?;
        let read = journal.take(MOUTHFUL).read_to_end(&mut self.rest)? as u64;
        self.offset += read;
        let bytes = std::mem::take(&mut self.rest);
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let unfinished = lines.by_ref().find_map(|line| match line.strip_suffix(b"\n") {
            Some(line) => self.take_in(line, &mut counted).err().map(|why| {
                self.damage = Some(why);
                Vec::new()
            }),
            None => Some(line.to_vec()),
        });
        self.rest = unfinished.unwrap_or_default();
        Ok(if self.offset < length { Advance::More } else { Advance::Grown })
    }

    /// Reads on, a mouthful at most.
    pub fn advance(&mut self) -> io::Result<Advance> {
        self.advance_with(|_, _| {})
    }

    /// The run in `folder`, read to the end of its journal as fast as that can be done. A journal that is damaged or
    /// belongs to another plan is refused.
    pub fn read_whole(folder: RunFolder, plan: Plan, plan_text: &str) -> io::Result<Self> {
        let mut follower = Self::new(folder, plan, plan_text);
        let journal = File::open(follower.folder.journal())?;
        let hash = sha256_of(plan_text.as_bytes());
        let (collector, news) = (&mut follower.collector, &mut follower.news);
        let replayed = replay(journal, &follower.plan, &hash, Known::default(), |event, view| match event {
            RunEvent::Counted(pair) => collector.count(view, pair),
            RunEvent::Fault(bundle) => note(news, fault_news(bundle, None)),
            _ => {}
        })
        .map_err(io::Error::other)?;
        follower.state = replayed.state;
        follower.time = replayed.time;
        follower.offset = replayed.ending.valid_bytes;
        follower.next_seq = replayed.ending.next_seq;
        Ok(follower)
    }

    fn take_in(
        &mut self,
        line: &[u8],
        counted: &mut impl FnMut(&CountedPair, &RunView<'_>),
    ) -> Result<(), String> {
        let at_record =
            |why: &dyn std::fmt::Display| format!("record {} of the journal: {why}", self.next_seq);
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
        self.note_news(&entry, frame.at());
        for effect in self.state.replay(entry) {
            if let Effect::Counted(pair) = effect {
                let view = RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() };
                self.collector.count(&view, &pair);
                counted(&pair, &view);
            }
        }
        Ok(())
    }

    fn note_news(&mut self, entry: &Entry, at: u64) {
        match entry {
            Entry::Fault { bundle } => note(&mut self.news, fault_news(bundle, Some(at))),
            Entry::Void { pair, reason, .. } => {
                let text = format!("pair {} is void and will be played again: {reason}", pair + 1);
                note(&mut self.news, News { at: Some(at), text, bundle: None });
            }
            _ => {}
        }
    }

    /// The run as far as it has been read.
    pub fn view(&self) -> RunView<'_> {
        RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() }
    }

    /// What its page is made of.
    pub fn collector(&self) -> &PageBuilder {
        &self.collector
    }

    /// Its folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// `plan.toml`.
    pub fn plan_text(&self) -> &str {
        &self.plan_text
    }

    /// The latest news, oldest first.
    pub fn news(&self) -> impl DoubleEndedIterator<Item = &News> {
        self.news.iter()
    }

    /// Why reading stopped, if it did.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }
}

fn fault_news(bundle: &FaultBundle, at: Option<u64>) -> News {
    let name = bundle_name(bundle.pair, bundle.game, bundle.attempt);
    let game = GameId { pair: bundle.pair, game: bundle.game };
    let text = format!("game {game}: {}: {}", bundle.engine_name, bundle.reason);
    News { at, text, bundle: Some(name) }
}

/// Keeps the latest.
fn note(news: &mut VecDeque<News>, latest: News) {
    if news.len() == NEWS_KEPT {
        news.pop_front();
    }
    news.push_back(latest);
}
