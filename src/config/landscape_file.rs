//! Landscapes of simulated tuning runs, as written in TOML.

use std::path::Path;

use crate::config::toml_reader::{Fields, Mistakes, read_document};
use crate::stats::{Elo, GameModel};
use crate::store::read_text;
use crate::tuning::{Cliff, Kind, Landscape, Parabola, Parameter, SimulatedGames};

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
            let parabolas = parabolas(fields)?;
            match Landscape::new(parabolas) {
                Ok(landscape) => {
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

fn parabolas(fields: &mut Fields) -> Option<Vec<Parabola>> {
    let list = fields
        .required("parameter", "at least one [[parameter]]", |fields, key| fields.tables(key, parabola));
    list?.into_iter().collect()
}

fn parabola(fields: &mut Fields) -> Option<Parabola> {
    let name = fields.required("name", "a text in quotes", Fields::text);
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
