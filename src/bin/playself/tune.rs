//! `playself tune CONFIG`: better values by morning, with proof.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use playself::config::{BoundsTable, LimitsTable, Mistakes, RunFile, TuneTable};
use playself::opening::Share;
use playself::player::{EngineOption, NumberOption, Protocol};
use playself::report::write_page;
use playself::run::preflight::EngineFacts;
use playself::run::{AcceptPlan, Plan, PlannedEngine, RunOutcome, plan_from_toml};
use playself::spelling::nearest;
use playself::stats::{Decision, Hypothesis};
use playself::tuning::{GainList, Lookahead, Method, Parameter, Space, TunerPlan};

use crate::launch::{self, Played, Show};
use crate::pilot::pilot;
use crate::run_flags::{LiveFlags, Rehearsed, RunFlags, plan_of};
use crate::{test_forecast, tune_list};

/// Pairs that measure how long a pair takes, where the budget is in hours.
const PILOT_PAIRS: u64 = 8;

/// The same for the test, whose limits are mostly longer, before the tuning begins.
const PILOT_OF_TEST: u64 = 2;

/// The share of a budget in hours that is kept for the test of the tuned values.
const SHARE_OF_TEST: f64 = 0.25;

/// The exit status of values that were tuned and not accepted.
const NOT_ACCEPTED: u8 = 1;

/// Tune weights or options of an engine, then test the best values against the old ones.
///
/// Exit status: 0 tuned, and accepted if a test was asked for; 1 tuned but not accepted; 3 the test is undecided;
/// 4 stopped by a fault; 130 interrupted. `playself resume` goes on with a run that was stopped.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TuneCommand {
    /// The tuning run, for example configs/overnight.toml, or the plan.toml of a run to repeat
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    #[command(flatten)]
    flags: RunFlags,
}

impl TuneCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let rehearsed = match launch::recorded_plan(&self.config)? {
            Some(recorded) => recorded,
            None => self.plan()?,
        };
        foretell_test(&rehearsed.plan, Show::of(&self.flags.output))?;
        let played = launch::start(rehearsed, &self.flags.output)?;
        accept(&played, Show::of(&self.flags.output))
    }

    fn plan(&self) -> anyhow::Result<Rehearsed> {
        ensure!(
            !self.flags.asks_for_test(),
            "--sprt and --preset test two engines against each other; the test of tuned values is set in [accept]"
        );
        let mut run = RunFile::read(&self.config)?;
        let table =
            run.tune.clone().with_context(|| format!("{}: there is no [tune]", self.config.display()))?;
        ensure!(run.engines.len() == 1, "{}: name the one engine to tune: engine = …", self.config.display());
        run.engines.push(run.engines[0].clone());
        self.flags.apply(&mut run)?;
        let most = run.games.max_pairs;
        run.games.max_pairs.get_or_insert(1);
        let Rehearsed { mut plan, heard } = plan_of(&run)?;
        call_apart(&mut plan, &run);
        let name = table.method.as_deref().unwrap_or(Method::NAMES[0]);
        let list = table.list.as_deref().map(|path| tune_list::read(path, name)).transpose()?;
        let declared = declared_numbers(&plan.engines[0], &heard[0])?;
        let space = match &list {
            Some(list) => tune_list::declared(list, &declared)?,
            None => space_of(&plan.engines[0].named, &declared, &table)
                .map_err(|wrong| Mistakes::found_later(&self.config, wrong))?,
        };
        let kept_for_test = if run.accept.is_some() { SHARE_OF_TEST } else { 0.0 };
        let (games, hours) = (self.flags.games.or(table.games), table.hours);
        let pairs = match (games, hours, most) {
            (Some(games), ..) => games.div_ceil(2),
            (None, Some(hours), _) => pairs_in(hours * (1.0 - kept_for_test), &plan, PILOT_PAIRS)?,
            (None, None, Some(pairs)) => pairs,
            (None, None, None) => {
                bail!("{}: say how long to tune: hours or games in [tune]", self.config.display())
            }
        };
        let pairs = pairs.min(most.unwrap_or(u64::MAX));
        plan.max_pairs = Some(pairs);
        plan.accept = run.accept.map(|accept| AcceptPlan {
            max_pairs: accept.max_pairs,
            hours: hours.filter(|_| games.is_none()).map(|hours| hours * kept_for_test),
            limits: accept.limits.or(as_limits(&plan)).time_control(),
            sprt: accept.sprt,
        });
        let method = method_of(name, list.as_ref(), &space, pairs)?;
        let seed = plan.seed;
        plan.tune = Some(TunerPlan { space, method, pairs, seed, lookahead: Lookahead::default() });
        Ok(Rehearsed { plan, heard })
    }
}

/// Says before the night begins what its test can confirm in the hours that are left for it.
fn foretell_test(plan: &Plan, show: Show) -> anyhow::Result<()> {
    let (Some(tune), Some(accept)) = (&plan.tune, plan.accept) else { return Ok(()) };
    if let (None, Some(hours)) = (accept.max_pairs, accept.hours) {
        let test = test_plan(plan, tune, accept, tune.space.named(&tune.space.start()).map(owned).collect());
        let pairs = pairs_in(hours, &test, PILOT_OF_TEST)?;
        show.say(&test_forecast::sentence(&accept.sprt, pairs));
    }
    Ok(())
}

/// The two sides of every trial are one engine: only while it is tuned do they have names of their own.
fn call_apart(plan: &mut Plan, run: &RunFile) {
    let first = run.engines[0].name.clone().unwrap_or_else(|| "plus".to_owned());
    let names = [first.as_str(), if first == "minus" { "minus_2" } else { "minus" }];
    for (engine, name) in plan.engines.iter_mut().zip(names) {
        name.clone_into(&mut engine.spec.name);
    }
    if run.name.is_none() {
        plan.name = names.join("-vs-");
    }
}

fn as_limits(plan: &Plan) -> LimitsTable {
    let limits = plan.engines[0].limits;
    LimitsTable {
        tc: limits.clock,
        movetime_ms: limits.movetime_ms,
        nodes: limits.nodes,
        depth: limits.depth,
        margin_ms: Some(limits.margin_ms),
    }
}

fn method_of(name: &str, list: Option<&GainList>, space: &Space, pairs: u64) -> anyhow::Result<Method> {
    if let Some(list) = list {
        return tune_list::method(name, list, pairs);
    }
    Method::named(name, space, pairs)
        .with_context(|| format!("there is no tuner `{name}`; choose one of {}", Method::NAMES.join(", ")))
}

/// How many pairs fit into so many hours, by playing a few.
fn pairs_in(hours: f64, plan: &Plan, pilot_pairs: u64) -> anyhow::Result<u64> {
    let measured = pilot(plan, pilot_pairs)?;
    let pairs = hours * 3600.0 / measured.seconds_per_pair.max(1e-3);
    Ok((pairs as u64).max(1))
}

/// The parameters that the engine declares and the table names, or every mistake with its line.
fn space_of(engine: &str, declared: &[Parameter], table: &TuneTable) -> Result<Space, Vec<(usize, String)>> {
    let mut wrong = Vec::new();
    let mut parameters: Vec<Parameter> = Vec::new();
    for pattern in &table.parameters {
        let matching: Vec<&Parameter> =
            declared.iter().filter(|option| fits(pattern, &option.name)).collect();
        if matching.is_empty() {
            let hint = nearest(pattern, declared.iter().map(|option| option.name.as_str()))
                .map_or(String::new(), |known| format!("; did you mean `{known}`?"));
            let why = format!("tune.parameters: {engine} has no number `{pattern}` to tune{hint}");
            wrong.push((table.parameters_line, why));
        }
        for parameter in matching {
            if parameters.iter().all(|known| known.name != parameter.name) {
                parameters.push(parameter.clone());
            }
        }
    }
    for (name, bounds) in &table.bounds {
        match parameters.iter_mut().find(|parameter| parameter.name == *name) {
            Some(parameter) => wrong.extend(narrow(parameter, bounds).map(|why| (bounds.line, why))),
            None => {
                wrong.push((
                    bounds.line,
                    format!("[tune.bounds.{name}] is for a parameter that is not tuned"),
                ));
            }
        }
    }
    for parameter in &parameters {
        let bounds = table.bounds.iter().find(|(name, _)| *name == parameter.name);
        let line = bounds.map_or(table.parameters_line, |(_, bounds)| bounds.line);
        wrong
            .extend(Space::errors(std::slice::from_ref(parameter)).iter().map(|why| (line, why.to_string())));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    Space::new(parameters).map_err(|why| vec![(table.parameters_line, why.to_string())])
}

/// Gives a parameter the bounds that were asked for, and tells where the engine's own range forbids them.
fn narrow(parameter: &mut Parameter, bounds: &BoundsTable) -> impl Iterator<Item = String> {
    let (least, most, name) = (parameter.min, parameter.max, parameter.name.clone());
    let told = [("min", bounds.min), ("max", bounds.max), ("start", bounds.start)];
    parameter.min = bounds.min.unwrap_or(least);
    parameter.max = bounds.max.unwrap_or(most);
    parameter.start = bounds.start.unwrap_or(parameter.start);
    told.into_iter()
        .filter_map(|(key, value)| value.map(|value| (key, value)))
        .filter(move |(_, value)| !(least..=most).contains(value))
        .map(move |(key, value)| {
            format!("[tune.bounds.{name}] {key} = {value}: the engine takes {least} to {most}")
        })
}

/// Whether `name` fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            let Some(mut left) = name.strip_prefix(start) else { return false };
            loop {
                if fits(rest, left) {
                    return true;
                }
                let mut letters = left.chars();
                if letters.next().is_none() {
                    return false;
                }
                left = letters.as_str();
            }
        }
    }
}

/// The numbers an engine lets itself be told, with their ranges.
fn declared_numbers(engine: &PlannedEngine, heard: &EngineFacts) -> anyhow::Result<Vec<Parameter>> {
    ensure!(engine.spec.protocol == Protocol::Uci, "only UCI engines can tell what may be tuned");
    if let Some(why) = &heard.failure {
        bail!("{} does not tell its options: {why}", engine.named);
    }
    let parameter = |NumberOption { name, min, max, default }: &NumberOption| {
        Parameter::integer(name.as_str(), *min as f64, *max as f64, *default as f64)
    };
    let mut parameters: Vec<Parameter> = heard.numbers.iter().map(parameter).collect();
    for EngineOption { name, value } in &engine.spec.options {
        if let (Some(parameter), Ok(value)) =
            (parameters.iter_mut().find(|known| known.name.eq_ignore_ascii_case(name)), value.parse())
        {
            parameter.start = value;
        }
    }
    Ok(parameters)
}

/// Tests the values of a finished tuning run against the old ones, if its plan asks for that.
pub(crate) fn accept(played: &Played, show: Show) -> anyhow::Result<ExitCode> {
    let (RunOutcome::Finished, folder) = (&played.outcome, &played.folder) else { return Ok(played.exit()) };
    let plan = plan_from_toml(&std::fs::read_to_string(folder.plan())?)?;
    let (Some(tune), Some(accept)) = (&plan.tune, plan.accept) else { return Ok(played.exit()) };
    if read_values(&folder.weights())? == tune.space.named(&tune.space.start()).map(owned).collect::<Vec<_>>()
    {
        show.say("Nothing better than the start was found, so there is nothing to test.");
        return Ok(ExitCode::from(NOT_ACCEPTED));
    }
    let place = folder.acceptance();
    let tested = if place.join("plan.toml").exists() {
        match launch::resume(&place, show, &LiveFlags::default()) {
            Ok(tested) => tested,
            Err(launch::Refused::Usage(why) | launch::Refused::Fault(why)) => return Err(why),
        }
    } else {
        let mut test = test_plan(&plan, tune, accept, read_values(&folder.weights())?);
        if let (None, Some(hours)) = (test.max_pairs, accept.hours) {
            let pairs = pairs_in(hours, &test, PILOT_PAIRS)?;
            show.say(&test_forecast::sentence(&accept.sprt, pairs));
            test.max_pairs = Some(pairs);
        }
        launch::start_in(test, &place, show)?
    };
    // The page of the tuning run tells how its test ended.
    write_page(folder, &plan, &std::fs::read_to_string(folder.plan())?)?;
    if let Some(page) = &played.page {
        page.say_farewell();
    }
    if let RunOutcome::Decided(Decision { accepted: Hypothesis::Alternative, .. }) = tested.outcome {
        std::fs::copy(folder.weights(), folder.accepted())?;
        show.say(&format!("Accepted: {}", folder.accepted().display()));
    }
    Ok(tested.exit())
}

/// These values against the old ones, from openings that the tuning did not use.
fn test_plan(plan: &Plan, tune: &TunerPlan, accept: AcceptPlan, values: Vec<(String, f64)>) -> Plan {
    let mut test = Plan {
        name: format!("{}-accept", plan.name),
        max_pairs: accept.max_pairs,
        sprt: Some(accept.sprt),
        tune: None,
        accept: None,
        ..plan.clone()
    };
    for (engine, name) in test.engines.iter_mut().zip(["tuned", "before"]) {
        engine.spec.name = name.to_owned();
        engine.limits = accept.limits;
    }
    for (place, told) in [(0, values), (1, tune.space.named(&tune.space.start()).map(owned).collect())] {
        let options = &mut test.engines[place].spec.options;
        options.retain(|option: &EngineOption| told.iter().all(|(name, _)| *name != option.name));
        options.extend(told.iter().map(|(name, value)| EngineOption::new(name, value.to_string())));
    }
    if let Some(book) = &mut test.openings {
        book.share = Share::Acceptance;
        book.start = 1;
    }
    test
}

fn owned((name, value): (&str, f64)) -> (String, f64) {
    (name.to_owned(), value)
}

fn read_values(path: &Path) -> anyhow::Result<Vec<(String, f64)>> {
    let text = std::fs::read_to_string(path)?;
    let mut values = Vec::new();
    for line in text.lines() {
        let (name, value) = line.rsplit_once(" = ").with_context(|| format!("`{line}` is no value"))?;
        values.push((name.trim_matches('"').to_owned(), value.parse()?));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_people_expect() {
        for (pattern, name, expected) in [
            ("*_mobility", "knight_mobility", true),
            ("passed_pawn_*", "passed_pawn_rank_3", true),
            ("*", "anything", true),
            ("a*b*c", "a-b-b-c", true),
            ("knight", "knight_mobility", false),
            ("*_mobility", "mobility", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
