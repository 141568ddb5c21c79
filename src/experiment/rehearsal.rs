//! Engines asked, before anything is played, whether they take the options that the plan tells them.

use std::io;

use crate::player::{
    EngineSpec, Fitness, GuardianProgram, Launcher, OptionError, Player, Protocol, StartFault,
};

use super::plan::PlannedEngine;

/// Starts every engine that is told options, once, and says, a line each, which of them it does not take. All else
/// that may be wrong with an engine shows in its first game, where it is judged.
pub async fn refused_options(
    engines: &[PlannedEngine],
    guardian: Option<&GuardianProgram>,
) -> io::Result<Vec<String>> {
    let mut refusals: Vec<(String, Vec<&str>)> = Vec::new();
    let mut told: Vec<&EngineSpec> = Vec::new();
    for spec in engines.iter().map(|engine| &engine.spec) {
        let asked =
            told.iter().any(|known| EngineSpec { name: known.name.clone(), ..spec.clone() } == **known);
        if spec.protocol == Protocol::Uci && !spec.options.is_empty() && !asked {
            told.push(spec);
        }
    }
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let launcher = Launcher::new(guardian)?;
    // Engines are talked to in tasks of one thread.
    let tasks = tokio::task::LocalSet::new();
    for spec in told {
        for why in tasks.run_until(refusals_of(&launcher, spec)).await {
            match refusals.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(&spec.name),
                None => refusals.push((why, vec![&spec.name])),
            }
        }
    }
    let line = |(why, names): (String, Vec<&str>)| match &names[..] {
        [name] => format!("engine {name}: it {why}"),
        names => format!("engines {}: each {why}", names.join(", ")),
    };
    Ok(refusals.into_iter().map(line).collect())
}

/// What one engine says to its options. It is started once more for each that it refuses, so that all are found.
async fn refusals_of(launcher: &Launcher, spec: &EngineSpec) -> Vec<String> {
    let mut spec = spec.clone();
    let mut refusals = Vec::new();
    while let Some(error) = first_refusal(launcher, &spec).await {
        refusals.push(error.to_string());
        let before = spec.options.len();
        spec.options.retain(|option| option.name != refused_name(&error));
        if spec.options.len() == before {
            break;
        }
    }
    refusals
}

async fn first_refusal(launcher: &Launcher, spec: &EngineSpec) -> Option<OptionError> {
    let no_arguments: [&str; 0] = [];
    let transport = launcher.launch(spec, &no_arguments, &[]).await.ok()?;
    match Player::greet(transport, spec).await {
        Ok(player) => {
            player.retire(Fitness::Fit).await;
            None
        }
        Err((player, fault)) => {
            player.retire(Fitness::Unfit).await;
            if let StartFault::Option(error) = fault { Some(error) } else { None }
        }
    }
}

fn refused_name(error: &OptionError) -> &str {
    match error {
        OptionError::Unknown { name, .. }
        | OptionError::Refused { name, .. }
        | OptionError::NotOneLine { name }
        | OptionError::NoWayBack { name } => name,
    }
}
