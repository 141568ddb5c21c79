//! The engines of a fleet, and which of them have proven to work.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fleet::EngineFatal;
use crate::game::EngineIndex;
use crate::player::EngineSpec;

/// All engines of a fleet.
#[derive(Debug)]
pub(super) struct EngineRegistry {
    engines: Vec<RegisteredEngine>,
    reported: AtomicBool,
}

#[derive(Debug)]
struct RegisteredEngine {
    spec: EngineSpec,
    proven: AtomicBool,
}

impl EngineRegistry {
    pub(super) fn new(specs: Vec<EngineSpec>) -> Self {
        let engines =
            specs.into_iter().map(|spec| RegisteredEngine { spec, proven: AtomicBool::new(false) }).collect();
        Self { engines, reported: AtomicBool::new(false) }
    }

    pub(super) fn spec(&self, engine: EngineIndex) -> Option<&EngineSpec> {
        self.engines.get(engine.get()).map(|entry| &entry.spec)
    }

    pub(super) fn name(&self, engine: EngineIndex) -> &str {
        self.spec(engine).map_or("?", |spec| &spec.name)
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
