//! `playself simulate tune`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use playself::commands::{Failure, OrFailure, SimulatedTuning, SimulatedTuningSummary, answer};
use playself::config::LandscapeFile;
use playself::tuning::{Lookahead, Method, SimulatedRun, TuneSimulation, standard_landscapes};

/// Run a tuner on a landscape whose optimum is known.
///
/// Prints the strength before and after tuning: 0 Elo at the optimum, negative elsewhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  playself simulate tune --landscape L2 --games 40000 --runs 20 --seed 1")]
pub(crate) struct TuneArguments {
    /// TOML file (see docs/configuration.md), or one of the standard landscapes L1 to L11 and N1 to N8
    #[arg(long, value_name = "FILE|NAME")]
    landscape: PathBuf,
    /// Number of games of a run; a tuner may stop earlier
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    games: u64,
    /// Number of runs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Tuning method: bayes, spsa, fishtest, openbench, weather-factory or sweep
    #[arg(long, value_name = "NAME", default_value = Method::NAMES[0])]
    method: String,
    /// Print JSON: a line for each run, then one for all of them
    #[arg(long)]
    json: bool,
}

impl TuneArguments {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let LandscapeFile { landscape, games } = self.landscape()?;
        let pairs = self.games / 2;
        let method = Method::named(&self.method, landscape.space(), pairs).ok_or_else(|| {
            let known = Method::NAMES.join(", ");
            Failure::usage(format_args!("unknown --method `{}`; choose one of {known}", self.method))
        })?;
        let (lookahead, seed) = (Lookahead::default(), self.seed);
        let runs = TuneSimulation { landscape, games, method, pairs, lookahead, seed }.run(self.runs);
        self.print(&runs)?;
        Ok(ExitCode::SUCCESS)
    }

    fn landscape(&self) -> Result<LandscapeFile, Failure> {
        let standard =
            standard_landscapes().into_iter().find(|known| Path::new(known.name) == self.landscape);
        if let Some(known) = standard {
            return Ok(LandscapeFile { landscape: known.landscape, games: known.games });
        }
        if !self.landscape.exists() {
            return Err(Failure::usage(format_args!(
                "{} does not exist: --landscape takes a TOML file or one of L1 to L11 and N1 to N8",
                self.landscape.display()
            )));
        }
        LandscapeFile::read(&self.landscape).or_usage()
    }

    fn print(&self, runs: &[SimulatedRun]) -> Result<(), Failure> {
        let summary = SimulatedTuningSummary::of(runs).ok_or_else(|| Failure::usage("--runs 0"))?;
        if self.json {
            for (run, result) in (0..).zip(runs) {
                answer(serde_json::to_string(&SimulatedTuning::of(run, result)).or_fault()?)?;
            }
            return answer(serde_json::to_string(&summary).or_fault()?);
        }
        let SimulatedTuningSummary { mean_final_elo, p5_final_elo, .. } = summary;
        answer(format_args!("Runs       {}", summary.runs))?;
        answer(format_args!("Start      {:.2} Elo", summary.mean_start_elo))?;
        answer(format_args!(
            "End        {mean_final_elo:.2} Elo on average, 5 % quantile {p5_final_elo:.2}"
        ))?;
        answer(format_args!("Games      {:.0} on average", summary.mean_games))?;
        if let Some(coverage) = summary.coverage {
            answer(format_args!("Intervals  {:.1} % contain the optimum", 100.0 * coverage))?;
        }
        Ok(())
    }
}
