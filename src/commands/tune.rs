//! Tuning runs: their plan, and the test of the tuned values.

use std::fs;
use std::path::PathBuf;

use crate::commands::console::Console;
use crate::commands::detach::Session;
use crate::commands::earlier_runs::earlier_pairs;
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::forecast::test_reach;
use crate::commands::pilot::{expected_seconds, pilot};
use crate::commands::plan::{CheckedPlan, check_engines, new_seed};
use crate::commands::resume::{ResumeOptions, ResumePlace, resume};
use crate::commands::start::{Finished, StartOptions, start, start_in};
use crate::config::{
    LimitsTable, Mistakes, RunFile, TuningDraft, listed_space, named_space, read_gain_list, tuning_method,
};
use crate::player::{EngineOption, OptionDeclaration, OptionKind, Protocol};
use crate::report::{RunPage, counted, weights_toml};
use crate::run::preflight::EngineFacts;
use crate::run::{
    AcceptPlan, AcceptanceTest, AfterRun, Plan, PlannedEngine, RunKind, RunOutcome, plan_to_toml,
};
use crate::stats::{Decision, Hypothesis};
use crate::store::{RunFolder, write_whole};
use crate::tuning::{Kind, Lookahead, Method, Parameter, TunerPlan};

/// Number of pairs of the pilot that measures the duration of a pair, if the budget is in hours.
const PILOT_PAIRS: u64 = 8;

/// The same for the test before the tuning begins; its limits are mostly longer.
const PILOT_OF_TEST: u64 = 2;

/// A pilot that took less, in seconds, is repeated with more pairs.
const SHORT_PILOT: f64 = 3.0;

/// Number of pairs of a pilot at most.
const MOST_PILOT_PAIRS: u64 = 500;

/// Share of a budget in hours that is reserved for the test of the tuned values.
const SHARE_OF_TEST: f64 = 0.25;

/// Exit status if nothing better than the start was found.
const NOT_ACCEPTED: u8 = 1;

/// Parameters of a tuning run.
#[derive(Debug)]
pub struct TuneRequest {
    /// The run file, with the flags applied.
    pub run: RunFile,
    /// Its path, for messages.
    pub config: PathBuf,
    /// A budget in games that overrides the file's.
    pub games: Option<u64>,
    /// Whether a budget in hours is measured.
    pub pilots: Pilots,
    /// Folders of earlier tuning runs of the same engine, whose pairs are evidence.
    pub learn_from: Vec<PathBuf>,
}

/// Whether pilots are played to turn hours into pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pilots {
    /// They are.
    Play,
    /// They are not; the number of pairs is a guess.
    Skip,
}

/// Resolves a tuning run: reads the numbers that the engine declares, and measures how many pairs fit into a budget in
/// hours.
pub fn tuning_plan(
    request: &TuneRequest,
    console: Console,
    environment: &Environment,
) -> Result<CheckedPlan, Failure> {
    let TuneRequest { run, config, .. } = request;
    let in_config = |problem: &str| Failure::usage(format_args!("{}: {problem}", config.display()));
    let table = run.tune.as_ref().ok_or_else(|| {
        in_config("there is no [tune]: `playself match` and `playself sprt` play such a file")
    })?;
    let draft = TuningDraft::resolve(run, &environment.search_paths(), new_seed()).or_usage()?;
    let facts = check_engines(draft.engines(), environment)?;
    let name = table.method.as_deref().unwrap_or(Method::NAMES[0]);
    let list = table.list.as_deref().map(|path| read_gain_list(path, name)).transpose().or_usage()?;
    let declared = declared_numbers(&draft.engines()[0], &facts[0])?;
    let space = match &list {
        Some(list) => listed_space(list, &declared).or_usage()?,
        None => named_space(&draft.engines()[0].named, &declared, table)
            .map_err(|mistakes| Mistakes::found_later(config, mistakes))
            .or_usage()?,
    };
    let kept_for_test = if run.accept.is_some() { SHARE_OF_TEST } else { 0.0 };
    let (games, hours, most) = (request.games.or(table.games), table.hours, run.games.max_pairs);
    let pairs = match (games, hours, most) {
        (Some(games), ..) => games.div_ceil(2),
        (None, Some(hours), _) if request.pilots == Pilots::Skip => {
            console.print(&format!(
                "Note: the number of pairs follows from {hours} hours and a pilot at the start; here it is a guess"
            ));
            guessed_pairs(hours * (1.0 - kept_for_test), &draft.as_match(1))
        }
        (None, Some(hours), _) => {
            let hours = hours * (1.0 - kept_for_test);
            pairs_in(hours, &draft.as_match(PILOT_PAIRS), PILOT_PAIRS, console, environment)?
        }
        (None, None, Some(pairs)) => pairs,
        (None, None, None) => return Err(in_config("the run has no end: set hours or games in [tune]")),
    };
    let pairs = pairs.min(most.unwrap_or(u64::MAX));
    let accept = run.accept.map(|accept| AcceptPlan {
        max_pairs: accept.max_pairs,
        hours: hours.filter(|_| games.is_none()).map(|hours| hours * kept_for_test),
        limits: accept.limits.or(LimitsTable::from(draft.engines()[0].limits)).time_control(),
        sprt: accept.sprt,
    });
    let method = tuning_method(name, list.as_ref(), &space, pairs).or_usage()?;
    let earlier = earlier_pairs(&request.learn_from, &draft.engines()[0], &space).or_usage()?;
    if !request.learn_from.is_empty() {
        if !matches!(method, Method::Bayes(_)) {
            return Err(Failure::usage(format_args!("--learn-from needs the method bayes, not {name}")));
        }
        console.print(&format!("Learning from {} of earlier runs", counted(earlier.len() as u64, "pair")));
    }
    // A fleet plays more pairs at once than one machine. What the tuner does follows from the plan in either case.
    let usual = environment.fleet().map(|_| Lookahead::for_fleet(pairs)).unwrap_or_default();
    let lookahead = table.lookahead.map_or(usual, Lookahead::of);
    let tuner = TunerPlan { space, method, pairs, seed: draft.seed(), lookahead, earlier };
    Ok(CheckedPlan::new(draft.into_plan(tuner, accept), facts))
}

/// Plays a tuning run, then the test of its values. Before that, prints the gain that the test can confirm in its time.
pub fn tune(
    checked: CheckedPlan,
    options: &StartOptions,
    environment: &Environment,
) -> Result<TuneOutcome, Failure> {
    print_test_reach(&checked.plan, options.console, environment)?;
    accept(start(checked, options, environment)?, ResumePlace::default(), options.console, environment)
}

/// A tuning run that has ended, with its test.
pub enum TuneOutcome {
    /// No test follows: the run has none, or did not finish.
    NotTested(Box<Finished>),
    /// The tuner found nothing better than the start.
    NothingToTest(Box<Finished>),
    /// The tuned values were tested.
    Tested {
        /// The tuning run.
        tuning: Box<Finished>,
        /// Its test.
        test: Box<Finished>,
    },
}

impl TuneOutcome {
    /// Returns the tuning run.
    pub fn tuning(&self) -> &Finished {
        match self {
            Self::NotTested(run) | Self::NothingToTest(run) | Self::Tested { tuning: run, .. } => run,
        }
    }

    /// Returns the exit status: that of the test if there was one.
    pub fn status(&self) -> u8 {
        match self {
            Self::NotTested(run) => run.status(),
            Self::NothingToTest(_) => NOT_ACCEPTED,
            Self::Tested { test, .. } => test.status(),
        }
    }
}

/// Tests the values of a finished tuning run against its start, if its plan has a test. The values come from the state of
/// the run, which is derived from the journal; `weights.toml` is output only. A test that was begun before is resumed at
/// `place`.
pub fn accept(
    tuning: Finished,
    place: ResumePlace,
    console: Console,
    environment: &Environment,
) -> Result<TuneOutcome, Failure> {
    // Programs may have changed while the values were tuned; they are tested with the ones that were tuned.
    let environment = &environment.with_kept_programs(tuning.folder.programs());
    let plan = match AfterRun::of(&tuning.plan, &tuning.state, &tuning.outcome) {
        AfterRun::Nothing => {
            if tuning.outcome.is_final() {
                remove_programs(&tuning.folder);
            }
            return Ok(TuneOutcome::NotTested(Box::new(tuning)));
        }
        AfterRun::NothingToTest => {
            remove_programs(&tuning.folder);
            console.print("Nothing better than the start was found, so there is nothing to test.");
            return Ok(TuneOutcome::NothingToTest(Box::new(tuning)));
        }
        AfterRun::Test(plan) => plan,
    };
    let test = test_values(&tuning, &plan, place, console, environment)?;
    if test.outcome.is_final() {
        remove_programs(&tuning.folder);
    }
    // Page and summary of the tuning run include the result of its test.
    let text = plan_to_toml(&tuning.plan).or_fault()?;
    let page = RunPage::read_whole(tuning.folder.clone(), tuning.plan.clone(), &text).or_fault()?;
    page.write_summary().and_then(|()| page.write(Vec::new())).or_fault()?;
    if let Some(page) = &tuning.page {
        page.send_last_update();
    }
    if let RunOutcome::Decided(Decision { accepted: Hypothesis::Alternative, .. }) = test.outcome {
        let accepted = tuning.folder.accepted();
        if let Some(tuner) = tuning.plan.tuner() {
            write_whole(&accepted, weights_toml(&tuner.space, &plan.values).as_bytes()).or_fault()?;
        }
        console.print(&format!("Accepted: {}", accepted.display()));
    }
    Ok(TuneOutcome::Tested { tuning: Box::new(tuning), test: Box::new(test) })
}

/// Removes the copies of programs of a run that needs them no more.
fn remove_programs(folder: &RunFolder) {
    // Best effort: what is left takes space, and nothing else.
    let _ = fs::remove_dir_all(folder.programs());
}

fn test_values(
    tuning: &Finished,
    acceptance: &AcceptanceTest,
    place: ResumePlace,
    console: Console,
    environment: &Environment,
) -> Result<Finished, Failure> {
    let folder = tuning.folder.acceptance();
    if folder.join("plan.toml").exists() {
        let options = ResumeOptions { console, serve: None, session: Session::Attached, place };
        return resume(&folder, &options, environment);
    }
    let AcceptanceTest { values, accept } = acceptance;
    let tuner = tuning.plan.tuner().ok_or_else(|| Failure::fault("only a tuning run has values to test"))?;
    let mut test = tuning.plan.acceptance_test(tuner, accept, values);
    if let (None, Some(hours)) = (accept.max_pairs, accept.hours) {
        let pairs = pairs_in(hours, &test, PILOT_PAIRS, console, environment)?;
        console.print(&test_reach(&accept.sprt, pairs));
        test.kind = RunKind::Test { sprt: accept.sprt, max_pairs: Some(pairs) };
    }
    start_in(test, &folder, console, environment)
}

/// Prints the gain that the test can confirm in the hours reserved for it.
fn print_test_reach(plan: &Plan, console: Console, environment: &Environment) -> Result<(), Failure> {
    let (Some(tuner), Some(accept)) = (plan.tuner(), plan.acceptance()) else { return Ok(()) };
    if let (None, Some(hours)) = (accept.max_pairs, accept.hours) {
        let test = plan.acceptance_test(tuner, &accept, &tuner.space.start());
        let pairs = pairs_in(hours, &test, PILOT_OF_TEST, console, environment)?;
        console.print(&test_reach(&accept.sprt, pairs));
    }
    Ok(())
}

/// Guesses how many pairs fit into `hours`.
fn guessed_pairs(hours: f64, plan: &Plan) -> u64 {
    let pair = expected_seconds(plan, 1).unwrap_or(1.0) / plan.concurrency.max(1) as f64;
    ((hours * 3600.0 / pair.max(1e-3)) as u64).max(1)
}

/// Measures with a pilot how many pairs fit into `hours`.
fn pairs_in(
    hours: f64,
    plan: &Plan,
    pilot_pairs: u64,
    console: Console,
    environment: &Environment,
) -> Result<u64, Failure> {
    let mut measured = pilot(plan, pilot_pairs, console, environment)?;
    let played = measured.seconds_per_pair * pilot_pairs as f64;
    if played < SHORT_PILOT {
        // Most of such a pilot was the start of the engines, which a long run hardly notices.
        let longer = (pilot_pairs as f64 * SHORT_PILOT / played.max(1e-3)) as u64;
        measured = pilot(plan, longer.clamp(pilot_pairs, MOST_PILOT_PAIRS), console, environment)?;
    }
    let pairs = hours * 3600.0 / measured.seconds_per_pair.max(1e-3);
    Ok((pairs as u64).max(1))
}

/// Returns the options that an engine declares and that can be tuned, starting at the values of the plan.
fn declared_numbers(engine: &PlannedEngine, facts: &EngineFacts) -> Result<Vec<Parameter>, Failure> {
    if matches!(engine.spec.protocol, Protocol::Ace { .. }) {
        return Err(Failure::usage("ACE programs declare no options that could be tuned"));
    }
    if let Some(why) = &facts.failure {
        return Err(Failure::usage(format_args!("{} does not declare its options: {why}", engine.named)));
    }
    let mut parameters: Vec<Parameter> = facts.options.iter().filter_map(declared_parameter).collect();
    for EngineOption { name, value } in &engine.spec.options {
        let known = parameters.iter_mut().find(|known| known.name.eq_ignore_ascii_case(name));
        let Some(parameter) = known else { continue };
        let number = match parameter.kind {
            Kind::Choice => parameter
                .values
                .iter()
                .position(|known| known.eq_ignore_ascii_case(value))
                .map(|at| at as f64),
            Kind::Integer | Kind::Real => value.parse().ok(),
        };
        parameter.start = number.unwrap_or(parameter.start);
    }
    Ok(parameters)
}

/// Returns an option as a parameter: a number, a switch, one of several values, or a number that the engine takes as text and
/// whose range is therefore not known.
fn declared_parameter(option: &OptionDeclaration) -> Option<Parameter> {
    let name = option.name.as_str();
    match &option.kind {
        OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) } => {
            Some(Parameter::integer(name, *min as f64, *max as f64, *default as f64))
        }
        OptionKind::Check { default: Some(default) } => {
            let values = ["false", "true"].map(str::to_owned).into();
            Some(Parameter::choice(name, values, usize::from(*default)))
        }
        OptionKind::Combo { default: Some(default), choices } if choices.len() > 1 => {
            let start = choices.iter().position(|choice| choice == default)?;
            Some(Parameter::choice(name, choices.clone(), start))
        }
        OptionKind::String { default } => {
            let start = default.parse().ok().filter(|start: &f64| start.is_finite())?;
            Some(Parameter::real(name, f64::NEG_INFINITY, f64::INFINITY, start))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_choices_and_numbers_as_text_can_be_tuned() {
        let option = |name: &str, kind: OptionKind| OptionDeclaration { name: name.to_owned(), kind };
        let parameter = |kind: OptionKind| declared_parameter(&option("x", kind));
        let switch = parameter(OptionKind::Check { default: Some(true) }).expect("a switch");
        assert_eq!((switch.kind, switch.start, switch.text(0.0)), (Kind::Choice, 1.0, "false".to_owned()));
        let styles = ["Solid", "Normal", "Risky"].map(str::to_owned).to_vec();
        let style = parameter(OptionKind::Combo { default: Some("Normal".to_owned()), choices: styles })
            .expect("a choice");
        assert_eq!((style.max, style.start, style.text(2.0)), (2.0, 1.0, "Risky".to_owned()));
        let text = parameter(OptionKind::String { default: "0.75".to_owned() }).expect("a number");
        assert_eq!((text.kind, text.start, text.max), (Kind::Real, 0.75, f64::INFINITY));
        assert_eq!(parameter(OptionKind::String { default: "<empty>".to_owned() }), None);
        assert_eq!(parameter(OptionKind::Button), None);
        assert_eq!(parameter(OptionKind::Check { default: None }), None);
    }
}
