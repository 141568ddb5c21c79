//! `playself simulate tune`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use playself::commands::{
    ComparedMethods, Failure, OrFailure, SimulatedTuning, SimulatedTuningSummary, answer,
};
use playself::config::LandscapeFile;
use playself::store::write_output;
use playself::tuning::{Lookahead, Method, SimulatedRun, Space, TuneSimulation, standard_landscapes};

/// Run a tuner on a landscape whose optimum is known.
///
/// Prints the strength before and after tuning: 0 Elo at the optimum, negative elsewhere.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  playself simulate tune --landscape L2 --games 40000 --runs 20 --seed 1\n  \
    playself simulate tune --landscape L4 --method all --runs 20 --svg tuners.svg"
)]
pub(crate) struct TuneArguments {
    /// TOML file (see docs/configuration.md), or one of the standard landscapes L1 to L11 and N1 to N9
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
    /// Tuning method: bayes, spsa (fishtest's automatic gains), fishtest, openbench, weather-factory, schedule-free, clop,
    /// cma-es, sweep or all; may be repeated, for a table of methods
    #[arg(long, value_name = "NAME", default_value = Method::NAMES[0])]
    method: Vec<String>,
    /// With several methods: write a chart of their results to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON: a line for each run, then one for all of them
    #[arg(long)]
    json: bool,
}

impl TuneArguments {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let LandscapeFile { landscape, games } = self.landscape()?;
        let pairs = self.games / 2;
        let methods = self.methods(landscape.space(), pairs)?;
        let (lookahead, seed, method) = (Lookahead::default(), self.seed, methods[0].1.clone());
        let simulation = TuneSimulation { landscape, games, method, pairs, lookahead, seed };
        match &methods[..] {
            [_] if self.svg.is_none() => self.print(&simulation.run(self.runs))?,
            several => self.compare(&ComparedMethods::run(&simulation, several, self.runs))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn methods(&self, space: &Space, pairs: u64) -> Result<Vec<(String, Method)>, Failure> {
        let all = self.method.iter().any(|name| name == "all");
        let names = if all { Method::NAMES.map(str::to_owned).into() } else { self.method.clone() };
        let method = |name: String| match Method::named(&name, space, pairs) {
            Some(method) => Ok((name, method)),
            None => {
                let known = Method::NAMES.join(", ");
                Err(Failure::usage(format_args!("unknown --method `{name}`; choose one of {known}, all")))
            }
        };
        names.into_iter().map(method).collect()
    }

    fn compare(&self, compared: &ComparedMethods) -> Result<(), Failure> {
        if let Some(path) = &self.svg {
            let chart = compared.chart(&self.landscape.display().to_string());
            write_output(path, chart.as_bytes()).context("the chart cannot be written").or_fault()?;
        }
        if self.json {
            return compared.json_lines().into_iter().try_for_each(answer);
        }
        answer(compared.table().trim_end())
    }

    fn landscape(&self) -> Result<LandscapeFile, Failure> {
        let standard =
            standard_landscapes().into_iter().find(|known| Path::new(known.name) == self.landscape);
        if let Some(known) = standard {
            return Ok(LandscapeFile { landscape: known.landscape, games: known.games });
        }
        if !self.landscape.exists() {
            return Err(Failure::usage(format_args!(
                "{} does not exist: --landscape takes a TOML file or one of L1 to L11 and N1 to N9",
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
        answer(format_args!("Runs       {}", summary.runs))?;
        answer(format_args!("Start      {:.2} Elo", summary.mean_start_elo))?;
        let (mean, low) = (summary.mean_final_elo, summary.p5_final_elo);
        answer(format_args!("End        {mean:.2} Elo on average, 5 % quantile {low:.2}"))?;
        answer(format_args!("Games      {:.0} on average", summary.mean_games))?;
        if let Some(coverage) = summary.coverage {
            answer(format_args!("Intervals  {:.1} % contain the optimum", 100.0 * coverage))?;
        }
        Ok(())
    }
}
