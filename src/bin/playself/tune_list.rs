//! The parameter lists of other tuners, as `[tune] list` names them.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use playself::spelling::nearest;
use playself::tuning::{GainList, Method, Parameter, Space, SpsaPlan};

/// The tuners whose lists can be read.
const KNOWN: &str = "fishtest, openbench, weather-factory";

/// Reads a list in the form of the tuner that `method` names.
pub(crate) fn read(path: &Path, method: &str) -> anyhow::Result<GainList> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the list {} cannot be read", path.display()))?;
    let list = match method {
        "fishtest" => GainList::from_fishtest(&text)?,
        "openbench" => GainList::from_open_bench(&text)?,
        "weather-factory" => {
            let table = serde_json::from_str(&text)
                .with_context(|| format!("{} is not weather-factory's JSON", path.display()))?;
            GainList::from_weather_factory(&table)?
        }
        other => bail!("[tune] list needs method = one of {KNOWN}, whose form it has; `{other}` has none"),
    };
    Ok(list)
}

/// The list's space, once the engine has proved to take all of it.
pub(crate) fn declared(list: &GainList, options: &[Parameter]) -> anyhow::Result<Space> {
    let mut wrong = Vec::new();
    for Parameter { name, min, max, .. } in list.space.parameters() {
        match options.iter().find(|option| option.name == *name) {
            None => {
                let hint = nearest(name, options.iter().map(|option| option.name.as_str()))
                    .map_or(String::new(), |known| format!("; did you mean `{known}`?"));
                wrong.push(format!("the engine has no number named `{name}`{hint}"));
            }
            Some(option) if *min < option.min || *max > option.max => wrong.push(format!(
                "`{name}` is listed from {min} to {max}, but the engine takes {} to {}",
                option.min, option.max
            )),
            Some(_) => {}
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(list.space.clone())
}

/// The method with the list's own gains.
pub(crate) fn method(name: &str, list: &GainList, pairs: u64) -> anyhow::Result<Method> {
    let gains = list.gains.clone();
    Ok(Method::Spsa(match name {
        "fishtest" => SpsaPlan::fishtest(gains, pairs),
        "openbench" => SpsaPlan::open_bench(gains, pairs),
        "weather-factory" => SpsaPlan::weather_factory(gains),
        other => bail!("`{other}` has no list; choose one of {KNOWN}"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_must_fit_what_the_engine_declares() {
        let list =
            GainList::from_fishtest("razor,120,0,240,12,0.002\nfutility,90,10,170,8,0.004").expect("a list");
        let option = |name: &str, max: f64| Parameter::integer(name, 0.0, max, 100.0);
        assert!(declared(&list, &[option("razor", 240.0), option("futility", 200.0)]).is_ok());
        let told =
            declared(&list, &[option("razor", 200.0), option("futilty", 200.0)]).expect_err("two mistakes");
        let told = told.to_string();
        assert!(told.contains("`razor` is listed from 0 to 240, but the engine takes 0 to 200"), "{told}");
        assert!(told.contains("no number named `futility`; did you mean `futilty`?"), "{told}");
    }

    #[test]
    fn a_list_without_a_tuner_of_that_form_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.txt");
        std::fs::write(&path, "razor,120,0,240,12,0.002").expect("a file");
        assert!(read(&path, "fishtest").is_ok());
        let told = read(&path, "bayes").expect_err("bayes has no list").to_string();
        assert!(told.contains("fishtest, openbench, weather-factory"), "{told}");
    }
}
