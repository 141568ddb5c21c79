//! From a run as written to a plan: what was left out is filled in, what contradicts itself is told.

use crate::game::ClockRule;
use crate::opening::Share;
use crate::run::{BookPlan, Plan};
use crate::store::{FileHash, UtcDate};

use crate::config::engine_lookup::{SearchPaths, plan_engine};
use crate::config::run_file::{LimitsTable, RunFile};

/// Everything that keeps a run from being planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Unplannable(pub Vec<String>);

/// The thinking time of games that are not told any.
pub const DEFAULT_CLOCK: &str = "8+0.08";

/// Settles everything that `run` leaves open. `seed` is used where it names none.
pub fn resolve(run: &RunFile, around: &SearchPaths, seed: u64) -> Result<Plan, Unplannable> {
    let mut problems = Vec::new();
    let common = run.games.limits.or(default_limits());
    let mut engines = Vec::new();
    for entry in &run.engines {
        match plan_engine(entry, common, around) {
            Ok(engine) => engines.push(engine),
            Err(why) => {
                // Two entries of one engine have one mistake.
                let why = why.to_string();
                if !problems.contains(&why) {
                    problems.push(why);
                }
            }
        }
    }
    if run.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        problems.push("name must not be empty".to_owned());
    }
    if run.engines.len() < 2 {
        problems.push("a run needs two engines: name a candidate and a baseline".to_owned());
    }
    if run.sprt.is_some() && run.engines.len() > 2 {
        problems.push("a sequential test compares exactly two engines".to_owned());
    }
    if run.sprt.is_none() && run.games.max_pairs.is_none() {
        problems.push("say when to stop: games.max_pairs (or --games), or an [sprt] to decide".to_owned());
    }
    let openings = book(run, &mut problems);
    if !problems.is_empty() {
        return Err(Unplannable(problems));
    }
    engines.iter_mut().for_each(|engine| engine.spec.name = plain_name(&engine.spec.name));
    distinguish(engines.iter_mut().map(|engine| &mut engine.spec.name));
    let concurrency = run.games.concurrency.unwrap_or_else(|| default_concurrency(run.games.max_pairs));
    Ok(Plan {
        playself: env!("CARGO_PKG_VERSION").to_owned(),
        name: run.name.clone().unwrap_or_else(|| {
            let names: Vec<&str> = engines.iter().map(|engine| engine.spec.name.as_str()).collect();
            names.join("-vs-")
        }),
        date: UtcDate::now().pgn_date(),
        seed: run.seed.unwrap_or(seed),
        concurrency,
        placement: run.games.placement.unwrap_or_default(),
        max_pairs: run.games.max_pairs,
        pairing: run.pairing.unwrap_or_default(),
        breaker: run.games.breaker.unwrap_or_default(),
        openings,
        sprt: run.sprt,
        tune: None,
        accept: None,
        adjudication: run.adjudicate.clone(),
        engines,
    })
}

fn default_limits() -> LimitsTable {
    let clock: ClockRule = DEFAULT_CLOCK.parse().expect("the default is a time control");
    LimitsTable { tc: Some(clock), ..LimitsTable::default() }
}

fn default_concurrency(max_pairs: Option<u64>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(max_pairs.and_then(|pairs| usize::try_from(pairs).ok()).unwrap_or(cores)).max(1)
}

fn book(run: &RunFile, problems: &mut Vec<String>) -> Option<BookPlan> {
    let path = run.games.openings.as_ref()?;
    let hashed = path.canonicalize().and_then(|path| FileHash::of(&path));
    match hashed {
        Ok(file) => Some(BookPlan {
            file,
            order: run.games.order.unwrap_or_default(),
            share: if run.tune.is_some() { Share::Tuning } else { Share::Whole },
            start: run.games.start.unwrap_or(1),
            plies: run.games.plies,
        }),
        Err(why) => {
            problems.push(format!("the openings {} cannot be read: {why}", path.display()));
            None
        }
    }
}

/// A name that every file and terminal can show: of printable letters, and not too long.
fn plain_name(name: &str) -> String {
    const LONGEST: usize = 128;
    name.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

/// Gives every engine a name of its own: a second `engine` becomes `engine_2`.
fn distinguish<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let plain = name.clone();
        let mut number = 1;
        while taken.contains(name) {
            number += 1;
            *name = format!("{plain}_{number}");
        }
        taken.push(name.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EngineEntry;
    use std::path::PathBuf;

    fn around() -> SearchPaths {
        SearchPaths { this_program: PathBuf::from("/bin/sh"), engines: PathBuf::from("/no/engines") }
    }

    fn two(max_pairs: Option<u64>) -> RunFile {
        let mut run = RunFile {
            engines: vec![EngineEntry::named("builtin"), EngineEntry::named("builtin")],
            ..RunFile::default()
        };
        run.games.max_pairs = max_pairs;
        run
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let plan = resolve(&two(Some(1)), &around(), 7).unwrap();
        assert_eq!((plan.seed, plan.concurrency), (7, 1));
        assert_eq!(plan.name, "builtin-vs-builtin_2");
        assert_eq!(plan.engines[1].limits.to_string(), DEFAULT_CLOCK);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let mut run = two(None);
        run.engines.push(EngineEntry::named("/no/such/engine"));
        run.games.openings = Some(PathBuf::from("/no/such/book.epd"));
        let Unplannable(problems) = resolve(&run, &around(), 7).unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
        run.engines.push(EngineEntry::named("/no/such/engine"));
        let Unplannable(again) = resolve(&run, &around(), 7).unwrap_err();
        assert_eq!(again, problems, "one engine named twice is missing once");
    }
}
