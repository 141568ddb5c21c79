//! The engines of a fleet, which of them have proven to work, and whether their programs are still the same.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use crate::fleet::EngineFatal;
use crate::game::{EngineBook, EngineIndex};
use crate::opening::{PolyglotBook, PolyglotError};
use crate::player::{Castling, EngineSpec};
use crate::store::KeptFile;

/// What follows if the program of an engine changes during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramChanged {
    /// The run goes on with the copy of the program that it began with.
    #[default]
    Keep,
    /// The run stops before the next start of that engine.
    Stop,
}

impl ProgramChanged {
    /// Returns whether this is the rule of plans that state none.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// All engines of a fleet.
#[derive(Debug)]
pub(super) struct EngineRegistry {
    engines: Vec<RegisteredEngine>,
    rule: ProgramChanged,
    warnings: Mutex<Vec<String>>,
    reported: AtomicBool,
}

#[derive(Debug)]
struct RegisteredEngine {
    spec: EngineSpec,
    /// Its program and the files that it reads.
    files: Vec<Arc<KeptFile>>,
    /// The book from which its first moves are played.
    book: Option<EngineBook>,
    /// The same engine, started from copies of its files; made once a file has changed.
    from_copies: OnceLock<EngineSpec>,
    proven: AtomicBool,
    /// Whether it has begun games with the usual castling rules, and with those of Chess960.
    begun: AtomicU8,
}

/// What to start, and how to know afterwards that it was started.
#[derive(Debug)]
pub(super) struct Startable<'a> {
    pub(super) spec: &'a EngineSpec,
    /// Files that must still be the same after the start.
    files: &'a [Arc<KeptFile>],
}

impl Startable<'_> {
    /// Returns whether the files were not replaced during the start.
    pub(super) fn is_unchanged(&self) -> bool {
        self.files.iter().all(|file| file.is_untouched())
    }
}

impl EngineRegistry {
    /// Registers engines with the files of each, and reads their books; an engine without files is started as it is.
    pub(super) fn new(
        specs: Vec<EngineSpec>,
        files: Vec<Vec<Arc<KeptFile>>>,
        rule: ProgramChanged,
    ) -> Result<Self, PolyglotError> {
        let files = files.into_iter().chain(std::iter::repeat_with(Vec::new));
        let mut books = HashMap::new();
        let mut engines = Vec::with_capacity(specs.len());
        for (spec, files) in specs.into_iter().zip(files) {
            let book = open_book(&spec, &files, &mut books)?;
            engines.push(RegisteredEngine {
                spec,
                files,
                book,
                from_copies: OnceLock::new(),
                proven: AtomicBool::new(false),
                begun: AtomicU8::new(0),
            });
        }
        Ok(Self { engines, rule, warnings: Mutex::default(), reported: AtomicBool::new(false) })
    }

    pub(super) fn spec(&self, engine: EngineIndex) -> Option<&EngineSpec> {
        self.engines.get(engine.get()).map(|entry| &entry.spec)
    }

    /// Returns the book of an engine.
    pub(super) fn book(&self, engine: EngineIndex) -> Option<&EngineBook> {
        self.engines.get(engine.get())?.book.as_ref()
    }

    pub(super) fn name(&self, engine: EngineIndex) -> &str {
        self.spec(engine).map_or("?", |spec| &spec.name)
    }

    /// Returns the engine as it is to be started now: from its own files as long as they have not changed, else from copies of
    /// them. `Err` is the reason to stop.
    pub(super) async fn startable(&self, engine: EngineIndex) -> Result<Startable<'_>, String> {
        let Some(entry) = self.engines.get(engine.get()) else {
            return Err(format!("the plan has no engine with index {engine}"));
        };
        if let Some(spec) = entry.from_copies.get() {
            return Ok(Startable { spec, files: &[] });
        }
        let mut changed = Vec::new();
        for file in &entry.files {
            if let Some(why) = look(file).await {
                changed.push((file, why));
            }
        }
        let Some((_, why)) = changed.first() else {
            return Ok(Startable { spec: &entry.spec, files: &entry.files });
        };
        if self.rule == ProgramChanged::Stop {
            return Err(format!(
                "{why}; the plan has program_changed = \"stop\": restore the file, then resume"
            ));
        }
        let mut spec = entry.spec.clone();
        for (file, why) in &changed {
            let copy = file.copy().map_err(|none| format!("{why}, and there is no copy of it: {none}"))?;
            spec.replace_file(file.path(), copy);
        }
        let spec = entry.from_copies.get_or_init(|| {
            let warning = format!(
                "engine {}: {why}; the run goes on with a copy of the file that it began with",
                entry.spec.name
            );
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
            spec
        });
        Ok(Startable { spec, files: &[] })
    }

    /// Returns a warning for the user; each one once.
    pub(super) fn take_warning(&self) -> Option<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns whether the engine has worked once in this run: from then on, its failures are losses.
    pub(super) fn is_proven(&self, engine: EngineIndex) -> bool {
        self.engines.get(engine.get()).is_some_and(|entry| entry.proven.load(Ordering::Acquire))
    }

    pub(super) fn set_proven(&self, engine: EngineIndex) {
        if let Some(entry) = self.engines.get(engine.get()) {
            entry.proven.store(true, Ordering::Release);
        }
    }

    /// Returns whether the engine has begun a game with these castling rules: from then on it is known to have the options
    /// that such a game needs.
    pub(super) fn has_begun(&self, engine: EngineIndex, castling: Castling) -> bool {
        let begun = self.engines.get(engine.get()).map_or(0, |entry| entry.begun.load(Ordering::Acquire));
        begun & variant_bit(castling) != 0
    }

    pub(super) fn set_begun(&self, engine: EngineIndex, castling: Castling) {
        if let Some(entry) = self.engines.get(engine.get()) {
            entry.begun.fetch_or(variant_bit(castling), Ordering::AcqRel);
        }
    }

    /// Returns the error that ends the run; `None` if one has been returned before.
    pub(super) fn report_unusable(
        &self,
        engine: EngineIndex,
        reason: String,
        stderr_tail: String,
    ) -> Option<EngineFatal> {
        let first = !self.reported.swap(true, Ordering::AcqRel);
        first.then(|| EngineFatal { engine, name: self.name(engine).to_owned(), reason, stderr_tail })
    }
}

/// Reads the book of an engine, or its copy if the file has changed since the run was planned. Engines share equal books.
fn open_book(
    spec: &EngineSpec,
    files: &[Arc<KeptFile>],
    books: &mut HashMap<PathBuf, Arc<PolyglotBook>>,
) -> Result<Option<EngineBook>, PolyglotError> {
    let Some(plan) = &spec.book else { return Ok(None) };
    let kept = files.iter().find(|file| file.path() == plan.file);
    let copy = kept.filter(|file| file.change().is_some()).and_then(|file| file.copy().ok());
    let path = copy.unwrap_or(&plan.file);
    let book = match books.get(path) {
        Some(book) => Arc::clone(book),
        None => {
            let book = Arc::new(PolyglotBook::open(path)?);
            books.insert(path.to_owned(), Arc::clone(&book));
            book
        }
    };
    Ok(Some(EngineBook::new(book, plan)))
}

fn variant_bit(castling: Castling) -> u8 {
    match castling {
        Castling::Standard => 1,
        Castling::Chess960 => 2,
    }
}

/// Returns how a file has changed. Its content is read on a thread of its own: that may take longer than other games can wait.
async fn look(file: &Arc<KeptFile>) -> Option<String> {
    if file.is_untouched() {
        return None;
    }
    let (sender, result) = tokio::sync::oneshot::channel();
    let read = Arc::clone(file);
    let thread = std::thread::Builder::new().name("file check".to_owned());
    match thread.spawn(move || drop(sender.send(read.change()))) {
        Ok(_) => result.await.unwrap_or_else(|_| file.change()),
        Err(_) => file.change(),
    }
}
