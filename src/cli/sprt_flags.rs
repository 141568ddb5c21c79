//! Flags of the sequential test of a run.

use anyhow::{Context, ensure};

use crate::cli::choices::choice;
use crate::cli::number_lists::numbers;
use crate::config::{Preset, RunFile, default_test};
use crate::stats::{EloModel, ErrorRate, Hypotheses, SprtConfig, TestKind};

/// The test of a run of two engines. A flag that is not given leaves the value of the configuration file, or its default.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub struct SprtFlags {
    /// Run a sequential test of H0, the candidate is ELO0 stronger, against H1, it is ELO1 stronger [default: 0,5 with `sprt`
    /// and `plan`, otherwise no test]
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = numbers::<2>, help_heading = "Test")]
    sprt: Option<[f64; 2]>,
    /// Probability of passing a candidate of strength ELO0 [default: 0.05]
    #[arg(long, value_name = "RATE", help_heading = "Test")]
    alpha: Option<f64>,
    /// Probability of failing a candidate of strength ELO1 [default: 0.05]
    #[arg(long, value_name = "RATE", help_heading = "Test")]
    beta: Option<f64>,
    /// Scale of ELO0 and ELO1 [default: normalized]
    #[arg(long, value_name = "MODEL", value_parser = choice::<EloModel>(), help_heading = "Test")]
    model: Option<EloModel>,
    /// When the test ends [default: sprt]
    #[arg(long, value_name = "TEST", value_parser = choice::<TestKind>(), help_heading = "Test")]
    test: Option<TestKind>,
    /// Usual bounds and clock for a purpose
    #[arg(long, value_name = "PRESET", value_parser = choice::<Preset>(), conflicts_with = "sprt", help_heading = "Test")]
    preset: Option<Preset>,
}

impl SprtFlags {
    /// Returns whether the flags ask for a test of two engines.
    pub fn asks_for_test(&self) -> bool {
        self.sprt.is_some() || self.preset.is_some()
    }

    /// Gives the run file a test: that of the flags, its own, or the default one, about which a note for the user is returned.
    pub fn ensure_test(&self, run: &mut RunFile) -> anyhow::Result<Option<String>> {
        let is_named = run.sprt.is_some() || self.asks_for_test();
        run.sprt.get_or_insert_with(default_test);
        self.apply(run)?;
        Ok(run.sprt.filter(|_| !is_named).map(|SprtConfig { hypotheses, model, .. }| {
            let (null, alternative) = (hypotheses.null(), hypotheses.alternative());
            format!(
                "Testing [{null}, {alternative}] {model} Elo by default; set other bounds with --sprt ELO0,ELO1 or [sprt]"
            )
        }))
    }

    /// Overrides the test of the run file by the flags that are given. The clock of a preset applies where no limit is set, so
    /// limits are applied before.
    pub fn apply(&self, run: &mut RunFile) -> anyhow::Result<()> {
        let hypotheses = match (self.sprt, self.preset) {
            (Some([null, alternative]), _) => Some(Hypotheses::new(null, alternative).context("--sprt")?),
            (None, preset) => preset.map(Preset::hypotheses),
        };
        if let Some(hypotheses) = hypotheses {
            run.sprt = Some(SprtConfig { hypotheses, ..run.sprt.unwrap_or(SprtConfig::usual(hypotheses)) });
        }
        if let Some(preset) = self.preset
            && !run.games.limits.limits_thinking()
        {
            run.games.limits.tc = Some(preset.clock());
        }
        let given =
            self.alpha.is_some() || self.beta.is_some() || self.model.is_some() || self.test.is_some();
        let Some(sprt) = &mut run.sprt else {
            ensure!(!given, "--alpha, --beta, --model and --test need a test: add --sprt ELO0,ELO1");
            return Ok(());
        };
        if let Some(alpha) = self.alpha {
            sprt.alpha = ErrorRate::new(alpha).context("--alpha")?;
        }
        if let Some(beta) = self.beta {
            sprt.beta = ErrorRate::new(beta).context("--beta")?;
        }
        sprt.model = self.model.unwrap_or(sprt.model);
        sprt.kind = self.test.unwrap_or(sprt.kind);
        Ok(())
    }
}
