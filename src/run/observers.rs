//! Those who report a run, and what becomes of it when its files cannot be written.

use crate::run::event::{Observer, RunEvent, RunView, Trace};
use crate::run::outcome::RunOutcome;

/// All observers of a run: those who write its files first, so that the others can tell what went wrong with these.
pub(super) struct Observers {
    observers: Vec<Box<dyn Observer>>,
    /// Why a file of the run could not be written, the first time that happened.
    unwritten: Option<String>,
}

impl Observers {
    pub(super) fn new(mut observers: Vec<Box<dyn Observer>>) -> Self {
        observers.sort_by_key(|observer| observer.leaves() != Trace::Files);
        Self { observers, unwritten: None }
    }

    /// Tells everybody. A file that cannot be written is rebuilt by `verify`, so a run goes on without it; people are
    /// warned once, and told again at the end.
    pub(super) fn report(&mut self, event: &RunEvent, view: &RunView<'_>) {
        let knew = self.unwritten.is_some();
        for observer in &mut self.observers {
            let told = observer.observe(event, view);
            if observer.leaves() == Trace::Files && self.unwritten.is_none() {
                self.unwritten = told.err().map(|why| why.to_string());
            }
        }
        if let (Some(why), false) = (&self.unwritten, knew) {
            let warning = RunEvent::Warning(format!("a file of the run could not be written: {why}"));
            self.report(&warning, view);
        }
    }

    /// Tells everybody how the run ended, and returns it: a run whose files are not all there has not ended well.
    pub(super) fn finish(mut self, mut outcome: RunOutcome, view: &RunView<'_>) -> RunOutcome {
        for observer in &mut self.observers {
            if let (Trace::Words, Some(why), true) = (observer.leaves(), &self.unwritten, outcome.is_final())
            {
                outcome = unwritten(why);
            }
            let told = observer.observe(&RunEvent::Finished(outcome.clone()), view);
            if observer.leaves() == Trace::Files && self.unwritten.is_none() {
                self.unwritten = told.err().map(|why| why.to_string());
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
         writes it anew"
    ))
}
