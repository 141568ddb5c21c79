//! `plan.toml`: a plan as text, and back.

use crate::experiment::Plan;

/// A plan that has no text, or a text that is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// A number or name that TOML cannot hold.
    #[error("the plan cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
    /// Not what this version of the program writes.
    #[error("plan.toml cannot be read: {0}")]
    Read(#[from] toml::de::Error),
}

/// The text of a plan.
pub fn plan_to_toml(plan: &Plan) -> Result<String, PlanFileError> {
    Ok(format!(
        "# Everything needed to repeat this run. Changing it ends the run's right to be resumed.\n\n{}",
        toml::to_string(plan)?
    ))
}

/// The plan of a text.
pub fn plan_from_toml(text: &str) -> Result<Plan, PlanFileError> {
    Ok(toml::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{EngineEntry, RunFile, Surroundings, resolve};
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
            Surroundings { this_program: PathBuf::from("/bin/sh"), engines: PathBuf::from("/no/engines") };
        let plan = resolve(&run, &around, u64::from(u32::MAX)).unwrap();
        assert_eq!(plan_from_toml(&plan_to_toml(&plan).unwrap()).unwrap(), plan);
        run.sprt = None;
        run.games.openings = None;
        run.engines.push(EngineEntry::named("builtin"));
        let plan = resolve(&run, &around, 1).unwrap();
        assert_eq!(plan_from_toml(&plan_to_toml(&plan).unwrap()).unwrap(), plan);
    }
}
