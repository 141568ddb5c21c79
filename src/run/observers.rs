//! The observers of a run, and the handling of files that cannot be written.

use crate::run::event::{Observer, Output, RunEvent, RunView};
use crate::run::outcome::RunOutcome;

/// All observers of a run. Those that write files come first, so that the others can report their failures.
pub(super) struct Observers {
    observers: Vec<Box<dyn Observer>>,
    /// The first failure to write a file of the run.
    unwritten: Option<String>,
}

impl Observers {
    pub(super) fn new(mut observers: Vec<Box<dyn Observer>>) -> Self {
        observers.sort_by_key(|observer| observer.output() != Output::Files);
        Self { observers, unwritten: None }
    }

    /// Passes an event to all observers. A file that cannot be written can be rebuilt by `verify`, so the run continues; the
    /// failure is reported once, and again at the end.
    pub(super) fn report(&mut self, event: &RunEvent, view: &RunView<'_>) {
        let knew = self.unwritten.is_some();
        for observer in &mut self.observers {
            let result = observer.observe(event, view);
            if observer.output() == Output::Files && self.unwritten.is_none() {
                self.unwritten = result.err().map(|why| why.to_string());
            }
        }
        if let (Some(why), false) = (&self.unwritten, knew) {
            let warning = RunEvent::Warning(format!("a file of the run could not be written: {why}"));
            self.report(&warning, view);
        }
    }

    /// Reports how the run ended, and returns it: if a file could not be written, the run ended with a fault.
    pub(super) fn finish(mut self, mut outcome: RunOutcome, view: &RunView<'_>) -> RunOutcome {
        for observer in &mut self.observers {
            if let (Output::Text, Some(why), true) = (observer.output(), &self.unwritten, outcome.is_final())
            {
                outcome = unwritten(why);
            }
            let result = observer.observe(&RunEvent::Finished(outcome.clone()), view);
            if observer.output() == Output::Files && self.unwritten.is_none() {
                self.unwritten = result.err().map(|why| why.to_string());
            }
        }
        match self.unwritten {
            Some(why) if outcome.is_final() => unwritten(&why),
            _ => outcome,
        }
    }
}

fn unwritten(why: &str) -> RunOutcome {
    RunOutcome::Faulty(format!(
        "all games are in the journal, but a file that follows from it could not be written: {why}; `playself verify` \
         rewrites it"
    ))
}
