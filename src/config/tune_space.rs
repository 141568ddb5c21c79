//! The parameters that a tuning run varies: named in `[tune]` or listed for another tuner, and declared by the engine.

use std::path::Path;

use crate::config::test_tables::{BoundsTable, TuneTable};
use crate::spelling::nearest;
use crate::store::read_text;
use crate::tuning::{FormatError, GainList, Kind, Method, Parameter, Space, SpsaPlan};

/// The tuners whose parameter lists can be read.
const LIST_FORMATS: &str = "fishtest, openbench, weather-factory";

/// Mistakes that are reported of one list. Each costs a comparison with all names that the engine declares.
const MOST_MISTAKES: usize = 20;

/// Why the parameters of a tuning run cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names its fields")]
pub enum TuneSpaceError {
    #[error("the list {path} cannot be read: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("{path} is not weather-factory's JSON: {error}")]
    Json { path: String, error: serde_json::Error },
    #[error("[tune] list is only read for the methods {LIST_FORMATS}, not for `{0}`")]
    NoListFormat(String),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("{}", .0.join("\n"))]
    Undeclared(Vec<String>),
    #[error("there is no tuner `{name}`; choose one of {}", Method::NAMES.join(", "))]
    UnknownMethod { name: String },
}

/// Reads a parameter list in the form of the tuner that `method` names.
pub fn read_gain_list(path: &Path, method: &str) -> Result<GainList, TuneSpaceError> {
    let name = || path.display().to_string();
    let text = read_text(path).map_err(|error| TuneSpaceError::Unreadable { path: name(), error })?;
    Ok(match method {
        "fishtest" => GainList::from_fishtest(&text)?,
        "openbench" => GainList::from_open_bench(&text)?,
        "weather-factory" => {
            let table =
                serde_json::from_str(&text).map_err(|error| TuneSpaceError::Json { path: name(), error })?;
            GainList::from_weather_factory(&table)?
        }
        other => return Err(TuneSpaceError::NoListFormat(other.to_owned())),
    })
}

/// The space of a list, once the engine has declared all of it.
pub fn listed_space(list: &GainList, declared: &[Parameter]) -> Result<Space, TuneSpaceError> {
    let mut problems = Vec::new();
    for Parameter { name, min, max, .. } in list.space.parameters() {
        if problems.len() == MOST_MISTAKES {
            problems.push("there may be more mistakes".to_owned());
            break;
        }
        match declared.iter().find(|option| option.name == *name) {
            None => {
                let hint = suggestion(name, declared);
                problems.push(format!("the engine has no number named `{name}`{hint}"));
            }
            Some(option) if *min < option.min || *max > option.max => problems.push(format!(
                "`{name}` is listed from {min} to {max}, but the engine takes {} to {}",
                option.min, option.max
            )),
            Some(_) => {}
        }
    }
    if problems.is_empty() { Ok(list.space.clone()) } else { Err(TuneSpaceError::Undeclared(problems)) }
}

/// The tuning method `name` for a budget of `pairs`, with the gains of a list if there is one.
pub fn tuning_method(
    name: &str,
    list: Option<&GainList>,
    space: &Space,
    pairs: u64,
) -> Result<Method, TuneSpaceError> {
    let Some(list) = list else {
        return Method::named(name, space, pairs)
            .ok_or_else(|| TuneSpaceError::UnknownMethod { name: name.to_owned() });
    };
    let gains = list.gains.clone();
    Ok(Method::Spsa(match name {
        "fishtest" => SpsaPlan::fishtest(gains, pairs),
        "openbench" => SpsaPlan::open_bench(gains, pairs),
        "weather-factory" => SpsaPlan::weather_factory(gains),
        other => return Err(TuneSpaceError::NoListFormat(other.to_owned())),
    }))
}

/// Numbers that most engines declare and that are settings, not parameters of play: patterns leave them out.
const SETTINGS: [&str; 21] = [
    "Hash",
    "Threads",
    "MultiPV",
    "Move Overhead",
    "MoveOverhead",
    "Minimum Thinking Time",
    "Slow Mover",
    "nodestime",
    "Skill Level",
    "UCI_Elo",
    "SyzygyProbeDepth",
    "SyzygyProbeLimit",
    "SyzygyPieces",
    "EvalHash",
    "Pawn Hash",
    "PawnHash",
    "MinibatchSize",
    "NNCacheSize",
    "RamLimitMb",
    "Log Level",
    "Debug Level",
];

/// The declared parameters of `engine` that `[tune]` names, with its bounds; or every mistake with its line.
pub fn named_space(
    engine: &str,
    declared: &[Parameter],
    table: &TuneTable,
) -> Result<Space, Vec<(usize, String)>> {
    let mut mistakes = Vec::new();
    let mut parameters: Vec<Parameter> = Vec::new();
    for pattern in &table.parameters {
        if mistakes.len() == MOST_MISTAKES || parameters.len() > Space::MAX_PARAMETERS {
            break;
        }
        let matching: Vec<&Parameter> = declared.iter().filter(|option| is_meant(pattern, option)).collect();
        if matching.is_empty() {
            let hint = suggestion(pattern, declared);
            let why = format!("tune.parameters: {engine} has no number `{pattern}` to tune{hint}");
            mistakes.push((table.parameters_line, why));
        }
        for parameter in matching.into_iter().take(Space::MAX_PARAMETERS + 1) {
            if parameters.iter().all(|known| known.name != parameter.name) {
                parameters.push(parameter.clone());
            }
        }
    }
    for (name, bounds) in &table.bounds {
        match parameters.iter_mut().find(|parameter| parameter.name == *name) {
            Some(parameter) => mistakes.extend(narrow(parameter, bounds).map(|why| (bounds.line, why))),
            None => {
                let why = format!("[tune.bounds.{name}] is for a parameter that is not tuned");
                mistakes.push((bounds.line, why));
            }
        }
    }
    for parameter in &parameters {
        let bounds = table.bounds.iter().find(|(name, _)| *name == parameter.name);
        let line = bounds.map_or(table.parameters_line, |(_, bounds)| bounds.line);
        let found = Space::errors(std::slice::from_ref(parameter));
        let hint = match parameter.range().is_finite() {
            true => String::new(),
            false => format!("; give min and max in [tune.bounds.{}]", parameter.name),
        };
        mistakes.extend(found.iter().map(|why| (line, format!("{why}{hint}"))));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Space::new(parameters).map_err(|why| vec![(table.parameters_line, why.to_string())])
}

/// Whether a pattern names an option. With `*` it names whole numbers alone, without settings: those, switches, choices and
/// numbers as text have to be named in full, because most of them are no parameters.
fn is_meant(pattern: &str, option: &Parameter) -> bool {
    let is_setting = || SETTINGS.iter().any(|setting| setting.eq_ignore_ascii_case(&option.name));
    pattern == option.name
        || (option.kind == Kind::Integer && matches_pattern(pattern, &option.name) && !is_setting())
}

fn suggestion(name: &str, declared: &[Parameter]) -> String {
    nearest(name, declared.iter().map(|option| option.name.as_str()))
        .map_or(String::new(), |known| format!("; did you mean `{known}`?"))
}

/// Applies the bounds of the table to a parameter, and yields those that the engine's own range forbids.
fn narrow(parameter: &mut Parameter, bounds: &BoundsTable) -> impl Iterator<Item = String> {
    let (least, most, name) = (parameter.min, parameter.max, parameter.name.clone());
    let given = [("min", bounds.min), ("max", bounds.max), ("start", bounds.start)];
    parameter.min = bounds.min.unwrap_or(least);
    parameter.max = bounds.max.unwrap_or(most);
    parameter.start = bounds.start.unwrap_or(parameter.start);
    given
        .into_iter()
        .filter_map(|(key, value)| value.map(|value| (key, value)))
        .filter(move |(_, value)| !(least..=most).contains(value))
        .map(move |(key, value)| {
            format!("[tune.bounds.{name}] {key} = {value}: the engine takes {least} to {most}")
        })
}

/// Whether `name` matches a pattern in which `*` stands for any text.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            let Some(mut left) = name.strip_prefix(start) else { return false };
            loop {
                if matches_pattern(rest, left) {
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
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn row_198_of_many_unknown_names_a_few_are_reported() {
        let declared = [Parameter::integer("razor", 0.0, 200.0, 100.0)];
        let unknown: Vec<Parameter> =
            (0..5_000).map(|number| Parameter::integer(format!("x{number}"), 0.0, 1.0, 0.0)).collect();
        let parameters = unknown.iter().map(|parameter| parameter.name.clone()).collect();
        let table = TuneTable { parameters, ..TuneTable::default() };
        assert_eq!(named_space("e", &declared, &table).unwrap_err().len(), MOST_MISTAKES);
        let list = GainList { space: Space::new(unknown).unwrap(), gains: Vec::new() };
        let why = listed_space(&list, &declared).unwrap_err().to_string();
        assert_eq!(why.lines().count(), MOST_MISTAKES + 1, "{why}");
    }

    #[test]
    fn switches_and_texts_are_tuned_only_if_they_are_named() {
        let switch = Parameter::choice("use_nnue", ["false", "true"].map(str::to_owned).into(), 1);
        let text = Parameter::real("scale", f64::NEG_INFINITY, f64::INFINITY, 1.0);
        let number = Parameter::integer("razor", 0.0, 200.0, 100.0);
        let declared = [number, switch, text];
        let named = |parameters: &[&str], bounds: Vec<(String, BoundsTable)>| {
            let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
            named_space("e", &declared, &TuneTable { parameters, bounds, ..TuneTable::default() })
        };
        assert_eq!(named(&["*"], Vec::new()).unwrap().len(), 1);
        assert_eq!(named(&["*", "use_nnue"], Vec::new()).unwrap().len(), 2);
        let why = named(&["scale"], Vec::new()).unwrap_err();
        assert!(why[0].1.ends_with("give min and max in [tune.bounds.scale]"), "{why:?}");
        let bounds = BoundsTable { min: Some(0.5), max: Some(2.0), ..BoundsTable::default() };
        assert_eq!(named(&["scale"], vec![("scale".to_owned(), bounds)]).unwrap().parameters()[0].max, 2.0);
    }

    #[test]
    fn row_197_patterns_leave_settings_out_and_names_do_not() {
        let declared: Vec<Parameter> = ["Hash", "Threads", "multipv", "Move Overhead", "Razor", "HashBonus"]
            .map(|name| Parameter::integer(name, 0.0, 100.0, 10.0))
            .into();
        let names = |patterns: &[&str]| {
            let parameters = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            let table = TuneTable { parameters, ..TuneTable::default() };
            let space = named_space("x", &declared, &table).unwrap();
            space.parameters().iter().map(|parameter| parameter.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["*"]), ["Razor", "HashBonus"]);
        assert_eq!(names(&["Hash*"]), ["HashBonus"]);
        assert_eq!(names(&["Hash", "*zor"]), ["Hash", "Razor"]);
        let table = TuneTable { parameters: vec!["*Over*".to_owned()], ..TuneTable::default() };
        assert!(named_space("x", &declared, &table).is_err(), "nothing is left to tune");
    }

    #[test]
    fn a_list_must_fit_what_the_engine_declares() {
        let list =
            GainList::from_fishtest("razor,120,0,240,12,0.002\nfutility,90,10,170,8,0.004").expect("a list");
        let option = |name: &str, max: f64| Parameter::integer(name, 0.0, max, 100.0);
        assert!(listed_space(&list, &[option("razor", 240.0), option("futility", 200.0)]).is_ok());
        let error = listed_space(&list, &[option("razor", 200.0), option("futilty", 200.0)])
            .expect_err("two mistakes")
            .to_string();
        assert!(error.contains("`razor` is listed from 0 to 240, but the engine takes 0 to 200"), "{error}");
        assert!(error.contains("no number named `futility`; did you mean `futilty`?"), "{error}");
    }

    #[test]
    fn a_list_without_a_tuner_of_that_form_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.txt");
        std::fs::write(&path, "razor,120,0,240,12,0.002").expect("a file");
        assert!(read_gain_list(&path, "fishtest").is_ok());
        let error = read_gain_list(&path, "bayes").expect_err("bayes has no list").to_string();
        assert!(error.contains("fishtest, openbench, weather-factory"), "{error}");
    }
}
