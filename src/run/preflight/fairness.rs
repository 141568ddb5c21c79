//! Differences between engines that may not be intended.

use crate::player::{EngineOption, EngineSpec, OptionDeclaration};

use crate::game::EngineIndex;
use crate::opening::AfterBook;

use crate::run::plan::{OwnSetting, Plan, PlannedEngine};

/// Options that affect strength on their own; a test of anything else needs them equal.
pub(super) const RESOURCES: [&str; 6] =
    ["Hash", "Threads", "SyzygyPath", "Ponder", "MultiPV", "Move Overhead"];

/// Those that are compared even if no configuration sets them, because engines have different defaults.
const ALWAYS: [&str; 2] = ["Hash", "Threads"];

/// What an engine declared. Empty for an engine that was not started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineFacts {
    /// The name that it gave: `id name`.
    pub id_name: Option<String>,
    /// Current values of its [`RESOURCES`] options: set by the plan, or the declared default.
    pub(super) standing: Vec<EngineOption>,
    /// Every option that it declares.
    pub options: Vec<OptionDeclaration>,
    /// Why it could not be started.
    pub failure: Option<String>,
    /// How it differs from the limits of the plan; what it does.
    pub(super) doubts: Vec<String>,
    /// Positions from which it can play.
    pub setup: PositionSetup,
}

/// Positions from which an engine can play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionSetup {
    /// Any position.
    #[default]
    Any,
    /// The starting position and what moves reach from there: an xboard engine without `setboard`.
    StartOnly,
}

impl EngineFacts {
    /// Returns the value of an option that affects strength on its own, if the engine has it.
    pub fn value(&self, name: &str) -> Option<&str> {
        value_of(&self.standing, name)
    }

    /// Returns the defaults of hash and threads where `spec` does not set them.
    pub fn defaults(&self, spec: &EngineSpec) -> Vec<EngineOption> {
        let unset = ALWAYS.iter().filter(|name| spec.option(name).is_none());
        unset.filter_map(|name| Some(EngineOption::new(*name, self.value(name)?))).collect()
    }
}

/// Findings about a plan before it is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// Reasons not to trust its result. Empty for a fair match.
    pub warnings: Vec<String>,
    /// Intended differences: they are written out for each of the two engines.
    pub notes: Vec<String>,
}

/// Describes everything about a plan that makes its result hard to trust. `facts` is what its engines declared, in the order
/// of the plan; `processors` is the number of processors available.
pub fn fairness(plan: &Plan, facts: &[EngineFacts], processors: usize) -> Fairness {
    let mut found = Fairness::default();
    let sides = sides(plan, facts);
    if let Some((first, others)) = sides.split_first() {
        others.iter().for_each(|other| compare(first, other, &mut found));
    }
    for (engine, facts) in plan.engines.iter().zip(facts) {
        found.warnings.extend(facts.doubts.iter().map(|doubt| format!("{} {doubt}", engine.spec.name)));
    }
    if !plan.is_tuning()
        && let [one, other] = &plan.engines[..]
        && is_same(one, other)
    {
        found.warnings.push("both engines are the same program with the same options".to_owned());
    }
    found.warnings.extend(plan.engines.iter().find_map(swapped_clock));
    found.warnings.extend(oversubscription(plan, facts, processors));
    let varies = plan.openings.is_some() || plan.after_book == AfterBook::Extend;
    if !varies && plan.last_pair().is_none_or(|pairs| pairs > 1) {
        found
            .warnings
            .push("all games start from the initial position; --openings FILE makes them differ".to_owned());
    }
    found
}

/// Returns a warning about a clock whose increment is larger than its time: probably the two are swapped.
fn swapped_clock(engine: &PlannedEngine) -> Option<String> {
    let clock = engine.limits.clock?;
    (!clock.time.is_zero() && clock.increment > clock.time).then(|| {
        format!(
            "the increment of {} is larger than its time ({clock}); a clock is TIME+INCREMENT",
            engine.spec.name
        )
    })
}

/// An engine of a plan, with what it declared.
#[derive(Clone, Copy)]
struct EngineSide<'a> {
    engine: &'a PlannedEngine,
    facts: Option<&'a EngineFacts>,
}

fn sides<'a>(plan: &'a Plan, facts: &'a [EngineFacts]) -> Vec<EngineSide<'a>> {
    let side = |(place, engine)| EngineSide { engine, facts: facts.get(place) };
    plan.engines.iter().enumerate().map(side).collect()
}

/// The value of an option, and where it comes from.
#[derive(Clone, Copy)]
enum OptionValue<'a> {
    Written(&'a str),
    Default(&'a str),
    Unknown,
}

impl<'a> OptionValue<'a> {
    fn value(self) -> Option<&'a str> {
        match self {
            Self::Written(value) | Self::Default(value) => Some(value),
            Self::Unknown => None,
        }
    }

    fn is_written(self) -> bool {
        matches!(self, Self::Written(_))
    }

    fn text(self) -> String {
        match self {
            Self::Written(value) => value.to_owned(),
            Self::Default(value) => format!("{value} by default"),
            Self::Unknown => "its default".to_owned(),
        }
    }
}

impl<'a> EngineSide<'a> {
    fn name(&self) -> &'a str {
        &self.engine.spec.name
    }

    fn standing(&self, option: &str) -> OptionValue<'a> {
        if let Some(value) = self.engine.spec.option(option) {
            return OptionValue::Written(value);
        }
        match self.facts.and_then(|facts| value_of(&facts.standing, option)) {
            Some(value) => OptionValue::Default(value),
            // An engine without the option has one thread.
            None if option == "Threads" => OptionValue::Default("1"),
            None => OptionValue::Unknown,
        }
    }

    fn threads(&self) -> usize {
        self.standing("Threads").value().and_then(|value| value.parse().ok()).unwrap_or(1)
    }

    fn wrote(&self, setting: OwnSetting) -> bool {
        self.engine.own.contains(&setting)
    }
}

fn compare(one: &EngineSide<'_>, other: &EngineSide<'_>, found: &mut Fairness) {
    let (name, rival) = (one.name(), other.name());
    for option in RESOURCES {
        let (mine, yours) = (one.standing(option), other.standing(option));
        let differ = match (mine.value(), yours.value()) {
            (Some(mine), Some(yours)) => !mine.eq_ignore_ascii_case(yours),
            (None, None) => false,
            // If one side's default is unknown, warn only when the other side sets the option explicitly.
            _ => mine.is_written() || yours.is_written(),
        };
        let written = [mine, yours].map(OptionValue::is_written);
        if differ && (ALWAYS.contains(&option) || written.contains(&true)) {
            let text = format!("{option} is {} for {name}, {} for {rival}", mine.text(), yours.text());
            found.add(text, !written.contains(&false));
        }
    }
    let own = |setting| one.wrote(setting) && other.wrote(setting);
    let (left, right) = (one.engine, other.engine);
    if left.limits != right.limits {
        let text = format!("{name} thinks {}, {rival} {}", left.limits, right.limits);
        found.add(text, own(OwnSetting::Limits));
    }
    if left.spec.ponder != right.spec.ponder {
        let text = format!("only one of {name} and {rival} ponders");
        found.add(text, own(OwnSetting::Ponder));
    }
    if left.spec.restart != right.spec.restart {
        let text = format!("only one of {name} and {rival} is restarted for every game");
        found.add(text, own(OwnSetting::Restart));
    }
}

impl Fairness {
    fn add(&mut self, text: String, is_asked_for: bool) {
        if is_asked_for {
            self.notes.push(format!("{text}, as written"));
        } else {
            self.warnings.push(text);
        }
    }
}

/// Warns if the games of a plan need more processors than there are. Node and depth limits are unaffected by CPU
/// contention.
pub fn oversubscription(plan: &Plan, facts: &[EngineFacts], processors: usize) -> Option<String> {
    let sides = sides(plan, facts);
    if !sides.iter().any(|side| side.engine.limits.is_timed()) {
        return crowding(plan, processors);
    }
    let needs = |pair: [usize; 2]| {
        let pair = pair.map(|place| &sides[place]);
        EngineSpec::processors_for(pair.map(|side| &side.engine.spec), pair.map(EngineSide::threads))
    };
    let schedule = plan.schedule();
    let per_game = schedule.matchups().iter().map(|pair| needs(pair.map(EngineIndex::get))).max()?;
    let games = plan.last_pair().map_or(plan.concurrency, |most| plan.concurrency.min(most as usize));
    let needed = games.saturating_mul(per_game);
    (needed > processors).then(|| {
        let fit = (processors / per_game.max(1)).max(1);
        format!(
            "{games} games at once need {needed} processors, {processors} {} available: engines would lose time waiting \
             for one; --concurrency {fit} is the most that fits",
            if processors == 1 { "is" } else { "are" },
        )
    })
}

/// Games for each processor beyond which a plan without clocks is a mistake rather than a choice.
const CROWD: usize = 16;

/// Warns if so many games without a clock are played at once that they only cost memory.
fn crowding(plan: &Plan, processors: usize) -> Option<String> {
    let games = plan.last_pair().map_or(plan.concurrency, |most| plan.concurrency.min(most as usize));
    (games > CROWD * processors).then(|| {
        format!(
            "{games} games at once on {processors} processors only take turns and memory; --concurrency {processors} is as fast"
        )
    })
}

fn value_of<'a>(options: &'a [EngineOption], name: &str) -> Option<&'a str> {
    options.iter().rfind(|option| option.is_named(name)).map(|option| option.value.as_str())
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

#[cfg(test)]
mod tests;
