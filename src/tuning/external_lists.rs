//! Parameter lists of other tuners: fishtest, OpenBench, weather-factory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tuning::space::{Kind, Parameter, Space, SpaceError};
use crate::tuning::spsa::Gain;

/// A parameter list of another tuner: the parameters and their gains.
#[derive(Clone, Debug, PartialEq)]
pub struct GainList {
    /// The parameters to tune.
    pub space: Space,
    /// One gain per parameter.
    pub gains: Vec<Gain>,
}

/// Why a list could not be parsed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum FormatError {
    #[error("line {line}: expected {} fields ({format}), got {found}: `{text}`", .format.split(',').count())]
    Fields { line: usize, text: String, found: usize, format: &'static str },
    #[error("line {line}: expected a number, got `{field}`; the fields are {format}")]
    Number { line: usize, field: String, format: &'static str },
    #[error("line {line}: expected `int` or `float`, got `{field}`")]
    Kind { line: usize, field: String },
    #[error(transparent)]
    Space(#[from] SpaceError),
}

const FISHTEST: &str = "name,start,min,max,c_end,r_end";
const OPEN_BENCH: &str = "name,int|float,start,min,max,c_end,r_end";

impl GainList {
    /// Parses the lines of fishtest: `name,start,min,max,c_end,r_end`; all parameters are integers.
    pub fn from_fishtest(text: &str) -> Result<Self, FormatError> {
        Self::from_lines(text, FISHTEST, |fields, line| {
            let [start, min, max, perturbation, rate] = numbers(&fields[1..], line, FISHTEST)?;
            let parameter = Parameter { kind: Kind::Integer, ..Parameter::real(fields[0], min, max, start) };
            Ok((parameter, Gain { perturbation, rate }))
        })
    }

    /// Parses the lines of OpenBench: `name,int|float,start,min,max,c_end,r_end`.
    pub fn from_open_bench(text: &str) -> Result<Self, FormatError> {
        Self::from_lines(text, OPEN_BENCH, |fields, line| {
            let kind = match fields[1] {
                "int" => Kind::Integer,
                "float" => Kind::Real,
                other => return Err(FormatError::Kind { line, field: other.to_owned() }),
            };
            let [start, min, max, perturbation, rate] = numbers(&fields[2..], line, OPEN_BENCH)?;
            let parameter = Parameter { kind, ..Parameter::real(fields[0], min, max, start) };
            Ok((parameter, Gain { perturbation, rate }))
        })
    }

    /// Converts the table in the JSON file of weather-factory; parameters are ordered by name.
    pub fn from_weather_factory(table: &BTreeMap<String, WeatherFactoryEntry>) -> Result<Self, FormatError> {
        let parameter = |(name, entry): (&String, &WeatherFactoryEntry)| {
            Parameter::integer(name, entry.min_value, entry.max_value, entry.value)
        };
        let space = Space::new(table.iter().map(parameter).collect())?;
        // The learning rate of weather-factory depends on its schedule only.
        let gains = table.values().map(|entry| Gain { perturbation: entry.step, rate: 0.0 }).collect();
        Ok(Self { space, gains })
    }

    fn from_lines(
        text: &str,
        format: &'static str,
        parse: impl Fn(&[&str], usize) -> Result<(Parameter, Gain), FormatError>,
    ) -> Result<Self, FormatError> {
        let (mut parameters, mut gains) = (Vec::new(), Vec::new());
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let fields: Vec<&str> = text.split(',').map(str::trim).collect();
            if fields.len() != format.split(',').count() {
                return Err(FormatError::Fields { line, text: text.to_owned(), found: fields.len(), format });
            }
            let (parameter, gain) = parse(&fields, line)?;
            parameters.push(parameter);
            gains.push(gain);
        }
        Ok(Self { space: Space::new(parameters)?, gains })
    }
}

/// One entry of the JSON file of weather-factory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeatherFactoryEntry {
    /// Value before tuning.
    pub value: f64,
    /// Lowest value tried.
    pub min_value: f64,
    /// Highest value tried.
    pub max_value: f64,
    /// Scale of the perturbation.
    pub step: f64,
}

fn numbers<const N: usize>(
    fields: &[&str],
    line: usize,
    format: &'static str,
) -> Result<[f64; N], FormatError> {
    let mut numbers = [0.0; N];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = match field.parse::<f64>() {
            Ok(value) if value.is_finite() => value,
            _ => return Err(FormatError::Number { line, field: (*field).to_owned(), format }),
        };
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_fishtest_and_open_bench_are_parsed() {
        let list =
            GainList::from_fishtest("razor, 120, 0, 240, 12, 0.002\n\nfutility,90,10,170,8,0.004\n").unwrap();
        assert_eq!(list.space.parameters()[0], Parameter::integer("razor", 0.0, 240.0, 120.0));
        assert_eq!(list.gains[1], Gain { perturbation: 8.0, rate: 0.004 });
        let list = GainList::from_open_bench("Lmr, float, 0.5, 0, 1, 0.05, 0.002").unwrap();
        assert_eq!(list.space.parameters()[0], Parameter::real("Lmr", 0.0, 1.0, 0.5));
    }

    #[test]
    fn a_weather_factory_table_is_converted() {
        let entry = WeatherFactoryEntry { value: 5.0, min_value: 0.0, max_value: 10.0, step: 2.0 };
        let list = GainList::from_weather_factory(&BTreeMap::from([("b".to_owned(), entry)])).unwrap();
        assert_eq!(list.space.parameters()[0], Parameter::integer("b", 0.0, 10.0, 5.0));
        assert_eq!(list.gains[0].perturbation, 2.0);
    }

    #[test]
    fn an_error_names_the_line_and_the_field() {
        for (text, message) in [
            ("a,1,0,2,1", "line 1: expected 6 fields (name,start,min,max,c_end,r_end), got 5: `a,1,0,2,1`"),
            (
                "a,1,0,2,1,0.1\nb,x,0,2,1,0.1",
                "line 2: expected a number, got `x`; the fields are name,start,min,max,c_end,r_end",
            ),
            ("a,5,0,2,1,0.1", "parameter `a` starts at 5, outside its range 0 to 2"),
            ("", "there is no parameter to tune"),
        ] {
            assert_eq!(GainList::from_fishtest(text).unwrap_err().to_string(), message);
        }
        let message = GainList::from_open_bench("a,bool,1,0,2,1,0.1").unwrap_err().to_string();
        assert_eq!(message, "line 1: expected `int` or `float`, got `bool`");
    }
}
