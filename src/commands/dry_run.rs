//! What a run would do, without playing it.

use std::fmt::Write;

use crate::commands::environment::processors;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::openings::PlannedOpenings;
use crate::commands::plan::CheckedPlan;
use crate::commands::start::{RunPlace, StartOptions, WarningPolicy};
use crate::fleet::LocalFleet;
use crate::report::{counted, grouped};
use crate::run::preflight::{EngineFacts, Fairness, fairness};
use crate::run::{BookPlan, Openings, Plan, PlannedEngine, RunKind, plan_to_toml};

/// Number of pairs of the schedule that are shown.
const PAIRS_SHOWN: u64 = 4;

/// Checks a run as its start would, and describes it: length, engines, first pairs, warnings, and the whole plan. Writes
/// nothing.
pub fn dry_run(checked: &CheckedPlan, options: &StartOptions) -> Result<String, Failure> {
    let CheckedPlan { plan, facts } = checked;
    let mut openings = PlannedOpenings::open(plan).or_usage()?;
    let Fairness { warnings, notes } = fairness(plan, facts, processors());
    if options.warnings == WarningPolicy::Refuse && !warnings.is_empty() {
        return Err(Failure::usage(format_args!("refused under --strict:\n{}", warnings.join("\n"))));
    }
    LocalFleet::reserve(plan.concurrency).or_usage()?;
    let mut text = "Dry run: nothing is played and nothing is written.\n".to_owned();
    let _ = writeln!(text, "Run       {}: {}", plan.name, kind(plan));
    for (place, engine) in plan.engines.iter().enumerate() {
        let label = if place == 0 { "Engines" } else { "" };
        let _ = writeln!(text, "{label:<9} {}", engine_line(engine, facts.get(place)));
    }
    let _ = writeln!(text, "Openings  {}", book(plan.openings.as_ref()));
    let at_once = counted(plan.concurrency as u64, "pair");
    let _ = writeln!(text, "At once   {at_once} on {}", counted(processors() as u64, "processor"));
    let _ = writeln!(text, "Folder    {}", place(&options.place, plan));
    text.push_str(&first_pairs(plan, &mut openings)?);
    for conflict in conflicts(plan) {
        let _ = writeln!(text, "Warning: {conflict}");
    }
    for warning in warnings {
        let _ = writeln!(text, "Warning: {warning}");
    }
    for note in notes {
        let _ = writeln!(text, "Note: {note}");
    }
    let _ = write!(text, "\n# plan.toml\n{}", plan_to_toml(plan).or_fault()?);
    Ok(text)
}

fn kind(plan: &Plan) -> String {
    let games = |pairs: u64| format!("{} games in {}", grouped(2 * pairs), counted(pairs, "pair"));
    match &plan.kind {
        RunKind::Match { pairs } => format!("a match of {}", games(*pairs)),
        RunKind::Test { sprt, max_pairs } => {
            let most =
                max_pairs.map_or("without a limit".to_owned(), |pairs| format!("at most {}", games(pairs)));
            format!(
                "a test of [{}, {}] {} Elo, alpha {}, beta {}, {most}",
                sprt.hypotheses.null(),
                sprt.hypotheses.alternative(),
                sprt.model,
                sprt.alpha.get(),
                sprt.beta.get()
            )
        }
        RunKind::Tuning { tuner, accept } => {
            let weights = counted(tuner.space.parameters().len() as u64, "parameter");
            let test = if accept.is_some() {
                ", then a test of the result"
            } else {
                ", without a test of the result"
            };
            format!("tuning of {weights} with {}{test}", games(tuner.pairs))
        }
    }
}

fn engine_line(engine: &PlannedEngine, facts: Option<&EngineFacts>) -> String {
    let mut parts = vec![engine.spec.name.clone(), engine.limits.to_string()];
    let command: Vec<String> = std::iter::once(engine.spec.program.display().to_string())
        .chain(engine.spec.args.iter().cloned())
        .collect();
    parts.push(command.join(" "));
    let options: Vec<String> =
        engine.spec.options.iter().map(|option| format!("{}={}", option.name, option.value)).collect();
    if !options.is_empty() {
        parts.push(options.join(" "));
    }
    match facts.and_then(|facts| facts.failure.as_deref()) {
        Some(why) => parts.push(format!("cannot be started: {why}")),
        None => parts.push("handshake done".to_owned()),
    }
    parts.join("; ")
}

fn book(book: Option<&BookPlan>) -> String {
    match book {
        None => "the initial position".to_owned(),
        Some(BookPlan { file, start, order, .. }) => {
            let order = serde_json::to_string(order).unwrap_or_default();
            format!("{} from number {start}, order {}", file.path.display(), order.trim_matches('"'))
        }
    }
}

fn place(place: &RunPlace, plan: &Plan) -> String {
    match place {
        RunPlace::Exactly(path) => path.display().to_string(),
        RunPlace::Inside(path) => format!("{}/STAMP-{}", path.display(), plan.name),
    }
}

fn first_pairs(plan: &Plan, openings: &mut PlannedOpenings) -> Result<String, Failure> {
    let pairs = plan.last_pair().unwrap_or(u64::MAX).min(PAIRS_SHOWN);
    let mut text = String::new();
    for pair in 0..pairs {
        let fixture = plan.schedule().fixture(pair);
        let [first, second] = fixture.engines.map(|engine| plan.name_of(engine));
        let Some(opening) = openings.opening(fixture.round).map_err(Failure::usage)? else { break };
        let moves =
            if opening.moves.is_empty() { String::new() } else { format!(" {}", opening.moves.join(" ")) };
        let label = if pair == 0 { "Pairs" } else { "" };
        let _ = writeln!(
            text,
            "{label:<9} {}: {first} – {second}, opening {opening}: {}{moves}",
            pair + 1,
            opening.fen
        );
    }
    if plan.last_pair().is_none_or(|last| last > pairs) {
        let _ = writeln!(text, "          …");
    }
    Ok(text)
}

/// Returns options that are written twice, or both fixed and tuned.
fn conflicts(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for engine in &plan.engines {
        let options = &engine.spec.options;
        for (place, option) in options.iter().enumerate() {
            let again = options[place + 1..].iter().find(|other| other.is_named(&option.name));
            if let Some(again) = again.filter(|again| again.value != option.value) {
                found.push(format!(
                    "engine {}: option {} is set to {} and to {}; the last one counts",
                    engine.spec.name, option.name, option.value, again.value
                ));
            }
        }
    }
    let (Some(tuner), Some(engine)) = (plan.tuner(), plan.engines.first()) else { return found };
    for parameter in tuner.space.parameters() {
        let fixed = engine.spec.options.iter().rfind(|option| option.is_named(&parameter.name));
        if let Some(fixed) = fixed {
            found.push(format!(
                "option {} is fixed at {} and also tuned: the tuning only starts there",
                fixed.name, fixed.value
            ));
        }
    }
    found
}
