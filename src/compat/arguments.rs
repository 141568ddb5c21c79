//! Command lines of the form `-flag value value -flag key=value`.

use std::fmt::Display;
use std::str::FromStr;

use crate::spelling::nearest;

/// A flag with the words that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

/// Groups the words of a command line: a flag takes everything up to the next word that begins with `-` and is no negative
/// number.
pub(super) fn group(words: &[String]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    for word in words {
        let number =
            word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        match flags.last_mut() {
            Some(flag) if !word.starts_with('-') || number => flag.values.push(word.clone()),
            _ => flags.push(Flag { name: word.clone(), values: Vec::new() }),
        }
    }
    flags
}

/// Returns what is wrong with a flag that is not known.
pub(super) fn unknown(name: &str, known: &[&str]) -> String {
    let hint = nearest(name, known.iter().copied());
    let hint = hint.map_or_else(String::new, |near| format!(" Did you mean \"{near}\"?"));
    format!("Unrecognized option: {name}.{hint}")
}

impl Flag {
    /// Returns its only value.
    pub(super) fn single(&self) -> Result<&str, String> {
        match &self.values[..] {
            [value] => Ok(value),
            _ => Err(format!("Option \"{}\" expects exactly one value.", self.name)),
        }
    }

    /// Returns its only value as a number.
    pub(super) fn number<T: FromStr>(&self) -> Result<T, String> {
        let text = self.single()?;
        text.parse().map_err(|_| format!("Option \"{}\": \"{text}\" is not a valid number.", self.name))
    }

    /// Checks that it has no values.
    pub(super) fn bare(&self) -> Result<(), String> {
        match self.values.len() {
            0 => Ok(()),
            _ => Err(format!("Option \"{}\" does not accept parameters.", self.name)),
        }
    }

    /// Returns its values as keys and values, neither of them empty.
    pub(super) fn pairs(&self) -> Result<Vec<(&str, &str)>, String> {
        let pair = |text: &'_ String| -> Result<(usize, usize), String> {
            match text.find('=') {
                Some(at) if at > 0 && at + 1 < text.len() => Ok((at, at + 1)),
                _ => Err(format!("Option \"{}\" expects key=value pairs, got \"{text}\".", self.name)),
            }
        };
        self.values.iter().map(|text| pair(text).map(|(end, start)| (&text[..end], &text[start..]))).collect()
    }

    /// Returns what is wrong with one of its keys.
    pub(super) fn wrong(&self, key: &str, value: &str) -> String {
        format!("Unrecognized {} option \"{key}\" with value \"{value}\".", self.name.trim_start_matches('-'))
    }
}

/// Parses a number after `key=`.
pub(super) fn number<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{key}: \"{value}\" is not a valid number."))
}

/// Parses a number that must not be below `least`.
pub(super) fn at_least<T: FromStr + PartialOrd + Display + Copy>(
    key: &str,
    value: &str,
    least: T,
) -> Result<T, String> {
    let parsed = number(key, value)?;
    if parsed < least { Err(format!("{key} must be at least {least}, got {value}.")) } else { Ok(parsed) }
}

/// Parses `true` or `false`.
pub(super) fn truth(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{key}: expected true or false, got \"{value}\".")),
    }
}

/// Splits arguments of an engine at spaces, as a shell does; quotes keep spaces.
pub(super) fn shell_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                word.extend(letters.next());
                begun = true;
            }
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                begun = true;
            }
            (letter, None) if letter.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_flag_takes_all_words_to_the_next_flag_and_negative_numbers() {
        let flags = group(&words("-engine cmd=a name=b -concurrency -2 -repeat -sprt elo0=-1.75"));
        let shape: Vec<(&str, usize)> =
            flags.iter().map(|flag| (flag.name.as_str(), flag.values.len())).collect();
        assert_eq!(shape, [("-engine", 2), ("-concurrency", 1), ("-repeat", 0), ("-sprt", 1)]);
        assert_eq!(flags[0].pairs(), Ok(vec![("cmd", "a"), ("name", "b")]));
        assert_eq!(flags[1].number::<i64>(), Ok(-2));
        assert!(flags[2].bare().is_ok() && flags[1].bare().is_err());
        assert!(group(&words("-engine name="))[0].pairs().is_err(), "an empty value");
        assert_eq!(group(&words("stray -games 2"))[0].name, "stray");
    }

    #[test]
    fn arguments_are_split_as_a_shell_does() {
        for (text, expected) in [
            ("--salt 1", vec!["--salt", "1"]),
            ("  a  'b c' \"d \\\" e\" f\\ g ''", vec!["a", "b c", "d \" e", "f g", ""]),
            ("", vec![]),
        ] {
            assert_eq!(shell_words(text), expected, "{text}");
        }
    }
}
