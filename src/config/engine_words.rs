//! An engine as words `key=value` on a command line, with the keys of other match runners.

use std::path::PathBuf;
use std::str::FromStr;

use crate::player::{Pondering, Restart};
use crate::spelling::nearest;

use crate::config::engine_table::{EngineDir, EngineEntry};

/// All keys but `option.NAME`.
const KEYS: [&str; 15] = [
    "cmd",
    "name",
    "dir",
    "args",
    "tc",
    "st",
    "nodes",
    "depth",
    "timemargin",
    "restart",
    "proto",
    "ponder",
    "book",
    "bookdepth",
    "set.NAME",
];

/// Protocols, as they stand before the path of an engine.
const PROTOCOLS: [&str; 3] = ["uci", "xboard", "ace"];

/// Parses an engine of a command line: a name or command as in a run file, or words such as
/// `cmd=./engine name=dev option.Hash=64 tc=8+0.08`, quoted as in a shell.
impl FromStr for EngineEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("an engine needs a name or a path".to_owned());
        }
        // A file of that name is meant, whatever it looks like.
        if !PathBuf::from(text).exists()
            && let Some(words) = shlex::split(text)
            && words.iter().any(|word| word.starts_with("cmd="))
        {
            return from_words(&words);
        }
        Ok(Self::named(text))
    }
}

/// Reads the words of an engine.
fn from_words(words: &[String]) -> Result<EngineEntry, String> {
    let mut entry = EngineEntry::default();
    let mut protocol = None;
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("expected key=value, got `{word}`"))?;
        let wrong = |expected: &str| format!("{key}: expected {expected}, got `{value}`");
        match key {
            "cmd" => entry.engine = value.to_owned(),
            "name" => entry.name = Some(value.to_owned()),
            "dir" => entry.dir = Some(EngineDir::from(value.to_owned())),
            "args" => entry.args = shlex::split(value).ok_or_else(|| wrong("closed quotes"))?,
            "tc" => entry.limits.tc = Some(value.parse().map_err(|why| format!("tc: {why}"))?),
            "st" => {
                entry.limits.movetime_ms =
                    Some(milliseconds(value).ok_or_else(|| wrong("seconds for each move"))?);
            }
            "nodes" => entry.limits.nodes = Some(positive(value).ok_or_else(|| wrong("a number from 1"))?),
            "depth" | "plies" => {
                entry.limits.depth = Some(positive(value).ok_or_else(|| wrong("a number from 1"))?);
            }
            "timemargin" => {
                entry.limits.margin_ms = Some(value.parse().map_err(|_| wrong("a number of milliseconds"))?);
            }
            "restart" => {
                entry.restart = match value {
                    "on" => Some(Restart::On),
                    "off" => Some(Restart::Off),
                    // The engine decides with other match runners; ours are kept where they can be.
                    "auto" => None,
                    _ => return Err(wrong("on, off or auto")),
                };
            }
            "ponder" => {
                entry.ponder = Some(match value {
                    "true" | "on" => Pondering::On,
                    "false" | "off" => Pondering::Off,
                    _ => return Err(wrong("on or off")),
                });
            }
            "book" => entry.book = Some(PathBuf::from(value)),
            "bookdepth" => {
                entry.book_depth =
                    Some(positive(value).ok_or_else(|| wrong("a number of full moves from 1"))?);
            }
            "proto" if PROTOCOLS.contains(&value) => protocol = Some(value),
            "proto" => return Err(wrong(&PROTOCOLS.join(" or "))),
            _ => match (key.strip_prefix("option."), key.strip_prefix("set.")) {
                (Some(name), _) => entry.options.push((name.to_owned(), value.to_owned())),
                (None, Some(name)) => entry.set.push((name.to_owned(), value.to_owned())),
                (None, None) => return Err(unknown(key)),
            },
        }
    }
    if entry.engine.is_empty() {
        return Err("cmd: expected a program".to_owned());
    }
    if let Some(protocol) = protocol {
        entry.engine = format!("{protocol}:{}", entry.engine);
    }
    Ok(entry)
}

fn unknown(key: &str) -> String {
    match nearest(key, KEYS) {
        Some(near) => format!("unknown key `{key}`; did you mean `{near}`?"),
        None => format!("unknown key `{key}`; known keys: {}, option.NAME", KEYS.join(", ")),
    }
}

fn positive<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number| *number >= T::from(1))
}

fn milliseconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.parse().ok()?;
    (0.001..=86_400.0).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_users_of_other_match_runners_know_are_read() {
        let text = "cmd=./a name='my engine' dir=/tmp args='--uci -x' option.Hash=64 'option.Skill Level=3' tc=8+0.08 \
                    st=0.5 nodes=10 depth=4 timemargin=50 restart=on proto=uci book=b.bin bookdepth=8";
        let entry: EngineEntry = text.parse().unwrap();
        assert_eq!((entry.engine.as_str(), entry.name.as_deref()), ("uci:./a", Some("my engine")));
        assert_eq!(entry.args, ["--uci", "-x"]);
        let options =
            [("Hash", "64"), ("Skill Level", "3")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(entry.options, options);
        assert_eq!(entry.limits.tc, Some("8+0.08".parse().unwrap()));
        assert_eq!(
            (entry.limits.movetime_ms, entry.limits.nodes, entry.limits.depth),
            (Some(500), Some(10), Some(4))
        );
        assert_eq!((entry.limits.margin_ms, entry.restart), (Some(50), Some(Restart::On)));
        assert_eq!((entry.book, entry.book_depth), (Some(PathBuf::from("b.bin")), Some(8)));
    }

    #[test]
    fn anything_without_a_command_is_a_name_as_in_a_run_file() {
        for text in ["builtin", "./engine --uci", "name=x", "/tmp/cmd=1"] {
            assert_eq!(text.parse(), Ok(EngineEntry::named(text)));
        }
    }

    #[test]
    fn wrong_words_are_named() {
        for (text, part) in [
            ("cmd=a nmae=b", "unknown key `nmae`; did you mean `name`?"),
            ("cmd=a xyzzy=b", "known keys: cmd, name"),
            ("cmd=a loud", "expected key=value, got `loud`"),
            ("cmd=a tc=soon", "`soon` is not a time control"),
            ("cmd=a nodes=0", "nodes: expected a number from 1, got `0`"),
            ("cmd=a proto=morse", "proto: expected uci"),
            ("cmd= name=b", "cmd: expected a program"),
            ("", "an engine needs a name"),
        ] {
            let error = text.parse::<EngineEntry>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
