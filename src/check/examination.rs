//! The examination of an engine: starts the engine, restarts it after a failure, runs the checks.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::check::report::{Finding, Grade, Judgement, Report};
use crate::check::running::RunningEngine;
use crate::check::table::{CHECKS, Effort};
use crate::player::{EngineSpec, GuardianProgram, Launcher};

/// An engine under examination.
pub struct Examination {
    runtime: Runtime,
    tasks: LocalSet,
    launcher: Launcher,
    spec: EngineSpec,
    engine: Option<RunningEngine>,
    effort: Effort,
}

/// Reason why an examination could not begin.
#[derive(Debug, thiserror::Error)]
#[error("the examination could not begin: {0}")]
pub struct ExaminationError(#[from] std::io::Error);

/// A check that could not be completed, because the engine did not answer or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken(pub(super) String);

impl Examination {
    /// Prepares the examination of an engine.
    pub fn new(
        spec: EngineSpec,
        guardian: Option<&GuardianProgram>,
        effort: Effort,
    ) -> Result<Self, ExaminationError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let launcher = Launcher::new(guardian)?;
        Ok(Self { runtime, tasks: LocalSet::new(), launcher, spec, engine: None, effort })
    }

    /// Makes all checks of the effort, passing every finding to `observe`.
    pub fn examine(mut self, named: &str, mut observe: impl FnMut(&Finding)) -> Report {
        let (mut findings, effort) = (Vec::new(), self.effort);
        for check in CHECKS.iter().filter(|check| check.effort <= effort) {
            let Judgement { grade, detail } = (check.run)(&mut self).unwrap_or_else(|Broken(why)| {
                // One failure must not spoil the checks that follow.
                self.discard();
                Judgement::fail(why)
            });
            let finding = Finding { check: check.name, grade, detail };
            observe(&finding);
            // Without a handshake, the first check, nothing else can be examined.
            let is_over = findings.is_empty() && grade == Grade::Fail;
            findings.push(finding);
            if is_over {
                break;
            }
        }
        let id_name = self.engine.as_ref().and_then(|engine| engine.id_name.clone());
        self.discard();
        Report { engine: named.to_owned(), id_name, findings }
    }

    /// Waits for a future of the engine's connection.
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.tasks.block_on(&self.runtime, future)
    }

    /// Takes the engine, started and ready, out of its place; [`Examination::with`] puts it back.
    fn take(&mut self) -> Result<RunningEngine, Broken> {
        match self.engine.take() {
            Some(engine) => Ok(engine),
            None => self.wait(RunningEngine::start(&self.launcher, &self.spec)),
        }
    }

    /// Lets `work` use the engine, which is started if necessary. An engine that fails is ended.
    pub(super) fn with<R>(
        &mut self,
        work: impl AsyncFnOnce(&mut RunningEngine) -> Result<R, Broken>,
    ) -> Result<R, Broken> {
        let mut engine = self.take()?;
        let result = self.wait(work(&mut engine));
        match result {
            Ok(result) => {
                self.engine = Some(engine);
                Ok(result)
            }
            Err(broken) => {
                self.wait(engine.kill());
                Err(broken)
            }
        }
    }

    /// Starts the engine again and lets `work` use it up.
    pub(super) fn with_fresh<R>(
        &mut self,
        work: impl AsyncFnOnce(&mut RunningEngine) -> Result<R, Broken>,
    ) -> Result<R, Broken> {
        let mut engine = self.wait(RunningEngine::start(&self.launcher, &self.spec))?;
        let result = self.wait(work(&mut engine));
        self.wait(engine.kill());
        result
    }

    fn discard(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.wait(engine.kill());
        }
    }
}

/// Formats a time as milliseconds.
pub(super) fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1000.0)
}
