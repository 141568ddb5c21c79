//! The options that an engine declares, as a table or as a list for a tuner.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::commands::engine_session::with_engine;
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::config::{EngineEntry, LimitsTable, matches_pattern, plan_engine, toml_string};
use crate::player::{NumberOption, OptionDeclaration, OptionKind, Protocol};
use crate::tuning::WeatherFactoryEntry;

/// Numbers that set an engine up and are not tuned. Compared without case and by their beginning.
const SETUP: [&str; 24] = [
    "hash",
    "threads",
    "multipv",
    "move overhead",
    "moveoverhead",
    "ponder",
    "uci_",
    "nodestime",
    "skill",
    "syzygy",
    "clear",
    "debug",
    "contempt",
    "book",
    "slow mover",
    "minimum thinking",
    "log",
    "nalimov",
    "gaviota",
    "egtb",
    "search time",
    "search depth",
    "bitbases",
    "number of threads",
];

/// Share of a range that other tuners vary a parameter by at the end of a run.
const USUAL_PERTURBATION: f64 = 1.0 / 20.0;
/// Learning rate that other tuners end with.
const USUAL_RATE: f64 = 0.002;

/// Forms in which options are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionsFormat {
    /// A table of all options.
    Table,
    /// The tables `[tune]` and `[tune.bounds.NAME]` of a run file.
    Toml,
    /// `name,start,min,max,c_end,r_end`.
    Fishtest,
    /// `name, int, start, min, max, c_end, r_end`.
    OpenBench,
    /// JSON of weather-factory.
    WeatherFactory,
    /// All options as JSON.
    Json,
}

/// The options of an engine.
#[derive(Clone, Debug)]
pub struct EngineOptionList {
    /// The name that it gave.
    pub id_name: Option<String>,
    /// Its options, in its order.
    pub options: Vec<OptionDeclaration>,
}

/// An option as JSON. Its keys are a contract.
#[derive(Debug, Serialize)]
struct OptionRow<'a> {
    name: &'a str,
    r#type: &'static str,
    default: Option<String>,
    min: Option<i64>,
    max: Option<i64>,
    choices: &'a [String],
    tunable: bool,
}

/// Starts an engine and returns the options that match one of `patterns`, or all of them.
pub fn engine_options(
    engine: &EngineEntry,
    patterns: &[String],
    environment: &Environment,
) -> Result<EngineOptionList, Failure> {
    let limits = LimitsTable { nodes: Some(1), ..LimitsTable::default() };
    let planned = plan_engine(engine, limits, &environment.search_paths()).or_usage()?;
    if matches!(planned.spec.protocol, Protocol::Ace { .. }) {
        return Err(Failure::usage("the ACE protocol has no options"));
    }
    let (id_name, mut options) = with_engine(&planned.spec, environment, async |player| {
        Ok((player.id_name(), player.declared_options().to_vec()))
    })?;
    if !patterns.is_empty() {
        options.retain(|option| patterns.iter().any(|pattern| matches_pattern(pattern, &option.name)));
        if options.is_empty() {
            return Err(Failure::usage(format_args!("no option matches {}", patterns.join(", "))));
        }
    }
    Ok(EngineOptionList { id_name, options })
}

impl EngineOptionList {
    /// Returns the numbers that can be tuned: those with a range that do not just set the engine up.
    pub fn tunable(&self) -> Vec<NumberOption> {
        self.options.iter().filter_map(tunable).collect()
    }

    /// Returns the options in one of the formats. Lists for tuners have the tunable numbers alone.
    pub fn text(&self, format: OptionsFormat) -> Result<String, Failure> {
        let numbers = self.tunable();
        let is_list = !matches!(format, OptionsFormat::Table | OptionsFormat::Json);
        if is_list && numbers.is_empty() {
            return Err(Failure::usage(
                "the engine declares no number that can be tuned; name options to list others",
            ));
        }
        Ok(match format {
            OptionsFormat::Table => self.table(),
            OptionsFormat::Json => self.json()?,
            OptionsFormat::Toml => tune_tables(&numbers),
            OptionsFormat::Fishtest => lines(&numbers, |number| {
                let NumberOption { name, min, max, default } = number;
                format!("{name},{default},{min},{max},{},{USUAL_RATE}", perturbation(number))
            }),
            OptionsFormat::OpenBench => lines(&numbers, |number| {
                let NumberOption { name, min, max, default } = number;
                format!("{name}, int, {default}, {min}, {max}, {}, {USUAL_RATE}", perturbation(number))
            }),
            OptionsFormat::WeatherFactory => {
                let entries: BTreeMap<&str, WeatherFactoryEntry> =
                    numbers.iter().map(|number| (number.name.as_str(), weather_entry(number))).collect();
                serde_json::to_string_pretty(&entries).or_fault()? + "\n"
            }
        })
    }

    fn table(&self) -> String {
        let mut text = String::new();
        if let Some(name) = &self.id_name {
            let _ = writeln!(text, "{name}: {} options", self.options.len());
        }
        let width =
            self.options.iter().map(|option| option.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
        let _ = writeln!(text, "{:<width$}  {:<6}  {:>12}  values", "option", "type", "default");
        for option in &self.options {
            let row = row(option);
            let default = row.default.unwrap_or_else(|| "–".to_owned());
            let default = if default.is_empty() { "<empty>".to_owned() } else { default };
            let values = match &option.kind {
                OptionKind::Spin { .. } => {
                    let bound =
                        |bound: Option<i64>| bound.map_or("–".to_owned(), |bound| bound.to_string());
                    let mark = if row.tunable { "  tunable" } else { "" };
                    format!("{} to {}{mark}", bound(row.min), bound(row.max))
                }
                OptionKind::Check { .. } => "true, false".to_owned(),
                _ => row.choices.join(", "),
            };
            let line = format!("{:<width$}  {:<6}  {default:>12}  {values}", option.name, row.r#type);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    fn json(&self) -> Result<String, Failure> {
        let rows: Vec<OptionRow<'_>> = self.options.iter().map(row).collect();
        let text = serde_json::json!({ "id_name": self.id_name, "options": rows });
        Ok(text.to_string() + "\n")
    }
}

fn row(option: &OptionDeclaration) -> OptionRow<'_> {
    let (kind, default, range, choices): (_, _, _, &[String]) = match &option.kind {
        OptionKind::Check { default } => ("check", default.map(|value| value.to_string()), (None, None), &[]),
        OptionKind::Spin { default, min, max } => {
            ("spin", default.map(|value| value.to_string()), (*min, *max), &[])
        }
        OptionKind::Combo { default, choices } => ("combo", default.clone(), (None, None), choices),
        OptionKind::Button => ("button", None, (None, None), &[]),
        OptionKind::String { default } => ("string", Some(default.clone()), (None, None), &[]),
    };
    let tunable = tunable(option).is_some();
    OptionRow { name: &option.name, r#type: kind, default, min: range.0, max: range.1, choices, tunable }
}

fn tunable(option: &OptionDeclaration) -> Option<NumberOption> {
    let OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) } = option.kind else {
        return None;
    };
    let name = option.name.to_lowercase();
    let sets_up = SETUP.iter().any(|word| name.starts_with(word));
    (!sets_up && min < max).then(|| NumberOption { name: option.name.clone(), min, max, default })
}

fn lines(numbers: &[NumberOption], line: impl Fn(&NumberOption) -> String) -> String {
    numbers.iter().map(|number| line(number) + "\n").collect()
}

/// Returns the size of a last step: a share of the range, and at least half of the distance between two values.
fn perturbation(number: &NumberOption) -> f64 {
    let range = number.max as f64 - number.min as f64;
    ((range * USUAL_PERTURBATION) * 100.0).round().max(50.0) / 100.0
}

fn weather_entry(number: &NumberOption) -> WeatherFactoryEntry {
    WeatherFactoryEntry {
        value: number.default as f64,
        min_value: number.min as f64,
        max_value: number.max as f64,
        step: perturbation(number),
    }
}

/// Returns the tables of a run file that tune these numbers within their whole ranges.
pub(super) fn tune_tables(numbers: &[NumberOption]) -> String {
    let names: Vec<String> = numbers.iter().map(|number| toml_string(&number.name)).collect();
    let mut text = format!("[tune]\nparameters = [{}]\n", names.join(", "));
    for NumberOption { name, min, max, default } in numbers {
        let _ = write!(
            text,
            "\n[tune.bounds.{}]\nmin = {min}\nmax = {max}\nstart = {default}\n",
            toml_string(name)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> EngineOptionList {
        let spin = |name: &str, default, min, max| OptionDeclaration {
            name: name.to_owned(),
            kind: OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) },
        };
        EngineOptionList {
            id_name: Some("Engine 1".to_owned()),
            options: vec![
                spin("Hash", 16, 1, 1024),
                spin("Razor Margin", 120, 0, 400),
                spin("Depth", 3, 1, 4),
                OptionDeclaration {
                    name: "Style".to_owned(),
                    kind: OptionKind::Combo {
                        default: Some("solid".to_owned()),
                        choices: vec!["solid".to_owned(), "wild".to_owned()],
                    },
                },
            ],
        }
    }

    #[test]
    fn lists_have_the_tunable_numbers_in_the_form_of_each_tuner() {
        let text = |format| list().text(format).unwrap();
        assert_eq!(text(OptionsFormat::Fishtest), "Razor Margin,120,0,400,20,0.002\nDepth,3,1,4,0.5,0.002\n");
        assert!(text(OptionsFormat::OpenBench).starts_with("Razor Margin, int, 120, 0, 400, 20, 0.002\n"));
        let json: BTreeMap<String, WeatherFactoryEntry> =
            serde_json::from_str(&text(OptionsFormat::WeatherFactory)).unwrap();
        assert_eq!(json["Depth"].step, 0.5);
        let toml = text(OptionsFormat::Toml);
        assert!(toml.contains("parameters = [\"Razor Margin\", \"Depth\"]"), "{toml}");
        assert!(toml.parse::<toml::Table>().is_ok(), "{toml}");
    }

    #[test]
    fn the_table_has_every_option_and_marks_what_can_be_tuned() {
        let table = list().text(OptionsFormat::Table).unwrap();
        assert!(table.starts_with("Engine 1: 4 options\n"), "{table}");
        assert!(table.contains("0 to 400  tunable") && table.contains("1 to 1024\n"), "{table}");
        assert!(table.contains("solid, wild"), "{table}");
    }
}
