//! Resolving a run file into a plan, and checking the plan against its engines.

use std::path::Path;
use std::pin::pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::commands::console::Console;
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::config::{RunFile, resolve};
use crate::frontend::options::EngineOptions;
use crate::game::EngineIndex;
use crate::player::{OptionError, check_isolation};
use crate::run::preflight::{EngineFacts, Handshake, handshake, refused_name};
use crate::run::{Plan, PlannedEngine, plan_from_toml};
use crate::store::read_text;

/// Time that the engines have to answer before a line states that they are waited for.
const UNANNOUNCED: Duration = Duration::from_secs(2);

/// A plan whose engines were started once and accepted their options.
#[derive(Clone, Debug)]
pub struct CheckedPlan {
    /// The plan.
    pub plan: Plan,
    /// Facts that each engine declared, in the order of the plan.
    pub facts: Vec<EngineFacts>,
}

impl CheckedPlan {
    /// Returns the plan with the names that its engines gave, and with the defaults that they declared.
    pub(super) fn new(mut plan: Plan, facts: Vec<EngineFacts>) -> Self {
        for (engine, facts) in plan.engines.iter_mut().zip(&facts) {
            engine.id_name.clone_from(&facts.id_name);
            engine.defaults = facts.defaults(&engine.spec);
        }
        distinguish_by_id(&mut plan);
        Self { plan, facts }
    }
}

/// Names engines whose programs have the same file name, such as `v1/engine` and `v2/engine`, as they name themselves. Names
/// that the user gave are kept.
fn distinguish_by_id(plan: &mut Plan) {
    let joined = |plan: &Plan| {
        let names: Vec<&str> = plan.engines.iter().map(|engine| engine.spec.name.as_str()).collect();
        names.join("-vs-")
    };
    let is_named_after_engines = plan.name == joined(plan);
    let stems: Vec<Option<String>> = plan.engines.iter().map(default_name).collect();
    for stem in stems.iter().flatten() {
        let places: Vec<usize> =
            (0..stems.len()).filter(|&place| stems[place].as_ref() == Some(stem)).collect();
        let ids: Vec<String> =
            places.iter().filter_map(|&place| plan.engines[place].id_name.clone()).collect();
        let others = (0..stems.len()).filter(|place| !places.contains(place));
        let taken: Vec<&str> = others.map(|place| plan.engines[place].spec.name.as_str()).collect();
        let distinct = |id: &String| ids.iter().filter(|other| *other == id).count() == 1;
        let usable = |id: &String| !id.trim().is_empty() && distinct(id) && !taken.contains(&id.as_str());
        if places.len() > 1 && ids.len() == places.len() && ids.iter().all(usable) {
            for (place, id) in places.into_iter().zip(ids) {
                plan.engines[place].spec.name = id;
            }
        }
    }
    if is_named_after_engines {
        plan.name = joined(plan);
    }
}

/// Returns the file name of the program, if the engine is called after it.
fn default_name(engine: &PlannedEngine) -> Option<String> {
    let stem = engine.spec.program.file_stem()?.to_string_lossy().into_owned();
    let rest = engine.spec.name.strip_prefix(&stem)?;
    let numbered =
        rest.strip_prefix('_').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    (rest.is_empty() || numbered).then_some(stem)
}

/// A configuration argument: a run file, or the plan of an earlier run to play again.
#[derive(Debug)]
pub enum PlanSource {
    /// A run file.
    File(Box<RunFile>),
    /// A `plan.toml` whose engines and book are unchanged.
    Recorded(Box<Plan>),
}

impl PlanSource {
    /// Reads a configuration file. A `plan.toml` is recognised by a key that every plan has and no run file may have.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        if !is_plan(path) {
            return Ok(Self::File(Box::new(RunFile::read(path).or_usage()?)));
        }
        let text = read_text(path).or_usage()?;
        let plan = plan_from_toml(&text)
            .or_usage()
            .map_err(|failure| failure.context(path.display().to_string()))?;
        let changes = plan.changes(None);
        if changes.is_empty() {
            Ok(Self::Recorded(Box::new(plan)))
        } else {
            Err(Failure::usage(format_args!("this run cannot be repeated:\n{}", changes.join("\n"))))
        }
    }
}

fn is_plan(path: &Path) -> bool {
    let table = read_text(path).ok().and_then(|text| text.parse::<toml::Table>().ok());
    table.is_some_and(|table| table.contains_key("playself"))
}

/// Resolves a run file into a plan and checks it against the engines. A run file without a seed gets a new one, which the
/// plan records.
pub fn checked_plan(run: &RunFile, environment: &Environment) -> Result<CheckedPlan, Failure> {
    let plan = resolve(run, &environment.search_paths(), new_seed()).or_usage()?;
    check_plan(plan, environment)
}

/// Returns a seed for a run file without one.
pub fn new_seed() -> u64 {
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    ((nanoseconds ^ u128::from(std::process::id())) % 1_000_000_007) as u64
}

/// Checks a plan against its engines.
pub fn check_plan(plan: Plan, environment: &Environment) -> Result<CheckedPlan, Failure> {
    let facts = check_engines(&plan.engines, environment)?;
    let failed = failures(&plan.engines, &facts);
    if !failed.is_empty() {
        return Err(Failure::fault(failed.join("\n")));
    }
    Ok(CheckedPlan::new(plan, facts))
}

/// An option that an engine does not accept.
#[derive(Clone, Debug)]
pub struct RefusedOption {
    /// The engine.
    pub engine: EngineIndex,
    /// What is wrong.
    pub error: OptionError,
}

/// A plan without the options that its engines do not accept.
#[derive(Clone, Debug)]
pub struct LenientCheck {
    /// The plan.
    pub checked: CheckedPlan,
    /// The options that were removed.
    pub refused: Vec<RefusedOption>,
}

/// Starts every engine once and removes the options that it does not accept, as other match runners do.
pub fn check_plan_leniently(mut plan: Plan, environment: &Environment) -> Result<LenientCheck, Failure> {
    let answered = handshake_of(&plan.engines, environment)?;
    let mut refused = Vec::new();
    for (at, error) in answered.refused {
        plan.engines[at].spec.options.retain(|option| option.name != refused_name(&error));
        refused.push(RefusedOption { engine: EngineIndex(at as u16), error });
    }
    Ok(LenientCheck { checked: CheckedPlan::new(plan, answered.facts), refused })
}

/// Starts every engine once, so that an option it does not accept is reported before there is a run. The arguments of the
/// built-in engine are checked without starting it, which gives better messages for misspelt weights.
pub(super) fn check_engines(
    engines: &[PlannedEngine],
    environment: &Environment,
) -> Result<Vec<EngineFacts>, Failure> {
    let program = environment.search_paths().this_program;
    let builtin = engines.iter().filter(|engine| engine.spec.program == program);
    let refusals: Vec<String> = builtin
        .filter_map(|engine| {
            let (weights, assignments) = setup_arguments(&engine.spec.args);
            let error = EngineOptions::load(weights, &assignments).err()?;
            Some(format!("engine {}: {error}", engine.spec.name))
        })
        .collect();
    if !refusals.is_empty() {
        return Err(Failure::usage(refusals.join("\n")));
    }
    if let Some(isolated) = engines.iter().find(|engine| !engine.spec.sandbox.isolation.is_off()) {
        check_isolation().map_err(|why| {
            Failure::usage(format_args!("engine {}: sandbox = \"strict\": {why}", isolated.spec.name))
        })?;
    }
    let answered = handshake_of(engines, environment)?;
    if answered.refusals.is_empty() {
        Ok(answered.facts)
    } else {
        Err(Failure::usage(answered.refusals.join("\n")))
    }
}

/// Starts every engine once. If that takes long, a line states what is being waited for.
fn handshake_of(engines: &[PlannedEngine], environment: &Environment) -> Result<Handshake, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
    let guardian = environment.guardian();
    let answered = runtime.block_on(async {
        let mut answered = pin!(handshake(engines, Some(&guardian)));
        if let Ok(soon) = tokio::time::timeout(UNANNOUNCED, &mut answered).await {
            return soon;
        }
        let names: Vec<&str> = engines.iter().map(|engine| engine.spec.name.as_str()).collect();
        Console::Text.print_progress(&format!("Waiting for the handshake with {}", names.join(", ")));
        answered.await
    });
    answered.or_fault()
}

/// Describes every engine that could not be started; one that is named twice is described once.
fn failures(engines: &[PlannedEngine], facts: &[EngineFacts]) -> Vec<String> {
    let mut failures: Vec<(String, Vec<&str>)> = Vec::new();
    for (engine, facts) in engines.iter().zip(facts) {
        let Some(why) = &facts.failure else { continue };
        match failures.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(&engine.spec.name),
            None => failures.push((why.clone(), vec![&engine.spec.name])),
        }
    }
    let line = |(why, names): (String, Vec<&str>)| format!("engine {}: {why}", names.join(", "));
    failures.into_iter().map(line).collect()
}

/// Returns the weights file and the assignments among the arguments of the built-in engine.
fn setup_arguments(args: &[String]) -> (Option<&Path>, Vec<String>) {
    let value_of = |flag: &'static str| {
        args.iter().enumerate().filter_map(move |(at, argument)| match argument.strip_prefix(flag)? {
            "" => args.get(at + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        })
    };
    (value_of("--weights").next_back().map(Path::new), value_of("--set").map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_an_engine_argument_are_found() {
        let args = ["engine", "uci", "--weights", "w.toml", "--set", "a=1", "--set=b=2", "--hash", "8"];
        let args: Vec<String> = args.map(str::to_owned).into();
        let (weights, assignments) = setup_arguments(&args);
        assert_eq!(weights, Some(Path::new("w.toml")));
        assert_eq!(assignments, ["a=1", "b=2"]);
    }
}
