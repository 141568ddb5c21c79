//! `playself plan CONFIG`: what a test will cost, before it is run.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{Environment, Failure, Forecast, OrFailure, answer, checked_plan, pilot};
use playself::config::{EngineEntry, RunFile};
use playself::stats::{Elo, Estimate, OperatingCurve, Pentanomial};
use serde_json::json;

use crate::play::apply;

/// Rows and columns of the plot.
const PLOT: (usize, usize) = (9, 51);

/// Say what a sequential test will cost: plays a short pilot, then tells pairs, hours and chances
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlanCommand {
    /// The test, for example configs/sprt.toml
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// The engine that is to be accepted or not
    #[arg(long, value_name = "ENGINE")]
    candidate: Option<String>,
    /// The engine it is measured against
    #[arg(long, value_name = "ENGINE")]
    baseline: Option<String>,
    /// Pairs of the pilot
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    pilot_pairs: u64,
    #[command(flatten)]
    flags: RunFlags,
}

impl PlanCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let mut run = match &self.config {
            Some(path) => RunFile::read(path).or_usage()?,
            None => RunFile::default(),
        };
        if let (Some(candidate), Some(baseline)) = (&self.candidate, &self.baseline) {
            run.engines = vec![EngineEntry::named(candidate), EngineEntry::named(baseline)];
        }
        apply(&self.flags, &mut run)?;
        let no_test =
            || Failure::usage("nothing to forecast: the run has no test; add [sprt], --sprt or --preset");
        if run.sprt.is_none() {
            return Err(no_test());
        }
        let plan = checked_plan(&run, &environment)?.plan;
        let measured = pilot(&plan, self.pilot_pairs, &environment)?;
        let forecast = Forecast::of(&plan, measured).ok_or_else(no_test)?;
        if self.flags.output.json {
            answer(forecast_json(&forecast))?;
        } else {
            answer(forecast_text(&forecast, plan.concurrency).or_fault()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn forecast_json(forecast: &Forecast) -> serde_json::Value {
    let [elo0, midpoint, elo1] = forecast.strengths().map(|(_, at)| at);
    json!({
        "max_pairs": forecast.max_pairs,
        "max_hours": forecast.max_hours(),
        "seconds_per_pair": forecast.pilot.seconds_per_pair,
        "pilot_pairs": forecast.pilot.pentanomial.pairs(),
        "elo0": elo0,
        "midpoint": midpoint,
        "elo1": elo1,
    })
}

fn forecast_text(forecast: &Forecast, concurrency: usize) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let pentanomial = forecast.pilot.pentanomial;
    writeln!(
        text,
        "Pilot: {} pairs, {:.2} s a pair at concurrency {concurrency}{}",
        pentanomial.pairs(),
        forecast.pilot.seconds_per_pair,
        pilot_elo(&pentanomial)
    )?;
    writeln!(text, "\n{:<10} {:>8} {:>10} {:>10} {:>10}", "true", "Elo", "passes", "pairs", "hours")?;
    for (name, at) in forecast.strengths() {
        let (elo, passes) = (at.elo + 0.0, 100.0 * at.pass_probability);
        writeln!(text, "{name:<10} {elo:>8.2} {passes:>9.1}% {:>10.0} {:>10.2}", at.pairs, at.hours)?;
    }
    if let (Some(most), Some(hours)) = (forecast.max_pairs, forecast.max_hours()) {
        writeln!(
            text,
            "\nThe run ends at pair {most}, after {hours:.2} hours, decided or not; pairs and chances above are those of a \
             test without that limit."
        )?;
    }
    text.push('\n');
    plot(&mut text, &forecast.curve)?;
    Ok(text)
}

fn pilot_elo(pentanomial: &Pentanomial) -> String {
    Estimate::of(pentanomial)
        .map_or(String::new(), |estimate| format!(", Elo {:.0} ± {:.0}", estimate.elo, estimate.elo_error))
}

/// The chance to pass against the true strength.
fn plot(text: &mut String, curve: &OperatingCurve) -> std::fmt::Result {
    let (rows, columns) = PLOT;
    let (null, alternative) = (curve.null().0, curve.alternative().0);
    let gap = alternative - null;
    let strength = |column: usize| null - gap + 3.0 * gap * column as f64 / (columns - 1) as f64;
    writeln!(text, "chance to pass, by true strength")?;
    for row in 0..rows {
        let level = 1.0 - row as f64 / (rows - 1) as f64;
        write!(text, "{:>4.0}% |", 100.0 * level)?;
        for column in 0..columns {
            let chance = curve.pass_probability(Elo(strength(column)));
            let near = (chance - level).abs() * (rows - 1) as f64 <= 0.5;
            text.push(if near { '*' } else { ' ' });
        }
        text.push('\n');
    }
    writeln!(text, "      +{}", "-".repeat(columns))?;
    let third = columns / 3;
    writeln!(
        text,
        "{:>7.1}{:>third$.1}{:>third$.1}{:>third$.1} Elo",
        strength(0),
        null,
        alternative,
        strength(columns - 1)
    )
}
