//! `playself simulate tune`: a tuner on a landscape whose best settings are known.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use playself::stats::{Elo, GameModel};
use playself::tuning::{
    Cliff, Kind, Landscape, Lookahead, Method, Parabola, Parameter, SimulatedGames, SimulatedRun,
    TuneSimulation, standard_landscapes,
};
use serde::{Deserialize, Serialize};

/// Tune on simulated games, and tell how much strength is left to win.
///
/// Elo is 0 at the optimum and negative elsewhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  playself simulate tune --landscape L2 --games 40000 --runs 20 --seed 1")]
pub(crate) struct TuneArguments {
    /// A TOML file, or one of the standard landscapes L1 to L11.
    #[arg(long, value_name = "FILE.toml|NAME")]
    landscape: PathBuf,

    /// Games of a run; a tuner that is sure may stop earlier.
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    games: u64,

    /// Runs.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,

    /// All chance follows from it.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// How to tune: bayes, spsa, fishtest, openbench, weather-factory or sweep.
    #[arg(long, value_name = "NAME", default_value = Method::NAMES[0])]
    method: String,

    /// Print JSON, one line per run and a last one over all.
    #[arg(long)]
    json: bool,
}

/// A landscape as its author wrote it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LandscapeFile {
    draw_ratio: f64,
    #[serde(default)]
    bias: f64,
    /// The draw ratio at the end of a run, where it drifts.
    draw_ratio_end: Option<f64>,
    /// Share of pairs decided by coins.
    #[serde(default)]
    coin_flips: f64,
    /// Turns the slopes away from the parameters.
    turned_by_seed: Option<u64>,
    cliff: Option<CliffTable>,
    parameter: Vec<ParameterTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CliffTable {
    at: f64,
    elo: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterTable {
    name: String,
    min: f64,
    max: f64,
    start: f64,
    optimum: f64,
    curvature: f64,
    curvature_below: Option<f64>,
    #[serde(default)]
    integer: bool,
}

/// Steps in which a drifting draw ratio changes.
const DRIFT_STEPS: u32 = 4;

impl LandscapeFile {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| {
            format!("cannot read {}; --landscape takes a TOML file or one of L1 to L11", path.display())
        })?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    fn landscape(&self) -> anyhow::Result<Landscape> {
        if let Some(table) = self.parameter.iter().find(|table| {
            ![table.curvature, table.curvature_below.unwrap_or(0.0)].iter().all(|curvature| *curvature >= 0.0)
        }) {
            bail!("parameter `{}` has a curvature below 0: its optimum would be its worst value", table.name);
        }
        let slope = |table: &ParameterTable| Parabola {
            parameter: Parameter {
                kind: if table.integer { Kind::Integer } else { Kind::Real },
                ..Parameter::real(&table.name, table.min, table.max, table.start)
            },
            optimum: table.optimum,
            above: table.curvature,
            below: table.curvature_below.unwrap_or(table.curvature),
        };
        let mut landscape = Landscape::new(self.parameter.iter().map(slope).collect())?;
        if let Some(CliffTable { at, elo }) = self.cliff {
            landscape = landscape.with_cliff(Cliff { at, elo: Elo(elo) });
        }
        Ok(self.turned_by_seed.into_iter().fold(landscape, Landscape::rotated))
    }

    fn games(&self) -> anyhow::Result<Vec<SimulatedGames>> {
        let Some(end) = self.draw_ratio_end else { return Ok(vec![self.games_at(self.draw_ratio)?]) };
        let share = |step: u32| f64::from(step) / f64::from(DRIFT_STEPS - 1);
        (0..DRIFT_STEPS)
            .map(|step| self.games_at(self.draw_ratio + share(step) * (end - self.draw_ratio)))
            .collect()
    }

    fn games_at(&self, draw_ratio: f64) -> anyhow::Result<SimulatedGames> {
        let model = GameModel::new(draw_ratio, Elo(self.bias))?;
        Ok(SimulatedGames::new(&model).with_coin_flips(self.coin_flips))
    }
}

#[derive(Debug, Serialize)]
struct RunLine {
    run: u64,
    start_elo: f64,
    final_elo: f64,
    games: u64,
}

#[derive(Debug, Serialize)]
struct Summary {
    runs: u64,
    mean_start_elo: f64,
    mean_final_elo: f64,
    p5_final_elo: f64,
    mean_games: f64,
    coverage: Option<f64>,
}

impl Summary {
    fn of(runs: &[SimulatedRun]) -> Self {
        let count = runs.len() as f64;
        let mean = |value: fn(&SimulatedRun) -> f64| runs.iter().map(value).sum::<f64>() / count;
        let mut ends: Vec<f64> = runs.iter().map(|run| run.end.0).collect();
        ends.sort_by(f64::total_cmp);
        let intervals = mean(|run| f64::from(run.intervals));
        Self {
            runs: runs.len() as u64,
            mean_start_elo: mean(|run| run.start.0),
            mean_final_elo: mean(|run| run.end.0),
            p5_final_elo: ends[runs.len() / 20],
            mean_games: mean(|run| 2.0 * run.pairs as f64),
            coverage: (intervals > 0.0).then(|| mean(|run| f64::from(run.covering_intervals)) / intervals),
        }
    }
}

impl TuneArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.runs == 0 || self.games < 2 {
            bail!("--runs must be at least 1 and --games at least 2");
        }
        let standard =
            standard_landscapes().into_iter().find(|exhibit| Path::new(exhibit.name) == self.landscape);
        let (landscape, games) = match standard {
            Some(exhibit) => (exhibit.landscape, exhibit.games),
            None => {
                let file = LandscapeFile::read(&self.landscape)?;
                let told = || self.landscape.display().to_string();
                (file.landscape().with_context(told)?, file.games().with_context(told)?)
            }
        };
        let pairs = self.games / 2;
        let Some(method) = Method::named(&self.method, landscape.space(), pairs) else {
            bail!("--method `{}` is not known; choose one of {}", self.method, Method::NAMES.join(", "));
        };
        let (lookahead, seed) = (Lookahead::default(), self.seed);
        let runs = TuneSimulation { landscape, games, method, pairs, lookahead, seed }.run(self.runs);
        self.tell(&runs)?;
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, runs: &[SimulatedRun]) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        let summary = Summary::of(runs);
        if self.json {
            for (run, ended) in (0..).zip(runs) {
                let (start_elo, final_elo) = (ended.start.0, ended.end.0);
                let line = RunLine { run, start_elo, final_elo, games: 2 * ended.pairs };
                writeln!(out, "{}", serde_json::to_string(&line)?)?;
            }
            writeln!(out, "{}", serde_json::to_string(&summary)?)?;
            return Ok(());
        }
        writeln!(out, "Runs       {}", summary.runs)?;
        writeln!(out, "Start      {:.2} Elo", summary.mean_start_elo)?;
        writeln!(
            out,
            "End        {:.2} Elo on average, 5 % quantile {:.2}",
            summary.mean_final_elo, summary.p5_final_elo
        )?;
        writeln!(out, "Games      {:.0} on average", summary.mean_games)?;
        if let Some(coverage) = summary.coverage {
            writeln!(out, "Intervals  {:.1} % held the optimum", 100.0 * coverage)?;
        }
        Ok(())
    }
}
