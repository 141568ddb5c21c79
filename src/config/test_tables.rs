//! `[sprt]`, `[tune]` and `[accept]` of a run file.

use std::path::PathBuf;

use crate::config::limits_table::{LimitsTable, limits};
use crate::config::toml_reader::Fields;
use crate::run::Plan;
use crate::stats::{EloModel, ErrorRate, Hypotheses, SprtConfig, TestKind};

/// The longest budget of a tuning run: ten years.
const MAX_HOURS: f64 = 87_600.0;

/// `[tune]` as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TuneTable {
    /// The tuner's name.
    pub method: Option<String>,
    /// The budget in hours.
    pub hours: Option<f64>,
    /// The budget in games.
    pub games: Option<u64>,
    /// Pairs that may be in play at the same time.
    pub lookahead: Option<u64>,
    /// A parameter list of fishtest, OpenBench or weather-factory, in the form that `method` names.
    pub list: Option<PathBuf>,
    /// Names of parameters, or patterns with `*`.
    pub parameters: Vec<String>,
    /// The line that names them.
    pub parameters_line: usize,
    /// Ranges that differ from the engine's.
    pub bounds: Vec<(String, BoundsTable)>,
}

/// `[tune.bounds.NAME]` as written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundsTable {
    /// The least value.
    pub min: Option<f64>,
    /// The greatest value.
    pub max: Option<f64>,
    /// Where the search begins.
    pub start: Option<f64>,
    /// The line of the table.
    pub line: usize,
}

/// `[accept]` as written: the test that tuned weights must pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcceptTable {
    /// The limits of its games.
    pub limits: LimitsTable,
    /// The test.
    pub sprt: SprtConfig,
    /// Where it ends at the latest.
    pub max_pairs: Option<u64>,
}

/// Reads `[sprt]`, or the test of `[accept]`.
pub(super) fn sprt(fields: &mut Fields) -> Option<SprtConfig> {
    let elo = fields.required("elo", "the strengths of H0 and H1, as in [0.0, 5.0]", Fields::two_numbers);
    let alpha = error_rate(fields, "alpha");
    let beta = error_rate(fields, "beta");
    let model = fields.choice(
        "model",
        &[
            ("normalized", EloModel::Normalized),
            ("logistic", EloModel::Logistic),
            ("bayesian", EloModel::Bayesian),
        ],
    );
    let kind = fields.choice("test", &[("sprt", TestKind::Sprt), ("bounded", TestKind::Bounded)]);
    match Hypotheses::new(elo?[0], elo?[1]) {
        Ok(hypotheses) => Some(SprtConfig {
            hypotheses,
            model: model.unwrap_or_default(),
            alpha,
            beta,
            kind: kind.unwrap_or_default(),
        }),
        Err(why) => {
            fields.wrong(why);
            None
        }
    }
}

fn error_rate(fields: &mut Fields, key: &str) -> ErrorRate {
    match fields.number(key).map(ErrorRate::new) {
        None => ErrorRate::FIVE_PERCENT,
        Some(Ok(rate)) => rate,
        Some(Err(why)) => {
            fields.wrong(format!("{key}: {why}"));
            ErrorRate::FIVE_PERCENT
        }
    }
}

/// Reads `[tune]`.
pub(super) fn tune(fields: &mut Fields) -> TuneTable {
    let table = TuneTable {
        method: fields.text("method"),
        hours: fields.number("hours"),
        games: fields.whole("games", 2, 2 * Plan::MAX_PAIRS),
        lookahead: fields.whole("lookahead", 1, Plan::MAX_PAIRS),
        list: fields.text("list").map(PathBuf::from),
        parameters_line: fields.line_of("parameters"),
        parameters: fields.texts("parameters").unwrap_or_default(),
        bounds: fields.tables_by_name("bounds", |fields| BoundsTable {
            min: fields.number("min"),
            max: fields.number("max"),
            start: fields.number("start"),
            line: fields.line(),
        }),
    };
    if table.list.is_some() && !(table.parameters.is_empty() && table.bounds.is_empty()) {
        fields.wrong("`list` already sets the parameters and their bounds: remove `parameters` and `bounds`, or `list`");
    }
    if table.parameters.is_empty() && table.list.is_none() {
        fields.missing("parameters", "names of weights or options, or patterns such as \"*_mobility\"");
    }
    if table.hours.is_some_and(|hours| hours <= 0.0 || hours > MAX_HOURS) {
        fields.wrong(format_args!("hours must be more than 0 and at most {MAX_HOURS}"));
    }
    table
}

/// Reads `[accept]`.
pub(super) fn accept(fields: &mut Fields) -> Option<AcceptTable> {
    let limits = limits(fields);
    let max_pairs = fields.whole("max_pairs", 1, Plan::MAX_PAIRS);
    let sprt = sprt(fields)?;
    Some(AcceptTable { limits, sprt, max_pairs })
}
