//! `playself sprt`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::number_lists::error_rate;
use playself::cli::output_flags::OutputFlags;
use playself::cli::run_flags::RunFlags;
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{
    Environment, Failure, OrFailure, PlanSource, check_plan, checked_plan, test_of_tuned_values,
};
use playself::config::{EngineEntry, RunFile};
use playself::stats::ErrorRate;

use crate::play_plan::{apply, play_plan, refuse_changes};
use crate::revision::RevisionFlags;
use crate::run_dir::folder_of;
use crate::several_tests::{self, SeveralFlags};

/// Run a sequential test: is a candidate stronger than a baseline?
///
/// Plays pairs of games until one of two hypotheses is accepted: H1, the candidate is ELO1 stronger, or H0, it is ELO0
/// stronger. The default bounds are [0, 5] normalized Elo.
///
/// Exit status: 0 H1 accepted, 1 H0 accepted, 3 undecided at the last game, 4 stopped by a fault, 130 interrupted.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself sprt configs/sprt.toml
  playself sprt --candidate builtin \\
      --baseline builtin:configs/weights-plain.toml \\
      --nodes 20000 --sprt 0,10 --openings openings/balanced.epd.gz
  playself sprt --candidate ./new --baseline ./old --preset stc-gain \\
      --openings openings/balanced.epd.gz
  playself sprt --candidate-rev HEAD --baseline-rev HEAD~10 \\
      --build 'cargo build --release' --program target/release/chess-uci
  playself sprt results/RUN      tests the best values so far of a tuning run")]
pub(crate) struct SprtCommand {
    /// Configuration file, e.g. configs/sprt.toml, the plan.toml of a run to play again, or the folder of a tuning run, whose
    /// best values so far are tested; several files are tested one after the other
    #[arg(value_name = "CONFIG")]
    configs: Vec<PathBuf>,
    /// With several files: the accepted share of wrong ones among all candidates that pass
    #[arg(long, value_name = "RATE", value_parser = error_rate, default_value_t = ErrorRate::FIVE_PERCENT)]
    fdr: ErrorRate,
    /// Engine to be tested: PATH, xboard:PATH, ace:PATH, builtin, builtin:WEIGHTS.toml, or a name in configs/engines
    #[arg(long, value_name = "ENGINE", conflicts_with = "candidate_rev")]
    candidate: Option<EngineEntry>,
    /// Engine to test against
    #[arg(long, value_name = "ENGINE", conflicts_with = "baseline_rev")]
    baseline: Option<EngineEntry>,
    #[command(flatten)]
    revisions: RevisionFlags,
    #[command(flatten)]
    flags: RunFlags,
    #[command(flatten)]
    test: SprtFlags,
    #[command(flatten)]
    output: OutputFlags,
}

impl SprtCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        if self.configs.len() > 1 {
            if self.candidate.is_some() || self.baseline.is_some() || self.revisions.are_given() {
                return Err(Failure::usage("several files name their own engines"));
            }
            let Self { configs, fdr, flags, test, output, .. } = self;
            return several_tests::run(&configs, fdr, &SeveralFlags { flags, test, output });
        }
        let environment = Environment::current().or_fault()?;
        if let Some(folder) = self.configs.first().map(|config| folder_of(config)).transpose()?.flatten() {
            refuse_changes(&folder.path().display(), &self.flags, &self.test)?;
            let environment = environment.with_kept_programs(folder.programs());
            let plan = check_plan(test_of_tuned_values(&folder)?, &environment)?;
            return play_plan(plan, &self.output, &environment);
        }
        let run = match self.configs.first().map(PathBuf::as_path).map(PlanSource::read).transpose()? {
            Some(PlanSource::Recorded(plan)) => {
                refuse_changes(&self.configs[0].display(), &self.flags, &self.test)?;
                return play_plan(check_plan(*plan, &environment)?, &self.output, &environment);
            }
            Some(PlanSource::File(run)) => *run,
            None => RunFile::default(),
        };
        let mut run = self.with_engines(run)?;
        apply(&self.flags, &self.output, &mut run);
        if let Some(note) = self.test.ensure_test(&mut run).or_usage()? {
            self.output.console().print(&note);
        }
        play_plan(checked_plan(&run, &environment)?, &self.output, &environment)
    }

    /// Sets the engines of the command line in the run file.
    fn with_engines(&self, mut run: RunFile) -> Result<RunFile, Failure> {
        let (candidate, baseline) = self.revisions.build()?;
        let candidate = candidate.or_else(|| self.candidate.clone());
        let baseline = baseline.or_else(|| self.baseline.clone());
        if run.engines.is_empty() {
            let (Some(candidate), Some(baseline)) = (candidate, baseline) else {
                return Err(Failure::usage(
                    "name two engines: [candidate] and [baseline] in a CONFIG, --candidate and --baseline, or \
                     --candidate-rev and --baseline-rev",
                ));
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
