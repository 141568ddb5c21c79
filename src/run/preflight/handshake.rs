//! The handshake before the first game: every engine is started once to check its options and to read its defaults.

use std::io;

use crate::fleet::noticing_standstill;
use crate::game::TimeControl;
use crate::player::{
    EngineOption, EngineSpec, Fitness, GuardianProgram, Launcher, OptionError, Player, Protocol, StartFault,
    Transport,
};

use crate::run::plan::PlannedEngine;
use crate::run::preflight::fairness::{EngineFacts, PositionSetup, RESOURCES};
use crate::run::preflight::limit_probe::{ProbeFinding, probe};

/// How often an engine is asked whose start a standstill of the machine may have spoiled.
const STANDSTILLS: u32 = 4;

/// The result of the handshake with all engines.
#[derive(Clone, Debug, Default)]
pub struct Handshake {
    /// Refused options, one line each.
    pub refusals: Vec<String>,
    /// The same options with the places of their engines in the plan.
    pub refused: Vec<(usize, OptionError)>,
    /// What each engine declared, in the order of the plan.
    pub facts: Vec<EngineFacts>,
}

/// Starts every engine with a handshake once. Any other problem of an engine shows in its first game, where it is judged.
pub async fn handshake(
    engines: &[PlannedEngine],
    guardian: Option<&GuardianProgram>,
) -> io::Result<Handshake> {
    let launcher = Launcher::new(guardian)?;
    // Players are not `Send`, so they run in local tasks.
    let tasks = tokio::task::LocalSet::new();
    let mut refusals: Vec<(String, Vec<&str>)> = Vec::new();
    let mut known: Vec<(&PlannedEngine, EngineFacts, Vec<Refusal>)> = Vec::new();
    let (mut facts, mut refused) = (Vec::new(), Vec::new());
    for (at, engine) in engines.iter().enumerate() {
        let spec = &engine.spec;
        let is_asked = |asked: &PlannedEngine| {
            asked.limits == engine.limits
                && EngineSpec { name: asked.spec.name.clone(), ..spec.clone() } == asked.spec
        };
        if let Some((_, declared, errors)) = known.iter().find(|(asked, ..)| is_asked(asked)) {
            facts.push(declared.clone());
            refused.extend(errors.iter().filter_map(Refusal::option).map(|error| (at, error)));
            continue;
        }
        let (errors, declared) = tasks.run_until(ask_awake(&launcher, engine)).await;
        for error in &errors {
            let why = match error {
                Refusal::Option(error) => error.to_string(),
                Refusal::Plan(why) => why.clone(),
            };
            match refusals.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(&spec.name),
                None => refusals.push((why, vec![&spec.name])),
            }
        }
        refused.extend(errors.iter().filter_map(Refusal::option).map(|error| (at, error)));
        known.push((engine, declared.clone(), errors));
        facts.push(declared);
    }
    let line = |(why, names): (String, Vec<&str>)| match &names[..] {
        [name] => format!("engine {name}: it {why}"),
        names => format!("engines {}: each {why}", names.join(", ")),
    };
    Ok(Handshake { refusals: refusals.into_iter().map(line).collect(), refused, facts })
}

/// Asks again if an engine failed while the machine stood still.
async fn ask_awake(launcher: &Launcher, engine: &PlannedEngine) -> (Vec<Refusal>, EngineFacts) {
    for _ in 1..STANDSTILLS {
        let (asked, stood_still) = noticing_standstill(ask(launcher, engine)).await;
        if !stood_still || (asked.0.is_empty() && asked.1.failure.is_none()) {
            return asked;
        }
    }
    ask(launcher, engine).await
}

/// The refusals and declarations of one engine. It is started again for each option that it refuses, so that all are found.
async fn ask(launcher: &Launcher, engine: &PlannedEngine) -> (Vec<Refusal>, EngineFacts) {
    let mut spec = engine.spec.clone();
    let mut refusals = Vec::new();
    if matches!(spec.protocol, Protocol::Ace { .. }) {
        return (refusals, EngineFacts::default());
    }
    loop {
        match start_once(launcher, &spec, &engine.limits).await {
            Ok(facts) => return (refusals, facts),
            Err(Refusal::Option(error)) => {
                let before = spec.options.len();
                spec.options.retain(|option| option.name != refused_name(&error));
                refusals.push(Refusal::Option(error));
                if spec.options.len() == before {
                    return (refusals, EngineFacts::default());
                }
            }
            Err(Refusal::Plan(why)) => {
                let facts = EngineFacts { failure: Some(format!("it {why}")), ..EngineFacts::default() };
                refusals.push(Refusal::Plan(why));
                return (refusals, facts);
            }
        }
    }
}

/// Why an engine cannot be used as planned.
#[derive(Clone, Debug)]
enum Refusal {
    /// It does not accept an option.
    Option(OptionError),
    /// It cannot be used at all; what it does.
    Plan(String),
}

impl Refusal {
    fn option(&self) -> Option<OptionError> {
        match self {
            Self::Option(error) => Some(error.clone()),
            Self::Plan(_) => None,
        }
    }
}

/// Starts the engine and returns what it declares and how it obeys `limits`, or the first reason to refuse it.
async fn start_once(
    launcher: &Launcher,
    spec: &EngineSpec,
    limits: &TimeControl,
) -> Result<EngineFacts, Refusal> {
    let no_arguments: [&str; 0] = [];
    let not_started = |why: String| EngineFacts { failure: Some(why), ..EngineFacts::default() };
    let transport = match launcher.launch(spec, &no_arguments, &[]).await {
        Ok(transport) => transport,
        Err(error) => return Ok(not_started(error.to_string())),
    };
    match Player::handshake(transport, spec).await {
        Ok(mut player) => {
            let standing =
                |name: &&str| player.option_value(name).map(|value| EngineOption::new(*name, value));
            let standing = RESOURCES.iter().filter_map(standing).collect();
            let options = player.declared_options().to_vec();
            let mut facts =
                EngineFacts { id_name: player.id_name(), standing, options, ..EngineFacts::default() };
            if !player.sets_up_positions() {
                facts.setup = PositionSetup::StartOnly;
            }
            let found = probe(&mut player, limits).await;
            player.shut_down(Fitness::Fit).await;
            match found {
                ProbeFinding::Fine => {}
                ProbeFinding::Doubtful(doubt) => facts.doubts.push(doubt),
                ProbeFinding::Unusable(why) => return Err(Refusal::Plan(without_subject(&why))),
            }
            Ok(facts)
        }
        Err((player, fault)) => {
            let printed = printed_line(&player);
            player.shut_down(Fitness::Unfit).await;
            match fault {
                StartFault::Option(error) => Err(Refusal::Option(error)),
                StartFault::WrongProtocol { .. } => Err(Refusal::Plan(without_subject(&fault.to_string()))),
                _ => Ok(not_started(format!("{fault}{printed}"))),
            }
        }
    }
}

/// Returns the first line that an engine printed, which often explains why it is not one, as the end of a sentence.
pub fn printed_line<T: Transport>(player: &Player<T>) -> String {
    let transcript = player.transcript();
    if repeats_its_input(&transcript) {
        return "; it only repeats what it is sent, so it is no chess engine".to_owned();
    }
    let output =
        transcript.iter().find_map(|line| line.strip_prefix("< ")).filter(|line| !line.trim().is_empty());
    let errors = player.stderr_tail();
    let errors = errors.lines().find(|line| !line.trim().is_empty());
    match (output, errors) {
        (Some(line), _) => format!("; it printed `{}`", shortened(line)),
        (None, Some(line)) => format!("; it printed `{}` to standard error", shortened(line)),
        (None, None) => "; it printed nothing".to_owned(),
    }
}

/// Returns whether a program has printed nothing but lines that it was sent, as `cat` does.
fn repeats_its_input(transcript: &[String]) -> bool {
    let lines = |prefix| transcript.iter().filter_map(move |line: &String| line.strip_prefix(prefix));
    let sent: Vec<&str> = lines("> ").collect();
    lines("< ").count() > 0 && lines("< ").all(|line| sent.contains(&line))
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 120;
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

/// Returns the fault as the rest of a sentence that begins with `it`.
fn without_subject(text: &str) -> String {
    text.strip_prefix("it ").unwrap_or(text).to_owned()
}

/// Returns the name of the option that an error is about.
pub fn refused_name(error: &OptionError) -> &str {
    match error {
        OptionError::Unknown { name, .. }
        | OptionError::Refused { name, .. }
        | OptionError::NotOneLine { name }
        | OptionError::NoDefault { name } => name,
    }
}
