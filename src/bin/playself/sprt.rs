//! `playself sprt`: is the candidate better?

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use playself::config::{EngineEntry, RunFile};
use playself::stats::{Hypotheses, SprtConfig};

use crate::launch::{self, Show};
use crate::revision::RevisionFlags;
use crate::run_flags::{RunFlags, plan_of};

/// The strengths that are told apart where nobody names any.
const USUAL: (f64, f64) = (0.0, 5.0);

/// Test sequentially whether a candidate is stronger than a baseline.
///
/// Plays pairs of games until one of two hypotheses is accepted: H1, the candidate is at least ELO1 stronger, or H0, it
/// is at most ELO0 stronger. Without --sprt or --preset the bounds are [0, 5] normalized Elo.
///
/// Exit status: 0 H1 accepted, 1 H0 accepted, 3 undecided at the last game, 4 stopped by a fault, 130 interrupted.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself sprt configs/sprt.toml
  playself sprt --candidate ./new --baseline ./old --preset stc-gain --openings openings/balanced.epd
  playself sprt --candidate builtin:tuned.toml --baseline builtin --nodes 20000 --sprt 0,5
  playself sprt --candidate-rev my-branch --baseline-rev main --build 'make' --program src/engine --preset stc-gain")]
pub(crate) struct SprtCommand {
    /// The test, for example configs/sprt.toml, or the plan.toml of a run to repeat
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// The engine that is to be accepted or not: a path (UCI), ace:PATH, builtin, builtin:WEIGHTS.toml, or a name in
    /// configs/engines
    #[arg(long, value_name = "ENGINE", conflicts_with = "candidate_rev")]
    candidate: Option<String>,
    /// The engine it is measured against
    #[arg(long, value_name = "ENGINE", conflicts_with = "baseline_rev")]
    baseline: Option<String>,
    #[command(flatten)]
    revisions: RevisionFlags,
    #[command(flatten)]
    flags: RunFlags,
}

impl SprtCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(path) = &self.config
            && let Some(plan) = launch::recorded_plan(path)?
        {
            return Ok(launch::start(plan, &self.flags.output)?.exit());
        }
        let mut run = self.run_file()?;
        let named = run.sprt.is_some() || self.flags.asks_for_test();
        if !named {
            run.sprt = Some(SprtConfig::usual(Hypotheses::new(USUAL.0, USUAL.1)?));
        }
        self.flags.apply(&mut run)?;
        if let (Some(sprt), false) = (run.sprt, named) {
            Show::of(&self.flags.output).say(&format!(
                "Testing [{}, {}] {} Elo: no bounds were named, --sprt ELO0,ELO1 or [sprt] names others",
                USUAL.0, USUAL.1, sprt.model
            ));
        }
        Ok(launch::start(plan_of(&run)?, &self.flags.output)?.exit())
    }

    fn run_file(&self) -> anyhow::Result<RunFile> {
        let mut run = match &self.config {
            Some(path) => RunFile::read(path)?,
            None => RunFile::default(),
        };
        let (candidate, baseline) = self.revisions.build()?;
        let candidate = candidate.or_else(|| self.candidate.as_deref().map(EngineEntry::named));
        let baseline = baseline.or_else(|| self.baseline.as_deref().map(EngineEntry::named));
        if run.engines.is_empty() {
            let (Some(candidate), Some(baseline)) = (candidate, baseline) else {
                bail!(
                    "name two engines: [candidate] and [baseline] in a CONFIG, --candidate and --baseline, or \
                     --candidate-rev and --baseline-rev"
                );
            };
            run.engines = vec![candidate, baseline];
        } else {
            for (place, engine) in [candidate, baseline].into_iter().enumerate() {
                if let (Some(engine), Some(slot)) = (engine, run.engines.get_mut(place)) {
                    *slot = engine;
                }
            }
        }
        Ok(run)
    }
}
