//! A listener to the dialogue with engines, for logs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::player::EngineSpec;

/// A line exchanged with an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TappedLine<'a> {
    /// Name of the engine.
    pub engine: &'a str,
    /// Number of its process, different for every process of the program.
    pub process: u64,
    /// Who sent it.
    pub sender: LineSender,
    /// The line without its end.
    pub line: &'a [u8],
}

/// The sender of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSender {
    /// The harness.
    Harness,
    /// The engine.
    Engine,
}

/// Receives the lines of every engine that has it in its specification. Called on the threads that play, so it must be fast.
pub trait DialogueListener: Send + Sync {
    /// Receives a line.
    fn line(&self, line: &TappedLine<'_>);
}

/// A listener, if there is one. It is no part of what an engine is, so all taps are equal.
#[derive(Clone, Default)]
pub struct DialogueTap(Option<Arc<dyn DialogueListener>>);

impl DialogueTap {
    /// Returns the tap of a listener.
    pub fn new(listener: Arc<dyn DialogueListener>) -> Self {
        Self(Some(listener))
    }
}

/// The tap of one engine process.
pub(in crate::player) struct Tap {
    listener: Arc<dyn DialogueListener>,
    engine: String,
    process: u64,
}

impl Tap {
    /// Returns the tap of a new process of this engine, if it has a listener.
    pub(in crate::player) fn of(spec: &EngineSpec) -> Option<Self> {
        static PROCESSES: AtomicU64 = AtomicU64::new(0);
        let listener = spec.tap.0.clone()?;
        let process = PROCESSES.fetch_add(1, Ordering::Relaxed);
        Some(Self { listener, engine: spec.name.clone(), process })
    }

    /// Passes a line on.
    pub(in crate::player) fn pass_on(&self, sender: LineSender, line: &[u8]) {
        self.listener.line(&TappedLine { engine: &self.engine, process: self.process, sender, line });
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tap({}-{})", self.engine, self.process)
    }
}

impl fmt::Debug for DialogueTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "DialogueTap(on)" } else { "DialogueTap(off)" })
    }
}

impl PartialEq for DialogueTap {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for DialogueTap {}
