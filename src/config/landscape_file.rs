//! Landscapes of simulated tuning runs, as written in TOML.

use std::path::Path;

use crate::config::toml_reader::{Fields, Mistakes, read_document};
use crate::stats::{Elo, GameModel};
use crate::store::read_text;
use crate::tuning::{Cliff, Interaction, Kind, Landscape, Parabola, Parameter, SimulatedGames};

/// Steps in which a drifting draw ratio changes.
const DRIFT_STEPS: u32 = 4;

/// A landscape with the models of the games played on it.
#[derive(Clone, Debug)]
pub struct LandscapeFile {
    /// Strength of settings.
    pub landscape: Landscape,
    /// Models of the games; each covers an equal part of a run.
    pub games: Vec<SimulatedGames>,
}

impl LandscapeFile {
    /// Reads a file, reporting all its mistakes at once.
    pub fn read(path: &Path) -> Result<Self, Mistakes> {
        let text = read_text(path).map_err(|error| Mistakes::unreadable(path, &error))?;
        Self::parse(path, &text)
    }

    /// Parses `text`; `path` is used in messages only.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Mistakes> {
        let parsed = read_document(path, text, |fields| {
            let games = games(fields);
            let cliff = fields.table("cliff", cliff).flatten();
            let seed = fields.whole("turned_by_seed", 0, i64::MAX);
            let bonds = fields.tables("interaction", interaction);
            let parabolas = parabolas(fields)?;
            let bonds: Option<Vec<Bond>> = bonds.unwrap_or_default().into_iter().collect();
            let bonds = among(&parabolas, bonds?, fields)?;
            match Landscape::new(parabolas) {
                Ok(landscape) => {
                    let landscape =
                        landscape.with_interactions(bonds).map_err(|why| fields.wrong(why)).ok()?;
                    let landscape = cliff.into_iter().fold(landscape, Landscape::with_cliff);
                    let landscape = seed.into_iter().fold(landscape, Landscape::rotated);
                    Some(Self { landscape, games: games? })
                }
                Err(error) => {
                    fields.wrong(error);
                    None
                }
            }
        })?;
        Ok(parsed.expect("whatever is not there is a mistake"))
    }
}

/// Reads the models of the games, one for each step of the draw ratio.
fn games(fields: &mut Fields) -> Option<Vec<SimulatedGames>> {
    let draw_ratio =
        fields.required("draw_ratio", "the share of draws between equal engines", Fields::number);
    let bias = fields.number("bias").unwrap_or(0.0);
    let end = fields.number("draw_ratio_end");
    let coin_flips = fields.number("coin_flips").unwrap_or(0.0);
    let draw_ratio = draw_ratio?;
    let ratios: Vec<f64> = match end {
        None => vec![draw_ratio],
        Some(end) => {
            let share = |step: u32| f64::from(step) / f64::from(DRIFT_STEPS - 1);
            (0..DRIFT_STEPS).map(|step| draw_ratio + share(step) * (end - draw_ratio)).collect()
        }
    };
    let model =
        |ratio| Ok(SimulatedGames::new(&GameModel::new(ratio, Elo(bias))?).with_coin_flips(coin_flips));
    let models: Result<Vec<SimulatedGames>, crate::stats::ImpossibleGames> =
        ratios.into_iter().map(model).collect();
    models.map_err(|error| fields.wrong(error)).ok()
}

fn cliff(fields: &mut Fields) -> Option<Cliff> {
    let at = fields.required("at", "half ranges above the optimum", Fields::number);
    let elo = fields.required("elo", "the Elo lost beyond it", Fields::number);
    Some(Cliff { at: at?, elo: Elo(elo?) })
}

/// An interaction between two parameters, by their names.
struct Bond {
    between: [String; 2],
    elo: f64,
}

fn interaction(fields: &mut Fields) -> Option<Bond> {
    let between = fields.required("between", "the names of two parameters", Fields::texts);
    let elo = fields.required("elo", "the Elo lost where both are half a range too high", Fields::number);
    match <[String; 2]>::try_from(between?) {
        Ok(between) => Some(Bond { between, elo: elo? }),
        Err(names) => {
            fields.wrong(format!("an interaction is between two parameters, not {}", names.len()));
            None
        }
    }
}

/// Finds the parameters of interactions.
fn among(parabolas: &[Parabola], bonds: Vec<Bond>, fields: &mut Fields) -> Option<Vec<Interaction>> {
    let mut find = |name: &str| {
        let found = parabolas.iter().position(|parabola| parabola.parameter.name == name);
        if found.is_none() {
            fields.wrong(format!("an interaction names `{name}`, which is no parameter"));
        }
        found
    };
    let mut found = Vec::new();
    for Bond { between: [one, other], elo } in bonds {
        found.push(Interaction { between: [find(&one)?, find(&other)?], elo: Elo(elo) });
    }
    Some(found)
}

fn parabolas(fields: &mut Fields) -> Option<Vec<Parabola>> {
    let list = fields
        .required("parameter", "at least one [[parameter]]", |fields, key| fields.tables(key, parabola));
    list?.into_iter().collect()
}

fn parabola(fields: &mut Fields) -> Option<Parabola> {
    let name = fields.required("name", "a text in quotes", Fields::text);
    let elo = fields.number("elo");
    if fields.flag("switch") == Some(true) {
        return switch(name, elo, fields);
    }
    let [min, max, start, optimum, above] = ["min", "max", "start", "optimum", "curvature"]
        .map(|key| fields.required(key, "a number", Fields::number));
    let below = fields.number("curvature_below").or(above);
    let kind = if fields.flag("integer") == Some(true) { Kind::Integer } else { Kind::Real };
    let name = name?;
    if above.is_some_and(|curvature| curvature < 0.0) || below.is_some_and(|curvature| curvature < 0.0) {
        fields.wrong(format!("`{name}` has a curvature below 0, so its optimum would be its worst value"));
        return None;
    }
    Some(Parabola {
        parameter: Parameter { kind, ..Parameter::real(name, min?, max?, start?) },
        optimum: optimum?,
        above: above?,
        below: below?,
    })
}

fn switch_value(fields: &mut Fields, key: &str) -> Option<u32> {
    fields.whole(key, 0, 1)
}

/// Reads a parameter that is on or off.
fn switch(name: Option<String>, elo: Option<f64>, fields: &mut Fields) -> Option<Parabola> {
    let start = fields.required("start", "0 or 1", switch_value);
    let optimum = fields.required("optimum", "0 or 1", switch_value);
    if elo.is_none() {
        fields.missing("elo", "the Elo lost if it is wrong");
    }
    let (start, optimum) = (f64::from(start?), f64::from(optimum?));
    // The two values are two half ranges apart.
    let curvature = elo?.max(0.0) / 4.0;
    Some(Parabola::symmetric(&name?, [0.0, 1.0], start, optimum, curvature, Kind::Choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "draw_ratio = 0.4\ndraw_ratio_end = 0.7\nturned_by_seed = 3\n[cliff]\nat = 0.5\nelo = 30\n\
        [[parameter]]\nname = \"a\"\nmin = 0\nmax = 9\nstart = 5\noptimum = 4.5\ncurvature = 2\n";

    fn parse(text: &str) -> Result<LandscapeFile, Mistakes> {
        LandscapeFile::parse(Path::new("landscape.toml"), text)
    }

    #[test]
    fn a_drifting_draw_ratio_gives_a_model_for_each_step() {
        let file = parse(GOOD).unwrap();
        assert_eq!((file.games.len(), file.landscape.space().len()), (4, 1));
    }

    #[test]
    fn switches_and_interactions_are_read_and_checked() {
        let text = GOOD.replace("turned_by_seed = 3\n", "").replace("[cliff]\nat = 0.5\nelo = 30\n", "")
            + "[[parameter]]\nname = \"b\"\nmin = 0\nmax = 9\nstart = 5\noptimum = 4.5\ncurvature = 2\n\
               [[parameter]]\nname = \"s\"\nswitch = true\nstart = 0\noptimum = 1\nelo = 8\n\
               [[interaction]]\nbetween = [\"a\", \"b\"]\nelo = 3\n";
        let landscape = parse(&text).unwrap().landscape;
        let strength = |values: [f64; 3]| landscape.strength(&crate::tuning::Settings(values.into())).0;
        assert_eq!(strength([4.5, 4.5, 1.0]), 0.0);
        assert_eq!(strength([4.5, 4.5, 0.0]), -8.0);
        // Both half a range above: 2 + 2 + 3; one above and one below: 2 + 2 - 3.
        assert_eq!(strength([9.0, 9.0, 1.0]), -7.0);
        assert_eq!(strength([9.0, 0.0, 1.0]), -1.0);
        for (from, to, problem) in [
            ("elo = 3\n", "elo = 4\n", "too strong: with 4 Elo or more"),
            ("[\"a\", \"b\"]", "[\"a\", \"x\"]", "names `x`, which is no parameter"),
            ("[\"a\", \"b\"]", "[\"a\"]", "between two parameters, not 1"),
        ] {
            let report = parse(&text.replace(from, to)).unwrap_err().to_string();
            assert!(report.contains(problem), "`{problem}` not in:\n{report}");
        }
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let text = GOOD
            .replace("draw_ratio = 0.4\n", "")
            .replace("at = 0.5", "att = 0.5")
            .replace("curvature = 2", "curvature = -2\ninteger = 1");
        let mistakes = parse(&text).unwrap_err();
        let report = mistakes.to_string();
        for part in [
            "landscape.toml: draw_ratio is missing",
            "landscape.toml:4: unknown key `cliff.att`; did you mean `at`?",
            "cliff.at is missing",
            "`a` has a curvature below 0",
            "parameter.integer must be true or false",
        ] {
            assert!(report.contains(part), "`{part}` not in:\n{report}");
        }
        assert_eq!(mistakes.count(), 5, "{report}");
    }
}
