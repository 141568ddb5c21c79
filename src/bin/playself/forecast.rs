//! `playself plan CONFIG`: what a test will cost, before it is run.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use playself::config::{EngineEntry, RunFile};
use playself::run::Plan;
use playself::stats::{Elo, Estimate, GameVariance, OperatingCurve, Pentanomial};

use crate::launch::Show;
use crate::pilot::{Pilot, pilot};
use crate::run_flags::{RunFlags, plan_of};

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
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut run = match &self.config {
            Some(path) => RunFile::read(path)?,
            None => RunFile::default(),
        };
        if let (Some(candidate), Some(baseline)) = (&self.candidate, &self.baseline) {
            run.engines = vec![EngineEntry::named(candidate), EngineEntry::named(baseline)];
        }
        self.flags.apply(&mut run)?;
        let plan = plan_of(&run)?.plan;
        anyhow::ensure!(plan.sprt.is_some(), "there is no test to foretell: add [sprt], --sprt or --preset");
        let measured = pilot(&plan, self.pilot_pairs)?;
        if self.flags.output.json {
            Show::Human.say(&forecast_json(&plan, &measured)?.to_string());
        } else {
            Show::Human.say(&forecast_text(&plan, &measured)?);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Three strengths that matter, with their names.
fn strengths(curve: &OperatingCurve) -> [(&'static str, Elo); 3] {
    let (null, alternative) = (curve.null(), curve.alternative());
    [("elo0", null), ("midpoint", Elo((null.0 + alternative.0) / 2.0)), ("elo1", alternative)]
}

fn curve_of(plan: &Plan, measured: &Pilot) -> anyhow::Result<OperatingCurve> {
    let sprt = plan.sprt.context("a plan without a test")?;
    Ok(OperatingCurve::new(&sprt, variance_of(measured)).with_overshoot())
}

/// The variance of a game; a short pilot is mixed with the usual draw rate, lest four pairs decide.
fn variance_of(measured: &Pilot) -> GameVariance {
    const USUAL_DRAWS: f64 = 0.5;
    const WORTH: f64 = 20.0;
    let games = measured.pentanomial.games() as f64;
    let draws = (measured.draw_ratio * games + USUAL_DRAWS * WORTH) / (games + WORTH);
    GameVariance::of_games(draws.clamp(0.0, 0.98), Elo(0.0))
        .expect("a draw rate below 1 leaves some variance")
}

fn forecast_json(plan: &Plan, measured: &Pilot) -> anyhow::Result<serde_json::Value> {
    let curve = curve_of(plan, measured)?;
    let at = |truth: Elo| {
        let pairs = curve.expected_pairs(truth);
        serde_json::json!({
            "elo": truth.0,
            "pass_probability": curve.pass_probability(truth),
            "pairs": pairs,
            "hours": pairs * measured.seconds_per_pair / 3600.0,
        })
    };
    let [elo0, midpoint, elo1] = strengths(&curve).map(|(_, truth)| at(truth));
    Ok(serde_json::json!({
        "max_pairs": plan.max_pairs,
        "max_hours": plan.max_pairs.map(|pairs| pairs as f64 * measured.seconds_per_pair / 3600.0),
        "seconds_per_pair": measured.seconds_per_pair,
        "pilot_pairs": measured.pentanomial.pairs(),
        "elo0": elo0,
        "midpoint": midpoint,
        "elo1": elo1,
    }))
}

fn forecast_text(plan: &Plan, measured: &Pilot) -> anyhow::Result<String> {
    let curve = curve_of(plan, measured)?;
    let mut text = String::new();
    let Pilot { seconds_per_pair, pentanomial, .. } = *measured;
    writeln!(
        text,
        "Pilot: {} pairs, {seconds_per_pair:.2} s a pair at concurrency {}{}",
        pentanomial.pairs(),
        plan.concurrency,
        pilot_elo(&pentanomial)
    )?;
    writeln!(text, "\n{:<10} {:>8} {:>10} {:>10} {:>10}", "true", "Elo", "passes", "pairs", "hours")?;
    for (name, truth) in strengths(&curve) {
        let pairs = curve.expected_pairs(truth);
        writeln!(
            text,
            "{name:<10} {:>8.2} {:>9.1}% {pairs:>10.0} {:>10.2}",
            truth.0 + 0.0,
            100.0 * curve.pass_probability(truth),
            pairs * seconds_per_pair / 3600.0
        )?;
    }
    if let Some(most) = plan.max_pairs {
        writeln!(
            text,
            "\nThe run ends at pair {most}, after {:.2} hours, decided or not; pairs and chances above are those of a test \
             without that limit.",
            most as f64 * seconds_per_pair / 3600.0
        )?;
    }
    text.push('\n');
    plot(&mut text, &curve)?;
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
