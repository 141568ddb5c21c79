//! From a run file to a plan: fills in defaults and reports contradictions.

use crate::game::{AdjudicationRules, ClockRule, TableJudge};
use crate::opening::{AfterBook, Share};
use crate::player::SearchDetail;
use crate::run::{AcceptPlan, BookPlan, Encounters, PairSize, Plan, PlannedEngine, RunKind, Schedule};
use crate::store::{FileHash, UtcDate};

use crate::config::engine_lookup::{SearchPaths, plan_engine};
use crate::config::engine_table::EngineEntry;
use crate::config::limits_table::LimitsTable;
use crate::config::run_file::RunFile;
use crate::tuning::TunerPlan;

/// All problems of a run file that keep it from becoming a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Unplannable(pub Vec<String>);

/// The clock of runs that set no limit.
pub const DEFAULT_CLOCK: &str = "8+0.08";

/// Resolves the run file of a match or a test. `seed` is used where it has none.
pub fn resolve(run: &RunFile, paths: &SearchPaths, seed: u64) -> Result<Plan, Unplannable> {
    let mut problems = Vec::new();
    if run.tune.is_some() && run.engines.len() < 2 {
        return Err(Unplannable(vec!["the file has a [tune]: `playself tune` plays it".to_owned()]));
    }
    if run.engines.len() < 2 {
        problems.push("a run needs two engines: name a candidate and a baseline".to_owned());
    }
    if run.sprt.is_some() && run.engines.len() > 2 {
        problems.push("a sequential test compares exactly two engines".to_owned());
    }
    let kind = match (run.sprt, run.games.max_pairs) {
        (Some(sprt), max_pairs) => RunKind::Test { sprt, max_pairs },
        (None, Some(pairs)) => RunKind::Match { pairs },
        (None, None) => {
            problems.push(
                "the run has no end: set games.max_pairs (or --games), or an [sprt] to decide".to_owned(),
            );
            RunKind::Match { pairs: 0 }
        }
    };
    plan(run, &run.engines, kind, paths, seed, problems)
}

/// Gives a run without a length and without a test that of one round: one pair for each two engines that meet.
pub fn limit_to_one_round(run: &mut RunFile) {
    if run.games.max_pairs.is_none() && run.sprt.is_none() {
        let engines = u16::try_from(run.engines.len()).unwrap_or(u16::MAX);
        let round = Schedule::new(run.pairing.unwrap_or_default(), engines, 1, 1);
        run.games.max_pairs = Some(round.matchups().len().max(1) as u64);
    }
}

/// Returns the name of the engine of a tuning run, in whose games it has those of its two sides.
fn tuned_name(entry: &EngineEntry, planned: &PlannedEngine) -> String {
    let stem = || planned.spec.program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_program = || if entry.engine.starts_with("builtin") { "builtin".to_owned() } else { stem() };
    plain_name(&entry.name.clone().unwrap_or_else(of_program))
}

/// A tuning run that is resolved but for what is tuned, which its engine declares.
#[derive(Clone, Debug)]
pub struct TuningDraft {
    /// Its kind is a placeholder until [`into_plan`](Self::into_plan).
    plan: Plan,
}

impl TuningDraft {
    /// Resolves the run file of a tuning run. Both sides of a trial are its one engine, with names of their own.
    pub fn resolve(run: &RunFile, paths: &SearchPaths, seed: u64) -> Result<Self, Unplannable> {
        let mut problems = Vec::new();
        let mut engines = Vec::new();
        match &run.engines[..] {
            [engine] => {
                let plus = engine.name.clone().unwrap_or_else(|| "plus".to_owned());
                engines.push(EngineEntry { name: Some(plus), ..engine.clone() });
                engines.push(EngineEntry { name: Some("minus".to_owned()), ..engine.clone() });
            }
            _ => problems.push("name the one engine to tune: engine = …".to_owned()),
        }
        if run.games.encounters.pair == PairSize::Half {
            problems.push("a tuner learns from pairs: remove pair = \"half\"".to_owned());
        }
        if run.sprt.is_some() {
            problems.push(
                "[sprt] tests two engines against each other; the test of tuned values is set in [accept]"
                    .to_owned(),
            );
        }
        let mut plan = plan(run, &engines, RunKind::Match { pairs: 0 }, paths, seed, problems)?;
        if run.name.is_none() {
            plan.name = format!("tuning-of-{}", tuned_name(&run.engines[0], &plan.engines[0]));
        }
        Ok(Self { plan })
    }

    /// The engines: the same program twice.
    pub fn engines(&self) -> &[PlannedEngine] {
        &self.plan.engines
    }

    /// The random seed of the run.
    pub fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// A match of the untuned engine with itself, to measure how long a pair takes.
    pub fn as_match(&self, pairs: u64) -> Plan {
        Plan { kind: RunKind::Match { pairs }, ..self.plan.clone() }
    }

    /// The plan, now that it is known what is tuned.
    pub fn into_plan(self, tuner: TunerPlan, accept: Option<AcceptPlan>) -> Plan {
        Plan { kind: RunKind::Tuning { tuner: Box::new(tuner), accept }, ..self.plan }
    }
}

/// What is common to all kinds of runs: fills in defaults, and reports every problem at once.
fn plan(
    run: &RunFile,
    entries: &[EngineEntry],
    kind: RunKind,
    paths: &SearchPaths,
    seed: u64,
    mut problems: Vec<String>,
) -> Result<Plan, Unplannable> {
    let common = run.games.limits.or(default_limits());
    if entries.len() > Plan::MAX_ENGINES {
        problems.push(format!("{} engines are too many: the most is {}", entries.len(), Plan::MAX_ENGINES));
        return Err(Unplannable(problems));
    }
    let mut engines = Vec::new();
    for entry in entries {
        match plan_engine(entry, common, paths) {
            Ok(engine) => engines.push(engine),
            Err(error) => {
                // Two entries of one engine have one mistake.
                let problem = error.to_string();
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
    }
    if run.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        problems.push("name must not be empty".to_owned());
    }
    let is_command = |text: &str| shlex::split(text).is_some_and(|words| !words.is_empty());
    if let Some(text) = run.on_end.as_deref().filter(|text| !is_command(text)) {
        problems.push(format!("on_end: `{text}` is not a command line; is a quote missing?"));
    }
    let detail = SearchDetail { extras: run.pgn.needs_extras(), lines: run.pgn.match_lines.clone() };
    problems.extend(detail.wrong_pattern().map(|problem| format!("pgn.match_lines: {problem}")));
    let openings = book(run, &mut problems);
    let adjudication = adjudication(run, &mut problems);
    if !problems.is_empty() {
        return Err(Unplannable(problems));
    }
    for engine in &mut engines {
        engine.spec.name = plain_name(&engine.spec.name);
        engine.spec.detail.clone_from(&detail);
    }
    distinguish(engines.iter_mut().map(|engine| &mut engine.spec.name));
    let concurrency = run.games.concurrency.unwrap_or_else(|| default_concurrency(run.games.max_pairs));
    // A tuning run plays other settings in every pair.
    let games_repeat = run.tune.is_none() && engines.iter().all(|engine| !engine.limits.is_timed());
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
        kind,
        pairing: run.pairing.unwrap_or_default(),
        encounters: Encounters {
            seeds: run.seeds.unwrap_or(0),
            test_by: run.test_by,
            at_limit: run.at_limit,
            ..run.games.encounters
        },
        breaker: run.games.breaker.unwrap_or_default(),
        program_changed: run.games.program_changed.unwrap_or_default(),
        openings,
        after_book: run.games.after_book.unwrap_or_else(|| AfterBook::usual(games_repeat)),
        adjudication,
        pgn: run.pgn.clone(),
        on_end: run.on_end.clone(),
        fleet: run.fleet.clone(),
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
            take: run.games.take,
            plies: run.games.plies,
            variant: run.games.variant,
        }),
        Err(why) => {
            problems.push(format!("the openings {} cannot be read: {why}", path.display()));
            None
        }
    }
}

/// The rules, with the folders of tables as they are found from everywhere.
fn adjudication(run: &RunFile, problems: &mut Vec<String>) -> AdjudicationRules {
    let mut rules = run.adjudicate.clone();
    if let Some(rule) = &mut rules.tablebases {
        for folder in &mut rule.folders {
            // A folder that does not exist is reported below.
            *folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        }
        if let Err(why) = TableJudge::open(rule) {
            problems.push(format!("adjudicate.tablebases: {why}"));
        }
    }
    rules
}

/// The name without control characters, cut to a length that every file and terminal can show.
fn plain_name(name: &str) -> String {
    const LONGEST: usize = 128;
    name.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

/// Makes the names of engines unique: a second `engine` becomes `engine_2`.
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
    fn a_tuning_run_without_a_name_is_called_after_its_engine() {
        for (engine, name, expected) in [
            ("builtin", None, "tuning-of-builtin"),
            ("/bin/cat -u", None, "tuning-of-cat"),
            ("/bin/cat", Some("dev"), "tuning-of-dev"),
        ] {
            let entry = EngineEntry { name: name.map(str::to_owned), ..EngineEntry::named(engine) };
            let run = RunFile { engines: vec![entry], ..RunFile::default() };
            assert_eq!(TuningDraft::resolve(&run, &around(), 7).unwrap().plan.name, expected);
        }
    }

    #[test]
    fn all_problems_are_reported_at_once() {
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
