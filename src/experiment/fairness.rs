//! Differences between engines that nobody may have meant.

use crate::player::{EngineOption, Protocol};

use super::plan::{Plan, PlannedEngine};

/// Options that give strength by themselves; a test of anything else wants them equal.
const RESOURCES: [&str; 6] = ["Hash", "Threads", "SyzygyPath", "Ponder", "MultiPV", "Move Overhead"];

/// Everything about a plan that makes its result hard to trust, in words. Empty for a fair match.
pub fn fairness(plan: &Plan) -> Vec<String> {
    let Some((first, others)) = plan.engines.split_first() else { return Vec::new() };
    let mut doubts = Vec::new();
    for other in others {
        compare(first, other, &mut doubts);
    }
    if plan.tune.is_none()
        && let [one, other] = &plan.engines[..]
        && is_same(one, other)
    {
        doubts.push("both engines are the same program with the same options".to_owned());
    }
    for engine in &plan.engines {
        if let (Protocol::Ace { .. }, [_, ..]) = (&engine.spec.protocol, &engine.spec.options[..]) {
            let names: Vec<&str> = engine.spec.options.iter().map(|option| option.name.as_str()).collect();
            doubts.push(format!(
                "{} speaks ACE, which knows no options: it is not told {}",
                engine.spec.name,
                names.join(", ")
            ));
        }
    }
    if plan.openings.is_none() && plan.max_pairs.is_none_or(|pairs| pairs > 1) {
        doubts
            .push("all games start from the initial position; --openings FILE makes them differ".to_owned());
    }
    doubts
}

fn compare(one: &PlannedEngine, other: &PlannedEngine, doubts: &mut Vec<String>) {
    let (name, rival) = (&one.spec.name, &other.spec.name);
    for option in RESOURCES {
        let (mine, yours) = (value_of(&one.spec.options, option), value_of(&other.spec.options, option));
        if mine != yours {
            let said = |value: Option<&str>| value.map_or("its default".to_owned(), str::to_owned);
            doubts.push(format!("{option} is {} for {name}, {} for {rival}", said(mine), said(yours)));
        }
    }
    if one.limits != other.limits {
        doubts.push(format!("{name} thinks {}, {rival} {}", one.limits, other.limits));
    }
    if one.spec.ponder != other.spec.ponder {
        doubts.push(format!("only one of {name} and {rival} thinks on its opponent's time"));
    }
    if one.spec.restart != other.spec.restart {
        doubts.push(format!("only one of {name} and {rival} is restarted for every game"));
    }
}

fn value_of<'a>(options: &'a [EngineOption], name: &str) -> Option<&'a str> {
    options
        .iter()
        .rev()
        .find(|option| option.name.eq_ignore_ascii_case(name))
        .map(|option| option.value.as_str())
}

fn is_same(one: &PlannedEngine, other: &PlannedEngine) -> bool {
    let hashes =
        |engine: &PlannedEngine| engine.files.iter().map(|file| file.sha256.clone()).collect::<Vec<_>>();
    hashes(one) == hashes(other)
        && one.spec.args == other.spec.args
        && one.spec.options == other.spec.options
        && one.spec.env == other.spec.env
        && one.limits == other.limits
}
