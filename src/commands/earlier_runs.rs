//! Pairs of earlier tuning runs as evidence for a new one.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use crate::run::{Plan, PlannedEngine, RunKind, plan_from_toml};
use crate::stats::PairScore;
use crate::store::{RunFolder, read_text};
use crate::tuning::{EarlierPair, EarlierPairs, Settings, Space};

/// Reads the pairs of the runs in `folders`, which must have tuned the same engine at the same limits. Their parameters must be
/// parameters of `space`; those that they did not tune count as having been at their start.
pub(super) fn earlier_pairs(
    folders: &[PathBuf],
    engine: &PlannedEngine,
    space: &Space,
) -> anyhow::Result<EarlierPairs> {
    let mut pairs = Vec::new();
    for path in folders {
        let read = || -> anyhow::Result<Vec<EarlierPair>> {
            let folder = RunFolder::open(path)?;
            let plan = plan_from_toml(&read_text(&folder.plan())?)?;
            agrees(&plan, engine)?;
            let trials = path.join("trials.csv");
            let text = read_text(&trials).with_context(|| format!("{} cannot be read", trials.display()))?;
            read_trials(&text, &plan, space)
        };
        pairs.extend(read().with_context(|| format!("--learn-from {}", path.display()))?);
    }
    Ok(EarlierPairs::new(pairs, space.len()))
}

/// Checks that a run tuned this engine at its limits.
fn agrees(plan: &Plan, engine: &PlannedEngine) -> anyhow::Result<()> {
    let Some(earlier) = plan.engines.first().filter(|_| plan.is_tuning()) else {
        bail!("it is no tuning run")
    };
    let program = |engine: &PlannedEngine| engine.files.first().map(|file| file.sha256.clone());
    ensure!(
        program(earlier) == program(engine),
        "its engine was another program: pairs of an engine that plays differently are no evidence"
    );
    ensure!(
        earlier.limits == engine.limits,
        "its engine played with {}, this one plays with {}",
        earlier.limits,
        engine.limits
    );
    Ok(())
}

fn read_trials(text: &str, plan: &Plan, space: &Space) -> anyhow::Result<Vec<EarlierPair>> {
    let RunKind::Tuning { tuner, .. } = &plan.kind else { bail!("it is no tuning run") };
    for parameter in tuner.space.parameters() {
        ensure!(
            space.parameters().iter().any(|known| known.name == parameter.name),
            "it also tuned `{}`, which this run does not",
            parameter.name
        );
    }
    let mut lines = text.lines();
    let header: HashMap<&str, usize> = lines
        .next()
        .unwrap_or_default()
        .split(',')
        .zip(0..)
        .map(|(name, at)| (name.trim_matches('"'), at))
        .collect();
    let column = |name: &str| header.get(name).copied();
    let points = column("points").context("trials.csv has no column `points`")?;
    let columns = |suffix: &str| -> Vec<Option<usize>> {
        space.parameters().iter().map(|parameter| column(&format!("{}{suffix}", parameter.name))).collect()
    };
    let (plus, minus) = (columns("_plus"), columns("_minus"));
    let start = tuner.space.start();
    let same_start = tuner.space.named(&start).all(|(name, value)| {
        space.parameters().iter().any(|parameter| parameter.name == name && parameter.start == value)
    });
    let mut pairs = Vec::new();
    for (number, line) in (2..).zip(lines) {
        let cells: Vec<&str> = line.split(',').collect();
        let at = |column: usize| cells.get(column).and_then(|cell| cell.parse::<f64>().ok());
        let side = |columns: &[Option<usize>]| -> Option<Settings> {
            let values = columns.iter().zip(space.parameters()).map(|(column, parameter)| match column {
                Some(column) => at(*column),
                None => Some(parameter.start),
            });
            values.collect::<Option<Vec<f64>>>().map(Settings)
        };
        let wrong = || format!("line {number} of trials.csv is damaged; `playself verify` rebuilds it");
        let score = at(points).and_then(|points| PairScore::from_half_points((2.0 * points) as u8).ok());
        let pair = EarlierPair {
            plus: side(&plus).with_context(wrong)?,
            minus: side(&minus).with_context(wrong)?,
            score: score.with_context(wrong)?,
        };
        // Pairs against another start carry no evidence about one parameter, nor about the gain over this start.
        let is_anchor = tuner.space.len() > 1 && is_at(&pair.minus, &tuner.space, space);
        if same_start || !is_anchor {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

/// Returns whether the settings have the starting values of `earlier`.
fn is_at(settings: &Settings, earlier: &Space, space: &Space) -> bool {
    let values: HashMap<&str, f64> = space.named(settings).collect();
    earlier.parameters().iter().all(|parameter| values.get(parameter.name.as_str()) == Some(&parameter.start))
}
