//! `plan.toml`: writing, reading and comparing plans.

use crate::run::Plan;

/// A plan that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// A value that TOML cannot represent.
    #[error("the plan cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
    /// Not a plan of this version of the program.
    #[error("plan.toml cannot be read: {0}")]
    Read(#[from] toml::de::Error),
}

/// Returns the text of a plan.
pub fn plan_to_toml(plan: &Plan) -> Result<String, PlanFileError> {
    Ok(format!(
        "# Everything needed to repeat this run. Changing it ends the run's right to be resumed.\n\n{}",
        toml::to_string(plan)?
    ))
}

/// Parses the text of a plan.
///
/// The way through a table needs one deserializer for the many types of a plan. `toml::from_str` has three, and took a twentieth
/// of the time to compile the library.
pub fn plan_from_toml(text: &str) -> Result<Plan, PlanFileError> {
    Ok(text.parse::<toml::Table>()?.try_into()?)
}

/// Stands for a value that may be a secret.
const HIDDEN_VALUE: &str = "(hidden)";

/// Returns the text of a plan as it may be shown to others: without the values of the environment of engines.
pub fn shown_plan(text: &str) -> String {
    let Ok(mut plan) = text.parse::<toml::Table>() else {
        return "# This is not a plan.\n".to_owned();
    };
    let mut hidden = 0;
    let engines = plan.get_mut("engines").and_then(toml::Value::as_array_mut);
    for engine in engines.into_iter().flatten() {
        let variables = engine.get_mut("spec").and_then(|spec| spec.get_mut("env"));
        for variable in variables.and_then(toml::Value::as_array_mut).into_iter().flatten() {
            if let Some(value) = variable.get_mut(1) {
                *value = toml::Value::String(HIDDEN_VALUE.to_owned());
                hidden += 1;
            }
        }
    }
    if hidden == 0 {
        return text.to_owned();
    }
    let shown = toml::to_string(&plan).unwrap_or_default();
    format!(
        "# The values of environment variables are hidden. The file in the run folder has them.\n\n{shown}"
    )
}

/// Returns the differences between two texts of a plan, one line per key.
pub fn plan_changes(played: &str, now: &str) -> Vec<String> {
    let (Ok(played), Ok(now)) = (played.parse(), now.parse()) else { return Vec::new() };
    let mut changes = Vec::new();
    compare("plan", Some(&toml::Value::Table(played)), Some(&toml::Value::Table(now)), &mut changes);
    changes
}

fn compare(key: &str, was: Option<&toml::Value>, is: Option<&toml::Value>, changes: &mut Vec<String>) {
    use toml::Value::{Array, Table};
    let below = |name: &dyn std::fmt::Display| {
        if key == "plan" { name.to_string() } else { format!("{key}.{name}") }
    };
    match (was, is) {
        (Some(Table(was)), Some(Table(is))) => {
            let added = is.keys().filter(|name| !was.contains_key(*name));
            for name in was.keys().chain(added) {
                compare(&below(name), was.get(name), is.get(name), changes);
            }
        }
        (Some(Array(was)), Some(Array(is))) => {
            for at in 0..was.len().max(is.len()) {
                compare(&below(&(at + 1)), was.get(at), is.get(at), changes);
            }
        }
        (was, is) if was == is => {}
        // The values may be secrets.
        (Some(_), Some(_)) if key.contains(".env.") => changes.push(format!("{key} was changed")),
        _ if key.contains(".env.") => changes.push(format!("{key} was added or removed")),
        (Some(was), Some(is)) => changes.push(format!("{key} was {was} and is {is} now")),
        (Some(was), None) => changes.push(format!("{key} was {was} and is missing now")),
        (None, Some(is)) => changes.push(format!("{key} is {is} and was not there")),
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{EngineEntry, RunFile, SearchPaths, resolve};
    use std::path::{Path, PathBuf};

    #[test]
    fn a_plan_survives_its_text() {
        let text = r#"
            [[engines]]
            engine = "ace:/bin/cat"
            depth = 3
            [[engines]]
            engine = "/bin/cat"
            options = { Hash = 16 }
            env = { A = "b" }
            dir = "private"
            memory_mb = 512
            processes = 9
            start_s = 0.25
            stderr_kb = 8
            [games]
            tc = "40/60+0.6"
            openings = "/bin/sh"
            max_pairs = 5
            [adjudicate]
            resign = { moves = 3, cp = 600 }
            max_moves = 200
            [sprt]
            elo = [-1.75, 0.25]
        "#;
        let mut run = RunFile::parse(Path::new("x.toml"), text).unwrap();
        run.engines.truncate(2);
        let around =
            SearchPaths { this_program: PathBuf::from("/bin/sh"), engines: PathBuf::from("/no/engines") };
        let plan = resolve(&run, &around, u64::from(u32::MAX)).unwrap();
        assert_eq!(plan_from_toml(&plan_to_toml(&plan).unwrap()).unwrap(), plan);
        run.sprt = None;
        run.games.openings = None;
        run.engines.push(EngineEntry::named("builtin"));
        let plan = resolve(&run, &around, 1).unwrap();
        assert_eq!(plan_from_toml(&plan_to_toml(&plan).unwrap()).unwrap(), plan);
    }

    #[test]
    fn values_of_the_environment_are_neither_shown_nor_compared_in_public() {
        let text = "seed = 1\n[[engines]]\n[engines.spec]\nname = \"x\"\nenv = [[\"TOKEN\", \"s3cret\"]]\n";
        let shown = shown_plan(text);
        assert!(
            shown.contains("TOKEN") && shown.contains("(hidden)") && !shown.contains("s3cret"),
            "{shown}"
        );
        let other = text.replace("s3cret", "0ther");
        let changes = plan_changes(text, &other);
        assert_eq!(changes, ["engines.1.spec.env.1.2 was changed"]);
        let plain = "# a comment\nseed = 1\n";
        assert_eq!(shown_plan(plain), plain);
        assert!(!shown_plan("env = s3cret").contains("s3cret"));
    }

    #[test]
    fn changes_of_a_plan_are_reported_by_key() {
        let played = "seed = 3\nname = \"x\"\n[[engines]]\nargs = [\"a\"]\n[engines.limits]\nnodes = 5\n";
        let now =
            played.replace("seed = 3", "seed = 4").replace("nodes = 5", "depth = 1").replace("name", "date");
        let changes = plan_changes(played, &format!("# a comment\n{now}"));
        let mut expected = [
            "seed was 3 and is 4 now",
            "name was \"x\" and is missing now",
            "date is \"x\" and was not there",
            "engines.1.limits.nodes was 5 and is missing now",
            "engines.1.limits.depth is 1 and was not there",
        ];
        expected.sort_unstable();
        let mut found = changes.clone();
        found.sort_unstable();
        assert_eq!(found, expected);
        assert!(plan_changes(played, played).is_empty());
    }
}
