//! The conditions of a run in words: limits, openings, engine settings, test, machine.

use std::cmp::Reverse;

use crate::game::{AdjudicationRules, TablebaseResults, TablebaseRule, TimeControl};
use crate::opening::{Order, Share};
use crate::report::number_text::{counted, grouped, signed, value_text};
use crate::run::{BookPlan, Plan, PlannedEngine};
use crate::stats::{EloModel, SprtConfig, TestKind};

/// A condition: its name and its value.
pub type Condition = (&'static str, String);

/// Returns all conditions of a run. `hosts` are the machines that played it, as far as they are known.
pub fn conditions(plan: &Plan, hosts: &[String]) -> Vec<Condition> {
    let mut rows =
        vec![("Time control", limits_of_all(plan)), ("Openings", openings(plan.openings.as_ref()))];
    rows.push(("Hash", option_of_all(plan, "Hash", " MB")));
    rows.push(("Threads", option_of_all(plan, "Threads", "")));
    if let Some(sprt) = plan.sprt() {
        rows.push(("Test", test(&sprt)));
    }
    if let Some(tuner) = plan.tuner() {
        rows.push(("Tuned", counted(tuner.space.parameters().len() as u64, "weight")));
    }
    if let Some(accept) = plan.acceptance() {
        rows.push(("Acceptance test", format!("{}; {}", limits_text(&accept.limits), test(&accept.sprt))));
    }
    rows.extend(plan.last_pair().map(|pairs| {
        let most = if plan.sprt().is_some() { "at most " } else { "" };
        ("Length", format!("{most}{} of games", counted(pairs, "pair")))
    }));
    rows.push(("Adjudication", adjudication(&plan.adjudication)));
    rows.push(("Concurrency", format!("{} at a time", grouped(plan.concurrency as u64))));
    rows.push(("Seed", plan.seed.to_string()));
    rows.extend(versions(plan).map(|versions| ("Versions", versions)));
    rows.push(("Date", plan.date.replace('.', "-")));
    if !hosts.is_empty() {
        rows.push(("Host", hosts.join("; ")));
    }
    rows.push(("playself", plan.playself.clone()));
    rows
}

/// Returns the names that the engines gave themselves, or `None` if none did.
fn versions(plan: &Plan) -> Option<String> {
    let count = if plan.is_tuning() { 1 } else { plan.engines.len() };
    let version = |engine: &PlannedEngine| {
        let id_name = engine.id_name.as_ref()?;
        Some(if *id_name == engine.spec.name || plan.is_tuning() {
            id_name.clone()
        } else {
            format!("{}: {id_name}", engine.spec.name)
        })
    };
    let versions: Vec<String> = plan.engines[..count].iter().filter_map(version).collect();
    (!versions.is_empty()).then(|| versions.join("; "))
}

/// Returns the conditions in a few words, for lists of runs: `8+0.08, 16 MB, balanced.epd`. The strength of a tuning run is
/// that of its test, so the limits of the test are named, too.
pub fn brief_conditions(plan: &Plan) -> String {
    let mut parts = vec![limits_of_all(plan)];
    parts.extend(plan.acceptance().map(|accept| format!("tested at {}", limits_text(&accept.limits))));
    parts.extend(plan.engines[0].spec.option("Hash").map(|hash| format!("{hash} MB")));
    parts.extend(plan.openings.as_ref().map(book_name));
    if let Some(sprt) = plan.sprt() {
        parts.push(hypotheses_text(&sprt));
    }
    parts.join(", ")
}

/// Returns time control, threads, hash size and book, as far as they are set, in the form that engine forums use:
/// `8+0.08, 1t, 16MB, balanced.epd`.
pub fn setting_text(plan: &Plan) -> String {
    let (candidate, engines) = (&plan.engines[0], &plan.engines);
    let mut parts = if engines.iter().all(|engine| engine.limits == candidate.limits) {
        vec![candidate.limits.to_string()]
    } else {
        engines.iter().map(|engine| format!("{} {}", engine.spec.name, engine.limits)).collect()
    };
    parts.extend(candidate.spec.option("Threads").map(|threads| format!("{threads}t")));
    parts.extend(candidate.spec.option("Hash").map(|hash| format!("{hash}MB")));
    parts.extend(plan.openings.as_ref().map(book_name));
    parts.join(", ")
}

/// The conditions of one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConditions {
    /// Its name in results.
    pub name: String,
    /// The name that it gave itself, with its version.
    pub version: String,
    /// Its limits.
    pub limits: String,
    /// The options that were set.
    pub options: String,
    /// The program and the beginning of its hash.
    pub program: String,
}

/// Returns the conditions of every engine. The two sides of a tuning run are one engine.
pub fn engine_conditions(plan: &Plan) -> Vec<EngineConditions> {
    let count = if plan.is_tuning() { 1 } else { plan.engines.len() };
    let name = |engine: &PlannedEngine| {
        if plan.is_tuning() { engine.named.clone() } else { engine.spec.name.clone() }
    };
    plan.engines.iter().take(count).map(|engine| of_engine(engine, name(engine))).collect()
}

fn of_engine(engine: &PlannedEngine, name: String) -> EngineConditions {
    let options: Vec<String> =
        engine.spec.options.iter().map(|option| format!("{} = {}", option.name, option.value)).collect();
    let program = engine.spec.program.file_name().map(|name| name.to_string_lossy().into_owned());
    let hash = engine.files.first().map(|file| format!(" ({})", file.sha256.get(..12).unwrap_or_default()));
    EngineConditions {
        name,
        version: engine.id_name.clone().unwrap_or_else(|| "–".to_owned()),
        limits: limits_text(&engine.limits),
        options: if options.is_empty() { "–".to_owned() } else { options.join(", ") },
        program: program.unwrap_or_default() + &hash.unwrap_or_default(),
    }
}

/// Returns limits in words: `8+0.08`, `20,000 nodes per move`.
pub fn limits_text(limits: &TimeControl) -> String {
    let parts = [
        limits.clock.map(|clock| clock.to_string()),
        limits.movetime_ms.map(|ms| format!("{} ms per move", grouped(ms))),
        limits.nodes.map(|nodes| format!("{} nodes per move", grouped(nodes))),
        limits.depth.map(|depth| format!("depth {depth}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// Returns the hypotheses of a test as engine forums write them: `[0, 5] normalized Elo`.
pub fn hypotheses_text(sprt: &SprtConfig) -> String {
    let model = match sprt.model {
        EloModel::Logistic => "Elo",
        EloModel::Normalized => "normalized Elo",
        EloModel::Bayesian => "BayesElo",
    };
    let [null, alternative] = [sprt.hypotheses.null(), sprt.hypotheses.alternative()].map(value_text);
    format!("[{null}, {alternative}] {model}")
}

fn test(sprt: &SprtConfig) -> String {
    let bounds = sprt.bounds();
    let (name, narrowing) = match sprt.kind {
        TestKind::Sprt => ("SPRT", ""),
        TestKind::Bounded => ("bounded test", ", narrowing"),
    };
    format!(
        "{name} {}, α {}, β {}, LLR from {} to {}{narrowing}",
        hypotheses_text(sprt),
        value_text(sprt.alpha.into()),
        value_text(sprt.beta.into()),
        signed(bounds.lower, 2),
        signed(bounds.upper, 2)
    )
}

fn limits_of_all(plan: &Plan) -> String {
    of_all(plan, |engine| limits_text(&engine.limits))
}

/// Returns what all engines have in common, or what most have and then the exceptions: `8+0.08; old: 10+0.1`.
fn of_all(plan: &Plan, value: impl Fn(&PlannedEngine) -> String) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for engine in &plan.engines {
        let (value, name) = (value(engine), engine.spec.name.as_str());
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, names)) => names.push(name),
            None => groups.push((value, vec![name])),
        }
    }
    // The sort is stable, so equal groups keep the order of the plan.
    groups.sort_by_key(|(_, names)| Reverse(names.len()));
    let is_common = |names: &[&str]| 2 * names.len() > plan.engines.len();
    let text = |(value, names): &(String, Vec<&str>)| {
        if is_common(names) { value.clone() } else { format!("{}: {value}", names.join(", ")) }
    };
    groups.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Returns the value of an option that all engines share, or those of all.
fn option_of_all(plan: &Plan, name: &str, unit: &str) -> String {
    of_all(plan, |engine| {
        let default = engine.defaults.iter().find(|option| option.is_named(name));
        match (engine.spec.option(name), default) {
            (Some(value), _) => format!("{value}{unit}"),
            (None, Some(option)) => format!("{}{unit} by default", option.value),
            (None, None) => "default".to_owned(),
        }
    })
}

fn openings(book: Option<&BookPlan>) -> String {
    let Some(book) = book else { return "the initial position".to_owned() };
    let order = match book.order {
        Order::Random => "in random order",
        Order::Sequential => "in the order of the file",
        Order::Fastchess => "in the random order of fastchess",
        Order::Cutechess => "in the random order of cutechess-cli",
    };
    let mut text = format!("{} {order}", book_name(book));
    if book.start > 1 {
        text.push_str(&format!(", from number {}", grouped(book.start)));
    }
    if let Some(plies) = book.plies {
        text.push_str(&format!(", at most {plies} half-moves"));
    }
    match book.share {
        Share::Whole => {}
        Share::Tuning => text.push_str(", three of every four"),
        Share::Acceptance => text.push_str(", every fourth, which the tuning did not use"),
    }
    text
}

/// Returns the name of the file of a book.
fn book_name(book: &BookPlan) -> String {
    book.file.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn adjudication(rules: &AdjudicationRules) -> String {
    let pawns = |cp: u32| format!("{:.2}", f64::from(cp) / 100.0);
    let mut parts = Vec::new();
    if let Some(draw) = rules.draw {
        parts.push(format!(
            "draw from move {} after {} moves within {}",
            draw.after_move,
            draw.moves,
            pawns(draw.cp)
        ));
    }
    if let Some(resign) = rules.resign {
        parts.push(format!("win after {} moves beyond {}", resign.moves, pawns(resign.cp)));
    }
    parts.extend(rules.max_moves.map(|moves| format!("draw after {moves} moves")));
    parts.extend(rules.tablebases.as_ref().map(tablebases));
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}

fn tablebases(rule: &TablebaseRule) -> String {
    let results = match rule.results {
        TablebaseResults::Both => "results",
        TablebaseResults::Wins => "wins",
        TablebaseResults::Draws => "draws",
    };
    let men = rule.men.map_or_else(String::new, |men| format!(" of up to {men} men"));
    format!("{results} of endgame tables{men}")
}
