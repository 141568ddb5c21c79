//! What signals and the control socket ask of a run in play.

use tokio::time::Instant;

use super::{LEAVING, Run};
use crate::fleet::{Admission, Fleet, Member, Pause};
use crate::journal::{Entry, Urgency};
use crate::run::builder::StopStyle;
use crate::run::control::{BoardStatus, ControlAnswer, ControlRequest, PendingRequest, RunStatus};
use crate::run::event::RunEvent;
use crate::run::plan::Plan;
use crate::run::preflight::oversubscription;
use crate::run::signals::Interrupt;

impl<F: Fleet> Run<F> {
    /// Starts nothing more and kills what is in play.
    pub(super) fn stop_now(&mut self) {
        self.deadline = None;
        self.state.drain();
        self.fleet.kill_now();
    }

    pub(super) fn on_interrupt(&mut self, interrupt: Interrupt) {
        if self.stops == StopStyle::AtOnce {
            return self.stop_now();
        }
        if self.state.is_stopping() && interrupt == Interrupt::Asked {
            self.deadline = None;
            return self.fleet.kill_now();
        }
        if interrupt == Interrupt::Leaving {
            self.deadline.get_or_insert_with(|| Instant::now() + LEAVING);
        }
        self.state.drain();
        self.fleet.drain();
        let first = match self.state.flying().len() {
            0 => String::new(),
            1 => ": 1 pair is finished first; Ctrl-C again stops now".to_owned(),
            number => format!(": {number} pairs are finished first; Ctrl-C again stops now"),
        };
        self.report(&RunEvent::Warning(format!("stopping{first}")));
    }

    pub(super) fn on_request(&mut self, pending: PendingRequest) {
        let mut warning = None;
        match pending.request {
            ControlRequest::Status | ControlRequest::Boards => {}
            ControlRequest::Pause => {
                self.state.pause();
                self.fleet.set_paused(Pause::Paused);
            }
            ControlRequest::Continue => self.go_on(),
            ControlRequest::Concurrency(number) => match self.fleet.set_concurrency(number) {
                Ok(()) => warning = self.concurrency_warning(number),
                Err(error) => return pending.answer(ControlAnswer::error(error)),
            },
            ControlRequest::Ban(worker) | ControlRequest::Free(worker) => {
                let ban = matches!(pending.request, ControlRequest::Ban(_));
                let admission = if ban { Admission::Excluded } else { Admission::Admitted };
                if let Err(why) = self.fleet.set_admission(worker.as_str(), admission) {
                    return pending.answer(ControlAnswer::error(why));
                }
            }
            ControlRequest::Stop => {
                self.state.drain();
                self.fleet.drain();
            }
        }
        let mut status = self.status();
        if let Some(warning) = warning {
            status.warning = Some(warning.clone());
            self.report(&RunEvent::Warning(warning));
        }
        if pending.request == ControlRequest::Boards {
            status.boards = Some(BoardStatus::all(&self.plan, &self.fleet.live()));
            self.fleet.want_dialogue();
        }
        pending.answer(ControlAnswer::Status(Box::new(status)));
    }

    /// Warns if this machine has too few processors for `concurrency` pairs.
    fn concurrency_warning(&self, concurrency: usize) -> Option<String> {
        let processors = std::thread::available_parallelism().ok()?.get();
        oversubscription(&Plan { concurrency, ..self.plan.clone() }, &[], processors)
    }

    pub(super) fn go_on(&mut self) {
        // Nothing has been played since the last pair ended, so the pause must not count as playing time.
        if self.state.is_paused() && self.state.flying().len() == 0 {
            self.append(Entry::Session { host: None, fleet: None }, Urgency::Grouped);
        }
        // The clock stands still up to here.
        self.live_seconds();
        self.state.go_on();
        self.fleet.set_paused(Pause::Playing);
    }

    /// Returns the playing time at this moment.
    pub(super) fn live_seconds(&mut self) -> f64 {
        let (phase, in_play) = (self.state.phase(), self.state.flying().len());
        self.live_clock.at(std::time::Instant::now(), self.time.seconds(), phase, in_play)
    }

    pub(super) fn status(&mut self) -> RunStatus {
        let seconds = self.live_seconds();
        let score = self.state.standings().main();
        RunStatus {
            name: self.plan.name.clone(),
            phase: self.state.phase(),
            pairs: self.state.counted(),
            max_pairs: self.plan.last_pair(),
            playing: self.state.flying().len(),
            concurrency: self.fleet.concurrency(),
            pentanomial: score.pentanomial,
            wins: score.games.wins,
            draws: score.games.draws,
            losses: score.games.losses,
            llr: self.state.llr(),
            faults: self.state.standings().faults(),
            voids: self.state.voids(),
            seconds,
            warning: None,
            boards: None,
            workers: self.members(),
            waits_for: self.fleet.waits_for(),
        }
    }

    /// Returns the machines that play, with what the journal knows about them.
    pub(super) fn members(&self) -> Vec<Member> {
        self.state.fleet().complete(self.fleet.members())
    }
}
