//! `conf=NAME`: engines of the file `engines.json` in the current folder.

use serde_json::Value;

use crate::compat::invocation::InvokedEngine;
use crate::config::ProtocolName;
use crate::store::read_text;

/// The file that cutechess-cli reads.
const FILE: &str = "engines.json";

/// Returns the names of all engines of the file.
pub(super) fn names() -> Result<Vec<String>, String> {
    Ok(entries()?.iter().filter_map(|entry| entry["name"].as_str()).map(str::to_owned).collect())
}

/// Returns the engine of this name.
pub(super) fn engine(name: &str) -> Result<InvokedEngine, String> {
    let entries = entries()?;
    let entry = entries.iter().find(|entry| entry["name"].as_str() == Some(name));
    entry.map(read).ok_or_else(|| format!("Unknown engine configuration: \"{name}\""))?
}

fn entries() -> Result<Vec<Value>, String> {
    let text = read_text(FILE.as_ref()).map_err(|error| format!("{FILE} cannot be read: {error}"))?;
    match serde_json::from_str(&text) {
        Ok(Value::Array(entries)) => Ok(entries),
        Ok(_) => Err(format!("{FILE} is not a list of engines")),
        Err(error) => Err(format!("{FILE} cannot be read: {error}")),
    }
}

fn read(entry: &Value) -> Result<InvokedEngine, String> {
    let texts = |key: &str| -> Vec<String> {
        entry[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let protocol = match entry["protocol"].as_str() {
        Some("xboard") => Some(ProtocolName::Xboard),
        Some("uci") => Some(ProtocolName::Uci),
        Some(other) => return Err(format!("{FILE}: unsupported chess protocol \"{other}\"")),
        None => None,
    };
    let options = entry["options"].as_array().into_iter().flatten().filter_map(|option| {
        let value = match &option["value"] {
            Value::String(text) => text.clone(),
            Value::Null => return None,
            other => other.to_string(),
        };
        Some((option["name"].as_str()?.to_owned(), value))
    });
    let folder = entry["workingDirectory"].as_str().filter(|folder| !folder.is_empty());
    Ok(InvokedEngine {
        name: entry["name"].as_str().map(str::to_owned),
        command: entry["command"].as_str().unwrap_or_default().to_owned(),
        dir: folder.map(Into::into),
        args: texts("arguments"),
        init: texts("initStrings"),
        protocol,
        restart: entry["restart"].as_str() == Some("on"),
        ponder: entry["ponder"].as_bool().unwrap_or(false),
        white_scores: entry["whitepov"].as_bool().unwrap_or(false),
        stderr: entry["stderrFile"].as_str().filter(|file| !file.is_empty()).map(Into::into),
        timeout_scale: entry["timeoutScale"].as_f64(),
        options: options.collect(),
        ..InvokedEngine::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_the_file_has_its_command_init_lines_and_options() {
        let entry = serde_json::json!({
            "command": "./sf", "name": "engine1", "protocol": "uci", "workingDirectory": "",
            "initStrings": ["uci", "setoption name A value 3"],
            "options": [{"name": "Hash", "value": 16}, {"name": "B", "value": "x"}],
        });
        let engine = read(&entry).unwrap();
        assert_eq!((engine.command.as_str(), engine.dir, engine.init.len()), ("./sf", None, 2));
        assert_eq!(engine.options, [("Hash", "16"), ("B", "x")].map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert!(read(&serde_json::json!({"protocol": "ics"})).is_err());
    }
}
